import json
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Decide, GitRunner


@pytest.fixture
def records(decide: Decide, log: None, repo: Path, git: GitRunner) -> list[str]:
    """A decided record that a commit links, and an open one."""
    names = [decide("ask", question).id for question in ("Left?", "Right?")]
    decide("bind", names[0], "adopt", "left", "--no-code", "--read", "src/app.py")
    git(repo, "commit", "-qm", f"Go left\n\nDecision: {names[0]}", "--allow-empty")
    return names


def ids(decide: Decide, *args: str) -> list[str]:
    found = json.loads(decide("graph", "--format", "json", *args).id)
    return [node["id"] for node in found["nodes"]]


def test_all_records_are_drawn_with_their_commits(
    records: list[str], repo: Path, git: GitRunner, decide: Decide
) -> None:
    """In the order of their numbers, as a flowchart unless something else is asked for."""
    commit = f"commit-{git(repo, 'rev-parse', 'HEAD')}"

    assert ids(decide) == [*map(str.lower, records), commit]
    assert decide("graph").stdout.startswith("flowchart LR\n  dr_001_")
    assert decide("graph", "--format", "dot").stdout.startswith("digraph decisions {\n")
    assert decide("graph", "--json").stdout == decide("graph", "--format", "json").stdout


def test_the_same_log_gives_the_same_graph(records: list[str], decide: Decide) -> None:
    """Ids and order are stable."""
    for view in ("mermaid", "dot", "json"):
        assert decide("graph", "--format", view) == decide("graph", "--format", view)


def test_only_some_records_can_be_drawn(records: list[str], decide: Decide) -> None:
    """By name and by status."""
    assert ids(decide, "DR-2") == [records[1].lower()]
    assert ids(decide, "--status", "open") == [records[1].lower()]
    assert ids(decide, "DR-1", "--status", "open") == []
    assert len(ids(decide, "--status", "open", "--status", "decided")) == 3


def test_a_damaged_record_is_left_out_and_named(records: list[str], decide: Decide, by_hand: ByHand) -> None:
    """Exit 4, and the others are drawn."""
    by_hand(f"decisions/DR-0xxx/{records[1]}/vote-{{id}}.yaml", "nonsense\n")

    done = decide("graph")

    assert done.exit_code == 4
    assert done.stderr.startswith(f"warning: left out: {records[1]} is damaged: vote-")
    assert "dr_001" in done.stdout
    assert "dr_002" not in done.stdout


def test_a_name_of_nothing_fails(records: list[str], refuses: Refuses) -> None:
    """Exit 3, and nothing is drawn."""
    assert "no decision record DR-9" in refuses(3, "graph", "DR-9")
