"""Addresses are compared by where they lead, not by how they are spelled."""

import os
from pathlib import Path

import pytest

from gitdecide.git.run import Git
from gitdecide.work.addresses import remotes_at
from tests.conftest import GitRunner


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ssh://git@host/team/engine", ["hub"]),
        ("git@host:team/engine.git", ["hub"]),
        ("git@host:team/engine/", ["hub"]),
        ("git@host:team/other.git", []),
        ("https://host/team/engine", ["web"]),
        ("https://host/team/engine.git/", ["web"]),
        ("h:engine", ["web"]),
        ("https://elsewhere/team/engine", []),
        ("../with space", ["near"]),
        ("../nowhere", []),
    ],
)
def test_two_spellings_are_one_remote(repo: Path, git: GitRunner, typed: str, found: list[str]) -> None:
    """The short form of ssh, .git and slashes at the end, rewriting by git, percent signs in file://."""
    git(repo, "config", "url.https://host/team/.insteadOf", "h:")
    git(repo, "init", "-q", "--bare", "../with space.git")
    git(repo, "remote", "add", "hub", "git@host:team/engine.git")
    git(repo, "remote", "add", "web", "h:engine.git")
    git(repo, "remote", "add", "near", f"{repo.parent.as_uri()}/with%20space.git")
    git(repo, "config", "remote.empty.prune", "true")

    assert remotes_at(Git(repo, os.environ), typed) == found


def test_a_repository_beside_another_is_not_taken_for_it(repo: Path, git: GitRunner) -> None:
    """Git looks at the path as it stands before it adds .git, and so do we."""
    for name in ("srv", "srv.git"):
        git(repo, "init", "-q", "--bare", f"../{name}")
        git(repo, "remote", "add", name, f"../{name}")

    assert remotes_at(Git(repo, os.environ), str(repo.parent / "srv")) == ["srv"]
    assert remotes_at(Git(repo, os.environ), "../srv.git/") == ["srv.git"]
