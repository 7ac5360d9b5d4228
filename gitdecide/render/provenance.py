"""What stands with a decision wherever it is shown: where it comes from, and what stands against it."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Decision


def lines(record: DecisionRecord, decision: Filed[Decision]) -> Iterator[str]:
    """The annotation and whose word it lacks, then each conflict: a label hides none."""
    if labelled := label(record, decision):
        yield labelled
    for conflict in record.conflicts:
        if conflict.entry.target == decision.id:
            from gitdecide.entries.annotation import one_line

            said = conflict.entry
            yield f"conflict: {said.severity}, {one_line(said.claim)}, by {said.actor} ({conflict.id[:8]})"


def label(record: DecisionRecord, decision: Filed[Decision]) -> str | None:
    """The annotation alone, and whose word it lacks; None for a decision without one."""
    if decision.entry.settled is None:
        return None
    from gitdecide.entries.annotation import annotation  # its parser is slow to load

    said, person = annotation(decision.entry, record), record.awaits(decision)
    return f"{said} not confirmed by {person}" if said and person else said
