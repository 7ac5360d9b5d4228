"""Whether what was read is still so: the evidence of a record against HEAD."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from gitdecide.entries.evidence import real_path
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Evidence
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git, GitError
from gitdecide.work.reading import entry_at


class Freshness(NamedTuple):
    """What became of a path since it was read, by what HEAD has; the working tree is not looked at."""

    state: Literal["fresh", "changed", "gone", "uncommitted"]
    """Uncommitted: what was read lay in the working tree, and HEAD does not have it."""
    commits: int | None = None
    """How many commits changed it since; None where that cannot be counted."""

    def __str__(self) -> str:
        if self.state != "changed":
            return {"uncommitted": "not committed"}.get(self.state, self.state)
        if not self.commits:
            return "changed since"
        return f"changed since ({self.commits} commit{'s' * (self.commits > 1)})"


def freshness(
    record: DecisionRecord, top: Callable[[], Git], objects: Objects, at: str = "HEAD"
) -> Mapping[Evidence, Freshness]:
    """What became of every path that the entries of a record name as read; empty on an unborn HEAD.

    `top` finds the git that runs at the top of the working tree, which only what changed needs; `at` is the
    commit to compare with.
    """
    head = objects.resolve(f"{at}^{{commit}}")
    if head is None:
        return {}
    return {evidence: compared(evidence, head, top, objects) for evidence in dict.fromkeys(pinned(record))}


def as_data(states: Mapping[Evidence, Freshness]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {"path": read.path, "commit": read.commit, "blob": read.blob, **state._asdict()}
        for read, state in states.items()
    ]


def pinned(record: DecisionRecord) -> Iterator[Evidence]:
    """The paths that the entries of a record name as read, each as it then was."""
    for _, entry in record.entries:
        for evidence in getattr(entry, "read", ()):
            if evidence.path is not None and evidence.blob is not None:
                yield evidence


def compared(read: Evidence, head: str, top: Callable[[], Git], objects: Objects) -> Freshness:
    """What became of one of them, by what the commit `head` has."""
    path = real_path(read.path or "")
    now = entry_at(objects, head, path)
    if now is None:
        return Freshness("gone" if read.commit else "uncommitted")
    if now.id == read.blob:
        return Freshness("fresh")
    commits = _changes(path, read.commit, head, top) if read.commit else None
    return Freshness("uncommitted" if read.worktree and commits == 0 else "changed", commits)


def _changes(path: str, since: str, head: str, top: Callable[[], Git]) -> int | None:
    """How many commits on the way from one commit to another changed a path."""
    try:
        return int(top().text("--literal-pathspecs", "rev-list", "--count", f"{since}..{head}", "--", path))
    except GitError:  # a shallow clone may not have the commit that was read
        return None
