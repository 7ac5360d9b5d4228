"""What the evidence must carry: pure rules over a record.

A rule takes an entry, the record that it would join, and the context, and yields refusals.
Its docstring is what `git decide explain` prints.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Close, Confirm, Decision, Entry, FollowUp, Proposal, Turn, Vote
from gitdecide.rules.conflicts import a_conflict_names_what_was_read
from gitdecide.rules.context import Context, Refusal
from gitdecide.rules.conversing import (
    a_conversation_is_closed_once,
    a_ledger_moves_along_its_table,
    a_turn_belongs_to_its_conversation,
)
from gitdecide.rules.deciding import (
    adoption_over_a_failing_check_says_why,
    code_changing_decision_names_a_check,
    decision_rests_on_reading,
)
from gitdecide.rules.directives import (
    a_directive_is_bound_after_its_challenge,
    a_directive_is_challenged_once,
)
from gitdecide.rules.proposing import a_proposal_needs_trust
from gitdecide.rules.replacing import (
    a_decision_is_changed_by_superseding,
    checks_of_a_replaced_decision_are_kept,
    what_an_entry_names_is_there,
)
from gitdecide.rules.settling import (
    a_label_comes_from_an_examined_choice,
    a_label_is_confirmed_by_whom_it_names,
)
from gitdecide.rules.speaking import agents_do_not_speak_as_people
from gitdecide.rules.voting import support_says_what_it_read

Rule = Callable[[Any, Any, Context], Iterator[Refusal]]

RULES: Final[tuple[tuple[type[Entry], Rule], ...]] = (
    (Vote, support_says_what_it_read),
    (Decision, decision_rests_on_reading),
    (Decision, code_changing_decision_names_a_check),
    (Decision, a_decision_is_changed_by_superseding),
    (Decision, checks_of_a_replaced_decision_are_kept),
    (FollowUp, what_an_entry_names_is_there),
    (Decision, adoption_over_a_failing_check_says_why),
    (Turn, a_ledger_moves_along_its_table),
    (Turn, a_turn_belongs_to_its_conversation),
    (Close, a_conversation_is_closed_once),
    (Entry, agents_do_not_speak_as_people),
    (Decision, a_label_comes_from_an_examined_choice),
    (Confirm, a_label_is_confirmed_by_whom_it_names),
    (Challenge, a_directive_is_challenged_once),
    (Decision, a_directive_is_bound_after_its_challenge),
    (Proposal, a_proposal_needs_trust),
    (Challenge, a_conflict_names_what_was_read),
)


def judge(entry: Entry, record: DecisionRecord | None, context: Context) -> list[Refusal]:
    """Every refusal of an entry by the rules, in the order of RULES.

    The record is what the entry joins; None for a question, which begins one, and for an actor.
    """
    return [
        refusal for kind, rule in RULES if isinstance(entry, kind) for refusal in rule(entry, record, context)
    ]


def explanations() -> dict[str, str]:
    """What each rule says, by its code: the docstrings of the functions that hold it."""
    texts: dict[str, str] = {}
    for _, rule in RULES:
        text = inspect.cleandoc(rule.__doc__ or "")
        code, _, said = text.partition(": ")
        more = said[:1].upper() + said[1:]
        texts[code] = f"{texts[code]}\n\n{more}" if code in texts else text
    return texts
