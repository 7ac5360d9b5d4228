"""One point of an examination, and who is examined."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal, NamedTuple, Self

from gitdecide.errors import DONE, REFUSED
from gitdecide.git.bulk import Way
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store.log import Log

WHOLE: Final = "git decide fsck"


class Point(NamedTuple):
    """What was found about one thing, how good that is, and what to do about it."""

    level: Literal["ok", "advice", "wrong"]
    says: str
    do: str | None = None
    exit: int = DONE
    """What the command must end in for this point."""
    name: str = ""

    @classmethod
    def ok(cls, says: str) -> Self:
        """All is well."""
        return cls("ok", says)

    @classmethod
    def advice(cls, says: str, do: str | None) -> Self:
        """Nothing is wrong, and something could be better."""
        return cls("advice", says, do)

    @classmethod
    def wrong(cls, says: str, do: str | None, code: int = REFUSED) -> Self:
        """Something that stands in the way."""
        return cls("wrong", says, do, code)


class Patient(NamedTuple):
    """What is examined; what may not be there is asked for when its turn comes, and raises DecideError."""

    git: Git
    objects: Objects
    repository: Callable[[], Repository]
    log: Callable[[], Log]
    way: Callable[[], Way]
    now: Callable[[], datetime]


def count(number: int, thing: str) -> str:
    """A number of things, in words."""
    return f"{number} {thing}{'s' * (number != 1)}"
