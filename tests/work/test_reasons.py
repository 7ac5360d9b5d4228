"""From code back to its commits, and what became of the records that they link."""

import os
from pathlib import Path
from typing import Protocol

import pytest

from gitdecide.errors import NotFound, UsageError
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import reasons
from gitdecide.work.reasons import Place
from tests.conftest import GitRunner


def subjects(repo: Path, where: Place) -> list[str]:
    """The subjects of the commits behind a place, newest first."""
    return [commit.subject for commit in reasons.behind(Git(repo, os.environ), where)]


class Save(Protocol):
    """Write a file, or with None remove it, and commit: save("src/a.py", b"text", "subject")."""

    def __call__(self, name: str, data: bytes | None, subject: str) -> None: ...


@pytest.fixture
def save(repo: Path, git: GitRunner) -> Save:
    """Changes to `repo`, each a commit."""

    def save(name: str, data: bytes | None, subject: str) -> None:
        if data is None:
            (repo / name).unlink()
        else:
            (repo / name).write_bytes(data)
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", subject)

    return save


def test_the_history_of_a_path_follows_renames(repo: Path, git: GitRunner, save: Save) -> None:
    """What a file was called before is part of its story, and what it has to do with no other file is not."""
    save("src/other.py", b"o = 1\n", "other")
    save("src/app.py", b"x = 1\ny = 2\n", "second")
    git(repo, "mv", "src/app.py", "src/new.py")
    git(repo, "commit", "-qm", "renamed")

    assert subjects(repo, Place("src/new.py")) == ["renamed", "second", "base"]


def test_a_file_that_was_deleted_and_came_again_has_both_histories(repo: Path, save: Save) -> None:
    """A path is one place, whatever was gone in between."""
    save("src/app.py", None, "gone")
    save("src/app.py", b"entirely = 'new'\n", "again")

    assert subjects(repo, Place("src/app.py")) == ["again", "gone", "base"]


def test_lines_have_the_commits_that_wrote_them(repo: Path, save: Save) -> None:
    """Each line its own, the newest first, each commit once."""
    save("src/app.py", b"x = 1\ny = 2\n", "second")
    save("src/app.py", b"x = 1\ny = 2\nz = 3\nw = 4\n", "third")

    assert subjects(repo, Place("src/app.py", "1")) == ["base"]
    assert sorted(subjects(repo, Place("src/app.py", "2-4"))) == ["second", "third"]


def test_lines_of_what_is_no_text_are_lines_too(repo: Path, save: Save) -> None:
    """A binary file has blame as any other."""
    save("pic.bin", bytes(range(256)), "picture")

    assert subjects(repo, Place("pic.bin", "1")) == ["picture"]


@pytest.mark.parametrize("lines", ["2", "5-9"])
def test_lines_that_are_not_there_are_not_found(repo: Path, lines: str) -> None:
    """In git's words."""
    with pytest.raises(NotFound, match="has only 1 line"):
        reasons.behind(Git(repo, os.environ), Place("src/app.py", lines))


def test_lines_that_end_before_they_begin_are_no_lines(repo: Path) -> None:
    """Such lines are refused, where git would turn them round."""
    with pytest.raises(UsageError, match="the lines 2-1 end before they begin"):
        reasons.behind(Git(repo, os.environ), Place("src/app.py", "2-1"))


def test_a_file_that_is_not_committed_has_no_history(repo: Path) -> None:
    """It says so, and does not pass for one without a decision."""
    (repo / "new.py").write_text("n = 1\n")

    with pytest.raises(NotFound, match=r"no commit of HEAD touches new\.py"):
        reasons.behind(Git(repo, os.environ), Place("new.py"))


@pytest.mark.parametrize(
    "name",
    [
        "größe.py",
        "a b.py",
        "tab\tx.py",
        '"q".py',
        "back\\slash.py",
        "new\nline.py",
        "[ab]*.py",
        ":(top)x",
        "-x",
        "lat\udce9in.py",
    ],
)
def test_a_path_is_taken_literally(repo: Path, git: GitRunner, save: Save, name: str) -> None:
    """No character of a name is a pattern, an option or magic, also where GIT_LITERAL_PATHSPECS is set."""
    save(f"src/{name}", b"odd = 1\n", "odd")
    save("src/a.py", b"plain\n", "plain")

    for environ in (os.environ, {**os.environ, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}):
        for lines in (None, "1"):
            found = reasons.behind(Git(repo, environ), Place(f"src/{name}", lines))
            assert [commit.subject for commit in found] == ["odd"]


def test_a_name_with_a_colon_is_a_name_first(repo: Path, save: Save) -> None:
    """The most literal reading that HEAD has wins; a folder below counts from where one stands."""
    save("src/a.py:1", b"x = 1\n", "colon")
    git = Git(repo / "src", os.environ)

    with Plumbing(git) as objects:
        here = Repository.discover(git)
        assert reasons.place(here, objects, "a.py:1") == Place("src/a.py:1")
        assert reasons.place(here, objects, "app.py:1") == Place("src/app.py", "1")
        assert reasons.place(here, objects, "../src/app.py:1-3") == Place("src/app.py", "1-3")
        assert reasons.place(here, objects, "gone.py") == Place("src/gone.py")
