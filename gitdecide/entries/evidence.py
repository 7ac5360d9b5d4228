"""What was read, as people type it and as the log keeps it."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from gitdecide.entries.types import Evidence

SCHEMES: Final = ("commit", "entry", "ticket", "pr", "message", "path")

_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_LINES = re.compile(r"(?P<path>.+):(?P<lines>[1-9][0-9]*(?:-[1-9][0-9]*)?)", re.DOTALL | re.ASCII)
_QUOTED = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}
_UNQUOTED = {letter.encode(): char.encode() for char, letter in _QUOTED.items()}


class PathReading(NamedTuple):
    """One way to take a typed path: the file, and perhaps its lines and a revision."""

    path: str
    lines: str | None
    revision: str | None


def split_scheme(typed: str) -> tuple[str, str]:
    """The kind of a typed reading and the rest: `message:msg1625` is a message, what has no scheme a path."""
    if _URL.fullmatch(typed):
        return "url", typed
    scheme, colon, rest = typed.partition(":")
    return (scheme, rest) if colon and rest and scheme in SCHEMES else ("path", typed)


def path_readings(typed: str) -> Iterator[PathReading]:
    """The ways to take `src/a.py:10-40@v1.2`, the most literal first, since names may hold : and @."""
    yield PathReading(typed, None, None)
    if match := _LINES.fullmatch(typed):
        yield PathReading(match["path"], match["lines"], None)
        path, at, revision = match["path"].rpartition("@")
        if at and path and revision:
            yield PathReading(path, match["lines"], revision)
    path, at, revision = typed.rpartition("@")
    if at and path and revision:
        yield PathReading(path, None, revision)
        if match := _LINES.fullmatch(path):
            yield PathReading(match["path"], match["lines"], revision)


def stored_path(path: str) -> str:
    """A path as the log keeps it: in git's quoted form if it is not UTF-8 or begins with a quote."""
    raw = path.encode(errors="surrogateescape")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = None
    if text is not None and not text.startswith('"'):
        return text
    return '"' + "".join(_quoted(byte) for byte in raw) + '"'


def real_path(stored: str) -> str:
    """The path that a stored one stands for; bytes that are not UTF-8 come back as surrogate escapes."""
    if not (len(stored) > 1 and stored.startswith('"') and stored.endswith('"')):
        return stored
    raw = re.sub(rb"\\([0-7]{3}|.)", _unquoted, stored[1:-1].encode(), flags=re.DOTALL)
    return raw.decode(errors="surrogateescape")


def describe(evidence: Evidence) -> str:
    """A reading as it is typed on the command line, without its pins."""
    if evidence.path is not None:
        scheme = "" if split_scheme(evidence.path) == ("path", evidence.path) else "path:"
        return f"{scheme}{evidence.path}" + (f":{evidence.lines}" if evidence.lines else "")
    value = str(getattr(evidence, evidence.kind))
    return value if evidence.kind == "url" else f"{evidence.kind}:{value}"


def _quoted(byte: int) -> str:
    char = chr(byte)
    if char in _QUOTED:
        return "\\" + _QUOTED[char]
    return char if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _unquoted(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _UNQUOTED.get(code, code)
