"""Which commits are to be judged, by which policy, and whether their history is all here."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from gitdecide.errors import Damaged, NotFound
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import links

UNKNOWN_REMOTE: Final = "REMOTE"
"""What a hint says where nobody knows which remote has the rest."""


class Range(NamedTuple):
    """Commits, the oldest first, and the commit whose tree holds the policy for them."""

    commits: Sequence[str]
    base: str | None
    joined: bool = True
    """False when what is judged and what it is counted from have no common ancestor."""
    chosen: bool = True
    """False when nobody said what to judge, and all of HEAD is published."""


def asked(git: Git, objects: Objects, typed: str | None) -> Range:
    """The commits of a range; without one those of HEAD that its upstream, or no remote, has.

    Raises GitError for a range that git cannot read, and NotFound for one that is of no commits.
    """
    if typed is None:
        return _unpublished(git, objects)
    commits = _listed(git, "--end-of-options", typed, "--")
    # For A...B git says what is left out, too: the merge bases.
    ends = git.text("rev-parse", "--revs-only", "--end-of-options", typed).split()
    tips = [end for end in ends if not end.startswith("^")]
    out = [end.removeprefix("^") for end in ends if end.startswith("^")]
    if not tips or any(objects.resolve(f"{tip}^{{commit}}") is None for tip in tips):
        raise NotFound(f"not a range of commits: {typed}", hint="git decide verify main..HEAD")
    joined = not out or _merge_base(git, tips[0], out[0]) is not None
    return Range(commits, out[0] if out else _before(objects, commits), joined)


def check_complete(
    git: Git, repository: Repository, judged: Range, log: str | None, log_ref: str = "refs/decisions/log"
) -> None:
    """Raise Damaged when a shallow clone has cut off the history that is judged, or the log."""
    cut = cut_off(repository)
    if cut and not judged.chosen:
        origin = remote(git)
        judge = f"git decide verify {_default_branch(git, origin)}..HEAD"
        raise Damaged(
            "nothing to judge: all that this shallow clone has is published, and there may be more",
            hint=f"git fetch --unshallow {origin}, then {judge}",
        )
    if cut and (not judged.joined or cut.intersection(judged.commits)):
        raise Damaged(
            "the history is cut off: this clone is shallow, and there may be more commits to judge",
            hint=f"git fetch --unshallow {remote(git)}",
        )
    if cut and log and cut.intersection(_listed(git, log)):
        raise Damaged(
            "the log is cut off: this clone is shallow",
            hint=f"git fetch --unshallow {remote(git)} {log_ref}",
        )


def cut_off(repository: Repository) -> set[str]:
    """The commits whose parents a shallow clone does not have."""
    file = repository.common_dir / "shallow"
    return set(file.read_text(encoding="ascii").split()) if file.exists() else set()


def remote(git: Git) -> str:
    """The remote that the branch comes from, else origin, else the only one there is."""
    branch = links.branch(git)
    own = git.config(f"branch.{branch}.remote") if branch else None
    known = git.text("remote").split("\n")
    preferred = [name for name in (own, "origin") if name in known]
    only = known if len(known) == 1 and known != [""] else []
    return next(iter([*preferred, *only]), UNKNOWN_REMOTE)


def _default_branch(git: Git, remote: str) -> str:
    """The default branch of a remote as it is called here, a word to fill in where that is not known."""
    asked = ("symbolic-ref", "--quiet", "--short", f"refs/remotes/{remote}/HEAD")
    return git.run(*asked, ok=(0, 1, 128)).stdout.decode().strip() or f"{remote}/BRANCH"


def _unpublished(git: Git, objects: Objects) -> Range:
    """The commits of HEAD that its upstream does not have; without one those on no remote-tracking branch."""
    # Where there is none git fails, and it would take a cat-file with it.
    asked = git.run("rev-parse", "--quiet", "--verify", "@{upstream}^{commit}", ok=(0, 1, 128))
    if upstream := asked.stdout.decode().strip():
        commits = _listed(git, f"{upstream}..HEAD", "--")
        joined = _merge_base(git, "HEAD", upstream) is not None
        return Range(commits, upstream, joined, bool(commits))
    commits = _listed(git, "HEAD", "--not", "--remotes", "--")
    target = objects.resolve(f"refs/remotes/{remote(git)}/HEAD^{{commit}}")
    base = _merge_base(git, "HEAD", target) if target and commits else None
    return Range(commits, base or _before(objects, commits), chosen=bool(commits))


def _listed(git: Git, *revisions: str) -> list[str]:
    # An id stands for the commit it was made from, whatever refs/replace says.
    listed = git.run("rev-list", "--reverse", "--topo-order", *revisions, environ=PLAIN_OBJECTS)
    return listed.stdout.decode().split()


def _merge_base(git: Git, one: str, other: str) -> str | None:
    done = git.run("merge-base", one, other, environ=PLAIN_OBJECTS, ok=(0, 1))
    return done.stdout.decode().strip() or None


def _before(objects: Objects, commits: Sequence[str]) -> str | None:
    """The parent of the oldest commit, None when that is a root."""
    return next(iter(objects.commit(commits[0]).parents), None) if commits else None
