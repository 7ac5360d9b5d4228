"""The tables of the index, and how text is put so that SQLite's tokenizer finds its words."""

from typing import Final

from gitdecide.entries.names import RecordName

SCHEMA: Final = 2
"""Grows whenever the tables, or what is written into them, change."""

SQL: Final = f"""
CREATE TABLE state (key TEXT NOT NULL, tip TEXT NOT NULL);
CREATE TABLE record (
    id INTEGER PRIMARY KEY, status TEXT NOT NULL, title TEXT NOT NULL, mode TEXT, job TEXT,
    latest TEXT NOT NULL, due TEXT, governs TEXT, voices_lost INTEGER NOT NULL, incomplete INTEGER NOT NULL,
    facts TEXT NOT NULL
);
CREATE INDEX record_status ON record (status, id);
CREATE INDEX record_job ON record (job, id);
CREATE INDEX record_due ON record (due) WHERE due IS NOT NULL;
CREATE INDEX record_governs ON record (governs) WHERE governs IS NOT NULL;
CREATE INDEX record_incomplete ON record (id) WHERE incomplete;
CREATE TABLE entry (
    record INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    actor TEXT NOT NULL, word TEXT, how TEXT, verified INTEGER, PRIMARY KEY (record, place)
) WITHOUT ROWID;
CREATE TABLE actor (name TEXT NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (name, record)) WITHOUT ROWID;
CREATE INDEX actor_record ON actor (record);
CREATE TABLE reading (
    path TEXT NOT NULL, record INTEGER NOT NULL, blob TEXT, pinned TEXT, worktree INTEGER NOT NULL
);
CREATE INDEX reading_path ON reading (path, record);
CREATE INDEX reading_record ON reading (record);
CREATE TABLE answer (
    record INTEGER NOT NULL, challenge TEXT NOT NULL, answer TEXT NOT NULL, actor TEXT NOT NULL,
    seconds REAL NOT NULL
);
CREATE INDEX answer_record ON answer (record);
CREATE VIRTUAL TABLE words USING fts5 (
    said, tokenize = "unicode61 remove_diacritics 2", columnsize = 0
);
PRAGMA user_version = {SCHEMA};
"""
"""`word` is what an entry says in one (stance, result, outcome); `how` a vote's model or a check's source.

An entry that does not count, whatever it is, is `verified` neither way.
"""

BETWEEN: Final = "\ue000"
"""Stands between two entries: a token of its own, so that no phrase reaches from one into the next."""

FOUND: Final = ("\x02", "\x03")
"""Stand around what was found."""

_UNSPACED: Final = (
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff])"
)
"""Letters of scripts without blanks between words, of which the tokenizer would take a sentence for one."""

_APART: Final = "\u200b"
_OURS: Final = f"[\x00-\x08\x0b-\x1f{BETWEEN}{_APART}]"


def tokenizable(text: str) -> str:
    """Text in composed form, in which every letter of an unspaced script is a word: any part is a phrase."""
    if text.isascii() and text.isprintable():
        return text
    import re
    import unicodedata

    return re.sub(_UNSPACED, rf"\1{_APART}", re.sub(_OURS, " ", unicodedata.normalize("NFC", text)))


def readable(text: str) -> str:
    """What `tokenizable` was made from, for people."""
    return text.replace(_APART, "")


def number(name: RecordName) -> int:
    """The key of a record: names and keys have the same order."""
    return name.number << 32 | int(name.suffix, 16)


def name(number: int) -> RecordName:
    """The record that a key stands for."""
    return RecordName(number >> 32, f"{number & 0xFFFFFFFF:08x}")
