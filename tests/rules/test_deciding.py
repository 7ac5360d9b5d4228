"""R2, R3 and R5: what a decision rests on."""

from typing import Any

import pytest

from gitdecide.entries.types import Check, Decision, Evidence, Imported, Outcome
from tests.entries.story import READ, Story
from tests.rules.judging import codes, refusals

OUTCOMES: tuple[Outcome, ...] = ("adopt", "reject", "defer")
NOTHING: tuple[Evidence, ...] = ()
IMPORTED = Imported(format="madr", path="docs/0001.md", blob="a" * 40)
FAILS: dict[str, Any] = {"exit_code": 1, "result": "fails"}


# --- R2: a decision rests on reading


@pytest.mark.parametrize(
    ("outcome", "stance", "read", "binds"),
    [
        *((outcome, stance, READ, True) for outcome in OUTCOMES for stance in ("support", "inform")),
        *((outcome, "oppose", READ, outcome == "reject") for outcome in OUTCOMES),
        *((outcome, "abstain", READ, False) for outcome in OUTCOMES),
        *((outcome, "support_unverified", NOTHING, False) for outcome in OUTCOMES),
        *((outcome, stance, NOTHING, False) for outcome in OUTCOMES for stance in ("oppose", "inform")),
    ],
)
def test_a_vote_carries_what_it_backs(
    outcome: Outcome, stance: str, read: tuple[Evidence, ...], binds: bool
) -> None:
    """R2: verified support and information back every outcome, opposition backs a rejection."""
    story = Story()
    story.vote("bob", stance, read=read)
    decision = story.make(Decision, outcome=outcome, read=())

    assert codes(story.record, decision) == ([] if binds else ["R2"])


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_deciders_own_reading_carries_a_decision(outcome: Outcome) -> None:
    """R2: without any vote."""
    story = Story()

    assert codes(story.record, story.make(Decision, outcome=outcome, read=READ)) == []


def test_nothing_read_carries_nothing() -> None:
    """R2: and the refusal says which command would."""
    story = Story()
    (refusal,) = refusals(story.record, story.make(Decision, outcome="defer", read=()))

    assert refusal.code == "R2"
    assert "no verified vote backs defer" in refusal.message
    assert refusal.hint is not None
    assert refusal.hint.startswith(f"git decide vote {story.name} ")


def test_a_vote_that_was_replaced_carries_nothing() -> None:
    """R2: whoever takes support back no longer backs."""
    story = Story()
    old = story.vote("bob", "support")
    story.vote("bob", "abstain")

    assert codes(story.record, story.make(Decision, read=())) == ["R2"]
    (refusal,) = refusals(story.record, story.make(Decision, backed_by=(old,)))
    assert refusal.code == "R2"
    assert old in refusal.message


def test_a_decision_names_the_votes_that_back_it() -> None:
    """R2: those that do, and no others."""
    story = Story()
    support, unread, opposed = (
        story.vote("bob"),
        story.vote("eve", "support_unverified", read=()),
        story.vote("mia", "oppose"),
    )

    assert codes(story.record, story.make(Decision, read=(), backed_by=(support,))) == []
    assert codes(story.record, story.make(Decision, outcome="reject", backed_by=(support, opposed))) == []
    assert codes(story.record, story.make(Decision, backed_by=(opposed,))) == ["R2"]
    assert codes(story.record, story.make(Decision, backed_by=(unread,))) == ["R2"]
    assert codes(story.record, story.make(Decision, backed_by=("d" * 40,))) == ["R2", "R4"]


# --- R3: a change of code rests on a check


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({}, True),
        ({"source": "reported"}, True),
        (FAILS, True),
        ({"exit_code": 2, "result": "inconclusive"}, False),
        ({"exit_code": None, "result": "inconclusive"}, False),
        (
            {"exit_code": None, "result": "not_applicable", "command": None, "note": "no command can tell"},
            False,
        ),
    ],
    ids=["holds", "reported", "fails", "inconclusive", "timed out", "not applicable"],
)
def test_a_check_that_answers_carries_a_change_of_code(
    fields: dict[str, Any], counts: bool, outcome: Outcome
) -> None:
    """R3: whatever the answer and whoever ran it, and for every outcome that changes code."""
    story = Story()
    check = story.say(Check, **fields)
    decision = story.make(Decision, outcome=outcome, changes_code=True, checks=(check,), despite="we know")

    assert codes(story.record, decision) == ([] if counts else ["R3"])


def test_a_change_of_code_names_its_check() -> None:
    """R3: one that was merely made does not carry it; one that answers is enough."""
    story = Story()
    good, bad = story.check(), story.check(2)
    (refusal,) = refusals(story.record, story.make(Decision, changes_code=True))

    assert (refusal.code, "names no premise check" in refusal.message) == ("R3", True)
    assert refusal.hint is not None
    assert refusal.hint.startswith(f"git decide check {story.name} -- ")
    (refusal,) = refusals(story.record, story.make(Decision, changes_code=True, checks=(bad,)))
    assert "names only checks that answer nothing" in refusal.message
    assert codes(story.record, story.make(Decision, changes_code=True, checks=(bad, good))) == []


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_decision_that_changes_no_code_needs_no_check(outcome: Outcome) -> None:
    """R3: whatever its outcome."""
    story = Story()

    assert codes(story.record, story.make(Decision, outcome=outcome, changes_code=False)) == []


def test_a_check_of_another_record_carries_nothing() -> None:
    """R3 and R4: however it is named, it is not there."""
    story, other = Story(), Story(number=8)
    check = other.check()

    assert codes(story.record, story.make(Decision, changes_code=True, checks=(check,))) == ["R3", "R4"]


def test_a_check_made_afterwards_carries_nothing() -> None:
    """R3 and R4: a decision is judged by the record as its writer saw it."""
    story = Story()
    before = story.heads
    check = story.check()
    decision = story.say(Decision, changes_code=True, checks=(check,), after=before)

    assert codes(story.record.before(decision), story.record[decision]) == ["R3", "R4"]  # type: ignore[arg-type]


def test_only_a_check_is_a_check() -> None:
    """R3 and R4: a vote that is named as one is not."""
    story = Story()
    vote = story.vote()

    assert codes(story.record, story.make(Decision, changes_code=True, checks=(vote,))) == ["R3", "R4"]


# --- R5: a failing check


@pytest.mark.parametrize("named", [True, False], ids=["named", "not named"])
def test_adopting_over_a_failing_check_says_why(named: bool) -> None:
    """R5: whether the decision names the check or passes it over."""
    story = Story()
    failed, other = story.check(1), story.check(0, command=("true",))
    checks = (failed,) if named else (other,)
    (refusal,) = refusals(story.record, story.make(Decision, changes_code=True, checks=checks))

    assert refusal.code == "R5"
    assert refusal.message == f"a check fails: grep -q load (exit 1, {failed})"
    assert "--despite" in (refusal.hint or "")
    assert codes(story.record, story.make(Decision, changes_code=True, checks=checks, despite="known")) == []


@pytest.mark.parametrize("outcome", ["reject", "defer"])
def test_a_failing_check_refuses_no_rejection(outcome: Outcome) -> None:
    """R5: it is what a rejection rests on."""
    story = Story()
    failed = story.check(1)

    assert codes(story.record, story.make(Decision, outcome=outcome, checks=(failed,))) == []


def test_a_check_that_holds_by_now_refuses_nothing() -> None:
    """R5: until the same command fails again."""
    story = Story()
    story.check(1)
    story.check(0)
    assert codes(story.record, story.make(Decision)) == []

    story.check(1)
    assert codes(story.record, story.make(Decision)) == ["R5"]


def test_every_command_that_fails_is_said() -> None:
    """R5: each once, the long ones cut short, on one line."""
    story = Story()
    story.check(1)
    story.check(
        1, command='for name in a b c; do\n  grep -rq "def $name" src/engine src/loader src/cli\ndone'
    )
    said = refusals(story.record, story.make(Decision))

    assert [refusal.code for refusal in said] == ["R5", "R5"]
    assert "for name in a b c; do grep" in said[1].message
    assert len(said[1].message) < 160


def test_an_imported_decision_needs_neither() -> None:
    """R2 and R3: it is never live, so it may rest on what nobody here can name."""
    story = Story()
    story.check(1)

    assert codes(story.record, story.make(Decision, read=(), changes_code=True, imported=IMPORTED)) == []


def test_a_policy_wants_more_than_messages() -> None:
    """R2: under `verified: code` messages and tickets alone carry nothing, together with a path they do."""
    talk, path = Evidence(message="msg1625"), Evidence(path="src/engine/__init__.py")
    story = Story()
    story.vote(read=(talk,))
    adopted = story.make(Decision, read=(Evidence(ticket="ABC-1"),))

    assert codes(story.record, adopted) == []
    assert codes(story.record, adopted, verified="code") == ["R2"]
    assert codes(story.record, story.make(Decision, read=(talk, path)), verified="code") == []
    story.vote(actor="bo", read=(path,))
    assert codes(story.record, story.make(Decision, read=()), verified="code") == []
