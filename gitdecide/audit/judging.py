"""Whether the entries of a log may be there: by their commits, by what they name, and by the rules."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Final

from gitdecide.audit import contents as reading
from gitdecide.audit.contents import Contents
from gitdecide.audit.finding import NEWER, Finding
from gitdecide.audit.folders import Folders
from gitdecide.audit.growth import Growth
from gitdecide.audit.sightings import Sighting, misordered, sightings
from gitdecide.entries.names import RecordName, actor_path_name, entry_file, split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import (
    Actor,
    Decision,
    Entry,
    FollowUp,
    Kind,
    Proposal,
    Replaced,
    Unknown,
    type_name,
)
from gitdecide.errors import DecideError
from gitdecide.git.objects import Signature
from gitdecide.git.raw import cleaned
from gitdecide.rules import judge
from gitdecide.rules.context import Context
from gitdecide.store.signatures import Signatures
from gitdecide.store.snapshot import KnownActor, heads

TOGETHER: Final = 1000
"""How many entries have their signatures looked at in one go."""

LOCAL_RULES: Final = ("R9",)
"""Whether these held, only the machine that wrote the entry can know."""


class Before(DecisionRecord):
    """A record with only some of its entries, which hold all that they come after: their order stays."""

    def __init__(self, whole: DecisionRecord, there: Set[str]) -> None:
        self.name = whole.name
        self.entries = tuple(filed for filed in whole.entries if filed[0] in there)
        self.damages = ()
        self.sources = {}
        self._by_id = dict(self.entries)


class Judging:
    """Judges the folders of a log one by one; other records are read where an entry names them."""

    def __init__(self, folders: Folders, growth: Growth, signatures: Signatures | None = None) -> None:
        self._signatures = signatures
        self._unsigned: dict[str, tuple[Entry | Unknown, str]] = {}
        """By path: entries whose signatures were not looked at yet, and the commits that brought them."""
        self._folders = folders
        self._growth = growth
        self._other = lru_cache(maxsize=100)(lambda path: reading.read(path, folders.read(path)))
        self._known = lru_cache(maxsize=10_000)(self._kind_at_last)

    def findings(self, paths: Sequence[str], progress: Callable[[float], None]) -> Iterator[Finding]:
        """What is wrong with what is new in some folders."""
        for number, folder in enumerate(self._folders.read_all(paths)):
            path = paths[number]
            progress(number / len(paths))
            contents = reading.read(path, folder)
            faulty = self._faulty(contents)
            yield from faulty.values()
            judged: set[str] = set()
            for sighting in sightings(contents, self._folders):
                place = f"{path}/{entry_file(type_name(sighting.entry), sighting.id)}"
                if place in faulty or place in self._growth.blamed:
                    continue
                commit = self._growth.history.commits[sighting.step]
                for kind, said in self._problems(contents, sighting, again=sighting.id in judged):
                    yield Finding(kind, said, commit, place)
                judged.add(sighting.id)
                self._unsigned[place] = sighting.entry, commit
            if len(self._unsigned) >= TOGETHER:
                yield from self._unproved()
        yield from self._unproved()
        yield from self._apart()

    def _unproved(self) -> Iterator[Finding]:
        """What is not signed as the policy asks, of what was seen since it was last asked."""
        entries = {place: entry for place, (entry, _) in self._unsigned.items()}
        folders = {place.rpartition("/")[0] for place in entries if place.startswith("decisions/")}
        reasons = self._signatures.unproved(entries, sorted(folders)) if self._signatures else {}
        for place, reason in reasons.items():
            yield Finding("signature", reason, self._unsigned[place][1], place)
        self._unsigned.clear()

    def _apart(self) -> Iterator[Finding]:
        """The first keys that do not vouch for each other, of which the history brought one."""
        new = self._growth.history.commits
        for apart in self._signatures.apart if self._signatures else ():
            if key := next((key for key in apart.keys if key.commit in new), None):
                yield Finding("signature", str(apart), key.commit, key.path)

    def _faulty(self, contents: Contents) -> dict[str, Finding]:
        """By path: the first fault of each file, and of the folder, that the history brought."""
        found = {}
        for fault in contents.faults:
            place = f"{contents.path}/{fault.file}".rstrip("/")
            every = self._folders.added(contents.path)
            added = [file for file in every if fault.file in ("", file.name)]
            wrong = [file for file in added if file.blob not in contents.entries] or added
            if fault.kind == "missing":  # which a file may be that was proved when it was there
                wrong = added or [*every]
            if wrong and place not in self._growth.blamed:
                commit = self._growth.history.commits[wrong[0].step]
                found[place] = Finding(fault.kind, fault.said, commit, place, fault.fatal)
        return found

    def _problems(self, contents: Contents, sighting: Sighting, *, again: bool) -> Iterator[tuple[str, str]]:
        """Kinds and sentences; what an entry itself says is judged once, whoever added it again."""
        entry, author = sighting.entry, self._growth.authors[sighting.step]
        if author not in (entry.actor, _in_commits(entry.actor)):
            yield "author", f"is said by {entry.actor}, and its commit is by {author}"
        if said := misordered(sighting):
            yield "order", said
        elif not again:
            if said := reading.newer(entry, contents.sources[sighting.id]):
                yield NEWER, said
            if not isinstance(entry, Unknown):
                yield from self._refused(entry, contents, sighting) or (
                    ("reference", said) for said in self._dangling(entry, contents, sighting)
                )

    def _refused(self, entry: Entry, contents: Contents, sighting: Sighting) -> list[tuple[str, str]]:
        """What the rules say, against the record as the writer had it."""
        joins = contents.record if isinstance(entry, FollowUp) else None
        before = Before(joins, sighting.there) if joins else None
        kind = self._kind(entry.actor, sighting.step)
        settled = entry.settled if isinstance(entry, Decision) else None
        by = self._kind(settled.by, sighting.step) if settled and settled.by else None
        context = Context(kind, records=self._others(entry, sighting.step), by=by)
        refusals = [refusal for refusal in judge(entry, before, context) if refusal.code not in LOCAL_RULES]
        # An entry that names what is not there fails other rules for that alone.
        named = [refusal for refusal in refusals if refusal.code == "R4"]
        return [(refusal.code, refusal.message) for refusal in named or refusals]

    def _others(self, entry: Entry, step: int) -> dict[str, DecisionRecord]:
        """The other records that a decision replaces decisions of, as its commit found them."""
        others: dict[str, DecisionRecord] = {}
        for name, _ in _foreign(entry.supersedes if isinstance(entry, Decision) else ()):
            other = self._other(name.path)
            if other.record:
                others[str(name)] = Before(other.record, self._folders.had(name.path, step))
        return others

    def _dangling(self, entry: Entry, contents: Contents, sighting: Sighting) -> Iterator[str]:
        """What an entry names beside what the rules look after."""
        own, step = contents.path.rpartition("/")[2], sighting.step
        for name, key in _foreign(read.entry for read in getattr(entry, "read", ()) if read.entry):
            if key not in self._folders.has(name.path, step):
                yield f"read {name}:{key}, which was not there"
        if isinstance(entry, Proposal) and entry.patch not in self._folders.has(contents.path, step):
            yield f"proposes the patch {entry.patch}, which is not there"
        if isinstance(entry, Replaced) and not self._replaces(entry, own, step):
            yield f"is replaced by {entry.by}, which does not say so"
        for name, key in _foreign(entry.supersedes if isinstance(entry, Decision) else ()):
            by = f"{own}:{sighting.id}"
            if not any(note.decision == key and note.by == by for note in self._notes(name.path, step)):
                yield f"replaces {name}:{key}, and no entry of the same commit says so there"

    def _replaces(self, note: Replaced, record: str, step: int) -> bool:
        for name, key in _foreign([note.by]):
            decision = self._other(name.path).entries.get(key)
            there = key in self._folders.has(name.path, step)
            return (
                there
                and isinstance(decision, Decision)
                and f"{record}:{note.decision}" in decision.supersedes
            )
        return False

    def _notes(self, path: str, step: int) -> Iterator[Replaced]:
        """The notes of replacements that a step added to a folder."""
        entries = self._other(path).entries
        for file in self._folders.added(path):
            entry = entries.get(file.blob) if file.step == step else None
            if isinstance(entry, Replaced):
                yield entry

    def _kind(self, actor: str, step: int) -> Kind:
        """What an actor was in the tree of a commit's parents; else what the commit itself says."""
        path = f"actors/{actor_path_name(actor)}"
        added = self._folders.added(path)
        if added and added[-1].step < step and self._folders.grew_alone(path, step):
            return self._known(path)
        entries = self._other(path).entries
        there = self._folders.had(path, step) & entries.keys() or self._folders.has(path, step)
        return _kind_of(entries, set(there) & self._counting(path, entries))

    def _kind_at_last(self, path: str) -> Kind:
        entries = self._other(path).entries
        return _kind_of(entries, self._counting(path, entries))

    def _counting(self, path: str, entries: Collection[str]) -> Set[str]:
        """The entries about an actor that are signed as the policy asks."""
        refused = self._signatures.unproved_actors if self._signatures else {}
        return {key for key in entries if f"{path}/{entry_file('actor', key)}" not in refused}


def _kind_of(entries: Mapping[str, Entry | Unknown], there: Set[str]) -> Kind:
    known = {key: entry for key, entry in entries.items() if isinstance(entry, Actor)}
    return KnownActor(heads(known, known.keys() & there)).kind


def _foreign(references: Iterable[str]) -> Iterator[tuple[RecordName, str]]:
    """The references that lead into other records."""
    for reference in references:
        text, key = split_reference(reference)
        name = RecordName.parse(text) if text else None
        if name:
            yield name, key


@lru_cache(maxsize=1000)
def _in_commits(actor: str) -> str | None:
    """An actor's name as git keeps it in a commit; None for one that it cannot keep."""
    try:
        return cleaned(Signature(actor, "", 0, 0)).name
    except DecideError:
        return None
