"""The files that an import is given, read."""

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from gitdecide.entries import document
from gitdecide.entries.evidence import stored_path
from gitdecide.errors import NotFound
from gitdecide.formats import FORMATS, Format
from gitdecide.formats.evidence_jsonl import Line
from gitdecide.formats.foreign import ForeignRecord, Unreadable
from gitdecide.git.repository import Repository


class Source(NamedTuple):
    """One file: as it was typed, as the log will know it, its blob, and what it holds."""

    typed: str
    path: str
    blob: str
    held: Sequence[Line]
    skipped: str | None = None
    """Why a file of a folder is no record."""

    @property
    def folder(self) -> str:
        """Where it lies, as the log will know it."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name in the folder."""
        return self.path.rpartition("/")[2]


def sources(name: str, typed: Iterable[str], cwd: Path, repository: Repository) -> Iterator[Source]:
    """The files that are meant, those of a folder by the format's patterns and in order of their names.

    Raises NotFound for a path where nothing is.
    """
    kind = FORMATS[name]
    seen = set[str]()
    for path in map(Path, typed):
        if not os.path.lexists(cwd / path):
            raise NotFound(f"no such file or folder: {path}")
        folder = (cwd / path).is_dir()
        for file in _inside(kind, cwd, path) if folder else [path]:
            source = _source(kind, file, cwd, repository, listed=folder)
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _inside(kind: Format, cwd: Path, folder: Path) -> Iterator[Path]:
    """What of a folder may hold records, in order of names: files, and folders that have such files."""
    for file in sorted(file.name for file in (cwd / folder).iterdir()):
        place = folder / file
        if _fits(kind, file) or (not file.startswith(".") and _has_records(kind, cwd / place)):
            yield place


def _has_records(kind: Format, folder: Path) -> bool:
    try:
        return (
            not folder.is_symlink()
            and folder.is_dir()
            and any(_fits(kind, each.name) for each in folder.iterdir())
        )
    except OSError:
        return False


def _fits(kind: Format, name: str) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in kind.patterns)


def _source(kind: Format, typed: Path, cwd: Path, repository: Repository, *, listed: bool) -> Source:
    file = cwd / typed
    top = (repository.top or repository.common_dir).resolve()
    path = stored_path(os.path.relpath(file.parent.resolve() / file.name, top))
    if listed and file.is_dir() and not _fits(kind, file.name):
        return Source(str(typed), path, "", (), "a folder in the folder: name it as well")
    by_name = kind.is_record(file.name) if listed else True
    if by_name is False:
        return Source(str(typed), path, "", (), "a companion of records, by its name")
    try:
        data = _content(file, kind.max_bytes)
        held = tuple(kind.read(file.name, data))
    except Unreadable as error:
        return Source(str(typed), path, "", (error,))
    if by_name is None and not any(isinstance(each, ForeignRecord) and each.status for each in held):
        return Source(str(typed), path, "", (), "its name has no number or date, and it says no status")
    blob = document.identify(data, repository.object_format)
    return Source(str(typed), path, blob, held, None if held else "it holds no record")


def _content(file: Path, most: int) -> bytes:
    """The bytes of a plain file of a size that makes sense. Raises Unreadable."""
    if file.is_symlink():
        raise Unreadable("a symbolic link: name the file that it leads to")
    try:
        if not S_ISREG(file.lstat().st_mode):
            raise Unreadable("not a plain file")
        with file.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise Unreadable(f"cannot read it: {error.strerror}") from None
    if len(data) > most:
        raise Unreadable(f"larger than {most // 1024} KiB")
    return data
