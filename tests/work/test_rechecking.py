"""Which checks run again unasked: what this clone ran, what the policy permits, and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check
from gitdecide.policy import Recheck
from gitdecide.work.rechecking import permitted, select
from tests.entries.story import Story

DEFAULT = Recheck()


@pytest.fixture
def made() -> Callable[..., Check]:
    """A check with a command, as somebody filed it."""

    def make(*command: str, shell: str | None = None, **fields: Any) -> Check:
        story = Story()
        story.check(0, command=shell if shell is not None else command, **fields)
        return story.record.of(Check)[0].entry

    return make


@pytest.mark.parametrize(
    "command",
    [
        ("grep", "x", "src/app.py"),
        ("grep", "-rq", "def load", "src"),
        ("grep", "--extended-regexp", "--include=*.py", "a.*b", "."),
        ("rg", "-n", "load_dataset"),
    ],
)
def test_a_search_of_the_tree_runs_unasked(made: Callable[..., Check], command: tuple[str, ...]) -> None:
    """The policy's own examples, which can only look."""
    assert permitted(made(*command), DEFAULT)


@pytest.mark.parametrize(
    "command",
    [
        ("./grep", "x"),
        ("bin/grep", "x"),
        ("/usr/bin/grep", "x"),
        ("grep",),
        ("grep x", "src"),
        ("egrep", "x"),
        ("sh", "-c", "grep x"),
        ("env", "grep", "x"),
        ("grep", "-q", "token", "/home/ada/.netrc"),
        ("grep", "-q", "token", "../../.netrc"),
        ("grep", "-q", "token", "src/../../.netrc"),
        ("grep", "-f", "/etc/passwd", "x"),
        ("grep", "-f/etc/passwd", "x"),
        ("grep", "-qrf../x", "y"),
        ("grep", "--file=/etc/passwd", "x"),
        ("grep", "--file=../x", "y"),
        ("grep", "-r", "x", ".."),
        ("rg", "--pre", "sh", "x"),
        ("rg", "--pre=./evil", "x"),
        ("rg", "--pre-glob", "*", "x"),
        ("rg", "--hostname-bin=evil", "x"),
        ("rg", "--ignore-file=/etc/passwd", "x"),
    ],
)
def test_what_may_do_more_than_search_the_tree_is_held(
    made: Callable[..., Check], command: tuple[str, ...]
) -> None:
    """Another program, a path that leads out, and options that run programs; even an exit code tells."""
    assert not permitted(made(*command), DEFAULT)


@pytest.mark.parametrize(
    "command",
    [
        ("git", "grep", "-Oevil", "x"),
        ("git", "grep", "-nO", "x"),
        ("git", "grep", "--open-files-in-pager=evil", "x"),
        ("git", "grep", "--op=evil", "x"),
        ("git", "diff", "--output=.bashrc"),
        ("git", "log", "--ext-diff", "-p"),
        ("git", "grep", "--no-index", "x", "/etc"),
        ("find", ".", "-name", "x", "-exec", "evil", ";"),
        ("find", ".", "-delete"),
        ("find", ".", "-fprintf", "x", "y"),
    ],
)
def test_a_wide_policy_opens_no_back_door(made: Callable[..., Check], command: tuple[str, ...]) -> None:
    """Options that run a program or write a file are held whatever the pattern."""
    assert not permitted(made(*command), Recheck(allow=("git *", "find *")))


@pytest.mark.parametrize(
    "command",
    [("sh", "-c", "grep x src"), ("/bin/bash", "x"), ("env", "X=1", "grep", "x"), ("python3.11", "-c", "x")],
)
def test_a_program_that_runs_anything_is_held(made: Callable[..., Check], command: tuple[str, ...]) -> None:
    """What others wrote as its arguments would be the program."""
    assert not permitted(made(*command), Recheck(allow=("*", f"{command[0]} *")))


def test_a_shell_never_runs_unasked(made: Callable[..., Check]) -> None:
    """Not even for a text that a pattern fits."""
    assert not permitted(made(shell="grep x src; rm -r src"), Recheck(allow=("*", "grep *")))


@pytest.mark.parametrize("cwd", ["..", "/tmp", "src/../.."])
def test_a_folder_outside_is_held(made: Callable[..., Check], cwd: str) -> None:
    """Where a check says it ran is a claim like all else."""
    assert not permitted(made("grep", "x", "app.py", cwd=cwd), DEFAULT)
    assert permitted(made("grep", "x", "app.py", cwd="src"), DEFAULT)


def test_a_program_of_the_tree_must_be_spelled_out(made: Callable[..., Check]) -> None:
    """A pattern with a star where the program stands means what is installed."""
    check = made("tools/check", "all")

    assert permitted(check, Recheck(allow=("tools/check *",)))
    assert not permitted(check, Recheck(allow=("*", "tools/* *", "*check *")))


def chosen(record: DecisionRecord, ran: set[str], **how: bool) -> tuple[list[str], ...]:
    """The notes of the checks that are our own, allowed and held."""
    selection = select(record, ran, DEFAULT, trust=how.get("trust", False))
    return tuple([check.entry.note or "" for check in checks] for checks in selection)


def test_each_command_runs_once_and_by_who_ran_it_here() -> None:
    """The newest check of a command is repeated, and it is ours when any of them is."""
    story = Story()
    ours = story.check(0, command="make test", note="old")
    story.check(1, command="make test", note="new", actor="eve")
    story.check(0, command=("make", "lint"), note="theirs", actor="eve")
    story.check(0, command=("grep", "x"), note="allowed", actor="eve")
    story.check(0, command="make test", note="elsewhere", cwd="src", actor="eve")
    story.check(0, command="make test", note="turned round", holds_on=(1,), fails_on=(0,), actor="eve")
    record = story.record
    assert ours in {check.id for check in record.of(Check)}

    held = ["theirs", "elsewhere", "turned round"]
    assert chosen(record, {ours}) == (["new"], ["allowed"], held)
    assert chosen(record, set()) == ([], ["allowed"], ["new", *held])
    assert chosen(record, set(), trust=True) == (
        ["new", "theirs", "allowed", *held[1:]],
        [],
        [],
    )


def test_what_has_no_command_is_left_out() -> None:
    """A check that no command can make cannot be repeated."""
    story = Story()
    story.say(Check, result="not_applicable", command=None, exit_code=None, note="only words")

    assert not any(select(story.record, set(), DEFAULT, trust=True))
