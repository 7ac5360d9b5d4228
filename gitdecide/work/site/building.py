"""Building a site: one look at every record, page by page, and then what lists them all."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.entries.evidence import stored_path
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Evidence, Proposal
from gitdecide.errors import Damaged
from gitdecide.git.run import Git
from gitdecide.output import Bar
from gitdecide.render.site import places
from gitdecide.render.site.pages import LISTED, Built, Commit, Known, Listed, Pages
from gitdecide.render.site.summary import Summary, summary
from gitdecide.render.site.told import Beside
from gitdecide.store.snapshot import KnownActor, Snapshot
from gitdecide.work import commits, governing, naming
from gitdecide.work.freshness import Freshness, compared, pinned
from gitdecide.work.site.folder import Folder

LINKING: Final = ("--fixed-strings", "--regexp-ignore-case", "--grep=decision:", "HEAD", "--")
"""What git log is told, so that it hands over only the commits that may link a record, of all there are."""


class Source(NamedTuple):
    """What a site is made from."""

    snapshot: Snapshot
    """Through a way to objects that is quick for very many."""
    top: Git
    """At the top of the working tree."""
    fast: timedelta
    """The policy's fast_accept."""


class Published(NamedTuple):
    """What became of the files of a site, and which records are damaged."""

    files: int
    written: int
    kept: int
    removed: int
    damaged: Sequence[str]


def publish(source: Source, path: Path, title: str, bar: Bar) -> Published:
    """Make a folder hold the site. Raises DecideError for a folder that cannot."""
    with Folder.opened(path) as folder:
        damaged = _Building(source, folder, title).run(bar)
    return Published(folder.written + folder.kept, folder.written, folder.kept, folder.removed, damaged)


class _Building:
    """One run: pages of records are forgotten once they are written, summaries are kept."""

    def __init__(self, source: Source, folder: Folder, title: str) -> None:
        self.snapshot = source.snapshot
        self.objects = source.snapshot.objects
        self.top = source.top
        self.fast = source.fast
        self.folder = folder
        self.names = list(self.snapshot.names())
        self.head = self.objects.resolve("HEAD^{commit}")
        self._state = cache(self._compared)
        self.built = Built(self.snapshot.commit, self.head)
        self.pages = Pages(title, set(map(str, self.names)).__contains__)

    def run(self, bar: Bar) -> list[str]:
        """Write everything, what leads to it last; the names of the records that are damaged.

        Records come with the highest name first, and so do all lists of them.
        """
        linked = self._linked()
        summaries: list[Summary] = []
        damaged: list[str] = []
        for done, record in enumerate(self.snapshot.records(self.names), 1):
            self._record(record, linked.get(record.name, ()))
            summaries.append(summary(record))
            damaged += [str(record.name)] if record.damages else []
            bar.show(done / len(self.names))
        self._actors(summaries)
        self._files(summaries)
        self._lists(summaries)
        bar.clear()
        return damaged

    def _record(self, record: DecisionRecord, linked: Sequence[Commit]) -> None:
        states = {read: self._state(read) for read in pinned(record)} if self.head else {}
        beside = Beside(states, dict(self._patches(record)))
        self.folder.write(
            places.record_page(record.name), self.pages.record(record, beside, linked, self.fast)
        )

    def _compared(self, read: Evidence) -> Freshness:
        """What became of what was read; asked once, since many records read the same."""
        return compared(read, self.built.head or "", lambda: self.top, self.objects)

    def _patches(self, record: DecisionRecord) -> Iterator[tuple[str, str]]:
        for _, proposal in record.of(Proposal):
            try:
                patch = self.snapshot.patch(record.name, proposal.patch)
            except Damaged:
                continue
            yield proposal.patch, patch.decode("utf-8", "backslashreplace")

    def _linked(self) -> Mapping[RecordName, list[Commit]]:
        """The commits of HEAD that link records, the newest first."""
        found: dict[RecordName, list[Commit]] = defaultdict(list)
        for each in commits.told(self.top, *LINKING) if self.head else ():
            for name in naming.resolved(self.snapshot, each.names):
                found[name].append(Commit(each.id, each.subject))
        return found

    def _actors(self, summaries: Sequence[Summary]) -> None:
        said: dict[str, list[Listed]] = defaultdict(list)
        for each in summaries:
            for actor, did in each.actors.items():
                said[actor].append(Listed(each, did))
        known = {name: _known(self.snapshot.actor(name)) for name in said}
        for name, records in said.items():
            self.folder.write(places.actor_page(name), self.pages.actor(name, known[name], records))
        counts = {name: len(said[name]) for name in sorted(said, key=lambda name: (name.casefold(), name))}
        self.folder.write(places.ACTORS, self.pages.actors(known, counts))

    def _files(self, summaries: Sequence[Summary]) -> None:
        said: dict[str, dict[RecordName, list[str]]] = defaultdict(lambda: defaultdict(list))
        for each in summaries:
            for path, readers in each.paths.items():
                said[path][each.name].append(f"read by {readers}")
        specs = _governing(summaries)
        for path, spec in self._governed(specs, {*said, *specs}):
            for name in specs[spec]:
                said[path][name].append("governs it" if path == spec else f"governs it by {spec}")
        by_name = {each.name: each for each in summaries}
        for path, how in said.items():
            listed = [Listed(by_name[name], ", ".join(words)) for name, words in how.items()]
            listed.sort(key=lambda each: each.record.name, reverse=True)
            self.folder.write(places.file_page(path), self.pages.file(path, listed))
        self.folder.write(places.FILES, self.pages.files({path: len(said[path]) for path in sorted(said)}))

    def _governed(self, specs: Iterable[str], known: Container[str]) -> Iterator[tuple[str, str]]:
        """Paths that have pages, and a pathspec that selects them; as it is written it has a page itself."""
        files = sorted(governing.files(self.top, ["."])) if specs else []
        there = {file: path for file in files if (path := stored_path(file)) in known}
        real = list(there)
        for spec in specs:
            selected = (there[file] for file in governing.among(self.top, spec, real) if file in there)
            yield from ((path, spec) for path in dict.fromkeys([spec, *selected]))

    def _lists(self, summaries: Sequence[Summary]) -> None:
        pages: dict[str, list[Summary]] = defaultdict(list)
        for each in summaries if len(summaries) > LISTED else ():
            pages[places.list_page(each.number)].append(each)
        for path, inside in pages.items():
            self.folder.write(path, self.pages.listing(inside))
        for path, text in self.pages.assets(summaries, self.built).items():
            self.folder.write(path, text)
        self.folder.write(places.INDEX, self.pages.index(summaries, self.built))


def _governing(summaries: Iterable[Summary]) -> Mapping[str, list[RecordName]]:
    """The records that each pathspec governs for."""
    names: dict[str, list[RecordName]] = defaultdict(list)
    for each in summaries:
        for spec in each.governs:
            names[spec].append(each.name)
    return names


def _known(actor: KnownActor | None) -> Known:
    return Known(actor.kind, actor.latest if actor.heads else None) if actor else Known("unknown", None)
