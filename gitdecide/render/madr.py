"""A record as a Markdown file of MADR 4: https://github.com/adr/madr/blob/4.0.0/template/adr-template.md

What `import madr` reads of such a file comes out of it again, byte for byte.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from gitdecide.entries import document
from gitdecide.entries.evidence import describe
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Check, Decision, Imported, Question, Vote
from gitdecide.output import Line
from gitdecide.render import provenance
from gitdecide.render.record_json import in_force
from gitdecide.render.untrusted_markdown import block, line

STATUSES: Final = {"adopt": "accepted", "reject": "rejected", "defer": "deferred"}
CONTEXT: Final = "Context and Problem Statement"
MORE: Final = "More Information"

MARKDOWN: Final = ("adr-tools", "log4brains", "madr")
"""The formats of imports whose texts are Markdown."""

_PART: Final = re.compile(r"(#{2,3}) (.*)")
_CLOSING: Final = re.compile(r"(?<=\s)(#+)$")
_NUMBERED: Final = re.compile(r"^(\d+)\.(?=\s)")


def lines(record: DecisionRecord) -> Iterator[Line]:
    """The file. Raises Damaged for a record without a question."""
    question = record.question.entry
    decided = in_force(record)
    if fields := front_matter(record, decided):
        yield from ("---", *document.lines(fields), "---", "")
    yield f"# {_title(question)}"
    for part in _parts(record, question, decided):
        yield ""
        yield from part.split("\n")


def front_matter(record: DecisionRecord, decided: Filed[Decision] | None) -> dict[str, Any]:
    """The fields that MADR knows: of an import as they came, unless it was decided anew here."""
    question = record.question.entry
    entry = decided.entry if decided else None
    fields: dict[str, Any]
    if origin := (entry or question).imported:
        fields = {"status": origin.status, "date": origin.date, "decision-makers": list(origin.deciders)}
    else:
        fields = {
            "status": _status(record, entry),
            "date": (entry or question).at[:10],
            "decision-makers": [entry.actor] if entry else [],
        }
    for role in ("consulted", "informed"):
        fields[role] = [person.actor for person in question.participants if person.role == role]
    return {key: value for key, value in fields.items() if value}


def _status(record: DecisionRecord, decision: Decision | None) -> str:
    if record.contested or record.status == "closed":
        return record.status
    if record.successors:
        return f"superseded by {record.successors[0].partition(':')[0]}"
    return STATUSES[decision.outcome] if decision else "proposed"


def _title(question: Question) -> str:
    """The question on one line, in a form that no reader takes apart."""
    if _is_markdown(question.imported):
        return question.question
    return _NUMBERED.sub(r"\1\\.", _CLOSING.sub(r"\\\1", line(question.question)))


def _parts(record: DecisionRecord, question: Question, decided: Filed[Decision] | None) -> Iterator[str]:
    """The sections, those that an import brought among them."""
    raw = _is_markdown(question.imported)
    texts = [text if raw else block(text.strip()) for text in question.context if text.strip()]
    titled = {text: match for text in texts if raw and (match := _PART.match(text))}
    if plain := [text for text in texts if text not in titled]:
        yield "\n\n".join([f"## {CONTEXT}", *plain])
    drivers = [text for text, match in titled.items() if match[2] == "Decision Drivers"]
    yield from drivers
    if question.options:
        items = [f"* {option if raw else line(option)}" for option in question.options]
        yield "\n\n".join(["## Considered Options", "\n".join(items)])
    if decided:
        yield f"## Decision Outcome\n\n{_outcome(decided.entry)}"
    under = [text for text, match in titled.items() if match[1] == "###"]
    yield from under
    others = [text for text in titled if text not in (*drivers, *under)]
    if (decided.entry if decided else question).imported:
        yield from others
        return
    more = [text for text in others if titled[text][2] == MORE]
    yield from (text for text in others if text not in more)
    yield from _evidence(record, decided, "\n\n".join(more) or f"## {MORE}")


def _outcome(decision: Decision) -> str:
    """One line as the chosen option with its reason; a longer text as it is."""
    raw = _is_markdown(decision.imported)
    said, why = decision.decision.strip(), (decision.rationale or decision.reason or "").strip()
    reason = why if raw else block(why)
    if "\n" in said or '"' in said:
        text = said if raw else block(said)
        return f"{text}\n\n### Rationale\n\n{reason}" if why else text
    chosen = f'Chosen option: "{said if raw else line(said)}"'
    return f"{chosen}, because {reason}" if why else chosen


def _is_markdown(origin: Imported | None) -> bool:
    """True for what was a page already: nothing in it is taken for text of a page of ours."""
    return origin is not None and origin.format in MARKDOWN


def _evidence(record: DecisionRecord, decided: Filed[Decision] | None, more: str) -> Iterator[str]:
    """What a decision of ours rests on: checks as the confirmation, and below `more` who said what."""
    named = decided.entry.checks if decided else ()
    checks = [check.entry for check in record.of(Check) if check.id in named]
    if checks:
        yield "\n\n".join(["### Confirmation", "\n".join(map(checked, checks))])
    told = [f"* git-decide: {record.name}"]
    told += [f"* {line(each)}" for each in (provenance.lines(record, decided) if decided else ())]
    told += [voted(vote.entry) for vote in record.of(Vote)]
    told += [f"* read for the decision: {_read(decided.entry)}"] if decided and decided.entry.read else []
    told += [f"* {line(each)}" for each in record.question.entry.links]
    yield "\n\n".join([more, "\n".join(told)])


def checked(check: Check) -> str:
    """A check as an item of a list."""
    code = "" if check.exit_code is None else f" (exit {check.exit_code})"
    how = ", as reported" if check.source == "reported" else ""
    return f"* {check.result}{code}{how}: {line(check.command_line or check.note or '')}"


def voted(vote: Vote) -> str:
    """A vote as an item of a list, with what was read before it."""
    by = (vote.imported and vote.imported.by) or vote.actor
    return f"* {vote.stance} by {line(by)}: {line(vote.reason)} (read: {_read(vote)})"


def _read(entry: Vote | Decision) -> str:
    return line(", ".join(map(describe, entry.read))) or "nothing"
