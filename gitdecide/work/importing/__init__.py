"""Records of other tools made entries: what is new, what is known, and what a changed file adds."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

from gitdecide.output import Bar, visible
from gitdecide.store.log import Addition
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.importing.composing import Composed, Outcome
from gitdecide.work.importing.sources import Source, sources
from gitdecide.work.writer import Writer

__all__ = ["Import", "Outcome", "sources"]

TOLD: Final = 100
"""How many records the message of a commit names."""


class _NothingNewError(Exception):
    """Nothing is to be added: the log stays as it is."""


class Import:
    """Brings the files of one format into the log, all in one commit."""

    def __init__(self, writer: Writer, name: str, sources: Iterable[Source], bar: Callable[[], Bar]) -> None:
        self.writer = writer
        self.name = name
        self.sources = list(sources)
        self.outcomes: list[Outcome] = []
        self._bar = bar

    def run(self, *, dry_run: bool) -> list[Outcome]:
        """What became of every file, in order; with `dry_run` nothing is written. Raises as Log.append."""
        with suppress(_NothingNewError):
            if dry_run:
                self._compose(self.writer.log.snapshot())
            else:
                self.writer.log.append(self._compose)
        return self.outcomes

    def _compose(self, snapshot: Snapshot) -> Addition:
        composed = Composed(self.writer, self.name, self.sources, snapshot)
        bar = self._bar()
        composed.run(bar)
        bar.clear()
        self.outcomes = [composed.outcomes[place] for place in sorted(composed.outcomes)]
        if not composed.draft.filed:
            raise _NothingNewError
        return self.writer.addition(composed.draft.filed, snapshot, self._message())

    def _message(self) -> str:
        told = [outcome for outcome in self.outcomes if outcome.fate in ("taken", "changed")]
        records = {outcome.record for outcome in told}
        count = f"{len(records)} record{'s' * (len(records) != 1)}"
        subject = f"import: {count} of {self.name} by {self.writer.identity.name}"
        more = [f"and {len(told) - TOLD} more"] if len(told) > TOLD else []
        lines = (subject, "", *(outcome.line for outcome in told[:TOLD]), *more)
        return "\n".join(map(visible, lines)) + "\n"
