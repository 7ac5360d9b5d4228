"""R1 to R5, R7 and R8 once more, when a record is read: what a clone wrote past the rules never counts."""

from collections.abc import Iterator

from gitdecide.entries.names import entry_file
from gitdecide.entries.record import Damage, DecisionRecord
from gitdecide.entries.types import Decision, Vote, type_name
from gitdecide.rules import judge
from gitdecide.rules.context import Context


def unlawful(record: DecisionRecord) -> Iterator[Damage]:
    """The votes and decisions that the rules refuse, each against the record as its writer saw it.

    Rules that need more than the record (who speaks, other records, the policy) are the audit's. What is
    refused here makes its record damaged: a stricter rule for old entries needs a newer format of the log.
    """
    for entry_id, entry in record.entries:
        if not isinstance(entry, Vote | Decision):
            continue
        before = record.before(entry_id) if isinstance(entry, Decision) else record
        for refusal in judge(entry, before, Context("human", records=None))[:1]:
            yield Damage(entry_file(type_name(entry), entry_id), f"breaks {refusal.code}: {refusal.message}")
