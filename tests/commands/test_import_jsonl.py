"""Taking in evidence records: what a line says is quoted, and never binds."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Shown
from tests.conftest import Decide, GitRunner


def line(key: str, kind: str, **fields: Any) -> bytes:
    return json.dumps({"id": key, "type": kind, **fields}).encode()


def question(key: str, text: str = "Add it?") -> bytes:
    return line(key, "question", question=text)


FOLLOWERS = (
    line("d2", "vote", qid="d1", agent="bob", stance="support", reason="sure", read=["src/app.py"]),
    line("d3", "check", qid="d1", command="true", exit_code=0, note="fine"),
    line("d4", "decision", qid="d1", decider="staff", decision="adopt: it", check="d3"),
    line("d5", "decision", qid="d1", decider="eve", decision="reject: it", reason="why", supersedes="d4"),
)


@pytest.fixture
def file(repo: Path, log: None) -> Path:
    """A file for records, beside a log that is begun."""
    return repo / "d.jsonl"


def name_of(decide: Decide) -> str:
    return str(json.loads(decide("import", "jsonl", "d.jsonl", "--json").stdout)["files"][0]["record"])


def test_good_lines_are_taken_and_bad_ones_named(
    file: Path, decide: Decide, repo: Path, git: GitRunner
) -> None:
    """Wherever they stand; repaired, only what was missing is added."""
    lines = [
        question("d1"), b"", question("d3")[:20], question("d4") + b"\r", b"[]",
        b'{"type": "question", "question": NaN}', b'{"id": "d7", "id": "d7"}', b"```",
        question("d9", "x" * 2_000_000), b'{"id": "d10", "type": "question"}', question("d11"),
    ]  # fmt: skip
    file.write_bytes(b"\n".join(lines))

    done = decide("import", "jsonl", "d.jsonl")

    assert done.exit_code == 1
    assert [word.split(": ")[:2] for word in done.stdout.splitlines()] == [
        ["taken" if number in (1, 4, 11) else "refused", f"d.jsonl:{number}"] for number in (1, *range(3, 12))
    ]
    assert done.stderr == "3 taken, 7 refused\n"
    lines[2:10] = [question(f"d{number}") for number in range(3, 11)]
    file.write_bytes(b"\n".join(lines) + b"\n")
    again = decide("import", "jsonl", "d.jsonl")
    assert (again.exit_code, again.stderr) == (0, "3 known, 7 taken\n")
    tip = git(repo, "rev-parse", "refs/decisions/log")
    assert decide("import", "jsonl", "d.jsonl").stderr == "10 known\n"
    assert git(repo, "rev-parse", "refs/decisions/log") == tip


def test_followers_join_their_question(file: Path, decide: Decide, shown: Shown) -> None:
    """Votes, checks and decisions, in the words of whoever said them there."""
    file.write_bytes(b"\n".join([question("d1"), *FOLLOWERS]))

    entries = shown(name_of(decide))["entries"]

    assert [entry["type"] for entry in entries] == ["question", "vote", "check", "decision", "decision"]
    assert {entry["actor"] for entry in entries} == {"Ada"}
    assert [entry["imported"].get("by") for entry in entries] == [None, "bob", None, "staff", "eve"]
    assert entries[3]["checks"] == entries[4]["checks"] == [entries[2]["id"]]
    assert entries[4]["supersedes"] == [entries[3]["id"]]
    assert decide("fsck").exit_code == 0


def test_what_others_voted_and_ran_carries_nothing(file: Path, decide: Decide, shown: Shown) -> None:
    """R2 and R3: an importer could claim any vote and any exit code, so none of them counts here."""
    file.write_bytes(b"\n".join([question("d1"), *FOLLOWERS[:2]]))
    name = name_of(decide)
    check = shown(name)["entries"][-1]["id"]

    unread = decide("bind", name, "adopt", "it", "--check", check)
    unchecked = decide("bind", name, "adopt", "it", "--read", "src/app.py", "--check", check)

    assert unread.stderr.startswith("refused [R2]")
    assert unchecked.stderr.startswith("refused [R3]")
    assert shown(name)["tally"] == {}
    assert "by Ada" not in decide("stats").stdout
    text = decide("show", name).stdout
    assert "said by: bob" in text
    assert "vote by Ada" in text
    assert text.count("[imported]") == 2


def test_an_imported_vote_leaves_the_own_one_standing(file: Path, decide: Decide, shown: Shown) -> None:
    """The importer is quoted nowhere as a voter, so its own vote is not replaced."""
    file.write_bytes(question("d1"))
    name = name_of(decide)
    decide("vote", name, "oppose", "-m", "no", "--read", "src/app.py")
    file.write_bytes(b"\n".join([question("d1"), *FOLLOWERS[:1]]))
    assert decide("import", "jsonl", "d.jsonl").stderr == "1 known, 1 taken\n"

    assert shown(name)["tally"] == {"oppose": 1}


@pytest.mark.parametrize(
    ("follower", "reason"),
    [
        (line("d2", "check", qid="d9", command="true", exit_code=0), "its question d9 was not taken"),
        (line("d2", "decision", qid="d1", decider="x", decision="y", check="d7"), "check: d7 was not taken"),
        (
            line("d2", "decision", qid="d1", decider="x", decision="y", supersedes="d1"),
            "supersedes: only decisions",
        ),
        (line("d1", "check", qid="d1", command="true", exit_code=0), "the id d1 stands on line 1 already"),
        (line("d2", "vote", qid="d1", agent="x", stance="support_unverified", reason="y", read=["a"]), ""),
    ],
)
def test_a_follower_of_nothing_is_refused(file: Path, decide: Decide, follower: bytes, reason: str) -> None:
    """What it names has to be there, and be of the right kind."""
    file.write_bytes(question("d1") + b"\n" + follower)

    done = decide("import", "jsonl", "d.jsonl")

    assert done.exit_code == 1
    assert done.stdout.splitlines()[1].startswith(f"refused: d.jsonl:2: {reason}")


def test_a_changed_line_adds_a_decision_or_nothing(file: Path, decide: Decide, shown: Shown) -> None:
    """What was asked and said stays; a decision that reads otherwise replaces what it said."""
    file.write_bytes(b"\n".join([question("d1"), *FOLLOWERS[:3]]))
    name = name_of(decide)
    vote, check, decision = FOLLOWERS[:3]
    changed = (vote.replace(b"sure", b"no"), check, decision.replace(b"it", b"that"))
    file.write_bytes(b"\n".join([question("d1", "Other?"), *changed]))

    done = decide("import", "jsonl", "d.jsonl")

    assert [word.partition(":")[0] for word in done.stdout.splitlines()] == [
        "skipped",
        "skipped",
        "known",
        "changed",
    ]
    entries = shown(name)["entries"]
    assert entries[-1]["supersedes"] == [entries[-2]["id"]]
    assert entries[-1]["checks"] == entries[-2]["checks"]


def test_an_empty_file_is_no_fault(file: Path, decide: Decide) -> None:
    """It holds no record, and says so."""
    file.write_bytes(b"")

    done = decide("import", "jsonl", "d.jsonl")

    assert (done.exit_code, done.stdout) == (0, "skipped: d.jsonl: it holds no record\n")


def test_a_line_may_name_a_later_one(file: Path, decide: Decide, git: GitRunner, repo: Path) -> None:
    """Where lines stand decides nothing, so a second import adds nothing."""
    file.write_bytes(b"\n".join([*reversed(FOLLOWERS), question("d1")]))

    assert decide("import", "jsonl", "d.jsonl").stderr == "5 taken\n"
    assert decide("import", "jsonl", "d.jsonl").stderr == "5 known\n"
    assert decide("fsck").exit_code == 0


def test_lines_that_replace_each_other_are_refused(file: Path, decide: Decide) -> None:
    """One of them would have to come first."""
    pair = [
        line(key, "decision", qid="d1", decider="eve", decision="adopt: it", reason="why", supersedes=old)
        for key, old in (("d2", "d3"), ("d3", "d2"), ("d4", "d4"))
    ]
    file.write_bytes(b"\n".join([question("d1"), *pair]))

    for counted in ("1 taken, 3 refused\n", "1 known, 3 refused\n"):
        assert decide("import", "jsonl", "d.jsonl").stderr == counted


def test_only_a_question_is_answered(file: Path, decide: Decide) -> None:
    """A line that names a decision as its question is refused."""
    stray = line("d6", "vote", qid="d4", agent="bob", stance="oppose", reason="no", read=["a"])
    file.write_bytes(b"\n".join([question("d1"), *FOLLOWERS, stray]))

    assert "refused: d.jsonl:6: d4 is no question\n" in decide("import", "jsonl", "d.jsonl").stdout
