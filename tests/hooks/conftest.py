"""What tests of the hooks share: repositories with a log, records of every kind, and installed hooks."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from gitdecide import cli
from gitdecide.app import App
from tests.conftest import AGENT_MARKS, SEALED, Done

PROGRAM = Path(sys.executable).with_name("git-decide")
AUTO = "warning: Support for 'core.commentChar=auto' is deprecated"
"""What git itself says of this setting since 2.52."""


class Place(NamedTuple):
    """A repository, and what is done in it as a user would."""

    path: Path

    def git(self, *args: str, stdin: str = "", **environ: str) -> Done:
        """Run git here, however it ends."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=stdin.encode(),
            capture_output=True,
            env={**os.environ, **environ},
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def do(self, *args: str, stdin: str = "", **environ: str) -> str:
        """Standard output of a git that must end well, without its last line end."""
        done = self.git(*args, stdin=stdin, **environ)
        assert done.exit_code == 0, f"git {' '.join(args)}: {done.stderr}"
        return done.stdout.removesuffix("\n")

    def write(self, name: str, text: str = "y = 1\n") -> None:
        """Write a file of the working tree."""
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def stage(self, name: str = "src/app.py", text: str = "x = 2\n") -> None:
        """Write a file, and add it to the index."""
        self.write(name, text)
        self.do("add", "--", name)

    def commit(self, *message: str, **environ: str) -> Done:
        """Commit what is staged; each text is a paragraph."""
        return self.git("commit", "-q", *(word for text in message for word in ("-m", text)), **environ)

    def link(self, record: str, branch: str | None = None) -> None:
        """Link a branch, the current one unless it is named."""
        self.do("config", f"branch.{branch or self.do('branch', '--show-current')}.decide", record)

    def policy(self, text: str = "require: linked\n") -> None:
        """Commit a policy, unjudged."""
        self.stage(".gitdecide.yaml", text)
        self.do("commit", "-qnm", "policy")

    def message(self, revision: str = "HEAD") -> str:
        """The message of a commit, without its last line end."""
        return self.do("log", "-1", "--format=%B", revision).rstrip("\n")

    def trailers(self, revision: str = "HEAD") -> list[str]:
        """The lines of a message that name a decision."""
        return [line for line in self.message(revision).split("\n") if line.startswith("Decision:")]

    def tip(self, revision: str = "HEAD") -> str:
        """The id of a commit."""
        return self.do("rev-parse", revision)

    @property
    def hooks(self) -> Path:
        """The hooks folder of a repository that keeps it where git puts it."""
        return self.path / ".git" / "hooks"


class Records(NamedTuple):
    """Full names of decision records in the log of every template."""

    adopted: str
    also: str
    unchecked: str
    undecided: str
    rejected: str


class Template(NamedTuple):
    """A repository that is built once and copied for each test."""

    path: Path
    records: Records


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    """One commit on main, a log with a record of every kind, and hooks installed by init."""
    home, path = tmp_path_factory.mktemp("template-home"), tmp_path_factory.mktemp("template") / "r"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ = {key: value for key, value in kept.items() if key not in AGENT_MARKS}
    environ |= {**SEALED, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    (path / "src").mkdir(parents=True)
    (path / "src" / "app.py").write_text("x = 1\n")
    for line in ("init -q", "add .", "commit -qm base"):
        subprocess.run(["git", *line.split()], cwd=path, env=environ, check=True)

    def decide(*args: str) -> str:
        with pytest.MonkeyPatch.context() as patch, Path(os.devnull).open("w") as silent:
            patch.setattr(sys, "stderr", silent)
            patch.setattr(sys, "stdout", silent)
            assert cli.run(App(environ, path), args) == 0
        listed = ["git", "ls-tree", "-rd", "--name-only", "refs/decisions/log:decisions"]
        names = subprocess.run(
            listed, cwd=path, env=environ, capture_output=True, text=True, check=False
        ).stdout
        return max(name.rpartition("/")[2] for name in ["", *names.split()] if name.count("-") in (0, 3))

    def decided(question: str, *words: str, check: bool) -> str:
        name = decide("ask", question)
        if check:
            decide("check", name, "--report", "0", "-c", "true")
        decide("bind", name, *words, "--read", "src/app.py", *(["--check", "last"] if check else []))
        return name

    decide("init")
    records = Records(
        adopted=decided("One?", "adopt", "yes", check=True),
        also=decided("Two?", "adopt", "yes", check=True),
        unchecked=decided("Three?", "adopt", "yes", "--no-code", check=False),
        undecided=decide("ask", "Four?"),
        rejected=decided("Five?", "reject", "no", check=False),
    )
    return Template(path, records)


@pytest.fixture
def records(template: Template) -> Records:
    """The records in the log of `place`."""
    return template.records


@pytest.fixture
def place(template: Template, tmp_path: Path) -> Place:
    """A fresh copy of the template."""
    shutil.copytree(template.path, tmp_path / "r", symlinks=True)
    return Place(tmp_path / "r")


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """The variables of an editor that does something to the file with the message: `$1`."""

    def write(script: str) -> dict[str, str]:
        path = tmp_path / "editor"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return {"GIT_EDITOR": f"'{path}'"}

    return write


@pytest.fixture
def starts(place: Place, tmp_path: Path) -> Callable[[], list[str]]:
    """How often the hooks have started the program since it was last asked, by what they asked of it."""
    wrapper, log = tmp_path / "wrapper", tmp_path / "starts"
    wrapper.write_text(f'#!/bin/sh\necho "$2" >>"{log}"\nexec "{PROGRAM}" "$@"\n')
    wrapper.chmod(0o755)
    for name in ("pre-commit", "commit-msg", "pre-push"):
        hook = place.hooks / name
        hook.write_text(hook.read_text().replace(f"program={PROGRAM}\n", f"program={wrapper}\n"))

    def counted() -> list[str]:
        said = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return said

    return counted


def refused(done: Done, code: str, *parts: str) -> None:
    """Fail unless a run of git was stopped by the gate, for this reason and with these words."""
    lines = [line.removeprefix("remote: ") for line in done.stderr.splitlines()]
    found = [line for line in lines if line.startswith(f"refused [{code}]: ")]
    assert done.exit_code != 0, done
    assert found, done
    assert all(any(part in line for line in found) for part in parts), done


def passed(done: Done, said: Iterable[str] = ()) -> None:
    """Fail unless a run of git ended well and our hooks said nothing, or only this."""
    assert done.exit_code == 0, done
    lines = [line for line in done.stderr.splitlines() if not line.startswith(AUTO)]
    assert [line for line in lines if line.startswith(("refused", "error", "warning"))] == list(said)
