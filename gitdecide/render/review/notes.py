"""What stands against a decision, in words that need no knowledge of the log."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from gitdecide.entries.evidence import describe
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Day, Decision
from gitdecide.render.review.facts import Note, NoteKind, Objection, Premise, Reading, Ruling, Voice
from gitdecide.rules.warnings import idle, overdue

NAMED: Final = 5
"""How many paths a note names."""


def notes(
    record: DecisionRecord,
    rulings: tuple[Ruling, ...],
    votes: tuple[Voice, ...],
    objections: tuple[Objection, ...],
    fast: timedelta,
    today: Day | None,
) -> Iterator[Note]:
    """One for each thing that a reviewer should look at, the gravest first."""
    blocking = {conflict.id for conflict in record.blocking}
    standing = {conflict.id for conflict in record.conflicts}
    for objection in objections:
        if objection.severity:
            yield from _conflict(
                objection, blocking=objection.id in blocking, stands=objection.id in standing
            )
        else:
            yield from _challenge(objection, record)
        yield from _fast(objection, fast)
    for conflict in record.conflicts:
        yield from (_note("conflict", said) for said in idle(conflict, record))
    for ruling in rulings:
        yield from _decided(ruling, record, today)
    for vote in votes:
        if vote.stance == "support_unverified" and vote.quoted is None:
            yield _note("unverified", f"{vote.actor} supports it and read nothing: that vote does not count")
    for group in record.echoes:
        names = " and ".join(sorted({vote.entry.actor for vote in group}))
        said = f"{names} are the same model, read the same and say the same"
        yield _note("echo", f"{said}: one voice, not {len({vote.entry.actor for vote in group})}")
    for entry_id, entry in record.unproved:
        yield _note(
            "does-not-count",
            f"the {entry.type} {entry_id[:8]} by {entry.actor} does not count: {entry.reason}",
        )
    if record.directive and not record.objections:
        yield _note("directive", "somebody asserted this choice, and nobody has challenged it yet")


def _conflict(objection: Objection, *, blocking: bool, stands: bool) -> Iterator[Note]:
    if stands:
        effect = "It blocks the decision." if blocking else "The decision stands, with this against it."
        said = f"{objection.actor}, who read {_things(objection.read)}, says that evidence stands against it"
        yield _note("conflict", f"{said} ({objection.severity}): “{objection.claim}” {effect}")


def _challenge(objection: Objection, record: DecisionRecord) -> Iterator[Note]:
    if objection.answers:
        return
    what = "the one challenge to this directive" if record.directive else "this challenge"
    said = f"{objection.actor}, who read {_things(objection.read)}, says “{objection.claim}”"
    yield _note("unanswered", f"nobody answered {what}: {said}")


def _fast(objection: Objection, limit: timedelta) -> Iterator[Note]:
    for answer in objection.answers:
        if answer.seconds <= limit.total_seconds():
            after = f"{answer.seconds} s after {objection.actor} made it"
            what = f"{answer.actor} answered a challenge {after} ({answer.outcome})"
            yield _note("fast", f"{what}, too soon to have looked: “{objection.claim}”")


def _decided(ruling: Ruling, record: DecisionRecord, today: Day | None) -> Iterator[Note]:
    decision = record[ruling.id]
    if not isinstance(decision, Decision):
        return
    yield from _over(ruling, decision, record)
    for check in ruling.checks:
        yield from _check(check)
    if decision.despite:
        yield _note("despite", f"{ruling.actor} adopted it over a check that fails: “{decision.despite}”")
    if decision.dissent:
        yield _note("dissent", f"said against it: “{decision.dissent}”")
    if person := next((record.awaits(each) for each in record.of(Decision) if each.id == ruling.id), None):
        yield _note("unconfirmed", f"it is said to be {person}'s choice, and {person} has not confirmed it")
    if today and overdue(decision, today):
        yield _note("review-by", f"it was to be looked at again by {decision.review_by}")


def _over(ruling: Ruling, decision: Decision, record: DecisionRecord) -> Iterator[Note]:
    """Opposition of somebody who read something, and that the decision does not answer."""
    if decision.outcome == "reject":
        return
    for vote in record.before(ruling.id).votes:
        if vote.entry.stance == "oppose" and vote.entry.verified and vote.id not in decision.answers:
            things = ", ".join(map(describe, vote.entry.read))
            who = f"{vote.entry.actor}, who read {things}, opposed it, and the decision does not answer"
            yield _note("opposition", f"{who}: “{vote.entry.reason}”")


def _check(check: Premise) -> Iterator[Note]:
    asked = f"“{check.premise or check.command}”"
    if check.quoted is not None:
        yield _note("check", f"its premise was tested elsewhere, if at all, and that does not count: {asked}")
    elif check.result == "fails":
        yield _note("check", f"its premise does not hold: {asked}")
    elif check.result != "holds":
        yield _note("check", f"its premise was not answered ({check.result}): {asked}")
    elif check.source == "reported":
        yield _note(
            "check", f"{check.actor} reported that its premise holds; git-decide did not see it run: {asked}"
        )
    elif check.clean is False:
        yield _note("check", f"its premise was tested with changes that nobody had committed: {asked}")
    if check.again and check.again.result != check.result:
        code = "" if check.again.exit_code is None else f", exit {check.again.exit_code}"
        answered = check.again.result in ("holds", "fails")
        was = f"run again now, its premise answers {check.again.result}{code}, and was {check.result}"
        yield _note("recheck" if answered else "check", f"{was}: {asked}")


def stale(readings: Iterator[tuple[str, Reading]]) -> Iterator[Note]:
    """One for each path that is no longer what somebody read, with who did."""
    readers: dict[tuple[str, str | None], dict[str, None]] = {}
    for actor, reading in readings:
        if reading.stale:
            readers.setdefault((reading.what, reading.state), {})[actor] = None
    for (what, state), actors in readers.items():
        now = "is gone" if state == "gone" else state
        yield _note("stale", f"{what} {now}: it is no longer what {' and '.join(actors)} read")


def unread(paths: list[str]) -> Note:
    """What the commits change and nobody looked at."""
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    said = f"nobody who spoke here read what is changed: {', '.join(paths[:NAMED])}{more}"
    return _note("unread", said)


def _things(read: tuple[Reading, ...]) -> str:
    return ", ".join(each.what for each in read) or "nothing"


def _note(kind: NoteKind, text: str) -> Note:
    return Note(kind=kind, text=text)
