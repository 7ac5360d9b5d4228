"""A log whose ref stands in a table with all others: locks, damage, and a crowd of writers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitdecide.errors import CANNOT
from gitdecide.store import log as store_log
from tests.conftest import Clock, Decide, GitRunner

LOG = "refs/decisions/log"
LOCK = ".git/reftable/tables.list.lock"


@pytest.fixture
def tables(repo: Path, record: str, git: GitRunner) -> Path:
    """`repo` with a log and one open record, its refs in tables."""
    moved = ["git", "refs", "migrate", "--ref-format=reftable"]
    if subprocess.run(moved, cwd=repo, capture_output=True, check=False).returncode:
        pytest.skip("this git cannot turn files into tables")
    git(repo, "config", "reftable.lockTimeout", "0")
    return repo


def test_a_repository_that_moves_to_tables_keeps_its_log(
    tables: Path, record: str, decide: Decide, git: GitRunner
) -> None:
    """What was indexed before goes on with what comes after, the reflog grows, and libgit2 is not asked."""
    decide("list")
    second = decide("ask", "And after it?").id

    assert [line.split()[0] for line in decide("list").stdout.splitlines()] == [second, record]
    assert second in decide("search", "after").stdout
    assert decide("fsck").exit_code == 0
    assert git(tables, "reflog", "--format=%gs", "-1", LOG) == "decide: DR-002 question: And after it? by Ada"
    said = {point["name"]: point for point in json.loads(decide("doctor", "--json").stdout)["points"]}
    assert "reftable)" in said["repository"]["says"]
    assert said["objects"]["says"].startswith("git alone")


def test_tables_that_are_held_are_tried_again(
    tables: Path, record: str, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another git holds the tables for a moment: the vote waits and goes in."""
    lock = tables / LOCK
    lock.touch()
    monkeypatch.setattr(store_log, "pause", lambda _: lock.unlink())

    vote = decide("vote", record, "abstain", "-m", "why").id

    assert vote in decide("show", record, "--json").stdout


@pytest.mark.parametrize(("age", "level"), [(10, "advice"), (3600, "wrong")])
def test_a_lock_that_stays_is_named_by_doctor(
    tables: Path,
    record: str,
    decide: Decide,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    age: int,
    level: str,
) -> None:
    """Writing ends in git's own words with exit 3 after several attempts; doctor knows the file."""
    pauses: list[float] = []
    monkeypatch.setattr(store_log, "pause", pauses.append)
    monkeypatch.setattr(store_log, "ATTEMPTS", 3)
    (tables / LOCK).touch()
    then = clock.instant.timestamp() - age
    os.utime(tables / LOCK, (then, then))

    stopped = decide("vote", record, "abstain", "-m", "why")

    assert (stopped.exit_code, stopped.stdout, len(pauses)) == (CANNOT, "", 2)
    assert "cannot lock references" in stopped.stderr
    said = {point["name"]: point for point in json.loads(decide("doctor", "--json").stdout)["points"]}
    assert said["locks"]["level"] == level
    assert LOCK in said["locks"]["says"]


@pytest.mark.parametrize("words", ["list", "fsck", "vote DR-1 abstain -m x"])
def test_tables_that_cannot_be_read_are_no_absence(tables: Path, decide: Decide, words: str) -> None:
    """Git takes the refs of a broken table for refs that are not there: the log is damaged, exit 4."""
    for table in (tables / ".git" / "reftable").glob("*.ref"):
        table.write_bytes(b"what was a table")

    done = decide(*words.split())

    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr == f"error: the log is damaged: {LOG} leads to no commit\n"


def test_a_crowd_of_writers_loses_nothing(tables: Path, record: str, decide: Decide, git: GitRunner) -> None:
    """Sixteen programs vote at once, from two worktrees, while git packs the tables: all are heard."""
    git(tables, "worktree", "add", "-q", "../linked")
    voting = [sys.executable, "-m", "gitdecide", "vote", record, "inform", "-m", "so", "--as"]
    writers = [
        subprocess.Popen([*voting, f"a{number}"], cwd=place, stdout=subprocess.PIPE, text=True)
        for number, place in enumerate((tables, tables.parent / "linked") * 8)
    ]
    while any(writer.poll() is None for writer in writers):
        subprocess.run(["git", "pack-refs", "--all"], cwd=tables, capture_output=True, check=False)

    said = {writer.communicate()[0].strip() for writer in writers}

    assert [writer.returncode for writer in writers] == [0] * 16
    shown = {entry["id"] for entry in json.loads(decide("show", record, "--json").stdout)["entries"]}
    assert len(said) == 16
    assert said < shown
    assert decide("fsck").exit_code == 0
