"""The log as one commit has it: records, actors and what their names mean."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, tee
from typing import TYPE_CHECKING, NamedTuple

from gitdecide.entries import document
from gitdecide.entries.names import (
    RecordName,
    TypedName,
    actor_path_name,
    entry_file,
    is_prefix,
    parse_entry_file,
)
from gitdecide.entries.record import Damage, DecisionRecord, File, Filed
from gitdecide.entries.types import Actor, FollowUp, Kind, Question, Unknown
from gitdecide.errors import Damaged, NotFound, UsageError
from gitdecide.git.objects import MissingObject, Objects, Tree
from gitdecide.rules.reading import unlawful

if TYPE_CHECKING:
    from gitdecide.store.signatures import Apart, Signatures


class KnownActor(NamedTuple):
    """What the log says of an actor: its entries that nothing came after, and files that are damaged."""

    heads: tuple[Filed[Actor], ...]
    damages: tuple[Damage, ...] = ()
    tips: tuple[str, ...] = ()
    """The ids that a new entry comes after: those of the heads, and of what does not count."""
    unproved: tuple[Damage, ...] = ()
    """The files that do not count, since they are not signed as the policy asks."""

    @property
    def kind(self) -> Kind:
        """Where the heads disagree, or none is sound, agent, until a person settles it."""
        agreed = {head.entry.kind for head in self.heads} == {"human"}
        return "human" if agreed else "agent"

    @property
    def latest(self) -> Actor:
        """The entry that names, icons and addresses are taken from."""
        return max(self.heads, key=lambda head: (head.entry.at, head.id)).entry


class Snapshot:
    """A view of the log that does not move: reads happen against the tree of one commit."""

    def __init__(self, objects: Objects, commit: str, signatures: "Signatures | None" = None) -> None:
        self.objects = objects
        self.commit = commit
        self.signatures = signatures
        """What says which entries count by their signatures; None where the policy does not ask for any."""
        self._actors: dict[str, KnownActor] = {}

    @property
    def judged_by(self) -> str:
        """What records are read by beside the log: nothing, or a digest that changes with the verdicts."""
        return self.signatures.judged_by if self.signatures else ""

    @property
    def apart(self) -> "Sequence[Apart]":
        """The first keys of actors of which one may be a forger's, where the policy asks for signatures."""
        return self.signatures.apart if self.signatures else ()

    def names(self) -> Iterator[RecordName]:
        """Every record's name, the highest first; each is looked at when it is asked for."""
        for bucket in sorted(self._folder("decisions"), key=_bucket_number, reverse=True):
            # Names in one bucket are equally long, so git's order is the order of their numbers.
            for name in map(RecordName.parse, reversed(self._folder(f"decisions/{bucket}"))):
                if name and name.bucket == bucket:
                    yield name

    def has(self, name: RecordName) -> bool:
        """True when there is a record of this full name."""
        return str(name) in self._folder(f"decisions/{name.bucket}")

    def record(self, name: RecordName) -> DecisionRecord:
        """A record, read from its own folder alone; what is damaged in it is in its `damages`."""
        return next(self.records([name]))

    def records(self, names: Iterable[RecordName]) -> Iterator[DecisionRecord]:
        """Many records, in order: their files are asked for together."""
        ours, theirs = tee(names)
        read = map(DecisionRecord.read, ours, self._contents(name.path for name in theirs))
        return map(_judged, self.signatures.proved(read) if self.signatures else read)

    def resolve(self, typed: str) -> RecordName:
        """The record that a person means: DR-7, DR-007-3f2a, or the beginning of an entry's id.

        Raises UsageError for what is no name, NotFound for a name of nothing or of several records.
        """
        if wanted := TypedName.parse(typed):
            found = self._numbered(wanted)
        elif is_prefix(typed):
            found = sorted({name for name, _ in self.entries(typed)})
        else:
            raise UsageError(
                f"not the name of a decision record: {typed}", hint="names look like DR-7 or DR-007-3f2a91c0"
            )
        if not found:
            raise NotFound(f"no decision record {typed}", hint="git decide list shows them all")
        if len(found) > 1:
            raise NotFound(
                f"{typed} is ambiguous: {', '.join(map(str, found))}", hint="full names always work"
            )
        return found[0]

    def entries(self, prefix: str) -> Iterator[tuple[RecordName, str]]:
        """The entries of the log whose ids begin so, each with the name of its record."""
        for entry_id in self.objects.disambiguate(prefix):
            entry = self._loose_entry(entry_id)
            if isinstance(entry, Question):
                name = RecordName.of(entry.number, entry_id)
            elif isinstance(entry, FollowUp | Unknown):
                question = self._loose_entry(entry.qid)
                if not isinstance(question, Question):
                    continue
                name = RecordName.of(question.number, entry.qid)
            else:
                continue
            if any((parse_entry_file(file) or ("", ""))[1] == entry_id for file in self._folder(name.path)):
                yield name, entry_id

    def holding(self, kind: str) -> Iterator[RecordName]:
        """The records that hold an entry of a type, as the names of their files say, the highest first."""
        ours, theirs = tee(self.names())
        trees = self.objects.subtrees(self.commit, (name.path for name in theirs))
        for name, tree in zip(ours, trees, strict=True):
            if any(file.startswith(f"{kind}-") for file in tree or ()):
                yield name

    def patch(self, name: RecordName, patch_id: str) -> bytes:
        """The patch that lies beside a proposal of a record. Raises Damaged when it does not."""
        file = self._folder(name.path).get(f"{patch_id}.patch")
        if file is None or file.id != patch_id:
            raise Damaged(f"{name} lacks the patch {patch_id}", hint="git decide fsck")
        return self.objects.blob(patch_id)

    def highest_number(self) -> int:
        """The highest number of a record that is not damaged; 0 when there is none."""
        return next((name.number for name in self.names() if not self.record(name).damages), 0)

    def actor(self, name: str) -> KnownActor | None:
        """What the log says of an actor, None for one that it does not know."""
        known = self._actor(actor_path_name(name))
        heads = tuple(head for head in known.heads if head.entry.name == name)
        return known._replace(heads=heads) if heads or known.damages or known.unproved else None

    def profile(self, name: str) -> Actor | None:
        """The entry that an actor's name, icon and address are taken from, None for an unknown one."""
        known = self.actor(name)
        return known.latest if known and known.heads else None

    def actors(self) -> Iterator[KnownActor]:
        """Every actor that the log knows, by name."""
        return filter(
            lambda known: known.heads or known.damages or known.unproved,
            map(self._actor, sorted(self._folder("actors"))),
        )

    def claims(self) -> dict[str, Actor]:
        """Every sound entry about an actor, by its path."""
        names = sorted(self._folder("actors"))
        found = {}
        for path_name, files in zip(names, self._contents(f"actors/{name}" for name in names), strict=True):
            entries, _ = _read_actors(path_name, files)
            for key, entry in entries.items():
                found[f"actors/{path_name}/{entry_file('actor', key)}"] = entry
        return found

    def _folder(self, path: str) -> Tree:
        return self.objects.subtree(self.commit, path) or {}

    def _contents(self, paths: Iterable[str]) -> Iterator[list[File]]:
        """The files of each folder; anything in it that is not a file comes back empty."""
        trees = (tree or {} for tree in self.objects.subtrees(self.commit, paths))
        folders, asked = tee(trees)
        blobs = (entry.id for folder in asked for entry in folder.values() if entry.is_blob)
        contents = self._read_all(blobs)
        for folder in folders:
            yield [
                File(name, entry.id, next(contents) if entry.is_blob else b"")
                for name, entry in folder.items()
            ]

    def _read_all(self, ids: Iterable[str]) -> Iterator[bytes | None]:
        """The contents of blobs, in order; None for one that is missing."""
        asked, again = tee(ids)
        read = 0
        try:
            for data in self.objects.blobs(asked):
                read += 1
                yield data
        except MissingObject:
            yield from map(self._blob, islice(again, read, None))

    def _blob(self, oid: str) -> bytes | None:
        try:
            return self.objects.blob(oid)
        except MissingObject:
            return None

    def _numbered(self, wanted: TypedName) -> list[RecordName]:
        least = RecordName(wanted.number, wanted.suffix)
        files = self._folder(f"decisions/{least.bucket}")
        names = (RecordName.parse(file) for file in files if file.startswith(str(least)))
        return sorted(filter(None, names))

    def _loose_entry(self, entry_id: str) -> object:
        if self.objects.kind(entry_id) != "blob":
            return None
        try:
            return document.load(self.objects.blob(entry_id))
        except document.DocumentError:
            return None

    def _actor(self, path_name: str) -> KnownActor:
        """Read once: a view does not move, and whoever imports speaks very often."""
        if path_name not in self._actors:
            self._actors[path_name] = self._found_actor(path_name)
        return self._actors[path_name]

    def _found_actor(self, path_name: str) -> KnownActor:
        entries, damages = _read_actors(path_name, next(self._contents([f"actors/{path_name}"])))
        refused = self.signatures.unproved_actors if self.signatures else {}
        paths = {key: f"actors/{path_name}/{entry_file('actor', key)}" for key in entries}
        unproved = tuple(Damage(path, refused[path]) for path in paths.values() if path in refused)
        counting = {key for key, path in paths.items() if path not in refused}
        tips = tuple(head.id for head in heads(entries, entries))
        return KnownActor(heads(entries, counting), damages, tips, unproved)


def _judged(record: DecisionRecord) -> DecisionRecord:
    """A record with all that is wrong with it: what its files are not, else what breaks the rules."""
    record.damages = record.damages or tuple(unlawful(record))
    return record


def _read_actors(path_name: str, files: Iterable[File]) -> tuple[dict[str, Actor], tuple[Damage, ...]]:
    """The sound entries of an actor's folder by their ids, and what is wrong with the others."""
    entries: dict[str, Actor] = {}
    damages = []
    for file in files:
        try:
            entries[file.blob] = _read_actor(path_name, file)
        except Damaged as error:
            damages.append(Damage(f"actors/{path_name}/{file.name}", error.message))
    return entries, tuple(damages)


def heads(entries: Mapping[str, Actor], counting: Collection[str]) -> tuple[Filed[Actor], ...]:
    """Of the entries that count, those that no other of them comes after, also by way of what does not."""
    followed: set[str] = set()
    todo = [earlier for key in counting for earlier in entries[key].after]
    while todo:
        key = todo.pop()
        if key not in followed:
            followed.add(key)
            todo += entries[key].after if key in entries and key not in counting else ()
    return tuple(Filed(key, entries[key]) for key in sorted(counting) if key not in followed)


def _read_actor(path_name: str, file: File) -> Actor:
    if parse_entry_file(file.name) != ("actor", file.blob):
        raise Damaged("was edited or misnamed")
    if file.data is None:
        raise Damaged("its content is missing here")
    try:
        entry = document.load(file.data)
    except document.DocumentError as error:
        raise Damaged(error.message) from None
    if not isinstance(entry, Actor) or actor_path_name(entry.name) != path_name:
        raise Damaged("is not an entry of this actor")
    return entry


def _bucket_number(bucket: str) -> int:
    digits = bucket.removeprefix("DR-").removesuffix("xxx")
    return int(digits) if digits.isdecimal() else -1
