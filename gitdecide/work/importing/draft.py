"""Entries that are about to enter the log together, each admitted by the rules when it is added."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Entry, FollowUp, Question
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.writer import Filing, Writer


class Draft:
    """What one commit will add, and the records as they will then be."""

    def __init__(
        self, writer: Writer, snapshot: Snapshot, known: Mapping[RecordName, DecisionRecord]
    ) -> None:
        self.writer = writer
        self.snapshot = snapshot
        self.filed: list[Filing] = []
        self._known = known
        self._records: dict[RecordName, DecisionRecord] = {}
        self._undo: list[tuple[RecordName, DecisionRecord | None]] = []

    def record(self, name: RecordName) -> DecisionRecord:
        """A record with what was added to it. Raises KeyError for one that was never imported."""
        return self._records.get(name) or self._known[name]

    def begin(self, question: Question) -> RecordName:
        """Begin a record. Raises as Writer.admitted does."""
        self.writer.admitted(question, None, self.snapshot)
        qid = self.writer.log.identify(question)
        name = RecordName.of(question.number, qid)
        self._keep(name, {qid: question}, question)
        return name

    def add(self, name: RecordName, make: Callable[[dict[str, Any]], FollowUp]) -> str:
        """Add what is made of who says it after what, and return its id. Raises as Writer.admitted does."""
        record = self.record(name)
        entry = self.writer.admitted(make(self.writer.follow(record)), record, self.snapshot)
        entry_id = self.writer.log.identify(entry)
        self._keep(name, {**dict(record.entries), entry_id: entry}, entry)
        return entry_id

    @contextmanager
    def whole(self) -> Iterator[None]:
        """All that is added within, or nothing of it when it fails."""
        begun = len(self.filed)
        try:
            yield
        except BaseException:
            for name, record in reversed(self._undo[begun:]):
                if record is None:
                    del self._records[name]
                else:
                    self._records[name] = record
            del self.filed[begun:], self._undo[begun:]
            raise

    def _keep(self, name: RecordName, entries: Mapping[str, Any], entry: Entry) -> None:
        self._undo.append((name, self._records.get(name)))
        self._records[name] = DecisionRecord(name, entries)
        self.filed.append((name, entry))
