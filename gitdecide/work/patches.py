"""Patches: made of two trees in one form for ever, and applied to a tree where they keep within it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from gitdecide.entries import secrets
from gitdecide.errors import REFUSED, DecideError
from gitdecide.git.objects import COMMIT_MODE
from gitdecide.git.run import Git, GitError
from gitdecide.store.log import HoldsSecret
from gitdecide.work.quarantine import STRICT

LIMIT: Final = 5 * 1024 * 1024
"""Bytes of the largest patch that the log takes."""

_LINK_MODE: Final = 0o120000
_STEERING: Final = (".gitattributes", ".gitmodules")

_FORM: Final = (
    "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none",
)  # fmt: skip
_PATCH: Final = (
    "-p", "--binary", "--full-index", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "-M",
    "-l1000", "-U3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic",
)  # fmt: skip
"""Everything that a configuration could say otherwise."""

_PLAIN: Final = {"GIT_DIFF_OPTS": "", "GIT_EXTERNAL_DIFF": "", "GIT_ATTR_NOSYSTEM": "1"}
_SETTINGS: Final = ("-c", "core.quotePath=true", "-c", "diff.suppressBlankEmpty=false")

_CONVERTED: Final = re.compile(rb"^(?:diff --git .*|--- .*\r\n\+\+\+ .*)\r$", re.MULTILINE)
"""The head of a patch whose own lines were given carriage returns: git writes none there."""


class Unfit(DecideError):
    """What cannot be a proposal, or cannot be applied; nothing was changed."""

    exit = REFUSED


def made(git: Git, old: str, new: str) -> bytes:
    """The patch between two trees, binary-safe. Raises Unfit for one that is too large."""
    return _bounded(git, LIMIT, *_PATCH, old, new)


def applied(inside: Git, commit: str, patch: bytes) -> str:
    """The tree that a patch makes of a commit's, in the quarantine. Raises Unfit with git's reason.

    No working tree has a part in it: no line ending is converted, and no link is followed.
    """
    if len(patch) > LIMIT:
        raise _too_large()
    if not patch.strip():
        raise Unfit("the patch is empty")
    if _CONVERTED.search(patch):
        raise Unfit("the patch's own lines end in carriage returns: something converted it on its way")
    how = ("--cached", "--whitespace=nowarn", "--no-ignore-whitespace")
    inside.run(*STRICT, "read-tree", commit)
    try:
        inside.run(*STRICT, "apply", *how, "-", stdin=patch)
    except GitError as error:
        if b"No valid patches" in error.stderr:  # what git then advises is for another command
            raise Unfit("that is no patch: nothing in it says what to change") from None
        raise Unfit(f"the patch does not fit: {error.message}") from None
    return inside.text(*STRICT, "write-tree")


def changes(git: Git, old: str, new: str | None = None) -> Iterator[tuple[str, frozenset[int], str]]:
    """Each path that differs between two trees: its status, the modes it had and has, and its name.

    Without a second tree the index is what the first is compared with.
    """
    compared = ("diff-tree", old, new) if new else ("diff-index", "--cached", old)
    words = (compared[0], "--raw", "-z", "--no-renames", *_FORM, *compared[1:])
    fields = iter(git.run(*words).stdout.split(b"\0"))
    for field in filter(None, fields):
        before, after, *_, status = field.decode().removeprefix(":").split(" ")
        path = next(fields).decode("utf-8", "surrogateescape")
        yield status, frozenset({int(before, 8), int(after, 8)}), path


def notable(git: Git, old: str, new: str) -> list[str]:
    """What somebody should look at before a patch is applied: links, submodules, and what steers git."""
    found = []
    for status, modes, path in changes(git, old, new):
        does = {"A": "adds", "D": "removes"}.get(status, "changes")
        if _LINK_MODE in modes:
            found.append(f"it {does} a symbolic link: {path}")
        elif COMMIT_MODE in modes:
            found.append(f"it {does} a submodule: {path}")
        elif PurePosixPath(path).name.lower() in _STEERING:
            found.append(f"it {does} what tells git how to treat files: {path}")
    return found


def check_secrets(git: Git, old: str, new: str) -> None:
    """Raise HoldsSecret when the lines that a patch adds hold one, be it in a file that counts as binary."""
    lines = _bounded(git, 8 * LIMIT, "-p", "--text", "-U0", "--no-renames", old, new).split(b"\n")
    added = b"\n".join(line[1:] for line in lines if line.startswith(b"+"))
    if kind := secrets.find(added.decode("utf-8", "replace")):
        raise HoldsSecret(f"the patch adds {kind}, and the log never forgets")


def _bounded(git: Git, limit: int, *options: str) -> bytes:
    """What diff-tree says, as long as it is not too long."""
    words: Sequence[str] = (*_SETTINGS, "diff-tree", *_FORM, *options)
    with git.start(*words, environ=_PLAIN) as process:
        pipes = (process.stdin, process.stdout, process.stderr)
        stdin, stdout, stderr = (pipe for pipe in pipes if pipe)
        stdin.close()
        data: bytes = stdout.read(limit + 1)
        if len(data) > limit:
            process.kill()
            raise _too_large()
        said = stderr.read()
    if process.returncode:
        raise GitError(words, process.returncode, said)
    return data


def _too_large() -> Unfit:
    return Unfit(f"the patch is larger than {LIMIT // 1024 // 1024} MiB")
