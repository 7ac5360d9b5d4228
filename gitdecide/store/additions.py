"""What a stretch of the log's history adds, proved to do nothing but add."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.errors import Damaged
from gitdecide.git.changes import BATCH, PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.store.layout import FORMAT

RAW: Final = ("--raw", "-z", "-r", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
_DONE: Final = {"D": "removes"}


class Added(NamedTuple):
    """A file that a commit adds; a merge adds what one side had and the other had not."""

    commit: str
    path: str
    blob: str

    @property
    def folder(self) -> str:
        """Where the file lies."""
        return self.path.rpartition("/")[0]


class Rewritten(Damaged):
    """A history that does more than add: none of it may enter the log."""

    def __init__(self, commit: str, does: str) -> None:
        super().__init__(f"this history is not a log of git-decide: a commit {does}: {commit}")
        self.commit = commit


def additions(git: Git, tip: str, known: Iterable[str]) -> Iterator[Added]:
    """Every file that the commits up to a tip add, the oldest commit first; not of those that are known.

    Raises Rewritten at the first commit that changes or removes a file of any of its parents.
    """
    excluded = [f"^{commit}" for commit in known]
    asked = ("rev-list", "--reverse", "--topo-order", tip, *excluded, "--")
    commits = iter(git.run(*asked, environ=PLAIN_OBJECTS).stdout.decode().split())
    while batch := list(islice(commits, BATCH)):
        lines = "".join(f"{commit}\n" for commit in batch).encode()
        told = git.run("diff-tree", "--stdin", "-m", "--root", *RAW, stdin=lines, environ=PLAIN_OBJECTS)
        yield from _read(told.stdout)


def _read(raw: bytes) -> Iterator[Added]:
    """A change begins with a colon and its path follows; what does not is a commit."""
    fields = iter(raw.split(b"\0"))
    commit = ""
    for field in fields:
        if field.startswith(b":"):
            *_, blob, status = field.decode().split(" ")
            path = next(fields).decode("utf-8", "surrogateescape")
            if status != "A":
                raise Rewritten(commit, f"{_DONE.get(status, 'changes')} {path}")
            yield Added(commit, path, blob)
        elif field:
            commit = field.decode()


def check(git: Git, objects: Objects, tip: str, own: str | None) -> None:
    """Raise Damaged unless a commit is of a log, and all that leads to it and is not in ours only adds."""
    if objects.kind(tip) != "commit" or FORMAT not in (objects.subtree(tip, "format") or {}):
        raise Damaged(f"what was fetched is not a log of git-decide: {tip}")
    _check_questions(objects, own, additions(git, tip, [own] if own else []))


def _check_questions(objects: Objects, own: str | None, added: Iterable[Added]) -> None:
    """Raise Rewritten when an addition puts a second question into a folder, counting those of our log."""
    asking = [file for file in added if _is_question(file.path)]
    folders = list(dict.fromkeys(file.folder for file in asking))
    trees = objects.subtrees(own, folders) if own else (None for _ in folders)
    asked = {
        folder: {f"{folder}/{name}" for name in tree or () if _is_question(name)}
        for folder, tree in zip(folders, trees, strict=True)
    }
    for file in asking:
        asked[file.folder].add(file.path)
        if len(asked[file.folder]) > 1:
            raise Rewritten(file.commit, f"puts a second question into {file.folder}")


def truncated(objects: Objects, common_dir: Path) -> bool:
    """True when a history in this repository that is a log's was cut short by a shallow fetch."""
    try:
        cut = (common_dir / "shallow").read_text("ascii").split()
    except OSError:
        return False
    return any(objects.subtree(commit, "format") for commit in cut)


def differences(git: Git, old: str, new: str) -> tuple[list[str], list[str]]:
    """The files that only the new one of two states of the log has, and those that only the old one has."""
    fields = iter(git.run("diff-tree", *RAW, old, new, environ=PLAIN_OBJECTS).stdout.split(b"\0"))
    only: dict[bytes, list[str]] = {b"A": [], b"D": []}
    for field in filter(None, fields):
        path = next(fields).decode("utf-8", "surrogateescape")
        only.setdefault(field[-1:], []).append(path)
    return only[b"A"], only[b"D"]


def _is_question(path: str) -> bool:
    return path.rpartition("/")[2].startswith("question-")
