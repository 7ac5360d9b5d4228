"""The log: one ref, read as snapshots and appended to under a lock and a compare-and-swap."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from gitdecide.entries.names import RecordName
from gitdecide.errors import REFUSED, Damaged, DecideError
from gitdecide.git import refs
from gitdecide.git.changes import PLAIN_PATHSPECS
from gitdecide.git.objects import Objects, Signature
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.merge import merge

if TYPE_CHECKING:
    # Whoever reads the index alone needs no entry: what knows them is slow to load.
    from gitdecide.entries.types import Entry
    from gitdecide.git.repository import Repository
    from gitdecide.store.snapshot import Snapshot

T = TypeVar("T")

ATTEMPTS: Final = 40
MANY: Final = 500
"""Entries from which on a stream into one pack is quicker than a file for each object."""

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

    entries: "Sequence[tuple[RecordName | None, Entry]]"
    author: Signature
    message: str
    patches: Sequence[tuple[RecordName, bytes]] = ()
    """What lies beside proposals, each with the record of the proposal."""


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
        self._judged: Snapshot | None = None
        """The newest view whose signatures were asked for: to find them out takes its time."""
        self.signed: Callable[[], bool] = lambda: False
        """Whether the policy of those who read here asks for signatures."""

    def tip(self) -> str | None:
        """The newest commit of the log, None where there is none."""
        if arrivals := self.arrivals:
            self.arrivals = None
            arrivals()
        return self.objects.resolve(f"{self.ref}^{{commit}}")

    def head(self) -> str:
        """The newest commit of the log. Raises NoLog, and Damaged where its ref leads nowhere."""
        tip = self.tip()
        if tip is None:
            if refs.exists(self.git, self.ref):
                raise Damaged(f"the log is damaged: {self.ref} leads to no commit")
            raise NoLog(f"no decision log here: {self.ref} does not exist", hint="git decide init")
        layout.check_readable(self.objects, tip, self.ref)
        return tip

    def snapshot(self) -> "Snapshot":
        """The log as it is now. Raises as `head` does."""
        return self.view(self.head())

    def view(self, commit: str, objects: Objects | None = None) -> "Snapshot":
        """The log as one of its commits has it, perhaps through another way to objects.

        What the policy wants signed, and is not, does not count in it.
        """
        if self.signed():
            from gitdecide.store.signatures import signed

            if objects is not None:
                return signed(self.git, objects, commit)
            if self._judged is None or self._judged.commit != commit:
                self._judged = signed(self.git, self.objects, commit)
            return self._judged
        from gitdecide.store.snapshot import Snapshot

        return Snapshot(objects or self.objects, commit)

    def start(self) -> bool:
        """Begin the log; False when it is there already."""
        if self.tip() is not None:
            layout.check_writable(self.objects, self.ref, self.ref)
            return False
        with suppress(refs.RefMoved):
            refs.move(self.git, self.ref, layout.root_commit(self.objects), None, "decide: start the log")
        return True

    def append(self, compose: "Callable[[Snapshot], Addition]") -> list[str]:
        """Add what `compose` makes of the log, and return the ids of the entries in their order.

        compose is called again, on a newer snapshot, whenever somebody else was faster.
        Raises what compose raises, NoLog, HoldsSecret, GitError, and DecideError for what would not count,
        since another key signed it; the log is then as it was.
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
        return (_step(line) for line in lines if line)

    def identify(self, entry: "Entry") -> str:
        """The id that an entry will have in this log."""
        from gitdecide.entries import document

        return document.identify(document.dump(entry), self.object_format)

    @property
    def object_format(self) -> str:
        """How the ids of this log are made, `sha1` or `sha256`."""
        return self._repository().object_format

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

    def _append(self, compose: "Callable[[Snapshot], Addition]") -> tuple[list[str], str]:
        from gitdecide.entries import document, secrets
        from gitdecide.git.fast_import import grown_tree

        snapshot = self.snapshot()
        layout.check_writable(self.objects, snapshot.commit, self.ref)
        addition = compose(snapshot)
        many = len(addition.entries) >= MANY
        files, contents = {}, {}
        for record, entry in addition.entries:
            data = document.dump(entry)
            if kind := secrets.find(data.decode()):
                raise HoldsSecret(f"the text holds {kind}, and the log never forgets")
            blob = document.identify(data, self.object_format) if many else self.objects.add_blob(data)
            path = layout.entry_path(record, entry, blob)
            files[path] = blob
            contents[path] = data
        ids = list(files.values())
        for record, patch in addition.patches:
            blob = self.objects.add_blob(patch)
            files[layout.patch_path(record, blob)] = blob
        if many:
            tree = grown_tree(self.git, snapshot.commit, contents.items())
        else:
            tree = layout.add_files(self.objects, self.objects.subtree(snapshot.commit, "") or {}, files)
        commit = self.objects.add_commit(tree, [snapshot.commit], addition.author, addition.message)
        if snapshot.signatures:
            snapshot.signatures.expect(commit, [entry for _, entry in addition.entries])
        subject = addition.message.partition("\n")[0]
        refs.move(self.git, self.ref, commit, snapshot.commit, f"decide: {subject}")
        return ids, commit

    def _maintain(self) -> None:
        """Let git tidy up now and then, as its own commands do; it goes to the background by itself."""
        with suppress(DecideError):
            self.git.run("maintenance", "run", "--auto", "--quiet")


def _step(line: str) -> Step:
    commit, author, at, subject = line.split("\x1f", 3)
    # As git writes UTC itself, since 2.45.
    return Step(commit, author, at.replace("+00:00", "Z"), subject)


def pause(longest: float) -> None:
    """Wait for up to so many seconds, no two writers alike."""
    import random  # slow to load, and most writers never wait

    time.sleep(random.uniform(0, longest))  # noqa: S311 - jitter
