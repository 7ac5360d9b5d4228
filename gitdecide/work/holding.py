"""Which records are worth reading: git looks through the log for a line, or at its names alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from gitdecide.entries.names import RecordName
from gitdecide.git.changes import PLAIN_PATHSPECS
from gitdecide.git.run import Git
from gitdecide.store.snapshot import Snapshot

SETTLED: Final = "^settled:"
DIRECTIVE: Final = "^origin: directive"
CONFLICT: Final = "^severity:"
"""How the lines of entries begin: no line of a text stands so far out."""

BUCKET: Final = 1000
"""How many numbers share a folder of the log."""


def holding(
    git: Git, snapshot: Snapshot, lines: Sequence[str], within: Sequence[str] = ("decisions",)
) -> set[RecordName]:
    """The records with an entry that has such a line, in these folders of the log."""
    options = ("-l", "-z", "-G", "--full-name", "--no-color", "--no-recurse-submodules")
    words = [word for line in lines for word in ("-e", line)]
    paths = [f":(top){folder}" for folder in within]
    done = git.run(
        "grep", *options, *words, snapshot.commit, "--", *paths, environ=PLAIN_PATHSPECS, ok=(0, 1)
    )
    return _records(done.stdout)


def newest(snapshot: Snapshot) -> list[str]:
    """The folders of the newest records, a thousand at least where there are so many."""
    last = next(snapshot.names(), None)
    numbers = [last.number, last.number - BUCKET] if last else []
    return [f"decisions/{RecordName(number, '').bucket}" for number in numbers if number > 0]


def unsettled(git: Git, snapshot: Snapshot) -> set[RecordName]:
    """The records with no decision, with several, or with one that another record replaced."""
    told = git.run("ls-tree", "-r", "-z", "--full-tree", "--name-only", snapshot.commit, "decisions/")
    kinds: dict[str, Counter[str]] = {}
    for path in told.stdout.decode("utf-8", "replace").split("\0"):
        folder, _, file = path.rpartition("/")
        kinds.setdefault(folder, Counter())[file.partition("-")[0]] += 1
    return _named(folder for folder, count in kinds.items() if count["decision"] != 1 or count["replaced"])


def _records(paths: bytes) -> set[RecordName]:
    return _named(path.rpartition("/")[0] for path in paths.decode("utf-8", "replace").split("\0"))


def _named(folders: Iterable[str]) -> set[RecordName]:
    return set(filter(None, (RecordName.parse(folder.rpartition("/")[2]) for folder in folders)))
