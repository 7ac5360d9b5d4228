"""Sharing the log with a remote: what came is proved, the two are merged, and the merge is pushed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import Damage
from gitdecide.errors import Damaged
from gitdecide.git.repository import Repository
from gitdecide.git.run import GitError
from gitdecide.store import layout
from gitdecide.store.additions import check, differences, truncated
from gitdecide.store.log import Log, NoLog, pause
from gitdecide.store.merge import contains, merge
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.remotes import UNSHALLOW, Denied, Overtaken, Remote

ATTEMPTS: Final = 20
LONGEST_PAUSE: Final = 1.0
"""Seconds between two attempts, at most."""


class Trouble(NamedTuple):
    """What is wrong after a sync, and the files that it is about."""

    message: str
    files: Sequence[str] = ()
    hint: str | None = None


class Synced(NamedTuple):
    """What a sync did: files of the log, and what is wrong with some of them."""

    remote: str
    tip: str
    came: list[str]
    went: list[str]
    lost: list[str] | None
    """Files that the remote had lost, when its history was rewritten."""
    damages: list[Damage]
    contested: list[RecordName]
    denied: Denied | None
    """Why the remote did not take what we have."""

    @property
    def news(self) -> list[str]:
        """What went to and fro, in a line each; nothing where both sides had all."""
        ways = (("from", count(self.came)), ("to", count(self.went)))
        return [f"{way} {self.remote}: {moved}" for way, moved in ways if moved.entries]

    @property
    def troubles(self) -> Iterator[Trouble]:
        """What is wrong: losses, damages, a refusal."""
        if self.lost is not None:
            rewritten = f"the history of {self.remote} was rewritten, and lost {_files(self.lost)}"
            yield Trouble(rewritten, self.lost)
        if self.damages:
            files = [f"{damage.file}: {damage.reason}" for damage in self.damages]
            yield Trouble(f"of what came is damaged and counts for nothing: {_files(files)}", files)
        if self.denied:
            yield Trouble(self.denied.message, hint=self.denied.hint)

    @property
    def as_data(self) -> Mapping[str, Any]:
        """For programs."""
        return {
            "remote": self.remote,
            "tip": self.tip,
            "came": count(self.came)._asdict(),
            "went": count(self.went)._asdict(),
            "lost": self.lost,
            "damages": [damage._asdict() for damage in self.damages],
            "contested": [str(name) for name in self.contested],
            "denied": self.denied.message if self.denied else None,
        }


class Count(NamedTuple):
    """How many entries, in how many records."""

    entries: int
    records: int

    def __str__(self) -> str:
        entries = f"{self.entries} {'entry' if self.entries == 1 else 'entries'}"
        return f"{entries} in {self.records} record{'s' * (self.records != 1)}" if self.records else entries


def count(files: Iterable[str]) -> Count:
    """The entries among files of the log, and their records."""
    entries = [file for file in files if file.endswith(".yaml")]
    folders = {file.rpartition("/")[0] for file in entries}
    return Count(len(entries), sum(folder.startswith("decisions/") for folder in folders))


def _files(files: Sequence[str]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"


class Sync:
    """One exchange of the log with one remote."""

    def __init__(self, log: Log, remote: Remote, repository: Repository) -> None:
        self.log = log
        self.log.arrivals = None  # it looks at them itself
        self.git = log.git
        self.objects = log.objects
        self.remote = remote
        self.repository = repository
        self.message = f"merge the log of {remote.name}"

    def adopt(self) -> Count | None:
        """Make the remote's log ours where we have none; None when the remote has none either.

        Raises Unreachable, Damaged.
        """
        self._fetch()
        theirs = self._fetched()
        if theirs is None:
            return None
        self._check(theirs, None)
        self.log.absorb(theirs, f"adopt the log of {self.remote.name}")
        self._accept(theirs)
        return count(self._difference(None, theirs)[0])

    def run(self) -> Synced:
        """Bring each side what it lacks.

        Raises Damaged, with nothing merged or pushed, when what came is no log that only grew; Unreachable,
        NoLog, and Overtaken when somebody was faster every time. The log is then as it was.
        """
        for attempt in range(1, ATTEMPTS):
            with suppress(Overtaken):
                return self._attempt()
            pause(LONGEST_PAUSE * attempt / ATTEMPTS)
        return self._attempt()

    def _attempt(self) -> Synced:
        # Read before anything is fetched: another sync of ours may publish meanwhile.
        seen = self.objects.resolve(f"{self.remote.seen}^{{commit}}")
        theirs = self._looked_at(seen)
        own = self.log.tip()
        if theirs is None and own is None:
            where = f"here or at {self.remote.name}: {self.log.ref} does not exist"
            raise NoLog(f"no decision log {where}", hint="git decide init")
        if theirs:
            self._check(theirs, own)
        merged = self._merged([tip for tip in (theirs, own, seen) if tip])
        if merged not in (theirs, own):
            layout.check_writable(self.objects, merged, self.log.ref)
        denied = self._published(merged) if merged != theirs else None
        self.log.absorb(merged, self.message)
        self._accept(theirs if denied else merged)
        came = self._difference(own, merged)[0]
        snapshot = Snapshot(self.objects, merged)
        touched = {file.rpartition("/")[0] for file in came} - {"format"}
        damages, contested = _looked_through(snapshot, touched)
        return Synced(
            remote=self.remote.name,
            tip=merged,
            came=came,
            went=[] if denied else self._difference(theirs, merged)[0],
            lost=self._lost(seen, theirs),
            damages=damages,
            contested=contested,
            denied=denied,
        )

    def _fetch(self) -> None:
        self.remote.fetch()
        if truncated(self.objects, self.repository.common_dir):
            self.remote.fetch(UNSHALLOW)

    def _fetched(self) -> str | None:
        return self.objects.resolve(self.remote.fetched)

    def _looked_at(self, seen: str | None) -> str | None:
        """What the remote has now; what looks like a loss may be a slow fetch, and is looked at twice."""
        self._fetch()
        theirs = self._fetched()
        if seen and not (theirs and self._is_commit(theirs) and contains(self.git, theirs, seen)):
            self._fetch()
        return self._fetched()

    def _check(self, theirs: str, own: str | None) -> None:
        """Raise Damaged unless what the remote has is a log that only grew, as far as we do not know it."""
        if not self._is_commit(theirs):
            raise Damaged(f"what {self.remote.name} has as {self.log.ref} is no commit: {theirs}")
        check(self.git, self.objects, theirs, own)
        if truncated(self.objects, self.repository.common_dir):
            raise Damaged(f"{self.remote.name} has only the end of a log: it is a shallow clone itself")

    def _is_commit(self, oid: str) -> bool:
        return self.objects.kind(oid) == "commit"

    def _merged(self, tips: list[str]) -> str:
        first, *rest = tips
        for tip in rest:
            first = merge(self.git, self.objects, first, tip, self.message)
        return first

    def _published(self, commit: str) -> Denied | None:
        try:
            self.remote.push(commit)
        except Denied as error:
            return error
        return None

    def _accept(self, tip: str | None) -> None:
        """Remember what the remote has."""
        if tip:
            for ref in (self.remote.seen, self.remote.fetched):
                # Where somebody else writes it at this moment, a later sync will.
                with suppress(GitError):
                    self.git.run("update-ref", "--", ref, tip)

    def _difference(self, old: str | None, new: str) -> tuple[list[str], list[str]]:
        return differences(self.git, old or self.objects.add_tree({}), new)

    def _lost(self, seen: str | None, theirs: str | None) -> list[str] | None:
        if seen is None or (theirs and contains(self.git, theirs, seen)):
            return None
        return self._difference(theirs, seen)[0]


def _looked_through(snapshot: Snapshot, folders: set[str]) -> tuple[list[Damage], list[RecordName]]:
    """What is wrong in some folders of the log, and which of them are contested records."""
    actors = {folder for folder in folders if folder.startswith("actors/")}
    damages = [
        damage
        for known in (snapshot.actors() if actors else ())
        for damage in known.damages
        if damage.file.rpartition("/")[0] in actors
    ]
    names = {folder: RecordName.parse(folder.rpartition("/")[2]) for folder in sorted(folders - actors)}
    places = [name for folder, name in names.items() if name and name.path == folder]
    damages += [
        Damage(folder, "is no place for an entry")
        for folder, name in names.items()
        if not name or name.path != folder
    ]
    contested = []
    for record in snapshot.records(places):
        damages += [Damage(f"{record.name.path}/{damage.file}", damage.reason) for damage in record.damages]
        if record.status == "contested":
            contested.append(record.name)
    return damages, contested
