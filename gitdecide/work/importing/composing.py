"""One attempt of an import: the entries that files become on top of a snapshot, and what is said of each."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Literal, NamedTuple

from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Decision, FollowUp, Imported, Question, Quoted, Replaced, Turn
from gitdecide.errors import DecideError
from gitdecide.formats.foreign import Follower, ForeignRecord, Unreadable
from gitdecide.output import Bar
from gitdecide.rules.context import Refused
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import settling
from gitdecide.work.importing import followers
from gitdecide.work.importing.draft import Draft
from gitdecide.work.importing.known import Before, Known, key
from gitdecide.work.importing.relations import Item, Relations, Target, in_order, replaced_by
from gitdecide.work.importing.sources import Source
from gitdecide.work.writer import Writer, checked

Fate = Literal["taken", "changed", "known", "skipped", "refused"]


class Outcome(NamedTuple):
    """What became of one record of a file, or of a file."""

    fate: Fate
    file: str
    said: str
    record: RecordName | None = None

    @property
    def line(self) -> str:
        """The same in one line."""
        return f"{self.fate}: {self.file}: {self.said}"

    def as_data(self) -> dict[str, str | None]:
        """The same for programs."""
        return {**self._asdict(), "record": str(self.record) if self.record else None}


class Composed:
    """One attempt: the entries that the files become on top of a snapshot, and what is said of each."""

    def __init__(self, writer: Writer, name: str, sources: Iterable[Source], snapshot: Snapshot) -> None:
        self.name = name
        self.writer = writer
        self.known = Known(snapshot)
        self.draft = Draft(writer, snapshot, self.known.records)
        self.outcomes: dict[int, Outcome] = {}
        """By their places in the report."""
        self._next = writer.next_number(snapshot)
        self._items, self._followers = self._sorted(sources)
        self._relations = Relations(self._items, self.known)
        self._replaced = replaced_by(self._items, self._relations, self.known)
        self._names: dict[int, RecordName] = {}
        """The records that items became, by their places."""
        self._lines: dict[str, dict[str, tuple[RecordName, str]]] = defaultdict(dict)
        """By path and id: the record and the entry that a line became, now or before."""

    def run(self, bar: Bar) -> None:
        """Take every record, and then what stands on lines under them."""
        every = len(self._items) + len(self._followers) or 1
        numbers = self._numbers()
        for (family, path, foreign_id), before in self.known.by_key.items():
            if family == "jsonl" and foreign_id:
                self._lines[path][foreign_id] = before.record.name, before.entry
        for done, item in enumerate(in_order(self._items, self._relations, self._replaced)):
            bar.show(done / every)
            take = partial(self._record, item, numbers)
            self._attempt(item.place, item.source, item.foreign.line, take)
        self._report_relations()
        self._report_twins()
        for done, (place, source, line) in enumerate(followers.in_order(self._followers), len(self._items)):
            bar.show(done / every)
            self._attempt(place, source, line.line, partial(self._follower, source, line))

    def _sorted(self, sources: Iterable[Source]) -> tuple[list[Item], list[followers.Placed]]:
        """Records, and what follows them; what is neither is reported at once."""
        items, lines, place = list[Item](), list[followers.Placed](), 0
        for source in sources:
            seen = dict[str, int | None]()
            if source.skipped is not None:
                place += 1
                self.outcomes[place] = Outcome("skipped", source.typed, source.skipped)
            for held in source.held:
                place += 1
                if isinstance(held, Unreadable):
                    self.outcomes[place] = Outcome("refused", _where(source, held.line), held.message)
                elif held.id in seen and held.line is not None:
                    said = f"the id {held.id} stands on line {seen[held.id]} already"
                    self.outcomes[place] = Outcome("refused", _where(source, held.line), said)
                else:
                    seen[held.id or ""] = held.line
                    if isinstance(held, Follower):
                        lines.append(followers.Placed(place, source, held))
                    else:
                        items.append(Item(place, source, held, key(self.name, source.path, held.id)))
        return items, lines

    def _numbers(self) -> dict[int, int]:
        """The number of each new record: by the order of the report, whichever is made first."""
        new = [item.place for item in self._items if item.key not in self.known.by_key]
        return {place: number for number, place in enumerate(new, self._next)}

    def _attempt(self, place: int, source: Source, line: int | None, take: Callable[[], Outcome]) -> None:
        where = _where(source, line)
        try:
            with self.draft.whole():
                self.outcomes[place] = take()._replace(file=where)
        except DecideError as error:
            self.outcomes[place] = Outcome("refused", where, error.message)

    def _record(self, item: Item, numbers: dict[int, int]) -> Outcome:
        """What of a record the rules let this speaker say: a label arrives as what it can be here."""
        before = self.known.by_key.get(item.key)
        for lesser, lost in settling.arriving(item.foreign):
            with suppress(Refused), self.draft.whole():
                outcome = self._taken(item._replace(foreign=lesser), before, numbers)
                return outcome._replace(said=outcome.said + lost)
        return self._taken(item, before, numbers)

    def _taken(self, item: Item, before: Before | None, numbers: dict[int, int]) -> Outcome:
        if before is None:
            return self._new(item, checked(numbers[item.place]))
        name = before.record.name
        self._names[item.place] = name
        if before.blob == self._blob(item.source, item.foreign.source):
            return Outcome("known", "", str(name), name)
        if before.record.damages:
            return Outcome("skipped", "", f"{name} is damaged and takes no entries", name)
        if item.foreign.source is not None:
            return Outcome(
                "skipped", "", f"it changed, and the question of {name} stays as it was asked", name
            )
        if item.foreign.decision is None and item.foreign.undecided is None:
            return Outcome("skipped", "", f"it changed, and decides nothing in {name}", name)
        notes = self._decide(item, name, f"{item.source.path} changed")
        return Outcome("changed", "", f"a new decision in {name}{_joined(item.foreign.notes, notes)}", name)

    def _new(self, item: Item, number: int) -> Outcome:
        foreign = item.foreign
        name = self.draft.begin(
            Question(
                **self.writer.stamp(),
                number=number,
                question=foreign.topic,
                mode=foreign.mode,
                context=foreign.context,
                options=foreign.options,
                participants=foreign.participants,
                links=tuple(self._links(item)),
                job=foreign.job,
                origin="directive" if foreign.directive else None,
                aliases=_aliases(foreign),
                imported=self._origin(foreign, item.source),
            )
        )
        for make in _spoken(foreign):
            self.draft.add(name, make)
        notes = self._decide(item, name, None) if foreign.decision is not None else []
        self._names[item.place] = name
        if foreign.line is not None and foreign.id:
            self._lines[item.source.path][foreign.id] = name, self.draft.record(name).question.id
        left = [f"left out: {', '.join(foreign.left_out)}"] if foreign.left_out else []
        said = f"{foreign.id or 'a record'} is {name}{_joined(foreign.notes, notes, left)}"
        return Outcome("taken", "", said, name)

    def _decide(self, item: Item, name: RecordName, reason: str | None) -> list[str]:
        """Add what a record decides: in place of what it decided before, and of what others did."""
        foreign, record = item.foreign, self.draft.record(name)
        old = [filed.id for filed in record.of(Decision) if filed.entry.imported]
        elsewhere, notes = self._replaceable(item)
        supersedes = [key for key in old[-1:] if key not in record.replacements]
        fields: dict[str, Any] = {
            "outcome": foreign.outcome if foreign.decision is not None else "defer",
            "decision": foreign.decision if foreign.decision is not None else foreign.undecided,
            "rationale": foreign.rationale,
            "confidence": foreign.confidence,
            "dissent": foreign.dissent,
            "settled": foreign.settled,
            "changes_code": False,
            "supersedes": (*supersedes, *(f"{other}:{entry}" for other, entry in elsewhere)),
            "reason": reason,
            "imported": self._origin(foreign, item.source),
        }
        entry_id = self.draft.add(name, lambda follow: Decision(**follow, **fields))
        for other, entry in elsewhere:
            replaced = {"decision": entry, "by": f"{name}:{entry_id}"}
            self.draft.add(other, lambda follow, said=replaced: Replaced(**follow, **said))  # type: ignore[misc]
        return notes

    def _replaceable(self, item: Item) -> tuple[list[tuple[RecordName, str]], list[str]]:
        """The imported decisions of other records that this one replaces, and why some stay as they are."""
        found, notes = list[tuple[RecordName, str]](), list[str]()
        for target in self._replaced.get(item.place, ()) if item.foreign.decision is not None else ():
            name = self._named(target)
            if name is None:
                notes.append("two records replace each other: one of them stays as it is")
                continue
            record = self.draft.record(name)
            old = [filed for filed in record.of(Decision) if filed.entry.imported][-1:]
            if record.damages or record.live or not old:
                notes.append(f"{name} stays as it is")
            elif old[0].id in record.replacements:
                by = record.replacements[old[0].id][0].partition(":")[0]
                notes += (
                    [f"{name} is replaced by {by} already"] if by != str(self._names.get(item.place)) else []
                )
            else:
                found.append((name, old[0].id))
        return found, notes

    def _named(self, target: Target) -> RecordName | None:
        return self._names.get(target) if isinstance(target, int) else target

    def _links(self, item: Item) -> Iterator[str]:
        """What a record says of others, with the names of those that are there by now."""
        for reference, targets in self._relations.bonds(item):
            named = self._named(targets[0]) if len(targets) == 1 else None
            yield f"{reference.bond} {reference.target}" + (f": {named}" if named else "")

    def _report_relations(self) -> None:
        """Say of each record which others it names, and what leads nowhere or to several."""
        for item in self._items:
            outcome = self.outcomes[item.place]
            notes = self._related(item) if outcome.fate in ("taken", "changed") else ()
            self.outcomes[item.place] = outcome._replace(said=outcome.said + _joined(notes))

    def _related(self, item: Item) -> Iterator[str]:
        for reference, targets in self._relations.bonds(item):
            said = f"{reference.bond} {reference.target}"
            if not targets:
                yield f"dangling: {said}, which is not here"
            elif len(targets) > 1:
                yield f"ambiguous: {said}, which may be {' or '.join(sorted(map(self._shown, targets)))}"
            elif reference.firm:
                yield f"{said}: {self._shown(targets[0])}"

    def _shown(self, target: Target) -> str:
        if named := self._named(target):
            return str(named)
        return next(item.source.typed for item in self._items if item.place == target)

    def _follower(self, source: Source, line: Follower) -> Outcome:
        before = self.known.by_key.get(key(self.name, source.path, line.id))
        blob = self._blob(source, line.source)
        if before and before.blob == blob:
            return Outcome("known", "", f"{line.id} in {before.record.name}", before.record.name)
        if before and line.type != "decision":
            said = f"it changed, and {line.id} in {before.record.name} stays as it was said"
            return Outcome("skipped", "", said, before.record.name)
        origin = Imported(
            format=self.name, path=source.path, blob=blob, id=line.id, date=line.date, by=line.by
        )
        old = before.entry if before else None
        name, entry = followers.add(self.draft, line, origin, self._lines[source.path], old)
        self._lines[source.path][line.id] = name, entry
        return Outcome("changed" if before else "taken", "", f"{line.id}, a {line.type} in {name}", name)

    def _report_twins(self) -> None:
        """Say of each foreign id which records had it before."""
        names = {alias: sorted(map(str, found)) for alias, found in self.known.aliases.items()}
        for item in self._items:
            outcome = self.outcomes[item.place]
            for alias in _aliases(item.foreign) if outcome.fate == "taken" else ():
                if twins := names.get(alias):
                    said = f"{outcome.said}; {alias} is also the id of {', '.join(twins)}"
                    self.outcomes[item.place] = outcome._replace(said=said)
                names.setdefault(alias, []).append(str(outcome.record))

    def _origin(self, foreign: ForeignRecord, source: Source) -> Imported:
        return Imported(
            format=self.name,
            path=source.path,
            blob=self._blob(source, foreign.source),
            id=foreign.id,
            status=foreign.status,
            date=foreign.date,
            deciders=foreign.deciders,
        )

    def _blob(self, source: Source, line: bytes | None) -> str:
        """What identifies the content that a record came from: its file, or its line."""
        return source.blob if line is None else document.identify(line, self.writer.log.object_format)


def _where(source: Source, line: int | None) -> str:
    return f"{source.typed}:{line}" if line else source.typed


def _aliases(foreign: ForeignRecord) -> tuple[str, ...]:
    """The names that others know a record by; d1 and its like mean something in their file alone."""
    return (*([foreign.id] if foreign.id else []), *foreign.aliases) if foreign.source is None else ()


def _joined(*notes: Iterable[str]) -> str:
    return "".join(f"; {note}" for several in notes for note in several)


def _spoken(foreign: ForeignRecord) -> Iterator[Callable[[dict[str, Any]], FollowUp]]:
    """Makers of the turns, each given who says it after what."""
    for spoken in foreign.spoken:
        headline, _, body = spoken.content.partition("\n\n")
        if not (headline.strip() and body.strip()):
            headline, body = spoken.content, ""
        said: dict[str, Any] = {
            "verb": spoken.type,
            "headline": headline,
            "body": body or None,
            "role": spoken.role,
            "quoted": Quoted(speaker=spoken.speaker, round=spoken.round),
        }
        yield lambda follow, said=said: Turn(**follow, **said)  # type: ignore[misc]
