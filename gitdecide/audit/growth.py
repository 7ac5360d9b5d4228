"""Whether a log only grew, each file in its place; and what was added where."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from gitdecide.audit.finding import NEWER, Finding
from gitdecide.audit.history import Change, History, Step
from gitdecide.entries.names import RecordName
from gitdecide.git.objects import FILE_MODE
from gitdecide.git.raw import decoded
from gitdecide.store.layout import FORMAT

_KINDS = {0o120000: "a symbolic link", 0o160000: "a submodule", 0o100755: "executable"}


class Added(NamedTuple):
    """A file that a step added to a folder."""

    step: int
    name: str
    blob: str


class Growth:
    """Reads a history once; what it finds fault with is not looked at again."""

    def __init__(self, history: History, root: str) -> None:
        self.history = history
        self.root = root
        """The commit that every log begins with."""
        self.added: defaultdict[str, list[Added]] = defaultdict(list)
        """By folder, in the order of the steps."""
        self.authors: list[str] = []
        """The author's name of each step."""
        self.blamed: set[str] = set()
        """The paths of files whose place is at fault already."""

    def findings(self, progress: Callable[[float], None]) -> Iterator[Finding]:
        """What does not fit a log that only grows; fills `added`, `authors` and `blamed`."""
        names: dict[bytes, str] = {}
        for commit in self.history.truncated:
            yield Finding("truncated", "the history ends here: what came before was not fetched", commit)
        for step in self.history.steps():
            progress(step.place / len(self.history.commits))
            self.authors.append(names.setdefault(step.author, decoded(step.author)))
            commit = self.history.commits[step.place]
            if step.place in self.history.merges:
                yield from self._merged(step)
            elif commit != self.root:
                if not self.history.parents[step.place] and not self.history.olds[step.place]:
                    yield self._found(step, "root", f"every log begins with the commit {self.root}")
                yield from self._grown(step)
        yield from dict.fromkeys(found for merge in self.history.losses() for found in self._lost(merge))

    def _grown(self, step: Step) -> Iterator[Finding]:
        """What an ordinary commit did beside adding files, and where it put them."""
        added = {change.path: change for change in step.changes if change.status == "A"}
        if len(added) < len(step.changes):
            yield from self._undone(step, [change for change in step.changes if change.status != "A"], added)
        for change in added.values():
            yield from self._placed(step, change)

    def _undone(self, step: Step, undone: list[Change], added: dict[str, Change]) -> Iterator[Finding]:
        """What was changed or removed; what was merely moved is taken off what was added."""
        copies = {change.blob: change.path for change in reversed(added.values())}
        inside: defaultdict[str, list[str]] = defaultdict(list)
        for path in added:
            for folder in accumulate(path.split("/")[:-1], "{}/{}".format):
                inside[folder].append(path)
        for change in undone:
            below = inside.get(change.path, [])
            new = copies.pop(change.old, None) if change.status == "D" and not below else None
            for path in [new] if new else below:
                added.pop(path, None)
                self.blamed.add(path)
            if below:
                said = "a folder took its place"
            elif new:
                said = f"was moved to {new}"
            elif change.status == "D":
                said = "was removed"
            elif change.mode != FILE_MODE:
                said = f"was made {_KINDS.get(change.mode, f'{change.mode:o}')}"
            else:
                said = "was changed"
            yield self._found(step, "changed", said, change.path, fatal=True)

    def _merged(self, step: Step) -> Iterator[Finding]:
        """What a merge added of its own."""
        for change in step.changes:
            if set(change.status) == {"A"}:
                yield self._found(
                    step, "merge", "the merge adds it, and none of its parents has it", change.path
                )
                self.blamed.add(change.path)
                self._file(step, change)

    def _lost(self, merge: Step) -> Iterator[Finding]:
        """What a merge has not, or not as its parents have it."""
        for change in merge.changes:
            done = "drops" if change.status == "D" else "changes"
            yield self._found(merge, "merge", f"the merge {done} it", change.path, fatal=True)

    def _placed(self, step: Step, change: Change) -> Iterator[Finding]:
        if change.mode != FILE_MODE:
            kind = _KINDS.get(change.mode, f"of mode {change.mode:o}")
            yield self._found(step, "place", f"is {kind}, and not an ordinary file", change.path)
        elif not self._file(step, change):
            folder, _, name = change.path.partition("/")
            if folder == "format" and name.isdecimal():
                if name != FORMAT:
                    yield self._found(
                        step, NEWER, f"format {name} is newer than this git-decide", change.path
                    )
            else:
                yield self._found(step, "place", "is no place for an entry", change.path)

    def _file(self, step: Step, change: Change) -> bool:
        """Note a file in its folder; False for a path that is no entry's."""
        folder, _, name = change.path.rpartition("/")
        if folder not in self.added and not is_place(folder):
            return False
        self.added[folder].append(Added(step.place, name, change.blob))
        return True

    def _found(self, step: Step, kind: str, said: str, path: str = "", *, fatal: bool = False) -> Finding:
        return Finding(kind, said, self.history.commits[step.place], path, fatal)


def is_place(folder: str) -> bool:
    """True for the folder of an actor or of a record, in its bucket."""
    kind, _, inside = folder.partition("/")
    if kind == "actors":
        return bool(inside) and "/" not in inside
    name = RecordName.parse(inside.rpartition("/")[2])
    return name is not None and name.path == folder
