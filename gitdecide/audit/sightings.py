"""Every entry of a folder together with what its writer had before."""

from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from gitdecide.audit.contents import Contents
from gitdecide.audit.folders import Folders, by_step
from gitdecide.entries.types import Entry, Unknown

Entries = Mapping[str, Entry | Unknown]


class Sighting(NamedTuple):
    """An entry that a step added, the entries that were there before it, and their heads.

    There is what the trees of the commit's parents hold, and what comes before in the same commit.
    """

    step: int
    id: str
    entry: Entry | Unknown
    there: Set[str]
    heads: Set[str]


def sightings(contents: Contents, folders: Folders) -> Iterator[Sighting]:
    """What was added to a folder, in the order of the steps; each is to be used before the next is asked for.

    An entry that two histories added is seen twice; one that was removed and put back is not.
    """
    entries = contents.entries
    seen: set[str] = set()
    heads: set[str] = set()
    for step, files in by_step(folders.added(contents.path)).items():
        together = dict.fromkeys(file.blob for file in files if file.blob in entries)
        if folders.grew_alone(contents.path, step):
            there, tops = seen, heads
        else:
            there = folders.had(contents.path, step) & entries.keys()
            tops = _heads(entries, there)
        for key in [key for key in together if key not in there]:
            inside = _before(entries, key, together.keys()) if len(together) > 1 else ()
            if inside:
                here = there.union(inside)
                yield Sighting(step, key, entries[key], here, _heads(entries, here))
            else:
                yield Sighting(step, key, entries[key], there, tops)
        seen.update(together)
        heads.update(together)
        heads.difference_update(earlier for key in together for earlier in after(entries[key]))


def after(entry: Entry | Unknown) -> tuple[str, ...]:
    """What an entry says it comes after; nothing for a question."""
    return getattr(entry, "after", ())


def _heads(entries: Entries, there: Set[str]) -> set[str]:
    return set(there).difference(earlier for key in there for earlier in after(entries[key]))


def _before(entries: Entries, key: str, together: Set[str]) -> set[str]:
    """What of the same commit an entry comes after, at however many steps."""
    found: set[str] = set()
    todo = [key]
    while todo:
        new = [
            earlier for earlier in after(entries[todo.pop()]) if earlier in together and earlier not in found
        ]
        found.update(new)
        todo += new
    return found


def misordered(sighting: Sighting) -> str | None:
    """Why what an entry says it comes after is not what its writer had; None when it is."""
    said = after(sighting.entry)
    if sighting.heads == set(said):
        return None
    for key in said:
        if key not in sighting.there:
            return f"comes after {key}, which was not there when its commit was made"
    for key in sorted(sighting.heads - set(said)):
        return f"does not come after {key}, which was there when its commit was made"
    return f"comes after {min(set(said) - sighting.heads)}, which others came after"
