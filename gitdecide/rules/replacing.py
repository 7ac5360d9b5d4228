"""R4: entries are immutable, and what an entry names is there."""

from collections.abc import Iterator

from gitdecide.entries.names import split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Confirm,
    Decision,
    Entry,
    FollowUp,
    Replaced,
    Turn,
    Vote,
    type_name,
)
from gitdecide.rules.context import Context, Refusal


def what_an_entry_names_is_there(
    entry: FollowUp, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R4: nothing dangles.

    What an entry names is in its record, came before it, and is of the right type.
    """
    for entry_id, kinds in _named(entry):
        if entry_id not in record:
            yield Refusal("R4", f"{record.name} has no entry {entry_id} that came before this one")
        elif kinds and not isinstance(record[entry_id], kinds):
            yield Refusal("R4", f"expected a {_or(kinds)}, not the {type_name(record[entry_id])} {entry_id}")


def a_decision_is_changed_by_superseding(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R4: entries are immutable, so a change supersedes.

    bind decides an undecided record; a change is supersede, which comes after what it replaces: the record's
    one live decision, and what --replaces names. A contested record needs --replaces, and the decisions that
    are not named stay live. An undecided record needs a --replaces into another one.
    """
    if decision.imported:
        return
    if len(set(decision.supersedes)) != len(decision.supersedes):
        yield Refusal("R4", "a decision is replaced once")
    for reference in decision.supersedes:
        yield from _replaceable(reference, record, context)
    here = {key for key in decision.supersedes if ":" not in key}
    live = {filed.id for filed in record.live}
    if not decision.supersedes:
        yield from _undecided(record)
    elif live and not here:
        yield Refusal("R4", f"the decision of {record.name} itself would not be replaced", _settle(record))


def checks_of_a_replaced_decision_are_kept(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R4: the checks of a replaced decision of the same record are kept, unless the new one names its own."""
    replaced = (record[reference] for reference in decision.supersedes if reference in record)
    if not decision.checks and any(isinstance(old, Decision) and old.checks for old in replaced):
        yield Refusal("R4", "the checks of the decision that this one replaces would be dropped")


def _undecided(record: DecisionRecord) -> Iterator[Refusal]:
    if len(record.live) > 1:
        yield Refusal("R4", f"{record.name} is contested: say which decisions this replaces", _settle(record))
    elif record.live:
        yield Refusal("R4", f"{record.name} is decided already: decisions are immutable", _settle(record))
    elif record.successors:
        by = ", ".join(record.successors)
        yield Refusal(
            "R4", f"the decision of {record.name} was replaced by {by}", "decide there, or ask anew"
        )


def _settle(record: DecisionRecord) -> str:
    live = [decision.id for decision in record.live] if len(record.live) != 1 else []
    names = "".join(f" --replaces {reference}" for reference in (*live, *record.successors))
    return f"git decide supersede {record.name} OUTCOME TEXT -m REASON{names}"


def _replaceable(reference: str, record: DecisionRecord, context: Context) -> Iterator[Refusal]:
    """Refusals unless a live decision stands under this reference."""
    name, entry_id = split_reference(reference)
    if name is not None and context.records is None:
        return  # whoever reads this record alone cannot know
    holder = record if name is None else (context.records or {}).get(name)
    if name == str(record.name):
        yield Refusal("R4", f"{reference} is of this record: it is named by its id alone")
    elif holder is None or entry_id not in holder:
        yield Refusal("R4", f"there is no decision {reference} to supersede")
    elif not isinstance(holder[entry_id], Decision):
        yield Refusal(
            "R4", f"only decisions are superseded, not the {type_name(holder[entry_id])} {reference}"
        )
    elif successors := holder.replacements.get(entry_id):
        yield Refusal("R4", f"{reference} is superseded already, by {', '.join(successors)}", _settle(holder))


def _named(entry: Entry) -> Iterator[tuple[str, tuple[type, ...]]]:
    """The ids that an entry names within its record, each with the types that it may be of."""
    for read in getattr(entry, "read", ()):
        if read.entry and ":" not in read.entry:
            yield read.entry, ()
    if isinstance(entry, Decision):
        yield from ((key, (Check,)) for key in entry.checks)
        yield from ((key, (Vote,)) for key in entry.backed_by)
        yield from ((key, (Challenge, Turn, Vote)) for key in entry.answers)
    elif isinstance(entry, Check) and entry.repeats:
        yield entry.repeats, (Check,)
    elif isinstance(entry, Challenge):
        yield entry.target, (Decision,) if entry.severity else ()
    elif isinstance(entry, Answer):
        yield entry.to, (Challenge,)
    elif isinstance(entry, Confirm | Replaced):
        yield entry.decision, (Decision,)


def _or(kinds: tuple[type, ...]) -> str:
    return " or ".join(kind.__name__.lower() for kind in kinds)
