import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Clock, Decide, GitRunner

Check = Callable[..., str]
ELSEWHERE: dict[str, Any] = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "decide.ref",
    "GIT_CONFIG_VALUE_0": "refs/other",
}
"""The variables by which the log is another ref for one command."""


def test_a_bound_decision_keeps_all_that_was_said(
    decide: Decide, record: str, check: Check, shown: Shown
) -> None:
    """Reading, checks, backing votes, answers, and words are stored; adopt is taken to change code."""
    holds = check()
    vote = decide("vote", record, "inform", "-m", "x", "--read", "src/app.py").id
    challenge = decide("challenge", record, "not so").id
    said = ("--rationale", "r", "--dissent", "d", "--confidence", "1", "--governs", "src")
    decide("bind", record, "adopt", "add it", "--check", holds[:5], "--answers", challenge[:5], *said)

    decision = shown(record)["entries"][-1]
    assert (decision["outcome"], decision["decision"], decision["changes_code"]) == ("adopt", "add it", True)
    assert (decision["checks"], decision["backed_by"], decision["answers"]) == ([holds], [vote], [challenge])
    assert (decision["rationale"], decision["dissent"], decision["governs"]) == ("r", "d", ["src"])


@pytest.mark.parametrize(
    ("outcome", "flags", "changes"),
    [
        ("reject", (), False),
        ("defer", (), False),
        ("adopt", ("--no-code",), False),
        ("reject", ("--code",), True),
    ],
)
def test_whether_code_changes_can_be_said(
    decide: Decide,
    record: str,
    check: Check,
    shown: Shown,
    outcome: str,
    flags: tuple[str, ...],
    changes: bool,
) -> None:
    """R3: reject and defer are not taken to change code, and both flags say otherwise."""
    check()
    decide("bind", record, outcome, "x", "--read", "src/app.py", "--check", "last", *flags)

    assert shown(record)["entries"][-1]["changes_code"] is changes


def test_the_last_check_is_named(decide: Decide, record: str, check: Check, shown: Shown) -> None:
    """--check last is the newest check of the record, also when it is named by its id as well."""
    check(1, "false")
    newest = check()
    done = decide("bind", record, "reject", "x", "--read", "src/app.py", "--check", newest, "--check", "last")

    assert done.stderr == f"the last check is {newest}\n"
    assert shown(record)["entries"][-1]["checks"] == [newest]


def test_a_dry_run_says_what_would_happen(
    refuses: Refuses, decide: Decide, record: str, check: Check
) -> None:
    """--dry-run judges as bind does, and writes nothing."""
    newest = check(1, "false")
    words = ("bind", record, "reject", "no", "--read", "src/app.py", "--check", "last", "--dry-run")
    done, facts = decide(*words), decide(*words, "--json")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"would bind: reject: no\nthe last check is {newest}\n"
    assert json.loads(facts.stdout) == {"version": 1, "name": record, "id": None}
    assert refuses(1, "bind", record, "reject", "x", "--dry-run").startswith("refused [R2]: ")
    assert json.loads(decide("show", record, "--json").stdout)["status"] == "open"


def test_every_refusal_is_said(decide: Decide, record: str, check: Check) -> None:
    """One line for each rule, and the hint that would help beneath it."""
    failed = check(1, "false")
    refused = decide("bind", record, "adopt", "add it")

    assert (refused.exit_code, refused.stdout) == (1, "")
    lines = refused.stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "refused [R2]", "hint", "refused [R3]", "hint", "refused [R5]", "hint",
    ]  # fmt: skip
    assert failed in lines[4]


def test_adopting_over_a_failing_check_says_why(
    decide: Decide, record: str, check: Check, shown: Shown
) -> None:
    """R5: --despite carries it, and stays."""
    check(1, "false")
    words = ("bind", record, "adopt", "x", "--read", "src/app.py", "--check", "last")

    assert decide(*words).exit_code == 1
    assert decide(*words, "--despite", "known flake").exit_code == 0
    assert shown(record)["entries"][-1]["despite"] == "known flake"
    assert "    despite: known flake\n" in decide("show", record).stdout


def test_a_check_of_another_record_is_refused(decide: Decide, refuses: Refuses, record: str) -> None:
    """R3: a decision rests on checks of its own record."""
    other = decide("ask", "Other?").id
    foreign = decide("check", other, "--", "true").id
    words = ("bind", record, "adopt", "x", "--read", "src/app.py", "--check", foreign)

    assert refuses(3, *words).startswith(f"error: {foreign} is no entry of {record}\nhint: ")


def test_only_checks_are_named_as_checks(decide: Decide, refuses: Refuses, record: str) -> None:
    """R4: a vote is no check."""
    vote = decide("vote", record, "inform", "-m", "x", "--read", "src/app.py").id
    said = refuses(1, "bind", record, "reject", "x", "--check", vote)

    assert said == f"refused [R4]: expected a check, not the vote {vote}\n"


def test_the_last_check_of_a_record_without_one(refuses: Refuses, record: str) -> None:
    """--check last needs a check, and the hint says how to get one."""
    said = refuses(3, "bind", record, "adopt", "x", "--check", "last")

    assert said == f"error: {record} has no check\nhint: git decide check {record} -- COMMAND\n"


def test_a_decided_record_is_not_bound_again(decide: Decide, refuses: Refuses, record: str) -> None:
    """R4: a change is supersede."""
    words = ("bind", record, "reject", "no", "--read", "src/app.py")
    decide(*words)
    said = refuses(1, *words)

    assert said.startswith(f"refused [R4]: {record} is decided already: decisions are immutable\n")
    assert f"hint: git decide supersede {record} OUTCOME TEXT -m REASON\n" in said


@pytest.mark.parametrize(
    ("name", "exit_code", "problem"),
    [
        ("DR-9", 3, "no decision record DR-9"),
        ("DR-001-ffffffff", 3, "no decision record DR-001-ffffffff"),
        ("0123456789", 3, "no decision record 0123456789"),
        ("nonsense", 2, "not the name of a decision record: nonsense"),
        ("DR-", 2, "not the name of a decision record: DR-"),
        ("DR-1x", 2, "not the name of a decision record: DR-1x"),
        ("", 2, "not the name of a decision record: "),
        ("DR-1\n", 2, "not the name of a decision record: DR-1\\n"),
    ],
)
def test_a_name_of_nothing_is_said_to_be_one(
    refuses: Refuses, record: str, name: str, exit_code: int, problem: str
) -> None:
    """Unknown names cannot be found, malformed ones are no names."""
    for words in (("bind", name, "reject", "x"), ("show", name), ("vote", name, "inform", "-m", "x")):
        assert refuses(exit_code, *words).startswith(f"error: {problem}\nhint: ")


@pytest.mark.parametrize("form", ["DR-1", "dr-001", "DR-000001", "{0}", "{1}"])
def test_a_record_has_many_names(decide: Decide, record: str, form: str) -> None:
    """A number, a full name, or the beginning of an entry's id."""
    vote = decide("vote", record, "inform", "-m", "x").id
    name = form.format(record[:9], vote[:7])

    assert decide("bind", name, "reject", "no", "--read", "src/app.py").exit_code == 0


def test_an_ambiguous_name_lists_what_it_may_be(
    decide: Decide, refuses: Refuses, record: str, repo: Path, git: GitRunner
) -> None:
    """Two clones gave DR-001: short names stop, full names always work."""
    git(repo, "update-ref", "refs/other", "refs/decisions/log~1")
    other = decide("ask", "Asked elsewhere?", **ELSEWHERE).id
    both = ("refs/decisions/log", "refs/other")
    merged = git(repo, "merge-tree", "--write-tree", *both)
    commit = git(repo, "commit-tree", "-m", "merge", "-p", both[0], "-p", both[1], merged)
    git(repo, "update-ref", "refs/decisions/log", commit)

    names = ", ".join(sorted([record, other]))
    for name in ("DR-1", "DR-001"):
        said = refuses(3, "vote", name, "inform", "-m", "x")
        assert said == f"error: {name} is ambiguous: {names}\nhint: full names always work\n"
    for full in (record, other):
        assert decide("vote", full, "inform", "-m", "x").exit_code == 0
        assert decide("show", full[:-1]).stdout.startswith(full)


def test_the_policy_of_head_says_what_verifies(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """R2: under `verified: code` what was read in messages alone does not bind."""
    (repo / ".gitdecide.yaml").write_text("verified: code\n")
    words = ("bind", record, "reject", "no", "--dry-run", "--read")
    assert decide(*words, "message:msg1625").exit_code == 0

    git(repo, "add", ".gitdecide.yaml")
    git(repo, "commit", "-qm", "A policy")

    refused = decide(*words, "message:msg1625")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
        1,
        "refused [R2]: only messages and tickets carry this decision, and the policy wants more",
    )
    assert decide(*words, "src/app.py").exit_code == 0


def test_a_policy_that_cannot_be_read_is_warned_of(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """It must not stop its own repair, and it must not be passed over in silence."""
    (repo / ".gitdecide.yaml").write_text("code: [src]\nrequired: linked\n")
    git(repo, "add", ".gitdecide.yaml")
    git(repo, "commit", "-qm", "A policy")

    bound = decide("bind", record, "reject", "no", "--read", "src/app.py")

    assert bound.exit_code == 0
    assert "warning: .gitdecide.yaml: line 2: " in bound.stderr


def test_what_now_stands_against_it_is_said_at_once(decide: Decide, record: str) -> None:
    """A verified opposition that a decision is bound over is no surprise of a later day."""
    vote = decide("vote", record, "oppose", "-m", "no", "--read", "src/app.py", "--as", "bo").id

    bound = decide("bind", record, "adopt", "yes", "--no-code", "--read", "src/app.py")

    assert bound.stderr == f"warning: decided over the verified opposition {vote} by bo\n"


def test_a_decision_is_looked_at_again_in_time(
    record: str, decide: Decide, shown: Shown, clock: Clock
) -> None:
    """--review-by is kept, and show warns from the day after."""
    review = ("--review-by", "2026-10-20")
    bound = decide("bind", record, "adopt", "yes", "--no-code", "--read", "src/app.py", *review)

    assert shown(record)["entries"][-1]["review_by"] == "2026-10-20"
    assert (bound.stderr, shown(record)["warnings"]) == ("", [])
    clock.pass_(days=2)
    warning = f"the decision {bound.id} was to be reviewed by 2026-10-20"
    assert shown(record)["warnings"] == [warning]
    assert f"warning: {warning}\n" in decide("show", record).stdout


@pytest.mark.parametrize("day", ["soon", "2026-02-30", "20261019", "2026-W43-1", "2026-1-1"])
def test_a_review_is_on_a_day_of_the_calendar(day: str, record: str, refuses: Refuses) -> None:
    """In the one form that the log takes."""
    said = refuses(2, "bind", record, "adopt", "yes", "--no-code", "--read", "src/app.py", "--review-by", day)

    assert f"'{day}' is not a day, such as 2026-10-19" in said
