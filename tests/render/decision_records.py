"""The decision record as its document describes it: a JSON Schema, the headings, and records to try."""

from typing import Any, Final

_TEXT: Final = {"type": "string"}
_FILLED: Final = {"type": "string", "minLength": 1}


def _closed(fields: dict[str, Any]) -> dict[str, Any]:
    """An object with these fields and no others."""
    return {"type": "object", "required": list(fields), "properties": fields, "additionalProperties": False}


SCHEMA: Final = _closed(
    {
        "id": {"type": "string", "pattern": r"^DR-[0-9]{3,}$"},
        "topic": _FILLED,
        "mode": {"enum": ["debate", "consensus"]},
        "participants": {
            "type": "object",
            "additionalProperties": _closed({"name": _FILLED, "displayName": _FILLED, "icon": _TEXT}),
        },
        "rounds": {
            "type": "array",
            "items": _closed(
                {
                    "round": {"type": "integer", "minimum": 1},
                    "speaker": _FILLED,
                    "role": {"enum": ["proponent", "opponent", "arbitrator", "participant"]},
                    "type": {
                        "enum": ["proposition", "rebuttal", "counter", "position", "concession", "synthesis"]
                    },
                    "content": _FILLED,
                }
            ),
        },
        "decision": _TEXT,
        "rationale": _TEXT,
        "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "dissent": _TEXT,
        "date": {"type": "string", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "registered_in_graph": {"type": "boolean"},
        "graph_node_id": {"type": "string", "pattern": r"^dr-[0-9]{3,}$"},
    }
)

HEADINGS: Final = (
    "## 📋 Decision Record: ",
    "### Participants",
    "### Debate Rounds",
    "### Decision",
    "### Rationale",
    "### Confidence: ",
    "### Dissent",
)


def headings(page: str) -> list[str]:
    """The headings of a page, as a reader of Markdown finds them."""
    return [line for line in page.splitlines() if line.startswith("#")]


def document(**fields: Any) -> dict[str, Any]:
    """A record as `show --format json` writes it, with some fields of its own."""
    return {
        "id": "DR-003",
        "topic": "Which database?",
        "mode": "debate",
        "participants": {"proponent": {"name": "alice", "displayName": "alice", "icon": ""}},
        "rounds": [
            {"round": 1, "speaker": "alice", "role": "proponent", "type": "proposition", "content": "SQLite"}
        ],
        "decision": "SQLite",
        "rationale": "",
        "confidence": None,
        "dissent": "",
        "date": "2026-01-31",
        "registered_in_graph": True,
        "graph_node_id": "dr-003",
        **fields,
    }
