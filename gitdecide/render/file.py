r"""The decision file of a conversation, as one side sees it.

Sections, their order and the fixed wordings are those of seshi's DECISION.md. Text of others stands on one
line, after words of ours, and gets a backslash before what Markdown could make more of.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gitdecide.entries.conversation import Conversation, folded
from gitdecide.entries.keys import fingerprint
from gitdecide.entries.ledger import OBJECTIVE
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Proposal, Turn
from gitdecide.errors import NotFound
from gitdecide.output import Line

NO_AGREEMENT: Final = "_No issue reached agreement. This is an open-issues list, not a decision._"
NOTHING: Final = "_Nothing._"
NOTHING_FIRED: Final = "_Nothing fired._"
WRITTEN: Final = (
    "Written by git-decide. Both sides hold their own copy; neither is authoritative over the other."
)
SHOWN_DIGITS: Final = 8

_MARKS = re.compile(r"[\\`*<\[~|]|(?<!\w)_|_(?!\w)")

Fingerprint = Callable[[str], str | None]


def lines(
    record: DecisionRecord,
    *,
    side: str | None = None,
    known_by: Fingerprint = lambda _: None,
    patches: Mapping[str, str] | None = None,
) -> Iterator[Line]:
    """The file of `side`, else the asker's.

    `known_by` gives an actor's fingerprint, and `patches` holds the text of proposals' patches by their ids.

    Raises NotFound for a record that holds no conversation of two sides, and for an actor who is neither.
    """
    conversation = folded(record)
    if conversation is None:
        raise NotFound(
            f"{record.name} holds no conversation of two sides",
            hint='git decide ask "QUESTION" --with NAME begins one',
        )
    us = side or conversation.sides[0]
    if us not in conversation.sides:
        among = " and ".join(conversation.sides)
        raise NotFound(f"{us} is no side of {record.name}, only {among}")
    yield from _heading(record, conversation, us, known_by)
    yield from _issues(conversation, us)
    yield from _section(
        "What the detectors saw",
        [
            f"- **{firing.detector}**: {firing.text(_name(firing.side or us, us))}"
            for firing in conversation.fired
        ],
        NOTHING_FIRED,
    )
    yield from _proposed(record, patches or {})
    yield from _section(
        "Transcript",
        [f"**{_name(turn.actor, us)}** `{turn.verb}` {_plain(turn.headline)}" for turn in _turns(record)],
        NOTHING,
    )
    yield from ("---", WRITTEN)


def fingerprint_of(key: str | None, entry_id: str) -> str:
    """What tells an actor from another of the same name, in hex: its key's, else the id of its entry."""
    known = fingerprint(key)
    if known is None:
        return entry_id
    kind, _, digits = known.rpartition(":")
    return base64.b64decode(f"{digits}=").hex() if kind else digits.lower()


def _heading(
    record: DecisionRecord, conversation: Conversation, us: str, known_by: Fingerprint
) -> Iterator[str]:
    turns, them = _turns(record), conversation.ledgers.peer(us)
    ours = sum(turn.actor == us for turn in turns)
    known = known_by(them)
    shown = f" (`{known[:SHOWN_DIGITS]}…`)" if known else ""
    yield f"# {_plain(conversation.ledgers.of(us)[OBJECTIVE].title)}"
    yield ""
    counts = f"Turns: {len(turns)} total, {ours} ours"
    yield f"Mode: **{conversation.talk.mode}** · {counts} · With: {_plain(them)}{shown}"
    yield ""


def _issues(conversation: Conversation, us: str) -> Iterator[str]:
    """The sections that the ledgers fill."""
    agreed, still, left = conversation.sorted_out(us)
    yield from _section("Decision", [f"- {_plain(issue.said)}" for issue in agreed], NO_AGREEMENT)
    for heading, issues in (("Still open", still), ("Parked and escalated", left)):
        yield from _section(
            heading, [f"- **{key}** [{state}] {_plain(said)}" for key, state, said in issues], NOTHING
        )


def _proposed(record: DecisionRecord, patches: Mapping[str, str]) -> Iterator[str]:
    """Each patch that is not empty, with its branch, in a fence that nothing in it ends."""
    told = [
        (proposal, patches[proposal.patch])
        for _, proposal in record.of(Proposal)
        if patches.get(proposal.patch)
    ]
    if not told:
        return
    yield from ("## Proposed changes", "")
    for proposal, patch in told:
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", patch) or [""]))
        yield from (
            f"Branch {_plain(proposal.branch)}",
            "",
            f"{fence}diff",
            *patch.removesuffix("\n").split("\n"),
            fence,
            "",
        )


def _section(heading: str, said: list[str], empty: str) -> Iterator[str]:
    yield from (f"## {heading}", "", *(said or [empty]), "")


def _turns(record: DecisionRecord) -> list[Turn]:
    return [turn.entry for turn in record.of(Turn)]


def _name(actor: str, us: str) -> str:
    if actor == us:
        return "us"
    return f'"{actor}"' if actor.casefold() == "us" else _plain(actor)  # a name is a claim, this one as well


def _plain(text: str) -> str:
    r"""Text on one line that is nothing but text, by CommonMark 0.31."""
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", " ".join(text.split()))
