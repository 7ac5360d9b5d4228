"""Clones of one bare remote, each with its own person, and what they and a hostile remote do."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.conftest import Decide, Done, run_git

LOG: Final = "refs/decisions/log"


class Clone(NamedTuple):
    """One clone, and the program in it."""

    path: Path
    decide: Decide

    def __call__(self, *args: str, **more: Any) -> Done:
        """Run git-decide here."""
        return self.decide(*args, cwd=self.path, **more)

    def git(self, *args: str, **more: Any) -> str:
        """Run git here; fails the test when it fails."""
        return run_git(self.path, *args, **more)

    def ok(self, *args: str, **more: Any) -> str:
        """Run git-decide where it must succeed; what it says on standard error."""
        done = self(*args, **more)
        assert done.exit_code == 0, done
        return done.stderr

    def ask(self, question: str) -> str:
        """The full name of a new record."""
        return self("ask", question).id

    @property
    def tip(self) -> str:
        """The log here, nothing where there is none."""
        return self.git("for-each-ref", "--format=%(objectname)", LOG)

    @property
    def tree(self) -> str:
        """The id of the log's tree."""
        return self.git("rev-parse", f"{LOG}^{{tree}}")

    @property
    def files(self) -> set[str]:
        """Every file of the log."""
        return files(self.path)

    @property
    def refs(self) -> str:
        """Every ref, with what it points at."""
        return self.git("for-each-ref")

    def synced(self) -> dict[str, Any]:
        """What a sync that must succeed did, for programs."""
        return dict(json.loads(self("sync", "--json").id))


def files(repository: Path, revision: str = LOG) -> set[str]:
    """Every file of a log."""
    return set(run_git(repository, "ls-tree", "-r", "--name-only", revision).splitlines())


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A bare repository with one commit on main, and no log."""
    path = tmp_path / "hub.git"
    run_git(tmp_path, "init", "-q", "--bare", str(path))
    blob = run_git(path, "hash-object", "-w", "--stdin", stdin="x = 1\n")
    tree = run_git(path, "mktree", stdin=f"100644 blob {blob}\tapp.py\n")
    run_git(path, "update-ref", "refs/heads/main", run_git(path, "commit-tree", "-m", "base", tree))
    return path


@pytest.fixture
def clone(hub: Path, tmp_path: Path, decide: Decide) -> Callable[..., Clone]:
    """Clone the remote under a name, which is also its person's, and begin a log unless told otherwise."""

    def clone_(name: str, *, init: bool = True, source: Path = hub) -> Clone:
        run_git(tmp_path, "clone", "-q", str(source), name)
        made = Clone(tmp_path / name, decide)
        made.git("config", "user.name", name)
        if init:
            made.ok("init", "--no-hooks")
        return made

    return clone_


@pytest.fixture
def one(clone: Callable[..., Clone]) -> Clone:
    """A clone with a log."""
    return clone("one")


@pytest.fixture
def two(clone: Callable[..., Clone]) -> Clone:
    """Another clone with a log."""
    return clone("two")


class Hand:
    """Writes to a log with git alone, past every rule: what a hostile remote has."""

    def __init__(self, repository: Path, ref: str = LOG) -> None:
        self.repository = repository
        self.ref = ref
        self.environ = {**os.environ, "GIT_INDEX_FILE": str(repository / "by-hand")}

    def git(self, *args: str, stdin: str = "") -> str:
        """Run git with an index of its own."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.repository,
            env=self.environ,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def blob(self, text: str) -> str:
        """Store a text."""
        return self.git("hash-object", "-w", "--stdin", stdin=text)

    def commit(self, *parents: str, move: bool = True) -> str:
        """Commit the index on these parents, else on the log, and move the log there."""
        onto = [word for parent in parents or [self.ref] for word in ("-p", parent)]
        made = self.git("commit-tree", "-m", "by hand", *onto, self.git("write-tree"))
        if move:
            self.git("update-ref", self.ref, made)
        return made

    def read(self, *trees: str) -> None:
        """Fill the index with what some trees hold, else the log."""
        self.git("read-tree", "--empty")
        for tree in trees or [self.ref]:
            for line in self.git("ls-tree", "-r", tree).splitlines():
                mode, _, rest = line.split(" ", 2)
                blob, path = rest.split("\t")
                self.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")

    def add(self, path: str, text: str) -> str:
        """Commit one more file onto the log, or other bytes in its place; {id} in its path is the blob's."""
        self.read()
        blob = self.blob(text)
        self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path.format(id=blob)}")
        return self.commit()

    def drop(self, path: str) -> None:
        """Take a file out of the index."""
        self.git("update-index", "--index-info", stdin=f"0 {'0' * 40}\t{path}\n")


@pytest.fixture
def hand(hub: Path) -> Hand:
    """A hostile hand at the remote."""
    return Hand(hub)
