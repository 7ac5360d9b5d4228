"""The evidence record: one JSON object a line, a question, vote, check or decision.

As "A yes vote that does not say what it read is not evidence" describes it, and `export jsonl` writes it.
Each line is taken or refused for itself.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from gitdecide.entries.evidence import split_scheme
from gitdecide.entries.types import Evidence, ExitCode, Result, Stance, Text
from gitdecide.formats import strict_json
from gitdecide.formats.decision_json import outcome_of
from gitdecide.formats.foreign import Follower, ForeignRecord, Unreadable

MAX_LINE: Final = 1024 * 1024
"""Bytes of the longest line that is looked at: no entry is nearly as large."""

TYPES: Final = ("question", "vote", "check", "decision")

_ID: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

OptionalText = str | None


class _Question(Struct, frozen=True):
    id: Text
    question: Text
    job: OptionalText = None
    context: tuple[str, ...] = ()
    ts: OptionalText = None


class _Vote(Struct, frozen=True):
    id: Text
    qid: Text
    agent: Text
    stance: Stance
    reason: Text
    read: tuple[Text, ...] = ()
    ts: OptionalText = None


class _Check(Struct, frozen=True):
    id: Text
    qid: Text
    command: Text
    exit_code: ExitCode | None = None
    result: Literal["holds", "fails", "inconclusive"] | None = None
    note: OptionalText = None
    ts: OptionalText = None


class _Decision(Struct, frozen=True):
    id: Text
    qid: Text
    decider: Text
    decision: Text
    reason: OptionalText = None
    read: tuple[Text, ...] = ()
    check: Text | None = None
    supersedes: Text | None = None
    ts: OptionalText = None


Line = ForeignRecord | Follower | Unreadable


def read(data: bytes) -> Sequence[Line]:
    """What each line holds, or why nothing; lines of blanks are none."""
    lines = enumerate(data.split(b"\n"), 1)
    return [_line(text.removesuffix(b"\r"), number) for number, text in lines if text.strip()]


def _line(text: bytes, number: int) -> Line:
    try:
        return _record(text, number)
    except Unreadable as error:
        return Unreadable(error.message, number)


def _record(text: bytes, number: int) -> Line:
    if len(text) > MAX_LINE:
        raise Unreadable(f"larger than {MAX_LINE // 1024} KiB")
    if text.lstrip().startswith((b"```", b"~~~")):
        raise Unreadable("not JSON: a fence of Markdown")
    given = strict_json.parse(text)
    if not isinstance(given, dict):
        raise Unreadable(f"not an object, but a {type(given).__name__}")
    kind = given.get("type")
    try:
        match kind:
            case "question":
                return _question(msgspec.convert(given, _Question), text, number)
            case "vote":
                return _vote(msgspec.convert(given, _Vote), text, number)
            case "check":
                return _check(msgspec.convert(given, _Check), text, number)
            case "decision":
                return _decision(msgspec.convert(given, _Decision), text, number)
    except msgspec.ValidationError as error:
        raise Unreadable(strict_json.misfit(error)) from None
    said = f"not {kind!a}" if "type" in given else "and it is missing"
    raise Unreadable(f"type: one of {', '.join(TYPES)} is needed, {said}")


def _question(said: _Question, text: bytes, number: int) -> ForeignRecord:
    return ForeignRecord(
        topic=said.question,
        id=said.id,
        job=_text(said.job),
        context=said.context,
        date=_text(said.ts),
        line=number,
        source=text,
    )


def _vote(said: _Vote, text: bytes, number: int) -> Follower:
    fields = {"stance": said.stance, "reason": said.reason, "read": _read(said.read)}
    if said.stance == "support" and not said.read:
        fields["stance"] = "support_unverified"
    return _follower(said, "vote", said.agent, fields, text, number)


def _check(said: _Check, text: bytes, number: int) -> Follower:
    result: Result = said.result or ("inconclusive" if said.exit_code is None else _answer(said.exit_code))
    fields = {
        "command": said.command,
        "exit_code": said.exit_code,
        "result": result,
        "source": "reported",
        "note": _text(said.note),
    }
    return _follower(said, "check", None, fields, text, number)


def _answer(exit_code: int) -> Result:
    """What an exit code says, as `git decide check` takes it."""
    return {0: "holds", 1: "fails"}.get(exit_code, "inconclusive")  # type: ignore[return-value]


def _decision(said: _Decision, text: bytes, number: int) -> Follower:
    outcome = outcome_of(said.decision)
    fields = {
        "outcome": outcome,
        "decision": _text(said.decision.removeprefix(f"{outcome}: ")) or said.decision,
        "reason": _text(said.reason),
        "read": _read(said.read),
        "changes_code": False,
    }
    follower = _follower(said, "decision", said.decider, fields, text, number)
    return msgspec.structs.replace(follower, check=said.check, supersedes=said.supersedes)


def _follower(
    said: _Vote | _Check | _Decision,
    kind: str,
    by: str | None,
    fields: dict[str, Any],
    text: bytes,
    number: int,
) -> Follower:
    return Follower(
        id=said.id,
        qid=said.qid,
        line=number,
        source=text,
        type=kind,
        by=by,
        date=_text(said.ts),
        fields=fields,
    )


def _read(texts: tuple[str, ...]) -> tuple[Evidence, ...]:
    return tuple(_evidence(text) for text in texts)


def _evidence(text: str) -> Evidence:
    """A reading as its text says; what points into another log or repository is kept as an address."""
    kind, rest = split_scheme(text)
    if kind == "entry" or (kind == "commit" and not _ID.fullmatch(rest)):
        return Evidence(url=text)
    return msgspec.convert({kind: rest}, Evidence)


def _text(text: str | None) -> str | None:
    return text if text and text.strip() else None
