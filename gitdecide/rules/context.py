"""What a rule may know beside the record, and what it answers."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Kind
from gitdecide.errors import REFUSED, DecideError


class Refusal(NamedTuple):
    """Why an entry may not enter the log: the rule's code, one sentence, and what would help."""

    code: str
    message: str
    hint: str | None = None


class Context(NamedTuple):
    """What the log's record does not hold."""

    kind: Kind
    """Of the actor who speaks, in the tree that the entry is added to."""
    agent: str | None = None
    """The agent environment that the writer runs in, as the actor's name that stands for it."""
    verified: Literal["any", "code"] = "any"
    """What the policy lets verify: under `code` messages and tickets alone do not."""
    records: Mapping[str, DecisionRecord] | None = {}
    """Other records that the entry refers to, by full name; None where they are not at hand."""
    by: Kind | None = None
    """Of the person that a label names, in that tree: an agent where nobody is known; None not at hand."""
    trust: int | None = None
    """The tier of who speaks, on this machine; None where that is nobody's business."""


class Refused(DecideError):
    """An entry that the rules do not admit."""

    exit = REFUSED

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__("; ".join(f"[{refusal.code}] {refusal.message}" for refusal in refusals))
        self.refusals = refusals
