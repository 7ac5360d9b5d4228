"""What a reviewer is told: the commits, and the decisions that they rest on. Values only, made elsewhere.

Nothing here depends on a clock: ages are days that entries name, and commits that came since.
"""

from typing import Literal

from msgspec import Struct

Verdict = Literal["damaged", "refused", "unlinked", "waived", "passes", "no code"]
NoteKind = Literal[
    "finding", "conflict", "unanswered", "opposition", "fast", "echo", "unverified", "stale", "unread",
    "check", "despite", "dissent", "unconfirmed", "review-by", "does-not-count", "directive", "recheck",
]  # fmt: skip


class Fact(Struct, frozen=True, kw_only=True):
    """A part of a review."""


class Finding(Fact, frozen=True, kw_only=True):
    """Why a commit may not go in."""

    code: str
    """One of the gate's, or `damaged`."""
    message: str
    hint: str | None = None


class Commit(Fact, frozen=True, kw_only=True):
    """A commit, and what the gate says of it."""

    id: str
    subject: str
    verdict: Verdict
    paths: tuple[str, ...]
    """The code that it changes."""
    names: tuple[str, ...]
    """The decisions that it names, as they were typed."""
    waiver: str | None
    findings: tuple[Finding, ...]


class Note(Fact, frozen=True, kw_only=True):
    """What stands against a decision, in a sentence for somebody who never saw the log."""

    kind: NoteKind
    text: str


class Reading(Fact, frozen=True, kw_only=True):
    """Something that was read, and what became of it."""

    what: str
    state: str | None = None
    """`fresh`, `changed since (3 commits)`, `changed by these commits`, `gone` or `not committed`.

    None for what cannot be compared.
    """

    @property
    def stale(self) -> bool:
        """True when it is no longer what was read."""
        return self.state is not None and self.state.startswith(("changed since", "gone"))


class Voice(Fact, frozen=True, kw_only=True):
    """A vote that stands, or an imported one, which does not count."""

    id: str
    actor: str
    quoted: str | None = None
    """Whose word it is where it was imported: the actor only brought it in."""
    at: str
    stance: str
    reason: str
    read: tuple[Reading, ...]
    not_checked: tuple[str, ...]
    model: str | None


class Answered(Fact, frozen=True, kw_only=True):
    """What somebody answered to a challenge, and how many seconds after it."""

    id: str
    actor: str
    outcome: str
    seconds: int


class Objection(Fact, frozen=True, kw_only=True):
    """A challenge, or a conflict when it has a severity."""

    id: str
    actor: str
    claim: str
    severity: str | None
    read: tuple[Reading, ...]
    answers: tuple[Answered, ...]


class Again(Fact, frozen=True, kw_only=True):
    """What a check answered when it was run again for this review."""

    result: str
    exit_code: int | None
    note: str | None
    commit: str


class Premise(Fact, frozen=True, kw_only=True):
    """A check that a decision names."""

    id: str
    actor: str
    at: str
    premise: str | None
    command: str
    result: str
    exit_code: int | None
    source: str
    commit: str | None
    clean: bool | None
    behind: int | None
    """How many commits the head of what is reviewed has on top of the check's; None where nobody can say."""
    note: str | None
    output: str | None
    output_bytes: int | None
    quoted: str | None = None
    """As of a vote."""
    again: Again | None = None
    kept: bool = False
    """True when it was to be run again, and the policy does not permit it."""


class Ruling(Fact, frozen=True, kw_only=True):
    """A decision that stands, or the last one that did."""

    id: str
    actor: str
    quoted: str | None = None
    """As of a vote."""
    at: str
    outcome: str
    text: str
    live: bool
    provenance: tuple[str, ...]
    rationale: str | None
    review_by: str | None
    read: tuple[Reading, ...]
    checks: tuple[Premise, ...]


class Proposed(Fact, frozen=True, kw_only=True):
    """A proposed change."""

    id: str
    actor: str
    title: str | None
    branch: str
    base: str
    patch: str | None
    """None for one that the log lacks."""


class Subject(Fact, frozen=True, kw_only=True):
    """A decision record that the reviewed commits link, or that governs what they change."""

    name: str
    status: str
    became: str
    question: str
    linked_by: tuple[str, ...]
    """The commits that link it; none for one that only governs."""
    paths: tuple[str, ...]
    """The code that those commits change; or the changed files that it says it governs."""
    rulings: tuple[Ruling, ...]
    votes: tuple[Voice, ...]
    objections: tuple[Objection, ...]
    proposals: tuple[Proposed, ...]
    notes: tuple[Note, ...]
    successors: tuple[str, ...]
    unmerged: bool

    @property
    def refused(self) -> bool:
        """True when a commit is refused for it."""
        return any(note.kind == "finding" for note in self.notes)

    @property
    def loud(self) -> bool:
        """True when something stands against it that a reviewer should not miss."""
        return any(note.kind not in ("unread", "dissent", "directive") for note in self.notes)


class Unmerged(Fact, frozen=True, kw_only=True):
    """A log beside ours that was judged by as well."""

    ref: str
    said: str
    records: tuple[str, ...]
    faults: tuple[str, ...]


class Review(Fact, frozen=True, kw_only=True):
    """All that a reviewer is told."""

    base: str | None
    head: str | None
    policy: str | None
    """The commit whose policy judged; None for the default policy."""
    commits: tuple[Commit, ...]
    decisions: tuple[Subject, ...]
    """Those that the commits link, in their order."""
    governing: tuple[Subject, ...]
    """Those that govern changed files, and that no commit links."""
    unmerged: Unmerged | None = None
    rechecked: bool = False

    def count(self, *verdicts: Verdict) -> int:
        """How many commits have one of these verdicts."""
        return sum(commit.verdict in verdicts for commit in self.commits)

    @property
    def range(self) -> str:
        """What is reviewed, as git takes it."""
        head = (self.head or "HEAD")[:12]
        return f"{self.base[:12]}..{head}" if self.base else head

    @property
    def broken(self) -> tuple[str, ...]:
        """The records whose premise came out otherwise when it was run again."""
        return tuple(each.name for each in self.decisions if any(n.kind == "recheck" for n in each.notes))
