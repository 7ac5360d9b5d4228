import json
from pathlib import Path

from tests.commands.conftest import ByHand
from tests.conftest import Clock, Decide, GitRunner


def test_an_empty_log_has_nothing_to_count(decide: Decide, log: None) -> None:
    """Zeros, and no error."""
    said = json.loads(decide("stats", "--json").stdout)

    assert said["records"] == said["checks"] == {}
    assert (said["votes"]["verified"], said["answers"]["median_seconds"]) == (0, None)
    assert decide("stats").stdout.splitlines() == [
        "records  0", "votes  0 verified, 0 not", "checks  0", "challenges  0, 0 unanswered",
        "evidence  0 fresh, 0 changed, 0 gone, 0 not committed",
    ]  # fmt: skip


def test_votes_and_checks_are_counted(decide: Decide, record: str) -> None:
    """By who gave them and with which model, verified and not; results by where the command ran."""
    for who, model in (("a", "m1"), ("b", "m1"), ("c", "m2")):
        read = ("--read", "src/app.py", "--model", model)
        assert decide("vote", record, "support", "-m", "x", *read, "--as", who).exit_code == 0
    decide("vote", record, "support", "-m", "x", "--as", "a")
    decide("check", record, "--", "true")
    decide("check", record, "--report", "1", "-c", "false")

    said = json.loads(decide("stats", "--json").stdout)

    assert said["records"] == {"open": 1}
    assert said["votes"] == {
        "verified": 3,
        "unverified": 1,
        "by_actor": {
            "a": {"verified": 1, "unverified": 1},
            "b": {"verified": 1, "unverified": 0},
            "c": {"verified": 1, "unverified": 0},
        },
        "by_model": {"m1": {"verified": 2, "unverified": 0}, "m2": {"verified": 1, "unverified": 0}},
        "echoes": 0,
    }
    assert said["checks"] == {
        "fails": {"ran": 0, "reported": 1},
        "holds": {"ran": 1, "reported": 0},
    }


def test_votes_that_echo_are_counted(decide: Decide, record: str) -> None:
    """Each voice that says nothing new: same model, stance and reading."""
    for who in ("a", "b", "c"):
        decide("vote", record, "support", "-m", who, "--read", "src/app.py", "--model", "m", "--as", who)

    assert json.loads(decide("stats", "--json").stdout)["votes"]["echoes"] == 2
    assert "echoes  2" in decide("stats").stdout


def test_answers_are_timed(decide: Decide, record: str, clock: Clock, repo: Path, git: GitRunner) -> None:
    """The median, those within the policy's fast_accept, and challenges without any."""
    ids = [decide("challenge", record, f"claim {number}").id for number in range(3)]
    clock.pass_(seconds=30)
    fast = decide("answer", record, ids[0], "accept", "-m", "x", "--as", "bot").id
    clock.pass_(minutes=9, seconds=30)
    decide("answer", record, ids[1], "reject", "-m", "x")

    answers = json.loads(decide("stats", "--json").stdout)["answers"]
    assert (answers["challenges"], answers["unanswered"], answers["answers"]) == (3, 1, 2)
    assert round(answers["median_seconds"]) == 315
    (one,) = answers["fast"]
    assert (one["record"], one["challenge"], one["answer"], one["actor"]) == (record, ids[0], fast, "bot")
    assert "answered after 5 min 15 s (median of 2)" in decide("stats").stdout

    (repo / ".gitdecide.yaml").write_text("fast_accept: 10s\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    assert json.loads(decide("stats", "--json").stdout)["answers"]["fast"] == []


def test_stale_evidence_is_counted_against_head(
    decide: Decide, log: None, repo: Path, git: GitRunner
) -> None:
    """Fresh, changed, gone and never committed, as show has it, and the records concerned."""
    for file in ("kept", "changed", "gone", "tree/x"):
        (repo / file).parent.mkdir(exist_ok=True)
        (repo / file).write_text(f"{file}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "files")
    (repo / "new").write_text("new\n")
    (repo / "kept").write_text("edited\n")
    names = {
        path: decide("ask", f"{path}?").id
        for path in ("src/app.py", "changed", "gone", "tree", "new", "kept")
    }
    for path, name in names.items():
        assert decide("vote", name, "inform", "-m", "x", "--read", path).exit_code == 0
    git(repo, "checkout", "kept")
    (repo / "changed").write_text("other\n")
    git(repo, "rm", "-q", "gone")
    git(repo, "commit", "-qam", "news")
    states = [
        json.loads(decide("show", name, "--json").stdout)["freshness"][0]["state"] for name in names.values()
    ]

    said = json.loads(decide("stats", "--json").stdout)["evidence"]

    stale = said.pop("records")
    assert said == {state: states.count(state) for state in ("fresh", "changed", "gone", "uncommitted")}
    assert stale == [names["gone"], names["changed"]]


def test_what_is_damaged_counts_nowhere_else(decide: Decide, record: str, by_hand: ByHand) -> None:
    """The record is counted as damaged, its votes not at all."""
    decide("vote", record, "inform", "-m", "x", "--read", "src/app.py")
    by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", "garbage\n")

    said = json.loads(decide("stats", "--json").stdout)

    assert said["records"] == {"damaged": 1}
    assert (said["votes"]["by_actor"], said["evidence"]["fresh"]) == ({}, 0)
