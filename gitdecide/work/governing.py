"""Which paths a record governs: git's pathspecs against the files of HEAD and of the index."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import normpath

from gitdecide.git.changes import PLAIN_PATHSPECS, committed
from gitdecide.git.run import Git, GitError

_PATTERN = re.compile(r"^[:/]|[*?\[\\]")
"""What makes more of a pathspec than a path (gitglossary)."""

_ASKS_GIT = re.compile(r"^[:/]|[\[\\]")
"""What makes more of a pathspec than stars and question marks."""


def governing(git: Git, wordings: Iterable[str], path: str) -> list[str]:
    """Those lists of pathspecs, as JSON, that select a path or something below it; `git` runs at the top."""
    there = list(files(git, [f":(top,literal){path}"]))
    return [wording for wording in wordings if _governs(git, json.loads(wording), path, there)]


def selected(git: Git, specs: Sequence[str], commits: Sequence[str], changed: Sequence[str]) -> list[str]:
    """Those of the files that some commits change which pathspecs select; `git` runs at the top."""
    if "\0" in "".join(specs):  # which no command line can hold
        return []
    if all(spec == normpath(spec) and not _ASKS_GIT.search(spec) for spec in specs):
        return [file for file in changed if _below(file, specs) or _matches(file, specs)]
    try:
        found = {path for _, paths in committed(git, commits, specs) for path in paths}
    except GitError:  # whoever filed them may have written what git cannot read: that governs nothing
        return []
    return [file for file in changed if file in found]


def among(git: Git, spec: str, there: Sequence[str]) -> Iterable[str]:
    """The files that a pathspec selects; where it merely names a file or a folder, those of `there`, sorted.

    So git is not started for each of thousands.
    """
    if "\0" in spec:
        return ()
    if spec == "." or not _plain([spec]):
        return files(git, [spec])
    first, after = (bisect_left(there, f"{spec}{sign}") for sign in "/0")  # 0 is what follows a slash
    own = bisect_left(there, spec)
    return [*there[first:after], *(there[own : own + 1] if there[own : own + 1] == [spec] else ())]


def _governs(git: Git, specs: Sequence[str], path: str, there: Sequence[str]) -> bool:
    """Git is asked only for what more than names a file or a folder."""
    if "\0" in "".join(specs):  # which no command line can hold
        return False
    if _plain(specs):
        return any(_below(file, specs) for file in there)
    return any(file == path or file.startswith(f"{path}/") for file in files(git, specs))


def _plain(specs: Sequence[str]) -> bool:
    return all(spec == normpath(spec) and not _PATTERN.search(spec) for spec in specs)


def _matches(file: str, globs: Sequence[str]) -> bool:
    """As git matches without magic: a star stands for slashes as well."""
    return any(fnmatchcase(file, glob) for glob in globs)


def _below(file: str, folders: Sequence[str]) -> bool:
    return any(spec == "." or f"{file}/".startswith(f"{spec}/") for spec in folders)


def files(git: Git, pathspecs: Iterable[str]) -> Iterator[str]:
    """The files of HEAD or of the index that pathspecs select."""
    asked = ("ls-files", "-z", "--with-tree=HEAD", "--", *pathspecs)
    # Whoever filed them may have written what git cannot read: that governs nothing.
    listed = git.run(*asked, environ=PLAIN_PATHSPECS, ok=(0, 128)).stdout.decode("utf-8", "surrogateescape")
    return filter(None, listed.split("\0"))
