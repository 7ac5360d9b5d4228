"""Which files commits change, as pathspecs select them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.git import changes
from gitdecide.git.run import Git
from tests.conftest import GitRunner

ALL = (".",)
Write = Callable[..., str]


@pytest.fixture
def here(repo: Path) -> Git:
    return Git(repo, os.environ)


@pytest.fixture
def commit(repo: Path, git: GitRunner) -> Write:
    """Commit files of these contents, and return the commit."""

    def make(**files: str) -> str:
        for name, text in files.items():
            (repo / name).write_text(text)
        git(repo, "add", ".")
        git(repo, "commit", "-qm", "x")
        return git(repo, "rev-parse", "HEAD")

    return make


def of(git: Git, *commits: str, specs: tuple[str, ...] = ALL) -> list[list[str]]:
    """The paths of each commit, which must all be answered in order."""
    answered = list(changes.committed(git, commits, specs))
    assert [name for name, _ in answered] == list(commits)
    return [paths for _, paths in answered]


def test_a_commit_changes_what_differs_from_its_parent(
    here: Git, repo: Path, git: GitRunner, commit: Write
) -> None:
    """Additions, deletions, both ends of a rename, and modes; the first commit changes all it has."""
    first = git(repo, "rev-parse", "HEAD")
    added = commit(a="1", b="1")
    git(repo, "mv", "a", "c")
    git(repo, "rm", "-q", "b")
    git(repo, "update-index", "--chmod=+x", "src/app.py")
    git(repo, "commit", "-qm", "x")
    moved = git(repo, "rev-parse", "HEAD")
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    empty = git(repo, "rev-parse", "HEAD")

    assert of(here, first, added, moved, empty) == [
        ["src/app.py"],
        ["a", "b"],
        ["a", "b", "c", "src/app.py"],
        [],
    ]
    assert of(here) == []


def test_a_merge_changes_what_differs_from_every_parent(
    here: Git, repo: Path, git: GitRunner, commit: Write
) -> None:
    """What it takes from one side is no change of its own."""
    git(repo, "switch", "-qc", "other")
    commit(both="theirs", theirs="1")
    git(repo, "switch", "-q", "main")
    commit(both="ours", ours="1")
    with pytest.raises(AssertionError):
        git(repo, "merge", "-q", "other")
    merge = commit(both="neither", evil="1")

    assert sorted(of(here, merge)[0]) == ["both", "evil"]


def test_many_commits_are_asked_in_batches(here: Git, commit: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Order and answers do not depend on where a batch ends."""
    monkeypatch.setattr(changes, "BATCH", 2)
    commits = [commit(a=str(number)) for number in range(5)]

    assert of(here, *commits) == [["a"]] * 5


def test_specs_select(here: Git, commit: Write) -> None:
    """Exclusion and globs are git's; no spec at all selects nothing."""
    made = commit(**{"a.md": "1", "b.py": "1"})

    assert of(here, made, specs=(".", ":(exclude)*.md")) == [["b.py"]]
    assert of(here, made, specs=("*.md",)) == [["a.md"]]
    assert of(here, made, specs=()) == [[]]
    assert changes.staged(here, (), f"{made}~1") == []
    assert changes.staged(here, ALL, f"{made}~1") == ["a.md", "b.py"]


def test_variables_for_pathspecs_do_not_reach_git(repo: Path, commit: Write) -> None:
    """Magit makes all specs literal, and nothing would be code any more."""
    made = commit(**{"b.py": "1"})
    for kind in ("LITERAL", "NOGLOB", "ICASE"):
        there = Git(repo, {**os.environ, f"GIT_{kind}_PATHSPECS": "1"})
        assert of(there, made, specs=("*.py", "B.*")) == [["b.py"]]
        assert of(there, made, specs=("B.*",)) == [[]]
        assert changes.staged(there, ("*.py",), f"{made}~1") == ["b.py"]


ODD = ["größe", "a b", "tab\tx", '"q"', "back\\slash", "new\nline", ":100644 100644 x", "-x", "a" * 40]


def test_any_name_comes_back_as_it_is(here: Git, repo: Path, git: GitRunner, commit: Write) -> None:
    """Nothing is quoted or split, and bytes that are not UTF-8 can be had back."""
    base = git(repo, "rev-parse", "HEAD")
    made = commit(**dict.fromkeys(ODD, "1"))
    raw = os.fsdecode(b"latin\xfc1")
    (repo / raw).write_text("1")
    git(repo, "add", ".")

    assert sorted(of(here, made)[0]) == sorted(ODD)
    assert sorted(changes.staged(here, ALL, base)) == sorted([*ODD, raw])


def test_replaced_commits_are_not_looked_at(here: Git, repo: Path, git: GitRunner, commit: Write) -> None:
    """A commit is what its id stands for."""
    base = git(repo, "rev-parse", "HEAD")
    made = commit(a="1")
    git(repo, "replace", made, base)

    assert of(here, made) == [["a"]]
