"""What replaced what in a record, as boxes and arrows from the oldest decision down to the newest."""

from collections import defaultdict
from collections.abc import Iterator
from textwrap import shorten, wrap
from typing import Final, NamedTuple

from gitdecide.entries.annotation import one_line
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Decision
from gitdecide.output import visible

MOST: Final = 24
"""Boxes that a drawing takes; with more it is words alone."""

WIDTH: Final = 250
HEIGHT: Final = 74
GAP: Final = 36
_LETTERS: Final = 32
"""Sizes in the units of the drawing, and letters of a line in a box."""


class Box(NamedTuple):
    """A decision: of this record, or of another one, whose name it then bears."""

    reference: str
    heading: str
    lines: tuple[str, ...]
    live: bool
    foreign: bool
    x: float
    y: float


class Arrow(NamedTuple):
    """From what was replaced to what replaced it."""

    x1: float
    y1: float
    x2: float
    y2: float


class Drawing(NamedTuple):
    """Boxes and arrows, and the same in words."""

    boxes: list[Box]
    arrows: list[Arrow]
    width: float
    height: float
    said: list[tuple[str, str]]
    """References: what was replaced, and by what."""


def drawing(record: DecisionRecord) -> Drawing | None:
    """What replaced what; None where nothing was replaced."""
    pairs = [(old, new) for old, by in record.replacements.items() for new in by]
    if not pairs:
        return None
    known = list(
        dict.fromkeys([*(each.id for each in record.of(Decision)), *(end for pair in pairs for end in pair)])
    )
    if len(known) > MOST:
        return Drawing([], [], 0, 0, pairs)
    rows = _rows(known, pairs)
    columns = max(map(len, rows.values()))
    width = columns * (WIDTH + GAP) - GAP
    boxes = {
        key: _box(record, key, (width - len(row) * (WIDTH + GAP) + GAP) / 2 + place * (WIDTH + GAP), level)
        for level, row in rows.items()
        for place, key in enumerate(row)
    }
    return Drawing(
        list(boxes.values()),
        [_arrow(boxes[old], boxes[new]) for old, new in pairs],
        width,
        len(rows) * (HEIGHT + GAP) - GAP,
        pairs,
    )


def _rows(known: list[str], pairs: list[tuple[str, str]]) -> dict[int, list[str]]:
    """What stands beside each other: a decision stands below all that it replaced."""
    level = dict.fromkeys(known, 0)
    for _ in known:  # no chain is longer, and a forged cycle ends
        for old, new in pairs:
            level[new] = max(level[new], min(level[old] + 1, len(known)))
    rows: dict[int, list[str]] = defaultdict(list)
    for key in known:
        rows[level[key]].append(key)
    return {place: rows[key] for place, key in enumerate(sorted(rows))}


def _box(record: DecisionRecord, reference: str, x: float, level: int) -> Box:
    y = level * (HEIGHT + GAP)
    name, _, entry_id = reference.rpartition(":")
    entry = record[reference] if reference in record else None  # noqa: SIM401 - it has no get
    if isinstance(entry, Decision):
        live = any(decision.id == reference for decision in record.live)
        heading = f"{reference[:8]} · {entry.outcome}" + ("" if live else " · superseded")
        return Box(reference, heading, tuple(_wrapped(entry.decision)), live, False, x, y)
    return Box(reference, entry_id[:8], (f"in {name}" if name else "not here",), False, True, x, y)


def _wrapped(text: str) -> Iterator[str]:
    short = shorten(visible(one_line(text)), 2 * _LETTERS - 4, placeholder=" …") or "…"
    yield from (line[:_LETTERS] for line in wrap(short, _LETTERS)[:2])


def _arrow(old: Box, new: Box) -> Arrow:
    return Arrow(old.x + WIDTH / 2, old.y + HEIGHT, new.x + WIDTH / 2, new.y - 5)
