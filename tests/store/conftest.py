"""A log without the command line: opened either way, spoken to, and planted with what nobody should write."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Entry, Question, Vote
from gitdecide.git import refs
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.objects import Signature
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.render import story
from gitdecide.store import layout
from gitdecide.store.log import Addition, Log

ADA = Signature("Ada", "ada@example.com", 1_790_000_000, 0)


@pytest.fixture
def open_log() -> Iterator[Callable[..., Log]]:
    """A log in a folder, by one of the two ways to objects."""
    opened: list[Log] = []

    def open_(path: Path, way: str = "plumbing", ref: str = layout.DEFAULT_REF) -> Log:
        git = Git(path, os.environ)
        repository = Repository.discover(git)
        objects = Plumbing(git) if way == "plumbing" else LibGit2(git, repository)
        opened.append(Log(git, lambda: repository, objects, ref))
        return opened[-1]

    yield open_
    for log in opened:
        log.objects.close()


@pytest.fixture
def store(open_log: Callable[..., Log], repo: Path) -> Log:
    """A log in `repo`, begun and empty."""
    log = open_log(repo)
    assert log.start()
    return log


@pytest.fixture
def said() -> Callable[..., dict[str, Any]]:
    """Who says an entry, and when: a second later each time."""
    count = iter(range(60))
    return lambda actor="Ada": {"actor": actor, "at": f"2026-10-19T09:14:{next(count):02}.482913Z"}


@pytest.fixture
def say() -> Callable[..., str]:
    """File an entry in a log, and return its id."""

    def say_(log: Log, record: RecordName | None, entry: Entry) -> str:
        added = Addition([(record, entry)], ADA, story.message(record, entry))
        return log.append(lambda _: added)[0]

    return say_


@pytest.fixture
def ask(say: Callable[..., str], said: Callable[..., dict[str, Any]]) -> Callable[..., RecordName]:
    """Begin a record under any number."""

    def ask_(log: Log, number: int, text: str = "Add it?") -> RecordName:
        question = Question(**said(), number=number, question=text, mode="decide")
        return RecordName.of(number, say(log, None, question))

    return ask_


@pytest.fixture
def vote(say: Callable[..., str], said: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """Vote in a record, and return the vote's id."""

    def vote_(log: Log, name: RecordName, reason: str = "why not") -> str:
        record = log.snapshot().record(name)
        entry = Vote(**said(), qid=record.question.id, after=record.heads, stance="inform", reason=reason)
        return say(log, name, entry)

    return vote_


@pytest.fixture
def plant() -> Callable[[Log, Mapping[str, bytes]], str]:
    """Commit any files onto a log, past every rule, and return the commit."""

    def plant_(log: Log, files: Mapping[str, bytes]) -> str:
        tip = log.snapshot().commit
        blobs = {path: log.objects.add_blob(data) for path, data in files.items()}
        tree = layout.add_files(log.objects, log.objects.subtree(tip, "") or {}, blobs)
        commit = log.objects.add_commit(tree, [tip], ADA, "planted\n")
        refs.move(log.git, log.ref, commit, tip, "planted")
        return commit

    return plant_
