"""What JSON-ADR 1.0.0 allows, in our words: https://github.com/joshrotenberg/adrs/blob/main/schema/json-adr/v1.json"""

from typing import Any, Final

_TEXT: Final = {"type": "string"}
_FILLED: Final = {"type": "string", "minLength": 1}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_NUMBER: Final = {"type": "integer", "minimum": 1}


def _closed(needed: tuple[str, ...], **fields: Any) -> dict[str, Any]:
    """An object with no other fields than these, of which some are needed."""
    return {"type": "object", "required": list(needed), "properties": fields, "additionalProperties": False}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_ADR: Final = _closed(
    ("number", "title", "status", "date"),
    number=_NUMBER,
    title=_FILLED,
    status=_TEXT,
    date={"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
    deciders=_TEXTS,
    consulted=_TEXTS,
    informed=_TEXTS,
    context=_TEXT,
    considered_options=_list(_closed(("name",), name=_FILLED)),
    decision=_TEXT,
    links=_list(_closed(("type", "target"), type=_TEXT, target=_NUMBER, description=_TEXT)),
    custom_sections={"type": "object", "additionalProperties": _TEXT},
)
_ANY: Final = {"$schema": _TEXT, "version": {"const": "1.0.0"}}
_TOOL: Final = _closed(("name", "version"), name=_TEXT, version=_TEXT)

SCHEMA: Final = {
    "oneOf": [
        _closed(("version", "adr"), **_ANY, adr=_ADR),
        _closed(("version", "adrs"), **_ANY, tool=_TOOL, adrs=_list(_ADR)),
    ]
}
