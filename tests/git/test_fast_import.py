"""Files added to a tree through `git fast-import`."""

import os
from pathlib import Path

import pytest

from gitdecide.git.fast_import import REFS, grown_tree
from gitdecide.git.run import Git, GitError
from tests.conftest import SEALED, GitRunner


@pytest.fixture
def user(repo: Path) -> Git:
    """The user's git in the repository."""
    return Git(repo, {**os.environ, **SEALED})


def test_a_tree_grows_by_files(user: Git, repo: Path, git: GitRunner) -> None:
    """What was there stays, bytes come through as they are, and no ref is left."""
    data = b"\0\r\n\xff end"

    tree = grown_tree(user, git(repo, "rev-parse", "HEAD"), [("a/b.yaml", b"one\n"), ("a/c.yaml", data)])

    assert git(repo, "ls-tree", "-r", "--name-only", tree).split() == ["a/b.yaml", "a/c.yaml", "src/app.py"]
    assert user.run("cat-file", "blob", f"{tree}:a/c.yaml").stdout == data
    assert git(repo, "for-each-ref", REFS) == ""


def test_a_stream_that_fails_leaves_no_ref(user: Git, repo: Path, git: GitRunner) -> None:
    """Its error is git's own."""
    with pytest.raises(GitError):
        grown_tree(user, "1" * 40, [("a", b"x")])

    assert git(repo, "for-each-ref", REFS) == ""


def test_what_a_dead_process_left_is_swept(user: Git, repo: Path, git: GitRunner) -> None:
    """And what a running one is at is not."""
    git(repo, "update-ref", f"{REFS}/999999999", "HEAD")
    git(repo, "update-ref", f"{REFS}/1", "HEAD")

    grown_tree(user, git(repo, "rev-parse", "HEAD"), [("a", b"x")])

    assert git(repo, "for-each-ref", "--format=%(refname)", REFS) == f"{REFS}/1"
