"""The folders of a log: what is in each, which commit brought it, and what that commit found there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from gitdecide.audit.growth import Added
from gitdecide.audit.history import History
from gitdecide.entries.names import parse_patch_file
from gitdecide.entries.record import File
from gitdecide.git.objects import MissingObject, Objects

TOGETHER: Final = 100
"""How many folders are read at a time."""

Folder = tuple[list[File], list[str]]
"""The files of a folder, and the names of those whose content is missing."""


class Folders:
    """What the history added, upon what the proved commits had."""

    def __init__(self, objects: Objects, history: History, added: Mapping[str, Sequence[Added]]) -> None:
        self._objects = objects
        self._history = history
        self._added = added
        self._old = lru_cache(maxsize=10_000)(self._of_commit)

    def added(self, path: str) -> Sequence[Added]:
        """What the history added to a folder, in the order of its steps."""
        return self._added.get(path, ())

    def had(self, path: str, step: int) -> set[str]:
        """The blobs that a folder held in the trees of a commit's parents."""
        found = {blob for old in self._history.olds[step] for blob in self._old(old, path).values()}
        found.update(file.blob for file in self.added(path) if self._history.leads(file.step, step))
        return found

    def has(self, path: str, step: int) -> set[str]:
        """The blobs that a folder held in the tree of a commit itself."""
        return self.had(path, step) | {file.blob for file in self.added(path) if file.step == step}

    def grew_alone(self, path: str, step: int) -> bool:
        """True when all that was added to a folder before a step leads to that step."""
        return not self._history.basis and self._history.straight(self.added(path)[0].step, step)

    def read(self, path: str) -> Folder:
        """Every file that was ever added to a folder, with its content."""
        return next(self.read_all([path]))

    def read_all(self, paths: Iterable[str]) -> Iterator[Folder]:
        """Many folders, in order; their files are asked for together."""
        rest = iter(paths)
        while batch := list(islice(rest, TOGETHER)):
            listed = [self._listed(path) for path in batch]
            wanted = {blob for files in listed for name, blob in files if _is_read(name, blob)}
            contents = self._contents(sorted(wanted))
            yield from (self._folder(files, contents) for files in listed)

    def _listed(self, path: str) -> list[tuple[str, str]]:
        """Names with their blobs: a name that came with two contents stands twice."""
        old = [item for commit in self._history.basis for item in self._old(commit, path).items()]
        return list(dict.fromkeys([*old, *((file.name, file.blob) for file in self.added(path))]))

    def _folder(self, files: Iterable[tuple[str, str]], contents: Mapping[str, bytes]) -> Folder:
        there, missing = [], []
        for name, blob in files:
            if blob in contents or (not _is_read(name, blob) and self._objects.kind(blob) == "blob"):
                there.append(File(name, blob, contents.get(blob, b"")))
            else:
                missing.append(name)
        return there, missing

    def _contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        try:
            return dict(zip(blobs, self._objects.blobs(blobs), strict=True))
        except MissingObject:
            found = {}
            for blob in blobs:
                if self._objects.kind(blob) == "blob":
                    found[blob] = self._objects.blob(blob)
            return found

    def _of_commit(self, commit: str, path: str) -> dict[str, str]:
        tree = self._objects.subtree(commit, path) or {}
        return {name: entry.id for name, entry in tree.items() if not entry.is_tree}


def _is_read(name: str, blob: str) -> bool:
    """False for a patch, whose content is nobody's business here."""
    return parse_patch_file(name) != blob


def by_step(added: Iterable[Added]) -> dict[int, list[Added]]:
    """What was added together, in order."""
    steps: defaultdict[int, list[Added]] = defaultdict(list)
    for file in added:
        steps[file.step].append(file)
    return steps
