"""A record as text for a terminal: its state, its story, and what stands against it."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Final

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
    Participant,
    Proposal,
    Question,
    Replaced,
    Turn,
    Unknown,
    Unproved,
    Vote,
    type_name,
)
from gitdecide.output import STATUS_COLORS, Label, Line
from gitdecide.render import provenance
from gitdecide.rules.warnings import FAST_ACCEPT, warnings

SHOWN_DIGITS: Final = 8
RESULT_COLORS: Final = {"holds": "good", "fails": "bad"}

States = Mapping[Evidence, object]
"""What became of what was read since, as words."""


def lines(
    record: DecisionRecord,
    states: States = MappingProxyType({}),
    fast_accept: timedelta = FAST_ACCEPT,
    today: str | None = None,
) -> Iterator[Line]:
    """The whole record; `states` tells what became of what was read, `fast_accept` is the policy's.

    Decisions that were to be reviewed before `today` are pointed out.
    """
    for question in record.of(Question)[:1]:
        yield from _opening(record, question.entry)
    for filed in record.entries:
        if not isinstance(filed.entry, Question):
            yield ""
            yield from _entry(record, filed, states)
    yield ""
    if record.contested:
        yield from _contest(record)
    yield from _conversation(record)
    yield from _closing(record, fast_accept, today)


def _opening(record: DecisionRecord, question: Question) -> Iterator[Line]:
    first, *more = question.question.split("\n")
    yield [Label("name", str(record.name)), "  ", Label("bold", first)]
    yield from _indented(more)
    about = [f"asked by {question.actor}", _when(question.at)]
    if question.job:
        about.append(f"job {question.job}")
    if record.directive:
        about.append(f"a directive, its challenge {'spent' if record.objections else 'not spent'}")
    yield [_status(record), "  ", ", ".join(about)]
    for word, values in (
        ("context", question.context),
        ("option", question.options),
        ("governs", question.governs),
        ("link", question.links),
        ("takes part", map(_participant, question.participants)),
    ):
        for value in values:
            yield from _field(word, value)
    if origin := question.imported:
        known = filter(None, (origin.id, origin.date, origin.status))
        yield from _field("imported", ", ".join((*known, f"{origin.format} in {origin.path}")))
        yield from _list("decided there by", origin.deciders)


def _participant(asked: Participant) -> str:
    return f"{asked.actor}, {asked.role}" if asked.role else asked.actor


def _contest(record: DecisionRecord) -> Iterator[Line]:
    """The decisions that stand against each other, and what each was made after that the others were not."""
    pasts = {decision.id: record.past(decision.id) for decision in record.live}
    common = set.intersection(*pasts.values()) if pasts else set()
    yield [Label("bad", "contested: "), f"{len(record.live) + len(record.successors)} decisions stand"]
    for decision in record.live:
        said = decision.entry
        yield [
            "    ", Label("dim", decision.id[:SHOWN_DIGITS]),
            f" {said.outcome}: ", _first_line(said.decision),
            ", by ", Label("name", said.actor), Label("dim", f", {_when(said.at)}"),
        ]  # fmt: skip
        alone = [key for key, _ in record.entries if key in pasts[decision.id] - common]
        seen = [f"{type_name(record[key])} {key[:SHOWN_DIGITS]} by {record[key].actor}" for key in alone]
        yield f"        saw alone: {', '.join(seen) or 'nothing'}"
    yield from (f"    {_short(reference)}, in another record" for reference in record.successors)
    heads = [*(decision.id for decision in record.live), *record.successors]
    named = "".join(f" --replaces {_short(head)}" for head in heads)
    yield f"    settle it: git decide supersede {record.name} OUTCOME TEXT -m WHY{named}"
    yield ""


def _closing(record: DecisionRecord, fast_accept: timedelta, today: str | None) -> Iterator[Line]:
    if record.tally:
        yield "votes: " + ", ".join(f"{count} {stance}" for stance, count in record.tally.items())
    for warning in warnings(record, fast_accept, today):
        yield [Label("notice", "warning: "), warning]
    if record.signed:
        yield Label("dim", "Signatures were checked: names are claims only of actors without a key.")
    else:
        yield Label("dim", "Names are claims: no signature was checked.")


def _entry(record: DecisionRecord, filed: Filed[Entry | Unknown], states: States) -> Iterator[Line]:
    """What one entry says, with a line for who says it."""
    entry_id, entry = filed
    yield [
        Label("dim", entry_id[:SHOWN_DIGITS]), " ", Label("bold", type_name(entry)), " by ",
        Label("name", entry.actor), Label("dim", f", {_when(entry.at)}"), *_mark(record, filed),
    ]  # fmt: skip
    yield from _said(entry, states)
    if isinstance(entry, Decision):
        yield from (f"    {line}" for line in provenance.lines(record, Filed(entry_id, entry)))


def _mark(record: DecisionRecord, filed: Filed[Entry | Unknown]) -> Iterator[str]:
    """What became of an entry."""
    if isinstance(filed.entry, Decision):
        by = record.replacements.get(filed.id)
        if by:
            yield Label("dim", f"  [superseded by {', '.join(map(_short, by))}]")
            return
    if getattr(filed.entry, "imported", None):
        yield Label("dim", "  [imported]")
    elif isinstance(filed.entry, Vote) and filed not in record.votes:
        yield Label("dim", "  [replaced by a later vote]")


def _said(entry: Entry | Unknown, states: States) -> Iterator[Line]:
    if isinstance(entry, Vote | Check | Decision) and entry.imported:
        yield from _field("said by", entry.imported.by)
    match entry:
        case Vote():
            yield from _field(entry.stance, entry.reason)
            yield from _read(entry.read, states)
            yield from _list("not checked", entry.not_checked)
            yield from _field("model", entry.model)
        case Check():
            yield from _check(entry)
        case Challenge():
            yield from _field(entry.severity or "claim", entry.claim)
            yield from _field("against", entry.target[:SHOWN_DIGITS])
            yield from _read(entry.read, states)
        case Answer():
            yield from _field(entry.outcome, entry.reason)
            yield from _field("to", entry.to[:SHOWN_DIGITS])
            yield from _read(entry.read, states)
        case Decision():
            yield from _decision(entry, states)
        case Confirm() | Replaced():
            yield from _field("decision", entry.decision[:SHOWN_DIGITS])
            yield from _field("by", entry.by if isinstance(entry, Replaced) else None)
        case Turn():
            yield from _field(entry.verb, entry.headline)
            yield from _turn(entry)
        case Close():
            yield from _field("reason", entry.reason)
        case Proposal():
            yield from _field("title", entry.title)
            yield from _field("branch", entry.branch)
            yield from _field("on", entry.base[:SHOWN_DIGITS])
            yield from _field("made by", entry.command_line or None)
        case Unproved():
            yield from _field("does not count", entry.reason)
        case Unknown():
            yield from _field("unknown", "an entry that a newer git-decide wrote")


def _turn(turn: Turn) -> Iterator[Line]:
    if turn.quoted:
        yield from _field("said by", f"{turn.quoted.speaker}, in round {turn.quoted.round}")
    yield from _field("role", turn.role)
    yield from _field("body", turn.body)
    yield from _field("position", turn.position)
    for given in turn.gave_up:
        yield from _field("gave up", given)
    yield from _field("signs", turn.signs)
    for move in turn.ledger:
        said = move.title or move.reason
        yield from _field("ledger", f"{move.issue} {move.state}" + (f": {said}" if said else ""))
    if turn.ledger_omitted:
        yield "    leaves the ledger out"


def _conversation(record: DecisionRecord) -> Iterator[Line]:
    """What became of a conversation: each side's ledger, and what the detectors saw."""
    if not any(isinstance(entry, Turn) for _, entry in record.entries):
        return
    from gitdecide.entries.conversation import folded, state

    conversation = folded(record) if record.of(Question) else None
    if conversation is None or not conversation.talk.steps:
        return
    yield f"conversation of {' and '.join(conversation.sides)}: {state(record)}"
    for side in conversation.sides:
        for key, issue in conversation.ledgers.of(side).items():
            reason = f" ({_first_line(issue.reason)})" if issue.reason else ""
            yield f"    {side} {key} [{issue.state}] {_first_line(issue.title)}{reason}"
    for firing in conversation.fired:
        yield [Label("notice", f"{firing.detector}: "), firing.text()]
    yield ""


def _check(check: Check) -> Iterator[Line]:
    code = f" (exit {check.exit_code})" if check.exit_code is not None else ""
    how = ", as reported" if check.source == "reported" and check.command else ""
    codes = (("holds on", check.holds_on), ("fails on", check.fails_on))
    read = "".join(f", {word} {', '.join(map(str, given))}" for word, given in codes if given)
    yield ["    ", Label(RESULT_COLORS.get(check.result, "notice"), check.result), f"{code}{how}{read}"]
    yield from _field("premise", check.premise)
    yield from _field("command", check.command_line or None)
    yield from _field("note", check.note)
    if check.commit:
        state = {True: ", clean", False: ", with uncommitted changes", None: ""}[check.clean]
        yield from _field("at", check.commit[:SHOWN_DIGITS] + state)


def _decision(decision: Decision, states: States) -> Iterator[Line]:
    yield from _field(decision.outcome, decision.decision)
    yield from _field("why", decision.reason)
    yield from _field("rationale", decision.rationale)
    yield from _field("despite", decision.despite)
    yield from _field("dissent", decision.dissent)
    yield from _list("check", map(_short, decision.checks))
    yield from _list("backed by", map(_short, decision.backed_by))
    yield from _list("answers", map(_short, decision.answers))
    yield from _list("supersedes", map(_short, decision.supersedes))
    yield from _list("governs", decision.governs)
    yield from _field("review by", decision.review_by)
    if decision.read or not decision.backed_by:
        yield from _read(decision.read, states)
    if decision.changes_code:
        yield "    changes code"


def _read(read: Iterable[Evidence], states: States) -> Iterator[Line]:
    things = [
        describe(evidence)
        + (" (working tree)" if evidence.worktree else "")
        + (f" [{states[evidence]}]" if evidence in states else "")
        for evidence in read
    ]
    yield from _list("read", things or ["nothing"])


def _list(word: str, values: Iterable[str]) -> Iterator[Line]:
    if text := ", ".join(values):
        yield from _field(word, text)


def _field(word: str, text: str | None) -> Iterator[Line]:
    if text is not None:
        first, *more = text.rstrip("\n").split("\n")
        yield [f"    {word}: ", first]
        yield from _indented(more)


def _indented(more: Iterable[str]) -> Iterator[Line]:
    """Further lines of a text, so far in that they cannot pass for lines of ours."""
    return (f"        {line}" for line in more)


def _status(record: DecisionRecord) -> Label:
    return Label(STATUS_COLORS.get(record.status, "dim"), record.status)


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _short(reference: str) -> str:
    name, colon, entry_id = reference.rpartition(":")
    return f"{name}{colon}{entry_id[:SHOWN_DIGITS]}"


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0]
