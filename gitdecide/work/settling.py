"""A label as it is said, made to fit the record that it joins."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from gitdecide.entries.names import is_prefix
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Settled, Turn
from gitdecide.errors import NotFound, UsageError
from gitdecide.formats.foreign import ForeignRecord
from gitdecide.rules.context import Refusal, Refused
from gitdecide.rules.settling import folded
from gitdecide.work.identity import actor_name

Class = Literal["user-directed", "user-approved"]


def label(
    record: DecisionRecord,
    settled: Class | None,
    over: str | None,
    because: str | None,
    by: str | None,
    said: str | None,
) -> Settled | None:
    """The label of a decision, its alternative as the record spells it. Raises UsageError for half a one."""
    if settled is None:
        if any(value is not None for value in (over, because, by, said)):
            raise UsageError("--over, --because, --by and --said belong to --settled")
        return None
    if over is None:
        raise UsageError(
            "--settled names the alternative that was not chosen: --over ALTERNATIVE",
            hint="without one it is a directive: git decide ask --directive",
        )
    if because is None or len(because.strip().splitlines()) != 1:
        raise UsageError("--settled gives its reason on one line: --because REASON")
    person = None if by is None else actor_name(by)
    return Settled(
        label=settled,
        over=_alternative(record, over),
        because=because.strip(),
        by=person,
        said=said,
    )


def arriving(foreign: ForeignRecord) -> Iterator[tuple[ForeignRecord, str]]:
    """A record that arrives with a label, then with a lesser one and with none, and what each has lost.

    The first that the rules admit is taken: nothing becomes a person's choice by being imported.
    """
    yield foreign, ""
    if settled := foreign.settled:
        if settled.label == "user-directed":
            approved = msgspec.structs.replace(settled, label="user-approved")
            yield msgspec.structs.replace(foreign, settled=approved), "; only user-approved"
        bare = {"topic": foreign.decision or foreign.topic, "decision": None, "settled": None, "options": ()}
        yield msgspec.structs.replace(foreign, directive=True, **bare), "; a directive: its label is nobody's"


def labelled(record: DecisionRecord, typed: str | None) -> str:
    """The decision that is confirmed: the one named, else the newest that awaits it. Raises Refused."""
    if typed is not None:
        return record.find(typed)
    settled = [decision for decision in record.settled if record.awaits(decision)] or record.settled
    if not settled:
        nothing = f"{record.name} has no settled decision to confirm"
        raise Refused([Refusal("R7", nothing, "git decide brief lists them")])
    return settled[-1].id


def attacked(record: DecisionRecord, typed: str | None) -> str:
    """The decision that a conflict is with: the one named, else the one that stands. Raises NotFound."""
    if typed is not None:
        return record.find(typed)
    standing = record.live or record.settled
    if not standing:
        objection = f"git decide challenge {record.name} CLAIM objects to what is not decided yet"
        raise NotFound(f"{record.name} has no decision that stands", hint=objection)
    if len(standing) > 1:
        listed = f"git decide show {record.name} lists them"
        raise NotFound(f"{record.name} is contested: name the decision with --target", hint=listed)
    return standing[0].id


def _alternative(record: DecisionRecord, typed: str) -> str:
    """An option in its own words, the whole id of a challenge or a turn, else what was typed."""
    for option in record.question.entry.options:
        if folded(option) == folded(typed):
            return option
    if is_prefix(typed):
        try:
            found = record.find(typed)
        except NotFound:
            return typed
        return found if isinstance(record[found], Challenge | Turn) else typed
    return typed
