"""R7: who may speak as whom."""

import pytest

from gitdecide.entries.types import Actor, Confirm, Entry, Kind, Question, Settled, Vote
from tests.entries.story import Story
from tests.rules.judging import codes, refusals

AT = "2026-10-19T09:14:03.482913Z"


def actor(kind: Kind) -> Actor:
    return Actor(actor="ada", at=AT, name="bob", kind=kind)


def said(kind: str) -> tuple[Story, Entry]:
    """A record, and an entry that would join it."""
    story = Story(options=("Redis",))
    if kind == "confirm":
        label = Settled(label="user-approved", over="Redis", because="why", by="ada", said="take that")
        return story, story.make(Confirm, decision=story.decide(actor="bob", settled=label))
    return story, story.make(Vote)


@pytest.mark.parametrize(
    ("speaker", "agent", "entry", "refused"),
    [
        ("human", None, "vote", False),
        ("human", None, "confirm", False),
        ("agent", None, "vote", False),
        ("agent", None, "confirm", True),
        ("agent", "claude-code", "vote", False),
        ("human", "claude-code", "vote", True),
        ("human", "claude-code", "confirm", True),
        ("agent", "claude-code", "confirm", True),
    ],
)
def test_inside_an_agent_nobody_speaks_as_a_person(
    speaker: Kind, agent: str | None, entry: str, refused: bool
) -> None:
    """R7: and nothing is confirmed there under any name."""
    story, joins = said(entry)

    assert codes(story.record, joins, kind=speaker, agent=agent) == (["R7"] if refused else [])


@pytest.mark.parametrize(
    ("speaker", "agent", "becomes", "refused"),
    [
        ("human", None, "human", False),
        ("human", None, "agent", False),
        ("agent", None, "human", True),
        ("agent", None, "agent", False),
        ("human", "claude-code", "human", True),
        ("agent", "claude-code", "human", True),
        ("human", "claude-code", "agent", True),
        ("agent", "claude-code", "agent", False),
    ],
)
def test_only_a_person_makes_an_actor_a_human(
    speaker: Kind, agent: str | None, becomes: Kind, refused: bool
) -> None:
    """R7: outside of every agent environment."""
    assert codes(None, actor(becomes), kind=speaker, agent=agent) == (["R7"] if refused else [])


def test_a_question_is_asked_by_whoever_may_speak() -> None:
    """R7: also where there is no record yet."""
    question = Question(actor="ada", at=AT, number=1, question="?", mode="decide")

    assert codes(None, question) == []
    assert codes(None, question, agent="codex") == ["R7"]


def test_the_refusal_names_the_agent_and_the_way_out() -> None:
    """R7: whom one speaks as without --as."""
    story = Story()
    (refusal,) = refusals(story.record, story.make(Vote), agent="claude-code")

    assert refusal.message == "inside claude-code nobody speaks as ada, who is a human"
    assert refusal.hint is not None
    assert "claude-code" in refusal.hint
