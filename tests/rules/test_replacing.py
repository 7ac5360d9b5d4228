"""R4: entries are immutable, and what an entry names is there."""

from typing import Any

import pytest

from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Confirm,
    Decision,
    FollowUp,
    Replaced,
    Settled,
    Turn,
    Vote,
)
from tests.entries.story import READ, Story, foreign
from tests.rules.judging import codes, refusals

GONE = "d" * 40


def contested() -> tuple[Story, str, str]:
    """A record that two clones decided apart."""
    story = Story()
    one, other = (story.decide(after=[story.question]) for _ in "12")
    return story, one, other


# --- nothing dangling


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Decision, {"checks": (GONE,)}),
        (Decision, {"answers": (GONE,)}),
        (Check, {"repeats": GONE}),
        (Challenge, {"target": GONE}),
        (Answer, {"to": GONE}),
        (Confirm, {"decision": GONE}),
        (Replaced, {"decision": GONE, "by": foreign()}),
    ],
)
def test_what_is_named_is_there(kind: type[FollowUp], fields: dict[str, Any]) -> None:
    """R4: every type that names an entry names one of its record, that came before."""
    story = Story()
    (refusal,) = refusals(story.record, story.make(kind, **fields))

    assert refusal.code == "R4"
    assert refusal.message == f"{story.name} has no entry {GONE} that came before this one"


def test_what_is_named_is_of_the_right_type() -> None:
    """R4: a table of who may name what."""
    story = Story(options=("Redis",))
    label = Settled(label="user-approved", over="Redis", because="why", by="ada", said="take that")
    vote, check, decision = story.vote("bob"), story.check(), story.decide(actor="bob", settled=label)
    challenge = story.challenge(vote)
    turn = story.say(Turn, verb="COUNTER", headline="no")
    may: list[tuple[type[FollowUp], str, dict[str, Any], set[str]]] = [
        (Check, "repeats", {}, {check}),
        (Challenge, "target", {}, {story.question, vote, check, decision, challenge, turn}),
        (Challenge, "target", {"severity": "invalidating", "read": READ}, {decision}),
        (Answer, "to", {}, {challenge}),
        (Confirm, "decision", {}, {decision}),
        (Replaced, "decision", {"by": foreign()}, {decision}),
    ]
    for kind, field, fields, named in may:
        for target in (story.question, vote, check, decision, challenge, turn):
            entry = story.make(kind, **{field: target}, **fields)
            assert codes(story.record, entry) == ([] if target in named else ["R4"]), (kind, target)


def test_a_decision_names_checks_votes_and_what_it_answers() -> None:
    """R4: each in its own list."""
    story = Story()
    vote, check = story.vote("bob"), story.check()
    challenge = story.challenge(vote)
    good: dict[str, Any] = {"checks": (check,), "backed_by": (vote,), "answers": (challenge, vote)}

    assert codes(story.record, story.make(Decision, **good)) == []
    for field, wrong in {"checks": vote, "answers": check}.items():
        (refusal,) = refusals(story.record, story.make(Decision, **{**good, field: (wrong,)}))
        assert refusal.code == "R4"
        assert refusal.message.startswith("expected a ")
        assert refusal.message.endswith(wrong)
    assert codes(story.record, story.make(Decision, **{**good, "backed_by": (check,)})) == ["R2", "R4"]


# --- bind


def test_a_record_is_decided_once() -> None:
    """R4: whoever decides again is told how a decision is replaced."""
    story = Story()
    assert codes(story.record, story.make(Decision)) == []

    story.decide()
    (refusal,) = refusals(story.record, story.make(Decision))

    assert (refusal.code, refusal.message) == (
        "R4",
        f"{story.name} is decided already: decisions are immutable",
    )
    assert refusal.hint == f"git decide supersede {story.name} OUTCOME TEXT -m REASON"


def test_a_decision_that_was_replaced_elsewhere_is_not_made_again_here() -> None:
    """R4: the refusal says where it went."""
    story = Story()
    story.replaced(story.decide(), by=foreign())
    (refusal,) = refusals(story.record, story.make(Decision))

    assert refusal.code == "R4"
    assert refusal.message == f"the decision of {story.name} was replaced by {foreign()}"


def test_a_contested_record_says_what_may_be_replaced() -> None:
    """R4: it needs --replaces, and the hint names every decision that is live."""
    story, one, other = contested()
    (refusal,) = refusals(story.record, story.make(Decision))

    assert refusal.code == "R4"
    assert "contested" in refusal.message
    assert refusal.hint is not None
    assert f"--replaces {one}" in refusal.hint
    assert f"--replaces {other}" in refusal.hint


def test_a_decision_here_and_one_elsewhere_are_settled_here() -> None:
    """R4: one refusal, whose hint names the decision of the other record."""
    story = Story()
    old = story.decide()
    story.replaced(old, by=foreign(), after=[old])
    story.decide(supersedes=(old,), after=[old])
    (refusal,) = refusals(story.record, story.make(Decision))

    assert refusal.code == "R4"
    assert refusal.hint == f"git decide supersede {story.name} OUTCOME TEXT -m REASON --replaces {foreign()}"


# --- supersede


def test_the_live_decision_is_replaced() -> None:
    """R4: as often as it takes, each time the one that is live."""
    story = Story()
    first = story.decide()
    assert codes(story.record, story.make(Decision, supersedes=(first,))) == []

    second = story.decide(supersedes=(first,))
    assert codes(story.record, story.make(Decision, supersedes=(second,))) == []


def test_what_was_replaced_is_not_replaced_again() -> None:
    """R4: alone, beside the live one, and in another record."""
    story = Story()
    first = story.decide()
    second = story.decide(supersedes=(first,))

    said = refusals(story.record, story.make(Decision, supersedes=(first, second)))
    assert [refusal.message for refusal in said] == [f"{first} is superseded already, by {second}"]
    assert "R4" in codes(story.record, story.make(Decision, supersedes=(first,)))
    other = Story(number=8)
    reference = f"{story.name}:{first}"
    assert codes(other.record, other.make(Decision, supersedes=(reference,)), others=(story.record,)) == [
        "R4"
    ]


@pytest.mark.parametrize("which", [[0], [1], [0, 1]])
def test_a_contested_record_is_settled_by_naming(which: list[int]) -> None:
    """R4: one decision or both; what is not named stays live."""
    story, *both = contested()
    named = tuple(both[index] for index in which)

    assert codes(story.record, story.make(Decision, supersedes=named)) == []
    story.decide(supersedes=named)
    assert len(story.record.live) == 3 - len(named)


def test_only_what_came_before_is_replaced() -> None:
    """R4: a decision made apart is not, since its writer had not seen it."""
    story = Story()
    before = story.heads
    first = story.decide()
    second = story.say(Decision, supersedes=(first,), after=before)

    assert codes(story.record.before(second), story.record[second]) == ["R4"]  # type: ignore[arg-type]


@pytest.mark.parametrize("reference", [GONE, foreign(), foreign(GONE, number=7)])
def test_what_is_not_there_is_not_replaced(reference: str) -> None:
    """R4: neither here nor in another record, whether that is known or not."""
    story, other = Story(), Story(number=9)
    decision = story.make(Decision, supersedes=(reference,))

    for others in ((), (other.record,)):
        (refusal,) = refusals(story.record, decision, others=others)
        assert refusal.code == "R4"
        assert reference in refusal.message


def test_only_decisions_are_replaced() -> None:
    """R4: a vote is replaced by voting, a check by checking again."""
    story = Story()
    vote = story.vote("bob")
    (refusal,) = refusals(story.record, story.make(Decision, supersedes=(vote,)))

    assert refusal.code == "R4"
    assert refusal.message == f"only decisions are superseded, not the vote {vote}"


def test_a_decision_is_replaced_once_by_one() -> None:
    """R4: naming it twice is a mistake."""
    story = Story()
    first = story.decide()

    assert codes(story.record, story.make(Decision, supersedes=(first, first))) == ["R4"]


def test_a_record_goes_by_its_own_ids() -> None:
    """R4: naming itself as another record, it would leave itself a note that its decision was replaced."""
    story = Story()
    first = story.decide()
    reference = f"{story.name}:{first}"

    for others in ((), (story.record,)):
        said = refusals(story.record, story.make(Decision, supersedes=(reference,)), others=others)
        assert [refusal.code for refusal in said] == ["R4", "R4"]
        assert said[0].message == f"{reference} is of this record: it is named by its id alone"
        assert "itself would not be replaced" in said[1].message


def test_an_undecided_record_may_replace_the_decision_of_another() -> None:
    """R4: and a decided one replaces its own beside it, or not at all."""
    story, other = Story(), Story(number=9)
    reference = f"{other.name}:{other.decide()}"
    entry = story.make(Decision, supersedes=(reference,))
    assert codes(story.record, entry, others=(other.record,)) == []

    first = story.decide()
    (refusal,) = refusals(story.record, entry, others=(other.record,))
    assert refusal.code == "R4"
    assert "itself would not be replaced" in refusal.message
    both = story.make(Decision, supersedes=(first, reference))
    assert codes(story.record, both, others=(other.record,)) == []


def test_a_record_replaced_elsewhere_is_taken_back_by_replacing_that() -> None:
    """R4: the way out of a record that two others replaced, which the hint of a later bind names."""
    story, other = Story(), Story(number=9)
    reference = f"{other.name}:{other.decide()}"
    story.replaced(story.decide(), by=reference)

    assert codes(story.record, story.make(Decision, supersedes=(reference,)), others=(other.record,)) == []


def test_the_hint_for_a_decision_that_went_elsewhere_leads_there() -> None:
    """R4: a hint that would be refused in turn helps nobody."""
    story = Story()
    old = story.decide()
    story.replaced(old, by=foreign())
    said = refusals(story.record, story.make(Decision, supersedes=(old,)))

    assert [refusal.code for refusal in said] == ["R4"]
    assert said[0].hint == f"git decide supersede {story.name} OUTCOME TEXT -m REASON --replaces {foreign()}"


# --- checks are kept


def test_the_checks_of_a_replaced_decision_are_kept() -> None:
    """R4: written into the new one, unless it names its own."""
    story = Story()
    check = story.check()
    first = story.decide(checks=(check,))
    other = story.check(command=("true",))

    assert codes(story.record, story.make(Decision, supersedes=(first,), checks=(check,))) == []
    assert codes(story.record, story.make(Decision, supersedes=(first,), checks=(other,))) == []
    (refusal,) = refusals(story.record, story.make(Decision, supersedes=(first,)))
    assert (refusal.code, "dropped" in refusal.message) == ("R4", True)


def test_the_checks_of_another_record_stay_there() -> None:
    """R4: they answer another question."""
    story, other = Story(), Story(number=9)
    reference = f"{other.name}:{other.decide(checks=(other.check(),))}"

    assert codes(story.record, story.make(Decision, supersedes=(reference,)), others=(other.record,)) == []


def test_votes_are_said_to_decided_records() -> None:
    """R4: a decision ends no conversation; only deciding again is refused."""
    story = Story()
    story.decide()

    assert codes(story.record, story.make(Vote)) == []
    assert codes(story.record, story.make(Check)) == []
