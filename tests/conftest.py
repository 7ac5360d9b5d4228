"""A sealed world for every test: no home, no configuration and no identity but its own."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, Protocol

import pygit2
import pytest
from pygit2.enums import ConfigLevel

from gitdecide import cli
from gitdecide.app import App

SEALED = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "NO_COLOR": "1",
}
AGENT_MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI")

GitRunner = Callable[..., str]


@pytest.fixture(autouse=True)
def sealed(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """HOME, XDG, system configuration, GIT_* variables and libgit2's search path belong to the test."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith("GIT_") or name in AGENT_MARKS:
            monkeypatch.delenv(name)
    for name, value in SEALED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    # libgit2 reads HOME once, when it is loaded.
    for level in (ConfigLevel.GLOBAL, ConfigLevel.XDG, ConfigLevel.SYSTEM):
        pygit2.settings.search_path[level] = str(home)
    return home


def run_git(cwd: Path, *args: str, stdin: str | None = None) -> str:
    """Standard output of git without its last line end; fails the test when git fails."""
    done = subprocess.run(["git", *args], cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
    return done.stdout.removesuffix("\n")


@pytest.fixture
def git() -> GitRunner:
    """The user's git: the folder comes first, then git's arguments."""
    return run_git


@pytest.fixture(scope="session")
def beginnings(tmp_path_factory: pytest.TempPathFactory) -> "Beginnings":
    """What many tests begin with, kept for as long as this process runs."""
    return Beginnings(tmp_path_factory.mktemp("beginnings") / "repo")


@pytest.fixture
def repo(tmp_path: Path, beginnings: "Beginnings") -> Path:
    """A repository with one commit, on main."""
    path = tmp_path / "repo"
    beginnings.copy(path)
    return path


class Done(NamedTuple):
    """How a run of the program ended, and what it said."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def id(self) -> str:
        """What a writer prints on standard output: one id or name; fails the test when it failed."""
        assert self.exit_code == 0, self.stderr
        return self.stdout.strip()


class Decide(Protocol):
    """Run git-decide in this process: decide("vote", record, "support", "-m", "why")."""

    def __call__(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **environ: str) -> Done: ...


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> "Clock":
    """The time that the program sees: it stands still until the test moves it."""
    clock = Clock()
    monkeypatch.setattr(App, "now", lambda _: clock.now())
    return clock


class Clock:
    """Every look at it is a microsecond later, so that no two entries are the same bytes."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 10, 19, 9, 14, 3, 482913, tzinfo=UTC)

    def now(self) -> datetime:
        """The time, a microsecond after the last look."""
        self.instant += timedelta(microseconds=1)
        return self.instant

    def pass_(self, **duration: float) -> None:
        """Let time pass: clock.pass_(minutes=3)."""
        self.instant += timedelta(**duration)


@pytest.fixture
def decide(repo: Path, clock: Clock) -> Decide:
    """The program, in `repo` unless `cwd` says otherwise; variables are given as keywords."""

    def run(*args: str, cwd: Path | None = None, stdin: bytes = b"", **environ: str) -> Done:
        stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        real = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
        try:
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                code = cli.run(App({**os.environ, **environ}, cwd or repo), list(args))
                stdout.flush()
                stderr.flush()
        finally:
            sys.stdin = real
        said = [stream.buffer.getvalue().decode() for stream in (stdout, stderr)]
        return Done(code, *said)

    return run


class Beginnings:
    """Made once, and then laid into one repository after the other as files."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._laid: dict[object, tuple[str, datetime, dict[Path, bytes]]] = {}

    def copy(self, path: Path) -> None:
        """Make a repository with one commit."""
        if not self._repository.exists():
            (self._repository / "src").mkdir(parents=True)
            (self._repository / "src" / "app.py").write_text("x = 1\n")
            for line in ("init -q --template=", "add .", "commit -qm base"):
                run_git(self._repository, *line.split())
            (self._repository / ".git" / "hooks").mkdir()
            (self._repository / ".git" / "info").mkdir()
        shutil.copytree(self._repository, path)
        run_git(path, "update-index", "--refresh")  # to git a copied file is another one

    def lay(self, repo: Path, clock: Clock, decide: Decide, *words: str) -> str:
        """What the program prints; it runs only where the repository, the time or the user are others."""
        place = repo / ".git"
        before = _contents(place)
        user = Path(os.environ["HOME"], ".gitconfig").read_bytes()
        key = (words, clock.instant, user, frozenset(before.items()))
        if key not in self._laid:
            said = decide(*words)
            assert said.exit_code == 0, said.stderr
            grown = {file: data for file, data in _contents(place).items() if before.get(file) != data}
            self._laid[key] = said.stdout.strip(), clock.instant, grown
        said_then, clock.instant, files = self._laid[key]
        for file, data in files.items():
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            if not (place / file).exists() or before.get(file):
                (place / file).write_bytes(data)
        return said_then


def _contents(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder, but the index: it holds the times of the files beside it."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "index"]
    return {file.relative_to(folder): file.read_bytes() for file in files}


@pytest.fixture
def log(repo: Path, clock: Clock, decide: Decide, beginnings: Beginnings) -> None:
    """A log in `repo`, begun and empty."""
    beginnings.lay(repo, clock, decide, "init", "--no-hooks")


@pytest.fixture
def record(repo: Path, clock: Clock, decide: Decide, beginnings: Beginnings, log: None) -> str:
    """The full name of an open decision record, asked by the git identity Ada, a human."""
    return beginnings.lay(repo, clock, decide, "ask", "Add load_dataset to the engine?")


def run_program(*args: str, cwd: Path, stdin: bytes = b"", **environ: str) -> Done:
    """Run git-decide as its users do, in a process of its own."""
    command = [sys.executable, "-m", "gitdecide", *args]
    done = subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, env={**os.environ, **environ}, check=False
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def powerless() -> list[str]:
    """Words before a command that make the permissions of files count, for root as well."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    words = [str(setpriv), "--inh-caps=-all", "--bounding-set=-all"]
    if setpriv is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root cannot give up its powers here")
    return words
