"""The log: one ref, read as snapshots and appended to under a lock and a compare-and-swap."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from gitdecide.entries import document, secrets
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Entry
from gitdecide.errors import REFUSED, Damaged, DecideError
from gitdecide.git import refs
from gitdecide.git.changes import PLAIN_PATHSPECS
from gitdecide.git.objects import Objects, Signature
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.merge import merge
from gitdecide.store.snapshot import Snapshot

if TYPE_CHECKING:
    from gitdecide.git.repository import Repository

T = TypeVar("T")

ATTEMPTS: Final = 40
LONGEST_PAUSE: Final = 0.25
"""Seconds between two attempts, at most."""

STORY: Final = (
    "--no-merges", "--no-follow", "--no-color", "--no-show-signature",
    "--encoding=UTF-8", "-z", "--format=%H%x1f%an%x1f%aI%x1f%s",
)  # fmt: skip
"""What a git log is told, so that no configuration of the user's changes its form."""


class NoLog(DecideError):
    """The repository has no log yet."""


class HoldsSecret(DecideError):
    """A text that must not enter a history that never forgets."""

    exit = REFUSED


class Addition(NamedTuple):
    """Entries that enter the log in one commit: each with its record, and who says what about them."""

    entries: Sequence[tuple[RecordName | None, Entry]]
    author: Signature
    message: str


class Step(NamedTuple):
    """One commit of the log: who said something, when by their clock, and its subject."""

    commit: str
    author: str
    at: str
    subject: str


class Log:
    """The log of one repository; `repository` finds it, which only a writer needs."""

    def __init__(self, git: Git, repository: "Callable[[], Repository]", objects: Objects, ref: str) -> None:
        self.git = git
        self._repository = repository
        self.objects = objects
        self.ref = ref
        self.arrivals: Callable[[], None] | None = None
        """Called once before the log is first looked at: it may move it on to what was fetched."""

    def tip(self) -> str | None:
        """The newest commit of the log, None where there is none."""
        if arrivals := self.arrivals:
            self.arrivals = None
            arrivals()
        return self.objects.resolve(f"{self.ref}^{{commit}}")

    def snapshot(self) -> Snapshot:
        """The log as it is now. Raises NoLog where there is none, Damaged where its ref leads nowhere."""
        tip = self.tip()
        if tip is None:
            if refs.exists(self.git, self.ref):
                raise Damaged(f"the log is damaged: {self.ref} leads to no commit")
            raise NoLog(f"no decision log here: {self.ref} does not exist", hint="git decide init")
        layout.check_readable(self.objects, tip, self.ref)
        return Snapshot(self.objects, tip)

    def start(self) -> bool:
        """Begin the log; False when it is there already."""
        if self.tip() is not None:
            layout.check_writable(self.objects, self.ref, self.ref)
            return False
        with suppress(refs.RefMoved):
            refs.move(self.git, self.ref, layout.root_commit(self.objects), None, "decide: start the log")
        return True

    def append(self, compose: Callable[[Snapshot], Addition]) -> list[str]:
        """Add what `compose` makes of the log, and return the ids of the entries in their order.

        compose is called again, on a newer snapshot, whenever somebody else was faster.
        Raises what compose raises, NoLog, HoldsSecret, GitError; the log is then as it was.
        """
        ids, commit = self._moving(lambda: self._append(compose))
        if commit.startswith("00"):
            self._maintain()
        return ids

    def absorb(self, commit: str, message: str) -> str:
        """Make the log hold all that a commit of another log holds, and return its tip.

        Raises Damaged when the two cannot be one, GitError; the log is then as it was.
        """

        def move() -> str:
            own = self.tip()
            tip = merge(self.git, self.objects, commit, own, message)
            if tip != own:
                refs.move(self.git, self.ref, tip, own, f"decide: {message}")
            return tip

        return self._moving(move)

    def expect_append(self) -> None:
        """Raise DecideError where an append would fail for want of a committer, or of a place to write."""
        self.git.run("var", "GIT_COMMITTER_IDENT")
        place = self._repository().common_dir
        if not os.access(place, os.W_OK):
            raise DecideError(f"cannot write to {place}")

    def story(self, record: RecordName | None, limit: int) -> Iterator[Step]:
        """The commits that added something, newest first: of one record or of all; limit 0 is no limit.

        Raises NoLog where there is none.
        """
        self.snapshot()
        most = [f"--max-count={limit}"] if limit else []
        path = [f":(top){record.path}"] if record else []
        told = self.git.run("log", *STORY, *most, self.ref, "--", *path, environ=PLAIN_PATHSPECS)
        lines = told.stdout.decode("utf-8", "surrogateescape").split("\0")
        return (Step(*line.split("\x1f", 3)) for line in lines if line)

    def identify(self, entry: Entry) -> str:
        """The id that an entry will have in this log."""
        return document.identify(document.dump(entry), self._repository().object_format)

    def _moving(self, move: Callable[[], T]) -> T:
        """Move the ref under the lock, and anew as often as somebody else was faster."""
        for attempt in range(ATTEMPTS):
            try:
                with refs.lock(self._repository().common_dir):
                    return move()
            except (refs.RefMoved, refs.LockedRef):
                if attempt == ATTEMPTS - 1:
                    raise
                pause(LONGEST_PAUSE * (attempt + 1) / ATTEMPTS)
        raise AssertionError("the last attempt returns or raises")

    def _append(self, compose: Callable[[Snapshot], Addition]) -> tuple[list[str], str]:
        snapshot = self.snapshot()
        layout.check_writable(self.objects, snapshot.commit, self.ref)
        addition = compose(snapshot)
        files = {}
        for record, entry in addition.entries:
            data = document.dump(entry)
            if kind := secrets.find(data.decode()):
                raise HoldsSecret(f"the text holds {kind}, and the log never forgets")
            blob = self.objects.add_blob(data)
            files[layout.entry_path(record, entry, blob)] = blob
        tree = layout.add_files(self.objects, self.objects.subtree(snapshot.commit, "") or {}, files)
        commit = self.objects.add_commit(tree, [snapshot.commit], addition.author, addition.message)
        subject = addition.message.partition("\n")[0]
        refs.move(self.git, self.ref, commit, snapshot.commit, f"decide: {subject}")
        return list(files.values()), commit

    def _maintain(self) -> None:
        """Let git tidy up now and then, as its own commands do; it goes to the background by itself."""
        with suppress(DecideError):
            self.git.run("maintenance", "run", "--auto", "--quiet")


def pause(longest: float) -> None:
    """Wait for up to so many seconds, no two writers alike."""
    import random  # slow to load, and most writers never wait

    time.sleep(random.uniform(0, longest))  # noqa: S311 - jitter
