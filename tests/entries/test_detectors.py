"""What the detectors see in a conversation, and what they are known not to see."""

import pytest

from gitdecide.entries.detectors import position
from tests.entries.talk import SHA, Talk

AGREEMENT = "agreement: the ledger is empty, both sides red-teamed, and both signed the same artefact"
DEADLOCK = "deadlock: both sides have restated the same position 3 times running; this needs the humans"
LOOPING = "looping: the ledger has not changed in 4 turns while 1 issue(s) are still open"


def folding(side: str, percent: int) -> str:
    return (
        f"degenerate: {side} accepted or conceded on {percent}% of its turns,"
        " which is agreement by exhaustion rather than by argument"
    )


def argued(talk: Talk) -> Talk:
    """An issue that both sides argued for, and agreed."""
    talk.turn("ada", "BRIEF", "i-01=proposed")
    talk.turn("dave", "BRIEF")
    talk.turn("dave", "EVIDENCE", "i-01=agreed")
    return talk


def test_agreement_ends_a_conversation() -> None:
    """Nothing is open, both sent a RED_TEAM, and both signed one artefact: not before the last of these."""
    talk = argued(Talk())
    for side in ("ada", "dave"):
        talk.turn(side, "RED_TEAM", gave_up=("speed",))
    talk.turn("ada", "SIGN", signs=SHA)
    assert talk.fired == []

    talk.turn("dave", "SIGN", signs=SHA)

    assert talk.fired == [AGREEMENT]
    assert talk.folded.ended == talk.folded.fired[0]


@pytest.mark.parametrize("missing", ["ledger", "red team", "signature", "same artefact", "verb"])
def test_no_agreement_without_one_of_its_parts(missing: str) -> None:
    """Each part is needed; a signature counts in a SIGN alone."""
    talk = Talk() if missing == "ledger" else argued(Talk())
    for side in ("ada", "dave"):
        if missing != "red team" or side == "ada":
            talk.turn(side, "RED_TEAM", gave_up=("speed",))
        if missing != "signature" or side == "ada":
            verb = "COUNTER" if missing == "verb" and side == "ada" else "SIGN"
            other = missing == "same artefact" and side == "ada"
            talk.turn(side, verb, signs="b" * 64 if other else SHA)

    assert AGREEMENT not in talk.fired
    assert talk.folded.ended is None


def test_deadlock_ends_a_conversation() -> None:
    """Both sides say the same three times running: equal after folding case, blanks and punctuation."""
    talk = Talk()
    for ours, theirs in [("Metres!", "no"), ("metres", "No."), ("M e t r e s", "NO ")]:
        assert talk.folded.ended is None
        talk.turn("ada", "COUNTER", headline=ours)
        talk.turn("dave", "COUNTER", headline=theirs)

    assert DEADLOCK in talk.fired
    assert talk.folded.ended


def test_one_stubborn_side_is_no_deadlock() -> None:
    """Nor are two that said the same, then something else."""
    talk = Talk()
    for theirs in ("one", "two", "three", "three", "four"):
        talk.turn("ada", "COUNTER", headline="metres")
        talk.turn("dave", "COUNTER", headline=theirs)

    assert DEADLOCK not in talk.fired


def test_a_position_goes_before_the_headline() -> None:
    """What a turn says it stands for is compared, where it says so."""
    talk = Talk()
    for number in range(3):
        talk.turn("ada", "COUNTER", headline=f"again {number}", position="metres")
        talk.turn("dave", "COUNTER", headline="same words", position=f"{number} inches")
    assert DEADLOCK not in talk.fired

    for _ in range(3):
        talk.turn("dave", "COUNTER", headline="other words", position="inches")

    assert DEADLOCK in talk.fired


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("Keep metres", "keep  METRES.", True),
        ("STRASSE", "straße", True),
        ("ﬁve", "five", True),
        ("metres", "inches", False),
        ("a + b", "a = b", False),
        ("...", "!?", False),
        ("…", "…", True),
    ],
)
def test_restating_folds_case_blanks_and_punctuation(one: str, two: str, *, same: bool) -> None:
    """Words and numbers are compared; where there are none, the text itself."""
    talk = Talk()
    said = [position(talk.could("ada", "COUNTER", headline=text)) for text in (one, two)]

    assert (said[0] == said[1]) == same


def test_looping_after_four_turns_that_moved_nothing() -> None:
    """It counts what is open when it first fires, says so once, and ends nothing."""
    talk = Talk()
    for turn in range(4):
        assert talk.fired == []
        talk.turn(("ada", "dave")[turn % 2], "COUNTER", "i-01=open")
    assert talk.fired == [LOOPING]

    for issue in ("i-02+units", "i-04+axes"):
        talk.turn("ada", "COUNTER", issue)
    for _ in range(6):
        talk.turn("ada", "COUNTER")

    assert talk.fired == [LOOPING]
    assert talk.folded.ended is None


def test_looping_counts_the_issues_of_both_sides() -> None:
    """One that both have is one, one that only one side has is another."""
    talk = Talk()
    talk.turn("ada", "BRIEF", "i-02+units")
    talk.turn("dave", "BRIEF", "i-03+axes")
    for _ in range(4):
        talk.turn("ada", "COUNTER")

    assert talk.fired == [LOOPING.replace("1 issue(s)", "3 issue(s)")]


def test_no_loop_while_the_ledger_moves_or_is_done() -> None:
    """Any move or new issue of either side begins the count again; a done ledger has none."""
    talk = Talk()
    for move in ("i-01=claimed", "i-01=open", "i-01=parked:later"):
        for _ in range(3):
            talk.turn("dave", "COUNTER")
        talk.turn("ada", "COUNTER", move)
    for _ in range(5):
        talk.turn("ada", "COUNTER")

    assert talk.fired == []


@pytest.mark.parametrize(("folds", "others", "percent"), [(7, 3, 70), (5, 2, 71), (1, 0, 100), (2, 1, None)])
def test_a_side_that_gives_in_is_degenerate(folds: int, others: int, percent: int | None) -> None:
    """70 percent or more of its turns, ACCEPT and CONCEDE alike; the figure is that of the first time."""
    talk = Talk()
    for number in range(others):
        talk.turn("dave", "EVIDENCE", f"i-{2 * number + 3:02d}+more")
    for number in range(folds):
        talk.turn("dave", ("ACCEPT", "CONCEDE")[number % 2], f"i-{2 * number + 33:02d}+more")

    assert talk.fired == ([folding("dave", percent)] if percent else [])


def test_a_review_may_accept_all() -> None:
    """Giving in is watched where something is decided or built."""
    reviewed, built = Talk("review"), Talk("build")
    for talk in (reviewed, built):
        talk.turn("dave", "ACCEPT")

    assert (reviewed.fired, built.fired) == ([], [folding("dave", 100)])


def test_a_red_team_that_gives_nothing_up_is_degenerate() -> None:
    """It is taken, and pointed out; each side has one line, of what came first."""
    talk = Talk("review")
    talk.turn("ada", "RED_TEAM", gave_up=("speed",))
    assert talk.fired == []

    for side in ("dave", "dave", "ada"):
        talk.turn(side, "RED_TEAM", "i-01=claimed" if side == "ada" else "i-01=open")

    assert talk.fired == [
        f"degenerate: {side} sent a RED_TEAM that named nothing it gave up" for side in ("dave", "ada")
    ]


def test_known_gap_a_position_in_other_words() -> None:
    """KNOWN GAP: who says the same in other words is in no deadlock.

    It would take a comparison of what is meant, which two machines do not make alike.
    """
    talk = Talk()
    for ours in ("metres", "the unit is the metre", "SI units, that is metres"):
        talk.turn("ada", "COUNTER", headline=ours)
        talk.turn("dave", "COUNTER", headline="inches")

    assert talk.folded.ended is None


def test_known_gap_a_ledger_that_moves_to_and_fro() -> None:
    """KNOWN GAP: claiming and reopening one issue for ever is no loop.

    It would take a count of the states that an issue comes back to.
    """
    talk = Talk()
    for state in ("claimed", "open") * 4:
        talk.turn("ada", "COUNTER", f"i-01={state}")

    assert talk.fired == []


def test_known_gap_giving_in_under_another_verb() -> None:
    """KNOWN GAP: a COUNTER that gives everything away counts as an argument.

    It would take a reader of the words; the verb is what the side itself says of its turn.
    """
    talk = Talk()
    for _ in range(3):
        talk.turn("dave", "COUNTER", headline="You are right, have it your way.")

    assert not any(line.startswith("degenerate") for line in talk.fired)


def test_known_gap_a_token_sacrifice() -> None:
    """KNOWN GAP: a RED_TEAM that names anything at all has given something up.

    It would take a judgement of what that was worth.
    """
    talk = Talk("review")
    talk.turn("dave", "RED_TEAM", gave_up=("nothing really",))

    assert talk.fired == []


def test_known_gap_an_artefact_that_says_nothing() -> None:
    """KNOWN GAP: two signatures under an empty file are an agreement.

    It would take a link between the agreed issues and what the artefact says of them.
    """
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    talk = argued(Talk())
    for side in ("ada", "dave"):
        talk.turn(side, "RED_TEAM", gave_up=("speed",))
        talk.turn(side, "SIGN", signs=empty)

    assert talk.fired == [AGREEMENT]


def test_known_gap_a_red_team_before_there_is_anything_to_attack() -> None:
    """KNOWN GAP: a RED_TEAM as the first turn counts for good, whatever is agreed later.

    It would take an order in which it must come after the last issue was proposed.
    """
    talk = Talk()
    for side in ("ada", "dave"):
        talk.turn(side, "RED_TEAM", gave_up=("speed",))
    argued(talk)
    for side in ("ada", "dave"):
        talk.turn(side, "SIGN", signs=SHA)

    assert talk.fired == [AGREEMENT]
