"""Entries put before the rules, and what is asked of every refusal."""

import re
from typing import Literal

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Entry, Kind
from gitdecide.rules import judge
from gitdecide.rules.context import Context, Refusal

DESTRUCTIVE = re.compile(
    r"\brm\b|force|reset|clean|restore|checkout|update-ref|branch -|gc\b|prune|--hard|\|"
)


def refusals(
    record: DecisionRecord | None,
    entry: Entry,
    *,
    kind: Kind = "human",
    agent: str | None = None,
    verified: Literal["any", "code"] = "any",
    others: tuple[DecisionRecord, ...] = (),
    by: Kind | None = None,
) -> list[Refusal]:
    """What the rules say: each in one sentence on one line, with a hint that destroys nothing."""
    context = Context(kind, agent, verified, {str(other.name): other for other in others}, by)
    said = judge(entry, record, context)
    for refusal in said:
        assert re.fullmatch(r"R[0-9]+", refusal.code)
        assert re.fullmatch(r"[^\n]+[^.\s]", refusal.message)
        assert refusal.hint is None or not DESTRUCTIVE.search(refusal.hint)
    return said


def codes(record: DecisionRecord | None, entry: Entry, **context: object) -> list[str]:
    """The codes alone, in the order of the rules."""
    return [refusal.code for refusal in refusals(record, entry, **context)]  # type: ignore[arg-type]
