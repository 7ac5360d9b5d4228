"""A patch, line by line, with what each line is."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LONGEST: Final = 1500
WIDEST: Final = 500
"""Lines of a patch, and characters of a line, that a page shows: whoever wants more has the branch."""

_LONG_ID: Final = re.compile(r"([0-9a-f]{8})[0-9a-f]{32,}")
_MARKS: Final = {"+": "add", "-": "del", "@": "hunk", " ": "", "\\": "meta"}


class Line(NamedTuple):
    """A line, and `add`, `del`, `hunk`, `meta` or nothing."""

    kind: str
    text: str


class Shown(NamedTuple):
    """The lines that are shown, and how many are not."""

    lines: list[Line]
    left_out: int
    added: int
    removed: int


def shown(patch: str) -> Shown:
    """What a page shows of a patch."""
    lines = list(_lines(patch))
    added, removed = (sum(line.kind == kind for line in lines) for kind in ("add", "del"))
    return Shown(lines[:LONGEST], max(0, len(lines) - LONGEST), added, removed)


def _lines(patch: str) -> Iterator[Line]:
    """Within a hunk the first character says what a line is, outside of one all is about the files."""
    inside = False
    for text in patch.removesuffix("\n").split("\n"):
        inside = text.startswith("@@") or (inside and text[:1] in _MARKS)
        kind = _MARKS[text[:1]] if inside and text else "meta"
        said = _LONG_ID.sub(r"\1", text) if kind == "meta" and text.startswith("index ") else text
        yield Line(kind, said if len(said) <= WIDEST else f"{said[:WIDEST]}…")
