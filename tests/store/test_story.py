from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.names import RecordName
from gitdecide.store.log import Log, Step

Ask = Callable[..., RecordName]
Git = Callable[..., str]
Say = Callable[..., str]

STORY = """\
DR-001 decision: reject by Ada

the premise is false

DR-001 check: fails (exit 1) by Ada

the engine has it

$ false

DR-001 vote: inform by Ada

the spec was read

DR-001 vote: support_unverified by researcher-1

the user's code is the spec

DR-001 question: Add load_dataset to the engine? by Ada

user script calls it

Start the log
"""


def test_the_log_reads_as_a_story(decide: Callable[..., Any], repo: Path, git: Git) -> None:
    """The log that git itself prints tells who said what and why, and only ever adds files."""
    decide("init", "--no-hooks")
    name = decide("ask", "Add load_dataset to the engine?", "--context", "user script calls it").id
    for args in (
        ["vote", name, "support", "-m", "the user's code is the spec", "--as", "researcher-1"],
        ["vote", name, "inform", "-m", "the spec was read", "--read", "src/app.py"],
        ["check", name, "--premise", "the engine has it", "--", "false"],
        ["bind", name, "reject", "the premise is false", "--check", "last"],
    ):
        assert decide(*args).exit_code == 0

    assert git(repo, "log", "--no-merges", "--format=%B", "refs/decisions/log") == STORY
    changed = git(repo, "log", "--format=", "--name-status", "refs/decisions/log").splitlines()
    assert {line[0] for line in changed if line} == {"A"}
    assert git(repo, "fsck", "--strict", "--no-dangling") == ""


def test_our_own_story_tells_newest_first_what_was_added(store: Log, ask: Ask, vote: Say) -> None:
    """A step is one commit, of one record or of all, as many as are wanted."""
    name = ask(store, 1)
    vote(store, name)
    ask(store, 2)

    assert [step.subject.split(":")[0] for step in store.story(None, 0)] == [
        "question", "DR-001 vote", "question", "Start the log",
    ]  # fmt: skip
    assert [step.subject.split(":")[0] for step in store.story(name, 0)] == ["DR-001 vote", "question"]
    (last,) = store.story(name, 1)
    assert last == Step(
        commit=store.git.text("rev-parse", f"{store.ref}^"),
        author="Ada",
        at="2026-09-21T14:13:20Z",
        subject="DR-001 vote: inform by Ada",
    )


def test_a_story_is_the_same_from_any_folder_and_under_any_configuration(
    store: Log, ask: Ask, vote: Say, open_log: Callable[..., Log], git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders, pathspec variables, encodings, colours and signature settings do not change what is told."""
    name = ask(store, 1, "Größe?")
    told = list(store.story(name, 0))
    for key, value in {
        "i18n.logOutputEncoding": "latin1", "log.follow": "true", "color.ui": "always",
        "log.showSignature": "true", "log.date": "relative", "core.commentChar": ";",
    }.items():  # fmt: skip
        git(store.git.cwd, "config", key, value)
    for kind in ("LITERAL", "ICASE"):
        monkeypatch.setenv(f"GIT_{kind}_PATHSPECS", "1")

    assert told[0].subject == "question: Größe? by Ada"
    assert list(open_log(store.git.cwd / "src").story(name, 0)) == told
