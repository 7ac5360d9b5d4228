"""R1: what a vote says about its reading."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Vote
from gitdecide.rules.context import Context, Refusal


def support_says_what_it_read(vote: Vote, record: DecisionRecord, context: Context) -> Iterator[Refusal]:
    """R1: a vote lists what it read.

    Support with an empty list is stored as support_unverified.
    Unverified votes inform, they never bind.
    """
    if vote.stance == "support" and not vote.verified:
        yield Refusal("R1", "support that read nothing is stored as support_unverified")
    if vote.stance == "support_unverified" and vote.verified:
        yield Refusal("R1", "support_unverified is support that read nothing")
