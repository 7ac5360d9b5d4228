from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide


@pytest.fixture
def bound(decide: Decide, record: str) -> str:
    """The decision of `record`, which rests on a check."""
    decide("check", record, "-c", "true")
    return decide("bind", record, "adopt", "add it", "--read", "src/app.py", "--check", "last").id


def test_a_change_replaces_the_live_decision(decide: Decide, record: str, bound: str, shown: Shown) -> None:
    """The old decision stays and is shown as superseded; its check is kept; the reason is stored."""
    change = decide("supersede", record, "adopt", "add less", "-m", "too much", "--read", "src/app.py").id

    record_ = shown(record)
    new, old = record_["entries"][-1], record_["entries"][-2]
    assert (new["id"], new["supersedes"], new["reason"]) == (change, [bound], "too much")
    assert new["checks"] == old["checks"] != []
    assert record_["live"] == [change]
    assert f"[superseded by {change[:8]}]" in decide("show", record).stdout


def test_new_checks_take_the_place_of_the_old(decide: Decide, record: str, bound: str, shown: Shown) -> None:
    """--check names what the new decision rests on."""
    newest = decide("check", record, "-c", "test 1").id
    words = ("supersede", record, "adopt", "x", "-m", "y", "--read", "src/app.py", "--check", "last")
    assert decide(*words).stderr == f"the last check is {newest}\n"

    assert shown(record)["entries"][-1]["checks"] == [newest]


def test_an_undecided_record_has_nothing_to_supersede(refuses: Refuses, record: str) -> None:
    """R4: there must be a decision, and the hint names bind."""
    said = refuses(1, "supersede", record, "reject", "x", "-m", "y", "--read", "src/app.py")

    assert said.startswith(
        f"refused [R4]: {record} has no decision to supersede\nhint: git decide bind {record}"
    )


def test_a_superseded_decision_is_not_superseded_again(
    decide: Decide, refuses: Refuses, record: str, bound: str
) -> None:
    """R4: what is not live cannot be replaced."""
    change = decide("supersede", record, "defer", "later", "-m", "y", "--read", "src/app.py").id
    words = ("supersede", record, "reject", "x", "-m", "y", "--read", "src/app.py", "--replaces", bound)

    assert refuses(1, *words).startswith(f"refused [R4]: {bound} is superseded already, by {change}\n")


def test_only_decisions_are_superseded(decide: Decide, refuses: Refuses, record: str, bound: str) -> None:
    """R4: a vote cannot be replaced."""
    vote = decide("vote", record, "inform", "-m", "x").id
    words = ("supersede", record, "reject", "x", "-m", "y", "--read", "src/app.py", "--replaces", vote)

    assert refuses(1, *words).startswith(
        f"refused [R4]: only decisions are superseded, not the vote {vote}\n"
    )


def test_a_decision_can_replace_one_of_another_record(
    decide: Decide, record: str, bound: str, shown: Shown, repo: Path, git: Callable[..., str]
) -> None:
    """The other record learns of it in the same commit, and is superseded."""
    other = decide("ask", "A wider question?").id
    words = ("supersede", other, "reject", "neither", "-m", "wider", "--read", "src/app.py")
    wide = decide(*words, "--replaces", f"DR-001:{bound[:6]}").id

    assert shown(other)["entries"][-1]["supersedes"] == [f"{record}:{bound}"]
    assert shown(record)["status"] == "superseded"
    assert shown(record)["entries"][-1]["by"] == f"{other}:{wide}"
    added = git(repo, "show", "--format=", "--name-only", "refs/decisions/log").splitlines()
    assert [Path(path).parent.name for path in added] == [record, other]


@pytest.mark.parametrize(
    ("reference", "exit_code", "problem"),
    [
        ("DR-9:abcd", 3, "no decision record DR-9"),
        ("DR-001:ffff", 3, "ffff is no entry of"),
        ("ffff", 3, "ffff is no entry of"),
        ("ab", 3, "ab is no entry of"),
        ("nonsense:abcd", 2, "not the name of a decision record: nonsense"),
    ],
)
def test_a_replaced_decision_must_be_there(
    refuses: Refuses, record: str, bound: str, reference: str, exit_code: int, problem: str
) -> None:
    """Nothing dangling: a reference to nothing is said to be one."""
    words = ("supersede", record, "reject", "x", "-m", "y", "--read", "src/app.py", "--replaces", reference)

    assert refuses(exit_code, *words).startswith(f"error: {problem}")


def test_a_reason_is_required(refuses: Refuses, record: str, bound: str) -> None:
    """A change says why."""
    said = refuses(2, "supersede", record, "reject", "x")

    assert said == "error: missing option '-m' / '--reason'\nhint: git decide supersede -h\n"


def test_a_dry_run_changes_nothing(decide: Decide, record: str, bound: str, shown: Shown) -> None:
    """--dry-run of a change judges and writes nothing."""
    words = ("supersede", record, "reject", "no", "-m", "y", "--read", "src/app.py", "--dry-run")

    assert decide(*words).stderr == "would bind: reject: no\n"
    assert shown(record)["live"] == [bound]
