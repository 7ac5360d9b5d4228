"""What tests of the commands share: a record as data, and runs that must fail and change nothing."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.conftest import Decide, Done, GitRunner

Shown = Callable[[str], dict[str, Any]]
ByHand = Callable[[str, str | bytes], str]


class Refuses(Protocol):
    """Run git-decide where it must fail: refuses(3, "show", "DR-9"); what it says on standard error."""

    def __call__(self, exit_code: int, *args: str, cwd: Path | None = None, **more: Any) -> str: ...


@pytest.fixture
def shown(decide: Decide) -> Shown:
    """A record as `show --json` gives it."""
    return lambda name: dict(json.loads(decide("show", name, "--json").id))


@pytest.fixture
def refuses(decide: Decide, repo: Path, git: GitRunner) -> Refuses:
    """A run that fails with one line, hints aside, prints no fact and moves no ref."""

    def run(exit_code: int, *args: str, cwd: Path | None = None, **more: Any) -> str:
        before = git(cwd or repo, "for-each-ref")
        done = decide(*args, cwd=cwd, **more)
        assert_one_fault(done, exit_code)
        assert git(cwd or repo, "for-each-ref") == before
        return done.stderr

    return run


def assert_one_fault(done: Done, exit_code: int) -> None:
    """Fail unless a run ended so, with one line that says why, and nothing on standard output."""
    faults = [line for line in done.stderr.splitlines() if not line.startswith("hint: ")]
    assert (done.exit_code, len(faults), done.stdout) == (exit_code, 1, ""), done
    assert faults[0].startswith(("error: ", "refused [")), done


@pytest.fixture
def check(decide: Decide, record: str) -> Callable[..., str]:
    """Record a check of `record` that ran elsewhere, and return its id."""
    return lambda exit_code=0, command="true": (
        decide("check", record, "--report", str(exit_code), "-c", command).id
    )


@pytest.fixture
def by_hand(repo: Path, git: GitRunner) -> ByHand:
    """Add a file to the log with git alone, {id} in its path being the blob's; returns the path."""
    environ = {**os.environ, "GIT_INDEX_FILE": str(repo / ".git" / "by-hand")}

    def plumb(*words: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *words], cwd=repo, env=environ, input=stdin, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def add(file: str, text: str | bytes) -> str:
        data = text if isinstance(text, bytes) else text.encode()
        blob = plumb("hash-object", "-w", "--stdin", stdin=data)
        plumb("read-tree", "refs/decisions/log")
        plumb("update-index", "--add", "--cacheinfo", f"100644,{blob},{file.format(id=blob)}")
        commit = plumb("commit-tree", "-m", "by hand", "-p", "refs/decisions/log", plumb("write-tree"))
        git(repo, "update-ref", "refs/decisions/log", commit)
        return file.format(id=blob)

    return add
