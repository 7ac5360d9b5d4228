"""Votes, checks and decisions that stand on lines of their own: filed under the question that they name."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Check, Decision, FollowUp, Imported, Vote
from gitdecide.formats.foreign import Follower, Unreadable
from gitdecide.work.importing.draft import Draft
from gitdecide.work.importing.relations import each_after
from gitdecide.work.importing.sources import Source

KINDS: Final[Mapping[str, type[Vote | Check | Decision]]] = {
    "vote": Vote,
    "check": Check,
    "decision": Decision,
}


class Placed(NamedTuple):
    """A line with its place in the report, and the file that it stands in."""

    place: int
    source: Source
    line: Follower


Names = Mapping[str, tuple[RecordName, str]]
"""By the ids of a file's lines: the records and the entries that they became."""


def in_order(lines: Sequence[Placed]) -> Iterator[Placed]:
    """Every line after those of its file that it names, wherever in it they stand."""
    places = {(each.source.path, each.line.id): each.place for each in lines}
    first = {
        each.place: [
            places[each.source.path, named]
            for named in (each.line.check, each.line.supersedes)
            if named and (each.source.path, named) in places
        ]
        for each in lines
    }
    by_place = {each.place: each for each in lines}
    return (by_place[place] for place in each_after(first))


def add(
    draft: Draft, line: Follower, origin: Imported, names: Names, old: str | None
) -> tuple[RecordName, str]:
    """File a line, and return its record and entry; `old` is what an earlier state of the line became.

    Raises Unreadable where it names what is not there, and as Draft.add does.
    """
    if line.qid not in names:
        raise Unreadable(f"its question {line.qid} was not taken", line.line)
    name, asked = names[line.qid]
    if asked != draft.record(name).question.id:
        raise Unreadable(f"{line.qid} is no question", line.line)
    if draft.record(name).damages:
        raise Unreadable(f"{name} is damaged and takes no entries", line.line)
    fields = {**line.fields, **_references(draft, line, name, names, old)}

    def make(follow: dict[str, Any]) -> FollowUp:
        return KINDS[line.type](**follow, **fields, imported=origin)

    return name, draft.add(name, make)


def _references(
    draft: Draft, line: Follower, name: RecordName, names: Names, old: str | None
) -> dict[str, Any]:
    if line.type != "decision":
        return {}
    replaced = _entry(line, "supersedes", line.supersedes, name, names)
    supersedes = [key for key in (replaced, old) if key]
    check = _entry(line, "check", line.check, name, names)
    record = draft.record(name)
    kept = [key for entry_id in supersedes for key in _decision(record[entry_id]).checks]
    return {"checks": (check,) if check else tuple(dict.fromkeys(kept)), "supersedes": tuple(supersedes)}


def _entry(line: Follower, word: str, named: str | None, name: RecordName, names: Names) -> str | None:
    if named is None:
        return None
    record, entry = names.get(named, (None, ""))
    if record is None:
        raise Unreadable(f"{word}: {named} was not taken", line.line)
    if record != name:
        raise Unreadable(f"{word}: {named} belongs to another question", line.line)
    return entry


def _decision(entry: object) -> Decision:
    if not isinstance(entry, Decision):
        raise Unreadable("supersedes: only decisions are superseded")
    return entry
