import json
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Decide, GitRunner


def linked(repo: Path, git: GitRunner) -> str:
    """What the configuration has for main."""
    return git(repo, "config", "--default", "", "branch.main.decide")


@pytest.fixture
def decided(decide: Decide, record: str) -> str:
    """A record with an adopted decision, which lets code in."""
    decide("check", record, "--", "true")
    assert decide("bind", record, "adopt", "yes", "--read", "src/app.py", "--check", "last").exit_code == 0
    return record


def test_a_branch_is_linked_by_full_name(repo: Path, git: GitRunner, decide: Decide, decided: str) -> None:
    """A short name is typed, and the name that is never ambiguous is kept."""
    assert decide("link", "DR-1") == (0, "", f"main is linked to {decided}\n")

    assert linked(repo, git) == decided


def test_unlinking_takes_the_link_away_and_does_it_twice(
    repo: Path, git: GitRunner, decide: Decide, decided: str
) -> None:
    """The second time there is nothing left to do, which is no fault."""
    decide("link", decided)

    for _ in range(2):
        assert decide("unlink") == (0, "", "main is linked to no decision\n")
        assert linked(repo, git) == ""


def test_programs_read_what_was_linked(decide: Decide, decided: str) -> None:
    """--json prints the branch and the record."""
    said = json.loads(decide("link", decided, "--json").stdout)
    assert (said["branch"], said["name"], said["status"]) == ("main", decided, "decided")

    assert json.loads(decide("unlink", "--json").stdout) == {"version": 1, "branch": "main", "name": None}


def test_an_undecided_record_is_linked_with_a_warning(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """Work may begin before the decision; code will have to wait."""
    done = decide("link", record)

    assert done.exit_code == 0
    assert f"warning: {record} is open: commits that change code will be refused\n" in done.stderr
    assert linked(repo, git) == record


@pytest.mark.parametrize(
    ("outcome", "problem"), [("reject", "rejects this"), ("adopt", "has no premise check that ran")]
)
def test_a_decision_that_lets_no_code_in_is_linked_with_a_warning(
    decide: Decide, record: str, outcome: str, problem: str
) -> None:
    """Whoever links a rejection, or what nobody checked, is not to learn it from the hook."""
    decide("bind", record, outcome, "so be it", "--no-code", "--read", "src/app.py")
    done = decide("link", record)

    assert done.exit_code == 0
    assert f"warning: {record} {problem}: commits that change code will be refused\n" in done.stderr


def test_a_damaged_record_is_linked_with_a_warning(
    repo: Path, git: GitRunner, decide: Decide, record: str, by_hand: ByHand
) -> None:
    """Damage is said, and stops only what the gate guards."""
    by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", "type: vote\n")

    done = decide("link", record)

    assert done.exit_code == 0
    assert f"warning: {record} is damaged: " in done.stderr
    assert linked(repo, git) == record


def test_what_names_no_record_is_not_linked(
    repo: Path, git: GitRunner, refuses: Refuses, record: str
) -> None:
    """A mistyped name leaves the branch as it was."""
    refuses(3, "link", "DR-9")

    assert linked(repo, git) == ""


@pytest.mark.parametrize("words", [("link", "DR-1"), ("unlink",)])
def test_a_detached_head_takes_no_link(
    repo: Path, git: GitRunner, refuses: Refuses, record: str, words: tuple[str, ...]
) -> None:
    """It says where to go."""
    git(repo, "checkout", "-q", "--detach")

    assert refuses(3, *words) == "error: HEAD is on no branch\nhint: git switch BRANCH\n"


def test_without_a_name_the_link_is_shown(decide: Decide, decided: str) -> None:
    """The full name on standard output, or a word that there is none."""
    assert decide("link") == (0, "", "the branch is linked to no decision\n")
    decide("link", "DR-1")

    assert decide("link") == (0, f"{decided}\n", "")
    assert json.loads(decide("link", "--json").stdout) == {"version": 1, "name": decided}
