"""Speaking: entries stamped, judged by the rules, and appended, with whoever speaks registered on the way."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from gitdecide.entries import document, secrets
from gitdecide.entries.keys import fingerprint
from gitdecide.entries.names import HIGHEST_NUMBER, RecordName, actor_email, author_name, split_reference
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Actor, Decision, Entry, FollowUp, Kind, Proposal, Question, Replaced
from gitdecide.errors import Damaged, DecideError, NotFound
from gitdecide.git.objects import Signature
from gitdecide.policy import Policy
from gitdecide.render import story
from gitdecide.rules import judge
from gitdecide.rules.context import Context, Refusal, Refused
from gitdecide.store import layout
from gitdecide.store.log import Addition, HoldsSecret, Log
from gitdecide.store.snapshot import KnownActor, Snapshot
from gitdecide.work import naming, trust
from gitdecide.work.identity import Identity, own_names

F = TypeVar("F", bound=FollowUp)
A = TypeVar("A", bound=Entry)
Filing = tuple[RecordName | None, Entry]


class Said(NamedTuple, Generic[F]):
    """What entered the log: the record's name, the new entry's id, the entry, and the record before it."""

    record: RecordName
    id: str
    entry: F
    before: DecisionRecord


class Speaker(NamedTuple):
    """Who speaks, as a snapshot of the log knows them."""

    identity: Identity
    known: KnownActor | None

    @property
    def kind(self) -> Kind:
        """What the log says; the git identity is a person, and whoever is spoken for is an agent."""
        if self.known and self.known.heads:
            return self.known.kind
        return "human" if self.identity.person else "agent"

    @property
    def key(self) -> str | None:
        """The fingerprint of the key that it signs with."""
        return fingerprint(self.known.latest.key) if self.known and self.known.heads else None

    @property
    def email(self) -> str:
        """The e-mail for commits."""
        known = self.known.latest.email if self.known and self.known.heads else None
        return actor_email(self.identity.name, known or self.identity.email)


class Writer:
    """Appends for one speaker; `now` gives the time, `policy` HEAD's, `agent` is the agent environment."""

    def __init__(
        self,
        log: Log,
        identity: Identity,
        agent: str | None,
        policy: Callable[[], Policy],
        now: Callable[[], datetime],
    ) -> None:
        self.log = log
        self.policy = policy
        self.identity = identity
        self.agent = agent
        self.now = now

    def stamp(self) -> dict[str, Any]:
        """Who speaks, and when: for an entry that begins a record, or stands in none."""
        return {"actor": self.identity.name, "at": f"{self.now():%Y-%m-%dT%H:%M:%S.%f}Z"}

    def ask(self, make: Callable[[int], Question]) -> RecordName:
        """Begin a record with the next number. Raises Refused, and what Log.append raises."""
        asked: list[Question] = []

        def compose(snapshot: Snapshot) -> Addition:
            number = self.next_number(snapshot)
            asked[:] = [self.admitted(make(number), None, snapshot)]
            return self._addition([(None, asked[0])], snapshot, RecordName.of(number, ""))

        question_id, *_ = self.log.append(compose)
        return RecordName.of(asked[0].number, question_id)

    def next_number(self, snapshot: Snapshot) -> int:
        """The highest number that is known here, plus one. Raises DecideError after the last one."""
        return checked(1 + max(view.highest_number() for view in (snapshot, *self._fetched())))

    def admitted(self, entry: A, record: DecisionRecord | None, snapshot: Snapshot) -> A:
        """An entry that may join a record, or begin one.

        Raises Refused, UsageError for what the schema does not take, HoldsSecret.
        """
        self._admit(_fit(entry), record, snapshot)
        return entry

    def append(
        self, typed: str, make: Callable[[DecisionRecord], F], *, patch: bytes | None = None
    ) -> Said[F]:
        """Add to a record what `make` answers to it, and the patch that lies beside it.

        make is called again, with a newer record, whenever somebody else was faster.
        Raises Refused, Damaged for a damaged record, what make raises, and what Log.append raises.
        """
        said: list[tuple[DecisionRecord, F]] = []

        def compose(snapshot: Snapshot) -> Addition:
            record, entry, others = self._composed(snapshot, typed, make)
            said[:] = [(record, entry)]
            replaced = self._replaced(record.name, entry, others)
            addition = self._addition([(record.name, entry), *replaced], snapshot, record.name)
            return addition if patch is None else addition._replace(patches=[(record.name, patch)])

        entry_id, *_ = self.log.append(compose)
        record, entry = said[0]
        return Said(record.name, entry_id, entry, record)

    def rehearse(self, typed: str, make: Callable[[DecisionRecord], F]) -> Said[F]:
        """What `append` would add, without adding it. Raises as `append` does."""
        snapshot = self.log.snapshot()
        layout.check_writable(self.log.objects, snapshot.commit, self.log.ref)
        record, entry, _ = self._composed(snapshot, typed, make)
        return Said(record.name, self.log.identify(entry), entry, record)

    def register(self, make: Callable[[Snapshot], Actor]) -> str:
        """Add an entry about an actor, and return its id. Raises Refused."""

        def compose(snapshot: Snapshot) -> Addition:
            actor = _fit(make(snapshot))
            self._admit(actor, None, snapshot)
            if self.agent and self.kind(actor.name, snapshot) == "human":
                problem = f"inside {self.agent} nothing is said about {actor.name}, who is a human"
                raise Refused([Refusal("R7", problem, "a person runs it in their own shell")])
            return self._addition([(None, actor)], snapshot, None)

        return self.log.append(compose)[0]

    def kind(self, name: str, snapshot: Snapshot) -> Kind:
        """What an actor is: as the log says, else a human under the git identity's name, else an agent."""
        known = snapshot.actor(name)
        if known and known.heads:
            return known.kind
        return "human" if name in own_names(self.log.git) else "agent"

    def follow(self, record: DecisionRecord) -> dict[str, Any]:
        """Who speaks, when, under which question and after what: for an entry of this record."""
        return {**self.stamp(), "qid": record.question.id, "after": record.heads}

    def _composed(
        self, snapshot: Snapshot, typed: str, make: Callable[[DecisionRecord], F]
    ) -> tuple[DecisionRecord, F, dict[str, DecisionRecord]]:
        record = healthy(snapshot, naming.meant(self.log.git, snapshot, typed))
        entry = _fit(make(record))
        others = _replaced_elsewhere(entry, snapshot)
        self._admit(entry, record, snapshot, others)
        return record, entry, others

    def _admit(
        self,
        entry: Entry,
        record: DecisionRecord | None,
        snapshot: Snapshot,
        others: dict[str, DecisionRecord] | None = None,
    ) -> None:
        judged = isinstance(entry, Decision) and not entry.imported
        verified = self.policy().verified if judged else "any"
        speaker = self.speaker(snapshot)
        # Of a name whose file is damaged nobody knows any more that it is no human's.
        doubtful = self.agent and speaker.known and speaker.known.damages
        kind = "human" if doubtful else speaker.kind
        tier = trust.tier(self.log.git, self.identity) if isinstance(entry, Proposal) else None
        context = Context(kind, self.agent, verified, others or {}, self._person(entry, snapshot), tier)
        if refusals := judge(entry, record, context):
            raise Refused(refusals)

    def _person(self, entry: Entry, snapshot: Snapshot) -> Kind | None:
        """What the log knows the person of a label as: here the git identity alone makes nobody a human."""
        by = entry.settled.by if isinstance(entry, Decision) and entry.settled else None
        known = snapshot.actor(by) if by else None
        return (known.kind if known else "agent") if by else None

    def _replaced(
        self, record: RecordName, entry: Entry, others: dict[str, DecisionRecord]
    ) -> Iterator[tuple[RecordName, Replaced]]:
        """A note in each other record whose decision is replaced, for readers of that record alone."""
        for reference in entry.supersedes if isinstance(entry, Decision) else ():
            name, entry_id = split_reference(reference)
            if name is not None:
                by = f"{record}:{self.log.identify(entry)}"
                yield others[name].name, Replaced(**self.follow(others[name]), decision=entry_id, by=by)

    def _addition(self, entries: list[Filing], snapshot: Snapshot, about: RecordName | None) -> Addition:
        return self.addition(entries, snapshot, story.message(about, entries[0][1]))

    def addition(self, entries: list[Filing], snapshot: Snapshot, message: str) -> Addition:
        """Entries as one commit of the speaker's, who is registered with them where the log knows nobody."""
        speaker = self.speaker(snapshot)
        main = entries[0][1]
        registered = isinstance(main, Actor) and main.name == main.actor
        if snapshot.signatures and speaker.key:
            self._expect_signature()
        if not (speaker.known and speaker.known.heads) and not registered:
            entries = [*entries, (None, self._introduction(speaker))]
        return Addition(entries, self.signature(speaker), message)

    def _expect_signature(self) -> None:
        """Raise DecideError where an entry would be written that never counts."""
        if not self.log.git.config_bool("commit.gpgsign", default=False):
            problem = f"entries of {self.identity.name} need a signature, and git would not sign here"
            raise DecideError(problem, hint="git config commit.gpgsign true")

    def signature(self, speaker: Speaker) -> Signature:
        """Who speaks, as the author of a commit that is made now."""
        return Signature(author_name(self.identity.name), speaker.email, int(self.now().timestamp()), 0)

    def _introduction(self, speaker: Speaker) -> Actor:
        after = speaker.known.tips if speaker.known else ()
        return Actor(
            **self.stamp(),
            name=self.identity.name,
            kind=speaker.kind,
            after=after,
            email=self.identity.email,
        )

    def speaker(self, snapshot: Snapshot | None) -> Speaker:
        """Who speaks, as a snapshot knows them."""
        return Speaker(self.identity, snapshot.actor(self.identity.name) if snapshot else None)

    def _fetched(self) -> Iterable[Snapshot]:
        """The logs of the remotes as they were last fetched."""
        tips = self.log.git.text("for-each-ref", "--format=%(objectname)", layout.REMOTES)
        return (Snapshot(self.log.objects, tip) for tip in tips.split())


def checked(number: int) -> int:
    """A number that a record can have. Raises DecideError after the last one."""
    if number > HIGHEST_NUMBER:
        raise DecideError(f"no number is left after {HIGHEST_NUMBER}")
    return number


def _fit(entry: A) -> A:
    """The entry as it will be read back.

    Raises UsageError for what the schema does not take, HoldsSecret before a command runs for nothing.
    """
    data = document.dump(entry)
    if kind := secrets.find(data.decode()):
        raise HoldsSecret(f"the text holds {kind}, and the log never forgets")
    read = document.load(data)
    if read != entry:
        raise ValueError(f"{entry} comes back as {read}")
    return entry


def healthy(snapshot: Snapshot, name: RecordName) -> DecisionRecord:
    """A record that takes entries. Raises Damaged, with the first reason, for one that does not."""
    record = snapshot.record(name)
    if record.damages:
        damage = record.damages[0]
        raise Damaged(
            f"{name} is damaged and takes no entries: {damage.file}: {damage.reason}",
            hint=f"git decide show {name} says what is wrong",
        )
    return record


def _replaced_elsewhere(entry: Entry, snapshot: Snapshot) -> dict[str, DecisionRecord]:
    """The other records that a decision replaces decisions of, by name."""
    names = [split_reference(key)[0] for key in entry.supersedes] if isinstance(entry, Decision) else []
    others = {}
    for text in filter(None, names):
        name = RecordName.parse(text)
        if name is None or not snapshot.has(name):
            raise NotFound(f"no decision record {text}")
        others[text] = healthy(snapshot, name)
    return others
