"""Decision records told step by step, without a repository."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from gitdecide.entries.document import dump, identify
from gitdecide.entries.names import RecordName, entry_file
from gitdecide.entries.record import DecisionRecord, File
from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Close,
    Decision,
    Entry,
    Evidence,
    FollowUp,
    Question,
    Replaced,
    Vote,
    type_name,
)

BEGIN = datetime(2026, 10, 19, 9, 14, 3, tzinfo=UTC)
READ = (Evidence(path="src/engine.py", blob="e" * 40, commit="c" * 40),)


def file(entry: Entry) -> File:
    """The file that holds an entry."""
    data = dump(entry)
    entry_id = identify(data, "sha1")
    return File(entry_file(type_name(entry), entry_id), entry_id, data)


class Story:
    """A question and what is said after it; each step comes after all so far, or after what it is given."""

    def __init__(self, number: int = 7, **fields: Any) -> None:
        self.files: list[File] = []
        self.heads: tuple[str, ...] = ()
        self.now = BEGIN
        said = {"question": "Add load_dataset?", "mode": "decide", **fields}
        self.question = self._file(Question(actor="ada", at=self._at(), number=number, **said))
        self.name = RecordName.of(number, self.question)

    @property
    def record(self) -> DecisionRecord:
        """What a reader makes of the folder."""
        return DecisionRecord.read(self.name, self.files)

    def say(
        self, kind: type[FollowUp], *, actor: str = "ada", after: Sequence[str] | None = None, **fields: Any
    ) -> str:
        """Add an entry, and return its id."""
        return self._file(self.make(kind, actor=actor, after=after, **fields))

    def make(
        self, kind: type[FollowUp], *, actor: str = "ada", after: Sequence[str] | None = None, **fields: Any
    ) -> Any:
        """An entry that could be added."""
        links = self.heads if after is None else tuple(after)
        return kind(
            actor=actor, at=self._at(), qid=self.question, after=links, **{**SAID.get(kind, {}), **fields}
        )

    def vote(self, actor: str = "ada", stance: str = "support", **fields: Any) -> str:
        """A vote; one that read something unless `read` says otherwise."""
        return self.say(Vote, actor=actor, stance=stance, **fields)

    def check(self, exit_code: int = 0, **fields: Any) -> str:
        """A check that ran: 0 holds, 1 fails, all else answers nothing."""
        result = {0: "holds", 1: "fails"}.get(exit_code, "inconclusive")
        return self.say(Check, **{"exit_code": exit_code, "result": result, **fields})

    def decide(self, outcome: str = "adopt", **fields: Any) -> str:
        """A decision, as the decider read something."""
        return self.say(Decision, outcome=outcome, **fields)

    def challenge(self, target: str, **fields: Any) -> str:
        """An objection by somebody who read something."""
        return self.say(Challenge, target=target, **{"read": READ, **fields})

    def answer(self, to: str, outcome: str = "reject", **fields: Any) -> str:
        """An answer to a challenge."""
        return self.say(Answer, to=to, outcome=outcome, **fields)

    def replaced(self, decision: str, by: str, **fields: Any) -> str:
        """The note that a decision of another record leaves."""
        return self.say(Replaced, decision=decision, by=by, **fields)

    def wait(self, **duration: float) -> None:
        """Let time pass before the next step."""
        self.now += timedelta(**duration)

    def _at(self) -> str:
        self.now += timedelta(microseconds=1)
        return f"{self.now:%Y-%m-%dT%H:%M:%S.%f}Z"

    def _file(self, entry: Entry) -> str:
        written = file(entry)
        self.files.append(written)
        earlier = entry.after if isinstance(entry, FollowUp) else ()
        self.heads = tuple(sorted({*self.heads, written.blob} - set(earlier)))
        return written.blob


SAID: dict[type[FollowUp], dict[str, Any]] = {
    Vote: {"stance": "support", "reason": "because", "read": READ},
    Check: {"command": ("grep", "-q", "load"), "source": "ran", "exit_code": 0, "result": "holds"},
    Challenge: {"claim": "it is not so"},
    Answer: {"outcome": "reject", "reason": "it is"},
    Decision: {"outcome": "adopt", "decision": "add it", "changes_code": False, "read": READ},
    Close: {"reason": "done"},
}
"""What a step says that the test does not care about."""


def foreign(decision: str = "f" * 40, number: int = 9) -> str:
    """A reference into another record."""
    return f"{RecordName(number, 'b81e0c55')}:{decision}"
