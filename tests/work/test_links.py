"""The branch's link: where it is kept, and what it survives."""

import os
from pathlib import Path

import pytest

from gitdecide.errors import DecideError
from gitdecide.git.run import Git
from gitdecide.work import links
from tests.conftest import GitRunner

NAME = "DR-007-3f2a91c0"


def git_in(folder: Path) -> Git:
    """A git that has not read its configuration yet."""
    return Git(folder, os.environ)


@pytest.mark.parametrize(
    "branch", ["topic", "-x", "feature/ü", "a.b", 'say-"hi"', "back`tick$x", "nb\u00a0sp\u00a0"]
)
def test_a_link_is_the_branch_s_own(repo: Path, git: GitRunner, branch: str) -> None:
    """Whatever the branch is called it has its own link, and others have none."""
    git(repo, "update-ref", f"refs/heads/{branch}", "HEAD")
    git(repo, "symbolic-ref", "HEAD", f"refs/heads/{branch}")

    assert links.link(git_in(repo), NAME) == branch

    assert links.current(git_in(repo)) == NAME
    git(repo, "symbolic-ref", "HEAD", "refs/heads/main")
    assert links.current(git_in(repo)) is None


def test_a_link_follows_its_branch(repo: Path, git: GitRunner) -> None:
    """Renaming the branch carries the link along, and deleting it takes the link away."""
    git(repo, "switch", "-qc", "old")
    links.link(git_in(repo), NAME)

    git(repo, "branch", "-m", "new")
    assert links.current(git_in(repo)) == NAME

    git(repo, "switch", "-q", "main")
    git(repo, "branch", "-qD", "new")
    git(repo, "switch", "-qc", "new")
    assert links.current(git_in(repo)) is None


def test_each_worktree_has_the_link_of_its_branch(repo: Path, git: GitRunner) -> None:
    """Two worktrees of one repository work under two decisions."""
    git(repo, "worktree", "add", "-q", "../other", "-b", "side")
    links.link(git_in(repo), NAME)
    links.link(git_in(repo.parent / "other"), "DR-008-00000000")

    assert links.current(git_in(repo)) == NAME
    assert links.current(git_in(repo.parent / "other")) == "DR-008-00000000"


def test_an_unborn_branch_can_be_linked(tmp_path: Path, git: GitRunner) -> None:
    """The first commit can have a decision."""
    git(tmp_path, "init", "-q")

    assert links.link(git_in(tmp_path), NAME) == "main"
    assert links.current(git_in(tmp_path)) == NAME


def test_linking_anew_replaces_and_unlinking_twice_is_no_fault(repo: Path, git: GitRunner) -> None:
    """One branch has one link, however many were written, and none after unlinking."""
    git(repo, "config", "--add", "branch.main.decide", "one")
    git(repo, "config", "--add", "branch.main.decide", "two")
    links.link(git_in(repo), NAME)
    assert git(repo, "config", "--get-all", "branch.main.decide") == NAME

    links.link(git_in(repo), None)
    links.link(git_in(repo), None)
    assert links.current(git_in(repo)) is None


@pytest.mark.parametrize("head", ["detached", "refs/remotes/origin/main"])
def test_without_a_branch_there_is_no_link(repo: Path, git: GitRunner, head: str) -> None:
    """A detached HEAD, or one that is on something else than a branch, has no link and takes none."""
    if head == "detached":
        git(repo, "checkout", "-q", "--detach")
    else:
        git(repo, "update-ref", head, "HEAD")
        (repo / ".git" / "HEAD").write_text(f"ref: {head}\n")

    assert links.current(git_in(repo)) is None
    with pytest.raises(DecideError, match="HEAD is on no branch"):
        links.link(git_in(repo), NAME)
