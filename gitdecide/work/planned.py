"""Plans on disk, and as a base revision has them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gitdecide.errors import NotFound
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.work.linting import Plan
from gitdecide.work.plans import HTML_SUFFIXES, MAX_BYTES
from gitdecide.work.reading import below_top, entry_at

SUFFIXES: Final = (".md", ".markdown", ".mdx", *HTML_SUFFIXES)
"""The plans of a folder; a file that is named may be called anything."""


def read(cwd: Path, typed: Iterable[str]) -> dict[str, Plan]:
    """Every plan by the name it goes under, each once. Raises NotFound for what is no readable file."""
    return {name: Plan.read(_content(cwd / name, name), name) for each in typed for name in _files(cwd, each)}


def read_at(repository: Repository, objects: Objects, revision: str, names: Iterable[str]) -> dict[str, Plan]:
    """The same plans as a revision has them, those that it has. Raises NotFound for no revision."""
    commit = objects.resolve(f"{revision}^{{commit}}")
    if commit is None and revision == "HEAD":
        return {}  # before the first commit nothing can have been dropped
    if commit is None:
        raise NotFound(f"no revision {revision}")
    there = {name: entry_at(objects, commit, below_top(repository, name)) for name in names}
    return {
        name: Plan.read(objects.blob(entry.id), name)
        for name, entry in there.items()
        if entry and entry.is_blob
    }


def _files(cwd: Path, typed: str) -> list[str]:
    """A file, or the plans in a folder and those below it."""
    if not (cwd / typed).is_dir():
        return [typed]
    below = ((Path(folder) / name) for folder, _, names in os.walk(cwd / typed) for name in names)
    plans = sorted(path.relative_to(cwd / typed) for path in below if path.suffix.lower() in SUFFIXES)
    shown = (path for path in plans if not any(part.startswith(".") for part in path.parts))
    return [str(Path(typed) / path) for path in shown]


def _content(file: Path, name: str) -> bytes:
    try:
        if not file.is_file() and file.exists():
            raise NotFound(f"cannot read {name}: not a plain file")
        if file.stat().st_size > MAX_BYTES:
            raise NotFound(f"{name} is larger than {MAX_BYTES // 1024**2} MiB: no plan is")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise NotFound(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from error
