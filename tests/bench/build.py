"""Logs of any size, of the bytes that the program itself would write, streamed through `git fast-import`."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import IO, Final

from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Actor, Check, Decision, Entry, Evidence, Question, Vote
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.run import Git
from gitdecide.render import story
from gitdecide.store import layout

ENTRIES_PER_RECORD: Final = 5
START: Final = 1_790_000_000
"""Seconds since 1970, of the first entry."""

STAFF: Final = "Ada"
AGENT: Final = "researcher-1"


def build(path: Path, records: int, environ: Mapping[str, str]) -> None:
    """A new repository with a small history and a log of this many records, five entries each."""
    path.mkdir()
    git = Git(path, environ)
    git.run("init", "-q", "-b", "main")
    source = path / "src" / "app.py"
    source.parent.mkdir()
    source.write_text("x = 1\n")
    git.run("add", ".")
    git.run("commit", "-qm", "base")
    with Plumbing(git) as objects:
        root = layout.root_commit(objects)
        blob = objects.resolve("HEAD:src/app.py")
        commit = objects.resolve("HEAD")
    read = (Evidence(path="src/app.py", commit=commit, blob=blob),)
    _stream(git, root, _entries(records, read))
    git.run("pack-refs", "--all")


def _entries(records: int, read: tuple[Evidence, ...]) -> Iterator[tuple[RecordName | None, Entry]]:
    """Every entry in the order of its commit, with the record it goes to."""
    when = _instants()
    yield None, Actor(actor=STAFF, at=next(when), name=STAFF, kind="human", email="ada@example.com")
    yield None, Actor(actor=AGENT, at=next(when), name=AGENT, kind="agent")
    for number in range(1, records + 1):
        question = Question(
            actor=STAFF,
            at=next(when),
            number=number,
            question=f"Add loader {number} to the engine?",
            mode="decide",
            job=f"dataset-{number % 97}",
            context=("user script calls it",),
            options=("fix the user's script",),
        )
        qid = _id(question)
        record = RecordName.of(number, qid)
        yield None, question
        unread = Vote.said(
            "support",
            (),
            actor=AGENT,
            at=next(when),
            qid=qid,
            after=(qid,),
            reason="the user's code is the spec",
        )
        yield record, unread
        vote = Vote.said(
            "inform", read, actor=STAFF, at=next(when), qid=qid, after=(_id(unread),), reason="check it first"
        )
        yield record, vote
        check = Check(
            actor=STAFF,
            at=next(when),
            qid=qid,
            after=(_id(vote),),
            premise="the engine has the loader",
            command=("grep", "-rq", f"def load_{number}", "src/engine"),
            exit_code=1,
            result="fails",
            source="ran",
            commit=read[0].commit,
            clean=True,
            duration_ms=7,
        )
        yield record, check
        yield (
            record,
            Decision(
                actor=STAFF,
                at=next(when),
                qid=qid,
                after=(_id(check),),
                outcome="reject",
                decision="the premise is false, the user's code is wrong",
                changes_code=False,
                checks=(_id(check),),
                read=read,
                backed_by=(_id(vote),),
            ),
        )


def _stream(git: Git, root: str, entries: Iterator[tuple[RecordName | None, Entry]]) -> None:
    """One commit an entry, as the program makes them."""
    command = ["git", "fast-import", "--quiet", "--force"]
    with subprocess.Popen(command, cwd=git.cwd, env=dict(git.environ), stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(f"reset {layout.DEFAULT_REF}\nfrom {root}\n\n".encode())
        for second, (record, entry) in enumerate(entries):
            _write_commit(process.stdin, START + second, record, entry)
    if process.returncode:
        raise SystemExit("git fast-import failed")


def _write_commit(stream: IO[bytes], seconds: int, record: RecordName | None, entry: Entry) -> None:
    data = document.dump(entry)
    message = story.message(record, entry).encode()
    path = layout.entry_path(record, entry, document.identify(data, "sha1"))
    who = f"{entry.actor} <ada@example.com> {seconds} +0000"
    stream.write(
        f"commit {layout.DEFAULT_REF}\nauthor {who}\ncommitter {who}\ndata {len(message)}\n".encode()
        + message
        + f"\nM 100644 inline {path}\ndata {len(data)}\n".encode()
        + data
        + b"\n"
    )


def _instants() -> Iterator[str]:
    return (f"{datetime.fromtimestamp(START + second, UTC):%Y-%m-%dT%H:%M:%S}.000000Z" for second in count())


def _id(entry: Entry) -> str:
    return document.identify(document.dump(entry), "sha1")


def sealed_environ(home: Path) -> dict[str, str]:
    """An environment in which nothing of this machine counts but its programs."""
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n[gc]\n\tauto = 0\n")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
