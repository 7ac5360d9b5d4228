"""The shims that git calls: their text, and how they stand in a folder beside what was there before."""

import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import gitdecide
from gitdecide.errors import DecideError
from gitdecide.work.managers import head

KEPT: Final = ".decide-kept"
"""What the name of a hook that was here before ours ends in."""

MADE: Final = "# The folder was made with it."
"""Stands in our shims when there was no hooks folder before."""

_SHARED: Final = '. "${0%/*}/common.sh"\n'
_MARK: Final = b"# A hook of git-decide: "


class Folder(NamedTuple):
    """A folder that holds hooks, perhaps ours among them."""

    path: Path

    def ours(self, name: str) -> bool:
        """True for a hook that we wrote."""
        path = self.path / name
        return not path.is_symlink() and _MARK in head(path)

    def made(self, names: Iterable[str]) -> bool:
        """True when there was no such folder before our hooks."""
        return any(self.ours(name) and MADE.encode() in head(self.path / name) for name in names)

    def put(self, name: str, text: str) -> bool:
        """Write a hook of ours, keeping what is there beside it; False when it is there already."""
        path = self.path / name
        data = text.encode("utf-8", "surrogateescape")
        if self.ours(name):
            if path.read_bytes() == data and path.stat().st_mode & 0o111:
                return False
        elif there(path):
            path.rename(self.path / (name + KEPT))
        fresh = self.path / f"{name}.decide-new"
        fresh.write_bytes(data)
        mode = fresh.stat().st_mode
        fresh.chmod(mode | (mode & 0o444) >> 2)
        fresh.replace(path)
        return True

    def take_back(self, names: Sequence[str]) -> list[str]:
        """Remove our hooks, put back what they kept, and return the names of what changed."""
        made, changed = self.made(names), list[str]()
        for name in names:
            path, kept = self.path / name, self.path / (name + KEPT)
            if self.ours(name):
                path.unlink()
                changed.append(name)
            if there(kept) and not there(path):
                kept.rename(path)
                changed.append(name)
        if made and not any(self.path.iterdir()):
            self.path.rmdir()
        return changed


def shim(name: str, environ: Mapping[str, str]) -> str:
    """The text of one hook, on its own. Raises DecideError when there is no program to call."""
    found = _program(environ)
    if found is None:
        raise DecideError("git-decide is not on the PATH, and a hook needs a program to call")
    _, _, shared = _text("common.sh").partition("\n")
    for variable, path in (("program", found), ("package", gitdecide.__file__)):
        shared = shared.replace(f"{variable}=''", f"{variable}={shlex.quote(path)}", 1)
    return _text(name).replace(_SHARED, shared, 1)


def there(path: Path) -> bool:
    """True for whatever has this name, links that lead nowhere included."""
    return path.is_symlink() or path.exists()


def _text(name: str) -> str:
    """One of the files that the package carries; a working copy has them beside it."""
    package = Path(gitdecide.__file__).parent
    carried = package / "hooks" / name
    return (carried if carried.exists() else package.parent / "hooks" / name).read_text("utf-8")


def _program(environ: Mapping[str, str]) -> str | None:
    """The program that this is, by its absolute path."""
    beside = Path(sys.executable).with_name("git-decide")
    return str(beside) if beside.exists() else shutil.which("git-decide", path=environ.get("PATH"))
