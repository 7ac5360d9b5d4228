"""The commits of a log that are not proved yet: what each changed, and which of them leads to which."""

import os
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from gitdecide.git.changes import BATCH, PLAIN_OBJECTS
from gitdecide.git.run import Git

PLAIN: Final = {**PLAIN_OBJECTS, "GIT_GRAFT_FILE": os.devnull}
"""The history is what the commits say, whatever refs/replace and info/grafts claim."""

_FORM: Final = ("--stdin", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")

Span = tuple[int, int]
"""Steps that follow each other, first and last."""


class Change(NamedTuple):
    """One path that a commit changed: git's letter for how (one a parent), mode and blob before and after."""

    status: str
    mode: int
    old: str
    blob: str
    path: str


class Step(NamedTuple):
    """One commit: its place in the order, its author's name, and what it changed."""

    place: int
    author: bytes
    changes: list[Change]


class History:
    """Commits, parents before children. A step is a commit's place in that order.

    `since` are commits that are proved, with all that leads to them; `truncated` says of a commit without
    parents whether they were cut off, by a shallow clone. Both bound the history, and are its `basis`.
    Raises GitError for a commit that is not there.
    """

    def __init__(self, git: Git, tip: str, since: Collection[str], truncated: Callable[[str], bool]) -> None:
        self._git = git
        self.commits: list[str] = []
        self.parents: list[tuple[int, ...]] = []
        self.olds: list[frozenset[str]] = []
        """The proved commits that each step follows first, on every way back."""
        self.merges: dict[int, list[str]] = {}
        """The parents of every merge."""
        self.truncated: list[str] = []
        self._places: dict[str, int] = {}
        self._spans: list[tuple[Span, ...]] = []
        self._starts: list[int] = []
        asked = "\n".join([tip, *(f"^{commit}" for commit in since), ""]).encode()
        listed = ("rev-list", "--topo-order", "--reverse", "--parents", "--stdin")
        for line in git.run(*listed, stdin=asked, environ=PLAIN).stdout.decode().splitlines():
            commit, *parents = line.split(" ")
            if not parents and truncated(commit):
                self.truncated.append(commit)
            else:
                self._add(commit, parents)
        self.basis = (*since, *self.truncated)

    def _add(self, commit: str, parents: list[str]) -> None:
        place = self._places[commit] = len(self.commits)
        if len(parents) > 1:
            self.merges[place] = parents
        known = tuple(self._places[parent] for parent in parents if parent in self._places)
        olds = frozenset(parent for parent in parents if parent not in self._places)
        self.commits.append(commit)
        self.parents.append(known)
        if known == (place - 1,) and not olds:  # the usual case shares everything with the step before
            self.olds.append(self.olds[-1])
            self._spans.append(self._spans[-1])
            self._starts.append(self._starts[-1])
        else:
            self.olds.append(olds.union(*(self.olds[parent] for parent in known)))
            spans = [span for parent in known for span in (*self._spans[parent], self._last(parent))]
            *before, (start, _) = _joined([*spans, (place, place)])
            self._spans.append(tuple(before))
            self._starts.append(start)

    def straight(self, first: int, step: int) -> bool:
        """True when every step from the first to the one before this leads to it."""
        return self._starts[step] <= first

    def leads(self, earlier: int, step: int) -> bool:
        """True when one step is among what another follows."""
        if earlier >= self._starts[step]:
            return earlier < step
        spans = self._spans[step]
        found = bisect_right(spans, earlier, key=lambda span: span[0])
        return found > 0 and earlier <= spans[found - 1][1]

    def steps(self) -> Iterator[Step]:
        """Every commit with what it changed; a merge with what it has from none of its parents."""
        form = ("--root", "-c", "--always", "--encoding=UTF-8", "--pretty=tformat:%H%x1f%an")
        for commit, rest, changes in self._diffs(self.commits, *form):
            yield Step(self._places[commit], rest, changes)

    def losses(self) -> Iterator[Step]:
        """Every merge with what a parent has and the merge has not, or has in another way."""
        pairs = (
            f"{self.commits[place]} {parent}" for place, parents in self.merges.items() for parent in parents
        )
        for commit, rest, changes in self._diffs(pairs, "--diff-filter=a"):
            yield Step(self._places[commit], rest, changes)

    def _diffs(self, asked: Iterable[str], *form: str) -> Iterator[tuple[str, bytes, list[Change]]]:
        rest = iter(asked)
        while batch := list(islice(rest, BATCH)):
            lines = "".join(f"{line}\n" for line in batch).encode()
            raw = self._git.run("diff-tree", *_FORM, *form, stdin=lines, environ=PLAIN).stdout
            yield from _by_commit(raw)

    def _last(self, step: int) -> Span:
        return self._starts[step], step


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The same steps in as few spans as can be, in order."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def _by_commit(raw: bytes) -> Iterator[tuple[str, bytes, list[Change]]]:
    """A change begins with a colon and its path follows; anything else is a commit, and its author."""
    fields = iter(raw.split(b"\0"))
    commit, author, changes = "", b"", list[Change]()
    for said in fields:
        field = said.removeprefix(b"\n")  # which stands between a commit and its first change
        if field.startswith(b":"):
            changes.append(_change(field, next(fields)))
        elif field:
            if commit:
                yield commit, author, changes
            head, _, author = field.partition(b"\x1f")
            commit, changes = head.decode(), []
    if commit:
        yield commit, author, changes


def _change(field: bytes, path: bytes) -> Change:
    """One change against each of so many parents as there are colons."""
    modes = field.decode().split(" ")
    count = modes[0].count(":")
    return Change(
        modes[-1], int(modes[count], 8), modes[count + 1], modes[-2], path.decode("utf-8", "surrogateescape")
    )
