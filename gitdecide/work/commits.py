"""Commits with the decisions that their messages name, read from the history in one go."""

from typing import Any, Final, NamedTuple

from gitdecide.entries.evidence import stored_path
from gitdecide.entries.names import RecordName, TypedName
from gitdecide.git import changes
from gitdecide.git.messages import linked
from gitdecide.git.run import Git
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import naming

LOOKED_AT: Final = 500
"""How many commits of HEAD are searched for a record's name: 5 ms, where a whole history may take seconds."""

SHOWN: Final = 20

_FORM: Final = ("--no-show-signature", "--no-color", "--encoding=UTF-8", "-z", "--format=%H%x1f%B")
"""What git log is told, so that no configuration of the user's changes its form."""


class Linking(NamedTuple):
    """A commit, and the decisions that it names as they were typed."""

    id: str
    subject: str
    names: tuple[str, ...]
    paths: tuple[str, ...] = ()
    """What it changes, where that was asked for; bytes that are not UTF-8 are lone surrogates."""


def told(git: Git, *selected: str, stdin: bytes = b"") -> list[Linking]:
    """The commits that git log selects, in its order. Raises GitError."""
    surroundings = changes.PLAIN_OBJECTS | changes.PLAIN_PATHSPECS
    told = git.run("log", *_FORM, *selected, stdin=stdin, environ=surroundings).stdout
    texts = told.decode("utf-8", "surrogateescape").split("\0")
    return [_parsed(text) for text in texts if text]


def linking(git: Git, snapshot: Snapshot, record: RecordName) -> list[Linking]:
    """The newest commits of HEAD that link a record, with all that they change."""
    if snapshot.objects.resolve("HEAD^{commit}") is None:
        return []
    recent = told(git, f"--max-count={LOOKED_AT}", "HEAD", "--")
    found = [commit for commit in recent if any(_means(snapshot, name, record) for name in commit.names)]
    newest = found[:SHOWN]
    paths = dict(changes.committed(git, [commit.id for commit in newest], [":(top)"])) if newest else {}
    return [commit._replace(paths=tuple(paths[commit.id])) for commit in newest]


def links(git: Git, snapshot: Snapshot) -> list[tuple[Linking, list[RecordName]]]:
    """The newest commits of HEAD that link records that are known here, with those."""
    if snapshot.objects.resolve("HEAD^{commit}") is None:
        return []
    recent = told(git, f"--max-count={LOOKED_AT}", "HEAD", "--")
    found = ((commit, naming.resolved(snapshot, commit.names)) for commit in recent if commit.names)
    return [(commit, names) for commit, names in found if names]


def as_data(commit: Linking) -> dict[str, Any]:
    """The same for programs: paths as git quotes them, so that any two stay apart."""
    paths = [stored_path(path) for path in commit.paths]
    return {"commit": commit.id, "subject": spelled(commit.subject), "paths": paths}


def spelled(text: str) -> str:
    r"""Text that every program can read: a byte that is not UTF-8 is written as ``\xNN``."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _parsed(text: str) -> Linking:
    commit, _, message = text.partition("\x1f")
    names = linked(message).names if "decision" in message.lower() else ()
    return Linking(commit, message.strip().partition("\n")[0], names)


def _means(snapshot: Snapshot, typed: str, record: RecordName) -> bool:
    """True when a name in a message means a record; only short names need a look at the log."""
    if RecordName.parse(typed):
        return typed == str(record)
    name = TypedName.parse(typed)
    same = name is not None and name.number == record.number
    return same and naming.resolved(snapshot, (typed,)) == [record]
