"""Names in the log: decision records, entries, actors, and the folders they lie in."""

import re
import unicodedata
from typing import Final, NamedTuple

HIGHEST_NUMBER: Final = 999_999
SUFFIX_DIGITS: Final = 8
SHORTEST_PREFIX: Final = 4

_FULL = re.compile(r"DR-([0-9]{3}|[1-9][0-9]{3,5})-([0-9a-f]{8})")
_TYPED = re.compile(r"DR-([0-9]{1,6})(?:-([0-9a-f]{1,8}))?", re.IGNORECASE | re.ASCII)
_FILE = re.compile(r"([a-z][a-z0-9_]*)-([0-9a-f]{40}|[0-9a-f]{64})\.yaml")
_PATCH = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64})\.patch")
_PREFIX = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE)
_CRUD = " .,:;<>\"\\'"
_NOT_PLAIN = re.compile(rb"[^A-Za-z0-9._@+-]|^\.")


class RecordName(NamedTuple):
    """The full name of a decision record: DR-007-3f2a91c0."""

    number: int
    suffix: str

    def __str__(self) -> str:
        return f"{self.short}-{self.suffix}"

    @property
    def short(self) -> str:
        """The name without its suffix, DR-007; not unique across clones."""
        return f"DR-{self.number:03d}"

    @property
    def bucket(self) -> str:
        """The folder that holds this record and its thousand, DR-0xxx."""
        return f"DR-{self.number // 1000}xxx"

    @property
    def path(self) -> str:
        """The record's folder, from the top of the log's tree."""
        return f"decisions/{self.bucket}/{self}"

    @classmethod
    def of(cls, number: int, question_id: str) -> "RecordName":
        """The name of the record that a question with this number and id begins."""
        return cls(number, question_id[:SUFFIX_DIGITS])

    @classmethod
    def parse(cls, text: str) -> "RecordName | None":
        """A full name exactly as we write it, else None."""
        match = _FULL.fullmatch(text)
        return cls(int(match[1]), match[2]) if match and int(match[1]) else None


class TypedName(NamedTuple):
    """What a person types for a record: a number, and perhaps the beginning of the suffix."""

    number: int
    suffix: str

    @classmethod
    def parse(cls, text: str) -> "TypedName | None":
        """DR-7, DR-007 or DR-007-3f2a in any case, else None."""
        match = _TYPED.fullmatch(text)
        return cls(int(match[1]), (match[2] or "").lower()) if match else None


def is_prefix(text: str) -> bool:
    """True for what can be the beginning of an entry id: 4 or more hex digits."""
    return _PREFIX.fullmatch(text) is not None


def entry_file(type_name: str, entry_id: str) -> str:
    """The file of an entry in its folder: vote-<id>.yaml."""
    return f"{type_name}-{entry_id}.yaml"


def parse_entry_file(name: str) -> tuple[str, str] | None:
    """The type and id that a file name claims, or None for a name that is not an entry's."""
    match = _FILE.fullmatch(name)
    return (match[1], match[2]) if match else None


def parse_patch_file(name: str) -> str | None:
    """The blob id that a proposal's patch claims, or None for any other name."""
    match = _PATCH.fullmatch(name)
    return match[1] if match else None


def split_reference(reference: str) -> tuple[str | None, str]:
    """The record and the entry id of a reference; the record is None for an entry of the same record."""
    record, colon, entry_id = reference.rpartition(":")
    return (record if colon else None), entry_id


def actor_problem(name: str) -> str | None:
    """Why this cannot be an actor's name, or None when it can."""
    if not name.strip():
        return "is blank"
    if name != name.strip():
        return "begins or ends with a blank"
    if len(name) > 100:
        return "is longer than 100 characters"
    if not unicodedata.is_normalized("NFC", name):
        return "is not in Unicode's composed form (NFC)"
    if any(unicodedata.category(char) == "Cs" for char in name):
        return "is not UTF-8"
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") or char in "<>" for char in name):
        return "has control characters, line breaks or angle brackets"
    return None


def actor_path_name(name: str) -> str:
    """An actor's name as one part of a path: %XX for what is not plain, and for a leading dot."""
    return _NOT_PLAIN.sub(lambda match: b"%%%02X" % match[0][0], name.encode()).decode("ascii")


def author_name(name: str) -> str:
    """An actor's name as commits carry it: git takes punctuation off its ends, and wants something left."""
    return name.strip(_CRUD) or actor_path_name(name).strip(_CRUD)


def actor_email(name: str, email: str | None) -> str:
    """The e-mail that commits carry for an actor; one without gets an address that cannot be delivered."""
    return email or f"{actor_path_name(name)}@actor.invalid"
