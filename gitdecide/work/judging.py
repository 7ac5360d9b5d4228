"""The gate's view of the user's repository: what changes, what governs it, and by which policy."""

from collections.abc import Iterable, Iterator, Sequence

from gitdecide import gate
from gitdecide.entries.record import DecisionRecord
from gitdecide.errors import Damaged, DecideError
from gitdecide.gate import Change, Finding
from gitdecide.git import changes, refs
from gitdecide.git.messages import Linked, linked
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.policy import Policy
from gitdecide.store.layout import check_readable
from gitdecide.store.snapshot import Snapshot


class Judge:
    """Judges changes of one repository against one view of the log; None: `ref` leads to none."""

    def __init__(
        self, git: Git, objects: Objects, snapshot: Snapshot | None, rules: Policy, ref: str
    ) -> None:
        self.git = git
        self.objects = objects
        self.snapshot = snapshot
        self.policy = rules
        self.ref = ref
        self._records: dict[str, DecisionRecord | str] = {}

    def staged_code(self, merged: Sequence[str] = ()) -> list[str]:
        """The code that the index in hand changes against HEAD, and in a merge against all that it merges.

        Before the first commit it is compared with nothing.
        """
        base = self.objects.resolve("HEAD^{tree}") or self.objects.add_tree({})
        code = changes.staged(self.git, self.policy.code, base)
        for parent in merged:
            there = set(changes.staged(self.git, self.policy.code, parent)) if code else ()
            code = [path for path in code if path in there]
        return code

    def commits(self, ids: Iterable[str]) -> Iterator[tuple[Change, list[Finding]]]:
        """Each commit as the change that it is, with the findings against it: none without code."""
        return ((change, self.judge(change)) for change in self.changes(ids))

    def changes(self, ids: Iterable[str]) -> Iterator[Change]:
        """Each commit as the change that it is; what one without code links is not looked at."""
        for commit, code in changes.committed(self.git, ids, self.policy.code):
            said = linked(self.objects.commit(commit).message) if code else Linked()
            yield Change(code, said.names, said.waiver, commit)

    def judge(self, change: Change) -> list[Finding]:
        """The gate's findings. Raises Damaged when a linked record cannot be read."""
        records = {name: self.record(name) for name in change.names} if change.code else {}
        return gate.judge(change, records, self.policy)

    def record(self, name: str) -> DecisionRecord | str:
        """The record that a linked name means, or why it means none. Raises Damaged."""
        if name not in self._records:
            self._records[name] = self._resolved(name)
        return self._records[name]

    def _resolved(self, name: str) -> DecisionRecord | str:
        log = self._log(name)
        try:
            record = log.record(log.resolve(name))
        except Damaged:
            raise
        except DecideError as error:
            return error.message
        for damage in record.damages:
            raise Damaged(f"{record.name} is damaged: {damage.file}: {damage.reason}")
        return record

    def _log(self, name: str) -> Snapshot:
        """The log to look a linked name up in. Raises Damaged where there is none, or none that is whole."""
        if self.snapshot is None:
            if refs.exists(self.git, self.ref):
                raise Damaged(f"{name} is linked, and the log is damaged: {self.ref} leads to no commit")
            raise Damaged(f"{name} is linked, and there is no decision log here", hint="git decide sync")
        try:
            check_readable(self.objects, self.snapshot.commit, self.ref)
        except DecideError as error:
            raise Damaged(f"{name} is linked, and {error.message}") from error
        return self.snapshot
