"""A log with everything in it that a page can show, said by the commands themselves."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from gitdecide import cli
from gitdecide.app import App

HOSTILE: Final = (
    "\x1b]0;t\x07", "\x1b[2J", "over\rwritten", "\u202egnp.exe", "a | b", "one ` tick", "````", "@some-team",
    "#12", "fixes #12", "<img src=x onerror=alert(1)>", "</script>", "[x](javascript:alert(1))",
    "fine\n## Approved", "-->", "{{ 7*7 }}", "{% raw %}",
)  # fmt: skip
"""Text that has broken pages, comments and terminals elsewhere."""

ODD_PATHS: Final = (
    "src/con", "src/Con", "src/100%.py", "src/..%2f.py", 'src/"q".py', "src/größe.py", "src/<b>.py",
    f"src/{'long-' * 40}name.py",
)  # fmt: skip
ODD_ACTORS: Final = (
    "con", "Con", "..", "100% sure", "größe", "javascript:alert(1)", "\u202eevil", "x" * 100,
    '"onload=x" &amp; {{ 7*7 }}',
)  # fmt: skip


class Told(App):
    """The program in one folder, at a time that moves by itself."""

    instant = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """Eleven minutes after the last look."""
        Told.instant += timedelta(minutes=11, microseconds=1)
        return Told.instant


class Story:
    """A repository, and what is said in it."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.environ = environ

    def say(self, *typed: str, code: int = 0, stdin: bytes = b"") -> str:
        """What a command prints; fails unless it ends with this exit code."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        real, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                done = cli.run(Told(self.environ, self.folder), list(typed))
                out.flush()
                err.flush()
        finally:
            sys.stdin = real
        assert done == code, f"{typed}: {done}: {err.buffer.getvalue().decode()}"
        return out.buffer.getvalue().decode().strip()

    def git(self, *typed: str) -> str:
        """Standard output of git."""
        return subprocess.run(
            ["git", *typed],
            cwd=self.folder,
            env=dict(self.environ),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    def write(self, files: Mapping[str, str], message: str) -> None:
        """A commit with these files."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", message)


def sealed(home: Path) -> dict[str, str]:
    """An environment of its own for a story."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
        "GIT_AUTHOR_DATE": "2026-09-01T08:00:00Z", "GIT_COMMITTER_DATE": "2026-09-01T08:00:00Z",
    }  # fmt: skip


def tell(folder: Path, home: Path) -> Story:
    """The whole story, in a new repository."""
    folder.mkdir(parents=True)
    Told.instant = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
    story = Story(folder, sealed(home))
    story.git("init", "-q")
    story.write(
        {
            "src/engine/__init__.py": "def run(rows):\n    return [row.strip() for row in rows]\n",
            "src/report.py": "import engine\n\nprint(engine.run(engine.load_dataset('data.csv')))\n",
            "docs/plan.md": "# Plan\n",
            **dict.fromkeys(ODD_PATHS, "x = 1\n"),
        },
        "The engine and its report",
    )
    story.say("init", "--no-hooks")
    story.say("actor", "add", "Grace", "--human", "--email", "grace@example.com")
    story.say("actor", "add", "researcher-1", "--agent", "--model", "model-a")
    _dataset(story)
    _settled(story)
    _replaced_elsewhere(story)
    _conversation(story)
    _deadlock(story)
    _debate(story)
    _conflicts(story)
    _proposals(story)
    _hostile(story)
    _odd(story)
    _queue(story)
    story.write({"src/report.py": "import engine\n\nprint(engine.run(open('data.csv')))\n"}, "Read the rows")
    return story


def _dataset(story: Story) -> None:
    """The failed dataset job: an unread yes, a check, a rejection, and its replacement."""
    say = story.say
    name = say(
        "ask", "Add load_dataset to the engine, so that the report runs?", "--job", "dataset-feature",
        "--context", "src/report.py calls engine.load_dataset(path), and fails.",
        "--option", "add the function", "--option", "fix the user's script",
        "--governs", "src/engine", "--link", "https://example.com/tickets/12",
        "--link", "javascript:alert(1)",
    )  # fmt: skip
    say("vote", name, "support", "-m", "the user's code is the spec", "--as", "researcher-1")
    say(
        "vote", name, "inform", "-m", "Nothing in the engine reads files.\nCheck the premise first.",
        "--read", "src/engine/__init__.py:1-2", "--read", "src/report.py", "--read", "ticket:ABC-1",
        "--read", "https://example.com/tickets/12", "--not-checked", "tests",
        "--model", "model-b", "--as", "staff",
    )  # fmt: skip
    say(
        "check", name, "--premise", "the engine has load_dataset", "--",
        "grep", "-rn", "def load_dataset", "src/engine",
    )  # fmt: skip
    say(
        "check", name, "--premise", "the report calls it", "--", "grep", "-n", "load_dataset", "src/report.py"
    )
    say("check", name, "--not-applicable", "no data file is in the repository", "--as", "staff")
    say(
        "check",
        name,
        "--premise",
        "it failed in CI",
        "--report",
        "1",
        "--as",
        "staff",
        "--",
        "make",
        "report",
    )
    say(
        "bind", name, "reject", "The premise is false: the user's script is wrong, not the engine.",
        "--read", "src/engine/__init__.py", "--check", "last",
        "--rationale", "The engine takes rows, and reads no file.", "--confidence", "0.9", "--as", "staff",
    )  # fmt: skip
    say("link", name)
    story.write(
        {"src/report.py": "import engine\n\nprint('rows')\n"}, f"Fix the report\n\nDecision: {name}\n"
    )
    say("unlink")
    say("check", name, "--premise", "the report is fixed", "-c", "! grep -q load_dataset src/report.py")
    say(
        "supersede", name, "adopt", "Keep the engine as it is, and let the report open its file.",
        "-m", "The report was fixed, and the check holds.", "--check", "last", "--review-by", "2027-03-01",
        "--read", "src/report.py", "--despite", "another check still fails",
    )  # fmt: skip


def _settled(story: Story) -> None:
    say = story.say
    name = say("ask", "Which parser?", "--option", "libyaml", "--option", "our own", "--job", "parser")
    say("vote", name, "support", "-m", "measured it", "--read", "docs/plan.md", "--as", "researcher-1")
    say(
        "bind", name, "adopt", "libyaml", "--no-code", "--read", "docs/plan.md", "--settled", "user-directed",
        "--over", "our own", "--because", "nobody wants to own a parser", "--by", "Grace",
        "--said", "take libyaml", "--as", "researcher-1",
    )  # fmt: skip
    told = say("ask", "Use tabs", "--directive")
    challenge = say(
        "challenge", told, "The formatter writes blanks", "--read", "docs/plan.md", "--as", "staff"
    )
    say("answer", told, challenge, "accept", "-m", "true", "--read", "docs/plan.md")
    say("bind", told, "reject", "Blanks it is", "--no-code", "--read", "docs/plan.md", "--answers", challenge)


def _replaced_elsewhere(story: Story) -> None:
    say = story.say
    old = say("ask", "Where do the logs go?", "--job", "logging")
    first = say("bind", old, "adopt", "To a file", "--no-code", "--read", "docs/plan.md")
    say(
        "supersede",
        old,
        "adopt",
        "To a file of each day",
        "--no-code",
        "-m",
        "it grew",
        "--read",
        "docs/plan.md",
    )
    new = say("ask", "One place for logs and metrics?", "--job", "logging", "--governs", "src/*.py")
    live = say("show", old, "--json")
    import json

    latest = json.loads(live)["live"][0]
    assert latest != first
    say(
        "supersede", new, "adopt", "Everything goes to standard error", "--no-code",
        "-m", "one place is enough", "--replaces", f"{old}:{latest}", "--read", "docs/plan.md",
    )  # fmt: skip


def _conversation(story: Story) -> None:
    """Two sides that agree, with both ledgers, and one that gave nothing up."""
    say = story.say
    name = say("ask", "Split the engine into two packages?", "--mode", "build", "--with", "builder")
    say(
        "turn", name, "BRIEF", "One package a reader", "-m", "Readers change often.\n\nThe core does not.",
        "--new-issue", "who owns the reader",
    )  # fmt: skip
    say(
        "turn",
        name,
        "COUNTER",
        "Two releases are twice the work",
        "--issue",
        "i-02=claimed",
        "--as",
        "builder",
    )
    say(
        "turn",
        name,
        "EVIDENCE",
        "The core changed twice in a year",
        "--issue",
        "i-02=proposed",
        "--issue",
        "i-01=proposed",
    )
    say(
        "turn",
        name,
        "ACCEPT",
        "Then Grace owns it",
        "--issue",
        "i-02=agreed",
        "--issue",
        "i-01=agreed",
        "--as",
        "builder",
    )
    say("turn", name, "ACCEPT", "So be it", "--issue", "i-01=agreed", "--issue", "i-02=agreed")
    say("turn", name, "RED_TEAM", "What breaks first: imports", "--gave-up", "one release a week")
    say("turn", name, "RED_TEAM", "Nothing breaks", "--as", "builder")
    say("turn", name, "SIGN", "The plan", "--signs", "docs/plan.md")
    say("turn", name, "SIGN", "The plan as well", "--signs", "docs/plan.md", "--as", "builder")
    say("close", name, "-m", "agreed")


def _deadlock(story: Story) -> None:
    say = story.say
    name = say(
        "ask", "Rewrite it in another language?", "--mode", "review", "--with", "critic", "--job", "rewrite"
    )
    for _ in range(3):
        say("turn", name, "COUNTER", "Yes", "--issue", "i-01=open")
        say("turn", name, "COUNTER", "No.", "--issue", "i-01=open", "--as", "critic")


def _debate(story: Story) -> None:
    say = story.say
    name = say(
        "ask", "Is a monorepo right for us?", "--mode", "debate", "--role", "proponent=pro",
        "--role", "opponent=con-side", "--role", "arbitrator=judge",
    )  # fmt: skip
    say("turn", name, "proposition", "One repository, one truth", "--as", "pro")
    say("turn", name, "rebuttal", "One repository, one queue", "--as", "con-side")
    say("turn", name, "concession", "The queue is real", "--as", "pro")
    say("turn", name, "synthesis", "One repository, two queues", "--as", "judge")
    say(
        "bind",
        name,
        "defer",
        "Ask again when the queue is measured",
        "--read",
        "docs/plan.md",
        "--as",
        "judge",
        "--dissent",
        "pro would start now",
    )


def _conflicts(story: Story) -> None:
    say = story.say
    blocked = say("ask", "Cache the rows?", "--job", "speed")
    say("bind", blocked, "adopt", "In memory", "--no-code", "--read", "docs/plan.md")
    say(
        "conflict",
        blocked,
        "--severity",
        "invalidating",
        "-m",
        "The rows do not fit",
        "--read",
        "src/report.py",
        "--as",
        "staff",
    )
    called = say("ask", "Compress the rows?", "--job", "speed")
    say("bind", called, "adopt", "With zlib", "--no-code", "--read", "docs/plan.md")
    conflict = say(
        "conflict",
        called,
        "--severity",
        "suboptimal",
        "-m",
        "zstd is quicker",
        "--read",
        "docs/plan.md",
        "--as",
        "staff",
    )
    say("answer", called, conflict, "accept", "-m", "later", "--read", "docs/plan.md")


def _proposals(story: Story) -> None:
    say = story.say
    name = say("ask", "Strip the rows only once?", "--job", "speed")
    say("trust", "dave", "3")
    lazily = "sed -i 's/\\[row.*rows\\]/(row.strip() for row in rows)/' src/engine/__init__.py"
    script = "echo '<script>alert(1)</script>' > docs/new.html; rm docs/plan.md"
    say("propose", name, "-m", "Strip lazily", "--as", "dave", "-c", f"{lazily}; {script}")
    say("vote", name, "support", "-m", "quicker", "--read", "src/engine/__init__.py", "--as", "dave")


def _hostile(story: Story) -> None:
    say = story.say
    for text in HOSTILE:
        name = say("ask", f"Is {text} text?", "--job", f"job {text}", "--context", text)
        say("vote", name, "inform", "-m", text, "--read", f"message:{text}", "--as", "critic")
        say("check", name, "--premise", text, "--exit-code", "--", "printf", "%s\n", text)
    say("vote", name, "oppose", "-m", "read it", "--read", "https://example.com/a?b=1&c=<d>", "--as", "staff")


def _odd(story: Story) -> None:
    say = story.say
    name = say("ask", "Are odd names names?", "--governs", "src")
    for actor, path in zip(ODD_ACTORS, [*ODD_PATHS, "src/con"], strict=True):
        say("vote", name, "support", "-m", "read it", "--read", path, "--as", actor)


def _queue(story: Story) -> None:
    """A question that nobody will decide, and one that nobody has looked at."""
    closed = story.say("ask", "Rename the project?")
    story.say("close", closed, "-m", "nobody wants to")
    story.say("ask", "Which licence?", "--job", "legal")
