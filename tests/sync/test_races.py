"""Processes that sync at the same time, and processes that are killed while they do."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from gitdecide.work import sync
from gitdecide.work.remotes import Remote
from tests.conftest import run_git
from tests.sync.conftest import LOG, Clone, files

WRITER: Final = Path(__file__).parents[1] / "concurrency" / "writer.py"
PATIENCE: Final = 300
"""Seconds after which a process counts as hanging."""

KILLED: Final = 10
FETCHED: Final = "refs/decisions-remotes/origin/log"
SEEN: Final = "refs/decisions-seen/origin"

Cloning = Callable[..., Clone]


def started(clone: Clone, commands: Sequence[Sequence[str]], said: Path) -> subprocess.Popen[bytes]:
    """A process that runs these command lines in a clone, and fails at the first that fails."""
    said.with_suffix(".in").write_text("\n".join(json.dumps(command) for command in commands))
    with said.with_suffix(".in").open("rb") as stdin, said.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, WRITER], cwd=clone.path, stdin=stdin, stdout=output, stderr=subprocess.STDOUT
        )


def finished(process: subprocess.Popen[bytes], said: Path) -> None:
    try:
        code = process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert code == 0, said.read_text()


def entries(repository: Path, kind: str) -> set[str]:
    return {file for file in files(repository) if file.rpartition("/")[2].startswith(f"{kind}-")}


def assert_sound(*repositories: Path) -> None:
    """No commit loses a file, git finds no fault, and no lock lies around."""
    for repository in repositories:
        assert (
            run_git(repository, "log", "--format=", "--raw", "--no-renames", "-m", "--diff-filter=a", LOG)
            == ""
        )
        assert run_git(repository, "fsck", "--strict", "--no-dangling") == ""
        assert not list(repository.rglob("*.lock"))


def test_clones_that_sync_at_once_all_get_in(clone: Cloning, hub: Path, tmp_path: Path) -> None:
    """Whoever was overtaken drops its merge and merges anew; no sync fails and nothing is lost."""
    clones = [clone(f"clone-{number}") for number in range(5)]
    clones[0].ask("Which way?")
    for each in clones:
        each.ok("sync")
    record = clones[0]("list").stdout.split()[0]
    turns = [["vote", record, "inform", "-m", "again", "--read", "app.py"], ["ask", "And?"], ["sync"]] * 3
    said = [tmp_path / f"said-{number}" for number in range(5)]

    processes = [started(each, turns, text) for each, text in zip(clones, said, strict=True)]

    for process, text in zip(processes, said, strict=True):
        finished(process, text)
    for each in (*clones, *clones):
        each.ok("sync")
    assert len({each.tip for each in clones}) == 1
    assert len(entries(hub, "vote")) == 15
    assert len(entries(hub, "question")) == 16
    assert_sound(hub, *(each.path for each in clones))


def test_writers_and_syncs_of_one_clone_do_not_harm_each_other(
    one: Clone, two: Clone, hub: Path, tmp_path: Path
) -> None:
    """They vote, ask and check, also in a linked worktree, while git packs the refs and others sync."""
    record = one.ask("Which way?")
    one.ok("sync")
    two.ok("sync")
    one.git("worktree", "add", "-q", "../linked")
    linked = Clone(one.path.parent / "linked", one.decide)
    votes = [["vote", record, "inform", "-m", f"turn {turn}", "--read", "app.py"] for turn in range(4)]
    asked = [["ask", f"And {turn}?"] for turn in range(2)]
    checks = [["check", record, "--", "git", "rev-parse", "HEAD"]] * 2
    writes = [command for turn in zip(votes, [*asked, *checks], strict=True) for command in turn]
    jobs = [(one, writes), (linked, writes), (one, [["sync"]] * 3), (linked, [["sync"]] * 3)]
    jobs.append((two, [*writes, ["sync"], ["sync"]]))
    said = [tmp_path / f"said-{number}" for number in range(len(jobs))]

    processes = [started(place, turns, text) for (place, turns), text in zip(jobs, said, strict=True)]
    while any(process.poll() is None for process in processes[:2]):
        one.git("pack-refs", "--all")
        time.sleep(0.05)

    for process, text in zip(processes, said, strict=True):
        finished(process, text)
    for each in (one, two, one):
        each.ok("sync")
    assert one.tip == two.tip
    assert [len(entries(hub, kind)) for kind in ("vote", "question", "check")] == [12, 7, 6]
    assert one("fsck").exit_code == 0
    assert_sound(hub, one.path, two.path)


@pytest.fixture
def late(one: Clone, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What slow fetches of the same clone put into the copy of the remote's log, after one of ours each."""
    tips: list[str] = []
    fetch = Remote.fetch

    def overtaken(remote: Remote, *more: str) -> None:
        fetch(remote, *more)
        if tips:
            one.git("update-ref", FETCHED, tips.pop())

    monkeypatch.setattr(Remote, "fetch", overtaken)
    monkeypatch.setattr(sync, "LONGEST_PAUSE", 0.0)
    return tips


def test_a_slow_fetch_beside_a_sync_is_not_taken_for_a_loss(one: Clone, late: list[str]) -> None:
    """Only what the remote itself does not have any more is lost."""
    one.ok("sync")
    old = one.tip
    one.ask("Which way?")
    one.ok("sync")
    late += [old] * 3

    assert one.ok("sync") == "nothing new here or at origin\n"

    assert late == []


def test_fetches_that_never_agree_with_the_remote_end(
    one: Clone, late: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many attempts: exit 3, nothing said to be lost, and every entry where it was."""
    monkeypatch.setattr(sync, "ATTEMPTS", 3)
    one.ok("sync")
    name = one.ask("Which way?")
    one.ok("sync")
    late += [one.git("rev-parse", f"{LOG}~1")] * 9

    done = one("sync")

    assert (done.exit_code, len(late)) == (3, 6)
    assert done.stderr.startswith("error: what was fetched from origin is not what it has")
    late.clear()
    assert name in one("list").stdout


def test_a_slow_sync_takes_back_nothing_that_a_faster_one_noted(
    one: Clone, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of the remote only grows, whichever of two syncs of one clone ends last."""
    one.ok("sync")
    push = Remote.push
    faster = [lambda: one.ask("And then?"), lambda: one.ok("sync")]

    def overtaken(remote: Remote, commit: str) -> None:
        push(remote, commit)
        while faster:
            faster.pop(0)()

    monkeypatch.setattr(Remote, "push", overtaken)
    one.ask("Which way?")

    one.ok("sync")

    assert {one.git("rev-parse", ref) for ref in (LOG, SEEN, FETCHED)} == {run_git(hub, "rev-parse", LOG)}
    assert len(one("list").stdout.splitlines()) == 2


def test_a_killed_sync_leaves_everything_usable(one: Clone, two: Clone, hub: Path) -> None:
    """Wherever SIGKILL meets it, nothing is lost, and the next sync brings all together."""
    chance = random.Random(11)
    record = one.ask("Which way?")
    one.ok("sync")
    two.ok("sync")
    begun = time.monotonic()
    one("sync")
    command = [sys.executable, "-m", "gitdecide", "sync"]
    subprocess.run(command, cwd=one.path, check=True, capture_output=True)
    longest = 1.3 * (time.monotonic() - begun)
    votes = set()
    codes = []
    for turn in range(KILLED):
        for each in (one, two):
            votes.add(each("vote", record, "inform", "-m", f"turn {turn}", "--read", "app.py").id)
        if turn % 2:
            two.ok("sync")
        process = subprocess.Popen(
            command, cwd=one.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.1, longest))
        process.send_signal(signal.SIGKILL)
        codes.append(process.wait())
        assert one("list").exit_code == 0
    assert -signal.SIGKILL in codes, "some are to be killed at work"

    until = time.monotonic() + PATIENCE
    while one("sync").exit_code and time.monotonic() < until:
        time.sleep(0.1)  # a git that outlived its sync may still hold a lock
    two.ok("sync")
    one.ok("sync")

    assert one.tip == two.tip == run_git(hub, "rev-parse", LOG)
    assert {vote for vote in votes if any(vote in file for file in one.files)} == votes
    assert_sound(hub, one.path, two.path)
