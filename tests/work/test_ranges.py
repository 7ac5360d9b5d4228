"""Which commits a range means, whose policy judges them, and which remote has the rest."""

import os
from pathlib import Path

import pytest

from gitdecide.git.plumbing import Plumbing
from gitdecide.git.run import Git, GitError
from gitdecide.work import ranges
from gitdecide.work.ranges import Range
from tests.conftest import GitRunner


@pytest.fixture
def commits(repo: Path, git: GitRunner) -> list[str]:
    """Four commits on main, the oldest first, and a branch `side` of one commit beside the second."""
    for number in range(3):
        git(repo, "commit", "-q", "--allow-empty", "-m", f"c{number}")
    found = git(repo, "rev-list", "--reverse", "HEAD").split()
    git(repo, "branch", "side", git(repo, "commit-tree", "-p", found[0], "-m", "side", "HEAD^{tree}"))
    return found


def asked(repo: Path, typed: str | None) -> Range:
    git = Git(repo, os.environ)
    with Plumbing(git) as objects:
        return ranges.asked(git, objects, typed)


def test_the_policy_is_that_of_what_a_range_counts_from(
    repo: Path, git: GitRunner, commits: list[str]
) -> None:
    """The target's tip, the merge base, the parents, or before the oldest; nothing before a root."""
    root, second, third, tip = commits
    side = git(repo, "rev-parse", "side")

    assert asked(repo, f"{second}..main") == Range([third, tip], second)
    assert asked(repo, f"{second}..") == Range([third, tip], second)
    assert asked(repo, "side..main") == Range([second, third, tip], side)
    assert asked(repo, "main^!") == Range([tip], third)
    assert asked(repo, "main") == Range(commits, None)
    both = asked(repo, "main...side")
    assert (set(both.commits), both.base) == ({second, third, tip, side}, root)


def test_the_oldest_comes_first(repo: Path, git: GitRunner, commits: list[str]) -> None:
    """Whatever their dates say, no commit stands before its parent."""
    skewed = {"GIT_COMMITTER_DATE": "1990-01-01T00:00:00Z", **os.environ}
    Git(repo, skewed).run("commit", "-q", "--allow-empty", "-m", "older than its parent")

    assert asked(repo, "main").commits == [*commits, git(repo, "rev-parse", "HEAD")]


def test_ends_that_share_no_commit_are_told(repo: Path, git: GitRunner, commits: list[str]) -> None:
    """In a shallow clone that means that their histories were cut off before they met."""
    git(repo, "branch", "far", git(repo, "commit-tree", "-m", "far", "HEAD^{tree}"))

    assert not asked(repo, "far..main").joined
    assert asked(repo, "side..main").joined


def test_an_upstream_that_is_gone_is_none(repo: Path, git: GitRunner, commits: list[str]) -> None:
    """Then what no remote-tracking branch has is judged."""
    git(repo, "update-ref", "refs/remotes/origin/other", commits[1])
    git(repo, "remote", "add", "origin", "../nowhere")
    git(repo, "config", "branch.main.remote", "origin")
    git(repo, "config", "branch.main.merge", "refs/heads/gone")

    assert asked(repo, None) == Range(commits[2:], commits[1])


def test_before_the_first_commit_git_says_so(tmp_path: Path, git: GitRunner) -> None:
    """There is nothing to judge, and that is no verdict."""
    git(tmp_path, "init", "-q")

    with pytest.raises(GitError, match="bad revision 'HEAD'"):
        asked(tmp_path, None)


@pytest.mark.parametrize(
    ("remotes", "own", "meant"),
    [
        ((), None, "REMOTE"),
        (("hub",), None, "hub"),
        (("hub", "origin"), None, "origin"),
        (("hub", "origin"), "hub", "hub"),
        (("hub", "origin"), ".", "origin"),
        (("one", "two"), None, "REMOTE"),
    ],
)
def test_hints_name_a_real_remote(
    repo: Path, git: GitRunner, remotes: tuple[str, ...], own: str | None, meant: str
) -> None:
    """The branch's, else origin, else the only one; where nobody can know, a word to fill in."""
    for remote in remotes:
        git(repo, "remote", "add", remote, "../nowhere")
    if own:
        git(repo, "config", "branch.main.remote", own)

    assert ranges.remote(Git(repo, os.environ)) == meant
