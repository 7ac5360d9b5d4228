"""An entry as a page tells it: who, when, and one field after the other."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from gitdecide.entries.conversation import rounds
from gitdecide.entries.evidence import describe
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Close,
    Confirm,
    Decision,
    Entry,
    Evidence,
    Imported,
    Proposal,
    Question,
    Replaced,
    Turn,
    Unknown,
    Unproved,
    Vote,
    quoted,
    type_name,
)
from gitdecide.render import provenance
from gitdecide.render.site import patch

How = Literal["text", "name", "code", "output", "items", "references", "readings", "diff", "links"]
Tone = Literal["good", "bad", "notice", "quiet"]

TONES: Final[Mapping[str, Tone]] = {
    "holds": "good",
    "fails": "bad",
    "inconclusive": "notice",
    "not_applicable": "quiet",
    "support": "good",
    "support_unverified": "notice",
    "oppose": "bad",
    "adopt": "good",
    "reject": "bad",
    "defer": "notice",
    "invalidating": "bad",
    "suboptimal": "notice",
}
"""The colour of what an entry says in one word, which always stands beside it."""


BRIEF: Final = 100
"""Milliseconds of a check that are not worth telling."""


class Field(NamedTuple):
    """A word, what goes with it, and how that is shown."""

    word: str
    how: How
    value: Any


class Reading(NamedTuple):
    """Something that was read: a path has a page, and an address is a link."""

    what: str
    state: str | None
    path: str | None = None
    url: str | None = None
    pinned: str | None = None


class Item(NamedTuple):
    """One entry of the timeline."""

    id: str
    type: str
    actor: str
    quoted: str | None
    """Whose word it is, where the actor only imported it."""
    at: str
    word: str
    """What it says in one word: a stance, a result, an outcome."""
    tone: Tone
    marks: tuple[str, ...]
    """What became of it."""
    fields: tuple[Field, ...]


States = Mapping[Evidence, object]


class Beside(NamedTuple):
    """What a page needs beside the record: what became of what was read, and the patches of proposals."""

    states: States
    patches: Mapping[str, str]


def items(record: DecisionRecord, beside: Beside) -> list[Item]:
    """Every entry of a record, in order; what a question says has a place of its own."""
    numbers = {turn.id: number for number, turns in enumerate(rounds(record), 1) for turn in turns}
    return [_item(record, Filed(*each), beside, numbers.get(each[0])) for each in record.entries]


def readings(read: Iterable[Evidence], states: States) -> list[Reading]:
    """What was read, and what became of it since."""
    return [
        Reading(
            describe(each) + (" (working tree)" if each.worktree else ""),
            str(states[each]) if each in states else None,
            each.path,
            each.url,
            (each.commit or "")[:8] if each.path else None,
        )
        for each in read
    ]


def _item(
    record: DecisionRecord, filed: Filed[Entry | Unknown], beside: Beside, turn_round: int | None
) -> Item:
    entry = filed.entry
    word = _word(entry)
    marks = [*_marks(record, filed)]
    if turn_round and isinstance(entry, Turn):
        marks.append(f"round {entry.quoted.round if entry.quoted else turn_round}")
    fields = [field for field in _fields(record, filed, beside) if field.value]
    return Item(
        filed.id,
        type_name(entry),
        entry.actor,
        quoted(entry),
        entry.at,
        word if isinstance(entry, Turn) else word.replace("_", " "),
        TONES.get(word, "quiet") if quoted(entry) is None else "quiet",
        tuple(marks),
        tuple(fields),
    )


def _word(entry: Entry | Unknown) -> str:
    match entry:
        case Vote():
            return entry.stance
        case Check():
            return entry.result
        case Decision() | Answer():
            return entry.outcome
        case Challenge():
            return entry.severity or ""
        case Turn():
            return entry.verb
    return ""


def _marks(record: DecisionRecord, filed: Filed[Entry | Unknown]) -> Iterator[str]:
    imported = quoted(filed.entry) is not None
    if imported:
        yield "imported"
    match filed.entry:
        case Decision() if filed.id in record.replacements:
            yield "superseded"
        case Decision() | Vote() if imported:
            pass
        case Decision():
            yield "live"
        case Vote() if filed not in record.votes:
            yield "replaced by a later vote"
        case Vote() if not filed.entry.verified:
            yield "read nothing"
        case Check():
            if filed.entry.exit_code is not None:
                yield f"exit {filed.entry.exit_code}"
            if not imported:
                yield filed.entry.source
        case Unproved():
            yield "does not count"


def _fields(record: DecisionRecord, filed: Filed[Entry | Unknown], beside: Beside) -> Iterator[Field]:
    entry, states = filed.entry, beside.states
    match entry:
        case Vote():
            yield Field("reason", "text", entry.reason)
            yield _read(entry.read, states)
            yield Field("not checked", "items", entry.not_checked)
            yield _number("confidence", entry.confidence)
            yield Field("model", "text", entry.model)
        case Check():
            yield from check(entry)
        case Challenge():
            yield Field("claim", "text", entry.claim)
            yield Field("against", "references", (entry.target,))
            yield _read(entry.read, states)
            yield Field("answered by", "references", [each.id for each in record.answers_to(filed.id)])
        case Answer():
            yield Field("reason", "text", entry.reason)
            yield Field("to", "references", (entry.to,))
            yield _read(entry.read, states)
        case Decision():
            yield from decision(record, Filed(filed.id, entry), states)
        case Confirm():
            yield Field("decision", "references", (entry.decision,))
        case Replaced():
            yield Field("decision", "references", (entry.decision,))
            yield Field("replaced by", "references", (entry.by,))
        case Turn():
            yield from _turn(entry)
        case Close():
            yield Field("reason", "text", entry.reason)
        case Proposal():
            yield from _proposal(entry, beside.patches)
        case Unproved():
            yield Field("reason", "text", entry.reason)
        case Unknown():
            yield Field("unknown", "text", "an entry that a newer git-decide wrote")


def question(asked: Question) -> Iterator[Field]:
    """All that a question says beside itself."""
    yield Field("question", "text", asked.question if "\n" in asked.question.strip() else None)
    yield Field("context", "items", asked.context)
    yield Field("options", "items", asked.options)
    people = [f"{who.actor}, {who.role}" if who.role else who.actor for who in asked.participants]
    yield Field("takes part", "items", people)
    yield Field("governs", "items", asked.governs)
    yield Field("links", "links", asked.links)
    yield Field("aliases", "items", asked.aliases)
    yield _imported(asked.imported)


def check(said: Check) -> Iterator[Field]:
    """What was run, and what came of it."""
    yield Field("premise", "text", said.premise)
    yield Field("command", "code", said.command_line)
    for word, codes in (("holds on", said.holds_on), ("fails on", said.fails_on)):
        yield Field(word, "text", ", ".join(map(str, codes)))
    yield Field("note", "text", said.note)
    if said.commit:
        state = {True: ", clean", False: ", with uncommitted changes", None: ""}[said.clean]
        yield Field("at", "text", said.commit[:8] + state)
    yield Field("in", "name", said.cwd if said.cwd != "." else None)
    took = said.duration_ms or 0
    yield Field("took", "text", f"{took / 1000:.1f} s" if took >= BRIEF else None)
    yield Field("repeats", "references", (said.repeats,) if said.repeats else ())
    yield Field("output", "output", said.output)


def decision(record: DecisionRecord, filed: Filed[Decision], states: States) -> Iterator[Field]:
    """What was decided, and on what it rests."""
    said = filed.entry
    yield Field("decision", "text", said.decision)
    yield Field("provenance", "text", provenance.label(record, filed))
    against = [conflict.id for conflict in record.conflicts if conflict.entry.target == filed.id]
    yield Field("conflicts", "references", against)
    yield Field("why it changed", "text", said.reason)
    yield Field("rationale", "text", said.rationale)
    yield Field("despite", "text", said.despite)
    yield Field("dissent", "text", said.dissent)
    yield _number("confidence", said.confidence)
    yield Field("rests on", "references", said.checks)
    yield Field("backed by", "references", said.backed_by)
    yield Field("answers", "references", said.answers)
    yield Field("supersedes", "references", said.supersedes)
    yield Field("superseded by", "references", record.replacements.get(filed.id))
    yield Field("governs", "items", said.governs)
    yield Field("review by", "text", said.review_by)
    yield Field("changes", "text", "code" if said.changes_code else "no code")
    if said.read or not said.backed_by:
        yield _read(said.read, states)
    yield _imported(said.imported)


def _turn(said: Turn) -> Iterator[Field]:
    yield Field("headline", "text", said.headline)
    yield Field("role", "text", said.role)
    yield Field("body", "text", said.body)
    yield Field("position", "text", said.position)
    yield Field("gave up", "items", said.gave_up)
    yield Field("signs", "name", said.signs)
    moves = ((move, move.title or move.reason) for move in said.ledger)
    yield Field(
        "ledger", "items", [f"{move.issue} {move.state}" + (f": {why}" if why else "") for move, why in moves]
    )
    yield Field("ledger", "text", "left out" if said.ledger_omitted else None)


def _proposal(said: Proposal, patches: Mapping[str, str]) -> Iterator[Field]:
    yield Field("title", "text", said.title)
    yield Field("branch", "name", said.branch)
    yield Field("on", "name", said.base[:8])
    yield Field("made by", "code", said.command_line)
    text = patches.get(said.patch)
    yield Field("changes", "text", "the log lacks its patch" if text is None else None)
    yield Field("changes", "diff", patch.shown(text) if text else None)


def _read(read: tuple[Evidence, ...], states: States) -> Field:
    return Field("read", "readings", readings(read, states)) if read else Field("read", "text", "nothing")


def _number(word: str, value: float | None) -> Field:
    return Field(word, "text", None if value is None else f"{value:g}")


def _imported(origin: Imported | None) -> Field:
    known = filter(None, (origin.id, origin.date, origin.status, *origin.deciders)) if origin else ()
    return Field(
        "imported", "text", ", ".join((*known, f"{origin.format} in {origin.path}")) if origin else None
    )
