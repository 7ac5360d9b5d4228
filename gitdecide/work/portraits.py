"""A decision record as a reviewer is told of it: with what became of all that was read and checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache

from gitdecide.entries.evidence import describe, real_path, stored_path
from gitdecide.entries.names import split_reference
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Challenge, Check, Decision, Evidence, Proposal, Vote, quoted
from gitdecide.errors import DecideError
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.run import GitError
from gitdecide.render.provenance import lines as provenance
from gitdecide.render.review import notes
from gitdecide.render.review.facts import (
    Again,
    Answered,
    Note,
    Objection,
    Premise,
    Proposed,
    Reading,
    Ruling,
    Subject,
    Voice,
)
from gitdecide.rules.warnings import parse_instant
from gitdecide.work.freshness import freshness
from gitdecide.work.judging import Judge
from gitdecide.work.reading import entry_at
from gitdecide.work.reasons import became

OWN_CHANGE = "changed by these commits"
"""What became of a file that only the commits changed which the decision is about."""


class Portraits:
    """Draws records against one commit, the head of what is reviewed."""

    def __init__(
        self,
        judge: Judge,
        head: str | None,
        base: str | None,
        today: str | None,
        again: Mapping[str, Again | None],
    ) -> None:
        self._judge = judge
        self._head = head
        self._base = base
        self._today = today
        self._again = again
        self._behind = cache(self._commits_since)

    def subject(
        self,
        record: DecisionRecord,
        linked_by: Sequence[str],
        paths: Sequence[str],
        against: Iterable[str] = (),
        *,
        unmerged: bool,
    ) -> Subject:
        """One record; `paths` are what the commits change, or what it governs of that."""
        states = self._states(record, linked_by)
        rulings = tuple(self._ruling(record, each, states) for each in _ruling(record))
        votes = tuple(self._voices(record, states))
        objections = tuple(self._objections(record, states))
        fast: timedelta = self._judge.policy.fast
        said = [
            *(Note(kind="finding", text=message) for message in against),
            *notes.notes(record, rulings, votes, objections, fast, self._today),
            *notes.stale(_readings(rulings, votes, objections)),
            *(self._unread(record, paths) if linked_by else ()),
        ]
        question = record.question.entry.question if not record.damages else "damaged"
        return Subject(
            name=str(record.name),
            status=record.status,
            became=became(record),
            question=question,
            linked_by=tuple(linked_by),
            paths=tuple(map(stored_path, paths)),
            rulings=rulings,
            votes=votes,
            objections=objections,
            proposals=tuple(self._proposals(record)),
            notes=tuple(dict.fromkeys(said)),
            successors=tuple(self._successors(record)),
            unmerged=unmerged,
        )

    def _states(self, record: DecisionRecord, linked_by: Sequence[str]) -> dict[Evidence, str]:
        if self._head is None:
            return {}
        git, objects = self._judge.git, self._judge.objects
        found = freshness(record, lambda: git, objects, self._head)
        own = set(linked_by)
        states = {}
        for read, state in found.items():
            ours = state.state == "changed" and read.commit and own.issuperset(self._changing(read) or [""])
            states[read] = OWN_CHANGE if ours else str(state)
        return states

    def _changing(self, read: Evidence) -> list[str]:
        """The commits that changed a path since it was read."""
        since, path = f"{read.commit}..{self._head}", real_path(read.path or "")
        try:
            asked = ("--literal-pathspecs", "rev-list", since, "--", path)
            return self._judge.git.text(*asked).split()
        except GitError:
            return []

    def _ruling(
        self, record: DecisionRecord, filed: Filed[Decision], states: Mapping[Evidence, str]
    ) -> Ruling:
        decision = filed.entry
        named = [(key, record[key]) for key in decision.checks if key in record]
        return Ruling(
            id=filed.id,
            actor=decision.actor,
            quoted=quoted(decision),
            at=decision.at,
            outcome=decision.outcome,
            text=decision.decision,
            live=filed in record.live,
            provenance=tuple(provenance(record, filed)),
            rationale=decision.rationale or decision.reason,
            review_by=decision.review_by,
            read=_read(decision.read, states),
            checks=tuple(self._premise(key, check) for key, check in named if isinstance(check, Check)),
        )

    def _premise(self, check_id: str, check: Check) -> Premise:
        return Premise(
            id=check_id,
            actor=check.actor,
            at=check.at,
            premise=check.premise,
            command=check.command_line,
            result=check.result,
            exit_code=check.exit_code,
            source=check.source,
            commit=check.commit,
            clean=check.clean,
            behind=self._behind(check.commit) if check.commit else None,
            note=check.note,
            output=check.output,
            output_bytes=check.output_bytes,
            quoted=quoted(check),
            again=self._again.get(check_id),
            kept=self._again.get(check_id, True) is None,
        )

    def _commits_since(self, commit: str) -> int | None:
        if self._head is None:
            return None
        asked = ("rev-list", "--count", "--end-of-options", f"{commit}..{self._head}", "--")
        try:
            return int(self._judge.git.run(*asked, environ=PLAIN_OBJECTS).stdout)
        except GitError:  # a shallow clone may not have it, and nobody has what was never pushed
            return None

    def _voices(self, record: DecisionRecord, states: Mapping[Evidence, str]) -> Iterator[Voice]:
        imported = [vote for vote in record.of(Vote) if vote.entry.imported]
        for vote_id, vote in [*record.votes, *imported]:
            yield Voice(
                id=vote_id,
                actor=vote.actor,
                quoted=quoted(vote),
                at=vote.at,
                stance=vote.stance,
                reason=vote.reason,
                read=_read(vote.read, states),
                not_checked=vote.not_checked,
                model=vote.model,
            )

    def _objections(self, record: DecisionRecord, states: Mapping[Evidence, str]) -> Iterator[Objection]:
        for key, challenge in record.of(Challenge):
            made = parse_instant(challenge.at)
            answers = (
                Answered(
                    id=answer.id,
                    actor=answer.entry.actor,
                    outcome=answer.entry.outcome,
                    seconds=max(0, round((parse_instant(answer.entry.at) - made).total_seconds())),
                )
                for answer in record.answers_to(key)
            )
            yield Objection(
                id=key,
                actor=challenge.actor,
                claim=challenge.claim,
                severity=challenge.severity,
                read=_read(challenge.read, states),
                answers=tuple(answers),
            )

    def _proposals(self, record: DecisionRecord) -> Iterator[Proposed]:
        for key, proposal in record.of(Proposal):
            yield Proposed(
                id=key,
                actor=proposal.actor,
                title=proposal.title,
                branch=proposal.branch,
                base=proposal.base,
                patch=self._patch(record, proposal.patch),
            )

    def _patch(self, record: DecisionRecord, patch_id: str) -> str | None:
        snapshot = self._judge.snapshot
        try:
            patch = snapshot.patch(record.name, patch_id) if snapshot else None
        except DecideError:
            return None
        return patch.decode("utf-8", "backslashreplace") if patch is not None else None

    def _successors(self, record: DecisionRecord) -> Iterator[str]:
        for name in dict.fromkeys(split_reference(reference)[0] for reference in record.successors):
            try:
                found = self._judge.record(name or "")
            except DecideError:
                found = "damaged"
            if isinstance(found, DecisionRecord):
                texts = ", ".join(decision.entry.decision for decision in found.live)
                yield f"{name} ({became(found)}{f': {texts}' if texts else ''})"
            else:
                yield f"{name}"

    def _unread(self, record: DecisionRecord, paths: Sequence[str]) -> Iterator[Note]:
        """What was there to be read before the commits changed it, and that no entry names as read."""
        base = self._base
        seen = {
            read.path
            for _, entry in record.entries
            if quoted(entry) is None
            for read in getattr(entry, "read", ())
            if read.path is not None
        }
        there = [path for path in paths if base and entry_at(self._judge.objects, base, path)]
        if left := [path for path in map(stored_path, there) if path not in seen]:
            yield notes.unread(left)


def _ruling(record: DecisionRecord) -> list[Filed[Decision]]:
    """What a record decides: the decisions that stand, else the last one that did."""
    return record.live or record.of(Decision)[-1:]


def _read(read: Sequence[Evidence], states: Mapping[Evidence, str]) -> tuple[Reading, ...]:
    return tuple(Reading(what=describe(each), state=states.get(each)) for each in read)


def _readings(
    rulings: Iterable[Ruling], votes: Iterable[Voice], objections: Iterable[Objection]
) -> Iterator[tuple[str, Reading]]:
    said: list[Ruling | Voice | Objection] = [*rulings, *votes, *objections]
    own = [each for each in said if isinstance(each, Objection) or each.quoted is None]
    yield from ((each.actor, reading) for each in own for reading in each.read)
