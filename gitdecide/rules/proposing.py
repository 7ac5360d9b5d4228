"""R9: who may propose changes on this machine."""

from collections.abc import Iterator
from typing import Final

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Proposal
from gitdecide.rules.context import Context, Refusal

TIER: Final = 3


def a_proposal_needs_trust(proposal: Proposal, record: DecisionRecord, context: Context) -> Iterator[Refusal]:
    """R9: a proposal needs trust tier 3 on this machine.

    Trust is given with git decide trust, by a person, for one repository on one machine.
    The git identity has it. It is local: nobody judges by it what was proposed elsewhere.
    """
    if context.trust is not None and context.trust < TIER:
        yield Refusal(
            "R9",
            f"{proposal.actor} has trust tier {context.trust} on this machine, and a proposal needs {TIER}",
            f'a person runs git decide trust "{proposal.actor}" {TIER} in their own shell',
        )
