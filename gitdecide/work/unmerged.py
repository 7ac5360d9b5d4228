"""Our log together with one that nobody has merged yet, to judge by: no ref moves for it."""

from typing import NamedTuple

from gitdecide.errors import NotFound
from gitdecide.store.additions import differences
from gitdecide.store.layout import check_readable
from gitdecide.store.log import Log, NoLog
from gitdecide.store.merge import joined
from gitdecide.work.arriving import proved
from gitdecide.work.synced import count


class Unmerged(NamedTuple):
    """The union of two logs, and what comes from the other one alone."""

    ref: str
    commit: str
    """Holds all entries of both; no ref leads to it."""
    files: list[str]
    faults: list[str]
    """What is wrong with entries from there: they count for nothing."""

    @property
    def records(self) -> list[str]:
        """The full names of the records that have entries from there alone."""
        folders = {file.rpartition("/")[0] for file in self.files if file.startswith("decisions/")}
        return sorted(folder.rpartition("/")[2] for folder in folders)

    def __str__(self) -> str:
        if not self.files:
            return f"nothing in {self.ref} is unmerged"
        names = ", ".join(self.records) or "no record"
        return f"unmerged, from {self.ref} alone: {count(self.files)}: {names}"


def beside(log: Log, revision: str) -> Unmerged:
    """Our log, where there is one, and the log at a revision.

    Raises NotFound for what is no commit, DecideError for what is no log, and Damaged when ours cannot be
    read, or the other does more than add to it.
    """
    git, objects, own = log.git, log.objects, _own(log)
    theirs = objects.resolve(f"{revision}^{{commit}}")
    if theirs is None:
        raise NotFound(f"no log to judge by: {revision}", hint="git fetch brings it, or a full name finds it")
    check_readable(objects, theirs, revision)
    found = proved(git, objects, theirs, [own] if own else [])
    faults = [f"{finding.path or finding.commit}: {finding.message}" for finding in found if finding.fault]
    both = joined(git, objects, own, theirs)
    return Unmerged(revision, both, differences(git, own or objects.add_tree({}), both)[0], faults)


def _own(log: Log) -> str | None:
    try:
        return log.head()
    except NoLog:
        return None
