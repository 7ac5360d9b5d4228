"""A conversation as a model that knows only what was said and what was known then."""

from collections.abc import Iterable
from itertools import count
from typing import Final, NamedTuple

LEGAL: Final = {
    *(("open", after) for after in ("claimed", "proposed", "parked", "escalated")),
    *(("claimed", after) for after in ("proposed", "open", "parked", "escalated")),
    *(("proposed", after) for after in ("agreed", "open", "claimed", "parked", "escalated")),
}
NEW: Final = "new"

States = dict[str, dict[str, str]]


class Told(NamedTuple):
    """A turn with one move at most, or a close; and the ids of all that its speaker knew."""

    id: str
    side: str
    issue: str | None
    state: str
    reasoned: bool
    known: frozenset[str]

    @property
    def closes(self) -> bool:
        return self.state == "close"


class Model:
    """What one clone knows of a conversation of `sides`, the asker first."""

    def __init__(self, *sides: str) -> None:
        self.sides = sides
        self.told: dict[str, Told] = {}

    def hear(self, told: Iterable[Told]) -> None:
        """Learn what the other clone knows."""
        self.told.update({each.id: each for each in told})

    @property
    def closed(self) -> bool:
        return any(each.closes for each in self.told.values())

    def states(self) -> States:
        """Where each side's ledger stands: everything once more from the start, in order."""
        closes = [each for each in self.told.values() if each.closes]
        ledgers: States = {side: {"i-01": "open"} for side in self.sides}
        for each in self._ordered():
            late = closes and not any(each.id in close.known for close in closes)
            if not each.closes and not late:
                self.move(ledgers, each)
        return ledgers

    def allows(self, said: Told) -> bool:
        """True for what this clone should take."""
        return not self.closed and self.move(self.states(), said)

    def next_issue(self, side: str) -> str:
        """The first free number of a side's own: even for the asker."""
        taken = {issue for ledger in self.states().values() for issue in ledger}
        begin = 2 + self.sides.index(side)
        return next(key for number in count(begin, 2) if (key := f"i-{number:02d}") not in taken)

    def move(self, ledgers: States, said: Told) -> bool:
        """Do what a turn says where that is legal, and tell whether it was."""
        own = ledgers[said.side]
        (peer,) = (ledger for side, ledger in ledgers.items() if side != said.side)
        key, wanted = said.issue, said.state
        if key is None:
            return True
        if wanted == NEW:
            if key in own or key in peer:
                return False
            own[key] = "open"
            return True
        if key not in own and key not in peer:
            return False
        now = own[key] if key in own else peer[key]
        moves = wanted != now
        if moves and (now, wanted) not in LEGAL:
            return False
        if moves and wanted in ("parked", "escalated") and not said.reasoned:
            return False
        own[key] = wanted
        if key in peer and (peer[key], wanted) in LEGAL:
            peer[key] = wanted
        return True

    def _ordered(self) -> list[Told]:
        """After all that was known, and of those that could come next the smallest id first."""
        placed: list[Told] = []
        left = dict(self.told)
        while left:
            ready = min(key for key, each in left.items() if not each.known & left.keys())
            placed.append(left.pop(ready))
        return placed
