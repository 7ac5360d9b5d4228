"""The evidence record: one JSON object a line, in the shape that its readers know.

Question, vote, check and decision have the fields of "A yes vote that does not say what it read is not
evidence"; every value is a string, a number or a list of strings where that document has one. Other entries
are left out, and so are checks that do not apply: a reader would take a missing exit code for a failure.
"""

from collections.abc import Iterator
from typing import Any

from gitdecide.entries.evidence import describe
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Decision, Entry, Evidence, Question, Vote
from gitdecide.output import Line


def lines(record: DecisionRecord, ids: dict[str, str] | None = None) -> Iterator[Line]:
    """The records of a decision record; `ids` goes on counting d1, d2, … over several of them."""
    import json

    ids = {} if ids is None else ids
    for entry_id, entry in record.entries:
        if isinstance(entry, Question | Vote | Check | Decision) and not _inapplicable(entry):
            ids[entry_id] = f"d{len(ids) + 1}"
            fields = {"id": ids[entry_id], **_fields(entry, ids), **_when(entry)}
            text = json.dumps(fields, ensure_ascii=True)
            yield text.replace("\x7f", "\\u007f")  # the one control character that JSON leaves raw


def _inapplicable(entry: Entry) -> bool:
    return isinstance(entry, Check) and entry.result == "not_applicable"


def _when(entry: Question | Vote | Check | Decision) -> dict[str, str]:
    """The time as it was said where the entry was made; an import that did not say it has none."""
    at = entry.imported.date if entry.imported else entry.at
    return {} if at is None else {"ts": at}


def _speaker(entry: Vote | Decision) -> str:
    """Whose word it is: of an import the one who is quoted."""
    origin = entry.imported
    return (origin and (origin.by or ", ".join(origin.deciders))) or entry.actor


def _fields(entry: Question | Vote | Check | Decision, ids: dict[str, str]) -> dict[str, Any]:
    match entry:
        case Question():
            return {
                "type": "question",
                "job": entry.job or "",
                "question": entry.question,
                "context": list(entry.context),
            }
        case Vote():
            return {
                "type": "vote",
                "qid": ids.get(entry.qid),
                "agent": _speaker(entry),
                "stance": entry.stance,
                "reason": entry.reason,
                "read": _read(entry.read),
                "verified": entry.verified,
            }
        case Check():
            return {
                "type": "check",
                "qid": ids.get(entry.qid),
                "command": entry.command_line,
                "exit_code": entry.exit_code,
                "result": entry.result,
                "note": entry.note or entry.premise or "",
            }
        case Decision():
            return _decision(entry, ids)


def _decision(entry: Decision, ids: dict[str, str]) -> dict[str, Any]:
    prefix = f"{entry.outcome}: "
    text = entry.decision if entry.decision.startswith(prefix) else prefix + entry.decision
    fields: dict[str, Any] = {
        "type": "decision",
        "qid": ids.get(entry.qid),
        "decider": _speaker(entry),
        "decision": text,
    }
    if entry.reason:
        fields["reason"] = entry.reason
    if entry.read:
        fields["read"] = _read(entry.read)
    fields["check"] = next((ids[check] for check in entry.checks if check in ids), None)
    fields["supersedes"] = next((ids[old] for old in entry.supersedes if old in ids), None)
    return fields


def _read(read: tuple[Evidence, ...]) -> list[str]:
    return [describe(evidence) for evidence in read]
