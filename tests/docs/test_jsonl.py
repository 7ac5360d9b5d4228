"""The evidence record: our export is read by those who know only its published shape."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Decide

SCRIPT = "def run(rows):\n    return [row.strip() for row in rows]\n"


@pytest.fixture
def exported(decide: Decide, repo: Path, log: None, tmp_path: Path) -> Path:
    """The failed dataset job, typed with our commands and exported to a file."""
    (repo / "src" / "engine").mkdir()
    (repo / "src" / "engine" / "__init__.py").write_text(SCRIPT)
    question = "Add a new API to the engine so the user's script runs?"
    context = (
        "--context",
        "user script calls engine.load_dataset(path)",
        "--context",
        "not seen under src/engine",
    )
    name = decide("ask", question, "--job", "dataset-feature", *context, "--as", "planner").id
    adopt = ("bind", name, "adopt", "add engine.load_dataset", "--as", "staff")
    read = ("--read", "src/engine/__init__.py")

    def codes(*runs: tuple[str, ...]) -> list[int]:
        return [decide(*run).exit_code for run in runs]

    assert codes(
        ("vote", name, "support", "-m", "the user's code is the spec", "--as", "researcher-1"),
        adopt,
        ("vote", name, "inform", "-m", "the premise needs checking first", *read, "--as", "staff"),
        adopt,
        ("check", name, "--as", "staff", "--", "grep", "-rq", "def load_dataset", "src/engine"),
        ("bind", name, "reject", "the premise is false", *read, "--check", "last", "--as", "staff"),
        ("supersede", name, "defer", "ask again", "-m", "a second user came", *read, "--as", "grace"),
    ) == [0, 1, 0, 1, 0, 0, 0]
    file = tmp_path / "log.jsonl"
    file.write_text(decide("show", name, "--format", "jsonl").stdout)
    return file


def read_records(file: Path) -> list[dict[str, Any]]:
    """What any reader of the format does: one JSON object a line, blank lines apart."""
    return [json.loads(line) for line in file.read_text("utf-8").split("\n") if line.strip()]


def told(records: list[dict[str, Any]]) -> list[str]:
    """One line a record, written from the description of the format alone."""
    replaced = {record["supersedes"] for record in records if record.get("supersedes")}
    lines = []
    for record in records:
        match record["type"]:
            case "question":
                text = f"asks {record['question']}"
            case "vote":
                text = (
                    f"{record['agent']} {record['stance']}: {record['reason']} [{', '.join(record['read'])}]"
                )
            case "check":
                text = f"ran {record['command']}: {'holds' if record['exit_code'] == 0 else 'PREMISE FAILED'}"
            case "decision":
                gone = " (replaced)" if record["id"] in replaced else ""
                text = f"{record['decider']} decides {record['decision']}{gone}"
        lines.append(f"{record['id']} {text}")
    return lines


def test_a_reader_of_the_format_reads_the_job(exported: Path) -> None:
    """Question, votes, check with its failed premise, and decisions come out as they were typed."""
    assert told(read_records(exported)) == [
        "d1 asks Add a new API to the engine so the user's script runs?",
        "d2 researcher-1 support_unverified: the user's code is the spec []",
        "d3 staff inform: the premise needs checking first [src/engine/__init__.py]",
        "d4 ran grep -rq 'def load_dataset' src/engine: PREMISE FAILED",
        "d5 staff decides reject: the premise is false (replaced)",
        "d6 grace decides defer: ask again",
    ]


def test_the_fields_have_the_types_that_readers_count_on(exported: Path) -> None:
    """Texts, numbers, truth values and lists of texts stand where the description of the format has them."""
    question, unread, read, check, first, second = read_records(exported)

    assert question["job"] == "dataset-feature"
    assert question["context"] == ["user script calls engine.load_dataset(path)", "not seen under src/engine"]
    assert [(vote["qid"], vote["verified"], vote["read"]) for vote in (unread, read)] == [
        ("d1", False, []),
        ("d1", True, ["src/engine/__init__.py"]),
    ]
    assert (check["qid"], check["exit_code"]) == ("d1", 1)
    assert isinstance(check["note"], str)
    assert (first["qid"], first["check"], first["supersedes"]) == ("d1", "d4", None)
    assert (second["check"], second["supersedes"], second["reason"]) == ("d4", "d5", "a second user came")


def test_every_record_says_when(exported: Path) -> None:
    """A decision's time can be held against that of the objection it answers."""
    times = [record["ts"] for record in read_records(exported)]

    assert times == sorted(times)
    assert len(set(times)) == 6
