"""Bringing an index to where the log is: only the folders that changed since are read again."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from sqlite3 import Connection
from typing import Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git, GitError
from gitdecide.output import Bar
from gitdecide.store.index.reading import BATCH, together
from gitdecide.store.index.rows import TABLES, Rows, forget
from gitdecide.store.index.schema import SQL, name, number
from gitdecide.store.snapshot import Snapshot

MANY: Final = 300
"""Records from which on it pays to load libgit2."""


class Source(NamedTuple):
    """The log at one commit, as the index reads it."""

    git: Git
    snapshot: Snapshot
    many: Callable[[], Snapshot]
    """The same, opened anew through the way to objects that is the quickest for very many."""
    bar: Callable[[], Bar]
    alone: bool
    """True where only this process can judge what counts."""


def build(db: Connection, source: Source, key: str, newest: int | None = None) -> None:
    """Fill an index that has no tables yet, with all records or with the newest only."""
    for statement in SQL.split(";\n"):
        db.execute(statement)
    names = sorted(islice(source.snapshot.names(), newest))
    _store(db, source, names)
    db.execute("INSERT INTO state VALUES (?, ?)", (key, source.snapshot.commit))


def bring_up(db: Connection, source: Source, key: str) -> None:
    """Make an index say what the log says now, whichever state of whichever log it was made from."""
    kept = db.execute("SELECT key, tip FROM state").fetchone()
    tip = source.snapshot.commit
    changed = _changed(source.git, kept[1], tip) if kept and kept[0] == key else None
    if changed is None:
        for table in (*TABLES, "words", "state"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        db.execute("INSERT INTO state VALUES (?, ?)", (key, tip))
        names = sorted(source.snapshot.names())
    else:
        again = db.execute("SELECT id FROM record WHERE incomplete")
        changed.update(name(row[0]) for row in again)
        for old in changed:
            forget(db, number(old))
        names = sorted(_present(source.snapshot, changed))
        db.execute("UPDATE state SET tip = ?", (tip,))
    _store(db, source, names)


def _store(db: Connection, source: Source, names: list[RecordName]) -> None:
    """Write what some records say; their names are in order, which is what SQLite likes best."""
    if len(names) < MANY:
        rows = Rows()
        for record in source.snapshot.records(names):
            rows.add(record)
        rows.store(db)
        return
    bar = source.bar()
    for done, rows in enumerate(together(source.many, names, alone=source.alone), 1):
        rows.store(db)
        bar.show(min(1, done * BATCH / len(names)))
    bar.clear()


def _changed(git: Git, old: str, new: str) -> set[RecordName] | None:
    """The records whose folders differ in two states of the log; None where that cannot be told."""
    asked = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none")
    try:
        told = git.run(*asked, old, new, "--", "decisions", environ=PLAIN_OBJECTS).stdout
    except GitError:  # the old state may be gone
        return None
    changed: dict[tuple[str, ...], None] = {}
    for path in filter(None, told.decode("utf-8", "surrogateescape").split("\0")):
        changed[tuple(path.split("/", 3)[:3])] = None
    if any(len(folder) < 3 for folder in changed):
        return None
    names = ((bucket, RecordName.parse(folder)) for _, bucket, folder in changed)
    return {found for bucket, found in names if found and found.bucket == bucket}


def _present(snapshot: Snapshot, names: Iterable[RecordName]) -> Iterator[RecordName]:
    """Those of some records that the log has."""
    buckets: dict[str, set[str]] = {}
    for found in names:
        if found.bucket not in buckets:
            buckets[found.bucket] = set(_folder(snapshot.objects, snapshot.commit, found.bucket))
        if str(found) in buckets[found.bucket]:
            yield found


def _folder(objects: Objects, commit: str, bucket: str) -> Iterable[str]:
    return objects.subtree(commit, f"decisions/{bucket}") or ()
