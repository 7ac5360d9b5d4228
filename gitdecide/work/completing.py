"""Names of records for shells, which ask with every key: fast, or not at all."""

from itertools import islice
from typing import TYPE_CHECKING, Final

from gitdecide.store.log import Log

if TYPE_CHECKING:
    from gitdecide.store.index.file import Index

MOST: Final = 200
"""Names that a shell is given at once; what is typed chooses among all."""


def names(log: Log, index: "Index", typed: str) -> list[tuple[str, str]]:
    """The newest records whose names begin so, with their questions where an index is there to tell them.

    Raises NoLog and Damaged as the log does.
    """
    if index.made:
        from gitdecide.store.index.questions import begin

        return index.ask(begin(typed, MOST))
    known = map(str, log.snapshot().names())
    return [(name, "") for name in islice((n for n in known if n.lower().startswith(typed.lower())), MOST)]
