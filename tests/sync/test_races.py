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

from tests.conftest import run_git
from tests.sync.conftest import LOG, Clone, files

WRITER: Final = Path(__file__).parents[1] / "concurrency" / "writer.py"
PATIENCE: Final = 60
"""Seconds after which a process counts as hanging."""

KILLED: Final = 10

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
    """Also in a linked worktree, while git packs the refs and fetches."""
    record = one.ask("Which way?")
    one.ok("sync")
    two.ok("sync")
    one.git("worktree", "add", "-q", "../linked")
    linked = Clone(one.path.parent / "linked", one.decide)
    votes = [["vote", record, "inform", "-m", f"turn {turn}", "--read", "app.py"] for turn in range(8)]
    jobs = [(one, votes), (linked, votes), (one, [["sync"]] * 3), (linked, [["sync"]] * 3)]
    jobs.append((two, [*votes, ["sync"], ["sync"]]))
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
    assert len(entries(hub, "vote")) == 24
    assert_sound(hub, one.path, two.path)


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
