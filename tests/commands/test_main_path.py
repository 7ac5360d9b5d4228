"""The failed dataset job, typed by hand, and the facts that every command prints for it."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.conftest import Shown
from tests.conftest import Decide, GitRunner

ID = re.compile(r"[0-9a-f]{40}\n")


@pytest.fixture
def engine(repo: Path, git: GitRunner) -> None:
    """An engine without a load_dataset."""
    (repo / "src" / "engine").mkdir()
    (repo / "src" / "engine" / "__init__.py").write_text("def run(rows):\n    return rows\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "engine")


@pytest.mark.usefixtures("engine", "log")
def test_the_failed_dataset_job_ends_in_a_rejection(decide: Decide, shown: Shown) -> None:
    """Nothing read and nothing checked are refused; the check fails; the rejection binds on both."""
    asked = decide("ask", "Add load_dataset to the engine?", "--job", "dataset-feature")
    decide("vote", "DR-001", "support", "-m", "the user's code is the spec", "--as", "researcher-1")
    unread = decide("bind", "DR-001", "adopt", "add it", "--as", "staff")
    reading = ("--read", "src/engine/__init__.py", "--as", "staff")
    decide("vote", "DR-001", "inform", "-m", "check the premise first", *reading)
    unchecked = decide("bind", "DR-001", "adopt", "add it", "--as", "staff")
    search = ("--", "grep", "-rq", "def load_dataset", "src/engine")
    checked = decide("check", "DR-001", "--premise", "the engine has load_dataset", *search)
    bound = decide("bind", "DR-001", "reject", "the premise is false", *reading, "--check", "last")

    assert [unread.exit_code, unchecked.exit_code, bound.exit_code] == [1, 1, 0]
    assert unread.stderr.splitlines()[0].startswith("refused [R2]: ")
    assert unchecked.stderr.splitlines()[0].startswith("refused [R3]: ")
    assert checked.stderr == "fails (exit 1)\n"
    assert bound.stderr == f"the last check is {checked.id}\n"
    question, *_, decision = shown(asked.id)["entries"]
    assert question["job"] == "dataset-feature"
    assert (decision["outcome"], decision["checks"]) == ("reject", [checked.id])
    assert shown(asked.id)["status"] == "decided"


def test_writers_print_the_new_entry_and_nothing_else(decide: Decide, record: str, shown: Shown) -> None:
    """`ask` prints the full name, the other writers the full id, each on its one line."""
    assert re.fullmatch(r"DR-001-[0-9a-f]{8}", record)
    assert decide("ask", "More?").stdout.count("\n") == 1
    vote = decide("vote", record, "inform", "-m", "why", "--read", "src/app.py")
    check = decide("check", record, "--", "true")
    challenge = decide("challenge", record, "not so", "--target", vote.id)
    answer = decide("answer", record, challenge.id[:8], "reject", "-m", "it is")
    bound = decide("bind", record, "adopt", "yes", "--check", check.id[:6])
    changed = decide("supersede", record, "defer", "later", "-m", "no time")

    for done in (vote, check, challenge, answer, bound, changed):
        assert ID.fullmatch(done.stdout)
    written = [entry["id"] for entry in shown(record)["entries"][1:]]
    assert written == [done.id for done in (vote, check, challenge, answer, bound, changed)]
    assert {done.stderr for done in (vote, challenge, bound, changed)} == {""}
    assert answer.stderr == f"warning: answered 0 s after the challenge {challenge.id}: {answer.id} by Ada\n"


@pytest.mark.parametrize(
    "words",
    [
        ("vote", "DR-1", "abstain", "-m", "why"),
        ("check", "DR-1", "-c", "true"),
        ("challenge", "DR-1", "not so"),
        ("bind", "DR-1", "defer", "later", "--read", "src/app.py"),
    ],
    ids=lambda words: words[0],
)
def test_writers_answer_programs(decide: Decide, record: str, shown: Shown, words: tuple[str, ...]) -> None:
    """--json names the record and the entry, with the version of the shape."""
    said = json.loads(decide(*words, "--json").stdout)

    assert said == {"version": 1, "name": record, "id": shown(record)["entries"][-1]["id"]}


def test_each_entry_is_one_commit_by_its_actor(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """The author is the actor, the committer the git identity, the subject the story, the body the reason."""
    decide("vote", record, "inform", "-m", "read it", "--read", "src/app.py", "--as", "researcher 1")

    form = "--format=%an <%ae>%n%cn <%ce>%n%B"
    author, committer, *message = git(repo, "log", "-1", form, "refs/decisions/log").splitlines()
    assert author == "researcher 1 <researcher%201@actor.invalid>"
    assert committer == "Ada <ada@example.com>"
    assert message[:3] == ["DR-001 vote: inform by researcher 1", "", "read it"]


def test_the_log_only_ever_adds(decide: Decide, record: str, repo: Path, git: GitRunner) -> None:
    """No commit of the log changes or removes a file, and each adds one entry, beside who speaks first."""
    decide("vote", record, "abstain", "-m", "why")
    decide("vote", record, "abstain", "-m", "again", "--as", "bob")

    changes = git(repo, "log", "--format=", "--name-status", "refs/decisions/log").splitlines()
    assert {change[0] for change in changes} == {"A"}
    counts = git(repo, "log", "--format=%x2d", "--name-only", "refs/decisions/log").split("-\n")
    assert [len(count.split()) for count in counts if count.strip()] == [2, 1, 2, 1]
