"""R10: what a conflict with a decision rests on."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge
from gitdecide.rules.context import Context, Refusal


def a_conflict_names_what_was_read(
    challenge: Challenge, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R10: a conflict names what was read.

    An invalidating one blocks its decision until that is superseded, or somebody other than the conflict's
    author rejects it naming what was read. An accepted conflict keeps blocking.
    A suboptimal one is called out wherever the decision is shown, for as long.
    """
    if challenge.severity and not challenge.verified:
        yield Refusal(
            "R10",
            "a conflict with a decision names the evidence that was read",
            f"git decide conflict {record.name} --severity {challenge.severity} -m CLAIM --read PATH",
        )
