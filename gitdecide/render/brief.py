"""A brief: what whoever plans next must carry, and what a validating eye must not be told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from gitdecide.entries import document
from gitdecide.entries.annotation import CARRYING, STANDING_LINE, one_line, written
from gitdecide.entries.types import Outcome

View = Literal["full", "facts", "blind"]
"""Everything; without the reasons, which would anchor; without any marker of what is settled."""


class Conflict(NamedTuple):
    """What stands against a decision."""

    severity: str
    claim: str
    by: str


class Carried(NamedTuple):
    """A settled decision."""

    record: str
    outcome: Outcome
    decision: str
    label: str
    over: str
    because: str
    by: str | None
    said: str | None
    imported: str | None
    """Whose word it is where it was imported."""
    awaits: str | None
    """Whose confirmation the label lacks."""
    conflicts: tuple[Conflict, ...]


class Directive(NamedTuple):
    """What somebody asserted; `decision` is what became of it."""

    record: str
    directive: str
    spent: bool
    decision: str | None
    conflicts: tuple[Conflict, ...]


class Residual(NamedTuple):
    """A challenge of a directive that nobody has answered."""

    record: str
    claim: str
    by: str


class Area(NamedTuple):
    """What is open, or open again; `sides` are the decisions that stand against each other."""

    record: str
    question: str
    state: str
    sides: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


Item = Carried | Directive | Residual | Area


class Brief(NamedTuple):
    """All that is to be carried, the most relevant first."""

    items: Sequence[Item]

    def within(self, words: int, view: View) -> "Brief":
        """As much of it as fits into so many words with the standing line, in its order."""
        left = words - _count(_standing(view))
        kept = []
        for item in self.items:
            cost = _count(_said(item, view))
            if cost <= left:
                kept.append(item)
                left -= cost
        return Brief(kept)


def lines(brief: Brief, view: View) -> Iterator[str]:
    """The brief as text; what actors wrote stays on the line that it begins on."""
    for item in brief.items:
        yield from _said(item, view)
    yield from _standing(view)


def as_yaml(brief: Brief, view: View) -> Iterator[str]:
    """The brief as YAML, in the shape that `import brief` takes."""
    return document.lines(as_data(brief, view))


def as_data(brief: Brief, view: View) -> dict[str, Any]:
    """The brief for programs; nothing stands under a key that has nothing."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for item in brief.items:
        part, fields = _fields(item, view)
        parts.setdefault(part, []).append(
            {key: value for key, value in fields.items() if value not in (None, ())}
        )
    standing = {} if view == "blind" else {"standing": STANDING_LINE}
    return {**parts, **standing}


def statement(outcome: Outcome, decision: str) -> str:
    """A decision in one line: what does not adopt says so."""
    text = one_line(decision)
    return text if outcome == "adopt" or text.startswith(f"{outcome}: ") else f"{outcome}: {text}"


def _said(item: Item, view: View) -> Iterator[str]:
    """What stands for an item; no view hides a conflict."""
    match item:
        case Carried():
            yield from _carried(item, view)
        case Directive() if view == "blind":
            word = "Decision" if item.decision else "Open"
            yield f"{word}: {item.decision or one_line(item.directive)} {_of(item)}"
        case Directive():
            spent = "spent" if item.spent else "not spent"
            outcome = f"; decided: {item.decision}" if item.decision else ""
            yield f"Directive: {one_line(item.directive)} {_of(item)}: its one challenge is {spent}{outcome}"
        case Residual() if view == "blind":
            yield f"Challenge: {one_line(item.claim)} {_of(item)}"
        case Residual():
            yield f"Residual: unanswered challenge by {item.by}: {one_line(item.claim)} {_of(item)}"
        case Area():
            state = "" if item.state == "open" else f"{item.state}: "
            sides = f": {' / '.join(item.sides)}" if item.sides else ""
            yield f"Open: {state}{one_line(item.question)} {_of(item)}{sides}"
    for conflict in () if isinstance(item, Residual) else item.conflicts:
        word = "Challenge" if view == "blind" else f"conflict, {conflict.severity}"
        yield f"  {word}: {one_line(conflict.claim)}, by {conflict.by}"


def _carried(item: Carried, view: View) -> Iterator[str]:
    decision = statement(item.outcome, item.decision)
    if view == "blind":
        yield f"Decision: {decision} {_of(item)}"
    elif view == "facts":
        yield f"{CARRYING} {decision} ({item.label}; rejected: {one_line(item.over)}) {_of(item)}"
    else:
        yield f"{CARRYING} {decision} {written(item.label, item.over, item.because)} {_of(item)}"
    if item.imported is not None and view != "blind":
        yield f"  [imported] said by {one_line(item.imported)}"
    if item.awaits and view != "blind":
        yield f"  not confirmed by {item.awaits}"


def _fields(item: Item, view: View) -> tuple[str, Mapping[str, Any]]:
    """The part of the brief that an item stands in, and what it says there."""
    blind = view == "blind"
    match item:
        case Carried():
            bare = {"decision": statement(item.outcome, item.decision), "record": item.record}
            if blind:
                return "decisions", {**bare, **_against(item, view)}
            label = {"class": item.label, "alternative": one_line(item.over)}
            reason = {"reason": one_line(item.because)} if view == "full" else {}
            person = {"by": item.by, "said": item.said} if view == "full" else {}
            whose = {"imported": item.imported, "not_confirmed_by": item.awaits}
            return "settled", {**bare, **label, **reason, **person, **whose, **_against(item, view)}
        case Directive() if blind:
            part, key = ("decisions", "decision") if item.decision else ("open", "question")
            said = {key: item.decision or one_line(item.directive), "record": item.record}
            return part, {**said, **_against(item, view)}
        case Directive():
            spent = "spent" if item.spent else "not spent"
            said = {"directive": one_line(item.directive), "record": item.record, "challenge": spent}
            return "directives", {**said, "decision": item.decision, **_against(item, view)}
        case Residual():
            part = "challenges" if blind else "residual"
            return part, {"claim": one_line(item.claim), "by": item.by, "record": item.record}
        case Area():
            said = {"question": one_line(item.question), "record": item.record, "state": item.state}
            return "open", {**said, "sides": item.sides, **_against(item, view)}


def _against(item: Carried | Directive | Area, view: View) -> Mapping[str, Any]:
    if view == "blind":
        return {"challenges": tuple(conflict.claim for conflict in item.conflicts)}
    return {"conflicts": tuple(conflict._asdict() for conflict in item.conflicts)}


def _standing(view: View) -> Iterable[str]:
    return () if view == "blind" else (STANDING_LINE,)


def _of(item: Item) -> str:
    return f"[{item.record}]"


def _count(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)


ORDER: Final = (Carried, Directive, Residual, Area)
"""What comes first where not all fits."""
