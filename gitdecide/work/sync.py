"""Sharing the log with a remote: what came is proved, the two are merged, and the merge is pushed."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from gitdecide.audit import Finding
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import Damage
from gitdecide.errors import Damaged
from gitdecide.git.repository import Repository
from gitdecide.git.run import GitError
from gitdecide.store import layout
from gitdecide.store.additions import differences, truncated
from gitdecide.store.log import Log, NoLog, pause
from gitdecide.store.merge import contains, merge
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.arriving import keep, proved
from gitdecide.work.remotes import UNSHALLOW, Denied, Overtaken, Remote
from gitdecide.work.synced import Count, Synced, count

if TYPE_CHECKING:
    from gitdecide.store.signatures import Signatures

ATTEMPTS: Final = 20
LONGEST_PAUSE: Final = 1.0
"""Seconds between two attempts, at most."""


class Sync:
    """One exchange of the log with one remote; `progress` is told which share of what came is proved."""

    def __init__(
        self,
        log: Log,
        remote: Remote,
        repository: Repository,
        progress: Callable[[float], None] = lambda _: None,
    ) -> None:
        self.log = log
        self.log.arrivals = None  # it looks at them itself
        self.git = log.git
        self.objects = log.objects
        self.remote = remote
        self.repository = repository
        self.progress = progress
        self.message = f"merge the log of {remote.name}"
        self._proved: list[str] = []
        """The tips that were proved in attempts before this one."""
        self._findings: list[Finding] = []

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
        self._keep(None, theirs)
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
        lost = self._lost(seen, theirs)
        if came and lost is None:
            self._keep(own, merged)
        return Synced(
            remote=self.remote.name,
            tip=merged,
            came=came,
            went=[] if denied else self._difference(theirs, merged)[0],
            lost=lost,
            damages=self.damages,
            contested=contested(self.log.view(merged), came),
            denied=denied,
        )

    def _fetch(self) -> None:
        self.remote.fetch()
        if truncated(self.objects, self.repository.common_dir):
            self.remote.fetch(UNSHALLOW)

    def _fetched(self) -> str | None:
        return self.objects.resolve(self.remote.fetched)

    def _looked_at(self, seen: str | None) -> str | None:
        """What the remote has now. Raises Overtaken for what looks like a loss, and is none at the remote."""
        self._fetch()
        theirs = self._fetched()
        kept = seen is None or (theirs and self._is_commit(theirs) and contains(self.git, theirs, seen))
        # Every fetch of this clone writes that ref, and a slow one writes what was there a while ago.
        if not kept and self.remote.tip() != theirs:
            raise Overtaken(f"what was fetched from {self.remote.name} is not what it has, again and again")
        return theirs

    def _check(self, theirs: str, own: str | None) -> None:
        """Raise Damaged unless what the remote has is a log that only grew, as far as we do not know it."""
        if not self._is_commit(theirs):
            raise Damaged(f"what {self.remote.name} has as {self.log.ref} is no commit: {theirs}")
        known = [*self._proved, *([own] if own else [])]
        if not any(contains(self.git, tip, theirs) for tip in known):
            signatures = self._signatures(theirs, own)
            self._findings += proved(self.git, self.objects, theirs, known, self.progress, signatures)
            self._proved.append(theirs)
        if truncated(self.objects, self.repository.common_dir):
            raise Damaged(f"{self.remote.name} has only the end of a log: it is a shallow clone itself")

    def _signatures(self, theirs: str, own: str | None) -> "Signatures | None":
        if not self.log.signed():
            return None
        from gitdecide.store.signatures import arriving

        return arriving(self.git, self.objects, theirs, own)

    def _keep(self, own: str | None, tip: str) -> None:
        if not self.log.signed():  # what a proof is worth changes with the keys
            keep(self.git, self.objects, self.repository.common_dir, own, tip, self._findings)

    @property
    def damages(self) -> list[Damage]:
        """What is wrong with what came, and may stand in a log all the same."""
        faults = (finding for finding in self._findings if finding.fault)
        return [Damage(fault.path or fault.commit, fault.message) for fault in faults]

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
        """Remember what the remote has, unless another sync of ours knows more of it already."""
        if tip:
            for ref in (self.remote.seen, self.remote.fetched):
                # Where somebody else writes it at this moment, a later sync will.
                with suppress(GitError):
                    self._advance(ref, tip)

    def _advance(self, ref: str, tip: str) -> None:
        old = self.objects.resolve(ref)
        if old != tip and (old is None or contains(self.git, tip, old)):
            self.git.run("update-ref", "--", ref, tip, old or "0" * len(tip))

    def _difference(self, old: str | None, new: str) -> tuple[list[str], list[str]]:
        return differences(self.git, old or self.objects.add_tree({}), new)

    def _lost(self, seen: str | None, theirs: str | None) -> list[str] | None:
        if seen is None or (theirs and contains(self.git, theirs, seen)):
            return None
        return self._difference(theirs, seen)[0]


def contested(snapshot: Snapshot, came: Iterable[str]) -> list[RecordName]:
    """The records that are contested now, of those to which a decision came, or the note of one."""
    deciding = {
        folder.rpartition("/")[2]
        for folder, _, file in (path.rpartition("/") for path in came)
        if file.startswith(("decision-", "replaced-"))
    }
    names = [name for name in map(RecordName.parse, sorted(deciding)) if name]
    return [record.name for record in snapshot.records(names) if record.status == "contested"]
