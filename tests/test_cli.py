"""The program as a whole: help, mistakes, odd terminals, and how it ends."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest

from gitdecide import cli
from tests.conftest import Decide, GitRunner, run_program

VERBS = [verb for verbs in cli.SECTIONS.values() for verb in verbs]
HOSTILE = [
    "\x1b]0;t\x07", "\x1b[2J", "a\rb", "\u202etxet", "a | b", "`", "````", "@some-team", "#12", "fixes #12",
    "<img src=x onerror=alert(1)>", "</script>", "[x](javascript:alert(1))", "x\n## Approved", "-->",
    "{{ 7*7 }}", "{% raw %}", "x\nerror: y", "\x9b2J", "\x7f", "\u2066a\u2069", "\u2028b",
    "x\n\n00000000 decision by Ada",
]  # fmt: skip
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("words", [("-h",), ("--help",)])
def test_the_help_lists_every_verb_by_section(decide: Decide, words: tuple[str, ...]) -> None:
    """Both spellings, on standard output, exit 0; also outside of any repository."""
    done = decide(*words)

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: git decide [OPTIONS] COMMAND [ARGS]...\n")
    for section, verbs in cli.SECTIONS.items():
        assert f"\n{section}:\n" in done.stdout
        for verb, summary in verbs.items():
            assert re.search(rf"^  {verb} +{re.escape(summary)}$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("verb", [*VERBS, "actor add", "actor list", "actor whoami"])
def test_every_verb_explains_itself(decide: Decide, verb: str) -> None:
    """-h prints what the verb does, in the words of the root's list."""
    done = decide(*verb.split(), "-h")

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: git decide {verb} [OPTIONS]")
    if " " not in verb and verb not in ("ask", "show", "explain", "log"):  # theirs say a little more
        summary = next(verbs[verb] for verbs in cli.SECTIONS.values() if verb in verbs)
        assert " ".join(summary.split()[:3]) in " ".join(done.stdout.split())


def test_the_version_is_told(decide: Decide) -> None:
    """--version names the program."""
    assert re.fullmatch(r"git-decide \d+\.\d+\.\d+\n", decide("--version").stdout)


@pytest.mark.parametrize(
    ("words", "forbidden"),
    [
        (["-h"], r"gitdecide\.commands\.(?!options)\w|pygit2|yaml|msgspec|sqlite3|jinja2"),
        (["list"], r"pygit2|jinja2"),
        (["show"], r"pygit2|jinja2|sqlite3"),
        (["vote", "DR-1", "inform", "-m", "x"], r"pygit2|jinja2|sqlite3"),
    ],
    ids=["help", "list", "show", "vote"],
)
def test_commands_load_what_they_need(record: str, repo: Path, words: list[str], forbidden: str) -> None:
    """Help loads no verb and no library; a command loads neither libgit2 nor templates."""
    script = (
        "import sys\nfrom gitdecide import cli\nfrom gitdecide.app import App\n"
        "code = cli.run(App(), sys.argv[1:])\nprint('\\n'.join(sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=repo, capture_output=True, text=True, check=True
    )

    assert [name for name in done.stderr.splitlines() if re.match(forbidden, name)] == []
    assert "gitdecide.cli" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("frob",), "error: 'frob' is not a git decide command\nhint: git decide -h lists them\n"),
        (("vtoe",), "error: 'vtoe' is not a git decide command\nhint: git decide vote\n"),
        (("vote", "--frob"), "error: no such option '--frob'\nhint: git decide vote -h\n"),
        (("--frob",), "error: no such option '--frob'\nhint: git decide -h\n"),
        (("vote",), "error: missing argument 'DR'\nhint: git decide vote -h\n"),
        (("ask", "a", "b"), "error: got unexpected extra argument (b)\nhint: git decide ask -h\n"),
        (("ask", "a", "--job"), "error: option '--job' requires an argument\n"),
        (("actor", "frob"), "error: no such command 'frob'\nhint: git decide actor -h\n"),
        (("vote", "DR-1", "\x1b[2J"), None),
    ],
)
def test_mistakes_are_named_in_one_line(decide: Decide, words: tuple[str, ...], said: str | None) -> None:
    """Lower case, one line, a hint, exit 2, and nothing raw on the terminal."""
    done = decide(*words)

    assert (done.exit_code, done.stdout) == (2, "")
    assert not RAW.search(done.stderr)
    assert said is None or done.stderr == said


@pytest.mark.parametrize("words", [(), ("actor",)])
def test_without_a_verb_the_help_is_shown_and_it_is_a_mistake(decide: Decide, words: tuple[str, ...]) -> None:
    """A script that forgot the verb must notice; a person sees what there is."""
    done = decide(*words)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: git decide ")
    assert len(done.stderr.splitlines()) > 5


def test_hints_are_silenced(decide: Decide, repo: Path, git: GitRunner) -> None:
    """advice.decide=false leaves the errors and takes the hints."""
    git(repo, "config", "advice.decide", "false")

    assert decide("list").stderr == "error: no decision log here: refs/decisions/log does not exist\n"


def test_a_bug_is_confessed(decide: Decide, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 70, the traceback for the report, and where it goes."""
    monkeypatch.setattr("gitdecide.rules.explanations", lambda: 1 / 0)
    done = decide("explain")

    assert (done.exit_code, done.stdout) == (70, "")
    assert "error: this is a bug in git-decide" in done.stderr
    assert "\nhint: please report it" in done.stderr


@pytest.fixture
def hostile(decide: Decide, record: str) -> str:
    """A record in which everything that can hold a text holds a hostile one."""
    for number, text in enumerate(HOSTILE):
        name = decide(
            "ask", "--context", text, "--option", text, "--job", text, "--governs", text, "--", text
        ).id
        more = ("--not-checked", text, "--model", text)
        assert decide("vote", record, "inform", "-m", text, "--read", f"message:{text}", *more).exit_code == 0
        words = ("--premise", text, "--note", text, "--", "printf", "%s", text)
        assert decide("check", record, *(("--report", "1") if number else ()), *words).exit_code == 0
        assert decide("challenge", record, "--", text).exit_code == 0
        actor = text if text.isprintable() and not {*"<>"} & {*text} else f"bot-{number}"
        assert decide("vote", name, "abstain", "-m", text, f"--as={actor}").exit_code == 0
    said = (
        "--rationale",
        HOSTILE[0],
        "--dissent",
        HOSTILE[1],
        "--despite",
        HOSTILE[2],
        "--governs",
        HOSTILE[13],
    )
    assert (
        decide("bind", record, "adopt", HOSTILE[17], "--read", "pr:1", "--check", "last", *said).exit_code
        == 0
    )
    return record


def test_hostile_text_stays_text(decide: Decide, hostile: str, repo: Path, git: GitRunner) -> None:
    """No control character reaches a reader in any view; JSON has every text whole; no line is faked."""
    git(repo, "config", "core.quotePath", "false")
    views = [("show", hostile), ("show", hostile, "--format", "yaml"), ("list",), ("log",), ("actor", "list")]
    views += [("show", hostile, "--format", "jsonl"), ("list", "--limit", "0"), ("explain",)]
    for words in views:
        done = decide(*words)
        assert done.exit_code == 0
        assert not RAW.search(done.stdout.replace("\n", "") + done.stderr.replace("\n", ""))
    shown = decide("show", hostile).stdout.splitlines()
    assert not [line for line in shown if line.startswith(("error:", "00000000", "##"))]
    assert len(decide("list", "--limit", "0").stdout.splitlines()) == len(HOSTILE) + 1
    assert all(json.loads(line) for line in decide("show", hostile, "--format", "jsonl").stdout.splitlines())
    for words in (("show", hostile, "--json"), ("list", "--json", "--limit", "0"), ("log", "--json")):
        done = decide(*words)
        assert not RAW.search(done.stdout.replace("\n", ""))
    data = json.loads(decide("show", hostile, "--json").stdout)
    reasons = [entry["reason"] for entry in data["entries"] if entry["type"] == "vote"]
    assert reasons == HOSTILE
    message = git(repo, "log", "--format=%B", "refs/decisions/log")
    assert not RAW.search(message.replace("\n", ""))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_mistakes_stay_text(decide: Decide, log: None, text: str) -> None:
    """What is quoted back in an error is on its one line, made safe."""
    for words in (
        ("show", text), ("vote", "DR-1", text), (text,), ("actor", "add", text, "--human"), ("explain", text),
        ("vote", "DR-1", "inform", "-m", "x", "--read", text), ("ask", "x", "-F", text),
        ("list", "--limit", text),
    ):  # fmt: skip
        done = decide(*words, CLAUDECODE="1")
        faults = [line for line in done.stderr.splitlines() if not line.startswith("hint: ")]
        assert done.exit_code in (1, 2, 3), done
        assert len(faults) == 1, done
        assert not RAW.search(done.stderr.replace("\n", ""))


def test_any_locale_will_do(record: str, repo: Path) -> None:
    """LC_ALL=C and an ASCII terminal: nothing crashes, and what is stored is right."""
    (repo / "größe.py").write_text("")
    places: list[dict[str, Any]] = [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
    ]
    for environ in places:
        said = run_program(
            "vote", record, "inform", "-m", "größe \U0001f600", "--read", "größe.py", cwd=repo, **environ
        )
        assert said.exit_code == 0, said
        shown = run_program("show", record, cwd=repo, **environ)
        assert (shown.exit_code, shown.stderr) == (0, "")
        stored = json.loads(run_program("show", record, "--json", cwd=repo, **environ).stdout)["entries"][-1]
        assert (stored["reason"], stored["read"][0]["path"]) == ("größe \U0001f600", "größe.py")
        missing = run_program("vote", record, "inform", "-m", "x", "--read", "weiß.py", cwd=repo, **environ)
        assert (missing.exit_code, missing.stderr.count("error: ")) == (3, 1)


@pytest.fixture
def long(decide: Decide, record: str) -> str:
    """A record whose text is longer than any pipe holds."""
    assert decide("vote", record, "inform", "-m", "\n".join(["x" * 99] * 2000)).exit_code == 0
    return record


@pytest.mark.parametrize("words", [("list",), ("show",), ("show", "--json"), ("-h",)])
def test_a_closed_pipe_ends_it_quietly(long: str, repo: Path, words: tuple[str, ...]) -> None:
    """`git decide list | head -0`: exit 141, and not a word; short answers and long ones alike."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "gitdecide", *words],
        cwd=repo,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [("list",), ("show",), ("show", "--json")])
def test_a_full_disk_is_said_once(long: str, repo: Path, words: tuple[str, ...]) -> None:
    """Exit 3 and one line, for short answers and long ones alike."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gitdecide", *words],
            cwd=repo,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 3
    assert done.stderr == b"error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("closed", "words", "code"),
    [(">&-", "list", 0), ("2>&-", "show DR-9", 3), ("<&-", "ask -F -", 2), (">&- 2>&- <&-", "ask Why?", 0)],
)
def test_streams_may_be_missing(record: str, repo: Path, closed: str, words: str, code: int) -> None:
    """Started without standard streams it does its work, and says it to nobody, as git does."""
    script = f'exec "$0" -m gitdecide {words} {closed}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], cwd=repo, capture_output=True, text=True, check=False
    )

    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_nobody_has_to_hear_the_errors(record: str, repo: Path) -> None:
    """Standard error that takes nothing changes no exit code."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gitdecide", "show", "DR-9"],
            cwd=repo,
            stderr=full,
            capture_output=False,
            check=False,
        )

    assert done.returncode == 3


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc")
def test_ctrl_c_ends_it_quietly(record: str, repo: Path) -> None:
    """Exit 130 and not a word."""
    ours = subprocess.Popen(
        [sys.executable, "-m", "gitdecide", "ask", "-F", "-"],
        cwd=repo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    for _ in range(1000):
        if "yaml" in Path(f"/proc/{ours.pid}/maps").read_text():
            break
        select.select([], [], [], 0.01)
    ours.send_signal(signal.SIGINT)
    stdout, stderr = ours.communicate(timeout=20)

    assert (ours.returncode, stdout, stderr) == (130, b"", b"")


class OnTerminal(Protocol):
    """Run git-decide on a terminal of its own: the exit code and everything that it showed."""

    def __call__(self, *words: str, **environ: str) -> tuple[int, str]: ...


TERMINAL = """
import os, pty, sys
def read(fd):
    return os.read(fd, 65536)
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))
"""


@pytest.fixture
def on_terminal(repo: Path) -> OnTerminal:
    """A terminal of xterm's kind, without a pager."""

    def run(*words: str, **environ: str) -> tuple[int, str]:
        around = [sys.executable, "-c", TERMINAL, sys.executable, "-m", "gitdecide", *words]
        surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        done = subprocess.run(
            around, cwd=repo, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
            env={**surroundings, "TERM": "xterm", "GIT_PAGER": "cat", **environ},
        )  # fmt: skip
        return done.returncode, done.stdout.decode().replace("\r\n", "\n")

    return run


def test_a_terminal_has_colour(record: str, on_terminal: OnTerminal) -> None:
    """Labels are coloured on a terminal, NO_COLOR and TERM=dumb switch it off, texts stay safe."""
    code, shown = on_terminal("list")
    assert (code, shown) == (
        0,
        f"\x1b[36m{record}\x1b[m  \x1b[33mopen      \x1b[m  Add load_dataset to the engine?\n",
    )
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal("list", **environ)[1]
    assert on_terminal("show", "DR-9")[1].startswith("\x1b[31merror: \x1b[mno decision record DR-9\n")


def test_long_output_goes_through_gits_pager(record: str, on_terminal: OnTerminal, tmp_path: Path) -> None:
    """GIT_PAGER shows facts, in colour; writers and errors are not paged."""
    pager = f"sed 's/^/paged: /' | tee {tmp_path / 'paged'}"
    for words in (("list",), ("show",), ("log",), ("explain",), ("actor", "list")):
        code, shown = on_terminal(*words, GIT_PAGER=pager)
        assert code == 0
        assert shown.splitlines()[0].startswith("paged: ")
    assert "\x1b[" in (tmp_path / "paged").read_text()
    assert "paged" not in on_terminal("vote", record, "inform", "-m", "x", GIT_PAGER=pager)[1]
    assert "paged" not in on_terminal("list", "--json", GIT_PAGER=pager)[1]


def test_a_pager_that_is_left_early_is_no_error(long: str, on_terminal: OnTerminal) -> None:
    """Whoever has seen enough hears nothing more; a pager that is not there is named."""
    assert on_terminal("show", GIT_PAGER="head -n 1")[0] == 141
    code, shown = on_terminal("list", GIT_PAGER="no-such-pager")
    assert code == 3
    assert "error: \x1b[mcannot run the pager: no-such-pager\n" in shown


def test_git_switches_the_pager_off(record: str, on_terminal: OnTerminal, repo: Path, git: GitRunner) -> None:
    """What `git --no-pager` sets is heeded, and so is core.pager."""
    git(repo, "config", "core.pager", "sed 's/^/paged: /'")

    assert on_terminal("list", GIT_PAGER="cat")[1].startswith("\x1b[36m")
    assert on_terminal("list", GIT_PAGER="")[1].startswith(("\x1b[36m", "paged: "))
