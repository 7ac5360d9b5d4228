"""Very many files added to a tree in one go: streamed through the user's `git fast-import` into one pack."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git import refs
from gitdecide.git.run import Git

REFS: Final = "refs/decisions-import"
"""Where a stream builds its commit for a moment; nothing shares what lies below it."""

_ORDERS: Final = ("fast-import", "--quiet", "--done", "--date-format=raw")
_UNPACKED: Final = "fastimport.unpackLimit=100"


def grown_tree(git: Git, commit: str, files: Iterable[tuple[str, bytes]]) -> str:
    """The tree of a commit with these files added; whoever commits it is the caller's matter.

    The paths are ours: plain ASCII. Raises GitError, and leaves nothing but objects that git will prune.
    """
    sweep(git)
    ref = f"{REFS}/{os.getpid()}"
    try:
        git.run("-c", _UNPACKED, *_ORDERS, stdin=b"".join(_stream(ref, commit, files)))
        return git.text("rev-parse", "--verify", f"{ref}^{{tree}}")
    finally:
        _delete(git, ref)


def sweep(git: Git) -> None:
    """Delete what streams left behind whose processes died."""
    for ref in git.text("for-each-ref", "--format=%(refname)", REFS).split():
        if not _runs(ref.rpartition("/")[2]):
            _delete(git, ref)


def _stream(ref: str, commit: str, files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    yield f"commit {ref}\ncommitter git-decide <git-decide@actor.invalid> 0 +0000\ndata 0\n".encode()
    yield f"from {commit}\n".encode()
    for path, data in files:
        yield b"M 100644 inline %s\ndata %d\n" % (path.encode("ascii"), len(data))
        yield data
        yield b"\n"
    yield b"done\n"


def _runs(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _delete(git: Git, ref: str) -> None:
    with suppress(DecideError):
        if old := refs.read(git, ref):
            git.run("update-ref", "-d", ref, old)
