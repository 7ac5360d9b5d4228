"""What verify says: the gate's findings over a range of commits."""

from collections.abc import Iterable, Iterator
from typing import Any

from gitdecide.entries.evidence import stored_path
from gitdecide.gate import Finding
from gitdecide.git import changes
from gitdecide.work.commits import spelled
from gitdecide.work.judging import Judge


def findings(judge: Judge, commits: Iterable[str]) -> Iterator[Finding]:
    """What the gate finds, commit by commit, as they are judged: nothing is kept of those that pass.

    Raises Damaged for a linked record that cannot be read, or when there is no log that could have it.
    """
    for _, found in judge.commits(commits):
        yield from dict.fromkeys(found)


def as_data(judge: Judge, found: Iterable[Finding]) -> list[dict[str, Any]]:
    """The same for programs, with all the code that each commit changes.

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
