"""R1 to R5 when a record is read: what was written past the rules."""

from typing import Any

import pytest

from gitdecide.entries.types import Decision, Evidence
from gitdecide.rules.reading import unlawful
from tests.entries.story import READ, Story


def said(story: Story) -> list[str]:
    """Why the record is damaged."""
    return [damage.reason.partition(":")[0] for damage in unlawful(story.record)]


def test_a_lawful_record_is_sound() -> None:
    """Votes that read nothing, challenges over a decision, and a superseding one that keeps the check."""
    story = Story()
    story.vote(stance="support_unverified", read=())
    checked = story.check()
    first = story.decide(checks=(checked,), changes_code=True)
    story.vote(actor="bo")
    story.decide(checks=(checked,), changes_code=True, supersedes=(first,), reason="news")

    assert said(story) == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"read": ()}, "R2"),
        ({"changes_code": True}, "R3"),
        ({"checks": ("a" * 40,)}, "R4"),
        ({"supersedes": ("b" * 40,)}, "R4"),
    ],
)
def test_a_decision_that_breaks_a_rule_damages_its_record(fields: dict[str, Any], code: str) -> None:
    """Whoever wrote it past the rules gains nothing: the record fails closed, and says why."""
    story = Story()
    story.decide(**fields)

    assert said(story) == [f"breaks {code}"]


def test_what_came_later_carries_no_decision() -> None:
    """A vote and a check after it are not what the writer saw."""
    story = Story()
    early = story.heads
    story.vote()
    checked = story.check()
    story.say(Decision, after=early, read=(), changes_code=True, checks=(checked,))

    assert said(story) == ["breaks R2"]


def test_what_other_records_hold_is_not_asked() -> None:
    """Replacing a decision of another record is judged by whoever reads both."""
    story = Story()
    story.decide(supersedes=(f"DR-009-{'c' * 8}:{'c' * 40}",), read=READ, reason="both")

    assert said(story) == []


def test_a_vote_that_claims_more_than_it_read() -> None:
    """Support with an empty list is support_unverified, whoever writes it."""
    story = Story()
    story.vote(stance="support", read=())
    story.vote(stance="support_unverified", read=(Evidence(message="m1"),))

    assert said(story) == ["breaks R1", "breaks R1"]
