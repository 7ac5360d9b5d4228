"""What the lists of a site say of a record, and nothing more: all of it is kept for every record."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Entry, Question, Unknown, Unproved, quoted, type_name
from gitdecide.output import visible
from gitdecide.render.record_json import in_force

TITLE_LENGTH: Final = 200
SAID_LENGTH: Final = 200
"""Characters of a question and of a decision in a list."""


class Summary(NamedTuple):
    """A record in a line or two."""

    name: RecordName
    status: str
    title: str
    outcome: str
    said: str
    """The beginning of the decision."""
    mode: str
    job: str
    day: str
    """Of the last entry."""
    actors: Mapping[str, str]
    """Who spoke or was asked, and what they did."""
    paths: Mapping[str, str]
    """What was read, and by whom."""
    governs: tuple[str, ...]
    conflict: bool
    """True when one stands against a decision of it."""

    @property
    def number(self) -> int:
        """The number of the record."""
        return self.name.number


def summary(record: DecisionRecord) -> Summary:
    """What the lists say of a record, be it damaged or not."""
    asked = next((question.entry for question in record.of(Question)), None)
    decided = in_force(record)
    governs = [
        *(asked.governs if asked else ()),
        *(spec for live in record.live for spec in live.entry.governs),
    ]
    return Summary(
        name=record.name,
        status=record.status,
        title=_short(asked.question, TITLE_LENGTH) if asked else "(no question)",
        outcome=decided.entry.outcome if decided else "",
        said=_short(decided.entry.decision, SAID_LENGTH) if decided else "",
        mode=asked.mode if asked else "",
        job=asked.job or "" if asked else "",
        day=max((entry.at[:10] for _, entry in record.entries), default=""),
        actors=_actors(record),
        paths=_paths(record),
        governs=tuple(dict.fromkeys(governs)),
        conflict=bool(record.conflicts),
    )


def data(summaries: Iterable[Summary]) -> str:
    """All records for the filter, as a script: it is read from a disk as well as from a server."""
    words = {field: _Words() for field in ("status", "mode", "job", "actor")}
    rows = [
        [
            str(each.name),
            words["status"].place(each.status),
            words["mode"].place(each.mode),
            words["job"].place(each.job),
            [words["actor"].place(actor) for actor in each.actors],
            each.day,
            each.title,
            each.outcome,
            each.said,
            int(each.conflict),
        ]
        for each in summaries
    ]
    lists: dict[str, Any] = {field: list(map(visible, known)) for field, known in words.items()}
    text = json.dumps({**lists, "records": rows}, ensure_ascii=True, separators=(",", ":"))
    return f"var gitDecide = {text};\n"


class _Words(dict[str, int]):
    """Words by the order in which they came."""

    def place(self, word: str) -> int:
        """Where a word stands."""
        return self.setdefault(word, len(self))


def _short(text: str, length: int) -> str:
    """The first line of a text that says something, as it can be shown; cut short at a length."""
    line = visible(text.strip().partition("\n")[0])
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def _actors(record: DecisionRecord) -> dict[str, str]:
    did: dict[str, Counter[str]] = {}
    for question in record.of(Question):
        for who in question.entry.participants:
            did.setdefault(who.actor, Counter())
    for _, entry in record.entries:
        did.setdefault(entry.actor, Counter())[_kind(entry)] += 1
    return {actor: ", ".join(_counted(counts)) or "was asked" for actor, counts in did.items()}


def _kind(entry: Entry | Unknown) -> str:
    if isinstance(entry, Unproved):
        return f"uncounted {type_name(entry)}"
    return type_name(entry) if quoted(entry) is None else f"imported {type_name(entry)}"


def _counted(counts: Counter[str]) -> Iterator[str]:
    for word, count in counts.items():
        yield word if count == 1 else f"{count} {word}s"


def _paths(record: DecisionRecord) -> dict[str, str]:
    readers: dict[str, dict[str, None]] = {}
    for _, entry in record.entries:
        for read in getattr(entry, "read", ()):
            if read.path is not None:
                said = quoted(entry)
                reader = entry.actor if said is None else f"{said} [imported]"
                readers.setdefault(read.path, {})[reader] = None
    return {path: ", ".join(actors) for path, actors in readers.items()}
