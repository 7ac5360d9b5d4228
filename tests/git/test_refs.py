"""Refs move from the value they had, or not at all; and writers wait for each other."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.git import refs
from gitdecide.git.run import Git, GitError

GitRunner = Callable[..., str]
REF = "refs/decisions/log"


@pytest.fixture
def here(repo: Path) -> Git:
    return Git(repo, os.environ)


@pytest.fixture
def ids(here: Git) -> list[str]:
    """Three objects for a ref to stand at."""
    return [
        here.run("hash-object", "-w", "--stdin", stdin=b"%d" % n).stdout.decode().strip() for n in range(3)
    ]


def test_a_ref_is_made_and_moved_with_a_reflog(here: Git, ids: list[str]) -> None:
    """The ref stands where it was moved to, and its reflog says why, though refs like it have none."""
    tips = [here.text("commit-tree", "-m", text, "HEAD^{tree}") for text in ("one", "two")]
    refs.move(here, REF, tips[0], None, "DR-001 question: why")
    refs.move(here, REF, tips[1], tips[0], "DR-001 vote: because")
    assert refs.read(here, REF) == tips[1]
    log = here.text("reflog", "--format=%gs", REF).splitlines()
    assert log == ["DR-001 vote: because", "DR-001 question: why"]


def test_a_lost_race_is_told(here: Git, ids: list[str]) -> None:
    """A ref that is elsewhere, exists already, or is gone, has moved; it stays where it is."""
    for old in (None, ids[1]):
        refs.move(here, REF, ids[0], refs.read(here, REF), "there")
        with pytest.raises(refs.RefMoved, match=REF) as lost:
            refs.move(here, REF, ids[2], old, "too late")
        assert lost.value.exit == 3
        assert refs.read(here, REF) == ids[0]
    with pytest.raises(refs.RefMoved):
        refs.move(here, "refs/decisions/gone", ids[2], ids[0], "too late")


def test_a_locked_ref_is_told_in_git_s_words(here: Git, ids: list[str], repo: Path) -> None:
    """A lock file, left or held, is not a lost race; the message names the file."""
    refs.move(here, REF, ids[0], None, "there")
    lock = repo / ".git" / f"{REF}.lock"
    lock.touch()
    with pytest.raises(refs.LockedRef, match=r"log\.lock': File exists") as locked:
        refs.move(here, REF, ids[1], ids[0], "locked")
    assert locked.value.exit == 3
    lock.unlink()
    refs.move(here, REF, ids[1], ids[0], "free")


def test_a_lock_in_a_linked_worktree_is_the_repository_s(here: Git, ids: list[str], repo: Path) -> None:
    """The lock is looked for where the ref is, not where the worktree is."""
    here.run("worktree", "add", "-q", "../linked")
    (repo / ".git" / "refs" / "decisions").mkdir()
    (repo / ".git" / f"{REF}.lock").touch()
    with pytest.raises(refs.LockedRef):
        refs.move(Git(repo.parent / "linked", os.environ), REF, ids[1], None, "locked")


def test_other_failures_stay_git_s(here: Git, ids: list[str], repo: Path) -> None:
    """A bad name, a missing object, a ref in the way, a folder that cannot be written: no race, no lock."""
    refs.move(here, REF, ids[0], None, "there")
    for name, new, old in (
        ("refs/x..y", ids[0], None),
        (REF, "1" * 40, ids[0]),
        (f"{REF}/below", ids[0], None),
    ):
        with pytest.raises(GitError):
            refs.move(here, name, new, old, "no")
    (repo / ".git" / "refs" / "notes").write_text("in the way of a folder")
    with pytest.raises(GitError, match=r"Not a directory|unable to create directory|cannot lock ref"):
        refs.move(here, "refs/notes/x", ids[0], None, "no")


def test_a_missing_ref_reads_as_none(here: Git, ids: list[str]) -> None:
    """Only a full name names a ref."""
    refs.move(here, REF, ids[0], None, "there")
    assert [refs.read(here, name) for name in (REF, "decisions/log", "refs/none", "--head", "")] == [
        ids[0],
        None,
        None,
        None,
        None,
    ]


def test_the_lock_keeps_others_out_and_leaves_nothing(repo: Path) -> None:
    """While it is held nobody else gets it; afterwards there is no trace."""
    before = sorted((repo / ".git").iterdir())
    other = os.open(repo / ".git", os.O_RDONLY)
    with refs.lock(repo / ".git"), pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)
    assert sorted((repo / ".git").iterdir()) == before


def test_the_lock_goes_with_an_error(repo: Path) -> None:
    """An error inside passes through and frees the lock."""
    with pytest.raises(KeyError), refs.lock(repo / ".git"):
        raise KeyError
    with refs.lock(repo / ".git"):
        pass


def test_without_a_lock_work_goes_on(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without flock, or a folder that cannot be opened, stops nobody."""
    with refs.lock(repo / "nowhere"):
        pass

    def unsupported(handle: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with refs.lock(repo / ".git"):
        pass


COUNTER = """
import os, random, sys, time
from contextlib import nullcontext
from pathlib import Path
from gitdecide.git import refs
from gitdecide.git.run import Git

repo = Path(sys.argv[1])
git = Git(repo, os.environ)
locked = (lambda: refs.lock(repo / ".git")) if sys.argv[2] == "lock" else nullcontext

def increment():
    with locked():
        old = refs.read(git, "refs/decisions/log")
        count = int(git.text("cat-file", "blob", old)) + 1
        new = git.run("hash-object", "-w", "--stdin", stdin=b"%d" % count).stdout.decode().strip()
        refs.move(git, "refs/decisions/log", new, old, "more")

retries = 0
for _ in range(4):
    while True:
        try:
            increment()
            break
        except (refs.RefMoved, refs.LockedRef):
            retries += 1
            time.sleep(random.random() * 0.05)
print(retries)
"""


@pytest.mark.parametrize("way", ["lock", "swap alone"])
def test_concurrent_writers_lose_nothing(way: str, here: Git, ids: list[str], repo: Path) -> None:
    """Eight processes count to 32 on one ref; under the lock nobody has to try twice."""
    refs.move(here, REF, ids[0], None, "zero")
    command = [sys.executable, "-c", COUNTER, str(repo), way]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    retries = [int(writer.communicate(timeout=300)[0]) for writer in writers]
    assert here.text("cat-file", "blob", REF) == "32"
    assert sum(retries) == 0 or way != "lock"
