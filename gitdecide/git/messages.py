"""The decisions that a commit message names: one parser for every hook, for verify and for why.

A line `Decision: DR-007-3f2a91c0` counts wherever it stands below the subject, because squash merges bury
trailers. It does not depend on anybody's trailer configuration.
"""

import re
from typing import NamedTuple

_LINE = re.compile(r"[ \t]*Decision[ \t]*:[ \t]*(?P<value>\S.*?)[ \t\r]*", re.IGNORECASE)
_NAMES = re.compile(r"DR-[0-9]", re.IGNORECASE)
_WAIVER = re.compile(r"none[ \t]*\([ \t]*(?P<reason>\S.*?)[ \t]*\)", re.IGNORECASE)
_SCISSORS = re.compile(r"(?P<comment>.+) -{24} >8 -{24}\r?")


class Linked(NamedTuple):
    """What a message says about decisions."""

    names: tuple[str, ...] = ()
    """As they were typed, each once; some may name nothing."""
    waiver: str | None = None
    """Why no decision governs the commit: `Decision: none (reason)`."""


def linked(message: str) -> Linked:
    """The decisions that a commit message names below its subject."""
    names: list[str] = []
    waiver = None
    _, _, below = message.lstrip("\r\n\t ").partition("\n")
    for line in below.split("\n"):
        value = match["value"] if (match := _LINE.fullmatch(line)) else ""
        if _NAMES.match(value):
            names += [name for name in map(str.strip, value.split(",")) if name]
        elif excuse := _WAIVER.fullmatch(value):
            waiver = excuse["reason"]
    return Linked(tuple(dict.fromkeys(names)), waiver)


def cut(message: str, comment: str | None = None) -> tuple[str, str | None]:
    """The message that is being written, and what its comments begin with when git's scissors line tells.

    Where it is known what comments begin with, no other line is git's.
    The scissors line and all that is below it are no part of the message.
    """
    kept: list[str] = []
    for line in message.split("\n"):
        scissors = _SCISSORS.fullmatch(line)
        if scissors and comment in (None, scissors["comment"]):
            return "\n".join([*kept, ""]), scissors["comment"]
        kept.append(line)
    return message, None


def rewording(message: str) -> bool:
    """True for a commit that `git rebase --autosquash` will melt into another one."""
    return message.lstrip("\r\n\t ").startswith(("fixup! ", "squash! ", "amend! "))
