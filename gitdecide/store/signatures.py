"""Which entries of a log count by their signatures, where the policy asks for them."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from itertools import islice, permutations
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.entries.keys import canonical, fingerprint
from gitdecide.entries.names import entry_file, parse_entry_file
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Actor, Entry, Unknown, type_name
from gitdecide.errors import DecideError
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.git.verifying import Seal, seals
from gitdecide.rules.reading import unlawful
from gitdecide.store.adders import History
from gitdecide.store.merge import joined
from gitdecide.store.snapshot import Snapshot

TOGETHER: Final = 100
"""How many records are judged at a time."""

FEW: Final = 20
"""So many folders have their commits looked for alone; for more, the whole log is read once."""

KEYRINGS: Final = ("pubring.kbx", "pubring.gpg", "public-keys.d/pubring.db")
"""Where gpg and gpgsm keep the public keys that they have."""

Entries = Mapping[str, Entry | Unknown]
"""Entries by their paths in the log."""


class Key(NamedTuple):
    """A key that an actor has, the file and the commit that gave it, and whether it had none before."""

    actor: str
    fingerprint: str
    path: str
    commit: str
    first: bool


class Apart(NamedTuple):
    """First keys of one actor that were given apart: one of them may be a forger's."""

    actor: str
    keys: Sequence[Key]

    def __str__(self) -> str:
        keys = ", ".join(sorted(key.fingerprint for key in self.keys))
        return f"the first keys of {self.actor} were set apart, and do not vouch for each other: {keys}"


def signed(git: Git, objects: Objects, commit: str, own: str | None = None) -> Snapshot:
    """The log at a commit, in which nothing counts that is not signed as it must be.

    `own` is the log here, where the commit is of one that is only about to join it.
    """
    return Snapshot(objects, commit, arriving(git, objects, commit, own))


def arriving(git: Git, objects: Objects, commit: str, own: str | None) -> "Signatures":
    """Judges a log by what it is once it has joined our own, whose keys are known."""
    known = Signatures(git, lambda: Snapshot(objects, own)).keys if own and own != commit else ()
    return Signatures(git, lambda: Snapshot(objects, joined(git, objects, own, commit)), known)


class Signatures:
    """Judges entries by the commits that added them to a log; `view` opens it, once that is needed.

    An entry of an actor with a key counts when a commit that added it is signed with a key of that actor, or
    leads to the commit that gave it its first. First keys that were given apart all stand; but whoever is
    among `known`, with keys, gets no other first one. All raise Unverifiable where nothing can verify.
    """

    def __init__(self, git: Git, view: Callable[[], Snapshot], known: Iterable[Key] = ()) -> None:
        self._git = git
        self._view = view
        self._known = list(known)
        self._histories: dict[tuple[str, ...], History] = {}
        self._free: dict[History, Mapping[str, AbstractSet[str]]] = {}
        self._seals: dict[str, Seal] = {}

    @cached_property
    def judged_by(self) -> str:
        """What the judgement depends on beside the log: a digest of the keys, and of what gpg knows."""
        said = sorted({f"{key.actor}\0{key.fingerprint}" for key in self.keys})
        if any(not key.fingerprint.startswith("SHA256:") for key in self.keys):
            said += _keyrings(self._git)
        return hashlib.sha256("\n".join(["signed", *said]).encode("utf-8", "surrogateescape")).hexdigest()

    @cached_property
    def keys(self) -> list[Key]:
        """The keys that actors have, in the order in which they came.

        A first key needs no signature; whoever has one gets another only by that one.
        """
        if not self._claims:
            return []
        history = self._history([])
        giving = history.adding(self._claims)
        self._verify(giving if len(giving) > 1 else ())
        keys, again = self._known, None
        while again != (again := {(key.actor, key.fingerprint) for key in keys}):
            keys = self._given(history, giving, [*self._known, *keys])
        return keys

    def _given(
        self, history: History, giving: Mapping[str, Sequence[str]], accepted: Sequence[Key]
    ) -> list[Key]:
        """The keys that a history gives, first ones only among those accepted where there are some."""
        keys: list[Key] = []
        before: dict[str, int] = {}
        for commit, parents in reversed(history.commits):
            there = 0
            for parent in parents:
                there |= before.get(parent, 0)
            known = [key for bit, key in enumerate(keys) if there >> bit & 1] if commit in giving else []
            for path in giving.get(commit, ()):
                claim = self._claims[path]
                key = Key(claim.name, fingerprint(claim.key) or "", path, commit, not _of(claim.name, known))
                strange = key.first and key.fingerprint not in (_of(key.actor, accepted) or {key.fingerprint})
                if not strange and not self._against(claim, commit, partial(_of, keys=known)):
                    there |= 1 << len(keys)
                    keys.append(key)
            before[commit] = there
        return keys

    @cached_property
    def apart(self) -> list[Apart]:
        """The first keys that were given apart, until each has given the others: no forger has them all.

        Where keys of the actor were known before, those have said which of them are right.
        """
        claimed = {(claim.name, fingerprint(claim.key)) for claim in self._claims.values()}
        if len(claimed) == len(
            {name for name, _ in claimed}
        ):  # nobody has two: that takes no look at commits
            return []
        pinned = {key.actor for key in self._known}
        firsts: defaultdict[str, dict[str, Key]] = defaultdict(dict)
        for key in self.keys:
            if key.first and key.actor not in pinned:
                firsts[key.actor].setdefault(key.fingerprint, key)
        return [
            Apart(name, list(keys.values())) for name, keys in firsts.items() if not self._vouch(name, keys)
        ]

    def _vouch(self, actor: str, keys: Collection[str]) -> bool:
        """True when each of an actor's keys signed what gives them each of the others."""
        given = [key for key in self.keys if key.actor == actor]
        pairs = {(by, key.fingerprint) for key in given for by in self._seals[key.commit].keys}
        return pairs.issuperset(permutations(keys, 2))

    @cached_property
    def unproved_actors(self) -> dict[str, str]:
        """Why entries about actors do not count, by their paths."""
        return self.unproved(self._actors)

    def proved(self, records: Iterable[DecisionRecord]) -> Iterator[DecisionRecord]:
        """The same records, in which nothing counts that is not signed as it must be."""
        rest = iter(records)
        while batch := list(islice(rest, TOGETHER)):
            entries = {path: entry for record in batch for path, entry in _paths(record)}
            refused = self.unproved(entries, [record.name.path for record in batch])
            reasons: defaultdict[str, dict[str, str]] = defaultdict(dict)
            for path, reason in refused.items():
                folder, _, file = path.rpartition("/")
                reasons[folder][(parse_entry_file(file) or ("", ""))[1]] = reason
            yield from (_without(record, reasons[record.name.path]) for record in batch)

    def unproved(self, entries: Entries, folders: Sequence[str] = ()) -> dict[str, str]:
        """Why entries of some records' folders, or about actors, do not count; by their paths."""
        named = {claim.name for claim in self._claims.values()}
        owing = {path: entry for path, entry in entries.items() if not named.isdisjoint(_names(entry))}
        if not owing:
            return {}
        history = self._history(folders)  # which serves to find the keys as well
        exempt = self._exempt(history)
        owed = {
            commit: None
            for path, entry in owing.items()
            for commit in history.adders.get(path, ())
            if not set(_names(entry)) <= exempt[commit]
        }
        self._verify(owed)
        return dict(self._refused(owing, history, exempt))

    def expect(self, commit: str, entries: Iterable[Entry]) -> None:
        """Raise DecideError for a commit on top of this log whose entries would not count."""
        for entry in entries:
            if any(_of(name, self.keys) for name in _names(entry)):
                self._verify([commit])
                if said := self._against(entry, commit, partial(_of, keys=self.keys)):
                    hint = "user.signingkey is the key to sign with; git decide actor list shows known ones"
                    raise DecideError(f"the entry would not count: {said}", hint=hint)

    def _exempt(self, history: History) -> Mapping[str, AbstractSet[str]]:
        """By commit: the actors whose first key came no sooner than it."""
        if history not in self._free:
            firsts: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
            for key in self.keys:
                firsts[key.commit] |= {key.actor} if key.first else set()
            self._free[history] = history.leading(firsts)
        return self._free[history]

    def _refused(
        self, entries: Entries, history: History, exempt: Mapping[str, AbstractSet[str]]
    ) -> Iterator[tuple[str, str]]:
        given = {(key.path, key.commit) for key in self.keys}
        for path, entry in entries.items():
            reasons = []
            for commit in history.adders.get(path, ()):
                owed = [key for key in self.keys if key.actor not in exempt[commit]]
                said = self._against(entry, commit, partial(_of, keys=owed))
                if not said and path in self._claims and (path, commit) not in given:
                    said = f"it gives {self._claims[path].name} a key, and none that they had says so"
                reasons.append(said)
            if all(reasons) and any(_of(name, self.keys) for name in _names(entry)):
                yield path, next(filter(None, reasons), "no commit of its own added it")

    def _against(self, entry: Entry | Unknown, commit: str, known: Callable[[str], set[str]]) -> str | None:
        """Why a commit may not add an entry, by the keys that its speaker has and the actor it is about."""
        for name in _names(entry):
            keys = known(name)
            if keys and keys.isdisjoint(self._seals[commit].keys) and not self._vouched(entry, name, known):
                return self._seals[commit].against(name)
        return None

    def _vouched(self, entry: Entry | Unknown, name: str, known: Callable[[str], set[str]]) -> bool:
        """True when somebody with a key says something about another, and leaves them the key they have."""
        if not isinstance(entry, Actor) or name == entry.actor:
            return False
        return bool(known(entry.actor)) and (fingerprint(entry.key) or "") in known(name)

    def _verify(self, commits: Iterable[str]) -> None:
        if asked := [commit for commit in commits if commit not in self._seals]:
            trusted = {canonical(claim.key or "") for claim in self._claims.values()}
            ssh = sorted(key for key in trusted if key and " " in key)
            self._seals |= seals(self._git, asked, ssh)

    @cached_property
    def _claims(self) -> Mapping[str, Actor]:
        """The entries that give an actor a key, or want to."""
        return {path: actor for path, actor in self._actors.items() if fingerprint(actor.key)}

    @cached_property
    def _actors(self) -> Mapping[str, Actor]:
        return self._snapshot.claims()

    @cached_property
    def _snapshot(self) -> Snapshot:
        return self._view()

    def _history(self, folders: Sequence[str]) -> History:
        """The commits that touch some folders of records, and those of actors in any case."""
        if not folders and self._histories:
            return next(iter(self._histories.values()))
        whole = ("actors", "decisions")
        few = len(folders) <= FEW and len(self._histories) <= FEW and whole not in self._histories
        paths = ("actors", *folders) if few else whole
        if paths not in self._histories:
            self._histories[paths] = History(self._git, self._snapshot.commit, paths)
        return self._histories[paths]


def _without(record: DecisionRecord, reasons: dict[str, str]) -> DecisionRecord:
    """A record in which some entries do not count, nor does what breaks the rules for want of them."""
    rightly = {damage.file for damage in unlawful(record)} if reasons else set()
    while True:
        kept = record.without(reasons)
        resting = [damage for damage in unlawful(kept) if damage.file not in rightly] if reasons else []
        if kept.damages or not resting:
            return kept
        for file, problem in resting:
            key = (parse_entry_file(file) or ("", ""))[1]
            reasons[key] = f"it rests on what does not count: {problem}"


def _names(entry: Entry | Unknown) -> tuple[str, ...]:
    """Whose keys an entry needs: the speaker's, and those of the actor that it is about."""
    if isinstance(entry, Actor) and entry.name != entry.actor:
        return entry.actor, entry.name
    return (entry.actor,)


def _of(name: str, keys: Iterable[Key]) -> set[str]:
    return {key.fingerprint for key in keys if key.actor == name}


def _paths(record: DecisionRecord) -> Iterator[tuple[str, Entry | Unknown]]:
    for key, entry in record.entries:
        yield f"{record.name.path}/{entry_file(type_name(entry), key)}", entry


def _keyrings(git: Git) -> Iterator[str]:
    """When gpg last learnt of a key: what could not be verified may be by now."""
    home = git.environ.get("GNUPGHOME") or f"{git.environ.get('HOME', '')}/.gnupg"
    for file in (Path(home) / name for name in KEYRINGS):
        if file.exists():
            yield f"{file.name} {file.stat().st_mtime_ns}"
