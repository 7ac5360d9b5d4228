"""Finding the repository from wherever the user stands."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.git.repository import Repository
from gitdecide.git.run import Git, GitError

GitRunner = Callable[..., str]


def found(path: Path, **environ: str) -> Repository:
    return Repository.discover(Git(path, {**os.environ, **environ}))


def test_a_repository_is_found_from_its_top(repo: Path) -> None:
    """Git folder, top and object format are those of the repository; the prefix is empty."""
    assert found(repo) == Repository(repo / ".git", repo / ".git", repo, "", "sha1")


@pytest.mark.parametrize("name", ["src", "a b", "ümläut", "two\nlines", "-x", '"q"', os.fsdecode(b"\xfc")])
def test_a_subfolder_has_a_prefix(name: str, repo: Path) -> None:
    """The prefix is the way down from the top, whatever the folder's name, with a slash at its end."""
    (repo / name / "x").mkdir(parents=True)
    here = found(repo / name / "x")
    assert (here.top, here.prefix) == (repo, f"{name}/x/")


@pytest.mark.parametrize("name", ["a b", "ümläut", "two\nlines", "line end\n", os.fsdecode(b"\xfc")])
def test_any_folder_can_hold_a_repository(name: str, tmp_path: Path, git: GitRunner) -> None:
    """Blanks, line ends and bytes that are not UTF-8 in the path do not mislead."""
    (tmp_path / name).mkdir()
    git(tmp_path / name, "init", "-q")
    assert found(tmp_path / name) == Repository(
        tmp_path / name / ".git", tmp_path / name / ".git", tmp_path / name, "", "sha1"
    )


def test_a_linked_worktree_shares_the_common_folder(repo: Path, git: GitRunner) -> None:
    """The worktree has its own git folder and top, and the common folder of its repository."""
    git(repo, "worktree", "add", "-q", "../linked")
    here = found(repo.parent / "linked")
    assert here.top == repo.parent / "linked"
    assert here.git_dir == repo / ".git" / "worktrees" / "linked"
    assert here.common_dir == repo / ".git"


def test_a_submodule_is_a_repository_of_its_own(repo: Path, git: GitRunner, tmp_path: Path) -> None:
    """Its git folder is inside that of the repository around it."""
    (tmp_path / "outer").mkdir()
    git(tmp_path / "outer", "init", "-q")
    git(tmp_path / "outer", "submodule", "--quiet", "add", str(repo), "inner")
    here = found(tmp_path / "outer" / "inner")
    assert here.top == tmp_path / "outer" / "inner"
    assert here.git_dir == here.common_dir == tmp_path / "outer" / ".git" / "modules" / "inner"


def test_a_bare_repository_has_no_top(tmp_path: Path, git: GitRunner) -> None:
    """There is no worktree, and that is no error."""
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    for folder in ("bare.git", "bare.git/refs"):
        here = found(tmp_path / folder)
        assert (here.git_dir, here.top, here.prefix) == (tmp_path / "bare.git", None, "")


def test_inside_the_git_folder_there_is_no_top(repo: Path) -> None:
    """Standing in .git is standing in no worktree."""
    for folder in (".git", ".git/refs"):
        here = found(repo / folder)
        assert (here.git_dir, here.top, here.prefix) == (repo / ".git", None, "")


def test_git_dir_and_work_tree_are_followed(repo: Path, tmp_path: Path) -> None:
    """As for git: GIT_DIR alone makes the folder the top, GIT_WORK_TREE names another."""
    outside = tmp_path / "outside"
    outside.mkdir()
    assert found(outside, GIT_DIR=str(repo / ".git")).top == outside
    assert found(repo, GIT_DIR=".git") == found(repo)
    below = found(repo / "src", GIT_DIR="../.git", GIT_WORK_TREE="..")
    assert (below.top, below.prefix, below.git_dir) == (repo, "src/", repo / ".git")


def test_sha256_has_longer_ids(tmp_path: Path, git: GitRunner) -> None:
    """Length and zero id follow the object format."""
    git(tmp_path, "init", "-q", "--object-format=sha256")
    here = found(tmp_path)
    assert (here.object_format, here.id_length, here.zero_id) == ("sha256", 64, "0" * 64)


def test_sha1_ids_have_forty_digits(repo: Path) -> None:
    """The length and the id of nothing in the usual format."""
    assert (found(repo).id_length, found(repo).zero_id) == (40, "0" * 40)


def test_no_repository_is_git_s_error(tmp_path: Path) -> None:
    """Outside of any repository git's own words are the message, in exit code 3."""
    with pytest.raises(GitError) as refused:
        found(tmp_path)
    assert refused.value.message == "not a git repository (or any of the parent directories): .git"
    assert refused.value.exit == 3


def test_a_broken_repository_is_git_s_error(repo: Path) -> None:
    """A format that this git does not know is refused in its words."""
    (repo / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 99\n")
    with pytest.raises(GitError, match="repo version"):
        found(repo)


def test_discovery_is_one_process(repo: Path, tmp_path: Path) -> None:
    """Finding the repository starts git once."""
    trace = tmp_path / "trace"
    found(repo / "src", GIT_TRACE2=str(trace))
    assert trace.read_text().count(" start ") == 1
