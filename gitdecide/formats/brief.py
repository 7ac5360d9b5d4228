"""A brief: settled decisions, directives and open areas, as `brief --format yaml` writes them, or as JSON.

An entry belongs where what it says puts it, whatever list it stands in: with a decision, a class, the
rejected alternative and a reason it is settled; with a decision alone it is a directive; and where it asserts
nothing, an open area.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final, get_args

from gitdecide.entries import document
from gitdecide.entries.annotation import CLASSES, one_line
from gitdecide.entries.names import actor_problem
from gitdecide.entries.types import Outcome, Settled
from gitdecide.formats.foreign import ForeignRecord, Unreadable

ASSERTING: Final = ("directive", "decision")
ASKING: Final = ("question", "area", "open")
KNOWN: Final = frozenset(
    (*ASSERTING, *ASKING, "class", "alternative", "reason", "by", "said", "job", "record")
)
DERIVED: Final = frozenset(
    ("state", "sides", "challenge", "challenges", "conflicts", "imported", "not_confirmed_by", "claim")
)
"""What a brief of ours tells of its own log: here it would be nobody's word."""


def read(data: bytes) -> list[ForeignRecord]:
    """The entries of a brief. Raises Unreadable."""
    try:
        given = document.parse_options(data)
    except document.DocumentError as error:
        raise Unreadable(error.message) from None
    lists = (
        [("", given)] if isinstance(given, list) else list(given.items()) if isinstance(given, dict) else []
    )
    found = [_record(entry, f"{part}[{place}]") for part, entry, place in _entries(lists)]
    if not found:
        raise Unreadable("holds no entry: neither decisions, nor directives, nor open areas")
    return found


def _entries(lists: list[tuple[str, Any]]) -> Iterator[tuple[str, dict[str, Any], int]]:
    for part, entries in lists:
        if part in ("standing", "version", "residual", "challenges"):
            continue  # what is said of another log's challenges is filed there
        if not isinstance(entries, list):
            raise Unreadable(f"{part}: not a list")
        for place, entry in enumerate(entries):
            fields = (
                {"question" if part == "open" else "directive": entry} if isinstance(entry, str) else entry
            )
            if not isinstance(fields, dict):
                raise Unreadable(f"{part}[{place}]: neither a text nor a mapping")
            yield part, fields, place


def _record(fields: dict[str, Any], place: str) -> ForeignRecord:
    texts = {key: value for key, value in fields.items() if key in KNOWN}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise Unreadable(f"{place}.{key}: not a text")
    said = {key: value for key, value in texts.items() if value.strip()}
    asserted = next((said[key] for key in ASSERTING if key in said), None)
    topic = next((said[key] for key in ASKING if key in said), None)
    if asserted is None and topic is None:
        raise Unreadable(f"{place}: neither asserts nor asks anything")
    left_out = tuple(key for key in fields if key not in KNOWN | DERIVED)
    common: dict[str, Any] = {
        "id": _id(asserted or topic or ""),
        "job": said.get("job"),
        "left_out": left_out,
    }
    if asserted is None:
        return ForeignRecord(topic=topic or "", **common)
    settled = _label(said, place)
    if settled is None:
        return ForeignRecord(topic=asserted, directive=True, **common)
    return ForeignRecord(
        topic=topic or f"{asserted}, or {settled.over}?",
        options=(asserted, settled.over),
        outcome=_outcome(asserted),
        decision=asserted,
        settled=settled,
        **common,
    )


def _label(said: dict[str, str], place: str) -> Settled | None:
    """The label of an entry that can state all that one takes; None for what is demoted."""
    if "class" in said and said["class"] not in CLASSES:
        raise Unreadable(f"{place}.class: {said['class']!a} is neither {' nor '.join(CLASSES)}")
    by = said.get("by")
    if by is not None and (problem := actor_problem(by)):
        raise Unreadable(f"{place}.by: {by!a} {problem}")
    if not {"class", "alternative", "reason"} <= said.keys():
        return None
    return Settled(
        label=said["class"],  # type: ignore[arg-type]
        over=one_line(said["alternative"]),
        because=one_line(said["reason"]),
        by=by,
        said=said.get("said"),
    )


def _outcome(statement: str) -> Outcome:
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    return next((outcome for outcome in outcomes if statement.startswith(f"{outcome}: ")), "adopt")


def _id(text: str) -> str:
    """What an entry is known by when its file is imported again: its words."""
    return "brief-" + hashlib.sha256(one_line(text).encode()).hexdigest()[:12]
