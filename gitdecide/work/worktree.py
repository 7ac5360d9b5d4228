"""A throwaway working tree, in a private repository that borrows the user's objects.

In a linked worktree a command's `git stash`, `tag`, `config` and `update-ref` reach the user's repository,
and `git clone --shared` fails in partial and foreign-owned ones. So the tree is that of a new repository
with the user's objects as alternate: whatever runs in it, the user's checkout, index, refs and configuration
stay as they are. That repository lies beside the tree, where no search of the tree comes upon its settings.
"""

import fcntl
import os
import shutil
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import processes
from gitdecide.work.borrowing import borrow

PREFIX: Final = "git-decide-worktree-"
TREE: Final = "tree"
PRIVATE: Final = "repository"
KEPT: Final = "kept"
"""What a command in the tree has no business with."""

MARK: Final = "GIT_CEILING_DIRECTORIES"
"""The variable that names the folder, for all that runs in it: who removes .git finds no repository above."""

_ATTEMPTS: Final = 5
_PAUSE: Final = 0.1
"""Seconds between two attempts to remove what somebody may still be writing to."""


@contextmanager
def throwaway(git: Git, repository: Repository, commit: str, *, symlinks: bool = True) -> Iterator[Git]:
    """Git in a working tree at a commit; tree and repository are gone afterwards, whatever happened.

    Its `environ` is for foreign commands as well. Without `symlinks` they are plain files with their targets
    as text, so that nothing in the tree leads out of it. Raises GitError when it cannot be checked out.
    """
    with throwaway_folder() as folder:
        tree, private = folder / TREE, folder / PRIVATE
        tree.mkdir()
        inside = Git(tree, {**git.foreign_environ(), MARK: str(folder)})
        form = f"--object-format={repository.object_format}"
        place = ("--initial-branch=decide", f"--separate-git-dir={private}")
        inside.run("init", "--quiet", "--template=", form, *place)
        borrow(git, repository, private, {} if symlinks else {"core.symlinks": "false"})
        inside.run("checkout", "--quiet", "--no-recurse-submodules", "--detach", commit)
        yield inside


@contextmanager
def throwaway_folder() -> Iterator[Path]:
    """A new folder that is gone afterwards, whatever happened."""
    sweep()
    with _orderly(), _folder() as folder:
        yield folder


def sweep() -> list[Path]:
    """Remove what runs left behind that were killed, and name it; what is in use, or not ours, stays."""
    left: dict[Path, int] = {}
    place = Path(tempfile.gettempdir())
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if _ours(folder) and (handle := _held(folder)) is not None:
                left[folder] = handle
    for pid, where in processes.started_with(MARK):
        folder = Path(where)
        is_ours = folder.parent == place and folder.name.startswith(PREFIX)
        if is_ours and (folder in left or not folder.exists()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    for folder, handle in left.items():
        remove(folder)
        os.close(handle)
    return list(left)


def remove(folder: Path) -> None:
    """Remove a folder, with all that was made read-only in it, or is still being written to."""
    for _ in range(_ATTEMPTS):
        _open_up(folder)
        for place, names, _ in os.walk(folder):
            for name in names:
                _open_up(Path(place, name))
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_PAUSE)


def _open_up(folder: Path) -> None:
    """Let the owner do everything in a folder, unless it is a link that may lead anywhere."""
    with suppress(OSError):
        if not folder.is_symlink():
            folder.chmod(folder.stat().st_mode | stat.S_IRWXU)


@contextmanager
def _folder() -> Iterator[Path]:
    """A new folder, held by a lock for as long as it is in use."""
    for _ in range(_ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            handle = _held(folder)
        except OSError:  # no locks here: then nobody sweeps either
            handle = os.open(os.devnull, os.O_RDONLY)
        if handle is not None and folder.exists():
            break  # else somebody took it for what a crash left
    else:
        raise DecideError(f"cannot keep a folder in {tempfile.gettempdir()}")
    try:
        yield folder
    finally:
        remove(folder)
        os.close(handle)


def _held(folder: Path) -> int | None:
    """A handle that holds a folder's lock, None when somebody else does. Raises OSError without a lock."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except BaseException:
        os.close(handle)
        raise
    return handle


def _ours(folder: Path) -> bool:
    """True for a folder that this user's git-decide made, be it only begun."""
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid():
        return False
    names = {path.name for path in folder.iterdir()}
    return names <= {TREE, PRIVATE, KEPT} or (TREE in names and not names.isdisjoint({PRIVATE, KEPT}))


@contextmanager
def _orderly() -> Iterator[None]:
    """SIGTERM and SIGHUP end what runs inside as Ctrl-C does, and then do what they did before."""
    received: list[int] = []

    def interrupt(signum: int, _: FrameType | None) -> None:
        received.append(signum)
        raise KeyboardInterrupt

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for signum in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(signum) == signal.SIG_DFL:
                previous[signum] = signal.signal(signum, interrupt)
    try:
        yield
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
        if received:
            signal.raise_signal(received[0])
