import json
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Clock, Decide, GitRunner


@pytest.fixture
def full(decide: Decide, record: str) -> str:
    """A record with an entry of every kind that the commands write."""
    decide("vote", record, "support", "-m", "sounds right", "--as", "researcher-1")
    decide("vote", record, "inform", "-m", "two\nlines", "--read", "src/app.py:1", "--not-checked", "tests")
    decide("check", record, "--premise", "it is there", "--report", "1", "-c", "grep x")
    challenge = decide("challenge", record, "not so").id
    decide("answer", record, challenge, "reject", "-m", "it is")
    decide("bind", record, "reject", "no", "--read", "message:m1", "--check", "last")
    decide("supersede", record, "adopt", "yes", "-m", "news", "--read", "pr:1", "--despite", "flaky")
    return record


def test_the_text_tells_the_story(decide: Decide, full: str, shown: Shown) -> None:
    """Who said what after reading what, what became of it, and that names are claims."""
    text = decide("show", full).stdout

    *_, old, new = shown(full)["entries"]
    for line in (
        f"{full}  Add load_dataset to the engine?",
        "    support_unverified: sounds right",
        "    read: nothing",
        "    inform: two",
        "        lines",
        "    read: src/app.py:1 [fresh]",
        "    not checked: tests",
        "    fails (exit 1), as reported",
        "    premise: it is there",
        "    adopt: yes",
        "    why: news",
        "    despite: flaky",
        "votes: 1 support_unverified, 1 inform",
        "Names are claims: no signature was checked.",
    ):
        assert line in text.splitlines()
    assert f"{old['id'][:8]} decision by Ada, 2026-10-19 09:14  [superseded by {new['id'][:8]}]" in text
    assert "warning: " in text


def test_the_data_is_what_the_log_has(decide: Decide, full: str) -> None:
    """--json: the entries in order with their ids, the status, the tally and the warnings."""
    said = json.loads(decide("show", full, "--json").stdout)

    assert (said["version"], said["name"], said["status"], said["damages"]) == (1, full, "decided", [])
    kinds = [entry["type"] for entry in said["entries"]]
    assert kinds == ["question", "vote", "vote", "check", "challenge", "answer", "decision", "decision"]
    assert said["live"] == [said["entries"][-1]["id"]]
    assert said["tally"] == {"support_unverified": 1, "inform": 1}
    assert len(said["warnings"]) == 1
    assert [state["state"] for state in said["freshness"]] == ["fresh"]


def test_yaml_is_the_entries_as_stored(
    decide: Decide, full: str, shown: Shown, repo: Path, git: object
) -> None:
    """One document an entry, behind its file name, byte for byte."""
    text = decide("show", full, "--format", "yaml").stdout

    documents = text.removeprefix("---\n").split("\n---\n")
    assert len(documents) == len(shown(full)["entries"]) == 8
    first, rest = documents[0].split("\n", 1)
    file = f"decisions/DR-0xxx/{full}/{first.removeprefix('# ')}"
    assert rest == git(repo, "show", f"refs/decisions/log:{file}")  # type: ignore[operator]


def test_jsonl_is_one_object_a_line(decide: Decide, full: str) -> None:
    """Question, votes, check and decisions, counted d1, d2, …"""
    lines = [json.loads(line) for line in decide("show", full, "--format", "jsonl").stdout.splitlines()]

    assert [line["id"] for line in lines] == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert (lines[-1]["decision"], lines[-1]["supersedes"]) == ("adopt: yes", "d5")


def test_alone_it_shows_the_newest(decide: Decide, full: str) -> None:
    """Without a name, the record with the highest number."""
    newest = decide("ask", "Newer?").id

    assert decide("show").stdout.startswith(newest)


def test_with_nothing_to_show_it_says_how_to_begin(refuses: Refuses, log: None) -> None:
    """An empty log is not an empty answer."""
    assert refuses(3, "show") == 'error: no decision record yet\nhint: git decide ask "QUESTION"\n'


@pytest.mark.parametrize("words", [("show",), ("show", "DR-1"), ("list",), ("log",), ("actor", "list")])
def test_without_a_log_readers_name_init(refuses: Refuses, words: tuple[str, ...]) -> None:
    """No log is said by every reader."""
    said = "error: no decision log here: refs/decisions/log does not exist\nhint: git decide init\n"

    assert refuses(3, *words) == said


def test_an_unknown_format_is_a_usage_error(refuses: Refuses, record: str) -> None:
    """The formats are listed."""
    assert refuses(2, "show", "--format", "pdf").startswith(
        "error: invalid value for '--format': 'pdf' is not one of"
    )


def test_the_policy_says_what_is_fast(
    decide: Decide, record: str, repo: Path, clock: Clock, git: GitRunner, shown: Shown
) -> None:
    """An answer after three minutes is pointed out only where `fast_accept` is longer than that."""
    challenge = decide("challenge", record, "not so", "--read", "src/app.py").id
    clock.pass_(minutes=3)
    decide("answer", record, challenge, "accept", "-m", "right")
    assert "after the challenge" not in decide("show", record).stdout
    (repo / ".gitdecide.yaml").write_text("fast_accept: 5m\n")
    git(repo, "add", ".gitdecide.yaml")
    git(repo, "commit", "-qm", "A policy")

    assert "answered 180 s after the challenge" in decide("show", record).stdout
    assert len(shown(record)["warnings"]) == 1
