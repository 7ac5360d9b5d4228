"""Git with an index and a store of its own: until all is judged, nothing enters the user's repository."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work.borrowing import hooks_off, lend

STRICT: Final = tuple(
    word
    for setting in (
        "core.protectHFS=true",
        "core.protectNTFS=true",
        f"core.hooksPath={os.devnull}",
        "core.fsmonitor=false",
        "core.splitIndex=false",
        "core.untrackedCache=false",
        "core.sparseCheckout=false",
        "add.ignoreErrors=false",
    )
    for word in ("-c", setting)
)
"""What git is told before a verb here: names that are .git on any system are refused, and no hook runs."""


def quarantine(git: Git, repository: Repository, folder: Path) -> Git:
    """The user's git and settings, with an index and a store of objects in a new folder."""
    lend(git, folder / "objects")
    own = {
        "GIT_DIR": str(repository.git_dir),
        "GIT_INDEX_FILE": str(folder / "index"),
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
    }
    return Git(folder, {**git.environ, **own, **_given(git, hooks_off(git)), **PLAIN_OBJECTS})


def _given(git: Git, settings: Mapping[str, str]) -> dict[str, str]:
    """The variables that give git some settings, on top of those that the environment gives it already."""
    first = int(git.environ.get("GIT_CONFIG_COUNT") or 0)
    given = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, (key, value) in enumerate(settings.items(), first):
        given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return given


def release(git: Git, inside: Git, tree: str, base: str) -> None:
    """Bring a tree into the user's repository, with what it has more than a commit; no ref tells of it."""
    wanted = f"{tree}\n^{base}^{{tree}}\n".encode()
    pack = inside.run("pack-objects", "--quiet", "--revs", "--stdout", stdin=wanted).stdout
    git.run("unpack-objects", "-q", stdin=pack)
