"""What the index keeps of each record."""

import json
from collections.abc import Iterator
from datetime import timedelta
from sqlite3 import Connection
from typing import Any, Final

from gitdecide.entries.evidence import describe
from gitdecide.entries.record import MISSING, DecisionRecord, Filed
from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Close,
    Decision,
    Entry,
    Evidence,
    Participant,
    Proposal,
    Question,
    Turn,
    Unknown,
    Vote,
    type_name,
)
from gitdecide.render import in_brief
from gitdecide.rules.warnings import parse_instant
from gitdecide.store.index.schema import BETWEEN, number, tokenizable

SAID: Final[dict[type, tuple[str, ...]]] = {
    Question: (
        "question", "job", "context", "options", "participants", "governs", "links", "aliases",
    ),
    Vote: ("reason", "read", "not_checked", "model"),
    Check: ("premise", "command_line", "note"),
    Challenge: ("claim", "read"),
    Answer: ("reason", "read"),
    Decision: ("decision", "rationale", "reason", "despite", "dissent", "read", "governs"),
    Turn: ("headline", "body", "position", "gave_up"),
    Close: ("reason",),
    Proposal: ("branch", "command"),
}  # fmt: skip
"""What can be searched for in each type of entry, besides who says it."""

WORD: Final = {Vote: "stance", Check: "result", Answer: "outcome", Decision: "outcome", Turn: "verb"}
HOW: Final = {Vote: "model", Check: "source"}

TABLES: Final = {"record": 11, "entry": 8, "actor": 2, "reading": 5, "answer": 5}
"""How many columns each has; `record` names its key `id`, and `words` its own `rowid`."""


State = dict[str, list[tuple[Any, ...]]]


class Rows:
    """The rows of some records, until they are stored together."""

    def __init__(self, state: State | None = None) -> None:
        self.state: State = state or {table: [] for table in (*TABLES, "words")}
        """By table; nothing but what `marshal` takes."""

    def add(self, record: DecisionRecord) -> None:
        """Take what a record says."""
        key = number(record.name)
        actors = sorted(_actors(record))
        self.state["record"].append(_record(key, record, actors))
        self.state["entry"] += (_entry(key, place, filed) for place, filed in enumerate(record.entries))
        self.state["actor"] += ((actor, key) for actor in actors)
        self.state["reading"] += dict.fromkeys(_readings(key, record))
        self.state["answer"] += _answers(key, record)
        self.state["words"].append(
            (key, f"\n{BETWEEN}\n".join(tokenizable(said(entry)) for _, entry in record.entries))
        )

    def store(self, db: Connection) -> None:
        """Write all rows."""
        for table, columns in TABLES.items():
            marks = ", ".join("?" * columns)
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", self.state[table])  # noqa: S608 - names of ours
        db.executemany("INSERT INTO words (rowid, said) VALUES (?, ?)", self.state["words"])


def forget(db: Connection, key: int) -> None:
    """Take every row of a record out."""
    for table in TABLES:
        column = "id" if table == "record" else "record"
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))  # noqa: S608 - names of ours
    db.execute("DELETE FROM words WHERE rowid = ?", (key,))


def said(entry: Entry | Unknown) -> str:
    """Everything in an entry that can be searched for."""
    if isinstance(entry, Unknown):
        texts = [value for value in entry.fields.values() if isinstance(value, str)]
        return "\n".join([*texts, entry.actor])
    parts = []
    for field in SAID.get(type(entry), ()):
        value = getattr(entry, field)
        if isinstance(value, str):
            parts.append(value)
        elif value:
            parts += map(_text, value)
    return "\n".join([*parts, entry.actor])


def _text(value: object) -> str:
    if isinstance(value, Evidence):
        return describe(value)
    return value.actor if isinstance(value, Participant) else str(value)


def _record(key: int, record: DecisionRecord, actors: list[str]) -> tuple[Any, ...]:
    questions = record.of(Question)
    question = questions[0].entry if questions else None
    latest = max((entry.at for _, entry in record.entries), default="")
    due = min((live.entry.review_by for live in record.live if live.entry.review_by), default=None)
    governs = [spec for asked in questions for spec in asked.entry.governs]
    governs += [spec for live in record.live for spec in live.entry.governs]
    mode = question.mode if question else None
    more = {"mode": mode, "actors": actors, "latest": latest or None, "review_by": due}
    return (
        key,
        record.status,
        question.question.strip().partition("\n")[0] if question else "",
        mode,
        question.job if question else None,
        latest,
        due,
        json.dumps(governs) if governs else None,
        sum(len({vote.entry.actor for vote in group}) - 1 for group in record.echoes),
        _incomplete(record),
        json.dumps({**in_brief(record), **more}),
    )


def _incomplete(record: DecisionRecord) -> bool:
    """True where what is damaged may be whole again without a new commit: an object is missing here."""
    whole = str(record.name)
    return any(damage.reason == MISSING or damage.file == whole for damage in record.damages)


def _entry(key: int, place: int, filed: Filed[Entry | Unknown]) -> tuple[Any, ...]:
    entry_id, entry = filed
    kind = type(entry)
    word = getattr(entry, WORD[kind]) if kind in WORD else None
    how = getattr(entry, HOW[kind]) if kind in HOW else None
    hearsay = isinstance(entry, Vote | Check) and entry.imported
    verified = None if isinstance(entry, Unknown) or hearsay else bool(getattr(entry, "read", ()))
    return key, place, entry_id, type_name(entry), entry.actor, word, how, verified


def _actors(record: DecisionRecord) -> set[str]:
    """Who said anything in a record, and who was asked."""
    asked = {who.actor for question in record.of(Question) for who in question.entry.participants}
    return {entry.actor for _, entry in record.entries} | asked


def _readings(key: int, record: DecisionRecord) -> Iterator[tuple[Any, ...]]:
    for _, entry in record.entries:
        for read in getattr(entry, "read", ()):
            if read.path is not None:
                yield read.path, key, read.blob, read.commit, read.worktree


def _answers(key: int, record: DecisionRecord) -> Iterator[tuple[Any, ...]]:
    for challenge in record.of(Challenge):
        for answer in record.answers_to(challenge.id):
            took = parse_instant(answer.entry.at) - parse_instant(challenge.entry.at)
            seconds = took / timedelta(seconds=1)
            yield key, challenge.id, answer.id, answer.entry.actor, seconds
