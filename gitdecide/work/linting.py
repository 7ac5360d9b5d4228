"""What is wrong with the annotations of a plan: in themselves, by the log, and against an earlier version."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.entries.annotation import Annotation, alternative, find, words_of
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Decision
from gitdecide.work.plans import HTML_SUFFIXES, Passage, passages

NEAR: Final = 300
"""How many letters behind an annotation that opens its passage may say what it is about."""

_DENIES = re.compile(r" (?:not|never|don t|avoid)(?: (?:use|using|take|choose|adopt))? \Z")
_NAME = re.compile(r"\bDR-0*(?P<number>[1-9][0-9]{0,5})(?P<suffix>-[0-9a-f]{4,8})?\b")


class Problem(NamedTuple):
    """What is wrong, and on which line."""

    line: int
    message: str


class Mark(NamedTuple):
    """A sound annotation where it stands."""

    line: int
    words: str
    """Those of the decision that it is about."""
    names: tuple[str, ...]
    """The decision records that its passage names, without leading noughts."""
    said: Annotation

    @property
    def over(self) -> str:
        """The words of what was rejected."""
        return words_of(self.said.over)

    @property
    def wording(self) -> str:
        """The words of all that follows the class."""
        return words_of(self.said.wording)


class Plan(NamedTuple):
    """A plan as it is judged."""

    passages: Sequence[Passage]
    marks: Sequence[Mark]
    malformed: Sequence[tuple[Problem, str]]
    """What was meant for an annotation, with the words of its decision."""

    @classmethod
    def read(cls, data: bytes, file: str) -> "Plan":
        """The plan that a file holds; the name says whether it is HTML, and all else is Markdown."""
        found = passages(data, as_html=Path(file).suffix.lower() in HTML_SUFFIXES)
        marks: list[Mark] = []
        malformed: list[tuple[Problem, str]] = []
        for number, passage in enumerate(found):
            names = tuple(_stripped(name) for name in _NAME.finditer(passage.text))
            start, line = 0, passage.line
            for each in find(passage.text):
                words = _about(found, number, start, each.start, each.end)
                line += passage.text.count("\n", start, each.start)
                if each.said:
                    marks.append(Mark(line, words, names, each.said))
                else:
                    malformed.append((Problem(line, each.problem or "malformed"), words))
                line += passage.text.count("\n", each.start, each.end)
                start = each.end
        return cls(found, marks, malformed)

    def line_of(self, words: str) -> int:
        """The line of the passage that says this; the first line of the file where none does."""
        return next((passage.line for passage in self.passages if words in words_of(passage.text)), 1)


class Known(NamedTuple):
    """A settled decision as the log has it."""

    name: str
    words: str
    over: str
    label: str
    options: tuple[str, ...]
    """Whatever else was not chosen."""
    standing: bool
    adopts: bool

    def says(self, mark: Mark) -> bool:
        """True when it agrees with an annotation."""
        over = any(option in mark.wording for option in (self.over, *self.options))
        return self.standing and self.label == mark.said.label and over and not self.opposes(mark)

    def meant(self, mark: Mark) -> bool:
        """True when an annotation is about this decision: by its name, by its words, or turned round."""
        alike = self.words in mark.words or mark.words in self.words
        named = any(_stripped(_NAME.match(self.name)).startswith(name) for name in mark.names)
        return (
            (alike and self.over in mark.wording) or mark.words == self.words or named or self.opposes(mark)
        )

    def opposes(self, mark: Mark) -> bool:
        """True when an annotation chooses what was rejected here over what was chosen, or says not to."""
        chosen = mark.over in self.words or self.words in mark.over
        swapped = chosen and self.over in mark.words and self.over not in mark.over
        same = self.adopts and self.over in mark.wording
        return swapped or (same and _turned(self.words, self.over, mark.words))


def known(record: DecisionRecord) -> list[Known]:
    """The settled decisions of a record, the replaced ones among them."""
    options = {words_of(option) for option in record.question.entry.options}
    standing = {decision.id for decision in record.settled}
    return [
        Known(
            name=str(record.name),
            words=words_of(decision.decision),
            over=words_of(alternative(decision.settled, record)),
            label=decision.settled.label,
            options=tuple(options - {words_of(decision.decision)}),
            standing=key in standing,
            adopts=decision.outcome == "adopt",
        )
        for key, decision in record.of(Decision)
        if decision.settled
    ]


def problems(plan: Plan, log: Sequence[Known], base: Plan | None) -> list[Problem]:
    """What is wrong with a plan, by line."""
    found = {problem for problem, _ in plan.malformed}
    for mark in plan.marks:
        found.update(Problem(mark.line, said) for said in _disagreement(mark, log))
    if base:
        found.update(_lost(plan, base, log))
    return sorted(found)


def _about(found: Sequence[Passage], number: int, start: int, end: int, after: int) -> str:
    """The words before an annotation, else those after it, else those of the passage before it."""
    text = found[number].text
    if (before := words_of(_NAME.sub("", text[start:end]))).strip():
        return before
    behind = words_of(_NAME.sub("", text[after : after + NEAR]))
    return behind if behind.strip() or not number else words_of(_NAME.sub("", found[number - 1].text))


def _disagreement(mark: Mark, log: Sequence[Known]) -> Iterator[str]:
    """What the log says against an annotation; nothing where it does not know the decision."""
    about = sorted((each for each in log if each.meant(mark)), key=lambda each: not each.standing)
    if not about or any(each.says(mark) for each in about):
        return
    each = about[0]
    if each.opposes(mark):
        yield f"{each.name} decides the opposite"
    elif not each.standing:
        yield f"the decision of {each.name} was superseded"
    elif each.label != mark.said.label:
        yield f"{each.name} is {each.label}, not {mark.said.label}"
    else:
        yield f"{each.name} was chosen over something else"


def _lost(plan: Plan, base: Plan, log: Sequence[Known]) -> Iterator[Problem]:
    """What the base carried, and this version does not, or not so; what the log says may change."""
    marks, malformed = list(plan.marks), [words for _, words in plan.malformed]
    for old, now in _pairs(list(base.marks), marks):
        if now is None:
            gone = any(each.meant(old) and not each.standing for each in log)
            if old.words in malformed:
                malformed.remove(old.words)
            elif not gone:
                line = plan.line_of(old.words)
                yield Problem(line, f"dropped: the annotation that the base has on its line {old.line}")
        elif any(each.meant(now) and each.says(now) for each in log):
            continue
        elif _inverted(old, now):
            yield Problem(now.line, f"inverted: the base decides the opposite on its line {old.line}")
        elif (old.said.label, now.said.label) == ("user-approved", "user-directed"):
            yield Problem(now.line, f"upgraded: the base has user-approved on its line {old.line}")


def _pairs(olds: list[Mark], news: list[Mark]) -> Iterator[tuple[Mark, Mark | None]]:
    """Each annotation of the base with what became of it: what is most like it first."""
    ways: tuple[Callable[[Mark, Mark], bool], ...] = (_same, _reworded, _inverted, _moved)
    for alike in ways:
        for old in list(olds):
            if now := next((mark for mark in news if alike(old, mark)), None):
                olds.remove(old)
                news.remove(now)
                yield old, now
    yield from ((old, None) for old in olds)


def _same(old: Mark, now: Mark) -> bool:
    return old.words == now.words and old.over == now.over


def _reworded(old: Mark, now: Mark) -> bool:
    return old.words == now.words or (
        old.over == now.over and (old.words in now.words or now.words in old.words)
    )


def _inverted(old: Mark, now: Mark) -> bool:
    """True where what was chosen is now what was rejected, or is said not to be chosen."""
    swapped = now.over in old.words and old.over in now.words and old.over != now.over
    return swapped or (old.over == now.over and _turned(old.words, old.over, now.words))


def _turned(words: str, over: str, now: str) -> bool:
    """True when a decision is said not to be taken, or what was rejected stands in its place."""
    before, same, _ = now.partition(words)
    if same:
        return _DENIES.search(f"{before} ") is not None and over not in f"{before} "
    before, instead, behind = now.partition(over)
    return bool(instead) and words.startswith(f"{before} ") and words.endswith(f" {behind}")


def _moved(old: Mark, now: Mark) -> bool:
    return old.over == now.over and words_of(old.said.because) == words_of(now.said.because)


def _stripped(name: re.Match[str] | None) -> str:
    return f"{name['number']}{name['suffix'] or ''}" if name else ""
