import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

import pytest

import gitdecide
from gitdecide.work import processes
from gitdecide.work.command import TAIL, Outcome, run

LIMIT = 0.7  # seconds
PROMPT = 5_000  # milliseconds; far from the five minutes that the sleepers sleep
TOKEN = "ghp" + "_" + "a1B2" * 9
KEY_LINE = "MIIEpAIBAAKCAQEA" * 4

Check = Callable[..., Outcome]

needs_setsid = pytest.mark.skipif(shutil.which("setsid") is None, reason="there is no setsid program")


def sleeper(name: str) -> str:
    """Shell words for a process that records its id and sleeps."""
    return f"""sh -c 'echo $$ >"$PIDS/{name}"; exec sleep 314'"""


def until(name: str) -> str:
    """Shell words that wait for a sleeper's id."""
    return f"""while [ ! -s "$PIDS/{name}" ]; do sleep 0.01; done"""


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.strip().startswith("Z")


def is_gone(pid: int) -> bool:
    """Whether it ends, or has: what was killed takes a moment where the machine is busy."""
    until = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_running(pid)


def end(pid: int) -> None:
    if is_running(pid):
        os.kill(pid, signal.SIGKILL)
        assert is_gone(pid)


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Path]:
    """The folder where sleepers record their ids; none of them outlives the test."""
    folder = tmp_path / "pids"
    folder.mkdir()
    yield folder
    left = {file.name: int(file.read_text()) for file in folder.iterdir()}
    left = {name: pid for name, pid in left.items() if is_running(pid)}
    for pid in left.values():
        end(pid)
    assert not left


@pytest.fixture
def check(pids: Path) -> Check:
    """Run a command in the test's folder."""

    def check(command: Sequence[str] | str, timeout: float | None = 60) -> Outcome:
        environ = {**os.environ, "PIDS": str(pids)}
        return run(command, cwd=pids.parent, environ=environ, timeout=timeout)

    return check


def recorded(pids: Path, name: str) -> int:
    """The id that a sleeper recorded, once it has."""
    for _ in range(1000):
        if (pids / name).exists() and (text := (pids / name).read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{name} never started")


def test_an_exit_code_and_both_outputs_are_recorded(check: Check) -> None:
    """What a command writes to either output is kept in order, with its digest and length."""
    outcome = check(["sh", "-c", "echo one; echo two >&2; exit 1"])

    assert (outcome.exit_code, outcome.note, outcome.output) == (1, None, "one\ntwo\n")
    assert outcome.output_sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()
    assert outcome.output_bytes == 8
    assert outcome.duration_ms >= 0


def test_a_list_meets_no_shell(check: Check) -> None:
    """The words of a list reach the program as they are."""
    assert check(["printf", "%s|", "$HOME", "a b", "*", ""]).output == "$HOME|a b|*||"


@pytest.mark.parametrize(("text", "output"), [("echo $((1 + 2)) | cat", "3\n"), ("-no; true", None)])
def test_text_goes_through_the_shell(check: Check, text: str, output: str | None) -> None:
    """Text is a shell's to read, also text that looks like the shell's own option."""
    outcome = check(text)

    assert outcome.exit_code == 0
    assert output is None or outcome.output == output


def test_the_environment_is_used_as_it_is(tmp_path: Path) -> None:
    """A command sees the given variables only."""
    outcome = run(["/usr/bin/env"], cwd=tmp_path, environ={"ONLY": "this"}, timeout=60)

    assert outcome.output == "ONLY=this\n"


def test_a_child_that_holds_the_pipe_does_not_outlive_the_time_limit(check: Check, pids: Path) -> None:
    """24 A: the shell and its child are ended, and nobody waits for the child's end of the pipe."""
    outcome = check(["sh", "-c", f"{sleeper('child')} & wait"], LIMIT)

    assert (outcome.exit_code, outcome.note) == (None, "timed out after 0.7 s")
    assert outcome.duration_ms < PROMPT
    assert is_gone(recorded(pids, "child"))


def test_an_exit_code_is_not_delayed_by_children_in_the_background(check: Check, pids: Path) -> None:
    """24 B: the exit code counts at once, and what the children would have said later is never said."""
    outcome = check(["sh", "-c", f"({sleeper('child')}; echo late) & {until('child')}; echo done; exit 3"])

    assert (outcome.exit_code, outcome.note, outcome.output) == (3, None, "done\n")
    assert outcome.duration_ms < PROMPT
    assert is_gone(recorded(pids, "child"))


def test_standard_input_is_at_its_end(check: Check) -> None:
    """24 C: a command that reads its input sees the end of it."""
    assert check(["cat"])[:2] == (0, None)


def test_a_command_has_no_terminal_where_we_have_none(check: Check) -> None:
    """24 D: reading the terminal fails instead of hanging."""
    outcome = check(["sh", "-c", "read -r a </dev/tty"])

    assert outcome.exit_code not in (0, None)
    assert "/dev/tty" in outcome.output


PROBE = """
import json, os, signal, sys
from pathlib import Path
from gitdecide.work.command import run
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, 0), (signal.SIGHUP, 0)):
    signal.signal(number, usual)
try:
    terminal = os.close(os.open("/dev/tty", os.O_RDWR)) is None
except OSError:
    terminal = False
outcome = run(sys.argv[2:], cwd=Path.cwd(), environ=os.environ, timeout=60)
Path(sys.argv[1]).write_text(json.dumps([terminal, outcome.exit_code]))
"""


@pytest.fixture
def probe(pids: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that start a program of its own, which runs the command that follows and reports."""
    monkeypatch.setenv("PYTHONPATH", str(Path(gitdecide.__file__).parents[1]))
    monkeypatch.setenv("PIDS", str(pids))
    return [sys.executable, "-c", PROBE, str(pids.parent / "report")]


def test_a_command_has_no_terminal_where_we_have_one(probe: list[str], tmp_path: Path) -> None:
    """24 D: the terminal that we were started from is not the command's."""
    in_terminal = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *probe]
    asks = ["sh", "-c", "read -r a </dev/tty"]
    subprocess.run([*in_terminal, *asks], stdin=subprocess.DEVNULL, cwd=tmp_path, timeout=60, check=True)

    terminal, exit_code = json.loads((tmp_path / "report").read_text())
    assert terminal
    assert exit_code not in (0, None)


def test_a_killed_command_has_no_exit_code(check: Check) -> None:
    """24 E: death by a signal is named, not taken for an exit code."""
    assert check(["sh", "-c", "kill -9 $$"])[:2] == (None, "killed by signal 9 (SIGKILL)")


def test_a_missing_program_could_not_run(check: Check) -> None:
    """24 F: a program that is not there is no failed premise."""
    note = "could not run: no such file or directory: no-such-program"
    assert check(["no-such-program"])[:2] == (None, note)


def test_a_command_that_ignores_sigterm_is_killed(check: Check, pids: Path) -> None:
    """24 G: politeness ends soon after the time limit."""
    outcome = check(["sh", "-c", f"trap '' TERM; {sleeper('child')}"], LIMIT)

    assert (outcome.exit_code, outcome.note) == (None, "timed out after 0.7 s")
    assert outcome.duration_ms < PROMPT
    assert is_gone(recorded(pids, "child"))


def test_an_exit_code_after_the_time_limit_does_not_count(check: Check) -> None:
    """A command that answers SIGTERM with success timed out all the same; its last words are kept."""
    outcome = check("trap 'echo bye; exit 0' TERM; echo ready; sleep 314 & wait", LIMIT)

    assert outcome[:2] == (None, "timed out after 0.7 s")
    assert outcome.output == "ready\nbye\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_ends_the_command_and_goes_on(
    probe: list[str], pids: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """24 H: Ctrl-C, SIGTERM and SIGHUP end the command first and then us, as they would have anyway."""
    ours = subprocess.Popen(
        [*probe, "sh", "-c", f"trap '' TERM; {sleeper('child')} & wait"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    child = recorded(pids, "child")
    ours.send_signal(number)
    _, stderr = ours.communicate(timeout=60)

    assert ours.returncode == -number
    assert (b"KeyboardInterrupt" in stderr) == (number == signal.SIGINT)
    assert is_gone(child)
    assert not (tmp_path / "report").exists()


@pytest.fixture
def handlers() -> Iterator[None]:
    """Put the handlers of signals back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
def test_a_handler_of_the_caller_is_called_once_and_stays(check: Check, pids: Path) -> None:
    """An interruption that the caller outlives is an outcome, delivered by the caller's own handler."""
    seen: list[bool] = []

    def handler(_number: int, _frame: FrameType | None) -> None:
        seen.append(is_running(recorded(pids, "child")))

    def send() -> None:
        recorded(pids, "child")
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, handler)
    sender = threading.Thread(target=send)
    sender.start()
    outcome = check(["sh", "-c", sleeper("child")])
    sender.join()

    assert outcome[:2] == (None, "interrupted by signal 15 (SIGTERM)")
    assert seen == [False]
    assert signal.getsignal(signal.SIGTERM) is handler


@pytest.mark.usefixtures("handlers")
def test_a_signal_that_was_ignored_stays_ignored(check: Check) -> None:
    """Under nohup a check outlives the terminal."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    assert check(f"kill -HUP {os.getpid()}; echo on").output == "on\n"
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_another_thread_can_run_a_command(check: Check) -> None:
    """Outside the main thread, where Python allows no handlers, the rest works."""
    outcomes: list[Outcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(check(["sleep", "314"], LIMIT)))
    thread.start()
    thread.join(60)

    assert [outcome.note for outcome in outcomes] == ["timed out after 0.7 s"]


@pytest.mark.parametrize(
    "leaves",
    [
        pytest.param(f"set -m; {sleeper('child')} & wait", id="job control"),
        pytest.param(f"set -m; {sleeper('child')} >/dev/null 2>&1 & wait", id="job control, no pipe"),
        pytest.param(f"setsid {sleeper('child')} & wait", id="setsid", marks=needs_setsid),
        pytest.param(f"{sleeper('child')} & {until('child')}; kill -STOP $! $$", id="stopped"),
    ],
)
def test_a_child_that_left_the_group_is_ended_too(check: Check, pids: Path, leaves: str) -> None:
    """A group or session of its own, or being stopped, saves no child from the time limit."""
    outcome = check(leaves, LIMIT)

    assert outcome.note == "timed out after 0.7 s"
    assert outcome.duration_ms < PROMPT
    assert is_gone(recorded(pids, "child"))


def test_a_leftover_without_the_pipe_is_ended(check: Check, pids: Path) -> None:
    """What the command left in the background is found even where nothing but its session tells of it."""
    outcome = check(f"set -m; {sleeper('child')} >/dev/null 2>&1 & {until('child')}")

    assert outcome[:2] == (0, None)
    assert is_gone(recorded(pids, "child"))


@needs_setsid
@pytest.mark.parametrize(("then", "limit"), [("true", 60), ("sleep 314", LIMIT)])
def test_a_daemon_is_not_waited_for(check: Check, pids: Path, then: str, limit: float) -> None:
    """A process that left session and parent is the command's no longer, even while it holds the pipe."""
    outcome = check(f"(setsid {sleeper('daemon')} &) ; {until('daemon')}; {then}", limit)

    daemon = recorded(pids, "daemon")
    assert is_running(daemon)
    end(daemon)
    assert outcome.exit_code == (0 if then == "true" else None)
    assert outcome.duration_ms < PROMPT


@needs_setsid
def test_a_daemon_that_writes_for_ever_is_not_read_for_ever(check: Check, pids: Path) -> None:
    """Only what the pipe holds when the command ends is taken."""
    writes = """sh -c 'echo $$ >"$PIDS/daemon"; exec yes'"""
    outcome = check(f"(setsid {writes} &) ; {until('daemon')}; exit 4")

    end(recorded(pids, "daemon"))
    assert outcome.exit_code == 4
    assert outcome.duration_ms < PROMPT


@pytest.mark.parametrize("table", ["_processes_of_ps", None])
def test_children_are_ended_without_proc(
    check: Check, pids: Path, monkeypatch: pytest.MonkeyPatch, table: str | None
) -> None:
    """The ps program tells what /proc does; where nothing tells, the group is ended at least."""
    listing = getattr(processes, table) if table else lambda: iter(())
    monkeypatch.setattr(processes, "_processes", listing)

    outcome = check(["sh", "-c", f"trap '' TERM; {sleeper('child')} & wait"], LIMIT)

    assert outcome.duration_ms < PROMPT
    assert is_gone(recorded(pids, "child"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_proc_and_ps_agree() -> None:
    """Both ways to list processes say the same of this one."""
    by_proc, by_ps = (
        {row.pid: row for row in rows}
        for rows in (processes._processes_of_proc(), processes._processes_of_ps())
    )

    assert by_proc[os.getpid()] == by_ps[os.getpid()]
    assert by_ps[os.getpid()][1:] == (os.getppid(), os.getpgrp(), os.getsid(0))


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ([], "no command given"),
        ([""], "no command given"),
        ("  \n", "no command given"),
        (["./folder"], "permission denied: ./folder"),
        (["./data"], "permission denied: ./data"),
        (["./noise"], "exec format error: ./noise"),
        (["./script"], "no interpreter found for: ./script"),
        (["./gone"], "no such file or directory: ./gone"),
        (["tr\0ue"], "embedded null byte"),
        ("true\0", "embedded null byte"),
        (["true", "x" * 20_000_000], "argument list too long: true"),
        (["n" * 5000], "file name too long: " + "n" * 200),
        (["./gone-\udcff"], "no such file or directory: ./gone-\\xff"),
    ],
)
def test_what_cannot_start_says_why(
    check: Check, tmp_path: Path, words: Sequence[str] | str, note: str
) -> None:
    """Whatever keeps a command from starting is a note, never a traceback."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "data").write_text("")
    for name, text in (("noise", "\x01\x02"), ("script", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    outcome = check(words)

    assert outcome[:2] == (None, f"could not run: {note}")
    assert (outcome.output, outcome.output_bytes) == ("", 0)
    assert outcome.output_sha256 == hashlib.sha256().hexdigest()


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """When the working folder is gone, the note names the folder, not the program."""
    gone = tmp_path / "gone"
    outcome = run(["true"], cwd=gone, environ=os.environ, timeout=60)

    assert outcome[:2] == (None, f"could not run: no such file or directory: {gone}")


def test_no_descriptor_is_left_open(check: Check) -> None:
    """Every way to end closes what it opened."""
    lowest = os.dup(0)
    os.close(lowest)
    for words in (["true"], ["no-such-program"], [], ["sleep", "314"]):
        check(words, 0.1)
    again = os.dup(0)
    os.close(again)

    assert again == lowest


def test_a_flood_is_digested_in_little_memory(check: Check) -> None:
    """200 MB are counted and digested, and only the tail is kept."""
    size = 200_000_000
    tracemalloc.start()
    outcome = check(["head", "-c", str(size), "/dev/zero"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert outcome.output == "\0" * TAIL
    assert outcome.output_bytes == size
    digest = hashlib.sha256()
    for _ in range(200):
        digest.update(bytes(1_000_000))
    assert outcome.output_sha256 == digest.hexdigest()
    assert peak < 1_000_000


def test_a_flood_without_end_is_cut_off(check: Check) -> None:
    """A writer that is always ahead of the reader keeps nobody from the time limit."""
    outcome = check(["yes"], LIMIT)

    assert outcome.note == "timed out after 0.7 s"
    assert outcome.duration_ms < PROMPT


def test_a_cut_tail_begins_with_a_line(check: Check) -> None:
    """What is left of a long output is whole lines, up to its very end."""
    outcome = check(["seq", "100000"])

    lines = outcome.output.split()
    assert lines == [str(number) for number in range(100_001 - len(lines), 100_001)]
    assert TAIL - 10 <= len(outcome.output) <= TAIL


@pytest.mark.parametrize("lead", ["", "x", "xx"])
def test_a_cut_tail_begins_with_a_character(check: Check, lead: str) -> None:
    """A long line is cut between characters; the last line needs no end."""
    outcome = check([sys.executable, "-c", f"print({lead!r} + '\\u20ac' * 9000, end='')"])

    assert set(outcome.output) == {"\u20ac"}
    assert TAIL - 3 < len(outcome.output.encode()) <= TAIL


def test_bytes_that_are_no_text_are_shown(check: Check) -> None:
    """Bytes that are not UTF-8, and no others, become text that names them."""
    outcome = check(r"printf 'a\377\303(\355\240\200\0\303\251'")

    assert outcome.output == "a\\xff\\xc3(\\xed\\xa0\\x80\0\u00e9"
    assert outcome.output_bytes == 10


def test_noise_is_bounded_too(check: Check) -> None:
    """The tail stays within its size though a byte may take four characters to show."""
    outcome = check([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\x80' * 100_000)"])

    assert TAIL - 4 <= len(outcome.output) <= TAIL
    assert outcome.output.endswith("\\x80\\x80")


@pytest.mark.parametrize("distance", [0, 10, 30, TAIL - 100, TAIL])
def test_a_secret_is_masked_wherever_the_tail_is_cut(check: Check, distance: int) -> None:
    """A token is masked also where the tail begins in its middle."""
    rest = "." * max(TAIL - distance, 0)
    outcome = check([sys.executable, "-c", f"print({'.' * 9000 + ' ' + TOKEN + ' ' + rest!r}, end='')"])

    assert TOKEN[-10:] not in outcome.output
    assert len(outcome.output) <= TAIL


def test_the_rest_of_a_private_key_is_masked(check: Check) -> None:
    """Of a key longer than what is kept, the lines without their first one are recognised by the last."""
    dashes = "-" * 5
    text = f"{dashes}BEGIN PRIVATE KEY{dashes}\n" + f"{KEY_LINE}\n" * 400
    text += f"AB==\n{dashes}END PRIVATE KEY{dashes}\nall is well\n"
    outcome = check([sys.executable, "-c", f"print({text!r}, end='')"])

    assert outcome.output == "[masked: the rest of a private key]\nall is well\n"
