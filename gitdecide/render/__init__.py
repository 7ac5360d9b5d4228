"""Views of a record, each a plain callable from a record to lines."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Question, Unknown, type_name
from gitdecide.output import Line
from gitdecide.render import jsonl, stored, text

RENDERERS: Final[dict[str, Callable[[DecisionRecord], Iterable[Line]]]] = {
    "text": text.lines,
    "yaml": stored.lines,
    "jsonl": jsonl.lines,
}
"""The views by the names that `show --format` takes."""


def in_brief(record: DecisionRecord) -> dict[str, Any]:
    """What a list says of a record, for programs."""
    questions = record.of(Question)
    question = questions[0].entry if questions else None
    return {
        "name": str(record.name),
        "status": record.status,
        "question": question.question if question else None,
        "job": question.job if question else None,
        "live": [decision.id for decision in record.live],
        "damages": [damage._asdict() for damage in record.damages],
    }


def as_data(record: DecisionRecord, warnings: Iterable[str]) -> dict[str, Any]:
    """All of a record, for programs: entries in order, with their ids, as the log has them."""
    return {
        **in_brief(record),
        "tally": dict(record.tally),
        "replaced": record.replacements,
        "warnings": list(warnings),
        "entries": [
            {"id": entry_id, "type": type_name(entry), **_fields(entry)} for entry_id, entry in record.entries
        ],
    }


def _fields(entry: Any) -> dict[str, Any]:
    return entry.fields if isinstance(entry, Unknown) else dict(msgspec.to_builtins(entry))
