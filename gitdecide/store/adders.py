"""Which commits of a log added which files, and which of them lead to which."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from gitdecide.git.changes import PLAIN_OBJECTS, PLAIN_PATHSPECS
from gitdecide.git.run import Git
from gitdecide.store.additions import RAW

_FORM: Final = (
    "-c", "log.showRoot=true", "log", "--full-history", "--parents", "--topo-order", "--format=%H %P",
    "--no-show-signature", "--no-color", "--no-ext-diff", "--no-relative",
)  # fmt: skip
"""A file that two histories added is seen in both: no commit hides behind another that adds the same."""


class History:
    """The commits that lead to a tip and touch some paths, children before parents, with the merges."""

    def __init__(self, git: Git, tip: str, paths: Sequence[str]) -> None:
        self.commits: list[tuple[str, list[str]]] = []
        """Each with the next ones of them that lead to it."""
        self.adders: defaultdict[str, list[str]] = defaultdict(list)
        """By the path of a file: the commits that added it."""
        asked = (*_FORM, *RAW, tip, "--", *(f":(top){path}" for path in paths))
        fields = iter(git.run(*asked, environ={**PLAIN_PATHSPECS, **PLAIN_OBJECTS}).stdout.split(b"\0"))
        for said in fields:
            field = said.removeprefix(b"\n")
            if field.startswith(b":"):
                path = next(fields).decode("utf-8", "surrogateescape")
                if field.endswith(b" A"):
                    self.adders[path].append(self.commits[-1][0])
            elif field:
                commit, *parents = field.decode().split()
                self.commits.append((commit, parents))

    def adding(self, paths: Collection[str]) -> dict[str, list[str]]:
        """The commits that added some files, each with those files."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(paths):
            for commit in self.adders.get(path, ()):
                found[commit].append(path)
        return dict(found)

    def leading(self, marks: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        """Every commit with the marks of all that it leads to, and its own."""
        found = defaultdict[str, frozenset[str]](frozenset, marks)
        for commit, parents in self.commits:
            for parent in parents:
                if not found[commit] <= found[parent]:
                    found[parent] |= found[commit]
        return found
