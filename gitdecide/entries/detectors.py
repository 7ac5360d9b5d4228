"""What shows that a conversation ended, or goes wrong: pure checks over its turns so far.

The wordings are those of seshi's decision file; `Talk` is what a check looks at.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from gitdecide.entries.types import Mode, Turn

Detector = Literal["agreement", "deadlock", "looping", "degenerate"]

RESTATEMENTS: Final = 3
STILL_TURNS: Final = 4
FOLDING_PERCENT: Final = 70
FOLDING_MODES: Final[tuple[Mode, ...]] = ("decide", "build")
ENDING: Final[tuple[Detector, ...]] = ("agreement", "deadlock")


class Step(NamedTuple):
    """A turn, and what it did to the ledgers."""

    turn: Turn
    changed: bool
    """True when it moved or added an issue in either ledger."""
    open_issues: int
    """How many issues are not done after it."""


class Talk(NamedTuple):
    """A conversation of two sides so far."""

    mode: Mode
    sides: tuple[str, str]
    steps: tuple[Step, ...] = ()
    said: tuple[tuple[Turn, ...], tuple[Turn, ...]] = ((), ())
    """The turns of each side."""

    def then(self, step: Step) -> "Talk":
        """The same with one more step."""
        asker, other = (
            (*turns, step.turn) if side == step.turn.actor else turns
            for side, turns in zip(self.sides, self.said, strict=True)
        )
        return Talk(self.mode, self.sides, (*self.steps, step), (asker, other))


class Firing(NamedTuple):
    """What a detector says, and of which side where it speaks of one."""

    detector: Detector
    said: str
    side: str | None = None

    def text(self, called: str | None = None) -> str:
        """The sentence; the side by its name, or as it is called."""
        return f"{called or self.side} {self.said}" if self.side else self.said


def agreement(talk: Talk) -> Iterator[Firing]:
    """Nothing is open, both sides sent a RED_TEAM, and both signed the same artefact."""
    if talk.steps[-1].open_issues:
        return
    signed = [{turn.signs for turn in turns if turn.verb == "SIGN" and turn.signs} for turns in talk.said]
    red_teamed = all(any(turn.verb == "RED_TEAM" for turn in turns) for turns in talk.said)
    if red_teamed and signed[0] & signed[1]:
        yield Firing(
            "agreement", "the ledger is empty, both sides red-teamed, and both signed the same artefact"
        )


def deadlock(talk: Talk) -> Iterator[Firing]:
    """Each side said the same three times running, in its last three turns."""
    last = [turns[-RESTATEMENTS:] for turns in talk.said]
    if all(len(turns) == RESTATEMENTS and len(set(map(position, turns))) == 1 for turns in last):
        yield Firing(
            "deadlock",
            f"both sides have restated the same position {RESTATEMENTS} times running; this needs the humans",
        )


def looping(talk: Talk) -> Iterator[Firing]:
    """The ledgers did not change in four turns, while something is open."""
    last, still = talk.steps[-STILL_TURNS:], talk.steps[-1].open_issues
    if len(last) == STILL_TURNS and still and not any(step.changed for step in last):
        yield Firing(
            "looping",
            f"the ledger has not changed in {STILL_TURNS} turns while {still} issue(s) are still open",
        )


def degenerate(talk: Talk) -> Iterator[Firing]:
    """A side gives in on most of its turns, or red-teams and gives nothing up."""
    for side, turns in zip(talk.sides, talk.said, strict=True):
        folded = sum(turn.verb in ("ACCEPT", "CONCEDE") for turn in turns)
        if talk.mode in FOLDING_MODES and turns and folded * 100 >= FOLDING_PERCENT * len(turns):
            share = folded * 100 // len(turns)
            yield Firing(
                "degenerate",
                f"accepted or conceded on {share}% of its turns,"
                " which is agreement by exhaustion rather than by argument",
                side,
            )
        if any(turn.verb == "RED_TEAM" and not turn.gave_up for turn in turns):
            yield Firing("degenerate", "sent a RED_TEAM that named nothing it gave up", side)


DETECTORS: Final[tuple[Callable[[Talk], Iterator[Firing]], ...]] = (agreement, deadlock, looping, degenerate)


def may_end(said: Iterable[Iterable[Turn]]) -> bool:
    """False when no selection of what each side said ends a conversation: quick to know, and mostly so."""
    turns = [list(each) for each in said]
    signed = [{turn.signs for turn in each if turn.verb == "SIGN" and turn.signs} for each in turns]
    stuck = (max(Counter(map(position, each)).values(), default=0) >= RESTATEMENTS for each in turns)
    return bool(set.intersection(*signed)) or all(stuck)


def position(turn: Turn) -> str:
    """What a turn stands for, without case, blanks and punctuation."""
    said = turn.position or turn.headline
    plain = unicodedata.normalize("NFKC", said).casefold()
    return "".join(char for char in plain if unicodedata.category(char)[0] not in "PZC") or said.strip()
