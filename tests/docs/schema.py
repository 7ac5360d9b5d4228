"""docs/schema/entries.json: the entries as JSON Schema, made of their types."""

import json
from typing import Any

import msgspec

from gitdecide.entries.types import AnyEntry

TITLE = "An entry of the log of git-decide, format 1"


def schema() -> str:
    """The schema of every entry, whose `type` says which it is."""
    described: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        **msgspec.json.schema(AnyEntry),
    }
    return json.dumps(_settled(described), indent=2, ensure_ascii=True) + "\n"


def _settled(value: Any) -> Any:
    """The same schema with alternatives in one order: releases of msgspec differ in it."""
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if not isinstance(value, dict):
        return value
    settled = {key: _settled(item) for key, item in value.items()}
    if "anyOf" in settled:
        settled["anyOf"] = sorted(settled["anyOf"], key=json.dumps)
    return settled
