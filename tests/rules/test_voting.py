"""R1: what a vote says about its reading."""

import pytest

from gitdecide.entries.types import Evidence, Stance, Vote
from tests.entries.story import READ, Story
from tests.rules.judging import codes, refusals

NOTHING: tuple[Evidence, ...] = ()


@pytest.mark.parametrize("read", [READ, NOTHING], ids=["read", "unread"])
@pytest.mark.parametrize("stance", ["support", "oppose", "inform", "abstain"])
def test_a_vote_may_say_anything_and_read_nothing(stance: Stance, read: tuple[Evidence, ...]) -> None:
    """R1: every stance is free; support that read nothing is stored as what it is."""
    story = Story()
    vote = Vote.said(
        stance, read, actor="ada", at=story.make(Vote).at, qid=story.question, after=story.heads, reason="x"
    )

    assert refusals(story.record, vote) == []
    assert vote.verified is bool(read)
    assert vote.stance == ("support_unverified" if stance == "support" and not read else stance)


@pytest.mark.parametrize(
    ("stance", "read", "says"),
    [
        ("support", NOTHING, "stored as support_unverified"),
        ("support_unverified", READ, "support that read nothing"),
    ],
)
def test_a_stance_does_not_belie_the_reading(stance: str, read: tuple[Evidence, ...], says: str) -> None:
    """R1: what was read decides between the two kinds of support, however the vote was written."""
    story = Story()
    (refusal,) = refusals(story.record, story.make(Vote, stance=stance, read=read))

    assert refusal.code == "R1"
    assert says in refusal.message


def test_a_vote_read_what_is_there() -> None:
    """R4: an entry that was read stands in the record; in another record nobody looks for it."""
    story = Story()
    check = story.check()

    assert codes(story.record, story.make(Vote, read=(Evidence(entry=check),))) == []
    assert codes(story.record, story.make(Vote, read=(Evidence(entry=f"DR-009-b81e0c55:{'d' * 40}"),))) == []
    assert codes(story.record, story.make(Vote, read=(Evidence(entry="d" * 40),))) == ["R4"]
