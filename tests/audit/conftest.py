"""A healthy log, told once and copied for every test that spoils it."""

import io
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from gitdecide import cli
from gitdecide.app import App
from gitdecide.git.run import Git
from tests.audit.forging import Forge, forging
from tests.bench.build import sealed_environ

STORY = (
    ("init", "--no-hooks"),
    ("ask", "Add load_dataset to the engine?"),
    ("vote", "DR-1", "support", "-m", "the user's code is the spec", "--as", "researcher-1"),
    ("vote", "DR-1", "inform", "-m", "check it first", "--read", "message:msg1625", "--as", "staff"),
    ("check", "DR-1", "--report", "1", "-c", "grep -q load_dataset engine", "--as", "staff"),
    ("bind", "DR-1", "reject", "the premise is false", "--check", "last", "--as", "staff"),
    ("ask", "Fix the script?"),
    ("vote", "DR-2", "inform", "-m", "looked", "--read", "message:msg1626"),
    ("ask", "Which loader?"),
    ("vote", "DR-3", "inform", "-m", "looked", "--read", "message:msg1627"),
)
"""DR-1 is decided; DR-2 and DR-3 are open, with a verified vote each."""


def tell(repo: Path, environ: dict[str, str], *words: str) -> str:
    """Run the program in this process; what it printed. Fails the test when it fails."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        code = cli.run(App(environ, repo), list(words))
    assert code == 0, stderr.getvalue()
    return stdout.getvalue()


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose log tells a story."""
    base = tmp_path_factory.mktemp("told")
    environ = sealed_environ(base / "home")
    repo = base / "repo"
    Git(base, environ).run("init", "-q", "--template=", str(repo))
    for words in STORY:
        tell(repo, environ, *words)
    return repo


@pytest.fixture
def forge(told: Path, tmp_path: Path) -> Iterator[Forge]:
    """A copy of that repository, to be spoiled."""
    shutil.copytree(told, tmp_path / "forged")
    with forging(tmp_path / "forged") as opened:
        yield opened
