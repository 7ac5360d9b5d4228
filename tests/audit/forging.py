"""What nobody should write: commits of any shape on a log, by git alone."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gitdecide.audit import Finding, audit
from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Actor, Check, Decision, Entry, Evidence, Question, Vote, type_name
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.objects import Objects
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.snapshot import Snapshot
from tests.conftest import run_git

LOG = layout.DEFAULT_REF
AT = "2026-10-20T08:00:00.{:06}Z"
READ = (Evidence(message="msg1625"),)

E = TypeVar("E", bound=Entry)


class File(NamedTuple):
    """What stands at a path: a mode, and the bytes; of a submodule the commit's id."""

    mode: str
    data: bytes


Files = Mapping[str, bytes | File | None]
"""What a commit puts at its paths; None removes."""


class Forge:
    """A repository with a log, and every means to spoil it."""

    def __init__(self, repo: Path, way: str = "libgit2") -> None:
        self.repo = repo
        self.git = Git(repo, os.environ)
        repository = Repository.discover(self.git)
        self.objects: Objects = LibGit2(self.git, repository) if way == "libgit2" else Plumbing(self.git)
        self._format = repository.object_format
        self._minted = 0

    @property
    def tip(self) -> str:
        return run_git(self.repo, "rev-parse", LOG)

    def commit(
        self, files: Files, *, on: str | None = None, merging: Sequence[str] = (), author: str = "Ada"
    ) -> str:
        """A commit on another, or on the log, which then moves; `on=""` is a root."""
        moves = on is None
        base = self.tip if on is None else on
        lines = [
            b"commit refs/forged\nmark :1\n",
            f"committer {author} <x@y.z> 1790000000 +0000\ndata 7\nforged\n".encode(),
        ]
        lines += [f"from {base}\n".encode()] if base else []
        lines += [f"merge {parent}\n".encode() for parent in merging]
        for path, what in files.items():
            lines.append(_line(path, what))
        lines.append(b"get-mark :1\n")
        run_git(self.repo, "update-ref", "-d", "refs/forged")
        done = subprocess.run(
            ["git", "fast-import", "--quiet", "--force", "--date-format=raw"],
            cwd=self.repo, input=b"".join(lines), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        made = done.stdout.decode().strip()
        if moves:
            run_git(self.repo, "update-ref", LOG, made)
        return made

    def union(self, *parents: str) -> str:
        """The merge that sync would make: every file of every parent; the log moves to it."""
        index = self.repo / ".git" / "forging"
        environ = {**os.environ, "GIT_INDEX_FILE": str(index)}
        listed = "\n".join(run_git(self.repo, "ls-tree", "-r", "--full-tree", parent) for parent in parents)
        for words, stdin in (
            (("read-tree", "--empty"), ""),
            (("update-index", "--index-info"), listed + "\n"),
        ):
            subprocess.run(
                ["git", *words],
                cwd=self.repo,
                env=environ,
                input=stdin.encode(),
                check=True,
                capture_output=True,
            )
        tree = subprocess.run(
            ["git", "write-tree"], cwd=self.repo, env=environ, check=True, capture_output=True
        ).stdout.decode()
        merge = run_git(
            self.repo,
            "commit-tree",
            *(word for parent in parents for word in ("-p", parent)),
            "-m",
            "merge",
            tree.strip(),
        )
        run_git(self.repo, "update-ref", LOG, merge)
        return merge

    def record(self, number: int, at: str | None = None) -> DecisionRecord:
        """A record of the log as a commit has it."""
        snapshot = Snapshot(self.objects, at or self.tip)
        return snapshot.record(next(name for name in snapshot.names() if name.number == number))

    def said(self, kind: type[E], record: DecisionRecord, **fields: Any) -> E:
        """An entry of a record, by Ada and after its heads unless the fields say otherwise."""
        common = {"actor": "Ada", "at": self.now(), "qid": record.question.id, "after": record.heads}
        return kind(**{**common, **fields})

    def now(self) -> str:
        self._minted += 1
        return AT.format(self._minted)

    def id(self, entry: Entry | bytes) -> str:
        return document.identify(entry if isinstance(entry, bytes) else document.dump(entry), self._format)

    def file(self, folder: str, entry: Entry) -> str:
        return f"{folder}/{type_name(entry)}-{self.id(entry)}.yaml"

    def files(self, record: DecisionRecord | RecordName | None, *entries: Entry) -> dict[str, bytes]:
        """Entries where they belong."""
        name = record.name if isinstance(record, DecisionRecord) else record
        return {layout.entry_path(name, entry, self.id(entry)): document.dump(entry) for entry in entries}

    def vote(self, record: DecisionRecord, **fields: Any) -> Vote:
        return self.said(Vote, record, **{"stance": "inform", "reason": "so it is", "read": READ, **fields})

    def check(self, record: DecisionRecord, **fields: Any) -> Check:
        ran = {"command": "true", "exit_code": 0, "result": "holds", "source": "reported"}
        return self.said(Check, record, **{**ran, **fields})

    def decision(self, record: DecisionRecord, **fields: Any) -> Decision:
        decided = {"outcome": "reject", "decision": "leave it", "changes_code": False, "read": READ}
        return self.said(Decision, record, **{**decided, **fields})

    def question(self, number: int, **fields: Any) -> Question:
        asked = {"actor": "Ada", "at": self.now(), "question": "Why?", "mode": "decide", "number": number}
        return Question(**{**asked, **fields})

    def actor(self, name: str, **fields: Any) -> Actor:
        return Actor(**{"actor": "Ada", "at": self.now(), "name": name, "kind": "agent", **fields})

    def findings(self, since: Sequence[str] = ()) -> list[Finding]:
        return list(audit(self.git, self.objects, self.tip, since))


def _line(path: str, what: bytes | File | None) -> bytes:
    quoted = '"' + re.sub(r'[\\"\n]', lambda match: f"\\{ord(match[0]):03o}", path) + '"'
    if what is None:
        return f"D {quoted}\n".encode()
    mode, data = what if isinstance(what, File) else ("100644", what)
    if mode == "160000":
        return f"M {mode} {data.decode()} {quoted}\n".encode()
    return f"M {mode} inline {quoted}\ndata {len(data)}\n".encode() + data + b"\n"


@contextmanager
def forging(repo: Path, way: str = "libgit2") -> Iterator[Forge]:
    forge = Forge(repo, way)
    try:
        yield forge
    finally:
        forge.objects.close()
