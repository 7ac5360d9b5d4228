"""What verify says: the gate's findings over a range of commits, and how many name no decision."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gitdecide import policy
from gitdecide.entries.evidence import stored_path
from gitdecide.entries.record import DecisionRecord
from gitdecide.gate import Change, Finding
from gitdecide.git import changes
from gitdecide.rules.warnings import past_review
from gitdecide.work.commits import spelled
from gitdecide.work.judging import Judge


class Verification:
    """Judges commits, and counts them as they are judged: nothing is kept of those that pass."""

    def __init__(self, judge: Judge, commits: Sequence[str]) -> None:
        self.judge = judge
        self.commits = commits
        self.unlinked = 0
        """How many change code, and name no decision nor say why none."""
        self.waived = 0
        """How many change code, and say why they name no decision."""
        self.refused = 0
        self.linked: dict[str, None] = {}
        """The decisions that govern code here, as they were typed."""

    def past_review(self, today: str) -> Iterator[str]:
        """One sentence for each linked decision that nobody looked at again in time."""
        records = [self.judge.record(name) for name in self.linked]
        known = {record.name: record for record in records if isinstance(record, DecisionRecord)}
        for name, record in known.items():
            yield from (f"{name}: {said}" for said in past_review(record, today))

    def findings(self) -> Iterator[Finding]:
        """What the gate finds, commit by commit.

        Raises Damaged for a linked record that cannot be read, or when there is no log that could have it.
        """
        for change, found in self.judge.commits(self.commits):
            self._count(change, found)
            yield from dict.fromkeys(found)

    def _count(self, change: Change, found: Sequence[Finding]) -> None:
        self.refused += bool(found)
        self.linked |= dict.fromkeys(change.names) if change.code else {}
        if change.code and not change.names:
            self.unlinked += change.waiver is None
            self.waived += change.waiver is not None

    def summary(self, source: str | None) -> str:
        """What was judged, in one line; `source` is the commit whose policy was in force."""
        count = len(self.commits)
        by = f"the policy of {source[:12]}" if source else "the default policy"
        judged = f"{count} commit{'s' * (count != 1)} judged by {by}"
        unlinked = "changes code and names" if self.unlinked == 1 else "change code and name"
        parts = {f"{unlinked} no decision": self.unlinked, "waived": self.waived, "refused": self.refused}
        said = ", ".join(f"{number} {part}" for part, number in parts.items() if number)
        return f"{judged}: {said or 'all pass'}" if count else judged

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        found = findings_as_data(self.judge, self.findings())
        return {
            "commits": len(self.commits),
            "unlinked": self.unlinked,
            "waived": self.waived,
            "refused": self.refused,
            "findings": found,
        }


def policy_source(judge: Judge, base: str | None) -> str | None:
    """The commit itself when the policy in its tree is in force, None for the default policy."""
    try:
        policy.read(judge.objects, base, judge.git)
    except policy.PolicyError:
        return None
    return base if policy.found(judge.objects, base) else None


def findings_as_data(judge: Judge, found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings for programs, with all the code that each commit changes.

    Paths are as git quotes them, so that any two stay apart.
    """
    listed = list(found)
    commits = dict.fromkeys(finding.commit for finding in listed if finding.commit)
    code = dict(changes.committed(judge.git, commits, judge.policy.code))
    return [
        {
            **finding._asdict(),
            "message": spelled(finding.message),
            "paths": [stored_path(path) for path in code.get(finding.commit or "", ())],
        }
        for finding in listed
    ]
