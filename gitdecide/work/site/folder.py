"""The folder of a site: which files in it are ours, and how they change without ever being half written."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from gitdecide.errors import DecideError
from gitdecide.render.site import places

LIST: Final = "git-decide-site.txt"
"""Names our files, one on a line: each is named before it is written, so that no build leaves a stray."""

HEADER: Final = "git-decide site 1"
_NEW: Final = ".git-decide-site.new"
"""What is being written; a build that was killed leaves it to the next one."""

_NO_MATTER: Final = frozenset({".git", _NEW})
"""What a folder may hold and be taken for empty: it may be the worktree of a branch that is served."""


class Folder:
    """A folder while a site is built in it. Raises DecideError for whatever cannot be done in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self.kept = 0
        self.removed = 0
        self._ours: set[str] = set()
        self._made: set[str] = set()
        self._parents: set[str] = set()

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Self]:
        """Ours alone until all is written. Raises DecideError for a folder that is not ours."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                _lock(handle, path)
                folder = cls(path)
                folder._claim()
                yield folder
                folder._finish()
            finally:
                os.close(handle)
        except OSError as error:
            place = error.filename2 or error.filename or path
            raise DecideError(f"cannot write the site: {place}: {error.strerror}") from error

    def write(self, path: str, text: str) -> None:
        """Make one of our files say this; one that does already is left as it is."""
        data, target = text.encode(), self.path / path
        self._made.add(path)
        self._enter(path)
        if path not in self._ours:
            self._add(path, target)
        elif _content(target) == data:
            self.kept += 1
            return
        self._put(target, data)
        self.written += 1

    def _claim(self) -> None:
        """Find what is ours, or make an empty folder ours."""
        known = _content(self.path / LIST)
        if known is None:
            if {each.name for each in self.path.iterdir()} - _NO_MATTER:
                raise DecideError(
                    f"the folder is not empty, and holds no site of git-decide: {self.path}",
                    hint="name a new or an empty folder",
                )
            self._put(self.path / LIST, f"{HEADER}\n".encode())
            return
        header, *lines = known.decode("utf-8", "replace").splitlines() or [""]
        if header != HEADER:
            raise DecideError(f"not a list of a site that this git-decide knows: {self.path / LIST}")
        self._ours = set(filter(places.ours, lines))

    def _add(self, path: str, target: Path) -> None:
        if os.path.lexists(target):
            raise DecideError(
                f"a file that is not of the site has the name of a page: {target}", hint="move it elsewhere"
            )
        with (self.path / LIST).open("a", encoding="utf-8") as stream:
            stream.write(f"{path}\n")
        self._ours.add(path)

    def _enter(self, path: str) -> None:
        """Make the folder that a file lies in; a link in its place could lead anywhere."""
        parent = path.rpartition("/")[0]
        if parent and parent not in self._parents:
            if (self.path / parent).is_symlink():
                raise DecideError(f"a link stands where pages should lie: {self.path / parent}")
            (self.path / parent).mkdir(exist_ok=True)
            self._parents.add(parent)

    def _put(self, target: Path, data: bytes) -> None:
        new = self.path / _NEW
        new.unlink(missing_ok=True)
        new.write_bytes(data)
        new.replace(target)

    def _finish(self) -> None:
        """Remove what is ours and was not made again."""
        for path in sorted(self._ours - self._made):
            self._enter(path)
            if os.path.lexists(self.path / path):
                (self.path / path).unlink()
                self.removed += 1
        for parent in self._parents:
            with suppress(OSError):
                (self.path / parent).rmdir()
        listed = "\n".join((HEADER, *sorted(self._made), "")).encode()
        if _content(self.path / LIST) != listed:
            self._put(self.path / LIST, listed)


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes() if file.is_file() else None  # a pipe in its place would never end
    except OSError:
        return None


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DecideError(f"another git-decide is writing there: {path}") from None
    except OSError:
        return  # a file system without locks
