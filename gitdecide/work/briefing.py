"""What a brief must carry: chosen from the records of the log, the most relevant first."""

from collections.abc import Collection, Iterable, Iterator

from gitdecide.entries.annotation import alternative, words_of
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Decision, Question, quoted
from gitdecide.git.run import Git
from gitdecide.render.brief import ORDER, Area, Brief, Carried, Conflict, Directive, Item, Residual, statement
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import holding


def brief(records: Iterable[DecisionRecord], paths: Collection[str], job: str | None) -> Brief:
    """What the records hold; with paths or a job, of those records alone that have to do with them.

    Ordered by kind, then by how much of the paths and the job fits, then the newest first.
    """
    found: list[tuple[tuple[int, int, int, str], int, Item]] = []
    for record in records:
        fit = _fit(record, paths, job)
        if fit or not (paths or job):
            for place, item in enumerate(_items(record)):
                key = (ORDER.index(type(item)), -fit, -record.name.number, str(record.name))
                found.append((key, place, item))
    return Brief([item for *_, item in sorted(found, key=lambda each: each[:2])])


def relevant(git: Git, snapshot: Snapshot) -> list[RecordName]:
    """The records that a brief may have to tell of; the rest is decided, and nobody labelled it."""
    lines = (holding.SETTLED, holding.DIRECTIVE, holding.CONFLICT)
    return sorted(holding.holding(git, snapshot, lines) | holding.unsettled(git, snapshot))


def settled_before(git: Git, snapshot: Snapshot, question: Question) -> Iterator[tuple[RecordName, Carried]]:
    """The settled decisions that stand over the paths, the job or the words of a question.

    Looked for among the newest records alone, so that asking stays as quick as it is.
    """
    names = holding.holding(git, snapshot, [holding.SETTLED], holding.newest(snapshot))
    for record in snapshot.records(sorted(names)) if names else ():
        if not record.damages and record.question.entry.at != question.at and _same_ground(record, question):
            yield from ((record.name, _carried(record, decision)) for decision in record.settled)


def _same_ground(record: DecisionRecord, question: Question) -> bool:
    asked = record.question.entry
    words = words_of(question.question)
    ruled = _governed(record)
    known = [asked.question, *(decision.entry.decision for decision in record.settled)]
    return (
        (question.job is not None and question.job == asked.job)
        or any(
            _around(*pair)
            for path in question.governs
            for spec in ruled
            for pair in ((spec, path), (path, spec))
        )
        or any(words_of(text) in words or words in words_of(text) for text in known)
    )


def covers(record: DecisionRecord, path: str) -> bool:
    """True when a record governs a path, or its decisions rest on it: the path itself, or one around it."""
    standing = (*record.live, *record.settled)
    read = [evidence.path for decision in standing for evidence in decision.entry.read if evidence.path]
    return any(_around(spec, path) or _around(path, spec) for spec in (*_governed(record), *read))


def _governed(record: DecisionRecord) -> list[str]:
    standing = (*record.live, *record.settled)
    return [*record.question.entry.governs, *(spec for each in standing for spec in each.entry.governs)]


def _fit(record: DecisionRecord, paths: Collection[str], job: str | None) -> int:
    same_job = job is not None and record.question.entry.job == job
    return same_job + sum(covers(record, path) for path in paths)


def _around(outer: str, inner: str) -> bool:
    return outer in (".", inner) or inner.startswith(f"{outer.rstrip('/')}/")


def _items(record: DecisionRecord) -> Iterator[Item]:
    name, question = str(record.name), record.question.entry.question
    if record.contested:
        sides = tuple(statement(side.entry.outcome, side.entry.decision) for side in record.live)
        yield Area(name, question, "contested", (*sides, *record.successors), _against(record))
    else:
        yield from (_carried(record, decision) for decision in record.settled)
        if record.directive and not record.settled:
            yield _directive(record)
        elif _undecided(record):
            yield Area(name, question, "open", (), ())
        elif record.blocking and not record.settled:
            yield Area(name, question, "blocked", (), _against(record))
    if record.directive:
        yield from _residual(record)


def _carried(record: DecisionRecord, decision: Filed[Decision]) -> Carried:
    said, settled = decision.entry, decision.entry.settled
    if settled is None:
        raise ValueError(f"{decision.id} carries no label")
    whose = quoted(said)
    own = record.awaits(decision) is None and settled.by is None and whose is None
    return Carried(
        record=str(record.name),
        outcome=said.outcome,
        decision=said.decision,
        label=settled.label,
        over=alternative(settled, record),
        because=settled.because,
        by=said.actor if own else settled.by,
        said=settled.said or (said.decision if own else None),
        imported=whose,
        awaits=record.awaits(decision),
        conflicts=_against(record, decision.id),
    )


def _against(record: DecisionRecord, decision_id: str | None = None) -> tuple[Conflict, ...]:
    """The conflicts with one decision of a record, else with all of its decisions."""
    against = (one.entry for one in record.conflicts if decision_id in (None, one.entry.target))
    return tuple(Conflict(one.severity or "", one.claim, one.actor) for one in against)


def _directive(record: DecisionRecord) -> Directive:
    said = next((decision.entry for decision in record.live), None)
    decision = statement(said.outcome, said.decision) if said else None
    question, spent = record.question.entry.question, bool(record.objections)
    return Directive(str(record.name), question, spent, decision, _against(record))


def _residual(record: DecisionRecord) -> Iterator[Residual]:
    for challenge in record.objections:
        if not record.answers_to(challenge.id):
            yield Residual(str(record.name), challenge.entry.claim, challenge.entry.actor)


def _undecided(record: DecisionRecord) -> bool:
    return record.status in ("open", "imported") and not record.of(Decision)
