"""Premise checks through the real program: what is recorded, and what is left running."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, GitRunner, run_program

TOKEN = "ghp" + "_" + "a1B2" * 9


@pytest.fixture
def checked(decide: Decide, record: str, shown: Shown) -> Any:
    """Run `check` in this process, and return how it ended and the entry."""

    def run(*words: str, **more: Any) -> tuple[Any, dict[str, Any]]:
        done = decide("check", record, *words, **more)
        assert done.exit_code in (0, 1), done
        return done, shown(record)["entries"][-1]

    return run


@pytest.mark.parametrize(
    ("command", "result", "said"),
    [
        (("--", "true"), "holds", "holds (exit 0)"),
        (("--", "false"), "fails", "fails (exit 1)"),
        (("--", "grep", "-q", "x", "no-such-file"), "inconclusive", "inconclusive (exit 2)"),
        (("-c", "exit 126"), "inconclusive", "inconclusive (exit 126)"),
        (("-c", "exit 127"), "inconclusive", "inconclusive (exit 127)"),
        (("-c", "kill -9 $$"), "inconclusive", "inconclusive: killed by signal 9 (SIGKILL)"),
        (("--", "no-such-program"), "inconclusive",
         "inconclusive: could not run: no such file or directory: no-such-program"),
    ],
)  # fmt: skip
def test_the_exit_code_answers(checked: Any, command: tuple[str, ...], result: str, said: str) -> None:
    """0 holds, 1 fails, anything else answers nothing; recording it is success whatever it is."""
    done, entry = checked(*command)

    assert (done.exit_code, entry["result"], entry["source"]) == (0, result, "ran")
    assert done.stderr.splitlines()[0] == said
    assert done.id == entry["id"]


@pytest.mark.parametrize(
    ("mapping", "results"),
    [
        ((), ["holds", "fails", "inconclusive"]),
        (("--holds-on", "1"), ["fails", "holds", "inconclusive"]),
        (("--fails-on", "0"), ["fails", "holds", "inconclusive"]),
        (("--holds-on", "0", "--holds-on", "2"), ["holds", "fails", "holds"]),
        (("--fails-on", "1", "--fails-on", "2"), ["holds", "fails", "fails"]),
        (("--fails-on", "0", "--fails-on", "1"), ["fails", "fails", "inconclusive"]),
        (("--holds-on", "0", "--holds-on", "1"), ["holds", "holds", "inconclusive"]),
        (("--holds-on", "2"), ["inconclusive", "fails", "holds"]),
        (("--holds-on", "2", "--fails-on", "0"), ["fails", "inconclusive", "holds"]),
    ],
)
def test_the_mapping_can_be_changed(checked: Any, mapping: tuple[str, ...], results: list[str]) -> None:
    """--holds-on and --fails-on say what an exit code means, for 0, 1 and 2 alike."""
    found = [checked("--report", str(code), "-c", "x", *mapping)[1]["result"] for code in range(3)]

    assert found == results


def test_exit_code_follows_the_result_when_asked(checked: Any) -> None:
    """--exit-code: 0 holds, 1 otherwise; the check is recorded all the same."""
    for code, exit_code in ((0, 0), (1, 1), (2, 1)):
        assert checked("--exit-code", "-c", f"exit {code}")[0].exit_code == exit_code


def test_a_check_can_be_reported(checked: Any, repo: Path) -> None:
    """--report runs nothing, and is shown as reported for ever."""
    done, entry = checked("--report", "1", "--note", "in CI", "--premise", "p", "--", "touch", "ran")

    assert (entry["source"], entry["exit_code"], entry["result"]) == ("reported", 1, "fails")
    assert (entry["note"], entry["premise"]) == ("in CI", "p")
    assert "commit" not in entry
    assert "output_sha256" not in entry
    assert done.stderr == "fails (exit 1): in CI\n"
    assert not (repo / "ran").exists()


def test_not_applicable_is_an_honest_answer(checked: Any, decide: Decide, record: str) -> None:
    """--not-applicable keeps why, and takes no command."""
    done, entry = checked("--not-applicable", "there is no CI", "--premise", "CI passes")

    assert (entry["result"], entry["note"]) == ("not_applicable", "there is no CI")
    assert done.stderr == "not_applicable: there is no CI\n"
    assert "not_applicable" in decide("show", record).stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "a check needs a command\nhint: git decide check DR -- COMMAND"),
        (("-c", "true", "--", "true"), "either a command after --, or -c TEXT"),
        (("--report", "0"), "a check needs a command"),
        (("--report", "256", "--", "x"), "invalid value for '--report': 256 is not in the range 0<=x<=255"),
        (("--report", "0", "--not-applicable", "x"), "either --report or --not-applicable"),
        (("--not-applicable", "x", "--", "true"), "--not-applicable takes no command"),
        (("--not-applicable", ""), "note: is blank"),
        (("--holds-on", "3", "--fails-on", "3", "--", "true"), "exit code 3 cannot both hold and fail"),
        (("--holds-on", "127", "--", "true"), "exit code 127 says that the command could not run"),
        (("--holds-on", "x", "--", "true"), "invalid value for '--holds-on': 'x' is not a valid exit code"),
        (("--timeout", "-1", "--", "true"), "invalid value for '--timeout': -1.0 is not in the range x>=0"),
        (("--timeout", "nan", "--", "true"), "invalid value for '--timeout': 'nan' is not a valid number"),
        (("--premise", " ", "--", "touch", "ran"), "premise: is blank"),
        (("--", "touch", "\udcff"), "text that is not Unicode"),
    ],
)  # fmt: skip
def test_a_malformed_check_runs_nothing(
    refuses: Refuses, record: str, repo: Path, words: tuple[str, ...], problem: str
) -> None:
    """What cannot be recorded is said before anything runs."""
    assert refuses(2, "check", record, *words).startswith(f"error: {problem}")
    assert not (repo / "ran").exists()


def test_a_check_that_nobody_may_record_does_not_run(refuses: Refuses, record: str, repo: Path) -> None:
    """The rules, the name and the secrets are looked at first."""
    assert refuses(1, "check", record, "--as", "Ada", "--", "touch", "ran", CLAUDECODE="1").startswith(
        "refused [R7]"
    )
    assert refuses(3, "check", "DR-9", "--", "touch", "ran").startswith("error: no decision record DR-9")
    said = refuses(1, "check", record, "--", "touch", "ran", TOKEN)
    assert said == "error: the text holds a GitHub token, and the log never forgets\n"
    assert not (repo / "ran").exists()


def test_secrets_in_the_output_are_masked(checked: Any) -> None:
    """What a command prints is kept without the secrets in it."""
    _, entry = checked("--", "printenv", "TOKEN", TOKEN=TOKEN)

    assert entry["output"] == "[masked: a GitHub token]\n"
    assert entry["output_sha256"] == hashlib.sha256(f"{TOKEN}\n".encode()).hexdigest()


def test_output_is_kept_as_a_tail_with_digest_and_length(checked: Any) -> None:
    """However long it is, 8 KiB of it stay, with what proves the rest."""
    _, entry = checked("--", "seq", "100000")

    whole = "".join(f"{number}\n" for number in range(1, 100_001)).encode()
    assert entry["output_bytes"] == len(whole)
    assert entry["output_sha256"] == hashlib.sha256(whole).hexdigest()
    assert whole.decode().endswith(entry["output"])
    assert 8000 < len(entry["output"]) <= 8192


def test_output_can_be_left_out(checked: Any) -> None:
    """--no-output keeps nothing of it."""
    _, entry = checked("--no-output", "-c", "echo private")

    assert not [key for key in entry if key.startswith("output")]


def test_where_a_check_ran_is_recorded(checked: Any, repo: Path, git: GitRunner) -> None:
    """The commit, whether the tree was just that, and the folder."""
    head = git(repo, "rev-parse", "HEAD")
    _, clean = checked("--", "pwd")
    (repo / "src" / "new.py").write_text("")
    _, changed = checked("--", "pwd", cwd=repo / "src")

    assert (clean["commit"], clean["clean"], clean.get("cwd")) == (head, True, None)
    assert (changed["commit"], changed["clean"], changed["cwd"]) == (head, False, "src")
    assert (clean["output"], changed["output"]) == (f"{repo}\n", f"{repo}/src\n")
    assert isinstance(clean["duration_ms"], int)


def test_a_check_leaves_the_index_alone(checked: Any, repo: Path) -> None:
    """Whether the tree is clean is asked without a lock and without a refresh."""
    (repo / "src" / "app.py").touch()
    before = (repo / ".git" / "index").read_bytes()
    checked("--", "true")

    assert (repo / ".git" / "index").read_bytes() == before


def test_repository_variables_do_not_reach_a_check(checked: Any, repo: Path, git: GitRunner) -> None:
    """Started from a hook, git in another folder acts on that folder."""
    hook = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_WORK_TREE": ".", "GIT_PREFIX": ""}
    script = 'cd "$(mktemp -d)" && git init -q && git rev-parse --absolute-git-dir'
    _, entry = checked("-c", script, **hook)

    assert entry["result"] == "holds"
    assert entry["output"].strip().endswith("/.git")
    assert not entry["output"].startswith(str(repo))


def test_a_check_runs_from_a_pre_push_hook(record: str, repo: Path, tmp_path: Path, git: GitRunner) -> None:
    """In a real hook too a check acts on its own folder, ends what it started, and is recorded."""
    git(tmp_path, "init", "-q", "--bare", "remote")
    hook = repo / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\nexec {sys.executable} -m gitdecide check DR-1 --timeout 0.5 --"
        """ sh -c 'echo $$ >"$HOME/pid"; git rev-parse --git-dir; sleep 314 & wait'\n"""
    )
    hook.chmod(0o755)
    pushed = subprocess.run(
        ["git", "push", "-q", str(tmp_path / "remote"), "main"],
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "inconclusive: timed out after 0.5 s" in pushed.stderr
    pid = int((Path(os.environ["HOME"]) / "pid").read_text())
    assert not running(pid)


HANGING = {
    "A": (("sh", "-c", "sleep 314 & wait"), (None, "timed out after 0.5 s")),
    "B": (("sh", "-c", "(sleep 315; echo late) & echo done; exit 3"), (3, None)),
    "C": (("cat",), (0, None)),
    "G": (("sh", "-c", 'trap "" TERM; sleep 316'), (None, "timed out after 0.5 s")),
}


@pytest.mark.parametrize(("command", "ended"), HANGING.values(), ids=HANGING)
def test_a_check_that_hangs_comes_back(
    shown: Shown, record: str, repo: Path, command: tuple[str, ...], ended: tuple[int | None, str | None]
) -> None:
    """Soon after its time limit at the latest, with what it left in the background ended."""
    began = time.monotonic()
    done = run_program("check", record, "--timeout", "0.5", "--", *command, cwd=repo, MARK=str(repo))
    took = time.monotonic() - began

    entry = shown(record)["entries"][-1]
    assert (entry.get("exit_code"), entry.get("note")) == ended
    assert entry["result"] in ("holds", "inconclusive")
    assert done.exit_code == 0
    assert took < 10
    assert not marked(str(repo))


@pytest.mark.parametrize("terminal", [False, True])
def test_a_check_has_no_terminal(record: str, repo: Path, shown: Shown, terminal: bool) -> None:
    """D: reading the terminal fails at once, with and without one around us."""
    words = [sys.executable, "-m", "gitdecide", "check", record, "--timeout", "20", "--"]
    words += ["sh", "-c", "read -r a </dev/tty"]
    around = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])"] if terminal else []
    subprocess.run(
        [*around, *words],
        cwd=repo,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        check=True,
    )

    entry = shown(record)["entries"][-1]
    assert entry["exit_code"] not in (0, None)
    assert entry["result"] != "holds"


def test_ctrl_c_ends_the_check_and_records_nothing(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """H: exit 130 without a word, nothing left running, the log as it was."""
    tip = git(repo, "rev-parse", "refs/decisions/log")
    words = [
        sys.executable,
        "-m",
        "gitdecide",
        "check",
        record,
        "--",
        "sh",
        "-c",
        "touch started; sleep 314 & wait",
    ]
    ours = subprocess.Popen(
        words, cwd=repo, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "MARK": str(repo)},
    )  # fmt: skip
    for _ in range(1000):
        if (repo / "started").exists():
            break
        time.sleep(0.01)
    os.killpg(ours.pid, signal.SIGINT)
    stdout, stderr = ours.communicate(timeout=20)

    assert (ours.returncode, stdout, stderr) == (130, b"", b"")
    assert not marked(str(repo))
    assert git(repo, "rev-parse", "refs/decisions/log") == tip


def test_a_check_that_stood_too_long_meets_the_new_record(
    decide: Decide, record: str, repo: Path, shown: Shown
) -> None:
    """A vote that is cast while the check runs comes before it, and neither is lost."""
    vote = f"{sys.executable} -m gitdecide vote DR-1 inform -m meanwhile"
    assert decide("check", record, "-c", vote).exit_code == 0

    _, second, third = shown(record)["entries"]
    assert (second["type"], third["type"], third["after"]) == ("vote", "check", [second["id"]])


def running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.strip().startswith("Z")


def marked(mark: str) -> list[int]:
    """The running processes that have MARK set so."""
    found = []
    for folder in Path("/proc").iterdir() if Path("/proc").exists() else ():
        if folder.name.isdigit():
            try:
                if f"MARK={mark}\0".encode() in (folder / "environ").read_bytes() and running(
                    int(folder.name)
                ):
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def test_what_does_not_hold_shows_what_was_printed(decide: Decide, record: str) -> None:
    """The last lines of its output, on standard error; what holds needs none, and --no-output keeps none."""
    script = "for i in 1 2 3 4 5 6 7; do echo line $i; done; exit"

    failed = decide("check", record, "-c", f"{script} 1")
    held = decide("check", record, "-c", f"{script} 0")
    silent = decide("check", record, "--no-output", "-c", f"{script} 1")

    assert failed.stderr.splitlines() == ["fails (exit 1)", *(f"    line {number}" for number in range(3, 8))]
    assert (held.stderr, silent.stderr) == ("holds (exit 0)\n", "fails (exit 1)\n")


def test_a_forgotten_dash_is_pointed_at(refuses: Refuses, record: str) -> None:
    """Options of the command are taken for ours without --, and a whole command in quotes is no program."""
    said = refuses(2, "check", record, "grep", "-q", "x", "src/app.py")
    assert said.splitlines()[1].startswith("hint: git decide check DR -- COMMAND")


def test_a_command_in_quotes_is_pointed_at(decide: Decide, record: str) -> None:
    """A whole command in one word is no program: `sh -c` would take it."""
    done = decide("check", record, "--", "grep -q x src/app.py")

    assert done.stderr.splitlines()[-1] == f"hint: git decide check {record} -c TEXT runs a text with sh -c"


def test_nothing_runs_that_nobody_could_record(
    refuses: Refuses, record: str, repo: Path, tmp_path: Path, git: GitRunner
) -> None:
    """Without a committer git would refuse the commit: it is said before the command has run."""
    git(repo, "config", "user.useConfigOnly", "true")
    refuses(3, "check", record, "--as", "bob", "--", "touch", str(tmp_path / "ran"), HOME=str(tmp_path))

    assert not (tmp_path / "ran").exists()
