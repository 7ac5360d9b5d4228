import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from gitdecide.commands.options import MODES, STATUSES
from gitdecide.entries.record import Status
from gitdecide.entries.types import Mode
from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Clock, Decide, GitRunner


@pytest.fixture
def names(decide: Decide, log: None) -> list[str]:
    """Three records, the last one decided, newest first."""
    asked = [decide("ask", f"Question {number}?\nmore").id for number in range(3)]
    decide("bind", asked[2], "reject", "no", "--read", "src/app.py")
    return asked[::-1]


def test_records_are_listed_newest_first(decide: Decide, names: list[str]) -> None:
    """One line each: name, status, the first line of the question."""
    assert decide("list").stdout == (
        f"{names[0]}  decided     Question 2?\n{names[1]}  open        Question 1?\n"
        f"{names[2]}  open        Question 0?\n"
    )


def test_what_is_left_out_is_said(decide: Decide, names: list[str]) -> None:
    """--limit keeps the newest, and standard error says that there are more; 0 is all."""
    two = decide("list", "--limit", "2")

    assert [line.split()[0] for line in two.stdout.splitlines()] == names[:2]
    assert "DR-001" in two.stderr or "1 older" in two.stderr
    assert "left out (--limit 0 shows all)" in two.stderr
    assert decide("list", "--limit", "0").stderr == ""
    assert len(decide("list", "--limit", "0").stdout.splitlines()) == 3


def test_lists_answer_programs(decide: Decide, names: list[str]) -> None:
    """--json: name, status, question and live decisions of each."""
    said = json.loads(decide("list", "--json").stdout)

    assert said["version"] == 1
    assert [record["name"] for record in said["records"]] == names
    assert [record["status"] for record in said["records"]] == ["decided", "open", "open"]
    assert said["records"][1]["question"] == "Question 1?\nmore"


def test_an_empty_log_is_an_empty_list(decide: Decide, log: None) -> None:
    """Nothing asked is no error."""
    assert decide("list")[:2] == (0, "")
    assert json.loads(decide("list", "--json").stdout) == {"version": 1, "records": []}


def test_a_damaged_record_does_not_stop_the_list(decide: Decide, names: list[str], by_hand: ByHand) -> None:
    """The record is listed as damaged, and named with file and reason; the others follow."""
    file = by_hand(f"decisions/DR-0xxx/{names[1]}/vote-{{id}}.yaml", "status: no\nstatus: yes\n")
    done = decide("list")

    assert done.exit_code == 4
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        [names[0], "decided"], [names[1], "damaged"], [names[2], "open"],
    ]  # fmt: skip
    reason = "line 2: the key 'status' stands twice"
    assert done.stderr == f"warning: {names[1]} is damaged: {file.rsplit('/', 1)[1]}: {reason}\n"
    assert json.loads(decide("list", "--json").stdout)["records"][1]["damages"][0]["reason"] == reason


@pytest.mark.parametrize("limit", ["-1", "x"])
def test_a_limit_is_a_number(refuses: Refuses, log: None, limit: str) -> None:
    """Anything else is a usage error."""
    assert refuses(2, "list", "--limit", limit).startswith("error: invalid value for '-n' / '--limit': ")


def test_what_can_be_chosen_is_what_there_is() -> None:
    """The options know every status and every mode."""
    assert get_args(Status) == STATUSES
    assert get_args(Mode) == MODES


def test_records_are_chosen_by_what_they_are(decide: Decide, names: list[str]) -> None:
    """--status may be given several times, --job, --mode and --actor once, and all must hold."""
    review = decide("ask", "Look?", "--job", "j é", "--mode", "review", "--with", "bot").id
    decide("vote", names[2], "inform", "-m", "x", "--as", "bot")

    def listed(*words: str) -> list[str]:
        done = decide("list", *words)
        assert (done.exit_code, done.stderr) == (0, "")
        return [line.split()[0] for line in done.stdout.splitlines()]

    assert listed("--status", "decided") == names[:1]
    assert listed("--status", "decided", "--status", "open") == [review, *names]
    assert listed("--job", "j é") == listed("--mode", "review") == [review]
    assert listed("--actor", "bot") == [review, names[2]]
    assert listed("--actor", "bot", "--mode", "decide") == [names[2]]
    assert listed("--status", "contested") == listed("--job", "J É") == listed("--actor", "\udcff") == []


def test_a_choice_is_limited_as_all_is(decide: Decide, names: list[str]) -> None:
    """The newest of those that are chosen, and the first of them that is left out."""
    done = decide("list", "--status", "open", "-n", "1")

    assert done.stdout.split()[0] == names[1]
    assert done.stderr == "DR-001 and older left out (--limit 0 shows all)\n"


def test_records_are_chosen_by_path(decide: Decide, log: None, repo: Path, git: GitRunner) -> None:
    """Those that read it or govern it, or something below it; from where one stands."""
    for file in ("src/lib/a.py", "src/libx.py", "docs/b.md"):
        (repo / file).parent.mkdir(parents=True, exist_ok=True)
        (repo / file).write_text("x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "more")
    read = decide("ask", "Read?").id
    decide("vote", read, "inform", "-m", "x", "--read", "src/lib/a.py:1")
    folder = decide("ask", "Folder?", "--governs", "src/lib").id
    pattern = decide("ask", "Pattern?", "--governs", "*.py", "--governs", ":(exclude)src/lib").id
    decide("ask", "Nothing?", "--governs", "gone")

    def listed(path: str, cwd: Path | None = None) -> list[str]:
        return [line.split()[0] for line in decide("list", "--path", path, cwd=cwd).stdout.splitlines()]

    assert listed("src/lib/a.py") == listed("a.py", repo / "src" / "lib") == [folder, read]
    assert listed("src/lib") == [folder, read]
    assert listed("src") == [pattern, folder, read]
    assert listed("src/libx.py") == listed("src/app.py") == [pattern]
    assert listed("src/li") == listed("docs") == []
    assert decide("list", "--path", "../x").exit_code == 3


def test_records_are_chosen_by_time(decide: Decide, names: list[str], clock: Clock, refuses: Refuses) -> None:
    """--since takes a date or git's words for a time; what was said last counts."""
    clock.pass_(days=10)
    decide("vote", names[1], "inform", "-m", "x")
    clock.pass_(days=10)
    new = decide("ask", "New?").id

    def listed(since: str) -> list[str]:
        return [line.split()[0] for line in decide("list", "--since", since).stdout.splitlines()]

    assert listed("2 weeks ago") == listed("2026-10-25") == [new, names[1]]
    assert listed("yesterday") == [new]
    assert listed("now") == [new]
    assert listed("2026-10-01") == [new, *names]
    for nonsense in ("", "whenever", "-x"):
        assert refuses(2, "list", f"--since={nonsense}").startswith("error: not a time: ")
    for nonsense in ("2026-99-99", "2026-02-30 10:00"):
        assert refuses(2, "list", f"--since={nonsense}").startswith("error: not a day: 2026-")


def test_records_are_chosen_by_when_they_are_due(
    decide: Decide, log: None, clock: Clock, refuses: Refuses
) -> None:
    """Live decisions with a day for another look: past today, or by a day."""
    due = {}
    for day in ("2026-10-18", "2026-10-19", "2026-11-01"):
        due[day] = decide("ask", f"Until {day}?").id
        decide("bind", due[day], "reject", "x", "--read", "src/app.py", "--review-by", day)
    decide("ask", "Never?")

    def listed(*words: str) -> list[str]:
        return [line.split()[0] for line in decide("list", "--due", *words).stdout.splitlines()][::-1]

    assert listed() == [due["2026-10-18"], due["2026-10-19"]]
    assert listed("2026-10-18") == [due["2026-10-18"]]
    assert listed("2026-12-31") == list(due.values())
    assert json.loads(decide("list", "--json").stdout)["records"][1]["review_by"] == "2026-11-01"
    assert refuses(2, "list", "--due", "soon").startswith("error: not a day: soon\n")


@pytest.mark.parametrize("words", [("list",), ("list", "--status", "open"), ("search", "question")])
def test_a_warm_index_is_all_that_is_loaded(
    decide: Decide, names: list[str], repo: Path, words: tuple[str, ...]
) -> None:
    """Nothing that reads entries, and no way to objects but git."""
    decide("list")
    script = (
        "import sys\nfrom gitdecide import cli\nfrom gitdecide.app import App\n"
        "cli.run(App(), sys.argv[1:])\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, *words]
    loaded = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=True).stderr.splitlines()

    assert "sqlite3" in loaded
    assert [name for name in loaded if re.match(r"pygit2|jinja2|yaml|msgspec|gitdecide\.render", name)] == []
