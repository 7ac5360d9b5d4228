import json
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, GitRunner


def test_a_question_keeps_what_is_known_about_it(decide: Decide, log: None, shown: Shown) -> None:
    """Context, options, governed paths and links are stored in their order."""
    options = ("--option", "add it", "--option", "fix the script")
    more = (
        "--job",
        "j1",
        "--context",
        "a",
        "--context",
        "b",
        "--governs",
        "src",
        "--link",
        "https://x.test/1",
    )
    question = shown(decide("ask", "Which?", *options, *more).id)["entries"][0]

    assert (question["number"], question["question"], question["mode"]) == (1, "Which?", "decide")
    assert (question["options"], question["context"]) == (["add it", "fix the script"], ["a", "b"])
    assert (question["job"], question["governs"], question["links"]) == ("j1", ["src"], ["https://x.test/1"])


def test_ask_answers_programs(decide: Decide, log: None) -> None:
    """--json gives the full name."""
    said = json.loads(decide("ask", "Why?", "--json").stdout)

    assert said["version"] == 1
    assert said["name"].startswith("DR-001-")


def test_numbers_go_on(decide: Decide, log: None) -> None:
    """Each question gets the number after the highest."""
    names = [decide("ask", f"Question {number}?").id for number in range(3)]

    assert [name[:6] for name in names] == ["DR-001", "DR-002", "DR-003"]


def test_fetched_logs_count_for_the_number(decide: Decide, record: str, repo: Path, git: GitRunner) -> None:
    """A number that a remote has given already is not given again."""
    decide("ask", "Second?")
    git(repo, "update-ref", "refs/decisions-remotes/origin/log", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", "refs/decisions/log~1")

    assert decide("ask", "Third?").id.startswith("DR-003-")


@pytest.mark.parametrize("question", ["", " ", "\n"])
def test_a_blank_question_is_a_usage_error(refuses: Refuses, log: None, question: str) -> None:
    """Something must be asked."""
    assert refuses(2, "ask", question) == "error: question: is blank\n"


def test_asking_needs_a_log(refuses: Refuses) -> None:
    """Where there is no log, the command that begins one is named."""
    said = "error: no decision log here: refs/decisions/log does not exist\nhint: git decide init\n"

    assert refuses(3, "ask", "Why?") == said


def test_a_question_names_who_takes_part(decide: Decide, log: None, shown: Shown) -> None:
    """The mode and the roles are stored in their order, each once, and shown."""
    roles = ("--role", "proponent=alice", "--role", "arbitrator=bob=b", "--role", "proponent=alice")
    name = decide("ask", "Left?", "--mode", "debate", *roles).id

    (question,) = shown(name)["entries"]

    assert (question["mode"], question["participants"]) == (
        "debate",
        [{"actor": "alice", "role": "proponent"}, {"actor": "bob=b", "role": "arbitrator"}],
    )
    assert "    takes part: alice, proponent\n" in decide("show", name).stdout


@pytest.mark.parametrize("role", ["alice", "judge=alice", "proponent=", "proponent=a<b", "=alice"])
def test_a_role_is_one_of_four_and_has_a_name(role: str, log: None, refuses: Refuses) -> None:
    """What is neither is a usage error."""
    refuses(2, "ask", "Left?", "--mode", "debate", "--role", role)
