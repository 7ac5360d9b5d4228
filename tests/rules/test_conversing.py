"""R6: who takes part in a conversation, and how its ledgers move."""

import pytest

from gitdecide.entries.types import Close, Imported, Participant, Quoted
from tests.entries.talk import SHA, Talk
from tests.rules.judging import codes, refusals


def messages(talk: Talk, actor: str, verb: str, *ledger: str, **fields: object) -> list[str]:
    return [said.message for said in refusals(talk.record, talk.could(actor, verb, *ledger, **fields))]


@pytest.mark.parametrize("mode", ["decide", "build", "review"])
@pytest.mark.parametrize("side", ["ada", "dave"])
def test_both_sides_take_turns(mode: str, side: str) -> None:
    """R6: in the modes that keep a ledger the asker and the one who was asked speak, with its verbs."""
    talk = Talk(mode)

    assert codes(talk.record, talk.could(side, "BRIEF", "i-01=claimed")) == []
    assert messages(talk, side, "rebuttal") == [f"rebuttal is no verb of the mode {mode}"]


@pytest.mark.parametrize("mode", ["debate", "consensus"])
def test_a_debate_has_verbs_of_its_own_and_no_ledger(mode: str) -> None:
    """R6: the reverse is refused as well, and so are issues."""
    talk = Talk(mode)

    assert codes(talk.record, talk.could("dave", "rebuttal")) == []
    assert messages(talk, "dave", "COUNTER") == [f"COUNTER is no verb of the mode {mode}"]
    assert messages(talk, "dave", "rebuttal", "i-02+units") == [
        f"{talk.name} holds no conversation with ledgers"
    ]


@pytest.mark.parametrize("mode", ["decide", "debate"])
def test_a_third_party_takes_no_part(mode: str) -> None:
    """R6: whoever was not asked is refused."""
    verb = "rebuttal" if mode == "debate" else "COUNTER"

    assert messages(Talk(mode), "carol", verb) == [
        f"carol takes no part in {Talk(mode).name}, only ada and dave"
    ]


def test_a_question_to_nobody_holds_no_conversation() -> None:
    """R6: the modes that keep a ledger need another side; for a consensus anybody may speak."""
    talk = Talk(participants=())

    assert messages(talk, "ada", "BRIEF") == [f"{talk.name} names nobody to talk to"]
    assert (
        codes(Talk("consensus", participants=()).record, Talk("consensus").could("carol", "position")) == []
    )


def test_a_role_is_the_one_that_was_asked() -> None:
    """R6: sides of a ledger have none, and who was asked as one thing does not speak as another."""
    talk = Talk("debate", participants=(Participant(actor="dave", role="opponent"),))

    assert codes(talk.record, talk.could("dave", "rebuttal", role="opponent")) == []
    assert messages(talk, "dave", "rebuttal", role="arbitrator") == [
        "dave was asked as opponent, not as arbitrator"
    ]
    assert codes(talk.record, talk.could("ada", "rebuttal", role="proponent")) == []
    assert messages(Talk(), "ada", "BRIEF", role="proponent") == [
        "the sides of the mode decide have no roles"
    ]


def test_an_illegal_move_is_refused_with_what_would_be_legal() -> None:
    """R6: the hint names the states that the issue can go to."""
    talk = Talk()
    (said,) = refusals(talk.record, talk.could("ada", "COUNTER", "i-01=agreed"))

    assert said == (
        "R6",
        "i-01 is open, and does not move to agreed",
        "from open it goes to claimed, proposed, parked, escalated",
    )


@pytest.mark.parametrize("final", ["agreed", "parked", "escalated"])
@pytest.mark.parametrize("side", ["ada", "dave"])
def test_nothing_is_resurrected(final: str, side: str) -> None:
    """R6: what is agreed, parked or escalated in the speaker's ledger stays so, by whoever it got there."""
    talk = Talk()
    talk.turn("ada", "BRIEF", "i-01=proposed")
    talk.turn("ada", "COUNTER", f"i-01={final}:enough")

    assert messages(talk, side, "COUNTER", "i-01=open") == [f"i-01 is {final}, and does not move to open"]


def test_nothing_is_added_to_the_other_sides_ledger() -> None:
    """R6: an id that only the other side gives is refused."""
    assert messages(Talk(), "ada", "COUNTER", "i-03+axes") == [
        "ada cannot add an issue i-03 to the ledger of dave"
    ]


def test_parked_and_escalated_need_a_reason() -> None:
    """R6: the hint says where it goes."""
    talk = Talk()
    for state in ("parked", "escalated"):
        (said,) = refusals(talk.record, talk.could("ada", "COUNTER", f"i-01={state}"))
        assert said == ("R6", f"i-01 is {state} without a reason", f"--issue i-01={state}:REASON")


def test_a_conversation_that_ended_takes_no_more_turns() -> None:
    """R6: after agreement, deadlock or a close; the hint links a new question to the old one."""
    agreed, stuck, closed = Talk(), Talk(), Talk()
    agreed.turn("ada", "BRIEF", "i-01=proposed")
    agreed.turn("dave", "ACCEPT", "i-01=agreed")
    agreed.sign_all()
    for side in ("ada", "dave") * 3:
        stuck.turn(side, "COUNTER", headline="no")
    closed.say(Close)

    for talk, how in ((agreed, "ended in agreement"), (stuck, "ended in deadlock"), (closed, "is closed")):
        (said,) = refusals(talk.record, talk.could("ada", "COUNTER"))
        assert said.message == f"{talk.name} {how}, and takes no more turns"
        assert said.hint == f'git decide ask "QUESTION" --with NAME --link {talk.name}'


def test_a_debate_that_is_closed_takes_no_more_turns() -> None:
    """R6: a close ends what holds no ledger as well."""
    talk = Talk("debate")
    talk.say(Close)

    assert messages(talk, "ada", "rebuttal") == [f"{talk.name} is closed, and takes no more turns"]


def test_a_conversation_is_closed_once_by_a_side_or_a_person() -> None:
    """R6: an agent that takes no part does not end what others have."""
    talk = Talk()
    assert codes(talk.record, talk.make(Close, actor="dave"), kind="agent") == []
    assert codes(talk.record, talk.make(Close, actor="carol"), kind="human") == []
    assert codes(talk.record, talk.make(Close, actor="carol"), kind="agent") == ["R6"]

    talk.say(Close)

    assert codes(talk.record, talk.make(Close, actor="ada"), kind="human") == ["R6"]


def test_only_an_import_quotes_turns() -> None:
    """R6: nobody puts words into the mouth of another here."""
    quoted = Quoted(speaker="carol", round=1)
    imported = Imported(format="json", path="a.json", blob="b" * 40)

    assert messages(Talk(), "ada", "BRIEF", quoted=quoted) == [
        "only an imported record quotes turns that others made elsewhere"
    ]
    assert messages(Talk("debate", imported=imported), "ada", "rebuttal", quoted=quoted) == []


def test_a_signature_is_admitted_after_a_red_team() -> None:
    """R6: nothing else is asked of the verbs."""
    talk = Talk()
    talk.turn("ada", "RED_TEAM")

    assert codes(talk.record, talk.could("dave", "SIGN", signs=SHA)) == []
