"""Proposals of the log: found, looked at, applied to the user's checkout, and their branches removed."""

from collections.abc import Collection, Container
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Proposal
from gitdecide.errors import DecideError, NotFound
from gitdecide.git import refs
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Completed, Git, GitError
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import patches, quarantine
from gitdecide.work.links import BRANCHES
from gitdecide.work.patches import Unfit
from gitdecide.work.proposing import BRANCH
from gitdecide.work.reading import at_top
from gitdecide.work.worktree import KEPT, throwaway_folder


class Found(NamedTuple):
    """A proposal of the log, and the record that it is filed under."""

    record: RecordName
    id: str
    entry: Proposal

    @property
    def ref(self) -> str:
        """The full name of its branch, which only the repository that it was made in has.

        Raises NotFound for a name that no proposal's branch has.
        """
        if not BRANCH.fullmatch(self.entry.branch):
            raise NotFound(f"not the name of a proposal's branch: {self.entry.branch}")
        return f"{BRANCHES}{self.entry.branch}"

    def tip(self, objects: Objects) -> str | None:
        """Where its branch is here, None where it is not."""
        with suppress(NotFound):
            return objects.resolve(self.ref)
        return None


def find(snapshot: Snapshot, typed: str) -> Found:
    """The proposal whose id begins so. Raises NotFound for none, or several."""
    all_found = [
        Found(name, *filed)
        for name, entry_id in snapshot.entries(typed)
        for filed in snapshot.record(name).of(Proposal)
        if filed.id == entry_id
    ]
    if len(all_found) > 1:
        raise NotFound(f"{typed} is ambiguous: {', '.join(found.id for found in all_found)}")
    if not all_found:
        raise NotFound(f"no proposal {typed}", hint="git decide proposal list")
    return all_found[0]


def notable(git: Git, repository: Repository, base: str, patch: bytes) -> list[str]:
    """What somebody should look at in a patch to a commit. Raises Unfit when it does not fit."""
    with throwaway_folder() as folder:
        inside = quarantine.quarantine(git, repository, folder / KEPT)
        return patches.notable(inside, base, patches.applied(inside, base, patch))


def statistics(git: Git, patch: bytes) -> list[str]:
    """What a patch does to each file, in git's words. Raises GitError for what is no patch."""
    said = git.run("apply", "--numstat", "--summary", "-", stdin=patch).stdout
    return [line.strip() for line in said.decode("utf-8", "surrogateescape").splitlines()]


def apply(git: Git, repository: Repository, patch: bytes, *, confirmed: bool) -> None:
    """Make a patch's change to the checkout and the index, all of it or nothing.

    Raises Unfit where it does not fit, and for what somebody has to confirm.
    """
    top, head = _clean(git, repository)
    with throwaway_folder() as folder:
        inside = quarantine.quarantine(git, repository, folder / KEPT)
        tree = patches.applied(inside, head, patch)
        _confirm(patches.notable(inside, head, tree), confirmed=confirmed)
        _check_room(top, _paths("A", inside, head, tree), _paths("D", inside, head, tree))
        quarantine.release(top, inside, tree, head)
    _refresh(top)
    top.run("read-tree", "-m", "-u", head, tree)


def merge(git: Git, repository: Repository, base: str, patch: bytes, *, confirmed: bool) -> list[str]:
    """Make a patch's change by merging it; the paths that are in conflict are the user's to settle.

    Raises Unfit as `apply` does, and where the commit that it was made on is not here.
    """
    top, head = _clean(git, repository)
    if top.run("cat-file", "-e", f"{base}^{{commit}}", ok=(0, 1, 128)).code:
        raise Unfit(f"a merge needs the commit that it was made on, which is not here: {base}")
    with throwaway_folder() as folder:
        inside = quarantine.quarantine(git, repository, folder / KEPT)
        tree = patches.applied(inside, base, patch)
        _confirm(patches.notable(inside, base, tree), confirmed=confirmed)
        inside.run(*quarantine.STRICT, "read-tree", head)
        try:
            _merge(inside, "--cached", patch)
        except GitError as error:
            raise Unfit(f"the patch does not fit: {error.message}") from None
        # Git's own check looks at the index alone, and writes through links and half of what it has to.
        _check_room(top, _paths("A", inside, head), _paths("D", inside, base, tree))
    _refresh(top)
    done = _merge(top, "--index", patch)
    unmerged = top.text("diff-files", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]
    if done.code and not unmerged:
        raise Unfit(f"the patch does not fit: {GitError(('apply',), done.code, done.stderr).message}")
    return unmerged


def discard(git: Git, found: Found, patch: bytes) -> bool:
    """Remove a proposal's branch; False when it is not here. Raises Unfit when it holds more by now."""
    tip = refs.read(git, found.ref)
    if tip is None:
        return False
    try:
        same = (
            git.text("rev-parse", f"{tip}^@") == found.entry.base
            and patches.made(git, f"{tip}^", tip) == patch
        )
    except DecideError:
        same = False
    if not same:
        raise Unfit(f"{found.entry.branch} is no longer what was proposed: it is yours to keep or remove")
    git.run("branch", "-D", "--", found.entry.branch)
    return True


def _clean(git: Git, repository: Repository) -> tuple[Git, str]:
    """Git at the top of a checkout in which nothing tracked is changed, and the commit that it is at."""
    if repository.top is None:
        raise DecideError("there is no working tree here to apply it to")
    top = at_top(git, repository)
    if (repository.git_dir / "MERGE_HEAD").exists():
        raise Unfit("a merge is not yet committed here", hint="git status")
    done = top.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1))
    if done.code:
        raise DecideError("the branch has no commit yet to apply it to")
    if top.run("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=no").stdout:
        raise Unfit("there are changes here that are not committed", hint="git status")
    return top, done.stdout.decode().strip()


def _confirm(found: list[str], *, confirmed: bool) -> None:
    if found and not confirmed:
        raise Unfit("; ".join(found), hint="look at it with git decide proposal diff; --yes applies it")


def _refresh(top: Git) -> None:
    """Let git see that a file that was only touched is no change. Raises GitError for a locked index."""
    top.run("update-index", "--refresh", ok=(0, 1))


def _merge(git: Git, where: str, patch: bytes) -> Completed:
    """Merge a patch into an index, as far as it goes. Raises GitError where git would not even try."""
    how = (where, "--3way", "--whitespace=nowarn", "--no-ignore-whitespace")
    return git.run(*quarantine.STRICT[:4], "apply", *how, "-", stdin=patch, ok=(0, 1))


def _paths(wanted: str, inside: Git, old: str, new: str | None = None) -> set[str]:
    """The paths that differ in one way."""
    return {path for status, _, path in patches.changes(inside, old, new) if status == wanted}


def _check_room(top: Git, added: Collection[str], removed: Container[str]) -> None:
    """Raise Unfit where a new file would take the place of one that git does not know, be it ignored."""
    for path in sorted(added):
        for place in (path, *(str(parent) for parent in Path(path).parents[:-1])):
            there = top.cwd / place
            in_the_way = there.is_symlink() or (there.exists() and (place == path or not there.is_dir()))
            if in_the_way and place not in removed:
                raise Unfit(f"something is in the way that git does not know: {place}")
