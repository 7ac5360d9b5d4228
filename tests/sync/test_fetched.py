"""What plain `git fetch` brought, as readers and writers meet it."""

from collections.abc import Callable

import pytest

from gitdecide.work import arriving
from tests.conftest import run_git
from tests.sync.conftest import LOG, Clone, Hand

FETCHED = "refs/decisions-remotes/origin/log"


@pytest.fixture
def brought(one: Clone, two: Clone) -> str:
    """A record that `git fetch` brought into the second clone."""
    name = one.ask("Tabs?")
    one.ok("sync")
    two.git("fetch")
    return name


@pytest.mark.parametrize(
    "command", [["list"], ["show", "DR-1"], ["log"], ["vote", "DR-1", "abstain", "-m", "x"]]
)
def test_the_log_follows_what_was_fetched(brought: str, one: Clone, two: Clone, command: list[str]) -> None:
    """Whichever command comes first, where nothing of ours is unpublished, and without a word."""
    done = two(*command)

    assert (done.exit_code, done.stderr) == (0, "")
    assert two.git("merge-base", "--is-ancestor", FETCHED, LOG) == ""
    assert "what was fetched from origin" in two.git("reflog", "show", LOG)


def test_unpublished_entries_keep_the_log_where_it_is(one: Clone, two: Clone) -> None:
    """Nothing is merged by a reader: a hint names sync, until it has run."""
    one.ask("Tabs?")
    two.ask("Spaces?")
    one.ok("sync")
    two.git("fetch")
    tip = two.tip

    done = two("list")

    assert done.stderr == "hint: origin has decisions that are not here yet: git decide sync origin\n"
    assert two.tip == tip
    two.ok("sync")
    assert two("list").stderr == ""


def test_a_clone_that_is_ahead_is_left_in_peace(brought: str, one: Clone, two: Clone) -> None:
    """What was fetched is in the log already: no hint, no move."""
    two("vote", brought, "abstain", "-m", "mine")
    tip = two.tip

    assert two("list").stderr == ""
    assert two.tip == tip


def test_more_than_a_reader_proves_is_left_to_sync(
    brought: str, two: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One commit too many: a hint."""
    monkeypatch.setattr(arriving, "MOST", 0)
    tip = two.tip

    assert "git decide sync origin" in two("list").stderr
    assert two.tip == tip

    monkeypatch.setattr(arriving, "MOST", 1)
    assert brought in two("list").stdout


def test_a_reader_never_follows_a_history_that_does_more_than_add(
    brought: str, two: Clone, hand: Hand
) -> None:
    """The log stays, the hint says why, and the command works."""
    two("list")
    hand.read()
    hand.drop(next(file for file in two.files if "/question-" in file))
    hand.commit()
    two.git("fetch")
    tip = two.tip

    done = two("list")

    assert (done.exit_code, brought in done.stdout, two.tip) == (0, True, tip)
    assert done.stderr.startswith("hint: what origin has stays away from the log: this history is not a log")


def test_a_reader_never_goes_back(brought: str, one: Clone, two: Clone) -> None:
    """A remote whose log was taken back, or away, takes nothing from ours."""
    two("list")
    tip = two.tip
    run_git(one.path, "push", "-q", "-f", "--no-verify", "origin", f"{LOG}~1:{LOG}")
    two.git("fetch")
    assert two("list").stderr == ""
    assert two.tip == tip
    run_git(one.path, "push", "-q", "--no-verify", "origin", f":{LOG}")
    two.git("fetch", "--prune")

    assert (two("list").stderr, two.tip) == ("", tip)


def test_a_log_that_cannot_be_written_is_read_as_it_is(brought: str, two: Clone) -> None:
    """A hint, and what is here is shown."""
    lock = two.path / ".git/refs/decisions/log.lock"
    lock.write_text("")

    done = two("list")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("hint: what origin has stays away from the log: ")


def test_a_clone_without_a_log_follows_too(clone: Callable[..., Clone], one: Clone) -> None:
    """The fetch line alone makes decisions readable."""
    name = one.ask("Tabs?")
    one.ok("sync")
    late = clone("late", init=False)
    late.git("config", "--add", "remote.origin.fetch", "+refs/decisions/*:refs/decisions-remotes/origin/*")
    late.git("fetch", "-q")

    assert late("list").stdout.startswith(name)
    assert late.tip == one.tip


def test_numbers_of_what_was_fetched_are_taken(one: Clone, two: Clone) -> None:
    """Asking beside a fetched log that cannot be followed gives the next number of both."""
    two.ask("Spaces?")
    one.ask("Tabs?")
    one.ask("Eight wide?")
    one.ok("sync")
    two.git("fetch")

    assert two.ask("Or four?").startswith("DR-003-")
