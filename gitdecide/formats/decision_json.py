"""Decision records of debates as JSON: the shape that `show --format json` writes."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct, field

from gitdecide.entries.types import Confidence, Count, Name, Outcome, Participant, Text
from gitdecide.formats import strict_json
from gitdecide.formats.foreign import ForeignRecord, Spoken, Unreadable

OptionalText = Annotated[str, Meta(description="text that may be blank")] | None


class _Person(Struct, frozen=True):
    name: Name
    display_name: OptionalText = field(name="displayName", default=None)
    icon: OptionalText = None


class _Round(Struct, frozen=True):
    round: Count
    speaker: Name
    type: Literal["proposition", "rebuttal", "counter", "position", "concession", "synthesis"]
    content: Text
    role: OptionalText = None


class _Document(Struct, frozen=True):
    id: Text
    topic: Text
    mode: Literal["debate", "consensus"]
    participants: dict[Text, _Person] = {}
    rounds: tuple[_Round, ...] = ()
    decision: OptionalText = None
    rationale: OptionalText = None
    confidence: Confidence | None = None
    dissent: OptionalText = None
    date: OptionalText = None
    registered_in_graph: bool | None = None
    graph_node_id: OptionalText = None


def read(data: bytes) -> list[ForeignRecord]:
    """The one record of a file. Raises Unreadable."""
    given = strict_json.parse(data)
    if not isinstance(given, dict):
        raise Unreadable(f"not an object, but a {type(given).__name__}")
    try:
        said = msgspec.convert(given, _Document)
    except msgspec.ValidationError as error:
        raise Unreadable(strict_json.misfit(error)) from None
    decision = _text(said.decision)
    record = ForeignRecord(
        id=said.id,
        topic=said.topic,
        mode=said.mode,
        date=_text(said.date),
        participants=tuple(_participant(role, person) for role, person in said.participants.items()),
        spoken=tuple(
            Spoken(
                speaker=turn.speaker,
                round=turn.round,
                type=turn.type,
                content=turn.content,
                role=_text(turn.role),
            )
            for turn in said.rounds
        ),
        outcome=outcome_of(decision or ""),
        decision=decision,
        rationale=_text(said.rationale),
        confidence=said.confidence,
        dissent=_text(said.dissent),
        left_out=tuple(_unknown(given)),
    )
    return [record]


def outcome_of(statement: str) -> Outcome:
    """The outcome that a decision's text begins with, as `reject: …`; else it adopts."""
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    return next((outcome for outcome in outcomes if statement.startswith(f"{outcome}: ")), "adopt")


def _participant(role: str, person: _Person) -> Participant:
    shown = _text(person.display_name)
    return Participant(
        actor=person.name,
        role=role,
        display_name=shown if shown != person.name else None,
        icon=_text(person.icon),
    )


def _text(text: str | None) -> str | None:
    return text if text and text.strip() else None


def _unknown(given: dict[str, Any]) -> Iterator[str]:
    yield from (key for key in given if key not in _Document.__struct_fields__)
