"""R7: where the label of a settled decision comes from."""

import re
from collections.abc import Iterator
from typing import Final

from gitdecide.entries.names import split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Confirm, Decision, Settled, Turn
from gitdecide.rules.context import Context, Refusal

BARE_ASSENT: Final = (
    "ok", "okay", "k", "yes", "yep", "yeah", "sure", "fine", "good", "great", "nice", "cool", "agreed",
    "approved", "sounds good", "looks good", "lgtm", "go ahead", "go for it", "do it", "makes sense",
    "works for me", "that works", "perfect", "excellent", "correct", "alright", "all right", "yup",
    "ack", "sgtm", "+1", "i agree", "of course", "absolutely", "definitely", "ship it", "proceed",
    "no problem", "no objection", "no objections", "why not", "if you say so", "whatever you think",
    "up to you", "thanks", "thank you", "please", "then",
)  # fmt: skip
"""What assents to whatever was said before. More of it would damage old records: see rules/reading.py."""

_BARE = re.compile(rf"(?:(?:{'|'.join(map(re.escape, BARE_ASSENT))})(?: |$))+")


def a_label_comes_from_an_examined_choice(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R7: a provenance label comes only from a person's examined choice.

    What the person did not choose is an option of the question, or a challenge or turn that came before:
    without it the choice is a directive. An agent records a label only for a person, with --by and --said,
    and never for what it proposed itself. Bare assent is at most user-approved, and so is a change of a
    settled decision that somebody else proposed: what an agent records is such a change.
    """
    if settled := decision.settled:
        yield from _examined(settled, decision, record)
        yield from _recorded_for_a_person(settled, decision, context)
        if settled.label == "user-directed":
            yield from _directed(settled, decision, record, context)


def a_label_is_confirmed_by_whom_it_names(
    confirm: Confirm, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R7: a label is confirmed by the person that it names, and by nobody else."""
    named = (entry for key, entry in record.entries if key == confirm.decision)
    decision = next(named, None)
    if context.agent or not isinstance(decision, Decision):
        return  # another rule says so
    by = decision.settled and decision.settled.by
    if by is None:
        yield Refusal("R7", f"{confirm.decision} was recorded for nobody else: there is nothing to confirm")
    elif confirm.actor != by:
        yield Refusal("R7", f"{confirm.decision} was recorded for {by}, and only {by} confirms it")
    elif context.kind == "agent":
        yield Refusal("R7", f"{confirm.actor} is an agent, and only a person confirms")


def is_option(text: str, record: DecisionRecord) -> bool:
    """True when the question offers this, whatever the case and the blanks."""
    return folded(text) in map(folded, record.question.entry.options)


def folded(text: str) -> str:
    """A text as it is compared: letter case, blanks and line ends aside."""
    return " ".join(text.split()).casefold()


def bare_assent(said: str) -> bool:
    """True for words that agree and say nothing of what they agree with."""
    words = " ".join(re.findall(r"\+1\b|\w+", said.casefold()))
    return not words or _BARE.fullmatch(words) is not None


def _examined(settled: Settled, decision: Decision, record: DecisionRecord) -> Iterator[Refusal]:
    shown = settled.over in record and isinstance(record[settled.over], Challenge | Turn)
    if not shown and not is_option(settled.over, record):
        offered = ", ".join(record.question.entry.options) or "none"
        yield Refusal(
            "R7",
            "the alternative is no option of the question, and no challenge or turn that came before",
            f"the options are: {offered}; what nobody examined is a directive: git decide ask --directive",
        )
    elif folded(settled.over) == folded(decision.decision):
        yield Refusal("R7", "a decision is not chosen over itself")


def _recorded_for_a_person(settled: Settled, decision: Decision, context: Context) -> Iterator[Refusal]:
    other = settled.by not in (None, decision.actor)
    if context.kind == "agent" and not (other and settled.said):
        yield Refusal(
            "R7",
            f"{decision.actor} is an agent, and records a label only for a person, in that person's words",
            "add --by PERSON --said QUOTE, or leave the label out",
        )
    elif other and not settled.said:
        yield Refusal("R7", f"a label for {settled.by} quotes what {settled.by} said", "add --said QUOTE")
    elif other and context.by == "agent":
        yield Refusal(
            "R7",
            f"the log knows no human {settled.by}",
            f"a person runs git decide actor add {settled.by} --human",
        )


def _directed(
    settled: Settled, decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """Refusals of user-directed where the person only assented."""
    if settled.said and bare_assent(settled.said):
        yield Refusal("R7", "bare assent is at most user-approved", "settle it as user-approved")
    if not any(_was_settled(reference, record, context) for reference in decision.supersedes):
        return
    person = settled.by or decision.actor
    proposed = any(key in record and record[key].actor != person for key in decision.answers)
    if proposed or context.kind == "agent":
        yield Refusal(
            "R7",
            "a change of a settled decision that was proposed and accepted is user-approved",
            "settle it as user-approved",
        )


def _was_settled(reference: str, record: DecisionRecord, context: Context) -> bool:
    name, key = split_reference(reference)
    holder = record if name is None else (context.records or {}).get(name)
    old = holder[key] if holder and key in holder else None
    return isinstance(old, Decision) and old.settled is not None
