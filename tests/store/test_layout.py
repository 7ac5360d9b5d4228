from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Actor, Question, Vote
from gitdecide.errors import DecideError
from gitdecide.git.objects import Tree
from gitdecide.store import layout
from gitdecide.store.log import Log

ROOT = {
    "sha1": "c19a6fe9c678605089bc1ba0bc19c3530378174b",
    "sha256": "8306d39cfd5d558bb974007d4a502c61a57399fd970122ee806201edb861938a",
}
"""What every log ever begun starts with: when these change, logs of old and new programs no longer meet."""

QID = "3f2a91c0" + "0" * 32
ID = "b" * 40


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
def test_every_log_has_the_same_root(repo: Path, open_log: Callable[..., Log], way: str) -> None:
    """The first commit is the same bytes in every repository, by both ways to objects."""
    assert layout.root_commit(open_log(repo, way).objects) == ROOT["sha1"]


def test_the_root_of_a_sha256_repository_is_fixed_too(
    tmp_path: Path, git: Callable[..., str], open_log: Callable[..., Log]
) -> None:
    """Repositories of the longer ids share their root with each other."""
    git(tmp_path, "init", "-q", "--object-format=sha256")
    assert layout.root_commit(open_log(tmp_path).objects) == ROOT["sha256"]


def test_nothing_around_a_repository_reaches_the_root(
    tmp_path: Path, sealed: Path, git: Callable[..., str], open_log: Callable[..., Log],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """No identity, date, zone, encoding or signing of one machine changes the root."""
    (sealed / ".gitconfig").write_text("[i18n]\n\tcommitEncoding = latin1\n[commit]\n\tgpgSign = true\n")
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_DATE", "2001-02-03T04:05:06+0700")
        monkeypatch.setenv(f"GIT_{role}_NAME", "Somebody Else")
    git(tmp_path, "init", "-q")

    assert layout.root_commit(open_log(tmp_path).objects) == ROOT["sha1"]


def test_the_root_holds_the_format_alone(store: Log, git: Callable[..., str]) -> None:
    """A log that nobody wrote to is one commit with one file that says which format it has."""
    assert git(store.git.cwd, "ls-tree", "-r", "--name-only", store.ref) == "format/1"
    assert "format 1" in git(store.git.cwd, "show", f"{store.ref}:format/1")
    assert git(store.git.cwd, "rev-list", "--count", store.ref) == "1"


@pytest.mark.parametrize(
    ("number", "folder"),
    [
        (1, "DR-0xxx/DR-001"),
        (999, "DR-0xxx/DR-999"),
        (1000, "DR-1xxx/DR-1000"),
        (12_345, "DR-12xxx/DR-12345"),
        (999_999, "DR-999xxx/DR-999999"),
    ],
)
def test_records_lie_in_the_folder_of_their_thousand(
    said: Callable[..., dict[str, Any]], number: int, folder: str
) -> None:
    """A question begins a folder named by its number and id, grouped by thousands."""
    question = Question(**said(), number=number, question="Add it?", mode="decide")
    path = f"decisions/{folder}-3f2a91c0/question-{QID}.yaml"
    assert layout.entry_path(None, question, QID) == path


def test_entries_lie_in_their_record_and_actors_in_their_own_folder(
    said: Callable[..., dict[str, Any]],
) -> None:
    """File names carry the type and the full id; an actor's folder is its name, percent-escaped."""
    vote = Vote(**said(), qid=QID, after=(QID,), stance="inform", reason="why not")
    actor = Actor(**said(), name="Ünal / ops", kind="human")

    path = f"decisions/DR-0xxx/DR-007-3f2a91c0/vote-{ID}.yaml"
    assert layout.entry_path(RecordName(7, "3f2a91c0"), vote, ID) == path
    assert layout.entry_path(None, actor, ID) == f"actors/%C3%9Cnal%20%2F%20ops/actor-{ID}.yaml"


def test_an_entry_of_a_record_cannot_be_filed_without_one(said: Callable[..., dict[str, Any]]) -> None:
    """Only questions and actors say by themselves where they belong."""
    vote = Vote(**said(), qid=QID, after=(QID,), stance="inform", reason="why not")
    with pytest.raises(ValueError, match="a vote is filed in a record"):
        layout.entry_path(None, vote, ID)


def test_an_append_rewrites_four_trees(
    store: Log, ask: Callable[..., RecordName], vote: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many records there are, only the folders on the way to the new file are written."""
    names = [ask(store, number) for number in (1, 2, 1000, 1001)]
    before = store.snapshot()
    written: list[Tree] = []
    add_tree = store.objects.add_tree

    def watch(tree: Tree) -> str:
        written.append(tree)
        return add_tree(tree)

    monkeypatch.setattr(store.objects, "add_tree", watch)

    vote(store, names[0])

    assert len(written) == 4
    for path in ("decisions/DR-1xxx", names[1].path, "format"):
        assert store.objects.resolve(f"{store.ref}:{path}") == store.objects.resolve(
            f"{before.commit}:{path}"
        )


@pytest.mark.parametrize("files", [{}, {"format/2": b"two\n"}, {"README": b"a branch of code\n"}])
def test_only_a_log_of_our_format_is_written_to(
    store: Log, plant: Callable[..., str], files: dict[str, bytes]
) -> None:
    """A log of our format may hold anything else, but no mark of another format."""
    commit = plant(store, files)
    if "format/2" not in files:
        layout.check_writable(store.objects, commit, store.ref)
        return
    with pytest.raises(DecideError, match="has format 2, and this git-decide writes format 1") as error:
        layout.check_writable(store.objects, commit, store.ref)
    assert error.value.hint == "install a newer git-decide to write; reading still works"


def test_a_branch_of_code_is_no_log(store: Log) -> None:
    """A ref that somebody else uses is not written to."""
    with pytest.raises(DecideError, match="main is not a log of git-decide"):
        layout.check_writable(store.objects, "main", "main")
