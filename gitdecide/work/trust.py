"""How far each actor is trusted on this machine: kept in the repository's own git configuration."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gitdecide.entries.names import actor_path_name
from gitdecide.git.run import Git
from gitdecide.work.identity import Identity
from gitdecide.work.links import NOTHING_THERE

TALK: Final = 1
RERUN: Final = 2
PROPOSE: Final = 3

TIERS: Final = {TALK: "may talk", RERUN: "its checks may be rerun", PROPOSE: "may propose"}
"""What each tier lets an actor do, beside what the lower ones let it."""

_KEY: Final = re.compile(r"decide\.(.*)\.(trust|trustkey)")


def tiers(git: Git) -> Mapping[str, int]:
    """The tiers that were given here, by the path names of actors; what is no tier is the lowest."""
    return {name: int(value) if value in map(str, TIERS) else TALK for name, value in _given(git, "trust")}


def keys(git: Git) -> Mapping[str, str]:
    """The keys that checks of actors must be signed with to be rerun, by the actors' path names."""
    trusted = {name for name, level in tiers(git).items() if level >= RERUN}
    return {name: key for name, key in _given(git, "trustkey") if name in trusted}


def _given(git: Git, what: str) -> Iterator[tuple[str, str]]:
    """What trust says here, by the path names of actors.

    Only the repository's own file counts: what a command line or an environment says gives no trust.
    """
    listed = git.run("config", "--local", "-z", "--get-regexp", _KEY.pattern, ok=NOTHING_THERE).stdout
    for item in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, _, value = item.partition("\n")
        if (match := _KEY.fullmatch(key)) and match[2] == what:
            yield match[1], value


def tier(git: Git, who: Identity) -> int:
    """The tier of who speaks; the person at this machine has the highest, since it is theirs to give."""
    return PROPOSE if who.person else tiers(git).get(actor_path_name(who.name), TALK)


def give(git: Git, name: str, level: int, key: str | None = None) -> None:
    """Trust an actor so far, in this repository on this machine, and by the key that they have now.

    It is kept here: whoever may push could give somebody in the log a first key.
    """
    _set(git, f"decide.{actor_path_name(name)}.trust", str(level) if level > TALK else None)
    _set(git, f"decide.{actor_path_name(name)}.trustkey", key if level > TALK else None)


def _set(git: Git, key: str, value: str | None) -> None:
    if value is None:
        git.run("config", "--local", "--unset-all", key, ok=NOTHING_THERE)
    else:
        git.run("config", "--local", "--replace-all", key, value)
