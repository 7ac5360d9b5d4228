"""Refs, moved by the user's git from the value they must still have; and the lock that makes it fast."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.run import Git, GitError

LOCKED: Final = (
    b".lock': File exists", b"cannot lock references", b"data is locked", b"data concurrently modified",
)  # fmt: skip
"""How git says so in the C locale, for files and for reftable: the lock may be gone when we look."""


class RefMoved(DecideError):
    """The ref is no longer where it was read: somebody was faster."""


class LockedRef(DecideError):
    """Somebody is moving the ref at this moment, or died doing so."""


def read(git: Git, name: str) -> str | None:
    """The object id that a ref with this full name holds, None when there is no such ref."""
    done = git.run("show-ref", "--verify", "--hash", "--", name, ok=(0, 1, 128))
    return done.stdout.decode().strip() or None


def is_full_name(git: Git, name: str) -> bool:
    """True for what can be a ref by its full name, refs/heads/decisions; whether it exists is not asked."""
    return name.startswith("refs/") and git.run("check-ref-format", name, ok=(0, 1)).code == 0


def exists(git: Git, name: str) -> bool:
    """True for a ref that is there, whatever it holds: one that git cannot read it names on stderr.

    Of a reftable that it cannot read git says so to whoever asks for one ref, and only since 2.43.
    """
    listed = git.run("for-each-ref", "--format=%(refname)", name)
    if listed.stdout or b"ignoring" in listed.stderr:
        return True
    return git.run("show-ref", "--exists", "--", name, ok=(0, 1, 2, 129)).code == 1


def move(git: Git, name: str, new: str, old: str | None, message: str) -> None:
    """Move a ref from `old` (None: it does not exist) to `new`, with a line in its reflog.

    Raises RefMoved when it is not at `old` any more, LockedRef when it is locked, GitError for the rest.
    """
    try:
        git.run("update-ref", "--create-reflog", "-m", message, "--", name, new, old or "0" * len(new))
    except GitError as error:
        raise _explained(git, name, old, error) from error


def _explained(git: Git, name: str, old: str | None, error: GitError) -> DecideError:
    if read(git, name) != old:
        return RefMoved(error.message, hint=error.hint)
    lock = git.text("rev-parse", "--path-format=absolute", "--git-path", f"{name}.lock")
    if Path(lock).exists() or any(words in error.stderr for words in LOCKED):
        return LockedRef(error.message, hint="git decide doctor says for how long")
    return error


@contextmanager
def lock(common_dir: Path) -> Iterator[None]:
    """Wait for, and hold, the lock on a repository's common git directory itself: nothing is left behind.

    Where it cannot be had (no such call on this file system, no right to open) the work goes on without:
    moving a ref from its old value is what keeps writers apart.
    """
    with ExitStack() as held:
        with suppress(OSError):
            handle = os.open(common_dir, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
