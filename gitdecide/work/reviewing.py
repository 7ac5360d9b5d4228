"""What a reviewer is told of a range of commits, and of the decisions that they rest on."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from gitdecide.entries.evidence import real_path, stored_path
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Check, Question
from gitdecide.errors import Damaged
from gitdecide.gate import Change
from gitdecide.git import changes
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.render.review import facts
from gitdecide.render.review.facts import Again, Commit, Finding, Review, Subject, Verdict
from gitdecide.store.index import questions
from gitdecide.work import commits, rechecking
from gitdecide.work.governing import selected
from gitdecide.work.judging import Judge
from gitdecide.work.portraits import Portraits
from gitdecide.work.ranges import Range
from gitdecide.work.unmerged import Unmerged

if TYPE_CHECKING:
    from gitdecide.store.index.file import Index

_TELLING = ("decided", "blocked", "contested", "open")
"""What a record must be for a reviewer to care that it governs a changed file and nothing links it."""


class Reviewer:
    """Looks at one range, by one view of the log; `index` is that of our log, None where there is none."""

    def __init__(self, judge: Judge, judged: Range, index: "Index | None", beside: Unmerged | None) -> None:
        self._judge = judge
        self._judged = judged
        self._index = index
        self._beside = beside
        self._head = judged.commits[-1] if judged.commits else judge.objects.resolve("HEAD^{commit}")
        self._commits = tuple(self._all_commits())
        self._linked = dict(self._all_linked())
        """The records that the commits link, each with those commits, by their names."""

    def review(self, policy: str | None, again: Mapping[str, Again | None] | None = None) -> Review:
        """The facts; `policy` is the commit whose policy judges.

        `again` is what `recheck` found, None where nobody asked for it.
        """
        base = self._judged.base
        portraits = Portraits(self._judge, self._head, base, self._day(), again or {})
        return Review(
            base=base,
            head=self._head,
            policy=policy,
            commits=self._commits,
            decisions=tuple(self._subject(portraits, *each) for each in self._linked.values()),
            governing=tuple(self._governing(portraits)),
            unmerged=_unmerged(self._beside) if self._beside else None,
            rechecked=again is not None,
        )

    def recheck(self, git: Git, repository: Repository) -> dict[str, Again | None]:
        """What the checks that the decisions name answer now, by their ids; nothing is written to the log.

        Only those that the policy of the base permits are run, None stands for any other. Raises GitError.
        """
        policy = self._judge.policy.recheck
        named = [
            Filed(key, check)
            for record, _ in self._linked.values()
            for decision in record.live
            for key in decision.entry.checks
            if key in record and isinstance(check := record[key], Check) and check.command
        ]
        again: dict[str, Again | None] = dict.fromkeys(each.id for each in named)
        allowed = [check for check in dict.fromkeys(named) if rechecking.permitted(check.entry, policy)]
        if not (allowed and self._head):
            return again
        chosen = rechecking.Selection([], allowed, [])
        with closing(rechecking.tried(git, repository, chosen, self._head, policy.timeout)) as tried:
            for ran, said, _ in tried:
                again[ran.id] = Again(
                    result=said["result"],
                    exit_code=said["exit_code"],
                    note=said["note"],
                    commit=self._head,
                )
        return again

    def _all_commits(self) -> Iterator[Commit]:
        asked = "".join(f"{commit}\n" for commit in self._judged.commits).encode()
        told = commits.told(self._judge.git, "--no-walk=unsorted", "--stdin", stdin=asked) if asked else []
        said = {commit.id: commit for commit in told}
        for change in self._judge.changes(self._judged.commits):
            found = tuple(self._found(change))
            commit = said[str(change.commit)]
            yield Commit(
                id=commit.id,
                subject=commits.spelled(commit.subject),
                verdict=_verdict(change, found),
                paths=tuple(map(stored_path, change.code)),
                names=tuple(map(commits.spelled, change.names or commit.names)),
                waiver=commits.spelled(change.waiver) if change.waiver else None,
                findings=found,
            )

    def _found(self, change: Change) -> Iterator[Finding]:
        """What is against a commit: what the gate finds, and what it cannot read."""
        apart = [change._replace(names=(name,)) for name in change.names]
        for each in apart or [change]:
            try:
                for finding in self._judge.judge(each):
                    message = commits.spelled(finding.message)
                    yield Finding(code=finding.code, message=message, hint=finding.hint)
            except Damaged as error:
                yield Finding(code="damaged", message=error.message, hint=error.hint)

    def _all_linked(self) -> Iterator[tuple[str, tuple[DecisionRecord, list[Commit]]]]:
        linking: dict[str, dict[str, Commit]] = {}
        records: dict[str, DecisionRecord] = {}
        for commit in self._commits:
            for typed in commit.names:
                if record := self._known(typed):
                    records[str(record.name)] = record
                    linking.setdefault(str(record.name), {})[commit.id] = commit
        return ((name, (record, list(linking[name].values()))) for name, record in records.items())

    def _known(self, typed: str) -> DecisionRecord | None:
        """The record that a linked name means; what it lacks is in the findings of the commit."""
        try:
            found = self._judge.record(typed)
        except Damaged:
            return None
        return found if isinstance(found, DecisionRecord) else None

    def _subject(self, portraits: Portraits, record: DecisionRecord, linking: list[Commit]) -> Subject:
        paths = dict.fromkeys(real_path(path) for commit in linking for path in commit.paths)
        return portraits.subject(
            record,
            [commit.id for commit in linking],
            list(paths),
            list(_against(record, linking)),
            unmerged=self._is_unmerged(record.name),
        )

    def _governing(self, portraits: Portraits) -> Iterator[Subject]:
        """The records that say that they govern what changes, and that no commit links."""
        snapshot, git, ids = self._judge.snapshot, self._judge.git, self._judged.commits
        found = changes.committed(git, ids, [":(top)"])
        changed = list(dict.fromkeys(path for _, paths in found for path in paths))
        if snapshot is None or not changed:
            return

        @cache
        def ruled(wording: str) -> list[str]:
            return selected(git, json.loads(wording), ids, changed)

        for record in snapshot.records(self._candidates(ruled)):
            paths = ruled(json.dumps(_governs(record)))
            if paths and record.status in _TELLING and str(record.name) not in self._linked:
                yield portraits.subject(record, [], paths, unmerged=self._is_unmerged(record.name))

    def _candidates(self, ruled: Callable[[str], list[str]]) -> Iterator[RecordName]:
        """The records that may govern what changes: by the index, and what only the other log has."""
        if self._index:
            wordings = [wording for wording in self._index.ask(questions.governing) if ruled(wording)]
            yield from self._index.ask(questions.governed_by(wordings)) if wordings else ()
        beside = map(RecordName.parse, self._beside.records if self._beside else ())
        yield from filter(None, beside)

    def _is_unmerged(self, name: RecordName) -> bool:
        return self._beside is not None and str(name) in self._beside.records

    def _day(self) -> str | None:
        """The day of the head: the same commits make the same review, whenever it is made."""
        if self._head is None:
            return None
        made = self._judge.objects.commit(self._head).committer.seconds
        return f"{datetime.fromtimestamp(made, UTC):%Y-%m-%d}"


def _verdict(change: Change, found: tuple[Finding, ...]) -> Verdict:
    if found:
        return "damaged" if any(finding.code == "damaged" for finding in found) else "refused"
    if not change.code:
        return "no code"
    if change.names:
        return "passes"
    return "unlinked" if change.waiver is None else "waived"


def _against(record: DecisionRecord, linking: Iterable[Commit]) -> Iterator[str]:
    """What the gate has against a record, each once."""
    name = f"{record.name} "
    said = {
        finding.code: finding.message.removeprefix(name).rpartition(" (")[0]
        for commit in linking
        for finding in commit.findings
        if finding.message.startswith(name)
    }
    for code, message in said.items():
        yield f"the gate refuses it: it {message} ({code})"


def _governs(record: DecisionRecord) -> list[str]:
    """As the index has it: what the question says, and then the live decisions."""
    asked = [spec for question in record.of(Question) for spec in question.entry.governs]
    return [*asked, *(spec for decision in record.live for spec in decision.entry.governs)]


def _unmerged(beside: Unmerged) -> facts.Unmerged:
    return facts.Unmerged(
        ref=beside.ref, said=str(beside), records=tuple(beside.records), faults=tuple(beside.faults)
    )
