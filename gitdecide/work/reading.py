"""What was read, pinned to what it was: the command line's `--read` against the user's repository."""

import os
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from msgspec import convert

from gitdecide.entries.evidence import (
    SCHEMES,
    PathReading,
    path_readings,
    real_path,
    split_scheme,
    stored_path,
)
from gitdecide.entries.names import RecordName, is_prefix, split_reference
from gitdecide.entries.types import Evidence
from gitdecide.errors import NotFound, UsageError
from gitdecide.git.objects import Objects, TreeEntry
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store.snapshot import Snapshot

FORMS: Final = "PATH, PATH:10-40, PATH@REV, commit:REV, entry:ID, message:ID, ticket:ID, pr:ID, https://…"


class Reader:
    """Pins readings in one repository, seen from one folder; `entry` makes a typed entry a reference."""

    def __init__(
        self, git: Git, repository: Repository, objects: Objects, entry: Callable[[str], str]
    ) -> None:
        self.repository = repository
        self.objects = objects
        self._entry = entry
        self._git = at_top(git, repository)

    def pin(self, typed: str) -> Evidence:
        """One reading as evidence.

        Raises NotFound for a path, lines, commit or entry that is not there: nobody can have read it.
        """
        if not typed.strip() or (typed.endswith(":") and typed[:-1] in SCHEMES):
            raise UsageError(f"not something that can be read: '{typed}'", hint=f"it takes {FORMS}")
        kind, rest = split_scheme(typed)
        if kind == "path":
            return self._pin_path(rest)
        if kind == "commit":
            return Evidence(commit=self._commit(rest))
        if kind == "entry":
            return Evidence(entry=self._entry(rest))
        if not rest.strip() or any(unicodedata.category(char) == "Cs" for char in rest):
            raise UsageError(f"not something that can be read: {typed}")
        return convert({kind: rest}, Evidence)

    def _pin_path(self, typed: str) -> Evidence:
        # What git prints in quotes can be typed so: YAML and JSON hold no bytes.
        plain = real_path(typed)
        readings = [*path_readings(typed), *(path_readings(plain) if plain != typed else ())]
        for reading in readings:
            if evidence := self._pinned(reading):
                return evidence
        last = readings[-1]
        place = f"in {last.revision}" if last.revision else "committed, and not in the working tree"
        raise NotFound(f"nobody can have read {last.path}: it is not {place}", hint=f"it takes {FORMS}")

    def _pinned(self, reading: PathReading) -> Evidence | None:
        path = below_top(self.repository, reading.path)
        commit = self.objects.resolve(f"{reading.revision or 'HEAD'}^{{commit}}")
        entry = entry_at(self.objects, commit, path) if commit else None
        committed = entry.id if entry else None
        present = None if reading.revision else self._present(path)
        if committed is None and present is None and (reading.revision or not self._is_folder(path)):
            return None
        blob = present or committed
        if reading.lines:
            self._check_lines(reading.lines, path, blob)
        return Evidence(
            path=stored_path(path),
            commit=commit if committed else None,
            blob=blob,
            lines=reading.lines,
            worktree=committed is None or (present is not None and present != committed),
        )

    def _present(self, path: str) -> str | None:
        """The blob id of the file in the working tree, None for a folder and where there is no file."""
        if self.repository.top is None:
            return None
        file = self.repository.top / path
        if not file.parent.resolve().is_relative_to(self.repository.top.resolve()):
            return None  # a link on the way leads out of the tree
        if file.is_symlink():
            target = os.fsencode(file.readlink())
            return self._git.run("hash-object", "--stdin", stdin=target).stdout.decode().strip()
        return self._git.text("hash-object", "--", path) if file.is_file() else None

    def _is_folder(self, path: str) -> bool:
        return self.repository.top is not None and (self.repository.top / path).is_dir()

    def _check_lines(self, lines: str, path: str, blob: str | None) -> None:
        """Raise NotFound when the file has no such lines, UsageError when they are no range."""
        first, _, last = lines.partition("-")
        if last and int(last) < int(first):
            raise UsageError(f"the lines {lines} end before they begin")
        count = len(self._content(path, blob).splitlines())
        if int(last or first) > count:
            has = f"{count} line{'s' * (count != 1)}"
            raise NotFound(f"nobody can have read lines {lines} of {path}: it has {has}")

    def _content(self, path: str, blob: str | None) -> bytes:
        if blob and self.objects.kind(blob) == "blob":
            return self.objects.blob(blob)
        file = self.repository.top / path if self.repository.top else None
        return file.read_bytes() if file and file.is_file() else b""

    def _commit(self, revision: str) -> str:
        commit = self.objects.resolve(f"{revision}^{{commit}}")
        if commit is None:
            raise NotFound(f"nobody can have read the commit {revision}: there is none")
        return commit


def below_top(repository: Repository, typed: str) -> str:
    """The path from the top of the working tree. Raises NotFound for one that leads out of it."""
    top, path = repository.top, f"{repository.prefix}{typed}"
    if top and Path(typed).is_absolute():
        folder, name = os.path.split(os.path.normpath(typed))
        path = os.path.relpath(Path(folder).resolve() / name, top)
    whole = os.path.normpath(path)
    if whole == ".":
        raise NotFound("nobody can have read the whole repository: name the paths")
    if whole == ".." or whole.startswith(("../", "/")):
        raise NotFound(f"outside of this repository: {typed}")
    if ".git" in whole.lower().split("/"):
        raise NotFound(f"inside of a git directory: {typed}")
    return whole


def governed(repository: Repository, typed: str) -> str:
    """A pathspec from the top of the tree; one with git's magic stays. Raises NotFound outside of it."""
    if typed.startswith(":") or os.path.normpath(f"{repository.prefix}{typed}") == ".":
        return typed if typed.startswith(":") else "."
    return below_top(repository, typed)


def pin_all(reader: Reader, typed: Iterable[str]) -> tuple[Evidence, ...]:
    """Every reading as evidence, each once, in the order in which they were typed."""
    return tuple(dict.fromkeys(reader.pin(text) for text in typed))


def entry_reference(snapshot: Snapshot, typed: str, home: RecordName | None) -> str:
    """How the record `home` refers to an entry: by its id, or as DR-007-3f2a91c0:<id> to one elsewhere.

    Raises NotFound for an entry that is not in the log, or may be several.
    """
    name, prefix = split_reference(typed)
    within = snapshot.resolve(name) if name else None
    entries = snapshot.entries(prefix) if is_prefix(prefix) else ()
    found = [(record, entry_id) for record, entry_id in entries if within in (None, record)]
    if len(found) != 1:
        problem = f"it may be any of {', '.join(key for _, key in found)}" if found else "there is none"
        raise NotFound(f"nobody can have read the entry {typed}: {problem}")
    record, entry_id = found[0]
    return entry_id if record == home else f"{record}:{entry_id}"


def at_top(git: Git, repository: Repository) -> Git:
    """The user's git at the top of the working tree, where paths and attributes count from."""
    if repository.top is None:
        return git
    # A hook's GIT_DIR is relative to the folder that the hook was started in.
    place = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(repository.top)}
    return Git(repository.top, {**git.environ, **place})


def entry_at(objects: Objects, commit: str, path: str) -> TreeEntry | None:
    """What a commit's tree holds at a path: a blob, a folder or a submodule's commit; None for nothing."""
    folder, _, name = path.rpartition("/")
    if "\n" in folder:  # no line of cat-file can name it
        above = entry_at(objects, commit, folder)
        inside = objects.tree(above.id) if above and above.is_tree else {}
    else:
        inside = objects.subtree(commit, folder) or {}
    return inside.get(name)
