"""What a reader should know of a record, and what refuses nothing."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Answer, Challenge, Day, Decision, Entry, Instant

FAST_ACCEPT: Final = timedelta(minutes=2)
"""An answer this soon after its challenge may not have looked at it; the source saw one-minute accepts."""


def warnings(
    record: DecisionRecord, fast_accept: timedelta = FAST_ACCEPT, today: Day | None = None
) -> Iterator[str]:
    """One sentence for each thing that stands against a record's evidence, in the order of its entries.

    Without a day nothing is past its review.
    """
    for entry_id, entry in record.unproved:
        yield f"the {entry.type} {entry_id} by {entry.actor} does not count: {entry.reason}"
    for decision in record.live:
        yield from _unanswered(decision, record)
    if today:
        yield from past_review(record, today)
    for challenge in record.of(Challenge):
        yield from _fast(challenge, record, fast_accept)
        yield from idle(challenge, record)
    for group in record.echoes:
        names = ", ".join(sorted({vote.entry.actor for vote in group}))
        yield f"votes echo and count once: {names} ({group[0].entry.model}) read the same"


def _unanswered(decision: Filed[Decision], record: DecisionRecord) -> Iterator[str]:
    """Verified challenges and opposition that the decision was bound over."""
    past = record.past(decision.id)
    for challenge in record.of(Challenge):
        answered = any(answer.id in past | {decision.id} for answer in record.answers_to(challenge.id))
        left_to_briefs = record.directive and challenge.entry.severity is None
        if challenge.id in past and challenge.entry.verified and not answered and not left_to_briefs:
            yield f"decided over the unanswered challenge {challenge.id} by {challenge.entry.actor}"
    if decision.entry.outcome == "reject":
        return
    for vote in record.before(decision.id).votes:
        if vote.entry.stance == "oppose" and vote.entry.verified and vote.id not in decision.entry.answers:
            yield f"decided over the verified opposition {vote.id} by {vote.entry.actor}"


def past_review(record: DecisionRecord, today: Day) -> Iterator[str]:
    """One sentence for each live decision that nobody looked at again in time."""
    for decision in record.live:
        if overdue(decision.entry, today):
            yield f"the decision {decision.id} was to be reviewed by {decision.entry.review_by}"


def overdue(decision: Decision, today: Day) -> bool:
    """True when the last day on which a decision was to be looked at again has passed."""
    return decision.review_by is not None and decision.review_by < today


def _fast(challenge: Filed[Challenge], record: DecisionRecord, limit: timedelta) -> Iterator[str]:
    for answer in record.answers_to(challenge.id):
        took = _instant(answer.entry) - _instant(challenge.entry)
        if took <= limit:
            word = "answered" if isinstance(answer.entry, Answer) else "decided"
            seconds = max(0, round(took.total_seconds()))
            by = f"{answer.id} by {answer.entry.actor}"
            yield f"{word} {seconds} s after the challenge {challenge.id}: {by}"


def idle(challenge: Filed[Challenge], record: DecisionRecord) -> Iterator[str]:
    """Rejections of a conflict that leave it standing (R10)."""
    for answer in record.answers_to(challenge.id) if challenge in record.conflicts else ():
        if isinstance(answer.entry, Answer) and answer.entry.outcome == "reject":
            own = answer.entry.actor == challenge.entry.actor
            why = "it is by the same actor" if own else "it names nothing that was read"
            yield f"the rejection {answer.id} leaves the conflict {challenge.id} standing: {why}"


def _instant(entry: Entry) -> datetime:
    return parse_instant(entry.at)


def parse_instant(text: Instant) -> datetime:
    """The time that an entry names, in UTC; the latest there is for one that no calendar has."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return datetime.max.replace(tzinfo=datetime.fromisoformat("2026-01-01T00:00:00Z").tzinfo)
