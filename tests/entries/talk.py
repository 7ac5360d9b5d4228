"""Conversations told turn by turn, without a repository."""

from collections.abc import Sequence
from typing import Any

from gitdecide.entries.conversation import Conversation, folded
from gitdecide.entries.types import LedgerMove, Participant, Turn
from tests.entries.story import Story

SHA = "a" * 64


def moves(*typed: str) -> tuple[LedgerMove, ...]:
    """Moves typed as ID=STATE[:REASON], or as ID+TITLE for what is added."""
    made = []
    for text in typed:
        key, plus, title = text.partition("+")
        if plus:
            made.append(LedgerMove(issue=key, title=title, state="open"))
        else:
            key, _, rest = text.partition("=")
            state, _, reason = rest.partition(":")
            made.append(LedgerMove(issue=key, state=state, reason=reason or None))  # type: ignore[arg-type]
    return tuple(made)


class Talk(Story):
    """A conversation that ada began with dave."""

    def __init__(self, mode: str = "decide", **fields: Any) -> None:
        asked = {"mode": mode, "question": "Which mesh format?", "participants": (Participant(actor="dave"),)}
        super().__init__(**{**asked, **fields})

    def turn(
        self, actor: str, verb: str, *ledger: str, after: Sequence[str] | None = None, **fields: Any
    ) -> str:
        """A turn, and its id; the headline is another one each time unless it is given."""
        said = {"headline": f"word {len(self.files)}", **fields}
        return self.say(Turn, actor=actor, after=after, verb=verb, ledger=moves(*ledger), **said)

    def could(self, actor: str, verb: str, *ledger: str, **fields: Any) -> Turn:
        """A turn that could be added."""
        turn: Turn = self.make(
            Turn, actor=actor, verb=verb, ledger=moves(*ledger), **{"headline": "so", **fields}
        )
        return turn

    @property
    def folded(self) -> Conversation:
        """What the turns come to."""
        conversation = folded(self.record)
        assert conversation
        return conversation

    @property
    def fired(self) -> list[str]:
        """What the detectors saw, each as its name and its sentence."""
        return [f"{firing.detector}: {firing.text()}" for firing in self.folded.fired]

    def state(self, side: str, key: str = "i-01") -> str | None:
        """Where an issue stands in a side's own ledger; None for one that it does not have."""
        issue = self.folded.ledgers.of(side).get(key)
        return issue.state if issue else None

    def sign_all(self) -> None:
        """Both sides red-team and sign one artefact."""
        for side in ("ada", "dave"):
            self.turn(side, "RED_TEAM", "i-01=agreed", gave_up=("speed",))
            self.turn(side, "SIGN", "i-01=agreed", signs=SHA)
