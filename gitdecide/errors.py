"""The errors a user can cause or meet, and the exit codes they end in."""

from typing import Final

DONE: Final = 0
REFUSED: Final = 1
USAGE: Final = 2
CANNOT: Final = 3
DAMAGED: Final = 4
BUG: Final = 70
INTERRUPTED: Final = 130
CLOSED_PIPE: Final = 141


class DecideError(Exception):
    """Something the user must hear: one line, a hint where one helps, and an exit code."""

    exit: int = CANNOT

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(DecideError):
    """The words of the command line, or of a file given with -F, are off."""

    exit = USAGE


class NotFound(DecideError):
    """A name that names nothing, or more than one thing."""


class Damaged(DecideError):
    """The log is incomplete or damaged where it was read."""

    exit = DAMAGED
