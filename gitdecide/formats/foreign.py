"""What an import reads: records of other tools as plain values, before they become entries."""

from typing import Any

from msgspec import Struct

from gitdecide.entries.types import Mode, Outcome, Participant, Settled, Verb
from gitdecide.errors import REFUSED, DecideError
from gitdecide.formats.statuses import Reference


class Unreadable(DecideError):
    """A file, or a line of one, that is not what its format says."""

    exit = REFUSED

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


class Spoken(Struct, frozen=True, kw_only=True):
    """One turn of a debate, as somebody made it elsewhere."""

    speaker: str
    round: int
    type: Verb
    content: str
    role: str | None = None


class Follower(Struct, frozen=True, kw_only=True):
    """A vote, check or decision that stands on a line of its own, under a question."""

    id: str
    qid: str
    line: int
    source: bytes
    """The line, which it is known by when its file is imported again."""
    type: str
    by: str | None = None
    date: str | None = None
    fields: dict[str, Any] = {}
    """Of the entry that it becomes, but for what names other lines."""
    check: str | None = None
    supersedes: str | None = None


class ForeignRecord(Struct, frozen=True, kw_only=True):
    """One record of another tool. What it does not say is empty, or None."""

    topic: str
    mode: Mode = "decide"
    id: str | None = None
    aliases: tuple[str, ...] = ()
    """Further names that it is known by."""
    status: str | None = None
    date: str | None = None
    deciders: tuple[str, ...] = ()
    participants: tuple[Participant, ...] = ()
    spoken: tuple[Spoken, ...] = ()
    context: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    outcome: Outcome = "adopt"
    decision: str | None = None
    """None for a record that decides nothing yet."""
    undecided: str | None = None
    """What a changed record says that decides nothing any more, where its format can say so."""
    rationale: str | None = None
    confidence: float | None = None
    dissent: str | None = None
    job: str | None = None
    directive: bool = False
    """Asserted, and examined by nobody."""
    settled: Settled | None = None
    left_out: tuple[str, ...] = ()
    """What the source says beside this, and no entry has a place for."""
    notes: tuple[str, ...] = ()
    """What the report says of it besides."""
    line: int | None = None
    source: bytes | None = None
    """The line that it stands on, for a format with a record a line."""
