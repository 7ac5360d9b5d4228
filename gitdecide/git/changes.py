"""Which files commits change, as git's pathspecs select them, at the top of the tree.

Paths keep bytes that are not UTF-8 as lone surrogates.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from gitdecide.git.run import Git

PLAIN_OBJECTS: Final = {"GIT_NO_REPLACE_OBJECTS": "1"}
"""A commit is what its id stands for, whatever refs/replace says."""

PLAIN_PATHSPECS: Final = {f"GIT_{kind}_PATHSPECS": "0" for kind in ("LITERAL", "GLOB", "NOGLOB", "ICASE")}
"""Magit sets GIT_LITERAL_PATHSPECS, and src/** would then match nothing."""

BATCH: Final = 2000
"""How many commits one diff-tree looks at, so that the memory for its answer is bounded."""

_FORM: Final = ("--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none")


def staged(git: Git, pathspecs: Sequence[str], base: str) -> list[str]:
    """The files in which the index that git hands us differs from a tree; `git` runs at the top."""
    if not pathspecs:  # which git would take for everything
        return []
    selected = ("diff-index", "--cached", "--ita-invisible-in-index", *_FORM, base, "--", *pathspecs)
    return list(_names(git.run(*selected, environ=PLAIN_PATHSPECS).stdout))


def committed(git: Git, commits: Iterable[str], pathspecs: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each commit with the files that it changes: a merge those that differ from every parent."""
    if not pathspecs:
        yield from ((commit, []) for commit in commits)
        return
    rest = iter(commits)
    while batch := list(islice(rest, BATCH)):
        asked = "".join(f"{commit}\n" for commit in batch).encode()
        selected = ("diff-tree", "--stdin", "--root", "-r", "-c", "--always", *_FORM, "--", *pathspecs)
        yield from _by_commit(git.run(*selected, stdin=asked, environ=PLAIN_PATHSPECS | PLAIN_OBJECTS).stdout)


def _by_commit(raw: bytes) -> Iterator[tuple[str, list[str]]]:
    """A change begins with a colon and its name follows; what does not is a commit."""
    fields = iter(raw.split(b"\0"))
    commit, paths = "", list[str]()
    for field in fields:
        if field.startswith(b":"):
            paths.append(next(fields).decode("utf-8", "surrogateescape"))
        elif field:
            if commit:
                yield commit, paths
            commit, paths = field.decode(), []
    if commit:
        yield commit, paths


def _names(raw: bytes) -> Iterator[str]:
    fields = iter(raw.split(b"\0"))
    return (next(fields).decode("utf-8", "surrogateescape") for field in fields if field)
