"""Whether what was read is still so, by what HEAD has."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Decide, GitRunner

State = Callable[[], tuple[str, int | None]]


@pytest.fixture
def state(decide: Decide, record: str) -> State:
    """What `show` says of the one reading of the record."""

    def state() -> tuple[str, int | None]:
        (found,) = json.loads(decide("show", record, "--json").stdout)["freshness"]
        return found["state"], found["commits"]

    return state


def read(decide: Decide, typed: str) -> None:
    assert decide("vote", "DR-1", "inform", "-m", "x", "--read", typed).exit_code == 0


def commit(repo: Path, git: GitRunner, name: str, text: str) -> None:
    (repo / name).parent.mkdir(exist_ok=True)
    (repo / name).write_text(text)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "change")


@pytest.mark.parametrize("typed", ["src/app.py", "src", "src/app.py:1"])
def test_changes_since_are_counted(
    decide: Decide, repo: Path, git: GitRunner, state: State, typed: str
) -> None:
    """Fresh until a commit changes it; then the commits that did are counted, and no others."""
    read(decide, typed)
    assert state() == ("fresh", None)
    assert f"read: {typed} [fresh]\n" in decide("show").stdout
    commit(repo, git, "other.py", "")
    assert state() == ("fresh", None)
    for number in range(3):
        commit(repo, git, "src/app.py", f"x = {number}0\n")
    commit(repo, git, "other.py", "more")
    assert state() == ("changed", 3)
    assert f"read: {typed} [changed since (3 commits)]\n" in decide("show", cwd=repo / "src").stdout


def test_what_came_back_is_fresh(decide: Decide, repo: Path, git: GitRunner, state: State) -> None:
    """What counts is what HEAD has, not what happened on the way."""
    read(decide, "src/app.py")
    commit(repo, git, "src/app.py", "x = 2\n")
    assert state() == ("changed", 1)
    assert "[changed since (1 commit)]" in decide("show").stdout
    commit(repo, git, "src/app.py", "x = 1\n")

    assert state() == ("fresh", None)


def test_what_is_no_more_is_gone(decide: Decide, repo: Path, git: GitRunner, state: State) -> None:
    """A path that HEAD has not is gone, though the working tree still has it."""
    read(decide, "src/app.py")
    git(repo, "rm", "-q", "--cached", "src/app.py")
    assert state() == ("fresh", None)
    git(repo, "commit", "-qm", "gone")

    assert state() == ("gone", None)
    assert "read: src/app.py [gone]\n" in decide("show").stdout


def test_the_working_tree_is_not_looked_at(decide: Decide, repo: Path, state: State) -> None:
    """An edit that nobody committed changes nothing."""
    read(decide, "src/app.py")
    (repo / "src" / "app.py").write_text("x = 2\n")

    assert state() == ("fresh", None)


@pytest.mark.parametrize("name", ["new.py", "src/app.py"])
def test_what_lay_in_the_working_tree_may_be_committed(
    decide: Decide, repo: Path, git: GitRunner, state: State, name: str
) -> None:
    """Not committed until HEAD has just that; changed when commits made it something else."""
    (repo / name).write_text("y = 1\n")
    read(decide, name)
    assert state()[0] == "uncommitted"
    assert f"read: {name} (working tree) [not committed]\n" in decide("show").stdout
    commit(repo, git, name, "y = 1\n")
    assert state() == ("fresh", None)
    commit(repo, git, name, "y = 2\n")
    assert state()[0] == "changed"


def test_odd_names_are_found_again(decide: Decide, repo: Path, git: GitRunner, state: State) -> None:
    """Names that git quotes, and that look like pathspecs, are followed too."""
    for name in ("tab\tx", "new\nline", ":(top)x", "*"):
        commit(repo, git, name, "1\n")
    git(repo, "update-ref", "refs/start", "HEAD")
    for name in ("tab\tx", "new\nline", ":(top)x", "*"):
        git(repo, "reset", "-q", "--hard", "refs/start")
        read(decide, f"./{name}")
        assert state() == ("fresh", None)
        commit(repo, git, name, "2\n")
        found = json.loads(decide("show", "--json").stdout)["freshness"][-1]
        assert (found["state"], found["commits"]) == ("changed", 1)
        git(repo, "update-ref", "refs/decisions/log", "refs/decisions/log~1")


def test_a_missing_commit_cannot_be_counted_from(
    decide: Decide, repo: Path, git: GitRunner, state: State
) -> None:
    """A shallow clone says that it changed, and not how often."""
    read(decide, "src/app.py")
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "--orphan", "new")
    commit(repo, git, "src/app.py", "x = 2\n")
    git(repo, "update-ref", "-d", "refs/heads/main")
    (repo / ".git" / "objects" / base[:2] / base[2:]).unlink()

    assert state() == ("changed", None)
    assert "[changed since]" in decide("show").stdout


def test_without_a_commit_nothing_is_said(decide: Decide, tmp_path: Path, git: GitRunner) -> None:
    """On an unborn HEAD there is nothing to compare with, in a bare repository there is."""
    git(tmp_path, "init", "-q", "new")
    new = tmp_path / "new"
    (new / "a.py").write_text("1\n")
    for words in (
        ("init", "--no-hooks"),
        ("ask", "Why?"),
        ("vote", "DR-1", "inform", "-m", "x", "--read", "a.py"),
    ):
        assert decide(*words, cwd=new).exit_code == 0
    assert json.loads(decide("show", "--json", cwd=new).stdout)["freshness"] == []
    assert "read: a.py (working tree)\n" in decide("show", cwd=new).stdout

    git(new, "add", ".")
    git(new, "commit", "-qm", "one")
    shutil.rmtree(new / "src", ignore_errors=True)
    assert "[fresh]" in decide("show", cwd=new / ".git").stdout
