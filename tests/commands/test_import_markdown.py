"""Moving in with a folder of Markdown records."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Shown
from tests.conftest import Decide, GitRunner

LOG = "refs/decisions/log"
Write = Callable[[str, str], Path]


@pytest.fixture
def write(repo: Path, log: None) -> Write:
    """Writes a file of the folder `adr`, beside a log that is begun."""
    (repo / "adr").mkdir()

    def add(name: str, text: str) -> Path:
        (repo / "adr" / name).write_text(text)
        return repo / "adr" / name

    return add


def record(title: str, status: str, more: str = "") -> str:
    return f"# {title}\n\n## Status\n\n{status}\n\n{more}"


@pytest.fixture
def taken(decide: Decide) -> Callable[..., dict[str, dict[str, str]]]:
    """Imports the folder, and gives what is said of each file."""

    def run(form: str = "madr", *more: str) -> dict[str, dict[str, str]]:
        done = decide("import", form, "adr", "--json", *more)
        return {Path(each["file"]).name: each for each in json.loads(done.stdout)["files"]}

    return run


Taken = Callable[..., dict[str, dict[str, str]]]


def test_a_mixed_folder_moves_in(write: Write, taken: Taken, shown: Shown, decide: Decide) -> None:
    """Each file is read by its own convention; companions are listed, and a second import adds nothing."""
    write("0001-a.md", record("A", "Accepted. Amended by [ADR-0002](0002-b.md)."))
    write("0002-b.md", record("B", "Accepted\n\nThen partly\nsuperseded for the edge tier."))
    write("0005-e.md", "# E\n\n* Status: accepted\n* Date: 2026-03-02\n* Deciders: Ana, Bo\n")
    write("20260301-use-queue.md", "# Q\n\n- Status: superseded by [20260401-drop](20260401-drop.md)\n")
    write("20260401-drop.md", "# Drop\n\n- Status: draft\n- Tags: ops\n")
    for companion in ("README.md", "index.md", "template.md", "notes.md"):
        write(companion, "# Words\n")

    files = taken()

    assert {name for name, file in files.items() if file["fate"] == "skipped"} == {
        "README.md", "index.md", "template.md", "notes.md",
    }  # fmt: skip
    origins = {name: shown(file["record"])["entries"][0] for name, file in files.items() if file["record"]}
    assert [origins[name]["imported"]["status"].split()[0] for name in sorted(origins)] == [
        "Accepted.", "Accepted", "accepted", "superseded", "draft",
    ]  # fmt: skip
    assert origins["0005-e.md"]["imported"]["deciders"] == ["Ana", "Bo"]
    assert origins["0005-e.md"]["imported"]["date"] == "2026-03-02"
    assert origins["20260301-use-queue.md"]["links"] == [
        f"superseded by 20260401-drop.md: {files['20260401-drop.md']['record']}"
    ]
    again = taken("adr-tools")
    assert {file["fate"] for file in again.values()} == {"known", "skipped"}
    assert decide("fsck").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [("Superseded by [ADR-0002](0002-b.md)", "Accepted"), ("Accepted", "Accepted\n\nSupersedes ADR-0001")],
)
def test_a_replaced_record_is_superseded(
    old: str, new: str, write: Write, taken: Taken, shown: Shown, decide: Decide
) -> None:
    """By either one's word, whatever the order of their files, and never over a decision made here."""
    write("0001-a.md", record("A", old))
    write("0002-b.md", record("B", new))

    files = taken()

    first, second = (files[name]["record"] for name in ("0001-a.md", "0002-b.md"))
    assert (shown(first)["status"], shown(second)["status"]) == ("superseded", "imported")
    assert shown(second)["entries"][-1]["supersedes"][0].startswith(first)
    assert decide("fsck").exit_code == 0


def test_a_decision_made_here_is_not_replaced_by_a_file(
    write: Write, taken: Taken, shown: Shown, decide: Decide
) -> None:
    """What was bound anew stays, and the report says so."""
    write("0001-a.md", record("A", "Accepted"))
    first = taken()["0001-a.md"]["record"]
    decide("bind", first, "adopt", "A it is", "--no-code", "--read", "src/app.py")
    write("0002-b.md", record("B", "Accepted\n\nSupersedes ADR-0001"))

    said = taken()["0002-b.md"]["said"]

    assert f"{first} stays as it is" in said
    assert shown(first)["status"] == "decided"


def test_clashing_numbers_are_both_taken(write: Write, taken: Taken) -> None:
    """Under names of their own, and what may mean either is tied to none."""
    write("0005-cache.md", record("Cache", "Accepted"))
    write("0005-queue.md", record("Queue", "Accepted"))
    write("0006-x.md", record("X", "Accepted\n\nSupersedes ADR-0005"))
    write("0007-y.md", record("Y", "Accepted\n\nSupersedes ADR-0099"))

    files = taken()

    both = sorted(files[name]["record"] for name in ("0005-cache.md", "0005-queue.md"))
    assert len(set(both)) == 2
    assert f"ambiguous: supersedes ADR-0005, which may be {' or '.join(both)}" in files["0006-x.md"]["said"]
    assert "ADR-0005 is also the id of" in files["0005-queue.md"]["said"]
    assert "dangling: supersedes ADR-0099, which is not here" in files["0007-y.md"]["said"]


def test_records_that_replace_each_other_are_taken(write: Write, taken: Taken, decide: Decide) -> None:
    """A circle is cut somewhere, and said."""
    write("0001-a.md", record("A", "Accepted\n\nSupersedes ADR-0002"))
    write("0002-b.md", record("B", "Accepted\n\nSupersedes ADR-0001"))

    files = taken()

    assert [file["fate"] for file in files.values()] == ["taken", "taken"]
    assert "two records replace each other" in files["0001-a.md"]["said"] + files["0002-b.md"]["said"]
    assert decide("fsck").exit_code == 0


def test_a_changed_file_adds_one_entry(write: Write, taken: Taken, shown: Shown) -> None:
    """Also one that decides nothing any more; a file that is gone changes nothing."""
    file = write("0001-a.md", record("A", "Proposed"))
    name = taken()["0001-a.md"]["record"]
    states = []
    for status in ("Draft", "Accepted", "Rejected", "Whatever"):
        write("0001-a.md", record("A", status))
        assert taken()["0001-a.md"]["fate"] == "changed"
        assert taken()["0001-a.md"]["fate"] == "known"
        states.append(shown(name)["entries"][-1])

    assert [(entry["outcome"], entry["imported"]["status"]) for entry in states] == [
        ("defer", "Draft"), ("adopt", "Accepted"), ("reject", "Rejected"), ("defer", "Whatever"),
    ]  # fmt: skip
    assert [len(entry.get("supersedes", ())) for entry in states] == [0, 1, 1, 1]
    file.unlink()
    assert taken() == {}
    assert len(shown(name)["entries"]) == 5


def test_what_was_imported_binds_nothing(write: Write, taken: Taken, shown: Shown, decide: Decide) -> None:
    """An approval of somewhere else has to be bound anew, on something read here."""
    write("0001-a.md", record("A", "Accepted"))
    name = taken()["0001-a.md"]["record"]

    assert (shown(name)["status"], shown(name)["live"]) == ("imported", [])
    assert decide("bind", name, "adopt", "A", "--no-code").stderr.startswith("refused [R2]")


def test_a_dry_run_of_a_folder_writes_nothing(write: Write, taken: Taken, repo: Path, git: GitRunner) -> None:
    """It says the same as the run that follows."""
    write("0001-a.md", record("A", "Accepted"))
    before = git(repo, "for-each-ref")

    assert taken("madr", "--dry-run")["0001-a.md"]["fate"] == "taken"
    assert git(repo, "for-each-ref") == before


def test_very_many_come_in_one_pack(
    write: Write, taken: Taken, repo: Path, git: GitRunner, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamed through git's fast-import, the log is the same, and no ref is left of the stream."""
    from gitdecide.store import log

    monkeypatch.setattr(log, "MANY", 20)
    for number in range(1, 30):
        write(f"{number:04}-a.md", record(f"A {number}", "Accepted"))
    git(repo, "update-ref", "refs/decisions-import/999999999", "HEAD")
    before = git(repo, "rev-parse", LOG)

    files = taken()

    assert {file["fate"] for file in files.values()} == {"taken"}
    assert git(repo, "rev-parse", f"{LOG}^") == before
    assert git(repo, "for-each-ref", "refs/decisions-import") == ""
    assert git(repo, "log", "-1", "--format=%an %cn %s", LOG) == "Ada Ada import: 29 records of madr by Ada"
    assert decide("fsck").exit_code == 0


def test_folders_with_records_are_listed(write: Write, taken: Taken, repo: Path) -> None:
    """Nobody has to find out alone what was not looked at; an ending in any case is one."""
    for folder in ("2019", "images", ".drafts"):
        (repo / "adr" / folder).mkdir()
    write("2019/0001-old.md", record("Old", "Accepted"))
    write(".drafts/0001-draft.md", record("Draft", "Accepted"))
    write("images/a.png", "")
    write("0002-new.Md", record("New", "Accepted"))

    files = taken()

    assert {name: file["fate"] for name, file in files.items()} == {"2019": "skipped", "0002-new.Md": "taken"}
    assert files["2019"]["said"] == "a folder in the folder: name it as well"
