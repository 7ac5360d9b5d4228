"""What a reader should know of a record."""

from datetime import timedelta
from typing import Any

import pytest

from gitdecide.rules.warnings import parse_instant, warnings
from tests.entries.story import Story


def said(story: Story, **settings: Any) -> list[str]:
    return list(warnings(story.record, **settings))


@pytest.mark.parametrize("outcome", ["adopt", "reject", "defer"])
def test_a_decision_over_an_unanswered_challenge_is_told(outcome: str) -> None:
    """Whatever the outcome, when the challenger read something."""
    story = Story()
    challenge = story.challenge(story.question, actor="eve")
    story.decide(outcome)

    assert said(story) == [f"decided over the unanswered challenge {challenge} by eve"]


def test_a_challenge_that_was_answered_is_not_told() -> None:
    """By an answer that the decision saw, or by the decision itself."""
    story = Story()
    story.answer(story.challenge(story.question))
    story.wait(minutes=3)
    named = story.challenge(story.question)
    story.wait(minutes=3)
    story.decide(answers=(named,))

    assert [line for line in said(story) if "unanswered" in line] == []


def test_an_answer_after_the_decision_came_too_late() -> None:
    """The decision was bound over the challenge all the same."""
    story = Story()
    challenge = story.challenge(story.question)
    story.decide()
    story.wait(minutes=3)
    story.answer(challenge)

    assert said(story) == [f"decided over the unanswered challenge {challenge} by ada"]


def test_what_nobody_read_or_nobody_saw_is_not_told() -> None:
    """A challenge without reading, one that came later, and one made apart."""
    story = Story()
    story.challenge(story.question, read=())
    story.decide()
    story.challenge(story.question)
    story.challenge(story.question, after=[story.question])

    assert said(story) == []


@pytest.mark.parametrize(
    ("outcome", "fields", "told"),
    [
        ("adopt", {}, True),
        ("defer", {}, True),
        ("reject", {}, False),
        ("adopt", {"read": ()}, False),
        ("adopt", {"stance": "abstain"}, False),
    ],
)
def test_a_decision_over_verified_opposition_is_told(
    outcome: str, fields: dict[str, Any], told: bool
) -> None:
    """Unless it rejects, as the opposition wished."""
    story = Story()
    vote = story.vote("eve", **{"stance": "oppose", **fields})
    story.decide(outcome)

    assert said(story) == ([f"decided over the verified opposition {vote} by eve"] if told else [])


def test_opposition_that_was_answered_or_taken_back_is_not_told() -> None:
    """Before the decision; afterwards it stood when it was decided over."""
    story = Story()
    vote = story.vote("eve", "oppose")
    story.vote("bob", "oppose")
    story.vote("bob", "support")
    decision = story.decide(answers=(vote,))
    assert said(story) == []

    opposed = story.vote("mia", "oppose")
    story.decide(supersedes=(decision,), answers=(vote,))
    story.vote("mia", "support")
    assert said(story) == [f"decided over the verified opposition {opposed} by mia"]


@pytest.mark.parametrize("by", ["answered", "decided"])
@pytest.mark.parametrize(("seconds", "fast"), [(0, True), (119, True), (120, False), (-30, True)])
def test_an_answer_within_two_minutes_is_told(by: str, seconds: float, fast: bool) -> None:
    """By an entry or by the decision that names the challenge, and where clocks disagree as well."""
    story = Story()
    challenge = story.challenge(story.question, actor="eve")
    story.wait(seconds=seconds)
    entry = story.answer(challenge) if by == "answered" else story.decide(answers=(challenge,))
    shown = f"{by} {max(0, seconds)} s after the challenge {challenge}: {entry} by ada"

    assert said(story) == ([shown] if fast else [])


def test_the_limit_can_be_set() -> None:
    """Policy knows it as fast_accept."""
    story = Story()
    challenge = story.challenge(story.question)
    story.wait(minutes=5)
    story.answer(challenge)

    assert said(story) == []
    assert len(said(story, fast_accept=timedelta(minutes=6))) == 1


def test_a_time_that_no_calendar_has_raises_nothing() -> None:
    """Readers show what clones wrote; a false time cannot buy the time an answer needs."""
    assert parse_instant("2026-02-30T00:00:00.000000Z") > parse_instant("9999-12-31T23:59:59.000000Z")


def test_a_record_without_reproach_has_no_warnings() -> None:
    """Also while it is undecided."""
    story = Story()
    story.vote("bob")
    story.check()
    assert said(story) == []

    story.decide()
    assert said(story) == []


def test_a_decision_past_its_review_is_told() -> None:
    """From the day after, while it is live; without a day nothing is."""
    story = Story()
    old = story.decide(review_by="2026-12-31")

    assert said(story) == said(story, today="2026-12-31") == []
    assert said(story, today="2027-01-01") == [f"the decision {old} was to be reviewed by 2026-12-31"]
    story.decide(supersedes=(old,))
    assert said(story, today="2027-01-01") == []
