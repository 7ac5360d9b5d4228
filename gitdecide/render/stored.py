"""The entries as they are stored: YAML, one document an entry."""

from collections.abc import Iterator

from gitdecide.entries.names import entry_file
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import type_name
from gitdecide.output import Line


def lines(record: DecisionRecord) -> Iterator[Line]:
    """The entries in order, each behind a comment with its file name."""
    for entry_id, entry in record.entries:
        yield "---"
        yield f"# {entry_file(type_name(entry), entry_id)}"
        yield from record.sources[entry_id].decode().removesuffix("\n").split("\n")
