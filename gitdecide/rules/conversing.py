"""R6: who takes part in a conversation, and how its ledgers move.

Most records hold no turn, and every reader loads the rules: what folds conversations is loaded on use.
"""

from collections.abc import Iterator
from typing import Final

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Close, Turn
from gitdecide.rules.context import Context, Refusal

ASKING: Final = 'git decide ask "QUESTION" --with NAME begins a conversation'


def a_ledger_moves_along_its_table(turn: Turn, record: DecisionRecord, context: Context) -> Iterator[Refusal]:
    """R6: a ledger moves only along its table, and each side's is its own.

    open      -> claimed proposed parked escalated
    claimed   -> proposed open parked escalated
    proposed  -> agreed open claimed parked escalated
    agreed, parked and escalated are final; parked and escalated need a reason.

    A turn moves the speaker's ledger, then the other side's where the table has the move: nobody adds,
    deletes or resurrects an issue there. To repeat a state is no move.
    """
    from gitdecide.entries.conversation import folded

    conversation = folded(record)
    if conversation is None:
        if turn.ledger:
            yield Refusal("R6", f"{record.name} holds no conversation with ledgers")
    elif turn.actor in conversation.sides:
        for problem in conversation.ledgers.after(turn)[1]:
            yield Refusal("R6", *problem)


def a_turn_belongs_to_its_conversation(
    turn: Turn, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R6: a turn is one of its conversation's.

    decide, build and review hold a conversation of two sides, the asker and who was asked; debate and
    consensus are for the participants, or for anybody where none are named. Each mode has its own verbs. A
    conversation that ended takes no more turns: a new question links the old one.
    """
    from gitdecide.entries.conversation import LEDGER_MODES, state, verbs

    question = record.question.entry
    if turn.quoted:
        if not question.imported:
            yield Refusal("R6", "only an imported record quotes turns that others made elsewhere")
        return
    yield from _strangers(turn, record)
    if turn.verb not in verbs(question.mode):
        known = ", ".join(verbs(question.mode))
        yield Refusal("R6", f"{turn.verb} is no verb of the mode {question.mode}", f"it has {known}")
    roles = {asked.actor: asked.role for asked in question.participants}
    if turn.role and question.mode in LEDGER_MODES:
        yield Refusal("R6", f"the sides of the mode {question.mode} have no roles")
    elif question.mode not in LEDGER_MODES and (role := roles.get(turn.actor)) and turn.role != role:
        yield Refusal("R6", f"{turn.actor} was asked as {role}, not as {turn.role}")
    ended = state(record)
    if ended != "open":
        how = "is closed" if ended == "closed" else f"ended in {ended}"
        yield Refusal("R6", f"{record.name} {how}, and takes no more turns", _anew(record))


def a_conversation_is_closed_once(
    close: Close, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R6: a conversation is closed once, by a side or by a person."""
    if record.of(Close):
        yield Refusal("R6", f"{record.name} is closed already", _anew(record))
    if context.kind != "human":
        yield from _strangers(close, record)


def _strangers(entry: Turn | Close, record: DecisionRecord) -> Iterator[Refusal]:
    from gitdecide.entries.conversation import LEDGER_MODES, participants, sides

    question = record.question.entry
    among = sides(question) or participants(question)
    if isinstance(entry, Turn) and question.mode in LEDGER_MODES and sides(question) is None:
        yield Refusal("R6", f"{record.name} names nobody to talk to", ASKING)
    elif question.participants and entry.actor not in among:
        yield Refusal("R6", f"{entry.actor} takes no part in {record.name}, only {' and '.join(among)}")


def _anew(record: DecisionRecord) -> str:
    return f'git decide ask "QUESTION" --with NAME --link {record.name}'
