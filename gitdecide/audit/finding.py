"""What an audit says of a log."""

from typing import Final, NamedTuple

NEWER: Final = "newer"
"""The kind of what a newer git-decide wrote: no fault, but nothing that this one can prove."""


class Finding(NamedTuple):
    """One thing that an audit found: the commit that brought it, the file, and one sentence."""

    kind: str
    """What did not hold: the code of a rule, or one of the words that docs/log-format.md explains."""
    message: str
    commit: str
    path: str = ""
    """From the top of the log's tree; empty where it is about the whole commit."""
    fatal: bool = False
    """True for a history that no clone may take over: something was changed, removed or asked twice."""

    @property
    def fault(self) -> bool:
        """False for what is merely newer than this program."""
        return self.kind != NEWER
