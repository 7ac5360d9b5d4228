"""R10: what a conflict with a decision rests on."""

from typing import Any, Literal

import pytest

from gitdecide.entries.types import Challenge, Settled
from gitdecide.rules.warnings import warnings
from tests.entries.story import READ, Story
from tests.rules.judging import codes, refusals

LABEL = Settled(label="user-directed", over="Redis", because="nothing to run")
Severity = Literal["suboptimal", "invalidating"]


def decided(**fields: Any) -> tuple[Story, str]:
    told = Story(options=("SQLite", "Redis"))
    return told, told.decide(decision="SQLite", **fields)


@pytest.mark.parametrize("severity", ["suboptimal", "invalidating"])
def test_a_conflict_names_what_was_read(severity: Severity) -> None:
    """R10: settled decisions are contradicted only on evidence, and on none of any severity."""
    told, target = decided()
    (refusal,) = refusals(told.record, told.make(Challenge, target=target, severity=severity))

    assert refusal.code == "R10"
    assert refusal.hint is not None
    assert f"--severity {severity}" in refusal.hint
    assert codes(told.record, told.make(Challenge, target=target, severity=severity, read=READ)) == []
    assert codes(told.record, told.make(Challenge, target=target)) == []


@pytest.mark.parametrize("settled", [None, LABEL])
def test_a_label_never_suppresses_defect_evidence(settled: Settled | None) -> None:
    """R10: with and without a label an invalidating conflict blocks, and a suboptimal one is called out."""
    told, target = decided(settled=settled)
    mild = told.challenge(target, severity="suboptimal")
    assert (told.record.status, [one.id for one in told.record.conflicts]) == ("decided", [mild])

    grave = told.challenge(target, severity="invalidating")
    assert told.record.status == "blocked"
    assert {one.id for one in told.record.conflicts} == {mild, grave}


def test_superseding_ends_a_conflict() -> None:
    """R10: it stands against a decision that nothing replaced."""
    told, target = decided()
    told.challenge(target, severity="invalidating")
    told.decide(decision="Redis", supersedes=(target,))

    assert told.record.status == "decided"
    assert told.record.conflicts == []


@pytest.mark.parametrize(
    ("answer", "ends"),
    [
        ({"actor": "bob", "read": READ}, True),
        ({"actor": "bob", "read": ()}, False),
        ({"actor": "eve", "read": READ}, False),
        ({"actor": "bob", "read": READ, "outcome": "accept"}, False),
    ],
    ids=["another, after reading", "unread", "its author", "accepted"],
)
@pytest.mark.parametrize("severity", ["suboptimal", "invalidating"])
def test_a_conflict_stands_until_somebody_else_rejects_it(
    severity: Severity, answer: dict[str, Any], ends: bool
) -> None:
    """R10: naming what was read; an accepted one stays, and a rejection that ends nothing is pointed out."""
    told, target = decided()
    told.answer(told.challenge(target, actor="eve", severity=severity), **answer)

    assert (told.record.conflicts == []) is ends
    warned = [warning for warning in warnings(told.record) if "leaves the conflict" in warning]
    assert len(warned) == (not ends and answer.get("outcome") != "accept")
