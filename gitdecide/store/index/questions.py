"""What can be asked of an index, each as a function of its connection."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.store.index.schema import BETWEEN, FOUND, name, readable, tokenizable

if TYPE_CHECKING:
    from sqlite3 import Connection

BEFORE: Final = 40
AFTER: Final = 80
"""Letters of an excerpt on either side of where the first thing found begins."""

_TYPED: Final = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')


class Brief(NamedTuple):
    """A record in one line, and what `list` says of it for programs."""

    name: str
    status: str
    title: str
    data: dict[str, Any]


class Match(NamedTuple):
    """A record that was found, and the first of its entries that says so, with an excerpt of it."""

    brief: Brief
    type: str
    id: str
    actor: str
    excerpt: tuple[str, str, str]
    """Before what was found, the find itself, and after it."""


class Filter(NamedTuple):
    """Which records are meant; what is empty or None does not choose."""

    status: Sequence[str] = ()
    job: str | None = None
    actor: str | None = None
    mode: str | None = None
    since: str | None = None
    """An instant as entries write it: something was said then or later."""
    due: str | None = None
    """A day: a live decision is to be looked at again then or earlier."""
    path: str | None = None
    """As entries write it: they read it or something below it."""
    governs: Sequence[str] | None = None
    """What records may say that they govern, as `record.governs` has it; goes with `path`."""

    @property
    def chooses(self) -> bool:
        """False when all records are meant."""
        return self != Filter()

    def conditions(self) -> tuple[str, list[Any]]:
        """The same as SQL, and its values."""
        said: list[tuple[str, list[Any]]] = []
        if self.status:
            said.append((f"status IN ({', '.join('?' * len(self.status))})", list(self.status)))
        if self.job is not None:
            said.append(("job = ?", [self.job]))
        if self.actor is not None:
            said.append(("record.id IN (SELECT record FROM actor WHERE name = ?)", [self.actor]))
        if self.mode is not None:
            said.append(("mode = ?", [self.mode]))
        if self.since is not None:
            said.append(("latest >= ?", [self.since]))
        if self.due is not None:
            said.append(("due <= ?", [self.due]))
        if self.path is not None:
            said.append(self._about())
        return " AND ".join(sql for sql, _ in said) or "1", [value for _, each in said for value in each]

    def _about(self) -> tuple[str, list[Any]]:
        below = "SELECT record FROM reading WHERE path = ? OR (path > ? AND path < ?)"
        sql = f"(record.id IN ({below}) OR governs IN (SELECT value FROM json_each(?)))"  # noqa: S608
        return sql, [self.path, f"{self.path}/", f"{self.path}0", json.dumps(list(self.governs or ()))]


def listed(chosen: Filter, limit: int) -> "Callable[[Connection], tuple[list[Brief], str | None]]":
    """The newest records, limit 0 for all, and the name of the first that is left out."""
    where, values = chosen.conditions()
    sql = f"SELECT id, status, title, facts FROM record WHERE {where} ORDER BY id DESC LIMIT ?"  # noqa: S608

    def ask(db: "Connection") -> tuple[list[Brief], str | None]:
        rows, left = _first(db, sql, values, limit)
        return [_brief(row) for row in rows], left

    return ask


def found(words: str, chosen: Filter, limit: int) -> "Callable[[Connection], tuple[list[Match], str | None]]":
    """The newest records that say all that is asked for, and the name of the first that is left out."""
    where, values = chosen.conditions()
    sql = (
        "SELECT record.id, status, title, facts FROM words JOIN record ON record.id = words.rowid"  # noqa: S608
        f" WHERE words MATCH ? AND {where} ORDER BY words.rowid DESC LIMIT ?"
    )

    def ask(db: "Connection") -> tuple[list[Match], str | None]:
        rows, left = _first(db, sql, [words, *values], limit)
        return [_match(db, words, row) for row in rows], left

    return ask


def begin(typed: str, limit: int) -> "Callable[[Connection], list[tuple[str, str]]]":
    """The names and questions of the newest records whose names begin with what is typed, in any case."""

    def ask(db: "Connection") -> list[tuple[str, str]]:
        rows = db.execute("SELECT id, title FROM record ORDER BY id DESC")
        named = ((str(name(key)), title) for key, title in rows)
        return list(islice((each for each in named if each[0].lower().startswith(typed.lower())), limit))

    return ask


def expression(typed: str) -> str:
    """What people type, in the words of FTS5: every word and "quoted phrase", and `word*` for its beginning.

    Empty when there is nothing in it that can be searched for.
    """
    terms: dict[str, None] = {}
    for phrase, star, word in _TYPED.findall(typed.encode(errors="replace").decode()):
        text = tokenizable(phrase or word).replace("\0", " ")
        if any(char.isalnum() for char in text):
            terms[f'"{text}"' + (" *" if star or word.endswith("*") else "")] = None
    return " ".join(terms)


def governing(db: "Connection") -> list[str]:
    """What records say that they govern, each wording once, as JSON."""
    asked = "SELECT DISTINCT governs FROM record WHERE governs IS NOT NULL"
    return [governs for (governs,) in db.execute(asked)]


def governed_by(wordings: Iterable[str]) -> "Callable[[Connection], list[RecordName]]":
    """The names of the records that govern what is said in one of these ways, newest first."""
    sql = "SELECT id FROM record WHERE governs IN (SELECT value FROM json_each(?)) ORDER BY id DESC"
    values = [json.dumps(list(wordings))]
    return lambda db: [name(key) for (key,) in db.execute(sql, values)]


def _first(db: "Connection", sql: str, values: list[Any], limit: int) -> tuple[list[Any], str | None]:
    """The first rows, limit 0 for all, and the name of the record of the next one."""
    rows = db.execute(sql, [*values, limit + 1 if limit else -1]).fetchall()
    left = rows[limit:] if limit else []
    return rows[: limit or None], name(left[0][0]).short if left else None


def _brief(row: tuple[Any, ...]) -> Brief:
    key, status, title, facts = row
    return Brief(str(name(key)), status, title, json.loads(facts))


def _match(db: "Connection", words: str, row: tuple[Any, ...]) -> Match:
    """Which entry says what was found is counted in what stands between entries."""
    asked = "SELECT highlight(words, 0, ?, ?) FROM words WHERE words MATCH ? AND rowid = ?"
    (marked,) = db.execute(asked, [*FOUND, words, row[0]]).fetchone()
    before, _, rest = marked.partition(FOUND[0])
    place = before.count(BETWEEN)
    entry = "SELECT type, id, actor FROM entry WHERE record = ? AND place = ?"
    kind, entry_id, actor = db.execute(entry, [row[0], place]).fetchone()
    find, _, after = rest.partition(FOUND[1])
    return Match(_brief(row), kind, entry_id, actor, _excerpt(before.rpartition(BETWEEN)[2], find, after))


def _excerpt(before: str, find: str, after: str) -> tuple[str, str, str]:
    """A line around a find, cut short on both sides, without the actor, who stands last in an entry."""
    after = after.partition(BETWEEN)[0].rstrip("\n")
    said, line_end, _ = after.rpartition("\n")
    after = said if line_end else after
    before, find, after = _line(before).lstrip(), _line(find), _line(after).rstrip()
    if len(before) > BEFORE:
        before = f"…{before[-BEFORE:]}"
    if len(find) + len(after) > AFTER:
        after = f"{after[: max(0, AFTER - len(find))]}…"
    return before, find, after


def _line(text: str) -> str:
    plain = readable(text).replace(FOUND[0], "").replace(FOUND[1], "")
    return re.sub(r"\s+", " ", plain)
