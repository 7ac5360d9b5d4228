"""Print what `git decide sync` costs that takes 1,000 entries, as a ratio to a plain `git fetch` of them.

python -m tests.bench.sync [--records N] [--rounds N] [--repositories DIR]
"""

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gitdecide.store.layout import DEFAULT_REF
from tests.bench.fsck import Cost, run
from tests.bench.run import LARGE, PROGRAM, _git, _say, repositories

FOREIGN: Final = 1000
LINE: Final = "+refs/decisions/*:refs/decisions-remotes/origin/*"
VOTE: Final = (PROGRAM, "vote", "DR-2", "inform", "-m", "measured", "--read", "src/app.py")
TASKS: Final[Mapping[str, Sequence[str]]] = {
    "git fetch": ["git", "fetch", "--quiet", "--no-auto-maintenance", "origin", LINE],
    "sync, forward": [PROGRAM, "sync"],
    "sync, merge": [PROGRAM, "sync"],
}
"""The yardstick first; the last has an entry of its own, which is merged and pushed."""


def prepared(base: Path, large: Path, environ: Mapping[str, str]) -> tuple[Path, str]:
    """A clone whose log lacks the newest entries of its remote's, and where the remote's is."""
    hub, clone = base / "hub.git", base / "clone"
    for place, bare in ((hub, ["--bare"]), (clone, [])):
        _git(base, environ, "init", "-q", "-b", "main", *bare, str(place))
    tip = _git(large, environ, "rev-parse", DEFAULT_REF)
    lines = ["refs/heads/*:refs/heads/*", f"{DEFAULT_REF}:{DEFAULT_REF}"]
    _git(hub, environ, "fetch", "-q", str(large), *lines)
    _git(hub, environ, "update-ref", "refs/heads/short", f"{tip}~{FOREIGN}")
    _git(clone, environ, "remote", "add", "origin", str(hub))
    _git(clone, environ, "fetch", "-q", "origin", "main", f"short:{DEFAULT_REF}")
    _git(clone, environ, "reset", "-q", "--hard", "FETCH_HEAD")
    return clone, tip


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=LARGE, help="decision records in the log")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repositories", type=Path, help="keep the logs here, and use those that are here")
    options = parser.parse_args()
    costs: dict[str, list[Cost]] = {name: [] for name in TASKS}
    with (
        repositories(options.repositories, options.records) as (_, large, environ),
        tempfile.TemporaryDirectory() as folder,
    ):
        clone, tip = prepared(Path(folder), large, environ)
        for _ in range(options.rounds):
            for name, command in TASKS.items():
                copy = shutil.copytree(clone, clone.with_name("copy"))
                if name.endswith("merge"):
                    run(VOTE, copy, environ)
                costs[name].append(run(command, copy, environ))
                _git(clone.with_name("hub.git"), environ, "update-ref", DEFAULT_REF, tip)
                shutil.rmtree(copy)
    medians = {name: Cost(*map(statistics.median, zip(*each, strict=True))) for name, each in costs.items()}
    yardstick = medians["git fetch"].wall
    _say(f"{'':16}{'s':>8}{'ratio':>8}{'MiB':>8}")
    for name, (wall, memory) in medians.items():
        _say(f"{name:16}{wall:8.2f}{wall / yardstick:8.2f}{memory:8.0f}")


if __name__ == "__main__":
    main()
