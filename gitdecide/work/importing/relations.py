"""Which records an imported one means by a number, a name or a link, and in which order they are taken."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.formats.foreign import ForeignRecord
from gitdecide.formats.statuses import Reference
from gitdecide.work.importing.known import Key, Known
from gitdecide.work.importing.sources import Source

_EXPORTED: Final = re.compile(r"-[0-9a-f]{8}(?=\.\w+$)")
"""What our export adds to the name that a record had before: others of its folder still link to that."""


class Item(NamedTuple):
    """One record of a file, its place in the report, and the key that it is known by."""

    place: int
    source: Source
    foreign: ForeignRecord
    key: Key


Target = int | RecordName
"""A record of this import by its place, or one of the log."""


class Relations:
    """What the records of an import say of each other, and of those that the log has."""

    def __init__(self, items: Sequence[Item], known: Known) -> None:
        self._known = known
        self._near: dict[tuple[str, str], list[Target]] = defaultdict(list)
        """By folder and name: those of the same folder are meant first."""
        self._new: dict[str, list[Target]] = defaultdict(list)
        taken = set[RecordName]()
        for item in items:
            before = known.by_key.get(item.key)
            target = before.record.name if before else item.place
            taken.update([before.record.name] if before else ())
            file = item.source.name
            for name in {file, _EXPORTED.sub("", file), item.foreign.id or file, *item.foreign.aliases}:
                self._near[item.source.folder, name].append(target)
                self._new[name].append(target)
        for (_, path, _), before in known.by_key.items():
            if before.record.name not in taken:
                taken.add(before.record.name)
                folder, _, file = path.rpartition("/")
                for name in (
                    {file, *before.record.question.entry.aliases} if not before.record.damages else ()
                ):
                    self._near[folder, name].append(before.record.name)

    def targets(self, item: Item, reference: Reference) -> list[Target]:
        """The records that a reference may mean: none, one or several."""
        near = self._near.get((item.source.folder, reference.target))
        far = [*self._new.get(reference.target, ()), *self._known.aliases.get(reference.target, ())]
        return list(dict.fromkeys(near or far))

    def bonds(self, item: Item) -> Iterator[tuple[Reference, list[Target]]]:
        """Every reference of a record with what it may mean, itself left out."""
        own = self._known.by_key.get(item.key)
        itself: Target = own.record.name if own else item.place
        for reference in item.foreign.references:
            found = [target for target in self.targets(item, reference) if target != itself]
            if found or not self.targets(item, reference):
                yield reference, found


def replaced_by(items: Iterable[Item], relations: Relations, known: Known) -> dict[int, list[Target]]:
    """By the place of a record that decides: the decided records that it replaces, by either one's word."""
    by_name = {known.by_key[item.key].record.name: item for item in items if item.key in known.by_key}
    by_place = {item.place: item for item in items}
    found: dict[int, list[Target]] = defaultdict(list)

    def item_of(target: Target) -> Item | None:
        return by_place.get(target) if isinstance(target, int) else by_name.get(target)

    for item in items:
        own: Target = known.by_key[item.key].record.name if item.key in known.by_key else item.place
        for reference, targets in relations.bonds(item):
            if not reference.firm or len(targets) != 1 or item.foreign.decision is None:
                continue
            if reference.bond == "supersedes":
                found[item.place].append(targets[0])
            newer = item_of(targets[0])
            if reference.bond == "superseded by" and newer and newer.foreign.decision is not None:
                found[newer.place].append(own)
    return {place: list(dict.fromkeys(targets)) for place, targets in found.items()}


def in_order(
    items: Sequence[Item], relations: Relations, replaced: Mapping[int, Sequence[Target]]
) -> Iterator[Item]:
    """Every record after those that it replaces, and where that leaves a choice after those it names."""
    by_place = {item.place: item for item in items}
    after = {(target, place) for place, targets in replaced.items() for target in targets}
    first: dict[int, list[int]] = {}
    for item in items:
        soft = [target for _, targets in relations.bonds(item) for target in targets]
        needed = [*replaced.get(item.place, ()), *(each for each in soft if (item.place, each) not in after)]
        first[item.place] = [each for each in needed if isinstance(each, int)]
    for place in each_after(first):
        yield by_place[place]


def each_after(first: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Every key after those that it needs `first`, as far as they do not need each other."""
    done = set[int]()
    entered = set[int]()
    for begin in first:
        waiting = [begin]
        while waiting:
            place = waiting[-1]
            todo = [] if place in entered else [each for each in first[place] if each not in entered]
            entered.add(place)
            if todo:
                waiting += reversed(todo)
                continue
            waiting.pop()
            if place not in done:
                done.add(place)
                yield place
