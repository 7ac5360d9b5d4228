"""A turn as it is said, and the reminder that holds one back."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from gitdecide.entries.conversation import Conversation, folded
from gitdecide.entries.detectors import Firing
from gitdecide.entries.ledger import OBJECTIVE, OPEN, Ledger
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import LedgerMove, LedgerState, Turn
from gitdecide.errors import REFUSED, DecideError, NotFound, UsageError
from gitdecide.rules.context import Context, Refusal, Refused
from gitdecide.rules.conversing import a_turn_belongs_to_its_conversation

HELD: Final = "decide/held"

_MOVE = re.compile(r"(i-[0-9]{2,})=([a-z]+)(?::(.*))?", re.DOTALL)


class HeldBack(DecideError):
    """A reply that leaves the ledger out while its issues are open, said for the first time."""

    exit = REFUSED


class Reminders:
    """Which turns an actor was reminded of in a record: digests, in one file of the common git directory.

    Said again is the same turn, to the letter, while the speaker's ledger stands as it did. Any turn that
    goes through ends the reminders of its actor in its record.
    """

    def __init__(self, common_dir: Path, record: RecordName, actor: str) -> None:
        self._file = common_dir / HELD / _digest(str(record), actor)

    def hold_once(self, turn: Turn, ledger: Ledger) -> None:
        """Remember a turn. Raises HeldBack unless it was remembered before."""
        words = msgspec.structs.replace(turn, at="", after=())
        digest = _digest(repr(words), repr(sorted(ledger.items())))
        held = self._file.read_text("ascii", errors="replace").split() if self._file.exists() else []
        if digest in held:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="ascii") as file:
            file.write(f"{digest}\n")
        raise HeldBack(
            f"held back once: this reply leaves the ledger out, while {_open(ledger)}",
            hint="--issue ID=STATE says where an issue stands; the same turn, said again, goes as it is",
        )

    def forget(self) -> None:
        """A turn went through."""
        self._file.unlink(missing_ok=True)


def said(
    record: DecisionRecord,
    *,
    moves: Sequence[LedgerMove],
    new_issues: Sequence[str],
    objective: str | None,
    role: str | None,
    **fields: Any,
) -> Turn:
    """A turn of this record: new issues get their ids, in a debate the speaker its role."""
    conversation, actor = folded(record), fields["actor"]
    asked = {other.actor: other.role for other in record.question.entry.participants}
    titles = {OBJECTIVE: objective} if objective is not None else {}
    if conversation and actor in conversation.sides:
        ids = conversation.ledgers.new_ids(actor, len(new_issues))
    else:
        ids = [f"i-{2 * number:02d}" for number, _ in enumerate(new_issues, 1)]  # the rules refuse them
    titles |= dict(zip(ids, new_issues, strict=True))
    opened = [LedgerMove(issue=key, title=title, state="open") for key, title in titles.items()]
    usual = None if conversation else asked.get(actor)
    return Turn(**fields, role=role or usual, ledger=(*opened, *moves))


def held_back(turn: Turn, record: DecisionRecord, common_dir: Path) -> Turn:
    """The turn, marked when it leaves the ledger out. Raises HeldBack for one said for the first time.

    A turn that its conversation does not take is left to the rules.
    """
    conversation = folded(record)
    refused = any(a_turn_belongs_to_its_conversation(turn, record, Context("agent")))
    if conversation is None or refused or not omits_ledger(turn, conversation):
        return turn
    Reminders(common_dir, record.name, turn.actor).hold_once(turn, conversation.ledgers.of(turn.actor))
    return msgspec.structs.replace(turn, ledger_omitted=True)


def omits_ledger(turn: Turn, conversation: Conversation) -> bool:
    """True for a reply, any turn but a side's first, that leaves out a ledger with open issues."""
    ledgers = conversation.ledgers
    return not turn.ledger and turn.actor in ledgers.spoken and bool(ledgers.open_issues(turn.actor))


def settled(record: DecisionRecord, reader: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome, text and dissent that the ledgers give, as `reader` sees them, else the asker.

    Raises NotFound for a record without ledgers, Refused where no issue is agreed.
    """
    conversation = folded(record)
    if conversation is None:
        raise NotFound(f"{record.name} holds no conversation of two sides")
    agreed, still, left = conversation.sorted_out(
        reader if reader in conversation.sides else conversation.sides[0]
    )
    if not agreed:
        raise Refused(
            [Refusal("R6", f"no issue of {record.name} is agreed by both sides: nothing is decided")]
        )
    dissent = [f"{issue.key} [{issue.state}] {issue.said}" for issue in (*still, *left)]
    return {
        "outcome": said["outcome"] or "adopt",
        "decision": "\n".join(issue.said for issue in agreed),
        "dissent": "\n".join(filter(None, [said["dissent"], *dissent])) or None,
    }


def parse_move(typed: str) -> LedgerMove:
    """ID=STATE or ID=STATE:REASON. Raises UsageError for anything else."""
    match = _MOVE.fullmatch(typed)
    if not match or match[2] not in get_args(LedgerState):
        states = ", ".join(get_args(LedgerState))
        raise UsageError(f"not a move of an issue: {typed}", hint=f"ID=STATE[:REASON]; states are {states}")
    return LedgerMove(issue=match[1], state=match[2], reason=(match[3] or "").strip() or None)  # type: ignore[arg-type]


def signature(file: Path, typed: str) -> str:
    """The SHA-256 of a file's bytes. Raises DecideError for one that cannot be read."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DecideError(f"cannot sign {typed}: {error.strerror}") from error


def news(before: DecisionRecord, now: DecisionRecord) -> Iterator[Firing]:
    """What the detectors see in a record that they did not see before."""
    was, is_ = folded(before), folded(now)
    known = was.fired if was else ()
    return (firing for firing in (is_.fired if is_ else ()) if firing not in known)


def _open(ledger: Ledger) -> str:
    stand = [f"{key} is {issue.state}" for key, issue in sorted(ledger.items()) if issue.state in OPEN]
    return ", ".join(stand)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
