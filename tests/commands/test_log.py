import json
from pathlib import Path

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner


def test_the_log_is_a_story_newest_first(decide: Decide, record: str, repo: Path, git: GitRunner) -> None:
    """One line a commit: its id, when, and who said what."""
    decide("vote", record, "inform", "-m", "x", "--read", "src/app.py", "--as", "bob")
    tip = git(repo, "rev-parse", "refs/decisions/log")

    first, *_ = decide("log").stdout.splitlines()
    assert first == f"{tip[:8]}  2026-10-19T09:14:03Z  DR-001 vote: inform by bob"
    assert len(decide("log", "-n", "1").stdout.splitlines()) == 1


def test_the_log_of_one_record(decide: Decide, record: str) -> None:
    """With a name, what concerns that record alone."""
    other = decide("ask", "Other?").id
    decide("vote", record, "inform", "-m", "x")

    subjects = [line.split("  ")[2] for line in decide("log", other).stdout.splitlines()]
    assert subjects == ["DR-002 question: Other? by Ada"]


def test_the_log_answers_programs(decide: Decide, record: str, repo: Path, git: GitRunner) -> None:
    """--json: commit, author, time and subject."""
    said = json.loads(decide("log", "--json").stdout)

    assert said["version"] == 1
    assert said["commits"][0]["commit"] == git(repo, "rev-parse", "refs/decisions/log")
    assert said["commits"][0]["author"] == "Ada"


def test_the_log_does_not_depend_on_settings(decide: Decide, log: None, repo: Path, git: GitRunner) -> None:
    """Encodings, signatures, colours and decorations that git log is told of change nothing."""
    decide("ask", "Größe?")
    plain = decide("log").stdout
    for key, value in {
        "i18n.logOutputEncoding": "ISO-8859-1", "log.showSignature": "true", "color.ui": "always",
        "log.decorate": "full", "log.follow": "true", "log.date": "relative", "format.pretty": "fuller",
    }.items():  # fmt: skip
        git(repo, "config", key, value)

    assert "Größe?" in plain
    assert decide("log").stdout == plain


def test_the_log_of_an_unknown_record(refuses: Refuses, record: str) -> None:
    """A name of nothing is said to be one."""
    assert refuses(3, "log", "DR-9").startswith("error: no decision record DR-9\n")
