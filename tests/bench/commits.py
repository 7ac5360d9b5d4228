"""What the hooks add to `git commit`: nothing linked, documentation only with a link, code with a link."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.bench.run import NOTHING, PROGRAM, YARDSTICK, Cost, Task

CODE: Final = "echo 1 >> src/app.py && git commit -qam code"
DOCS: Final = "echo 1 >> README.md && git commit -qam docs"

SETTING_UP: Final = (
    "git init -q -b main && mkdir src && echo 'x = 1' > src/app.py && echo text > README.md",
    "git add . && git commit -qm base",
)
LINKING: Final = (
    f"{PROGRAM} ask 'Is it so?' && {PROGRAM} check DR-1 -- true",
    f"{PROGRAM} bind DR-1 adopt so --read src/app.py --check last && {PROGRAM} link DR-1",
)


def tasks(base: Path, environ: Mapping[str, str]) -> Iterator[Task]:
    """The yardsticks, commits without hooks, and the same commits with them."""
    plain = _repository(base / "plain", environ, f"{PROGRAM} init --no-hooks")
    hooked = _repository(base / "hooked", environ, f"{PROGRAM} init")
    linked = _repository(base / "linked", environ, f"{PROGRAM} init", *LINKING)
    yield Task(NOTHING, [sys.executable, "-c", "pass"], plain)
    yield Task(YARDSTICK, [sys.executable, "-c", YARDSTICK], plain)
    yield Task("commit without hooks", ["sh", "-c", CODE], plain)
    yield Task("commit, nothing linked", ["sh", "-c", CODE], hooked)
    yield Task("commit, link, docs", ["sh", "-c", DOCS], linked)
    yield Task("commit, link, code", ["sh", "-c", CODE], linked)


def added(medians: Mapping[str, Cost]) -> Iterator[str]:
    """What each kind of commit costs on top of one without hooks, by the clock, as ratios."""
    bare, whole = medians["commit without hooks"].wall, medians[YARDSTICK].wall
    for name, cost in medians.items():
        if name.startswith("commit, "):
            more = cost.wall - bare
            yield f"{name:26}{cost.wall / bare:8.2f} of a commit without hooks, adds {more / whole:.2f} of I"


def _repository(place: Path, environ: Mapping[str, str], *typed: str) -> Path:
    place.mkdir()
    for line in (*SETTING_UP, *typed):
        subprocess.run(["sh", "-c", line], cwd=place, env=environ, check=True, capture_output=True)
    return place
