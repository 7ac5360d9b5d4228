"""R7: who may speak as whom."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Actor, Confirm, Entry
from gitdecide.rules.context import Context, Refusal


def agents_do_not_speak_as_people(
    entry: Entry, record: DecisionRecord | None, context: Context
) -> Iterator[Refusal]:
    """R7: a person's word comes from a person.

    Inside an agent environment no writing command accepts a human's name, and confirm, trust and
    actor add --human are refused under any name. Only a person makes an actor a human.
    """
    makes_human = isinstance(entry, Actor) and entry.kind == "human"
    if context.agent and makes_human:
        yield Refusal(
            "R7", f"inside {context.agent} no actor is made a human", "a person runs it in their own shell"
        )
    elif context.agent and isinstance(entry, Confirm):
        yield Refusal(
            "R7", f"inside {context.agent} nothing is confirmed", "a person runs it in their own shell"
        )
    elif context.agent and context.kind == "human":
        yield Refusal(
            "R7",
            f"inside {context.agent} nobody speaks as {entry.actor}, who is a human",
            f"leave --as out to speak as {context.agent}, or name another agent",
        )
    elif makes_human and context.kind == "agent":
        yield Refusal("R7", f"{entry.actor} is an agent, and only a person makes an actor a human")
