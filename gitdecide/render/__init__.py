"""Views of a record, each a plain callable from a record to lines."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import msgspec

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Question, Unknown, type_name
from gitdecide.output import Line

Renderer = Callable[..., Iterable[Line]]

VIEWS: Final = ("text", "yaml", "jsonl", "json", "markdown", "file", "madr", "json-adr")


def _render(view: str, record: DecisionRecord, /, *more: Any, **known: Any) -> Iterable[Line]:
    """A record in a view; no other view is loaded."""
    module: Any
    match view:
        case "text":
            from gitdecide.render import text as module
        case "yaml":
            from gitdecide.render import stored as module
        case "jsonl":
            from gitdecide.render import jsonl as module
        case "json":
            from gitdecide.render import record_json as module
        case "markdown":
            from gitdecide.render import markdown as module
        case "file":
            from gitdecide.render import file as module
        case "madr":
            from gitdecide.render import madr as module
        case _:
            from gitdecide.render import json_adr as module
    lines: Iterable[Line] = module.lines(record, *more, **known)
    return lines


RENDERERS: Final[dict[str, Renderer]] = {view: partial(_render, view) for view in VIEWS}
"""The views by the names that `show --format` and `export` take."""

PORTRAYING: Final = ("json", "markdown")
"""The views that also take what the log says of an actor."""


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
        "conflicts": [conflict.id for conflict in record.conflicts],
        "damages": [damage._asdict() for damage in record.damages],
    }


def as_data(record: DecisionRecord, warnings: Iterable[str]) -> dict[str, Any]:
    """All of a record, for programs: entries in order, with their ids, as the log has them."""
    return {
        **in_brief(record),
        "tally": dict(record.tally),
        "replaced": record.replacements,
        "warnings": list(warnings),
        "conversation": _conversation(record),
        "entries": [
            {"id": entry_id, "type": type_name(entry), **_fields(entry)} for entry_id, entry in record.entries
        ],
    }


def _conversation(record: DecisionRecord) -> dict[str, Any] | None:
    """Both ledgers and what the detectors saw; None for a record that holds no conversation."""
    from gitdecide.entries.conversation import folded, state

    conversation = folded(record) if record.of(Question) else None
    if conversation is None:
        return None
    return {
        "state": state(record),
        "ledgers": {
            side: {key: issue._asdict() for key, issue in conversation.ledgers.of(side).items()}
            for side in conversation.sides
        },
        "detectors": [{**firing._asdict(), "said": firing.text()} for firing in conversation.fired],
    }


def _fields(entry: Any) -> dict[str, Any]:
    return entry.fields if isinstance(entry, Unknown) else dict(msgspec.to_builtins(entry))
