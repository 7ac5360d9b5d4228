from pathlib import Path

import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner

READ = ("--read", "src/app.py")
LABEL = ("--settled", "user-directed", "--over", "Redis", "--because", "nothing to run")


@pytest.fixture
def store(decide: Decide, log: None) -> str:
    """A settled decision that a commit may link."""
    name = decide("ask", "Which store?", "--option", "SQLite", "--option", "Redis").id
    decide("check", name, "--report", "0", "-c", "true")
    assert decide("bind", name, "adopt", "SQLite", *READ, "--check", "last", *LABEL).id
    return name


@pytest.fixture
def commit(repo: Path, git: GitRunner, store: str) -> None:
    """A commit of code that links it."""
    (repo / "src" / "app.py").write_text("x = 2\n")
    git(repo, "commit", "-qam", f"change\n\nDecision: {store}")


def test_research_contradicts_only_on_evidence(refuses: Refuses, store: str) -> None:
    """Without anything read a conflict is refused, whatever its severity."""
    for severity in ("suboptimal", "invalidating"):
        said = refuses(1, "conflict", store, "--severity", severity, "-m", "it is slow")
        assert said.startswith("refused [R10]: ")


def test_suboptimal_proceeds_as_settled_with_a_call_out(decide: Decide, store: str, commit: None) -> None:
    """The decision shows it wherever it is shown, and the gate lets it pass."""
    decide("conflict", store, "--severity", "suboptimal", "-m", "it is slow\nreally", *READ)

    assert "    conflict: suboptimal, it is slow really, by Ada (" in decide("show", store).stdout
    assert "[conflict]" in decide("list").stdout
    assert "[conflict]" in decide("why", "src/app.py").stdout
    assert (
        "\nconflict: suboptimal, it is slow really, by Ada ("
        in decide("show", store, "--format", "markdown").stdout
    )
    assert "  conflict, suboptimal: it is slow really, by Ada" in decide("brief").stdout
    assert decide("verify", "HEAD~1..HEAD").exit_code == 0


def test_invalidating_stops_as_blocked(decide: Decide, store: str, commit: None) -> None:
    """The record is blocked and the gate refuses with G7; the label hides nothing."""
    conflict = decide("conflict", store, "--severity", "invalidating", "-m", "it loses rows", *READ).id

    done = decide("verify", "HEAD~1..HEAD")
    assert done.exit_code == 1
    assert "refused [G7]: " in done.stdout
    assert f"{store} is blocked by the conflict {conflict}" in done.stdout
    assert decide("list").stdout.split()[1] == "blocked"
    told = decide("brief").stdout
    assert "session-settled: user-directed" in told
    assert "  conflict, invalidating: it loses rows, by Ada" in told


def test_an_accepted_conflict_keeps_blocking(decide: Decide, store: str, commit: None) -> None:
    """Only a rejection by somebody else who read something, or a new decision, ends it."""
    conflict = decide("conflict", store, "--severity", "invalidating", "-m", "it loses rows", *READ).id
    for answer in (("accept", *READ, "--as", "bob"), ("reject", "--as", "bob"), ("reject", *READ)):
        decide("answer", store, conflict, *answer, "-m", "because")
        assert decide("verify", "HEAD~1..HEAD").exit_code == 1, answer

    decide("answer", store, conflict, "reject", *READ, "--as", "bob", "-m", "it does not")
    assert decide("verify", "HEAD~1..HEAD").exit_code == 0
    assert "conflict:" not in decide("show", store).stdout


def test_superseding_ends_it(decide: Decide, store: str) -> None:
    """The old decision keeps its label, and nothing blocks the new one."""
    decide("conflict", store, "--severity", "invalidating", "-m", "it loses rows", *READ)
    decide("supersede", store, "adopt", "Redis", *READ, "-m", "rows", "--check", "last")

    assert decide("list").stdout.split()[1] == "decided"
    assert "(session-settled: user-directed — chosen over Redis" in decide("show", store).stdout
    assert "Carrying forward" not in decide("brief").stdout


def test_a_conflict_is_with_a_decision(decide: Decide, refuses: Refuses, record: str) -> None:
    """An open record has none, and a contested one needs its name."""
    words = ("--severity", "suboptimal", "-m", "x", *READ)

    told = refuses(3, "conflict", record, *words)
    assert "has no decision that stands" in told
    assert "hint: git decide challenge" in told
    vote = decide("vote", record, "inform", "-m", "x", *READ).id
    assert "refused [R4]" in refuses(1, "conflict", record, *words, "--target", vote)
    assert refuses(2, "conflict", record, "-m", "x", *READ)
