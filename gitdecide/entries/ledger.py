"""The ledgers of a conversation: issues, their states, and the moves between them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from gitdecide.entries.types import LedgerMove, LedgerState, Turn

MOVES: Final[Mapping[LedgerState, tuple[LedgerState, ...]]] = {
    "open": ("claimed", "proposed", "parked", "escalated"),
    "claimed": ("proposed", "open", "parked", "escalated"),
    "proposed": ("agreed", "open", "claimed", "parked", "escalated"),
    "agreed": (),
    "parked": (),
    "escalated": (),
}
OPEN: Final[tuple[LedgerState, ...]] = ("open", "claimed", "proposed")
EXPLAINED: Final[tuple[LedgerState, ...]] = ("parked", "escalated")
"""The states that need a reason."""

_ID: Final = re.compile(r"i-(?:0[1-9]|[1-9][0-9]{1,5})")
"""One spelling for each number, and none that is too long to count with."""

OBJECTIVE: Final = "i-01"
"""The issue that each side's ledger starts with."""


class Issue(NamedTuple):
    """One issue of one side's ledger."""

    title: str
    state: LedgerState = "open"
    reason: str | None = None
    declared: bool = False
    """True when this side itself said that it is agreed."""


class Problem(NamedTuple):
    """Why a move cannot be made, and what would help."""

    message: str
    hint: str | None = None


Ledger = Mapping[str, Issue]
"""One side's issues by id."""


class Ledgers(NamedTuple):
    """The ledgers of both sides, the asker's first: each is authoritative for itself."""

    sides: tuple[str, str]
    copies: tuple[Ledger, Ledger]
    spoken: frozenset[str] = frozenset()
    """The sides that have taken a turn."""

    @classmethod
    def begun(cls, sides: tuple[str, str], objective: str) -> "Ledgers":
        """The question is the objective of both, until the other side's first BRIEF says its own."""
        ledger = MappingProxyType({OBJECTIVE: Issue(objective)})
        return cls(sides, (ledger, ledger))

    def of(self, side: str) -> Ledger:
        """A side's own ledger."""
        return self.copies[self.sides.index(side)]

    def peer(self, side: str) -> str:
        """The other side."""
        return self.sides[1 - self.sides.index(side)]

    def standing(self, keys: Iterable[str]) -> list[tuple[LedgerState | None, LedgerState | None]]:
        """Where some issues stand, the asker's ledger first; None in one that does not have it."""
        asker, other = self.copies
        return [
            (asker[key].state if key in asker else None, other[key].state if key in other else None)
            for key in keys
        ]

    @property
    def issues(self) -> list[str]:
        """The ids of all issues of either side, by their numbers."""
        return sorted({key for ledger in self.copies for key in ledger}, key=number)

    def open_issues(self, *sides: str) -> list[str]:
        """The issues that these sides' ledgers, or both, do not have done."""
        ledgers = [self.of(side) for side in sides or self.sides]
        return [
            key
            for key in self.issues
            if any(key in ledger and ledger[key].state in OPEN for ledger in ledgers)
        ]

    def new_ids(self, side: str, count: int) -> list[str]:
        """Ids for new issues: even numbers are the asker's, odd ones the other side's; none meets another."""
        place = self.sides.index(side)
        used = max(
            (number(key) for key in self.issues if _owner(key) == place and key != OBJECTIVE), default=place
        )
        return [f"i-{used + 2 * step:02d}" for step in range(1, count + 1)]

    def view(self, side: str, key: str) -> Issue:
        """An issue as a side has it; one that it has not taken up, as the other side has it."""
        return self.of(side).get(key) or self.of(self.peer(side))[key]

    def agreed(self, key: str) -> bool:
        """True when each side itself declared the issue agreed."""
        return all(key in ledger and ledger[key].declared for ledger in self.copies)

    def agreed_by_any(self, key: str) -> bool:
        """True when at least one side has called the issue agreed."""
        return any(key in ledger and ledger[key].state == "agreed" for ledger in self.copies)

    def after(self, turn: Turn) -> tuple["Ledgers", list[Problem]]:
        """The ledgers after a side's turn, and why some of its moves were not made.

        A move goes to the speaker's copy, and where it is legal to the other side's. An issue that only the
        other side has is taken up as it stands there, by naming it.
        """
        own, theirs = dict(self.of(turn.actor)), dict(self.of(self.peer(turn.actor)))
        problems: list[Problem] = []
        named: set[str] = set()
        for move in turn.ledger:
            found = list(self._problems(turn, move, own, theirs, named))
            problems += found
            if move.title is None or move.issue != OBJECTIVE:
                named.add(move.issue)
            if not found:
                _make(move, own, theirs)
        asking = self.sides.index(turn.actor) == 0
        copies = (own, theirs) if asking else (theirs, own)
        spoken = self.spoken | {turn.actor}
        return Ledgers(self.sides, copies, spoken), problems

    def _problems(
        self, turn: Turn, move: LedgerMove, own: Ledger, theirs: Ledger, named: set[str]
    ) -> Iterator[Problem]:
        """Why a move is refused; nothing for one that is made."""
        key, known = move.issue, own.get(move.issue) or theirs.get(move.issue)
        if key in named:
            yield Problem(f"one turn moves {key} twice")
        elif move.title is not None and key == OBJECTIVE:
            yield from self._of_objective(turn, move)
        elif known is None and (move.title is None or not _ID.fullmatch(key)):
            yield Problem(f"neither ledger has an issue {key}", '--new-issue "TITLE" adds one')
        elif known is None and move.state != "open":
            yield Problem(f"a new issue is open, not {move.state}: {key}")
        elif known is None and _owner(key) != self.sides.index(turn.actor):
            yield Problem(f"{turn.actor} cannot add an issue {key} to the ledger of {self.peer(turn.actor)}")
        elif known and move.title is not None:
            yield Problem(f"there is an issue {key} already: {known.title}")
        elif known:
            yield from _of_move(move, known)

    def _of_objective(self, turn: Turn, move: LedgerMove) -> Iterator[Problem]:
        if turn.actor == self.sides[0]:
            yield Problem(f"the objective of {turn.actor} is the question itself")
        elif turn.verb != "BRIEF" or turn.actor in self.spoken or move.state != "open":
            yield Problem(f"only the first BRIEF of {turn.actor} says what its objective is")


def legal(before: LedgerState, after: LedgerState) -> bool:
    """True for a move of the table; to repeat a state is no move."""
    return after in MOVES[before]


def number(key: str) -> int:
    """The number of an issue's id."""
    return int(key.removeprefix("i-"))


def _owner(key: str) -> int:
    """Which side gives this id to a new issue: 0 is the asker."""
    return number(key) % 2


def _of_move(move: LedgerMove, known: Issue) -> Iterator[Problem]:
    """Why an issue does not go where a move wants it."""
    if move.state == known.state:
        return
    if not legal(known.state, move.state):
        on = ", ".join(MOVES[known.state])
        hint = f"from {known.state} it goes to {on}" if on else "that is final: --new-issue can say more"
        yield Problem(f"{move.issue} is {known.state}, and does not move to {move.state}", hint)
    elif move.state in EXPLAINED and not (move.reason or "").strip():
        yield Problem(
            f"{move.issue} is {move.state} without a reason", f"--issue {move.issue}={move.state}:REASON"
        )


def _make(move: LedgerMove, own: dict[str, Issue], theirs: dict[str, Issue]) -> None:
    """Make a move that has no problem."""
    key = move.issue
    if move.title is not None:
        own[key] = own[key]._replace(title=move.title) if key in own else Issue(move.title)
        return
    own[key] = _moved(own.get(key) or theirs[key]._replace(declared=False), move, by_itself=True)
    if key in theirs and legal(theirs[key].state, move.state):
        theirs[key] = _moved(theirs[key], move, by_itself=False)


def _moved(issue: Issue, move: LedgerMove, *, by_itself: bool) -> Issue:
    declared = issue.declared or (by_itself and move.state == "agreed")
    if issue.state == move.state:
        return issue._replace(declared=declared)
    return Issue(issue.title, move.state, move.reason, declared)
