import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, GitRunner
from tests.render.decision_records import document

LOG = "refs/decisions/log"


@pytest.fixture
def folder(repo: Path, log: None) -> Path:
    """A folder for records, beside a log that is begun."""
    path = repo / "records"
    path.mkdir()
    return path


def write(file: Path, **fields: Any) -> Path:
    """A record as our export writes it."""
    file.write_text(json.dumps(document(**fields), indent=2) + "\n")
    return file


def fates(text: str) -> list[str]:
    return [line.partition(":")[0] for line in text.splitlines()]


def test_a_folder_is_taken_in_one_commit(folder: Path, repo: Path, decide: Decide, git: GitRunner) -> None:
    """Files named DR-*.json become records with the next numbers, and the log is sound."""
    decide("ask", "What was here before?")
    for number in (3, 4, 17):
        write(folder / f"DR-{number:03}.json", id=f"DR-{number:03}")
    write(folder / "notes.json")
    before = git(repo, "rev-list", "--count", LOG)

    done = decide("import", "json", "records")

    assert done.exit_code == 0
    names = [line.rpartition(" ")[2] for line in done.stdout.splitlines()]
    assert done.stdout.splitlines()[0] == f"taken: records/DR-003.json: DR-003 is {names[0]}"
    assert [name[:6] for name in names] == ["DR-002", "DR-003", "DR-004"]
    assert int(git(repo, "rev-list", "--count", LOG)) == int(before) + 1
    assert git(repo, "log", "-1", "--format=%s", LOG) == "import: 3 records of json by Ada"
    assert decide("fsck").exit_code == 0


def test_what_was_imported_decides_nothing(folder: Path, decide: Decide, shown: Shown) -> None:
    """It keeps its foreign id, is never live, and has to be bound anew."""
    write(folder / "DR-003.json")
    name = decide("import", "json", "records").stdout.split()[-1]

    found = shown(name)

    assert (found["status"], found["live"]) == ("imported", [])
    question, turn, decision = found["entries"]
    assert question["aliases"] == ["DR-003"]
    assert {key: question["imported"][key] for key in ("format", "path", "id", "date")} == {
        "format": "json", "path": "records/DR-003.json", "id": "DR-003", "date": "2026-01-31",
    }  # fmt: skip
    assert (turn["actor"], turn["quoted"]) == ("Ada", {"speaker": "alice", "round": 1})
    assert (decision["decision"], decision["changes_code"]) == ("SQLite", False)
    assert decide("bind", name, "adopt", "SQLite", "--no-code").stderr.startswith("refused [R2]")
    decide("bind", name, "adopt", "SQLite it is", "--no-code", "--read", "src/app.py")
    assert shown(name)["status"] == "decided"


def test_importing_twice_adds_nothing(folder: Path, repo: Path, decide: Decide, git: GitRunner) -> None:
    """Format, path and blob tell what is known, from whatever folder it is named."""
    write(folder / "DR-003.json")
    decide("import", "json", "records")
    tip = git(repo, "rev-parse", LOG)

    again = [decide("import", "json", "records"), decide("import", "json", "DR-003.json", cwd=folder)]

    assert [fates(done.stdout) for done in again] == [["known"], ["known"]]
    assert [done.exit_code for done in again] == [0, 0]
    assert git(repo, "rev-parse", LOG) == tip


def test_a_changed_file_adds_one_decision(folder: Path, decide: Decide, shown: Shown) -> None:
    """It supersedes what the file said before, which stays in the log."""
    file = write(folder / "DR-003.json")
    name = decide("import", "json", "records").stdout.split()[-1]
    old = shown(name)["entries"]
    write(file, decision="reject: SQLite", date="2026-02-01")

    changed = decide("import", "json", "records")

    assert fates(changed.stdout) == ["changed"]
    new = shown(name)["entries"]
    assert new[:-1] == old
    assert (new[-1]["outcome"], new[-1]["supersedes"]) == ("reject", [old[-1]["id"]])
    assert fates(decide("import", "json", "records").stdout) == ["known"]
    exported = json.loads(decide("show", name, "--format", "json").id)
    assert (exported["decision"], exported["date"]) == ("reject: SQLite", "2026-02-01")
    assert decide("fsck").exit_code == 0


def test_a_record_that_decides_later_is_decided_by_the_changed_file(
    folder: Path, decide: Decide, shown: Shown
) -> None:
    """An undecided one that changes and still decides nothing is skipped."""
    file = write(folder / "DR-003.json", decision="")
    name = decide("import", "json", "records").stdout.split()[-1]
    write(file, decision="", topic="Which one?")
    assert fates(decide("import", "json", "records").stdout) == ["skipped"]

    write(file)

    assert fates(decide("import", "json", "records").stdout) == ["changed"]
    assert shown(name)["entries"][-1]["decision"] == "SQLite"


def test_one_foreign_id_in_several_files_is_reported(folder: Path, decide: Decide) -> None:
    """Two projects may both have a DR-003: both are taken, and the second names the first."""
    write(folder / "DR-003.json")
    write(folder / "DR-003-b.json", topic="Which queue?")

    first, second = decide("import", "json", "records").stdout.splitlines()

    assert second.endswith(f"; DR-003 is also the id of {first.split()[-1]}")
    assert decide("list").stdout.count("imported") == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"id": "DR-001",\n"topic": ', ":2: not JSON"),
        (b'{"id": "DR-001",\n"topic": "\xff"}', ":2: not UTF-8"),
        (b" " * 2_000_000, ": larger than 1024 KiB"),
        (json.dumps(document(topic="x" * 300_000)).encode(), ": the entry is larger than 256 KiB"),
        (json.dumps(document(rationale="ghp_" + "a" * 36)).encode(), ": the text holds "),
    ],
)
def test_a_bad_file_is_refused_and_the_good_ones_are_taken(
    data: bytes, said: str, folder: Path, decide: Decide
) -> None:
    """Exit 1, with the file, the line where there is one, and the reason."""
    write(folder / "DR-001.json", id="DR-001")
    (folder / "DR-002.json").write_bytes(data)
    write(folder / "DR-003.json")

    done = decide("import", "json", "records")

    assert (done.exit_code, fates(done.stdout)) == (1, ["taken", "refused", "taken"])
    assert done.stdout.splitlines()[1].startswith(f"refused: records/DR-002.json{said}")
    assert decide("list").stdout.count("imported") == 2
    assert decide("fsck").exit_code == 0


def test_what_is_no_plain_file_is_refused(folder: Path, repo: Path, decide: Decide) -> None:
    """A link may lead anywhere, and a pipe blocks."""
    (folder / "DR-001.json").symlink_to(write(repo / "real.json"))
    os.mkfifo(folder / "DR-002.json")
    (folder / "DR-003.json").mkdir()

    done = decide("import", "json", "records")

    assert (done.exit_code, fates(done.stdout)) == (1, ["refused"] * 3)


def test_a_dry_run_writes_nothing(folder: Path, repo: Path, decide: Decide, git: GitRunner) -> None:
    """It says of every file what would become of it."""
    write(folder / "DR-003.json")
    (folder / "DR-004.json").write_text("[]")
    before = git(repo, "for-each-ref")

    done = decide("import", "json", "records", "--dry-run")

    assert (done.exit_code, fates(done.stdout)) == (1, ["taken", "refused"])
    assert done.stderr == "1 taken, 1 refused\nnothing was written: this is what would happen\n"
    assert git(repo, "for-each-ref") == before


def test_a_path_of_nothing_fails(folder: Path, refuses: Refuses) -> None:
    """Exit 3, and nothing is taken."""
    write(folder / "DR-003.json")

    assert "no such file or folder: gone" in refuses(3, "import", "json", "records", "gone")


def test_a_folder_without_such_files_says_so(folder: Path, decide: Decide) -> None:
    """Other files are nobody's records."""
    write(folder / "notes.json")

    done = decide("import", "json", "records")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "no file there is named as those of json are\n"


def test_programs_get_the_report_as_json(folder: Path, decide: Decide) -> None:
    """One object a file."""
    write(folder / "DR-003.json")

    (file,) = json.loads(decide("import", "json", "records", "--json").id)["files"]

    assert (file["fate"], file["file"], file["record"][:7]) == ("taken", "records/DR-003.json", "DR-001-")


def test_an_agent_imports_as_itself(
    folder: Path, repo: Path, decide: Decide, git: GitRunner, shown: Shown
) -> None:
    """Who is quoted becomes no actor, no label arises, and no human's name is spoken under."""
    write(folder / "DR-003.json", participants={"proponent": {"name": "Ada"}})

    done = decide("import", "json", "records", CLAUDECODE="1")

    entries = shown(done.stdout.split()[-1])["entries"]
    assert {entry["actor"] for entry in entries} == {"claude-code"}
    assert not any("settled" in entry for entry in entries)
    assert decide("actor", "list").stdout.split() == ["claude-code", "agent"]
    decide("actor", "add", "Ada", "--human")
    write(folder / "DR-004.json")
    before = git(repo, "for-each-ref")
    refused = decide("import", "json", "records", "--as", "Ada", CLAUDECODE="1")
    assert (refused.exit_code, fates(refused.stdout)) == (1, ["known", "refused"])
    assert "[R7] inside claude-code nobody speaks as Ada, who is a human" in refused.stdout
    assert git(repo, "for-each-ref") == before


def test_the_importer_takes_no_part(folder: Path, decide: Decide) -> None:
    """A record of nobody is exported as one of nobody."""
    write(folder / "DR-003.json", participants={}, rounds=[])
    name = decide("import", "json", "records").stdout.split()[-1]

    exported = json.loads(decide("show", name, "--format", "json").id)

    assert exported == document(participants={}, rounds=[])


NASTY = 'a\n\n\n\nb 🦊 \r\n\t"quoted" \\ \x7f \x01 \u2028 é # <b> --- ### x\n'


def test_what_is_exported_imported_and_exported_again_is_the_same(
    folder: Path, tmp_path: Path, decide: Decide, git: GitRunner
) -> None:
    """Byte for byte, whatever the texts are, and whatever the other log calls its actors."""
    roles = ("--role", "proponent=alice", "--role", "opponent=bob", "--role", "opponent=eve")
    first = decide("ask", "Which way?", "--mode", "debate", *roles).id
    decide("actor", "add", "alice", "--display-name", "Alice A.", "--icon", "🦊")
    for actor, verb in (("alice", "proposition"), ("bob", "counter"), ("alice", "rebuttal")):
        decide("turn", first, verb, f"{actor} speaks", "-m", "at length", "--as", actor)
    decide("vote", first, "oppose", "-m", "no", "--read", "src/app.py", "--as", "bob")
    decide("bind", first, "adopt", "left", "--no-code", "--read", "src/app.py", "--confidence", "0.1")
    second = decide("ask", "And then?").id
    third = decide("ask", "No?").id
    decide("bind", third, "reject", "adopt: no", "--read", "src/app.py")
    nasty = {
        "topic": NASTY,
        "decision": NASTY,
        "rationale": NASTY,
        "dissent": NASTY,
        "confidence": 0.30000000000000004,
        "participants": {
            "participant-2": {"name": "é", "displayName": NASTY, "icon": NASTY},
            "participant-1": {"name": "alice", "displayName": "Alice B.", "icon": "🐢"},
        },
        "rounds": [
            {"round": number, "speaker": "é", "role": "participant", "type": "position", "content": text}
            for number, text in enumerate((NASTY, "\n\nx", "x\n\n", "a\n\n \n\nb", "a\n\nb\n\nc"), 4)
        ],
    }
    write(folder / "DR-003.json", **nasty)
    fourth = decide("import", "json", "records").stdout.split()[-1]

    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    decide("init", "--no-hooks", cwd=other)
    decide("actor", "add", "alice", "--display-name", "Quite another", "--icon", "🐍", cwd=other)
    decide("actor", "add", "bob", "--display-name", "Bobby", "--icon", "🐍", cwd=other)
    texts = [decide("show", name, "--format", "json").stdout for name in (first, second, third, fourth)]
    for number, text in enumerate(texts):
        (other / f"DR-{number:03}.json").write_text(text)
    taken = json.loads(decide("import", "json", ".", "--json", cwd=other).id)["files"]
    names = [file["record"] for file in taken]

    assert [decide("show", name, "--format", "json", cwd=other).stdout for name in names] == texts
    assert json.loads(texts[3]) == document(**nasty)
    assert decide("fsck", cwd=other).exit_code == 0
