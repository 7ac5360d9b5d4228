"""R8: a directive is owed one challenge."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Decision
from gitdecide.rules.context import Context, Refusal


def a_directive_is_challenged_once(
    challenge: Challenge, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R8: a directive is challenged exactly once: there is no second challenge.

    Conflicts with its decision are neither counted nor refused.
    """
    if record.directive and challenge.severity is None and record.objections:
        spent = record.objections[0]
        yield Refusal(
            "R8",
            f"the one challenge of the directive {record.name} is spent: {spent.id} by {spent.entry.actor}",
            f"evidence against its decision is a conflict: git decide conflict {record.name}",
        )


def a_directive_is_bound_after_its_challenge(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R8: a directive is not bound before its challenge."""
    if record.directive and not record.objections and not decision.imported:
        yield Refusal(
            "R8",
            f"nobody has challenged the directive {record.name} yet",
            f"git decide challenge {record.name} CLAIM --read PATH",
        )
