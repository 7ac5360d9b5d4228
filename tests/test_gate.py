"""The gate: which states of a linked decision let code pass, told without a repository."""

from collections.abc import Callable
from typing import Any

import pytest

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Close, Imported
from gitdecide.gate import ALWAYS, GATE, Change, Finding, judge, shown
from gitdecide.policy import Policy
from tests.entries.story import READ, Story, foreign

CODE = ("src/app.py",)
IMPORTED = Imported(format="madr", path="docs/adr/0001.md", blob="a" * 40)


def told(*steps: Callable[[Story], Any]) -> DecisionRecord:
    """The record of a story that these steps tell."""
    story = Story()
    for step in steps:
        step(story)
    return story.record


def bind(outcome: str = "adopt", **fields: Any) -> Callable[[Story], Any]:
    """Decide, naming every check so far."""

    def step(story: Story) -> None:
        checks = [each.blob for each in story.files if each.name.startswith("check-")]
        story.decide(outcome, checks=tuple(checks), **fields)

    return step


def check(exit_code: int = 0, **fields: Any) -> Callable[[Story], Any]:
    return lambda story: story.check(exit_code, **fields)


def not_applicable(story: Story) -> None:
    story.say(Check, result="not_applicable", command=None, exit_code=None, note="only words")


def blob(story: Story, kind: str) -> str:
    """The id of the newest entry of a type."""
    return [each.blob for each in story.files if each.name.startswith(f"{kind}-")][-1]


def decide_apart(story: Story) -> None:
    before = story.heads
    for text in ("one way", "the other way"):
        story.decide(decision=text, after=before, checks=(blob(story, "check"),))


def supersede(story: Story, outcome: str = "adopt", **fields: Any) -> None:
    story.decide(outcome, decision="anew", supersedes=(blob(story, "decision"),), reason="why", **fields)


def replace_elsewhere(story: Story) -> None:
    story.replaced(blob(story, "decision"), foreign())


def replace_twice(story: Story) -> None:
    story.replaced(blob(story, "decision"), foreign())
    story.replaced(blob(story, "decision"), foreign("e" * 40))


def object_(story: Story, severity: str = "invalidating") -> None:
    story.challenge(blob(story, "decision"), actor="bob", severity=severity)


STATES: dict[str, tuple[DecisionRecord, list[str]]] = {
    "open": (told(), ["G2"]),
    "checked, not decided": (told(check()), ["G2"]),
    "closed": (told(lambda story: story.say(Close)), ["G2"]),
    "only imported": (told(check(), bind(imported=IMPORTED)), ["G2"]),
    "imported, then bound": (told(check(), bind(imported=IMPORTED), bind(decision="now")), []),
    "contested": (told(check(), decide_apart), ["G3"]),
    "replaced twice elsewhere": (told(check(), bind(), replace_twice), ["G3"]),
    "superseded elsewhere": (told(check(), bind(), replace_elsewhere), ["G4"]),
    "rejected": (told(check(), bind("reject")), ["G5"]),
    "deferred": (told(check(), bind("defer")), ["G5"]),
    "adopted, then rejected": (told(check(), bind(), lambda story: supersede(story, "reject")), ["G5"]),
    "no check": (told(bind()), ["G6"]),
    "a check that came too late": (told(bind(), check()), ["G6"]),
    "an inconclusive check": (told(check(2), bind()), ["G6"]),
    "a check that does not apply": (
        told(not_applicable, bind()),
        ["G6"],
    ),
    "superseded without its check": (told(check(), bind(), supersede), ["G6"]),
    "a check that holds": (told(check(), bind()), []),
    "a check that was reported": (told(check(source="reported"), bind()), []),
    "a check that fails, adopted despite it": (told(check(1), bind(despite="known")), []),
    "one good check of two": (told(check(2), check(), bind()), []),
    "superseded with its check": (
        told(check(), bind(), lambda story: supersede(story, checks=(blob(story, "check"),))),
        [],
    ),
    "blocked": (told(check(), bind(), object_), ["G7"]),
    "a conflict that was rejected": (
        told(check(), bind(), object_, lambda story: story.answer(blob(story, "challenge"), read=READ)),
        [],
    ),
    "a lesser conflict": (told(check(), bind(), lambda story: object_(story, "suboptimal")), []),
}


@pytest.mark.parametrize("state", STATES)
def test_a_state_has_its_code(state: str) -> None:
    """Code passes only under an adoption that rests on a check that answered, and nothing stands against."""
    record, codes = STATES[state]

    findings = judge(Change(CODE, ["DR-7"]), {"DR-7": record}, Policy())

    assert [finding.code for finding in findings] == codes
    for finding in findings:
        assert str(record.name) in finding.message
        assert finding.message.endswith(" (src/app.py)")
        assert finding.hint


@pytest.mark.parametrize("state", STATES)
def test_no_state_matters_where_no_code_changes(state: str) -> None:
    """Documents need no decision, whatever they are linked to and whatever the policy asks."""
    record, _ = STATES[state]

    assert judge(Change((), ["DR-7"]), {"DR-7": record}, Policy(require="linked")) == []


def test_every_linked_decision_must_pass() -> None:
    """One good link does not make up for a bad one, and a name that means nothing is a finding."""
    good, bad = STATES["a check that holds"][0], STATES["no check"][0]

    findings = judge(
        Change(CODE, ["DR-1", "DR-2", "DR-3"]),
        {"DR-1": good, "DR-2": bad, "DR-3": "no record DR-3"},
        Policy(),
    )

    assert [finding.code for finding in findings] == ["G6", "G1"]
    assert findings[1].message == "no record DR-3 (src/app.py)"


def test_a_decision_is_asked_for_only_by_policy() -> None:
    """Under `require: linked` code names a decision, or says why none; else nothing is asked."""
    asked = Policy(require="linked")

    assert judge(Change(CODE, ()), {}, Policy()) == []
    assert [finding.code for finding in judge(Change(CODE, ()), {}, asked)] == ["G8"]
    assert judge(Change(CODE, (), waiver="a typo"), {}, asked) == []
    assert judge(Change(CODE, ["DR-7"]), {"DR-7": STATES["a check that holds"][0]}, asked) == []


def test_the_mend_of_a_missing_check_is_named() -> None:
    """The hint holds the two commands that make the commit pass."""
    record, _ = STATES["no check"]

    (finding,) = judge(Change(CODE, ["DR-7"]), {"DR-7": record}, Policy())

    assert finding.message == f"{record.name} has no premise check that ran (src/app.py)"
    assert finding.hint == (
        f"git decide check {record.name} -- COMMAND, "
        f"then git decide supersede {record.name} adopt … --check last"
    )


def test_what_can_arise_later_is_told_from_what_cannot() -> None:
    """Unknown names and missing links are as wrong when a commit is made as ever after."""
    lasting = {code for code in GATE if Finding(code, "", None, None).lasting}

    assert lasting == set(ALWAYS) == {"G1", "G8"}
    assert list(GATE) == [f"G{number}" for number in range(1, 9)]


def test_a_finding_about_a_commit_names_it() -> None:
    """The line begins with the commit; for the one that is being made there is none."""
    assert Finding("G6", "no check", None, "a" * 40).line == f"{'a' * 12}: no check"
    assert Finding("G6", "no check", None, None).line == "no check"


@pytest.mark.parametrize(
    ("paths", "text"), [(["a"], "a"), (["a", "b", "c"], "a, b, c"), (list("abcde"), "a, b, c and 2 more")]
)
def test_long_lists_of_paths_are_cut(paths: list[str], text: str) -> None:
    """A finding names the first few paths, and says how many more there are."""
    assert shown(paths) == text
