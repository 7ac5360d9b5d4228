"""Proposals that are made at the same time, or killed while they are made."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import Decide, GitRunner

KILLS: Final = int(os.environ.get("KILLS", "5"))
"""How many are killed, each at a moment of its own."""

PATIENCE: Final = 300.0
"""Seconds after which something counts as hanging."""

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, at an odd path."""
    folder = tmp_path / "tmp für uns"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def start(repo: Path, record: str) -> Iterator[Start]:
    """Begin to propose what a script makes, in a process of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def run(script: str, cwd: Path = repo) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "gitdecide", "propose", record, "-c", script]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(words, cwd=cwd, stdout=pipe, stderr=pipe))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def until(true: Callable[[], object]) -> None:
    """Wait for something; fails the test when it takes too long."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def users(repo: Path, git: GitRunner) -> tuple[object, ...]:
    """What is the user's: checkout, index, HEAD, stash, worktrees, and all refs but log and proposals."""
    refs = git(repo, "for-each-ref").splitlines()
    own = [line for line in refs if "refs/decisions/" not in line and "refs/heads/decide/" not in line]
    index = (repo / ".git" / "index").read_bytes()
    asked = (("status", "--porcelain"), ("worktree", "list", "--porcelain"), ("stash", "list"), ("reflog",))
    return (
        own,
        index,
        (repo / ".git" / "config").read_text(),
        *(git(repo, "--no-optional-locks", *words) for words in asked),
    )


def running(mark: str) -> list[str]:
    """The processes whose command lines hold a word."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if mark in line and "gitdecide" not in line]


def test_two_at_once_get_two_branches(
    decide: Decide, record: str, repo: Path, git: GitRunner, start: Start, temporary: Path
) -> None:
    """Also from two worktrees; each entry names the branch that has its change."""
    git(repo, "worktree", "add", "-q", "../linked")
    before = users(repo, git)

    both = [start(f"echo {number} > new{number}", place)
            for number, place in enumerate((repo, repo.parent / "linked", repo))]  # fmt: skip
    ids = [process.communicate(timeout=PATIENCE)[0].decode().strip() for process in both]

    assert [process.returncode for process in both] == [0, 0, 0]
    listed = json.loads(decide("proposal", "list", "--json").stdout)["proposals"]
    branches = {each["id"]: each["branch"] for each in listed}
    assert sorted(branches.values()) == [f"decide/DR-001/{number}" for number in (1, 2, 3)]
    for number, entry_id in enumerate(ids):
        assert git(repo, "diff", "--name-only", "main", branches[entry_id]) == f"new{number}"
    assert users(repo, git) == before
    assert list(temporary.iterdir()) == []


def test_whenever_it_is_killed_the_next_one_tidies_up(
    decide: Decide, record: str, repo: Path, git: GitRunner, start: Start, temporary: Path
) -> None:
    """Nothing of the user's changed, no branch without its entry, no folder and no process is left."""
    mark = f"{random.randrange(10**6)}.{os.getpid()}"
    script = (
        f"(sleep 1{mark} &) ; mkdir deep; touch deep/new; chmod -w deep; echo >> src/app.py;"
        " git commit -qam x; git tag t; sleep 0.05"
    )
    (repo / "src" / "app.py").write_text("x = 7\n")
    git(repo, "stash", "-q")
    begun = time.monotonic()
    assert start(script).wait(PATIENCE) == 0
    longest = time.monotonic() - begun
    before = users(repo, git)

    for _ in range(KILLS):
        victim = start(script)
        time.sleep(random.uniform(0, longest))
        victim.kill()
        victim.wait()
        assert users(repo, git) == before
        assert decide("propose", record, "--", "touch", "next").exit_code == 0
        assert list(temporary.iterdir()) == []

    until(lambda: not running(f"sleep 1{mark}"))
    assert users(repo, git) == before
    entries = json.loads(decide("proposal", "list", "--json").stdout)["proposals"]
    proposed = {each["branch"] for each in entries}
    there = set(git(repo, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/decide").split())
    assert there <= proposed
    assert len(proposed) == len(entries)
    assert decide("fsck").exit_code == 0


@pytest.mark.parametrize("tidied", [False, True], ids=["as it was left", "folder removed by hand"])
def test_a_command_does_not_outlive_its_proposal(
    decide: Decide, record: str, repo: Path, git: GitRunner, start: Start, temporary: Path, tidied: bool
) -> None:
    """The next one ends what went on when its git-decide was killed, in the background too."""
    mark = f"{random.randrange(10**6)}.{os.getpid()}"
    victim = start(f"(setsid sleep 1{mark} &); touch begun; sleep 1{mark}")
    until(lambda: list(temporary.glob("*/tree/begun")))
    victim.kill()
    victim.wait()
    if tidied:
        shutil.rmtree(next(temporary.iterdir()))
    assert running(f"sleep 1{mark}")

    assert decide("propose", record, "--", "touch", "next").exit_code == 0

    until(lambda: not running(f"sleep 1{mark}"))
    assert list(temporary.iterdir()) == []
    assert git(repo, "for-each-ref", "--format=%(refname)", "refs/heads/decide").split() == [
        "refs/heads/decide/DR-001/1"
    ]


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_what_is_interrupted_tidies_up_itself(
    repo: Path, git: GitRunner, start: Start, temporary: Path, signum: signal.Signals
) -> None:
    """The command is ended, and no next command is needed."""
    mark = f"{random.randrange(10**6)}.{os.getpid()}"
    before = git(repo, "for-each-ref")
    victim = start(f"touch begun; trap '' TERM INT HUP; sleep 1{mark}; sleep 1{mark}")
    until(lambda: list(temporary.glob("*/tree/begun")))

    victim.send_signal(signum)

    assert victim.wait(PATIENCE) != 0
    assert list(temporary.iterdir()) == []
    assert running(f"sleep 1{mark}") == []
    assert git(repo, "for-each-ref") == before


def test_worktrees_of_the_user_are_never_touched(
    decide: Decide, record: str, repo: Path, git: GitRunner, start: Start, temporary: Path
) -> None:
    """Not one that is locked and gone, and not one that lies where ours do."""
    git(repo, "worktree", "add", "-q", "--lock", "../gone")
    shutil.rmtree(repo.parent / "gone")
    git(repo, "worktree", "add", "-q", "-b", "mine", str(temporary / "git-decide-worktree-mine"))
    before = users(repo, git)
    victim = start("touch begun; sleep 30")
    until(lambda: list(temporary.glob("*/tree/begun")))
    victim.kill()
    victim.wait()

    assert decide("propose", record, "--", "touch", "next").exit_code == 0

    assert users(repo, git) == before
    assert [folder.name for folder in temporary.iterdir()] == ["git-decide-worktree-mine"]
