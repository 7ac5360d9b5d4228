"""Why code is as it is: from a path, or its lines, to the commits and the decisions behind them."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from gitdecide.entries.evidence import path_readings
from gitdecide.entries.names import RecordName, split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.errors import NotFound, UsageError
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git, GitError
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import commits, naming
from gitdecide.work.commits import Linking
from gitdecide.work.reading import below_top, entry_at

_BLAMED: Final = re.compile(rb"^([0-9a-f]{40,64}) [0-9]+ [0-9]+", re.MULTILINE)
"""How the lines of one commit begin in a porcelain blame; lines of the file begin with a tab."""

_OUTCOMES: Final = {"adopt": "adopted", "reject": "rejected", "defer": "deferred"}


class Place(NamedTuple):
    """A path from the top of the tree, and perhaps lines of it."""

    path: str
    lines: str | None = None


class Reason(NamedTuple):
    """A record, and the commit that links it; None where the record itself says that it governs the path."""

    record: DecisionRecord
    commit: str | None


def place(repository: Repository, objects: Objects, typed: str) -> Place:
    """What a typed PATH[:LINE[-LINE]] means: the most literal reading that HEAD has, else just a path."""
    for reading in path_readings(typed):
        path = below_top(repository, reading.path)
        if reading.revision is None and entry_at(objects, "HEAD", path):
            return Place(path, reading.lines)
    return Place(below_top(repository, typed))


def behind(git: Git, where: Place) -> list[Linking]:
    """The commits that a path, or its lines, come from, newest first; `git` runs at the top.

    Raises NotFound for a path, or lines, that HEAD's history does not have, UsageError for no range of lines.
    """
    if where.lines:
        asked = "\n".join([*_blamed(git, where.path, where.lines), ""]).encode()
        return commits.told(git, "--no-walk", "--stdin", stdin=asked)
    try:
        found = commits.told(git, "--follow", "HEAD", "--", f":(top,literal){where.path}")
    except GitError as error:
        raise NotFound(error.message) from None
    if not found:
        raise NotFound(f"no commit of HEAD touches {where.path}")
    return found


def reasons(
    snapshot: Snapshot, linking: Iterable[Linking], governing: Iterable[RecordName]
) -> Iterator[Reason]:
    """The records that some commits link, in their order, and then those that govern the place."""
    records: dict[RecordName, DecisionRecord] = {}

    for commit in linking:
        for name in naming.resolved(snapshot, commit.names):
            if name not in records:
                records[name] = snapshot.record(name)
            yield Reason(records[name], commit.id)
    yield from (Reason(record, None) for record in snapshot.records(governing))


def unknown(snapshot: Snapshot, linking: Iterable[Linking]) -> list[str]:
    """The names that some commits link in vain: they mean no record here, or several."""
    typed = dict.fromkeys(name for commit in linking for name in commit.names)
    return [name for name in typed if not naming.resolved(snapshot, (name,))]


def became(record: DecisionRecord) -> str:
    """What became of a record, in a few words."""
    match record.status:
        case "superseded":
            by = dict.fromkeys(split_reference(reference)[0] for reference in record.successors)
            return f"superseded by {', '.join(filter(None, by))}"
        case "decided":
            return _OUTCOMES[record.live[0].entry.outcome]
        case "blocked":
            return f"blocked by {record.blocking[0].id[:8]}"
        case status:
            return status


def _blamed(git: Git, path: str, lines: str) -> list[str]:
    """The commits that lines come from."""
    first, _, last = lines.partition("-")
    if last and int(last) < int(first):
        raise UsageError(f"the lines {lines} end before they begin")
    asked = (
        "-c",
        "blame.ignoreRevsFile=",
        "blame",
        "--porcelain",
        "-L",
        f"{first},{last or first}",
        "HEAD",
        "--",
        path,
    )
    try:
        blame = git.run(*asked, environ=PLAIN_OBJECTS).stdout
    except GitError as error:
        raise NotFound(error.message) from None
    return sorted({commit.decode() for commit in _BLAMED.findall(blame)})
