"""R7: where the label of a settled decision comes from."""

from typing import Any

import pytest

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Confirm, Decision, Imported, Kind, Settled, Turn
from gitdecide.rules.settling import BARE_ASSENT, bare_assent
from tests.entries.story import Story, foreign
from tests.rules.judging import codes, refusals

GONE = "d" * 40


def label(**fields: Any) -> Settled:
    return Settled(**{"label": "user-directed", "over": "Redis", "because": "nothing to run", **fields})


def story(**fields: Any) -> Story:
    return Story(options=("SQLite", "Redis"), **fields)


def decision(told: Story, *, actor: str = "ada", **fields: Any) -> Decision:
    return told.make(Decision, actor=actor, decision="SQLite", settled=label(**fields))  # type: ignore[no-any-return]


def test_settled_is_what_survived_examination() -> None:
    """R7: an option of the question, a challenge or a turn was in view when the person chose."""
    told = story()
    claim, turn = told.challenge(told.question), told.say(Turn, verb="COUNTER", headline="files will do")

    for over in ("Redis", "  redis ", "REDIS", claim, turn):
        assert codes(told.record, decision(told, over=over)) == [], over


def test_not_how_confident_the_user_sounded() -> None:
    """R7: without an alternative that was shown no words make a label, and the way out is a directive."""
    told = story()
    vote = told.vote("bob")

    for over in ("Postgres", vote, told.question, GONE, "SQL"):
        (refusal,) = refusals(told.record, decision(told, over=over, said="definitely, absolutely SQLite"))
        assert refusal.code == "R7"
        assert refusal.hint is not None
        assert refusal.hint.endswith("git decide ask --directive")


def test_what_comes_later_was_not_in_view() -> None:
    """R7: a challenge counts that came before the decision, for readers of the log as well."""
    told = story()
    apart = told.challenge(told.question, after=[told.question])
    late = told.make(Decision, after=[told.question], settled=label(over=apart))
    before = DecisionRecord(told.name, {told.question: told.record.question.entry})

    assert codes(before, late) == ["R7"]


def test_a_decision_is_not_chosen_over_itself() -> None:
    """R7: the alternative is another one."""
    told = story()

    assert codes(told.record, decision(told, over="sqlite")) == ["R7"]


def test_an_agent_never_labels_its_own_unexamined_proposal() -> None:
    """R7: for a person alone, with who it is and what was said."""
    told = story()
    of_ada = {"by": "ada", "said": "no, SQLite"}

    assert codes(told.record, decision(told, actor="bot"), kind="agent") == ["R7"]
    assert codes(told.record, decision(told, actor="bot", by="ada"), kind="agent") == ["R7"]
    assert codes(told.record, decision(told, actor="bot", said="no, SQLite"), kind="agent") == ["R7"]
    assert codes(told.record, decision(told, actor="bot", by="bot", said="mine"), kind="agent") == ["R7"]
    assert codes(told.record, decision(told, actor="bot", **of_ada), kind="agent", by="human") == []


@pytest.mark.parametrize(("by", "admitted"), [("human", True), ("agent", False), (None, True)])
@pytest.mark.parametrize("kind", ["human", "agent"])
def test_the_person_of_a_label_is_a_human_of_the_log(kind: Kind, by: Kind | None, admitted: bool) -> None:
    """R7: an agent behind an agent is nobody; who reads a record alone cannot know, and the audit does."""
    told = story()
    entry = decision(told, actor="bob", by="ada", said="no, SQLite")

    assert codes(told.record, entry, kind=kind, by=by) == ([] if admitted else ["R7"])


def test_a_person_settles_in_their_own_words() -> None:
    """R7: for themselves without a quote, for somebody else with one."""
    told = story()

    assert codes(told.record, decision(told)) == []
    assert codes(told.record, decision(told, by="ada")) == []
    assert codes(told.record, decision(told, actor="bob", by="ada"), by="human") == ["R7"]


@pytest.mark.parametrize(
    "said", [*BARE_ASSENT, "OK!", "Sounds good, thanks.", "yes… go ahead, please", "👍", "LGTM :)", "+1!"]
)
def test_bare_assent_is_at_most_user_approved(said: str) -> None:
    """R7: "sounds good" to a passing mention directs nothing; it approves what was shown."""
    told = story()
    for actor, kind in (("bot", "agent"), ("ada", "human")):
        by: dict[str, Any] = {"by": "ada", "said": said}

        assert codes(told.record, decision(told, actor=actor, **by), kind=kind, by="human") == ["R7"]
        approved = decision(told, actor=actor, label="user-approved", **by)
        assert codes(told.record, approved, kind=kind, by="human") == []


@pytest.mark.parametrize(
    "said", ["no, SQLite", "ok, but with SQLite", "yes to SQLite", "not good", "oks", "approve", "1"]
)
def test_a_choice_in_words_is_no_bare_assent(said: str) -> None:
    """R7: whatever says more than yes is heard."""
    assert not bare_assent(said)


def changed(told: Story, *, over: str = "Redis", **fields: Any) -> Decision:
    return told.make(  # type: ignore[no-any-return]
        Decision, **{"decision": "SQLite again", "settled": label(over=over), "reason": "why", **fields}
    )


def test_a_change_that_was_proposed_and_accepted_is_user_approved() -> None:
    """R7: an agent that records the change proposed it, and so did whoever raised what it answers."""
    told = story()
    old = told.decide(decision="SQLite", settled=label())
    claim = told.challenge(old, actor="bot")
    of_ada = label(by="ada", said="right, let us")

    by_agent = changed(told, actor="bot", settled=of_ada, supersedes=(old,))
    answering = changed(told, supersedes=(old,), answers=(claim,))
    own = changed(told, supersedes=(old,))

    assert codes(told.record, by_agent, kind="agent", by="human") == ["R7"]
    assert codes(told.record, answering) == ["R7"]
    assert codes(told.record, own) == []
    approved = label(label="user-approved", by="ada", said="right, let us")
    assert (
        codes(told.record, changed(told, actor="bot", settled=approved, supersedes=(old,)), kind="agent")
        == []
    )


def test_a_change_across_records_is_a_change_as_well() -> None:
    """R7: where the other record is at hand."""
    other = story(number=9)
    old = other.decide(decision="SQLite", settled=label())
    told = story()
    entry = changed(
        told, actor="bot", settled=label(by="ada", said="right, let us"), supersedes=(f"{other.name}:{old}",)
    )

    assert codes(told.record, entry, kind="agent", others=(other.record,)) == ["R7"]
    assert codes(told.record, changed(told, supersedes=(foreign(),)), others=(other.record,)) == ["R4"]


def test_imports_come_under_the_same_rule() -> None:
    """R7: a label does not arise on the way in."""
    told = story()
    entry = told.make(
        Decision,
        actor="bot",
        decision="SQLite",
        settled=label(),
        imported=Imported(format="brief", path="b.yaml", blob="a" * 40),
    )

    assert codes(told.record, entry, kind="agent") == ["R7"]


def test_a_label_is_confirmed_by_whom_it_names() -> None:
    """R7: by that person alone, and only where there is something to confirm."""
    told = story()
    own, recorded = (
        told.decide(decision="SQLite", settled=label()),
        told.decide(actor="bot", settled=label(by="ada", said="no, SQLite")),
    )

    assert codes(told.record, told.make(Confirm, decision=recorded)) == []
    assert codes(told.record, told.make(Confirm, actor="bob", decision=recorded)) == ["R7"]
    assert codes(told.record, told.make(Confirm, decision=recorded), kind="agent") == ["R7"]
    assert codes(told.record, told.make(Confirm, decision=own)) == ["R7"]


def test_a_label_awaits_its_person_until_then() -> None:
    """The label shows whom it awaits; nobody else's word ends that."""
    told = story()
    recorded = told.decide(actor="bot", settled=label(by="ada", said="no, SQLite"))
    (filed,) = told.record.settled
    told.say(Confirm, actor="bob", decision=recorded)

    assert told.record.awaits(filed) == "ada"
    told.say(Confirm, decision=recorded)
    assert told.record.awaits(filed) is None
