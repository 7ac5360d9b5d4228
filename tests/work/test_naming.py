"""Which record is meant by what a person types."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Decide, GitRunner

Meant = Callable[..., str | None]


@pytest.fixture
def meant(decide: Decide) -> Meant:
    """The record that `show` takes something typed for; without a word, the one it chooses itself."""
    return lambda *typed: json.loads(decide("show", *typed, "--json").stdout or "{}").get("name")


@pytest.fixture
def other(decide: Decide, record: str) -> str:
    """A second record, newer than `record`."""
    return decide("ask", "Another one?").id


def commit(repo: Path, git: GitRunner, *lines: str) -> str:
    """An empty commit whose message names decisions; its id."""
    git(
        repo,
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "subject",
        *(word for line in lines for word in ("-m", line)),
    )
    return git(repo, "rev-parse", "HEAD")


def test_a_record_has_many_names(
    repo: Path, git: GitRunner, decide: Decide, meant: Meant, record: str, other: str
) -> None:
    """Its number, its full name cut anywhere, an entry, the branch, and a commit in any spelling."""
    entry = decide("vote", record, "abstain", "-m", "no idea").id
    oid = commit(repo, git, f"Decision: {record}")
    git(repo, "tag", "-a", "v1", "-m", "one")
    git(repo, "branch", "feature/ü")
    decide("link", record)

    for typed in (
        "DR-1",
        "dr-001",
        record,
        record[:-3],
        entry,
        entry[:10],
        ".",
        "HEAD",
        "main",
        oid,
        oid[:9],
        "v1",
        "@",
    ):
        assert meant(typed) == record, typed
    assert meant("feature/ü") == record


def test_a_commit_that_links_several_is_ambiguous(
    repo: Path, git: GitRunner, decide: Decide, record: str, other: str
) -> None:
    """All that it links are listed, as a name and when nothing is named."""
    commit(repo, git, f"Decision: {record}, {other}", f"Decision: {record}")
    said = f"error: the commit HEAD links several decisions: {record}, {other}\nhint: name one of them\n"

    assert decide("show", "HEAD") == (3, "", said)
    assert decide("show") == (3, "", said)


def test_a_commit_that_links_one_in_two_ways_is_clear(
    repo: Path, git: GitRunner, meant: Meant, record: str
) -> None:
    """Two names of one record are one record."""
    commit(repo, git, f"Decision: DR-1, {record}")

    assert meant("HEAD") == record


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nothing", "error: the commit HEAD links no decision\n"),
        ("Decision: DR-9", "error: the commit HEAD links no decision that is known here, only DR-9\n"),
    ],
)
def test_a_commit_that_links_nothing_says_so(
    repo: Path, git: GitRunner, decide: Decide, record: str, line: str, said: str
) -> None:
    """Nothing linked, and a name that means nothing here, are told apart."""
    commit(repo, git, line)

    assert decide("show", "HEAD") == (3, "", said)


@pytest.mark.parametrize("typed", ["nope", "HEAD~99", "main..HEAD", "DR-", "", "a\nb", "HEAD:src"])
def test_what_names_nothing_is_a_usage_error(decide: Decide, record: str, typed: str) -> None:
    """What is neither a name nor a commit."""
    done = decide("show", typed)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: not the name of a decision record: ")


def test_an_unlinked_branch_is_no_name(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """The dot says which branch has no link, or that there is no branch."""
    assert decide("show", ".").stderr.startswith("error: the branch main is linked to no decision\n")

    git(repo, "checkout", "-q", "--detach")
    assert decide("show", ".").stderr.startswith(
        "error: HEAD is on no branch, and so linked to no decision\n"
    )


def test_a_link_that_leads_nowhere_is_said(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """A link that was typed by hand is named, not passed over."""
    git(repo, "config", "branch.main.decide", "DR-9")
    said = "error: the branch's link leads nowhere: no decision record DR-9\nhint: git decide link DR\n"

    assert decide("show", ".") == (3, "", said)
    assert decide("show") == (3, "", said)


def test_alone_show_takes_the_branch_s_then_head_s_then_the_newest(
    repo: Path, git: GitRunner, decide: Decide, meant: Meant, record: str, other: str
) -> None:
    """What is being worked on comes first."""
    newest = decide("ask", "The newest?").id
    assert meant() == newest

    commit(repo, git, f"Decision: {other}")
    assert meant() == other

    decide("link", record)
    assert meant() == record
