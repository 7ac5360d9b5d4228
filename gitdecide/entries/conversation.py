"""A conversation: what the turns of a record come to, whichever clone they were made in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, combinations, pairwise
from operator import and_, or_
from typing import Any, Final, NamedTuple

from gitdecide.entries.detectors import DETECTORS, ENDING, Firing, Step, Talk, may_end
from gitdecide.entries.ledger import EXPLAINED, OPEN, Ledgers
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Close, LedgerState, Mode, Question, Turn, Verb

LEDGER_MODES: Final[tuple[Mode, ...]] = ("decide", "build", "review")
LEDGER_VERBS: Final[tuple[Verb, ...]] = (
    "BRIEF", "EVIDENCE", "COUNTER", "ACCEPT", "CONCEDE", "RED_TEAM", "SIGN",
)  # fmt: skip
DEBATE_VERBS: Final[tuple[Verb, ...]] = (
    "proposition", "rebuttal", "counter", "position", "concession", "synthesis",
)  # fmt: skip


MOST_HISTORIES: Final = 500
"""How many of what was known apart are looked at for an end, the shortest first: a log holds any number."""


class Told(NamedTuple):
    """An issue as the decision file shows it."""

    key: str
    state: str
    said: str
    """Its title, and the reason that was given."""


class Outcome(NamedTuple):
    """The issues by what came of them: agreed by both sides, still open, parked or escalated."""

    agreed: list[Told]
    still: list[Told]
    left: list[Told]


class Conversation(NamedTuple):
    """Two sides, their ledgers, and what the detectors saw, up to its end where it has one."""

    ledgers: Ledgers
    talk: Talk
    fired: tuple[Firing, ...] = ()
    """The first firing of each detector, of `degenerate` for each side."""

    @property
    def sides(self) -> tuple[str, str]:
        """The asker, and who was asked."""
        return self.ledgers.sides

    @property
    def ended(self) -> Firing | None:
        """What ended it."""
        return next((firing for firing in self.fired if firing.detector in ENDING), None)

    def sorted_out(self, us: str) -> "Outcome":
        """What the issues came to, as one side sees them."""
        outcome = Outcome([], [], [])
        for key in self.ledgers.issues:
            issue = self.ledgers.view(us, key)
            said = f"{issue.title}: {issue.reason}" if issue.reason else issue.title
            if self.ledgers.agreed(key):
                outcome.agreed.append(Told(key, "agreed", issue.title))
            elif issue.state in EXPLAINED:
                outcome.left.append(Told(key, issue.state, said))
            elif self.ledgers.agreed_by_any(key):
                outcome.still.append(Told(key, "agreed by one side only", issue.title))
            else:
                outcome.still.append(Told(key, issue.state, issue.title))
        return outcome

    def then(self, turn: Turn) -> "Conversation":
        """The conversation after one more turn; nothing comes after its end."""
        if self.ended:
            return self
        ledgers, _ = self.ledgers.after(turn)
        touched = {move.issue for move in turn.ledger}
        before, now = self.ledgers.standing(touched), ledgers.standing(touched)
        still = self.talk.steps[-1].open_issues if self.talk.steps else len(self.ledgers.open_issues())
        talk = self.talk.then(Step(turn, before != now, still - _open(before) + _open(now)))
        known = {(firing.detector, firing.side): firing for firing in self.fired}
        for detector in DETECTORS:
            for firing in detector(talk):
                known.setdefault((firing.detector, firing.side), firing)
        return Conversation(ledgers, talk, tuple(known.values()))


def _open(standing: Iterable[tuple[LedgerState | None, LedgerState | None]]) -> int:
    """How many of these issues are open in either ledger."""
    return sum(any(state in OPEN for state in states) for states in standing)


def verbs(mode: Mode) -> tuple[Verb, ...]:
    """The verbs of a mode."""
    return LEDGER_VERBS if mode in LEDGER_MODES else DEBATE_VERBS


def sides(question: Question) -> tuple[str, str] | None:
    """The two sides of a conversation with ledgers; None for a question that names no other side."""
    others = [asked.actor for asked in question.participants if asked.actor != question.actor]
    return (question.actor, others[0]) if others and question.mode in LEDGER_MODES else None


def participants(question: Question) -> tuple[str, ...]:
    """The asker, and who was asked, each once."""
    return tuple(dict.fromkeys((question.actor, *(asked.actor for asked in question.participants))))


def state(record: DecisionRecord) -> str:
    """What became of a conversation: open, closed, or the detector that ended it."""
    conversation = folded(record)
    if conversation and conversation.ended:
        return conversation.ended.detector
    return "closed" if record.of(Close) else "open"


def in_brief(record: DecisionRecord) -> dict[str, Any] | None:
    """What a list says of a conversation; None for a record that holds none, or is damaged."""
    if record.damages:
        return None
    question = record.question.entry
    if not question.participants and not record.of(Turn):
        return None
    return {
        "name": str(record.name),
        "mode": question.mode,
        "state": state(record),
        "participants": list(participants(question)),
        "objective": question.question,
    }


@lru_cache(maxsize=8)
def folded(record: DecisionRecord) -> Conversation | None:
    """The conversation that a record holds; None where it holds none with ledgers.

    The turns go in the order of the record. Whoever is no side, a verb of another mode, and a turn after the
    end do not count, nor do moves that the table does not have. Once a conversation ended, in any clone, it
    has ended: turns made apart from the end change nothing, wherever they come in the order.
    """
    question = record.question.entry
    pair = sides(question)
    if pair is None:
        return None
    pasts = _pasts(record)
    closes = [pasts[close.id] for close in record.of(Close)]
    turns = list(_counting(record, pair, pasts, closes))
    begun = Conversation(Ledgers.begun(pair, question.question), Talk(question.mode, pair))
    whole = _talked(begun, turns)
    if ended := _ended_apart(begun, whole, turns, pasts):
        return ended
    if whole.ended or not closes:
        return whole
    known = [turn for turn in turns if any(close.knows(pasts[turn.id]) for close in closes)]
    return _talked(begun, known)


def rounds(record: DecisionRecord) -> list[list[Filed[Turn]]]:
    """The turns of a record by rounds: one ends when somebody who spoke in it speaks again.

    Imported turns are in the rounds that they were in.
    """
    found: list[list[Filed[Turn]]] = []
    for turn in record.of(Turn):
        if not found or _begins_round(turn.entry, [earlier.entry for earlier in found[-1]]):
            found.append([])
        found[-1].append(turn)
    return found


def _begins_round(turn: Turn, before: Sequence[Turn]) -> bool:
    last = before[-1].quoted
    if turn.quoted and last:
        return turn.quoted.round != last.round
    return turn.speaker in {earlier.speaker for earlier in before}


def _talked(begun: Conversation, turns: Iterable[Filed[Turn]]) -> Conversation:
    conversation = begun
    for turn in turns:
        conversation = conversation.then(turn.entry)
    return conversation


class Past(NamedTuple):
    """An entry's place in the order, and those of all that its writer knew, as bits."""

    place: int
    known: int

    def knows(self, other: "Past") -> bool:
        """True when the other came before."""
        return bool(self.known >> other.place & 1)

    @property
    def whole(self) -> int:
        """All that was known with it."""
        return self.known | 1 << self.place


def _pasts(record: DecisionRecord) -> dict[str, Past]:
    """What came before each entry: one pass, where DecisionRecord.past walks back from every one."""
    pasts: dict[str, Past] = {}
    for place, (key, entry) in enumerate(record.entries):
        known = 0
        for earlier in getattr(entry, "after", ()):
            known |= pasts[earlier].whole if earlier in pasts else 0
        pasts[key] = Past(place, known)
    return pasts


def _counting(
    record: DecisionRecord, pair: tuple[str, str], pasts: Mapping[str, Past], closes: Sequence[Past]
) -> Iterator[Filed[Turn]]:
    """The turns of both sides that belong to their conversation, and do not come after a close."""
    for turn in record.of(Turn):
        said, late = turn.entry, any(pasts[turn.id].knows(close) for close in closes)
        if said.actor in pair and said.verb in LEDGER_VERBS and not said.quoted and not late:
            yield turn


def _ended_apart(
    begun: Conversation, whole: Conversation, turns: Sequence[Filed[Turn]], pasts: Mapping[str, Past]
) -> Conversation | None:
    """The conversation at an end that was reached before all turns were known; None where there is none.

    `whole` is what all turns come to. A history that is no more than their beginning ends where they do.
    """
    apart = any(not pasts[later.id].knows(pasts[earlier.id]) for earlier, later in pairwise(turns))
    said = ([turn.entry for turn in turns if turn.entry.actor == side] for side in begun.sides)
    if not apart or not may_end(said):
        return None
    bits = [1 << pasts[turn.id].place for turn in turns]
    beginnings = {told: length for length, told in enumerate(accumulate(bits, or_, initial=0))}
    everything = sum(bits)
    histories = [known & everything for known in _histories(turns, pasts)]
    others = [told for told in histories if told not in beginnings][:MOST_HISTORIES]
    judged = set(others)
    common = reduce(and_, others, everything)
    shared = max(length for told, length in beginnings.items() if told & common == told)
    first = _talked(begun, turns[:shared])
    for told in histories:
        if told in beginnings:
            conversation = whole if beginnings[told] >= len(whole.talk.steps) else begun
        elif told in judged:
            rest = [turn for turn, bit in zip(turns, bits, strict=True) if told & bit]
            conversation = _talked(first, rest[shared:])
        else:
            continue
        if conversation.ended:
            return conversation
    return None


def _histories(turns: Sequence[Filed[Turn]], pasts: Mapping[str, Past]) -> list[int]:
    """All up to a turn, or up to two of both sides that were made apart: each as bits, shortest first."""
    apart = {
        pasts[one.id].whole | pasts[two.id].whole
        for one, two in combinations(turns, 2)
        if one.entry.actor != two.entry.actor and not pasts[two.id].knows(pasts[one.id])
    }
    return sorted(
        {pasts[turn.id].whole for turn in turns} | apart, key=lambda known: (known.bit_count(), known)
    )
