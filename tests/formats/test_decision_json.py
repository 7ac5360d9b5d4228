import json
from typing import Any

import pytest

from gitdecide.formats.decision_json import read
from gitdecide.formats.foreign import Unreadable
from tests.render.decision_records import document


def encoded(**fields: Any) -> bytes:
    return json.dumps(document(**fields)).encode()


def test_a_record_is_read_field_by_field() -> None:
    """What the document has a name for arrives under ours."""
    (record,) = read(encoded(confidence=1, rationale="why", dissent="but"))

    assert (record.id, record.topic, record.mode, record.date) == (
        "DR-003", "Which database?", "debate", "2026-01-31",
    )  # fmt: skip
    assert (record.decision, record.rationale, record.confidence, record.dissent) == (
        "SQLite", "why", 1.0, "but",
    )  # fmt: skip
    assert [(person.actor, person.role, person.icon) for person in record.participants] == [
        ("alice", "proponent", None)
    ]
    assert [(turn.speaker, turn.round, turn.type, turn.content) for turn in record.spoken] == [
        ("alice", 1, "proposition", "SQLite")
    ]
    assert record.left_out == ()


@pytest.mark.parametrize("given", ["", None, "  "])
def test_a_record_may_be_undecided(given: str | None) -> None:
    """An empty decision is none."""
    (record,) = read(encoded(decision=given))

    assert record.decision is None


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("SQLite", "adopt"), ("adopt: it", "adopt"), ("reject: no", "reject"), ("defer: later", "defer")],
)
def test_a_decision_begins_with_its_outcome(text: str, outcome: str) -> None:
    """As the export writes it; without one it adopts."""
    (record,) = read(encoded(decision=text))

    assert (record.outcome, record.decision) == (outcome, text)


def test_what_nobody_has_a_place_for_is_named() -> None:
    """Nothing is dropped in silence."""
    (record,) = read(encoded(weather="fine"))

    assert record.left_out == ("weather",)


GOOD = json.dumps(document(), indent=1)


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"", "not JSON: Expecting value", 1),
        (GOOD.encode()[:-20], "not JSON: ", GOOD[:-20].count("\n") + 1),
        (b"\xef\xbb\xbf" + GOOD.encode(), "begins with a byte order mark", 1),
        (b'{\n"id": "\xff"}', "not UTF-8", 2),
        (GOOD.encode("utf-16"), "not UTF-8", 1),
        (b"[]", "not an object, but a list", None),
        (b'"DR-001"', "not an object, but a str", None),
        (encoded(confidence=float("nan")), "NaN is not JSON", None),
        (encoded(confidence=float("inf")), "Infinity is not JSON", None),
        (GOOD.replace("null", "1e999").encode(), "confidence: ", None),
        (GOOD.replace("null", "9" * 5000).encode(), "not JSON: ", None),
        (encoded(confidence=1.5), "confidence: Expected `float` <= 1.0", None),
        (b'{"id": "DR-001", "id": "DR-002"}', "the key 'id' stands twice in one object", None),
        (b'{"a": ' * 100_000, "nested too deeply", None),
        (encoded(topic="\ud800"), "half a character: a surrogate that stands alone", None),
        (b"{}", "Object missing required field `id`", None),
        (encoded(topic=" "), "topic: ", None),
        (encoded(topic=["x"]), "topic: Expected `str`, got `array`", None),
        (encoded(mode="war"), "mode: Invalid enum value 'war'", None),
        (encoded(rounds=[{"round": 1}]), "rounds[0]: Object missing required field `speaker`", None),
        (encoded(participants={"x": {"name": "a\nb"}}), "participants[...].name: ", None),
    ],
)
def test_what_is_no_record_is_refused_with_its_reason(data: bytes, reason: str, line: int | None) -> None:
    """Every reader must take the same from a file, so what readers differ over is refused."""
    with pytest.raises(Unreadable) as refused:
        read(data)

    assert refused.value.message.startswith(reason)
    assert refused.value.line == line


def test_an_unknown_type_of_turn_is_refused() -> None:
    """The reason says where it stands."""
    turn = {"round": 1, "speaker": "a", "role": "x", "type": "shout", "content": "hey"}

    with pytest.raises(Unreadable, match=r"^rounds\[0\]\.type: Invalid enum value 'shout'$"):
        read(encoded(rounds=[turn]))
