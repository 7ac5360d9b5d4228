"""Where each page lies in the site: stable names that every disk and server takes."""

import re
from base64 import b32encode
from functools import lru_cache
from hashlib import sha256
from typing import Final

from gitdecide.entries.names import RecordName

INDEX: Final = "index.html"
ACTORS: Final = "actors.html"
FILES: Final = "files.html"
STYLE: Final = "style.css"
SCRIPT: Final = "script.js"
DATA: Final = "data.js"
BUILT: Final = "built.js"

RANGE: Final = 200
"""How many numbers a page of the whole list covers: records come and go on one page alone."""

_SLUG_LENGTH: Final = 40
_OURS: Final = re.compile(
    r"(?:index|actors|files)\.html|style\.css|(?:script|data|built)\.js"
    r"|record/DR-[0-9]+-[0-9a-f]{8}\.html|list/[0-9]{6}\.html|(?:actor|file)/[a-z0-9-]+\.html"
)


def record_page(name: RecordName) -> str:
    """The page of a record: its full name never changes."""
    return f"record/{name}.html"


def list_page(number: int) -> str:
    """The page of the whole list that holds a number."""
    return f"list/{_first(number):06d}.html"


def numbers(number: int) -> tuple[int, int]:
    """The first and the last number of the page of the list that holds a number."""
    return _first(number), _first(number) + RANGE - 1


def actor_page(name: str) -> str:
    """The page of an actor."""
    return f"actor/{_spelled(name)}.html"


def file_page(path: str) -> str:
    """The page of a path, or of a pathspec."""
    return f"file/{_spelled(path)}.html"


def ours(path: str) -> bool:
    """True for what can be a path of a page or a file of a site."""
    return _OURS.fullmatch(path) is not None


def _first(number: int) -> int:
    return (number - 1) // RANGE * RANGE + 1


@lru_cache(maxsize=4096)
def _spelled(text: str) -> str:
    """What is plain in a text, for people, and 120 bits of its digest, which keep all names apart.

    So no disk mixes up names that differ only in case, and none is reserved or too long.
    """
    plain = re.sub("[^a-z0-9]+", "-", text.lower())[:_SLUG_LENGTH].strip("-")
    digest = b32encode(sha256(text.encode(errors="surrogateescape")).digest()[:15]).decode().lower()
    return f"{plain}-{digest}".lstrip("-")
