"""A decision record: a question and all that is filed under it, ordered by what came after what."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from gitdecide.entries import document
from gitdecide.entries.evidence import describe
from gitdecide.entries.names import (
    SHORTEST_PREFIX,
    RecordName,
    entry_file,
    parse_entry_file,
    parse_patch_file,
)
from gitdecide.entries.types import (
    Answer,
    Challenge,
    Check,
    Close,
    Confirm,
    Decision,
    Entry,
    FollowUp,
    Question,
    Replaced,
    Stance,
    Unknown,
    Unproved,
    Vote,
    type_name,
)
from gitdecide.errors import Damaged, NotFound

E = TypeVar("E", bound="Entry | Unknown")
Status = Literal["damaged", "blocked", "contested", "decided", "superseded", "imported", "closed", "open"]

MISSING: Final = "its content is missing here"
"""Why a file is damaged that may be whole in another clone, and here once its object has come."""


class Filed(NamedTuple, Generic[E]):
    """An entry together with its id."""

    id: str
    entry: E


class Damage(NamedTuple):
    """A file that is not what it claims to be, and why."""

    file: str
    reason: str


class File(NamedTuple):
    """One file of a record's folder: its name, the id of its blob, and the bytes."""

    name: str
    blob: str
    data: bytes | None
    """None for a file whose content this repository does not have."""


class DecisionRecord:
    """A question and every entry filed under it; built from its own folder alone."""

    def __init__(
        self,
        name: RecordName,
        entries: Mapping[str, Entry | Unknown],
        damages: Iterable[Damage] = (),
        sources: Mapping[str, bytes] | None = None,
    ) -> None:
        self.name = name
        self.entries = tuple(_in_order(entries))
        self.damages = tuple(damages)
        self.strays: Mapping[str, Entry | Unknown] = {}
        """Entries that lie in this folder and do not belong there, by id: they never count."""
        self.signed = False
        """True when the signatures of its entries were looked at."""
        self.sources = sources or {}
        """The bytes of the entries, by id, as they are stored."""
        self._by_id = dict(self.entries)

    @classmethod
    def read(cls, name: RecordName, files: Iterable[File]) -> "DecisionRecord":
        """The record that a folder holds; what is wrong with its files is in `damages`, never raised."""
        entries: dict[str, Entry | Unknown] = {}
        sources: dict[str, bytes] = {}
        damages: list[Damage] = []
        for file in files:
            try:
                if parse_patch_file(file.name) != file.blob:
                    entries[file.blob] = _read_entry(file)
                    sources[file.blob] = file.data or b""
            except Damaged as error:
                damages.append(Damage(file.name, error.message))
        misfiled = list(_misfiled(name, entries))
        damages += [damage for _, damage in misfiled]
        strays = {key: entries.pop(key) for key in {key for key, _ in misfiled} if key in entries}
        record = cls(name, entries, sorted(damages), sources)
        record.strays = strays
        return record

    def without(self, reasons: Mapping[str, str]) -> "DecisionRecord":
        """The record in which some entries, by their ids, do not count; its question is damaged then."""
        entries = {
            key: Unproved.of(entry, reasons[key]) if key in reasons else entry for key, entry in self.entries
        }
        questions = [key for key, _ in self.of(Question) if key in reasons]
        asked = [Damage(entry_file("question", key), reasons[key]) for key in questions]
        record = DecisionRecord(self.name, entries, [*self.damages, *asked], self.sources)
        record.strays = self.strays
        record.signed = True
        return record

    @cached_property
    def unproved(self) -> list[Filed[Unproved]]:
        """The entries that do not count, since they are not signed as the policy asks."""
        return self.of(Unproved)

    def __contains__(self, entry_id: str) -> bool:
        return entry_id in self._by_id

    def __getitem__(self, entry_id: str) -> Entry | Unknown:
        return self._by_id[entry_id]

    def find(self, prefix: str) -> str:
        """The one entry whose id begins so. Raises NotFound for none, several, or too few digits."""
        long_enough = len(prefix) >= SHORTEST_PREFIX
        found = [key for key, _ in self.entries if long_enough and key.startswith(prefix.lower())]
        if len(found) == 1:
            return found[0]
        if found:
            problem = f"is ambiguous in {self.name}: {', '.join(found)}"
        else:
            few = "" if long_enough else f": an id needs {SHORTEST_PREFIX} digits or more"
            problem = f"is no entry of {self.name}{few}"
        raise NotFound(f"{prefix or 'nothing'} {problem}", hint=f"git decide show {self.name} lists them")

    def of(self, kind: type[E]) -> list[Filed[E]]:
        """The entries of one type, in order."""
        return [Filed(entry_id, entry) for entry_id, entry in self.entries if isinstance(entry, kind)]

    @cached_property
    def question(self) -> Filed[Question]:
        """The question. Raises Damaged when the record has none, or more than one."""
        questions = self.of(Question)
        if len(questions) != 1:
            raise Damaged(f"{self.name} has {len(questions) or 'no'} question{'s' * (len(questions) > 1)}")
        return questions[0]

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The ids of the entries that nothing comes after, sorted."""
        followed = {earlier for _, entry in self.entries for earlier in _after(entry)}
        return tuple(sorted(entry_id for entry_id, _ in self.entries if entry_id not in followed))

    def past(self, *entry_ids: str) -> set[str]:
        """The ids of all that happened before these entries: what `after` reaches."""
        seen: set[str] = set()
        todo = [earlier for entry_id in entry_ids for earlier in _after(self[entry_id])]
        while todo:
            entry_id = todo.pop()
            if entry_id in self and entry_id not in seen:
                seen.add(entry_id)
                todo += _after(self[entry_id])
        return seen

    def before(self, entry_id: str) -> "DecisionRecord":
        """The record as the writer of this entry saw it."""
        past = self.past(entry_id)
        return DecisionRecord(self.name, {key: entry for key, entry in self.entries if key in past})

    @cached_property
    def votes(self) -> list[Filed[Vote]]:
        """The votes that stand: no later vote of their actor comes after them; imported ones never count."""
        return self._standing(Vote, lambda vote: None if vote.imported else vote.actor)

    @cached_property
    def echoes(self) -> list[list[Filed[Vote]]]:
        """Groups of standing verified votes by several actors: one model, stance and reading list."""
        groups: dict[object, list[Filed[Vote]]] = defaultdict(list)
        for vote in self.votes:
            if key := _echo(vote.entry):
                groups[key].append(vote)
        return [group for group in groups.values() if len({vote.entry.actor for vote in group}) > 1]

    @cached_property
    def tally(self) -> dict[Stance, int]:
        """Voices by stance; an actor is one voice (its last vote), and so are votes that echo."""
        voices = {vote.entry.actor: vote for vote in self.votes}
        heard = {_echo(vote.entry) or vote.id: vote.entry.stance for vote in voices.values()}
        return dict(Counter(heard.values()))

    @cached_property
    def replacements(self) -> dict[str, list[str]]:
        """What replaced each decision: ids of decisions here, or references into other records.

        Decisions of other records that ours replaced are among the keys.
        """
        replaced: dict[str, list[str]] = defaultdict(list)
        for decision in self.of(Decision):
            for target in decision.entry.supersedes:
                replaced[target].append(decision.id)
        for note in self.of(Replaced):
            replaced[note.entry.decision].append(note.entry.by)
        return dict(replaced)

    @cached_property
    def successors(self) -> list[str]:
        """What replaced our decisions from other records, unless a decision here replaced that in turn."""
        notes = dict.fromkeys(
            note.entry.by
            for note in self.of(Replaced)
            if isinstance(self._by_id.get(note.entry.decision), Decision)
        )
        return [reference for reference in notes if reference not in self.replacements]

    @cached_property
    def live(self) -> list[Filed[Decision]]:
        """The decisions that nothing supersedes; an imported one is never live."""
        return [
            decision
            for decision in self.of(Decision)
            if decision.id not in self.replacements and decision.entry.imported is None
        ]

    def standing_failures(self) -> list[Filed[Check]]:
        """The checks that fail, and did not hold when the same was run and read in the same way later.

        What was merely reported takes back nothing that ran.
        """
        latest = self._standing(Check, lambda check: _asked(check) if check.conclusive else None)
        ran = self._standing(
            Check, lambda check: _asked(check) if check.conclusive and check.source == "ran" else None
        )
        standing = {check.id for check in (*latest, *ran)}
        return [check for check in self.of(Check) if check.id in standing and check.entry.result == "fails"]

    def answers_to(self, challenge_id: str) -> list[Filed[Answer | Decision]]:
        """The answers to a challenge, and the decisions that name it."""
        return self._answers.get(challenge_id, [])

    @property
    def directive(self) -> bool:
        """True when somebody asserted a choice that nobody examined (R8)."""
        return any(question.entry.origin == "directive" for question in self.of(Question))

    @cached_property
    def objections(self) -> list[Filed[Challenge]]:
        """The challenges that are no conflicts; a directive is owed one of them (R8)."""
        return [challenge for challenge in self.of(Challenge) if challenge.entry.severity is None]

    @cached_property
    def settled(self) -> list[Filed[Decision]]:
        """The decisions with a label that nothing supersedes; imported ones until something is bound here."""
        decided = self.of(Decision)
        bound = any(decision.entry.imported is None for decision in decided)
        return [
            decision
            for decision in decided
            if decision.entry.settled
            and decision.id not in self.replacements
            and not (bound and decision.entry.imported)
        ]

    def awaits(self, decision: Filed[Decision]) -> str | None:
        """Whose confirmation a label lacks; None for one that its person gave or confirmed."""
        by = decision.entry.settled.by if decision.entry.settled else None
        if by is None or by == decision.entry.actor:
            return None
        confirmed = any((said.actor, said.decision) == (by, decision.id) for _, said in self.of(Confirm))
        return None if confirmed else by

    @property
    def blocking(self) -> list[Filed[Challenge]]:
        """The invalidating conflicts with live decisions that nobody else rejected after reading (R10)."""
        live = {decision.id for decision in self.live}
        return [
            conflict
            for conflict in self.conflicts
            if conflict.entry.severity == "invalidating" and conflict.entry.target in live
        ]

    @cached_property
    def conflicts(self) -> list[Filed[Challenge]]:
        """The conflicts with decisions that nothing supersedes, unless rejected by another after reading."""
        return [
            challenge
            for challenge in self.of(Challenge)
            if challenge.entry.severity
            and challenge.entry.verified
            and challenge.entry.target not in self.replacements
            and not any(
                isinstance(answer.entry, Answer)
                and answer.entry.outcome == "reject"
                and answer.entry.read
                and answer.entry.actor != challenge.entry.actor
                for answer in self.answers_to(challenge.id)
            )
        ]

    @property
    def contested(self) -> bool:
        """True when two decisions stand: live ones here, or successors in other records."""
        return len(self.live) + len(self.successors) > 1

    @cached_property
    def status(self) -> Status:
        """The first status that applies."""
        if self.damages:
            return "damaged"
        if self.blocking:
            return "blocked"
        if self.contested:
            return "contested"
        if self.live:
            return "decided"
        if self.successors:
            return "superseded"
        if any(entry.imported for _, entry in self.entries if isinstance(entry, Question | Decision)):
            return "imported"
        return "closed" if self.of(Close) else "open"

    @cached_property
    def _answers(self) -> dict[str, list[Filed[Answer | Decision]]]:
        answers: dict[str, list[Filed[Answer | Decision]]] = defaultdict(list)
        for entry_id, entry in self.entries:
            if isinstance(entry, Answer):
                answers[entry.to].append(Filed(entry_id, entry))
            elif isinstance(entry, Decision):
                for challenge_id in dict.fromkeys(entry.answers):
                    answers[challenge_id].append(Filed(entry_id, entry))
        return dict(answers)

    def _standing(self, kind: type[E], key: Callable[[E], object]) -> list[Filed[E]]:
        """The entries of a kind that no other of the same key comes after; key None leaves one out.

        One pass, newest first: each entry hands the keys that come after it, as bits, to what it follows.
        """
        bits: dict[object, int] = {}
        later: dict[str, int] = defaultdict(int)
        standing: list[Filed[E]] = []
        for entry_id, entry in reversed(self.entries):
            seen = later.pop(entry_id, 0)
            if isinstance(entry, kind) and (own := key(entry)) is not None:
                bit = bits.setdefault(own, 1 << len(bits))
                if not seen & bit:
                    standing.append(Filed(entry_id, entry))
                seen |= bit
            for earlier in _after(entry):
                later[earlier] |= seen
        return standing[::-1]


def _read_entry(file: File) -> Entry | Unknown:
    claimed = parse_entry_file(file.name)
    if claimed is None:
        raise Damaged("not the name of an entry")
    if claimed[1] != file.blob:
        raise Damaged(f"was edited or misnamed: its content is {file.blob}")
    if file.data is None:
        raise Damaged(MISSING)
    try:
        entry = document.load(file.data)
    except document.DocumentError as error:
        raise Damaged(error.message) from None
    if type_name(entry) != claimed[0]:
        raise Damaged(f"is a {type_name(entry)} by its content")
    return entry


def _misfiled(name: RecordName, entries: Mapping[str, Entry | Unknown]) -> Iterator[tuple[str, Damage]]:
    """What cannot stand in this folder, by id: strays, second questions, references to nothing."""
    questions = sorted(key for key, entry in entries.items() if isinstance(entry, Question))
    own = [key for key in questions if RecordName.of(entries[key].number, key) == name]  # type: ignore[union-attr]
    if not own:
        yield "", Damage(str(name), "has no question of this name")
    for entry_id, entry in entries.items():
        file = f"{type_name(entry)}-{entry_id}.yaml"
        if isinstance(entry, Question):
            if entry_id not in own[:1]:
                yield entry_id, Damage(file, "is a question of another record")
        elif not isinstance(entry, FollowUp | Unknown):
            yield entry_id, Damage(file, "does not belong in a decision record")
        elif own and entry.qid != own[0]:
            yield entry_id, Damage(file, f"belongs to the question {entry.qid}")
        elif not entry.after:
            yield entry_id, Damage(file, "comes after nothing")
        else:
            for key in entry.after:
                if key not in entries:
                    yield entry_id, Damage(file, f"comes after {key}, which is not here")


def _after(entry: Entry | Unknown) -> tuple[str, ...]:
    return entry.after if isinstance(entry, FollowUp | Unknown) else ()


def _asked(check: Check) -> object:
    """What makes two checks the same question: turned round, an exit code answers another one."""
    return check.command, check.cwd, check.holds_on, check.fails_on


def _echo(vote: Vote) -> object:
    """What votes that echo have in common: model, stance and reading; None without a model, or unread."""
    if not (vote.verified and vote.model):
        return None
    return vote.model, vote.stance, frozenset((describe(read), read.blob) for read in vote.read)


def _in_order(entries: Mapping[str, Entry | Unknown]) -> Iterator[Filed[Entry | Unknown]]:
    """Every entry after all that it comes after; ties by id."""
    waiting = {
        key: len({earlier for earlier in _after(entry) if earlier in entries})
        for key, entry in entries.items()
    }
    following: dict[str, list[str]] = defaultdict(list)
    for key, entry in entries.items():
        for earlier in set(_after(entry)):
            following[earlier].append(key)
    ready = [key for key, count in waiting.items() if not count]
    heapify(ready)
    while ready:
        key = heappop(ready)
        yield Filed(key, entries[key])
        for later in following[key]:
            waiting[later] -= 1
            if not waiting[later]:
                heappush(ready, later)
