"""Records of other tools, each format a pure function from the bytes of a file to what it holds."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from gitdecide.formats import adr, brief, decision_json, evidence_jsonl
from gitdecide.formats.evidence_jsonl import Line

MAX_BYTES: Final = 1024 * 1024
"""The largest file that is looked at where it holds one record: no entry is nearly as large."""


def _by_content(read: Callable[[bytes], Sequence[Line]]) -> Callable[[str, bytes], Sequence[Line]]:
    return lambda _, data: read(data)


class Format(NamedTuple):
    """How files of one format are told from others in a folder, and how one is read."""

    patterns: tuple[str, ...]
    """Of the names of files, in any case."""
    read: Callable[[str, bytes], Sequence[Line]]
    """What a file of this name holds. Raises Unreadable."""
    family: str
    """Formats of one family know what was imported as another of it."""
    is_record: Callable[[str], bool | None] = lambda _: True
    """Whether a file of a folder is a record by its name; None where only what it says can tell."""
    many: bool = False
    """True where a file holds several records, which are told apart by their ids."""
    max_bytes: int = MAX_BYTES


_ADR: Final = Format(("*.md", "*.markdown"), adr.read, "adr", adr.is_record)

FORMATS: Final = {
    "adr-tools": _ADR,
    "brief": Format(("*brief*.y*ml",), _by_content(brief.read), "brief", many=True),
    "json": Format(("DR-*.json",), _by_content(decision_json.read), "json"),
    "jsonl": Format(
        ("*.jsonl",), _by_content(evidence_jsonl.read), "jsonl", many=True, max_bytes=256 * MAX_BYTES
    ),
    "log4brains": _ADR,
    "madr": _ADR,
}
"""The formats by the names that `import` takes."""
