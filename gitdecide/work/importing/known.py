"""What was imported before, and by which names others may mean it."""

from collections import defaultdict
from typing import NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Decision, Imported, Question, Vote
from gitdecide.formats import FORMATS
from gitdecide.store.snapshot import Snapshot

Key = tuple[str, str, str | None]
"""A family of formats, a path, and an id where a file holds several records."""


class Before(NamedTuple):
    """What came from one place: its record, the blob that it last came from, and the entry."""

    record: DecisionRecord
    blob: str
    entry: str


class Known:
    """The imports of a log."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.by_key: dict[Key, Before] = {}
        self.aliases: dict[str, list[RecordName]] = defaultdict(list)
        self.records: dict[RecordName, DecisionRecord] = {}
        for record in snapshot.records(snapshot.names()):
            for entry_id, entry in record.entries:
                if isinstance(entry, Question | Decision | Vote | Check) and (origin := entry.imported):
                    self.by_key[key_of(origin)] = Before(record, origin.blob, entry_id)
                    self.records[record.name] = record
                for alias in entry.aliases if isinstance(entry, Question) else ():
                    self.aliases[alias].append(record.name)


def key_of(origin: Imported) -> Key:
    """What an import is known by."""
    return key(origin.format, origin.path, origin.id)


def key(name: str, path: str, foreign_id: str | None) -> Key:
    """What a record of this format is known by; one that fills its file by its path alone."""
    kind = FORMATS.get(name)
    many = kind is None or kind.many
    return kind.family if kind else name, path, foreign_id if many else None
