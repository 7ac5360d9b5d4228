"""What of the log one state has and another has not, and whether all of it is here."""

from pathlib import Path
from typing import Final

from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git

RAW: Final = ("--raw", "-z", "-r", "--no-renames", "--no-abbrev", "--ignore-submodules=none")


def truncated(objects: Objects, common_dir: Path) -> bool:
    """True when a history in this repository that is a log's was cut short by a shallow fetch."""
    try:
        cut = (common_dir / "shallow").read_text("ascii").split()
    except OSError:
        return False
    return any(objects.subtree(commit, "format") for commit in cut)


def differences(git: Git, old: str, new: str) -> tuple[list[str], list[str]]:
    """The files that only the new one of two states of the log has, and those that only the old one has."""
    fields = iter(git.run("diff-tree", *RAW, old, new, environ=PLAIN_OBJECTS).stdout.split(b"\0"))
    only: dict[bytes, list[str]] = {b"A": [], b"D": []}
    for field in filter(None, fields):
        path = next(fields).decode("utf-8", "surrogateescape")
        only.setdefault(field[-1:], []).append(path)
    return only[b"A"], only[b"D"]
