import json
from pathlib import Path

from tests.conftest import Decide, GitRunner


def test_init_begins_a_log_once(decide: Decide, repo: Path, git: GitRunner) -> None:
    """The second run says that the log is there, and changes nothing."""
    first = decide("init", "--no-hooks")
    tip = git(repo, "rev-parse", "refs/decisions/log")
    second = decide("init", "--no-hooks")

    assert (first.exit_code, first.stdout) == (0, "")
    assert first.stderr == "started the decision log: refs/decisions/log\n"
    assert second.stderr == "the decision log exists already: refs/decisions/log\n"
    assert git(repo, "rev-parse", "refs/decisions/log") == tip


def test_every_log_begins_with_the_same_commit(
    decide: Decide, repo: Path, tmp_path: Path, git: GitRunner
) -> None:
    """Two people who both ran init share a root, whoever they are."""
    other = tmp_path / "other"
    git(tmp_path, "init", "-q", "other")
    decide("init", "--no-hooks")
    decide("init", "--no-hooks", cwd=other, GIT_AUTHOR_NAME="Bob", GIT_COMMITTER_NAME="Bob")

    assert git(repo, "rev-parse", "refs/decisions/log") == git(other, "rev-parse", "refs/decisions/log")


def test_init_answers_programs(decide: Decide) -> None:
    """--json says which ref it is, and whether it is new."""
    first, second = (json.loads(decide("init", "--no-hooks", "--json").stdout) for _ in range(2))

    assert first == {"version": 1, "ref": "refs/decisions/log", "started": True, "adopted": None}
    assert second == {**first, "started": False}


def test_the_log_can_be_a_branch(decide: Decide, repo: Path, git: GitRunner) -> None:
    """decide.ref names another ref, for hosts that take branches alone."""
    git(repo, "config", "decide.ref", "refs/heads/decisions")
    decide("init", "--no-hooks")
    name = decide("ask", "On a branch?").id

    assert name in git(repo, "ls-tree", "-r", "--name-only", "decisions")
    assert decide("list").stdout.startswith(name)
    assert git(repo, "for-each-ref", "refs/decisions") == ""
