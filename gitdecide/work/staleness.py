"""What became of all that was ever read: every pinned path against one look at HEAD's tree."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from gitdecide.entries.evidence import real_path
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.store.index.numbers import Pin


def staleness(git: Git, objects: Objects, pins: Iterable[tuple[str, Pin]]) -> dict[str, Any] | None:
    """How many readings are fresh, changed, gone or not committed, and the records with stale ones.

    None on an unborn HEAD. `git` runs at the top of the working tree.
    """
    head = objects.resolve("HEAD^{commit}")
    if head is None:
        return None
    now = _tree(git, head)
    states: Counter[str] = Counter(fresh=0, changed=0, gone=0, uncommitted=0)
    stale: dict[str, None] = {}
    for record, pin in pins:
        state = _state(objects, now, pin)
        states[state] += 1
        if state in ("changed", "gone"):
            stale[record] = None
    return {**states, "records": list(stale)}


def _tree(git: Git, commit: str) -> dict[str, str]:
    """The id of everything in a commit's tree, folders too, by path."""
    listed = git.run("ls-tree", "-r", "-t", "-z", "--full-tree", commit, environ=PLAIN_OBJECTS).stdout
    lines = listed.decode("utf-8", "surrogateescape").split("\0")
    return {
        path: what.rpartition(" ")[2] for what, _, path in (line.partition("\t") for line in lines if line)
    }


def _state(objects: Objects, now: dict[str, str], pin: Pin) -> str:
    """As work.freshness says it of one record."""
    path = real_path(pin.path)
    there = now.get(path)
    if there is None:
        return "gone" if pin.commit else "uncommitted"
    if there == pin.blob:
        return "fresh"
    if pin.worktree and pin.commit and objects.resolve(f"{pin.commit}:{path}") == there:
        return "uncommitted"
    return "changed"
