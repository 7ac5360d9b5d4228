"""A decision as it is said, made to fit the record that it joins."""

from collections.abc import Callable, Sequence
from typing import Any

from gitdecide.entries.names import split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Decision, Outcome
from gitdecide.errors import NotFound
from gitdecide.rules.context import Refusal, Refused
from gitdecide.rules.deciding import backing_votes
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.settling import Class, label


def decided(
    record: DecisionRecord,
    outcome: Outcome,
    *,
    checks: Sequence[str],
    answers: Sequence[str],
    changes_code: bool | None,
    supersedes: Sequence[str] = (),
    settled: Class | None = None,
    over: str | None = None,
    because: str | None = None,
    by: str | None = None,
    said: str | None = None,
    **fields: Any,
) -> Decision:
    """A decision of this record: prefixes made ids, and what the record implies filled in.

    Adoption is taken to change code; checks of the decisions it replaces are kept unless new ones are named.
    Raises NotFound for what the record does not hold.
    """
    named = [_check(record, typed) for typed in checks]
    kept = [check for key in supersedes if key in record for check in _checks_of(record, key)]
    return Decision(
        outcome=outcome,
        changes_code=outcome == "adopt" if changes_code is None else changes_code,
        checks=tuple(dict.fromkeys(named or kept)),
        backed_by=tuple(vote.id for vote in backing_votes(outcome, record)),
        answers=tuple(dict.fromkeys(record.find(typed) for typed in answers)),
        supersedes=tuple(supersedes),
        settled=label(record, settled, over, because, by, said),
        **fields,
    )


def replaced(
    record: DecisionRecord, named: Sequence[str], snapshot: Callable[[], Snapshot]
) -> tuple[str, ...]:
    """What a superseding decision replaces: the one live decision, and what --replaces names.

    Raises Refused when that is nothing, NotFound for a name of nothing.
    """
    references = [_reference(record, typed, snapshot) for typed in named]
    live = [decision.id for decision in record.live]
    if len(live) == 1:
        references = [*live, *references]
    if not references and not live:
        by = record.successors
        hint = f"it was replaced by {', '.join(by)}" if by else f"git decide bind {record.name} OUTCOME TEXT"
        raise Refused([Refusal("R4", f"{record.name} has no decision to supersede", hint)])
    return tuple(dict.fromkeys(references))


def _reference(record: DecisionRecord, typed: str, snapshot: Callable[[], Snapshot]) -> str:
    name, prefix = split_reference(typed)
    if name is None:
        return record.find(prefix)
    view = snapshot()
    other = view.record(view.resolve(name))
    entry_id = other.find(prefix)
    return entry_id if other.name == record.name else f"{other.name}:{entry_id}"


def _check(record: DecisionRecord, typed: str) -> str:
    if typed != "last":
        return record.find(typed)
    checks = record.of(Check)
    if not checks:
        raise NotFound(f"{record.name} has no check", hint=f"git decide check {record.name} -- COMMAND")
    return checks[-1].id


def _checks_of(record: DecisionRecord, decision_id: str) -> Sequence[str]:
    decision = record[decision_id]
    return decision.checks if isinstance(decision, Decision) else ()
