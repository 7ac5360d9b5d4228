"""What turns come to, in whichever order and clone they were made."""

import random
from unittest.mock import Mock

import pytest

from gitdecide.entries import conversation
from gitdecide.entries.conversation import folded, in_brief, rounds, state
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Close, Participant, Turn
from tests.entries.story import Story
from tests.entries.talk import SHA, Talk


def agreed() -> Talk:
    """A conversation that lacks the signature of dave."""
    talk = Talk()
    talk.turn("ada", "BRIEF", "i-01=proposed")
    talk.turn("dave", "BRIEF", "i-01=agreed")
    for side in ("ada", "dave"):
        talk.turn(side, "RED_TEAM", gave_up=("speed",))
    talk.turn("ada", "SIGN", signs=SHA)
    return talk


def test_a_conversation_needs_another_side() -> None:
    """A question that names nobody, or a debate, holds none with ledgers."""
    assert folded(Story().record) is None
    assert folded(Story(participants=(Participant(actor="ada"),)).record) is None
    assert folded(Talk("debate").record) is None
    assert in_brief(Story().record) is None


@pytest.mark.parametrize("stranger", ["third party", "another mode"])
def test_what_does_not_belong_does_not_count(stranger: str) -> None:
    """A foreign client may have written it: the ledgers and the detectors pass over it."""
    talk = Talk()
    before = talk.folded
    actor, verb = ("carol", "COUNTER") if stranger == "third party" else ("ada", "rebuttal")
    talk.turn(actor, verb, "i-01=parked:mine")

    assert talk.folded == before


def test_nothing_comes_after_the_end() -> None:
    """Turns after it are in the record, and reopen nothing."""
    talk = agreed()
    talk.turn("dave", "SIGN", signs=SHA)
    ended = talk.folded
    talk.turn("ada", "COUNTER", "i-02+one more thing")

    assert ended.ended
    assert talk.folded == ended
    assert len(talk.record.of(Turn)) == 7
    assert state(talk.record) == "agreement"


@pytest.mark.parametrize("seed", range(12))
def test_turns_made_apart_from_the_end_reopen_nothing(seed: int) -> None:
    """Wherever they come in the order, which their ids decide."""
    talk = agreed()
    (before,) = talk.heads
    talk.turn("dave", "SIGN", signs=SHA, after=(before,))
    talk.turn("ada", "COUNTER", "i-02+one more thing", after=(before,), headline=f"wait {seed}")

    assert state(talk.record) == "agreement"
    assert talk.folded.ledgers.issues == ["i-01"]


@pytest.mark.parametrize("seed", range(12))
def test_two_that_sign_apart_have_ended_it_for_good(seed: int) -> None:
    """Neither knew the other's signature, and what one of them said before hearing of it is too late."""
    talk = agreed()
    (signed,) = talk.heads
    (before,) = talk.record.before(signed).heads
    talk.turn("dave", "SIGN", signs=SHA, after=(before,), headline=f"sealed {seed}")
    assert state(talk.record) == "agreement"

    talk.turn("ada", "COUNTER", "i-02+one more thing", after=(signed,), headline=f"wait {seed}")

    assert state(talk.record) == "agreement"


def test_known_gap_an_end_put_together_in_three_clones() -> None:
    """KNOWN GAP: where one side speaks in two clones, a turn made apart can undo an end that needed both.

    It would take every selection of turns made apart, not of two, to know each end that somebody saw.
    """
    states = set()
    for seed in range(12):
        talk = Talk()
        talk.turn("ada", "BRIEF", "i-01=proposed")
        talk.turn("dave", "BRIEF", "i-01=agreed")
        talk.turn("dave", "RED_TEAM", gave_up=("speed",))
        (before,) = talk.heads
        attacked = talk.turn("ada", "RED_TEAM", gave_up=("speed",), after=(before,))
        talk.turn("ada", "SIGN", signs=SHA, after=(before,), headline=f"first {seed}")
        talk.turn("dave", "SIGN", signs=SHA, after=(before,), headline=f"sealed {seed}")
        assert state(talk.record) == "agreement"
        talk.turn("ada", "COUNTER", "i-02+one more thing", after=(attacked,), headline=f"wait {seed}")
        states.add(state(talk.record))

    assert states == {"agreement", "open"}


def test_an_end_is_looked_for_in_so_many_histories_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that speak on for long, and sign everything, do not make a log that nobody can read.

    KNOWN GAP: an end that only a later one of those histories knows can be undone by a turn made apart.
    """
    looked = Mock(wraps=conversation._talked)
    monkeypatch.setattr(conversation, "_talked", looked)
    talk = Talk()
    last: dict[str, list[str]] = {"ada": [], "dave": []}
    for _ in range(30):
        for side, heads in last.items():
            heads[:] = [talk.turn(side, "SIGN", signs=SHA, after=heads or [talk.question])]

    assert state(talk.record) == "open"
    assert looked.call_count <= conversation.MOST_HISTORIES + 2


def test_a_close_ends_it_where_it_was_known() -> None:
    """What somebody said apart from it is shown and moves nothing; what comes after it neither."""
    talk = Talk()
    talk.turn("ada", "BRIEF", "i-01=claimed")
    (before,) = talk.heads
    close = talk.say(Close, after=(before,))
    talk.turn("dave", "BRIEF", "i-01=proposed", after=(before,))
    talk.turn("dave", "COUNTER", "i-01=open", after=(close,))

    assert state(talk.record) == "closed"
    assert talk.state("ada") == talk.state("dave") == "claimed"

    talk.turn("ada", "COUNTER", "i-01=proposed")
    talk.turn("dave", "COUNTER", "i-01=agreed")
    talk.sign_all()
    assert state(talk.record) == "closed"


def test_the_order_of_the_files_is_no_matter() -> None:
    """The same entries come to the same, however they are read."""
    talk = Talk()
    for side, states in (("ada", ("claimed", "open", "proposed")), ("dave", ("proposed", "claimed"))):
        last = talk.question
        for name in states:
            last = talk.turn(side, "COUNTER", f"i-01={name}", after=(last,))
    whole = talk.folded

    for seed in range(5):
        files = random.Random(seed).sample(talk.files, len(talk.files))
        assert folded(DecisionRecord.read(talk.name, files)) == whole


def test_a_round_ends_when_a_speaker_speaks_again() -> None:
    """Whoever has not spoken yet is still in it."""
    talk = Talk("debate")
    for speaker in ("ada", "dave", "carol", "dave", "ada", "ada"):
        talk.turn(speaker, "rebuttal")

    speakers = [[turn.entry.actor for turn in turns] for turns in rounds(talk.record)]
    assert speakers == [["ada", "dave", "carol"], ["dave", "ada"], ["ada"]]


def test_a_conversation_in_brief() -> None:
    """What a list needs: name, mode, state, who takes part and the objective."""
    talk = Talk("build")

    assert in_brief(talk.record) == {
        "name": str(talk.name),
        "mode": "build",
        "state": "open",
        "participants": ["ada", "dave"],
        "objective": "Which mesh format?",
    }
