"""The commit message of an entry, so that `git log` of the log reads as a story."""

from collections.abc import Sequence
from typing import Final

from gitdecide.entries.annotation import written
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import (
    Actor,
    Answer,
    Challenge,
    Check,
    Close,
    Confirm,
    Decision,
    Entry,
    Proposal,
    Question,
    Turn,
    Vote,
    type_name,
)
from gitdecide.output import visible

SUBJECT_LENGTH: Final = 100


def message(record: RecordName | None, entry: Entry) -> str:
    """A subject such as `DR-007 vote: inform by staff`, and what the entry says as the body."""
    about, body = _told(entry)
    subject = f"{record.short + ' ' if record else ''}{type_name(entry)}: {about} by {entry.actor}"
    parts = [_one_line(subject, entry.actor), *(_lines(text) for text in body if text)]
    return "\n\n".join(parts) + "\n"


def _told(entry: Entry) -> tuple[str, Sequence[str | None]]:
    match entry:
        case Question():
            return entry.question, tuple(entry.context)
        case Vote():
            return entry.stance, (entry.reason,)
        case Check():
            code = "" if entry.exit_code is None else f" (exit {entry.exit_code})"
            return f"{entry.result}{code}", (
                entry.premise,
                f"$ {entry.command_line}" if entry.command else None,
                entry.note,
            )
        case Challenge():
            return entry.severity or f"of {entry.target[:8]}", (entry.claim,)
        case Answer():
            return f"{entry.outcome} {entry.to[:8]}", (entry.reason,)
        case Decision():
            why = [text for text in (entry.reason, entry.rationale) if text]
            despite = entry.despite and f"Despite a check that fails: {entry.despite}"
            of = entry.settled
            label = written(of.label, of.over, of.because) if of else None
            return entry.outcome, [entry.decision, label, *why, despite]
        case Turn():
            return entry.verb, (entry.headline, entry.body)
        case Confirm():
            return f"of {entry.decision[:8]}", ()
        case Proposal():
            return entry.branch, (entry.title, f"$ {entry.command_line}" if entry.command else None)
        case Close():
            return "no more turns", (entry.reason,)
        case Actor():
            return f"{entry.name} is {'an agent' if entry.kind == 'agent' else 'a human'}", ()
        case _:
            return "added", ()


def _one_line(subject: str, actor: str) -> str:
    """The subject on one line, shortened in its middle so that who speaks stays."""
    line = visible(" ".join(subject.split()))
    by = f" by {visible(actor)}"
    if len(line) <= SUBJECT_LENGTH:
        return line
    return line[: max(20, SUBJECT_LENGTH - len(by) - 1)].rstrip() + "…" + by


def _lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.strip().split("\n"))
