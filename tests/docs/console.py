"""The console sessions of the docs, run as a reader would type them.

A session is every ```console block of one page: `$ ` begins a command, `> ` continues it, and what follows
is what it prints. A line `…` stands for any lines. An HTML comment that begins with `before` holds commands
that make the place where the session starts. Ids and times differ from run to run: each id of the page
stands for one id of the run, also where it is typed, and times are not compared.
"""

import re
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple, cast

ANY: Final = "…"

_ID = re.compile(r"\b[0-9a-f]{7,64}\b")
_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"
    r"|\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4} [+-]\d{4}"
    r"|(?<=duration_ms: )\d+"
)
_BEFORE = re.compile(r"<!-- before\n(.*?)-->", re.DOTALL)
_END: Final = "--- end of a command:"


class Step(NamedTuple):
    """One command of a page, the lines that its output takes there, and that output."""

    command: str
    first: int
    last: int
    expected: list[str]


class Played(NamedTuple):
    """A step, and what it printed in the words of the page."""

    step: Step
    shown: list[str]

    @property
    def as_written(self) -> bool:
        """True when the page shows what was printed."""
        return matches(self.step.expected, self.shown)


def steps(page: str) -> Iterator[Step]:
    """The commands of every console block of a page."""
    lines = page.split("\n")
    number = 0
    while number < len(lines):
        number += 1
        if lines[number - 1] != "```console":
            continue
        while lines[number] != "```":
            assert lines[number].startswith("$ "), f"line {number + 1}: no command: {lines[number]}"
            command = [lines[number][2:]]
            number += 1
            while lines[number].startswith("> "):
                command.append(lines[number][2:])
                number += 1
            first = number
            while lines[number] != "```" and not lines[number].startswith("$ "):
                number += 1
            yield Step("\n".join(command), first, number, lines[first:number])


def play(page: str, folder: Path) -> list[Played]:
    """Run the session of a page in a new shell, whose home and working folder are new folders in this one."""
    with shell(folder) as run:
        for before in _BEFORE.findall(page):
            run(f"set -e\n{before}set +e")
        ids = Ids()
        played = []
        for step in steps(page):
            printed = run(ids.typed(step.command))
            if ANY not in step.expected:
                ids.learn("\n".join(step.expected), printed)
            played.append(Played(step, ids.told(printed).split("\n") if printed else []))
        return played


def rewritten(page: str, played: list[Played]) -> str:
    """The page with what was printed wherever it shows something else."""
    lines = page.split("\n")
    for step, shown in reversed([(each.step, each.shown) for each in played if not each.as_written]):
        lines[step.first : step.last] = shown
    return "\n".join(lines)


def matches(expected: list[str], shown: list[str]) -> bool:
    """True when output is what a page expects: times apart, and around `…` ids apart as well."""
    if ANY not in expected:
        return _TIME.sub("TIME", "\n".join(expected)) == _TIME.sub("TIME", "\n".join(shown))
    pattern = "".join(r"(?:.*\n)*?" if line == ANY else re.escape(_blank(line)) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(_blank(line) + "\n" for line in shown)) is not None


class Ids:
    """Which id of a run each id of a page stands for."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}
        self._page: dict[str, str] = {}

    def learn(self, expected: str, printed: str) -> None:
        """Pair the ids of an output with those that the page shows for it, when there are as many."""
        pages, reals = _ID.findall(expected), _ID.findall(printed)
        if list(map(len, pages)) == list(map(len, reals)):
            for page, real in zip(pages, reals, strict=True):
                for length in (7, 8, len(page)):
                    self._pair(page[:length], real[:length])

    def _pair(self, page: str, real: str) -> None:
        """Note that one stands for the other, unless either, or how it begins, stands for something else."""
        if _looked_up(self._page, real, page) == page and _looked_up(self._real, page, real) == real:
            self._real[page] = real
            self._page[real] = page

    def typed(self, command: str) -> str:
        """A command of the page with the ids of the run."""
        return _ID.sub(lambda match: _looked_up(self._real, match[0], match[0]), command)

    def told(self, printed: str) -> str:
        """Output with the ids of the page."""
        return _ID.sub(lambda match: _looked_up(self._page, match[0], match[0]), printed)


def _looked_up(known: Mapping[str, str], word: str, unknown: str) -> str:
    """What an id stands for; where only its beginning is known, that and the rest of `unknown`."""
    begun = known.get(word[:8])
    return known.get(word) or (begun + unknown[8:] if begun else unknown)


@contextmanager
def shell(folder: Path) -> Iterator["Shell"]:
    """A sealed bash, with git-decide on its PATH, in a new working folder."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    process = subprocess.Popen(
        ["bash", "--noprofile", "--norc"],
        cwd=work,
        env=sealed(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    with process:
        yield Shell(cast("IO[str]", process.stdin), cast("IO[str]", process.stdout))
        process.communicate()


class Shell:
    """Runs commands one after the other; folders and variables stay from one to the next."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self._stdin = stdin
        self._stdout = stdout

    def __call__(self, command: str) -> str:
        """What a command prints, on both streams, without its last line end."""
        end = f'_code=$?; printf "\\n%s\\n" "{_END} $_code"; (exit "$_code")'
        self._stdin.write(f"{{ {command}\n}} </dev/null\n{end}\n")
        self._stdin.flush()
        lines = list(iter(self._next, _END))
        return "".join(lines).removesuffix("\n").removesuffix("\n")

    def _next(self) -> str:
        line = self._stdout.readline()
        assert line, "the shell ended in the middle of a session"
        return _END if line.startswith(_END) else line


def sealed(home: Path) -> Mapping[str, str]:
    """An environment that knows nothing of this machine but its programs; Ada is who works in it."""
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    return {
        "HOME": str(home),
        "TMPDIR": str(home),
        "PATH": f"{sysconfig.get_path('scripts')}:/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONUNBUFFERED": "1",  # both streams go to one pipe, in the order of a terminal
    }


def _blank(line: str) -> str:
    return _ID.sub("ID", _TIME.sub("TIME", line))
