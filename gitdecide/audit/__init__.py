"""Whether a log is whole: what `fsck` proves, and what `sync` demands of what it fetched."""

from collections.abc import Callable, Collection, Iterator

from gitdecide.audit.finding import Finding
from gitdecide.audit.folders import Folders
from gitdecide.audit.growth import Growth
from gitdecide.audit.history import History
from gitdecide.audit.judging import Judging
from gitdecide.audit.roots import root_id
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git, GitError
from gitdecide.store.signatures import Signatures

__all__ = ["Audit", "Finding", "audit"]


def audit(
    git: Git,
    objects: Objects,
    tip: str,
    since: Collection[str] = (),
    signatures: Signatures | None = None,
) -> Iterator[Finding]:
    """What is wrong with the commits that lead to a tip, without those that lead to what is proved."""
    return Audit(git, objects, tip, since, signatures=signatures).findings()


class Audit:
    """One audit; `progress` is told which share of it is done, often.

    `signatures` are given where the policy asks for them.
    """

    def __init__(
        self,
        git: Git,
        objects: Objects,
        tip: str,
        since: Collection[str] = (),
        progress: Callable[[float], None] = lambda _: None,
        signatures: Signatures | None = None,
    ) -> None:
        self._git = git
        self._objects = objects
        self._tip = tip
        self._since = since
        self._progress = progress
        self._signatures = signatures
        self.commits = 0
        """How many commits were looked at."""

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong, and what is newer than this program."""
        try:
            yield from self._findings()
        except GitError as error:  # of a commit or a tree that is not there
            said = "; ".join(error.stderr.decode("utf-8", "replace").splitlines())
            yield Finding("missing", said, self._tip, fatal=True)

    def _findings(self) -> Iterator[Finding]:
        root = root_id(len(self._tip))
        history = History(self._git, self._tip, self._since, lambda commit: self._is_cut_off(commit, root))
        self.commits = len(history.commits)
        growth = Growth(history, root)
        yield from growth.findings(lambda share: self._progress(share / 2))
        judging = Judging(Folders(self._objects, history, growth.added), growth, self._signatures)
        yield from judging.findings(sorted(growth.added), lambda share: self._progress((1 + share) / 2))

    def _is_cut_off(self, commit: str, root: str) -> bool:
        return commit != root and bool(self._objects.commit(commit).parents)
