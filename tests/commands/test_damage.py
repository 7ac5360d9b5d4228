"""What was written into the log by hand, and is not what it claims to be."""

import json
import time
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses, Shown
from tests.conftest import Decide, GitRunner

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
)
KINDS = {
    "A": ("type: vote\nactor: Ada\nat: 2026-10-19T09:14:03.482913Z\nstatus: no\n", "qid"),
    "B": ("title: a\ntitle: b\n", "line 2: the key 'title' stands twice"),
    "C": (BOMB, "line 1: anchors are not allowed"),
    "D": ("type: vote\nread:\n\t- x\n", "line 3: found character that cannot start any token"),
    "E": ("type: !!python/object/apply:os.system [touch ran]\n", "line 1: tags are not allowed"),
    "not UTF-8": (b"type: \xff\n", "line 1: not UTF-8: byte 0xff"),
    "NUL": ("type: a\0b\n", "line 1: raw control character U+0000"),
    "too large": ("x" * 300_000, "larger than 256 KiB"),
    "empty": ("", "empty"),
}


@pytest.mark.parametrize(("text", "reason"), KINDS.values(), ids=KINDS)
def test_a_damaged_entry_is_named_and_fails_closed(
    decide: Decide, refuses: Refuses, record: str, by_hand: ByHand, repo: Path, text: str | bytes, reason: str
) -> None:
    """What is readable is shown, file and reason are named, writers refuse, exit 4; others go on."""
    other = decide("ask", "Other?").id
    file = by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", text).rsplit("/", 1)[1]
    began = time.monotonic()
    shown = decide("show", record)
    data = decide("show", record, "--json")

    assert shown.exit_code == data.exit_code == 4
    assert shown.stdout.startswith(f"{record}  Add load_dataset to the engine?\ndamaged  ")
    (line,) = shown.stderr.splitlines()
    assert line.startswith(f"warning: damaged: {file}: ")
    assert reason in line
    assert json.loads(data.stdout)["damages"][0]["file"] == file
    for words in (
        ("vote", record, "inform", "-m", "x"),
        ("check", record, "--", "touch", "ran"),
        ("bind", record, "reject", "x", "--read", "src/app.py"),
        ("challenge", record, "x"),
    ):
        said = refuses(4, *words)
        assert said.startswith(f"error: {record} is damaged and takes no entries: {file}: ")
        assert f"hint: git decide show {record} " in said
    assert decide("vote", other, "inform", "-m", "x").exit_code == 0
    assert decide("list").stdout.count("\n") == 2
    assert not (repo / "ran").exists()
    assert time.monotonic() - began < 5


def test_every_format_shows_what_is_readable(decide: Decide, record: str, by_hand: ByHand) -> None:
    """Also where the question itself is missing: nothing ends in a traceback."""
    vote = decide("vote", record, "inform", "-m", "x").id
    stored = decide("show", vote, "--format", "yaml").stdout.rsplit("yaml\n", 1)[1]
    by_hand("decisions/DR-0xxx/DR-002-00000000/vote-{id}.yaml", stored)

    for view in (("--format", "text"), ("--format", "yaml"), ("--format", "jsonl"), ("--json",)):
        done = decide("show", "DR-2", *view)
        assert done.exit_code == 4, done
        assert "warning: damaged: DR-002-00000000: has no question of this name\n" in done.stderr
        assert "Traceback" not in done.stderr
    assert decide("log", "DR-2").exit_code == 0


def test_an_edited_entry_is_found(
    decide: Decide, record: str, repo: Path, by_hand: ByHand, git: GitRunner
) -> None:
    """Other bytes under an old name are an edit."""
    vote = decide("vote", record, "inform", "-m", "x").id
    file = f"decisions/DR-0xxx/{record}/vote-{vote}.yaml"
    by_hand(file, git(repo, "show", f"refs/decisions/log:{file}").replace("reason: x", "reason: y") + "\n")
    done = decide("show", record)

    assert done.exit_code == 4
    assert done.stderr.startswith(
        f"warning: damaged: vote-{vote}.yaml: was edited or misnamed: its content is "
    )


def test_a_second_question_and_a_moved_entry_are_found(
    decide: Decide, record: str, repo: Path, by_hand: ByHand, git: GitRunner
) -> None:
    """What is filed under the wrong record is named."""
    other = decide("ask", "Other?").id
    vote = decide("vote", other, "inform", "-m", "x").id
    below = f"decisions/DR-0xxx/{other}"
    question = next(
        name
        for name in git(repo, "ls-tree", "--name-only", f"refs/decisions/log:{below}").split()
        if "question" in name
    )
    for name in (question, f"vote-{vote}.yaml"):
        by_hand(
            f"decisions/DR-0xxx/{record}/{name}",
            git(repo, "show", f"refs/decisions/log:{below}/{name}") + "\n",
        )
    done = decide("show", record)

    assert done.exit_code == 4
    assert f"warning: damaged: {question}: is a question of another record\n" in done.stderr
    assert f"warning: damaged: vote-{vote}.yaml: belongs to the question " in done.stderr
    assert decide("show", other).exit_code == 0


def test_an_entry_of_a_newer_kind_is_shown(
    decide: Decide, record: str, shown: Shown, by_hand: ByHand
) -> None:
    """A type that we do not know is named, kept, and does no harm; an unknown field neither."""
    question = shown(record)["entries"][0]["id"]
    common = f"actor: Eve\nat: 2026-10-19T09:15:00.000000Z\nqid: {question}\nafter:\n  - {question}\n"
    by_hand(f"decisions/DR-0xxx/{record}/poll-{{id}}.yaml", f"type: poll\n{common}mood: no\n")
    vote = f"type: vote\n{common}stance: inform\nreason: x\nmood: no\n"
    by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", vote)

    assert decide("show", record).exit_code == 0
    assert "poll by Eve" in decide("show", record).stdout
    assert {entry.get("mood") for entry in shown(record)["entries"] if entry["type"] == "poll"} == {"no"}
    assert decide("vote", record, "inform", "-m", "x").exit_code == 0


def test_a_newer_format_is_read_and_not_written(
    decide: Decide, refuses: Refuses, record: str, repo: Path, by_hand: ByHand
) -> None:
    """format/2 stops every writer with one line, and no reader."""
    by_hand("format/2", "newer\n")

    for words in (("show",), ("list",), ("log",), ("actor", "list"), ("actor", "whoami")):
        assert decide(*words).exit_code == 0
    for writes in (
        ("ask", "Why?"), ("vote", record, "inform", "-m", "x"), ("check", record, "--", "touch", "ran"),
        ("actor", "add", "bot"), ("init",),
        ("bind", record, "reject", "x", "--read", "src/app.py", "--dry-run"),
    ):  # fmt: skip
        said = refuses(3, *writes)
        assert said.startswith(
            "error: refs/decisions/log has format 2, and this git-decide writes format 1\nhint: "
        )
    assert not (repo / "ran").exists()


def test_a_branch_that_is_no_log_is_refused(refuses: Refuses, repo: Path, git: GitRunner) -> None:
    """decide.ref at somebody's branch: neither an empty list nor a commit on it."""
    git(repo, "config", "decide.ref", "refs/heads/main")

    for words in (
        ("list",),
        ("show",),
        ("log",),
        ("ask", "Why?"),
        ("init",),
        ("vote", "DR-1", "inform", "-m", "x"),
    ):
        assert refuses(3, *words) == "error: refs/heads/main is not a log of git-decide\n"


@pytest.mark.parametrize("ref", ["decisions", "refs/", "-x", "refs/a..b", "HEAD", "refs/x\ny"])
def test_a_ref_has_a_full_name(refuses: Refuses, repo: Path, git: GitRunner, ref: str) -> None:
    """decide.ref is a full name, or nothing is read or written."""
    git(repo, "config", "decide.ref", ref)
    said = refuses(3, "init")

    assert said.startswith("error: decide.ref is not the full name of a ref: ")
    assert refuses(3, "list") == said


def test_a_missing_object_is_damage(decide: Decide, record: str, repo: Path, git: GitRunner) -> None:
    """A log whose objects are gone is incomplete: exit 4 and the file, never an empty answer."""
    other = decide("ask", "Another?").id
    question = git(repo, "rev-parse", f"refs/decisions/log:decisions/DR-0xxx/{record}").split()[0]
    (blob,) = git(repo, "ls-tree", "--object-only", question).split()
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    for words in (
        ("show", record),
        ("list",),
        ("vote", record, "inform", "-m", "x"),
        ("show", record, "--json"),
    ):
        done = decide(*words)
        assert (done.exit_code, "missing" in done.stderr or "no question" in done.stderr) == (4, True), done
    assert other in decide("list").stdout


def test_a_decision_written_past_the_rules_never_counts(
    decide: Decide, record: str, by_hand: ByHand, shown: Shown, repo: Path
) -> None:
    """R2: nothing read, nobody backs it: its record is damaged, and the gate does not take it for decided."""
    question = shown(record)["entries"][0]["id"]
    by_hand(
        f"decisions/DR-0xxx/{record}/decision-{{id}}.yaml",
        f"type: decision\nactor: mallory\nat: 2026-10-19T10:00:00.000000Z\nqid: {question!r}\n"
        f"after: [{question!r}]\noutcome: adopt\ndecision: do it\nchanges_code: false\n",
    )

    done = decide("show", record)

    assert (done.exit_code, "damaged" in done.stdout) == (4, True)
    assert "breaks R2: nothing that was read carries this decision" in done.stderr
    assert decide("vote", record, "abstain", "-m", "x").exit_code == 4


@pytest.mark.parametrize("content", ["garbage\n", f"{'1' * 40}\n"])
def test_a_ref_that_leads_nowhere_is_no_missing_log(
    decide: Decide, record: str, repo: Path, content: str
) -> None:
    """Exit 4, never advice to begin anew over what may be mended."""
    (repo / ".git" / "refs" / "decisions" / "log").write_text(content)

    for words in (("show",), ("list",), ("vote", record, "abstain", "-m", "x")):
        done = decide(*words)
        assert done == (4, "", "error: the log is damaged: refs/decisions/log leads to no commit\n")
