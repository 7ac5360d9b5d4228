"""The entries of the log: what each holds, in the order in which it is written."""

from typing import Annotated, Any, Final, Literal, get_args
from unicodedata import is_normalized

from msgspec import Meta, Struct, field, to_builtins

# `$(?!\n)` is the end of the text for Python and for JSON Schema alike.
Id = Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$(?!\n)", description="a git object id")]
Reference = Annotated[
    str,
    Meta(
        pattern=r"^(?:DR-(?:[0-9]{3}|[1-9][0-9]{3,5})-[0-9a-f]{8}:)?(?:[0-9a-f]{40}|[0-9a-f]{64})$(?!\n)",
        description="an entry of this decision record, or DR-007-3f2a91c0:<id> of another",
    ),
]
ForeignReference = Annotated[
    str,
    Meta(
        pattern=r"^DR-(?:[0-9]{3}|[1-9][0-9]{3,5})-[0-9a-f]{8}:(?:[0-9a-f]{40}|[0-9a-f]{64})$(?!\n)",
        description="an entry of another decision record, DR-007-3f2a91c0:<id>",
    ),
]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", description="a SHA-256 digest")]
Instant = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$(?!\n)",
        description="UTC, with microseconds",
    ),
]
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)", description="a day, YYYY-MM-DD")]
Text = Annotated[str, Meta(pattern=r"\S", description="text that is not blank")]
Name = Annotated[
    str,
    Meta(
        pattern=r"^(?!\s)[^\x00-\x1f\x7f-\x9f\u2028\u2029<>]+$(?!\n)(?<!\s)",
        max_length=100,
        description="one line in NFC, without control characters, < and >",
    ),
]
Lines = Annotated[str, Meta(pattern=r"^[1-9][0-9]*(?:-[1-9][0-9]*)?$(?!\n)", description="10 or 10-40")]
Number = Annotated[int, Meta(ge=1, le=999_999)]
Confidence = Annotated[float, Meta(ge=0, le=1, description="0 to 1")]
ExitCode = Annotated[int, Meta(ge=0, le=255)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Command = tuple[str, ...] | str
"""A list is argv, a text is run by `sh -c`."""

Mode = Literal["decide", "build", "review", "debate", "consensus"]
Stance = Literal["support", "oppose", "inform", "abstain", "support_unverified"]
Result = Literal["holds", "fails", "inconclusive", "not_applicable"]
Outcome = Literal["adopt", "reject", "defer"]
Kind = Literal["human", "agent"]
Verb = Literal[
    "BRIEF", "EVIDENCE", "COUNTER", "ACCEPT", "CONCEDE", "RED_TEAM", "SIGN",
    "proposition", "rebuttal", "counter", "position", "concession", "synthesis",
]  # fmt: skip
LedgerState = Literal["open", "claimed", "proposed", "agreed", "parked", "escalated"]

READ_KINDS: Final = ("path", "commit", "entry", "ticket", "pr", "message", "url")


class Evidence(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was read: a path of a commit or of the working tree, or one of the other kinds."""

    path: Text | None = None
    commit: Id | None = None
    blob: Id | None = None
    lines: Lines | None = None
    worktree: bool = False
    entry: Reference | None = None
    ticket: Text | None = None
    pr: Text | None = None
    message: Text | None = None
    url: Text | None = None

    def __post_init__(self) -> None:
        """Raise ValueError unless exactly one thing is named and only a path is pinned."""
        kinds = [kind for kind in READ_KINDS if getattr(self, kind) is not None]
        if self.path is not None:
            kinds = [kind for kind in kinds if kind != "commit"]
        elif self.blob or self.lines or self.worktree:
            raise ValueError("only a path has a blob, lines or a working tree")
        if len(kinds) != 1:
            raise ValueError(f"one of {', '.join(READ_KINDS)} is needed, not {len(kinds)}")

    @property
    def talk(self) -> bool:
        """True for what people said, a message or a ticket, and false for what there is to see."""
        return self.kind in ("message", "ticket")

    @property
    def kind(self) -> str:
        """The kind of thing that was read, one of READ_KINDS."""
        return next(kind for kind in READ_KINDS if getattr(self, kind) is not None)


class Participant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An actor who was asked, and its role; an import keeps the name and icon that it was shown with."""

    actor: Name
    role: Text | None = None
    display_name: Text | None = None
    icon: Text | None = None


class Imported(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where an imported entry came from: format, source path and blob identify it."""

    format: Text
    path: Text
    blob: Id
    id: Text | None = None
    status: Text | None = None
    date: Text | None = None
    deciders: tuple[Text, ...] = ()
    by: Text | None = None
    """Whose word it was there: the importer only quotes it."""


class Settled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The provenance of a person's examined choice."""

    label: Literal["user-directed", "user-approved"] = field(name="class")
    over: Text
    because: Text
    by: Name | None = None
    said: Text | None = None


class Quoted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who made an imported turn, and in which round: the importer only quotes it."""

    speaker: Name
    round: Count


class LedgerMove(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One issue of the speaker's ledger, as this turn declares it."""

    issue: Annotated[str, Meta(pattern=r"^i-[0-9]{2,}$(?!\n)")]
    title: Text | None = None
    state: LedgerState
    reason: Text | None = None


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """What every entry says: who speaks, and when by the speaker's clock."""

    actor: Name
    at: Instant

    def __post_init__(self) -> None:
        """Raise ValueError for a name that is not in composed form: it looks like another actor's."""
        if not is_normalized("NFC", self.actor):
            raise ValueError("the actor's name is not in Unicode's composed form (NFC)")


class FollowUp(Entry, frozen=True, kw_only=True):
    """An entry under a question: it names the question, and the entries it comes after."""

    qid: Id
    after: tuple[Id, ...]


class Question(Entry, frozen=True, kw_only=True, tag="question"):
    """What is to be decided; the first entry of its decision record."""

    number: Number
    question: Text
    mode: Mode
    job: Text | None = None
    context: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    origin: Literal["directive"] | None = None
    participants: tuple[Participant, ...] = ()
    governs: tuple[Text, ...] = ()
    links: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()
    imported: Imported | None = None


class Vote(FollowUp, frozen=True, kw_only=True, tag="vote"):
    """What one actor thinks of a question, and what it read before saying so."""

    stance: Stance
    reason: Text
    read: tuple[Evidence, ...] = ()
    not_checked: tuple[Text, ...] = ()
    confidence: Confidence | None = None
    model: Text | None = None
    imported: Imported | None = None

    @classmethod
    def said(cls, stance: Stance, read: tuple[Evidence, ...], **fields: Any) -> "Vote":
        """A vote; support that read nothing is stored as support_unverified (rule R1)."""
        unread = stance == "support" and not read
        return cls(stance="support_unverified" if unread else stance, read=read, **fields)

    @property
    def verified(self) -> bool:
        """True when something was read (rule R1)."""
        return bool(self.read)


def command_line(command: Command | None) -> str:
    """A command as one would type it; empty for none."""
    import shlex

    return command if isinstance(command, str) else shlex.join(command or ())


class Check(FollowUp, frozen=True, kw_only=True, tag="check"):
    """A command whose exit code answers what the decision rests on."""

    premise: Text | None = None
    command: Command | None = None
    exit_code: ExitCode | None = None
    result: Result
    source: Literal["ran", "reported"]
    holds_on: tuple[ExitCode, ...] = ()
    fails_on: tuple[ExitCode, ...] = ()
    commit: Id | None = None
    clean: bool | None = None
    cwd: str | None = None
    duration_ms: Count | None = None
    output: str | None = None
    output_sha256: Digest | None = None
    output_bytes: Count | None = None
    repeats: Id | None = None
    note: Text | None = None
    imported: Imported | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a check that says neither what ran nor why nothing did."""
        Entry.__post_init__(self)
        if self.result == "not_applicable":
            if self.command is not None or self.note is None:
                raise ValueError("not_applicable takes a note and no command")
        elif not self.command:
            raise ValueError("a check names its command")
        elif self.conclusive and self.exit_code is None:
            raise ValueError(f"a check that {self.result} has an exit code")

    @property
    def conclusive(self) -> bool:
        """True when the exit code answers the premise (rule R3); that of an import is hearsay."""
        return self.result in ("holds", "fails") and self.imported is None

    @property
    def command_line(self) -> str:
        """The command as one would type it; empty when none ran."""
        return command_line(self.command)


class Challenge(FollowUp, frozen=True, kw_only=True, tag="challenge"):
    """An objection to an entry; with a severity it is a conflict with a decision."""

    target: Id
    claim: Text
    read: tuple[Evidence, ...] = ()
    severity: Literal["suboptimal", "invalidating"] | None = None

    @property
    def verified(self) -> bool:
        """True when the challenger read something."""
        return bool(self.read)


class Answer(FollowUp, frozen=True, kw_only=True, tag="answer"):
    """What became of a challenge."""

    to: Id
    outcome: Literal["accept", "reject"]
    reason: Text
    read: tuple[Evidence, ...] = ()


class Decision(FollowUp, frozen=True, kw_only=True, tag="decision"):
    """What was decided, and on what it rests."""

    outcome: Outcome
    decision: Text
    rationale: Text | None = None
    confidence: Confidence | None = None
    dissent: Text | None = None
    changes_code: bool
    checks: tuple[Id, ...] = ()
    read: tuple[Evidence, ...] = ()
    backed_by: tuple[Id, ...] = ()
    answers: tuple[Id, ...] = ()
    supersedes: tuple[Reference, ...] = ()
    reason: Text | None = None
    despite: Text | None = None
    settled: Settled | None = None
    governs: tuple[Text, ...] = ()
    review_by: Day | None = None
    imported: Imported | None = None


class Confirm(FollowUp, frozen=True, kw_only=True, tag="confirm"):
    """A person confirms a decision that was recorded for them."""

    decision: Id


class Replaced(FollowUp, frozen=True, kw_only=True, tag="replaced"):
    """Our decision was replaced by a decision of another record."""

    decision: Id
    by: ForeignReference


class Turn(FollowUp, frozen=True, kw_only=True, tag="turn"):
    """One move in a conversation."""

    verb: Verb
    headline: Text
    body: Text | None = None
    role: Text | None = None
    position: Text | None = None
    gave_up: tuple[Text, ...] = ()
    signs: Digest | None = None
    ledger: tuple[LedgerMove, ...] = ()
    ledger_omitted: bool = False
    quoted: Quoted | None = None

    @property
    def speaker(self) -> str:
        """Whose move it is: the actor's, or of an imported turn the one who is quoted."""
        return self.quoted.speaker if self.quoted else self.actor


class Close(FollowUp, frozen=True, kw_only=True, tag="close"):
    """The record takes no more turns."""

    reason: Text


class Proposal(FollowUp, frozen=True, kw_only=True, tag="proposal"):
    """A patch that an actor staged in a throwaway worktree."""

    base: Id
    branch: Text
    patch: Id
    command: Command | None = None
    title: Text | None = None

    @property
    def command_line(self) -> str:
        """The command as one would type it; empty when none made it."""
        return command_line(self.command)


class Actor(Entry, frozen=True, kw_only=True, tag="actor"):
    """Who speaks: a human or an agent; filed in the actor's folder."""

    name: Name
    kind: Kind
    after: tuple[Id, ...] = ()
    display_name: Text | None = None
    icon: Text | None = None
    email: Text | None = None
    key: Text | None = None
    model: Text | None = None


RecordEntry = (
    Question | Vote | Check | Challenge | Answer | Decision | Confirm | Replaced | Turn | Close | Proposal
)
AnyEntry = RecordEntry | Actor
TYPES: Final[dict[str, type[Entry]]] = {
    str(kind.__struct_config__.tag): kind for kind in (*get_args(RecordEntry), Actor)
}


class Unknown(Struct, frozen=True, kw_only=True):
    """An entry of a type that a newer git-decide writes: shown as such, never dropped."""

    type: str
    actor: str
    at: str
    qid: str
    after: tuple[str, ...]
    fields: dict[str, Any]


class Unproved(Unknown, frozen=True, kw_only=True):
    """An entry whose commit is not signed as the policy asks: shown, and what came after stays after it."""

    reason: str

    @classmethod
    def of(cls, entry: Entry | Unknown, reason: str) -> "Unproved":
        """The entry as it is shown, and nothing else."""
        fields = entry.fields if isinstance(entry, Unknown) else dict(to_builtins(entry))
        return cls(
            type=type_name(entry),
            actor=entry.actor,
            at=entry.at,
            qid=getattr(entry, "qid", ""),
            after=getattr(entry, "after", ()),
            fields={**fields, "unproved": reason},
            reason=reason,
        )


def quoted(entry: Entry | Unknown) -> str | None:
    """Whose word an imported entry quotes, as far as it is known; None for the actor's own."""
    if isinstance(entry, Turn):
        return entry.quoted.speaker if entry.quoted else None
    origin: Imported | None = getattr(entry, "imported", None)
    if origin is None:
        return None
    settled = entry.settled if isinstance(entry, Decision) else None
    person = settled.by if settled else None
    return origin.by or person or ", ".join(origin.deciders) or f"somebody in {origin.path}"


def type_name(entry: Entry | Unknown) -> str:
    """The type of an entry as the log spells it, for example `vote`."""
    return entry.type if isinstance(entry, Unknown) else str(entry.__struct_config__.tag)
