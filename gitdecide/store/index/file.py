"""The file of the index: opened, judged and brought up to the log, or done without."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from gitdecide import __version__
from gitdecide.store.index.schema import SCHEMA

if TYPE_CHECKING:
    from gitdecide.git.objects import Objects
    from gitdecide.output import Bar
    from gitdecide.store.index.filling import Source
    from gitdecide.store.log import Log

T = TypeVar("T")
Question = Callable[[sqlite3.Connection], T]

FILE: Final = "decide/index.sqlite"
"""In the common git directory."""

BESIDE: Final = ("", "-journal", "-wal", "-shm")
"""What SQLite may have left next to a file, and would take for part of a new one."""

PATIENCE: Final = 1.0
"""Seconds to wait for whoever has the file."""

NOT_ITS_FAULT: Final = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in (
        "AUTH", "BUSY", "CANTOPEN", "FULL", "INTERRUPT", "IOERR", "LOCKED", "NOLFS", "NOMEM", "PERM",
        "PROTOCOL", "READONLY",
    )
)  # fmt: skip
"""Errors that say nothing against the content of a file: it is left alone, and done without."""


class _Without(Exception):
    """The file cannot be used now."""


class Index:
    """Answers questions about the log as it is now, from a file if it can, else from memory.

    `bulk` opens a way to very many objects. `judgement` names what else decides which entries count, besides
    the log and this program: an index made under another one is made anew. `hint` is told, once, when very
    many records are read since no file can be used.
    """

    def __init__(
        self,
        log: "Log",
        common_dir: Path,
        bulk: "Callable[[], Objects]",
        bar: "Callable[[], Bar]",
        judgement: str = "",
        hint: "Callable[[str], None]" = lambda _: None,
    ) -> None:
        self._log = log
        self._file = common_dir / FILE
        self._bulk = bulk
        self._bar = bar
        self._judgement = judgement
        self._hint: Callable[[str], None] | None = hint
        self._key = f"{__version__} {judgement}"

    @property
    def made(self) -> bool:
        """True when there is a file, so that little is left to bring up."""
        return self._file.exists()

    def ask(self, question: "Question[T]", newest: int | None = None) -> T:
        """What a question finds in an index of the log.

        `newest` says that it looks at no more than so many records, the newest: where there is no file to be
        had, no more are read. Raises NoLog and Damaged as the log does.
        """
        tip = self._log.head()
        try:
            return self._from_file(question, tip)
        except _Without:
            return self._from_memory(question, tip, newest)

    def _from_file(self, question: "Question[T]", tip: str) -> T:
        """A file that is no good is made anew, once."""
        for attempt in range(2):
            try:
                with closing(self._connected()) as db:
                    return self._answered(db, question, tip)
            except (sqlite3.Error, ValueError, TypeError) as error:
                if attempt or _code(error) in NOT_ITS_FAULT:
                    raise _Without from error
                self._remove()
        raise AssertionError("the second attempt returns or raises")

    def _answered(self, db: sqlite3.Connection, question: "Question[T]", tip: str) -> T:
        """Look and answer within one transaction: others may bring the file further meanwhile."""
        db.execute("BEGIN")
        if not self._fresh(db, tip):
            db.execute("COMMIT")
            db.execute("BEGIN IMMEDIATE")
            if not self._fresh(db, tip):
                self._fill(db, tip)
        found = question(db)
        db.execute("COMMIT")
        return found

    def _fresh(self, db: sqlite3.Connection, tip: str) -> bool:
        """True for an index of this tip. Raises DatabaseError for one of another schema."""
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA:
            if version:
                raise sqlite3.DatabaseError(f"schema {version}")
            return False
        if db.execute("SELECT key, tip FROM state").fetchall() != [(self._key, tip)]:
            return False
        return not db.execute("SELECT 1 FROM record WHERE incomplete LIMIT 1").fetchall()

    def _fill(self, db: sqlite3.Connection, tip: str) -> None:
        from gitdecide.store.index import filling

        if db.execute("PRAGMA user_version").fetchone()[0]:
            filling.bring_up(db, self._source(tip), self._key)
        else:
            filling.build(db, self._source(tip), self._key)

    def _from_memory(self, question: "Question[T]", tip: str, newest: int | None) -> T:
        from gitdecide.store.index import filling

        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            filling.build(db, self._source(tip), self._key, newest)
            (read,) = db.execute("SELECT count(*) FROM record").fetchone()
            if self._hint and read >= filling.MANY:
                self._hint(f"all {read} records were read for want of an index: git decide doctor says why")
                self._hint = None
            return question(db)

    def _source(self, tip: str) -> "Source":
        from gitdecide.store.index.filling import Source

        few = self._log.view(tip)
        alone = bool(self._judgement)
        return Source(self._log.git, few, lambda: self._log.view(tip, self._bulk()), self._bar, alone)

    def _connected(self) -> sqlite3.Connection:
        """The file, open. Raises _Without for another user's, and where there can be none."""
        try:
            self._file.parent.mkdir(exist_ok=True)
            if self._file.exists() and self._file.stat().st_uid != os.geteuid():
                raise _Without
        except OSError as error:
            raise _Without from error
        return sqlite3.connect(self._file, timeout=PATIENCE, isolation_level=None)

    def _remove(self) -> None:
        for end in BESIDE:
            with suppress(OSError):
                self._file.with_name(self._file.name + end).unlink(missing_ok=True)


def _code(error: Exception) -> int:
    """SQLite's primary result code, 0 for an error that has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
