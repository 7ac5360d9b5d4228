"""R8: a directive is owed one challenge."""

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Decision, Imported
from gitdecide.rules.reading import unlawful
from gitdecide.rules.warnings import warnings
from tests.entries.story import READ, Story
from tests.rules.judging import codes, refusals


def directive() -> Story:
    return Story(question="build it with X", origin="directive")


def test_a_directive_is_not_bound_before_its_challenge() -> None:
    """R8: whatever the outcome; an unread challenge is one, and a conflict or another record's is none."""
    told = directive()
    (refusal,) = refusals(told.record, told.make(Decision, outcome="defer"))

    assert refusal.code == "R8"
    assert refusal.hint == f"git decide challenge {told.name} CLAIM --read PATH"
    told.challenge(told.question, read=())
    assert codes(told.record, told.make(Decision)) == []


def test_there_is_no_second_challenge() -> None:
    """R8: whoever raises it, whatever it aims at; the refusal names the one that is spent."""
    told = directive()
    spent = told.challenge(told.question, actor="bob")
    (refusal,) = refusals(told.record, told.make(Challenge, actor="eve", target=spent))

    assert refusal.code == "R8"
    assert spent in refusal.message


def test_a_question_takes_any_number_of_challenges() -> None:
    """R8: only a directive counts them."""
    told = Story()
    told.challenge(told.question)

    assert codes(told.record, told.make(Challenge, target=told.question)) == []
    assert codes(told.record, told.make(Decision)) == []


def test_conflicts_are_neither_counted_nor_refused() -> None:
    """R8: a defect may always be shown, and is no challenge."""
    told = directive()
    told.challenge(told.question)
    decided = told.decide()
    conflict = told.make(Challenge, target=decided, severity="suboptimal", read=READ)
    told.challenge(decided, severity="invalidating")

    assert codes(told.record, conflict) == []
    assert len(told.record.objections) == 1


def test_challenges_made_apart_were_both_the_first() -> None:
    """R8: two clones that each spent it did no wrong, and a decision after both stands."""
    told = directive()
    for actor in ("bob", "eve"):
        told.challenge(told.question, actor=actor, after=[told.question])
    told.decide()

    assert list(unlawful(told.record)) == []
    assert told.record.status == "decided"
    assert codes(told.record, told.make(Challenge, target=told.question)) == ["R8"]


def test_a_decision_that_did_not_see_the_challenge_does_not_count() -> None:
    """R8: a challenge made apart from it came after nothing that it could answer."""
    told = directive()
    told.challenge(told.question, after=[told.question])
    told.decide(after=[told.question])

    assert ["R8" in damage.reason for damage in unlawful(told.record)] == [True]


def test_an_imported_decision_is_no_binding() -> None:
    """R8: it is never live, and binding it anew is held to the rule."""
    told = directive()
    imported = Imported(format="brief", path="b.yaml", blob="a" * 40)

    assert codes(told.record, told.make(Decision, imported=imported)) == []


def test_an_unanswered_challenge_of_a_directive_comes_back_in_briefs_alone() -> None:
    """It is residual there; a decision over it carries no warning, one over any other does."""
    told, other = directive(), Story()
    for each in (told, other):
        each.challenge(each.question)
        each.wait(minutes=5)
        each.decide()

    assert list(warnings(told.record)) == []
    assert len(list(warnings(other.record))) == 1


def test_a_directive_knows_itself() -> None:
    """Also before anything was said, and where its folder is damaged."""
    assert directive().record.directive
    assert not Story().record.directive
    assert not DecisionRecord(Story().name, {}).directive
