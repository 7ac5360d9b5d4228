"""The decision record of a debate or a consensus as one JSON object, in the shape that its readers know.

The fields and their order are those of the "Decision Record Template". What has no value is an empty text,
and an unknown confidence null, so that every field is always there.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final, get_args

from gitdecide.entries.conversation import rounds
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Actor, Decision, Outcome, Participant, Turn, Vote
from gitdecide.output import Line

Profile = Callable[[str], Actor | None]
"""What the log says of an actor, by its name."""

LEDGER_TYPES: Final = {
    "BRIEF": "proposition",
    "EVIDENCE": "position",
    "COUNTER": "counter",
    "ACCEPT": "concession",
    "CONCEDE": "concession",
    "RED_TEAM": "rebuttal",
    "SIGN": "synthesis",
}
"""What the verbs of a conversation with a ledger are called in a record, which has six types."""

_OUTCOMES: Final = tuple(f"{outcome}: " for outcome in get_args(Outcome))


def nobody(name: str) -> None:
    """The profile of actors of whom nothing is known."""


def lines(record: DecisionRecord, profile: Profile = nobody) -> Iterator[Line]:
    """The record's JSON, indented. Raises Damaged for a record without a question."""
    import json

    text = json.dumps(document(record, profile), ensure_ascii=True, indent=2)
    yield from text.replace("\x7f", "\\u007f").split("\n")  # the one control character that JSON leaves raw


def document(record: DecisionRecord, profile: Profile = nobody) -> dict[str, Any]:
    """The record's fields in their order. Raises Damaged for a record without a question."""
    question = record.question.entry
    decided = in_force(record)
    said = decided.entry if decided else None
    origin = question.imported
    name = (origin and origin.id) or record.name.short
    return {
        "id": name,
        "topic": question.question,
        "mode": "debate" if question.mode == "debate" else "consensus",
        "participants": _participants(record, profile),
        "rounds": list(_rounds(record)),
        "decision": _statement(said) if said else "",
        "rationale": (said and (said.rationale or said.reason)) or "",
        "confidence": said.confidence if said else None,
        "dissent": (said and said.dissent) or (_opposition(record, decided) if decided else ""),
        "date": _date(record, said),
        "registered_in_graph": not record.damages,
        "graph_node_id": name.lower(),
    }


def in_force(record: DecisionRecord) -> Filed[Decision] | None:
    """The one live decision, else the last of those that were imported or replaced elsewhere.

    None for an undecided record, and for a contested one: it has no one decision yet.
    """
    if record.contested:
        return None
    return next(iter(record.live or record.of(Decision)[-1:]), None)


def _participants(record: DecisionRecord, profile: Profile) -> dict[str, dict[str, str]]:
    if record.question.entry.imported:
        profile = nobody  # its people are shown as they came: ours of the same name may be others
    people = list(_people(record))
    roles = Counter(person.role or "participant" for person in people)
    free = (key for number in count(1) if (key := f"participant-{number}") not in roles)
    shown = {}
    for person in people:
        role, known = person.role or "participant", profile(person.actor)
        shown[role if roles[role] == 1 else next(free)] = {
            "name": person.actor,
            "displayName": person.display_name or (known and known.display_name) or person.actor,
            "icon": person.icon or (known and known.icon) or "",
        }
    return shown


def _people(record: DecisionRecord) -> Iterator[Participant]:
    """Who was asked, and who took a turn; without either, who voted and decided here."""
    asked = record.question.entry.participants
    turns = {turn.entry.speaker: turn.entry.role for turn in reversed(record.of(Turn))}
    yield from asked
    yield from (
        Participant(actor=name, role=role)
        for name, role in reversed(turns.items())
        if name not in {person.actor for person in asked}
    )
    if not (asked or turns or record.question.entry.imported):
        names = (entry.actor for _, entry in record.entries if isinstance(entry, Vote | Decision))
        yield from (Participant(actor=name) for name in dict.fromkeys(names))


def _rounds(record: DecisionRecord) -> Iterator[dict[str, Any]]:
    roles = {person.actor: person.role for person in reversed(record.question.entry.participants)}
    number = 0
    for turns in rounds(record):
        quoted = turns[0].entry.quoted
        number = quoted.round if quoted else number + 1
        for _, turn in turns:
            yield {
                "round": number,
                "speaker": turn.speaker,
                "role": turn.role or roles.get(turn.speaker) or "participant",
                "type": LEDGER_TYPES.get(turn.verb, turn.verb),
                "content": f"{turn.headline}\n\n{turn.body}" if turn.body else turn.headline,
            }


def _statement(decision: Decision) -> str:
    """The decision; an outcome that is not adopt, or may be taken for another one, stands before it."""
    text, prefix = decision.decision, f"{decision.outcome}: "
    clear = text.startswith(prefix) or (decision.outcome == "adopt" and not text.startswith(_OUTCOMES))
    return text if clear else prefix + text


def _opposition(record: DecisionRecord, decision: Filed[Decision]) -> str:
    """What was said against a decision by those who had read something, a line each."""
    against = "support" if decision.entry.outcome == "reject" else "oppose"
    votes = [vote.entry for vote in record.before(decision.id).votes]
    return "\n".join(
        f"{vote.actor}: {vote.reason}" for vote in votes if vote.verified and vote.stance == against
    )


def _date(record: DecisionRecord, decision: Decision | None) -> str:
    """The day of the decision, or of an undecided record's question; an imported one is as it came."""
    entry = decision or record.question.entry
    return (entry.imported.date or "") if entry.imported else entry.at[:10]
