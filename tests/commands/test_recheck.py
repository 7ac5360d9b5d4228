import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses, Shown
from tests.conftest import Decide, GitRunner

NAP = f"sleep 31{os.getpid()}"
"""A command that nobody else on this machine runs."""


def running() -> str:
    """The command lines of all processes."""
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for throwaway worktrees: empty again after every test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert list(folder.iterdir()) == []


def user_state(repo: Path, git: GitRunner) -> dict[str, object]:
    """Every file, the index and the configuration byte for byte, and all refs but the log."""
    files = {
        str(file): file.read_bytes()
        for file in repo.rglob("*")
        if file.is_file() and ".git/" not in str(file)
    }
    inner = {name: (repo / ".git" / name).read_bytes() for name in ("index", "config", "HEAD")}
    refs = [line for line in git(repo, "for-each-ref").splitlines() if "refs/decisions/" not in line]
    return {**files, **inner, "refs": refs, "worktrees": git(repo, "worktree", "list")}


def theirs(decide: Decide, name: str, *words: str) -> None:
    """A check that somebody else filed: this clone has not run it."""
    assert decide("check", name, "--report", "0", "--as", "eve", *words).exit_code == 0


def test_a_check_runs_again_at_head_and_says_what_changed(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown
) -> None:
    """The new check names the one that it repeats, and what it ran on is the commit, not the working tree."""
    first = decide("check", record, "--premise", "x is 1", "--", "grep", "-q", "x = 1", "src/app.py").id
    (repo / "src" / "app.py").write_text("x = 2\n")
    git(repo, "commit", "-qam", "two")
    (repo / "src" / "app.py").write_text("x = 1\n")

    done = decide("recheck", record)

    assert (done.exit_code, done.stderr) == (0, "")
    new = shown(record)["entries"][-1]
    assert done.stdout == f"{new['id']}  holds -> fails: grep -q 'x = 1' src/app.py\n"
    assert (new["repeats"], new["premise"], new["result"], new["exit_code"]) == (first, "x is 1", "fails", 1)
    assert (new["source"], new["clean"], new["commit"]) == ("ran", True, git(repo, "rev-parse", "HEAD"))


def test_the_commit_can_be_chosen(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown
) -> None:
    """At another revision, and for programs."""
    first = decide("check", record, "--", "grep", "-q", "x = 1", "src/app.py").id
    base = git(repo, "rev-parse", "HEAD")
    (repo / "src" / "app.py").write_text("x = 2\n")
    git(repo, "commit", "-qam", "two")

    said = json.loads(decide("recheck", record, "--at", "HEAD~1", "--json").stdout)

    new = shown(record)["entries"][-1]["id"]
    facts = {"id": new, "repeats": first, "was": "holds", "is": "holds", "exit_code": 0, "commit": base}
    assert said == {"version": 1, "checks": [facts], "held": []}


def test_a_check_that_was_repeated_can_be_repeated(decide: Decide, record: str, shown: Shown) -> None:
    """Each repeats the last."""
    decide("check", record, "-c", "true")
    ids = [decide("recheck", record).stdout.split()[0] for _ in range(2)]

    entries = {entry["id"]: entry for entry in shown(record)["entries"]}
    assert entries[ids[1]]["repeats"] == ids[0]


def test_a_check_runs_in_the_folder_it_ran_in(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """Where that is gone it could not run, which answers nothing."""
    assert decide("check", record, "--", "test", "-f", "app.py", cwd=repo / "src").exit_code == 0
    assert "holds, as before: " in decide("recheck", record).stdout

    git(repo, "mv", "src", "lib")
    git(repo, "commit", "-qm", "moved")
    said = decide("recheck", record).stdout
    assert "holds -> inconclusive (could not run: no folder src): test -f app.py" in said


MEDDLING = (
    "echo 'x = 9' > src/app.py; git add -A; git stash; git tag mine; git config user.name Eve;"
    " git update-ref refs/heads/mine HEAD; git commit --allow-empty -m mine; rm .git; git tag again;"
    " mkdir -p a/b; chmod 0 a/b; exit 1"
)


def test_the_user_s_repository_is_as_before(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """Unstaged edits, untracked files, index, refs, stash and configuration, whatever the command does."""
    decide("check", record, "--report", "0", "-c", MEDDLING)
    (repo / "src" / "app.py").write_text("x = 3\n")
    git(repo, "add", ".")
    (repo / "src" / "app.py").write_text("x = 4\n")
    (repo / "untracked").write_text("mine\n")
    before = user_state(repo, git)

    assert "holds -> fails" in decide("recheck", record, "--trust").stdout

    assert user_state(repo, git) == before


def test_what_others_recorded_is_shown_and_needs_trust(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown
) -> None:
    """It is not run, whoever they say they are; trusted, it is, and from then on it is this clone's own."""
    theirs(decide, record, "-c", "echo ran >&2; touch ../../../pwned")
    count = len(shown(record)["entries"])

    done = decide("recheck", record)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "warning: not run, recorded by eve: echo ran >&2; touch ../../../pwned\n"
        f"hint: read the commands above; git decide recheck {record} --trust runs them\n"
    )
    assert json.loads(decide("recheck", record, "--json").stdout)["checks"] == []
    assert len(shown(record)["entries"]) == count

    assert decide("recheck", record, "--trust").exit_code == 0
    assert shown(record)["entries"][-1]["output"] == "ran\n"
    assert decide("recheck", record).exit_code == 0


def test_another_clone_has_run_nothing(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """What one clone ran is another one's claim, though it is the same actor's."""
    decide("check", record, "-c", "true")
    git(repo.parent, "clone", "-q", str(repo), "other")
    git(repo.parent / "other", "fetch", "-q", "origin", "refs/decisions/*:refs/decisions/*")

    assert decide("recheck", record, cwd=repo.parent / "other").exit_code == 1
    assert decide("recheck", record).exit_code == 0


def test_what_the_policy_permits_runs_and_keeps_nothing(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown
) -> None:
    """A permitted search of somebody else's tells its exit code and no more, each time."""
    theirs(decide, record, "--", "grep", "-r", "x", "src")

    for _ in range(2):
        assert decide("recheck", record).exit_code == 0
        new = shown(record)["entries"][-1]
        assert new["result"] == "holds"
        assert not {"output", "output_sha256", "output_bytes"} & {key for key, value in new.items() if value}


def test_a_link_in_the_tree_tells_nothing_of_what_it_leads_to(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown, tmp_path: Path
) -> None:
    """Somebody may commit a link to a secret, and ask by exit codes for one letter after the other."""
    (tmp_path / "secret").write_text("token\n")
    (repo / "link").symlink_to(tmp_path / "secret")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "innocent")
    theirs(decide, record, "--", "grep", "-q", "^token$", "link")

    assert "holds -> fails" in decide("recheck", record).stdout


def test_a_program_in_the_tree_does_not_stand_in_for_one_on_the_path(
    repo: Path, git: GitRunner, decide: Decide, record: str, temporary: Path
) -> None:
    """A relative folder of PATH counts from the tree, and is left out."""
    (repo / "bin").mkdir()
    (repo / "bin" / "grep").write_text(f"#!/bin/sh\ntouch '{temporary.parent}/pwned'\n")
    (repo / "bin" / "grep").chmod(0o755)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "innocent")
    theirs(decide, record, "--", "grep", "-q", "x", "src/app.py")

    assert decide("recheck", record, PATH=f"bin:.:{os.environ['PATH']}").exit_code == 0

    assert not (temporary.parent / "pwned").exists()


def test_no_variable_lets_the_tree_steer_a_command_of_others(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """A configuration file that is named relatively would be the tree's."""
    (repo / ".gitdecide.yaml").write_text("recheck: {allow: ['printenv *']}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    theirs(decide, record, "--", "printenv", "RIPGREP_CONFIG_PATH")

    said = decide("recheck", record, RIPGREP_CONFIG_PATH=".ripgreprc").stdout

    assert "holds -> fails: printenv RIPGREP_CONFIG_PATH" in said


def test_the_policy_is_that_of_head(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """Neither the working tree's, nor that of the commit to run at."""
    theirs(decide, record, "--", "test", "-f", "src/app.py")
    (repo / ".gitdecide.yaml").write_text("recheck: {allow: ['test *']}\n")
    assert decide("recheck", record).exit_code == 1
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    assert decide("recheck", record, "--at", "HEAD~1").exit_code == 0

    git(repo, "rm", "-qf", ".gitdecide.yaml")
    git(repo, "commit", "-qm", "no policy")
    assert decide("recheck", record, "--at", "HEAD~1").exit_code == 1


def test_a_branch_of_somebody_else_does_not_say_what_runs(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """Where there is a remote, its default branch has the policy, whatever is checked out."""
    git(repo.parent, "clone", "-q", "--bare", str(repo), "hub.git")
    git(repo, "remote", "add", "origin", "../hub.git")
    git(repo, "fetch", "-q", "origin")
    git(repo, "remote", "set-head", "origin", "main")
    theirs(decide, record, "--", "test", "-f", "src/app.py")
    (repo / ".gitdecide.yaml").write_text("recheck: {allow: ['test *']}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    assert decide("recheck", record).exit_code == 1

    git(repo, "push", "-q", "--no-verify", "origin", "HEAD:main")
    assert decide("recheck", record).exit_code == 0


def test_a_command_that_does_not_end_is_ended(
    repo: Path, git: GitRunner, decide: Decide, record: str, shown: Shown
) -> None:
    """With all that it started, after the time that the policy gives; that answers nothing."""
    (repo / ".gitdecide.yaml").write_text("recheck: {timeout: 1}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    decide("check", record, "--report", "0", "-c", f"{NAP} & {NAP}")

    done = decide("recheck", record, "--trust")

    assert f"holds -> inconclusive (timed out after 1 s): {NAP}" in done.stdout
    assert NAP not in running()


def test_secrets_are_masked_in_what_is_kept(decide: Decide, record: str, shown: Shown) -> None:
    """The log never forgets."""
    token = "ghp_" + "a1B2" * 9
    decide("check", record, "-c", f"printf 'ghp_'; printf '{token[4:]}'")
    decide("recheck", record)

    assert token not in json.dumps(shown(record))


def test_nothing_to_repeat_is_said(refuses: Refuses, decide: Decide, record: str) -> None:
    """No command was ever recorded, no such commit, no such record."""
    decide("check", record, "--not-applicable", "only words")
    said = f"error: {record} has no command to run\nhint: git decide check {record} -- COMMAND\n"
    assert refuses(3, "recheck", record) == said

    assert refuses(3, "recheck", record, "--at", "nope") == "error: no commit nope\n"
    assert refuses(3, "recheck", "DR-9").startswith("error: no decision record DR-9\n")


def test_a_damaged_record_is_not_rechecked(
    decide: Decide, record: str, by_hand: ByHand, refuses: Refuses
) -> None:
    """It takes no entries, and so no command runs for nothing."""
    decide("check", record, "-c", "true")
    by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", "type: vote\n")

    assert "is damaged and takes no entries" in refuses(4, "recheck", record)


def test_a_file_system_that_keeps_no_ids_keeps_no_check_from_being_recorded(
    repo: Path, decide: Decide, record: str
) -> None:
    """Then recheck asks for trust."""
    (repo / ".git" / "decide").write_text("in the way\n")

    assert decide("check", record, "-c", "true").exit_code == 0
    assert decide("recheck", record).exit_code == 1


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_interrupted_run_leaves_nothing(
    repo: Path, git: GitRunner, decide: Decide, record: str, temporary: Path, signum: int, code: int
) -> None:
    """No folder, no process, no entry, and the user's repository as it was."""
    decide("check", record, "--report", "0", "-c", f"echo ready > ../ready; {NAP}")
    before, log = user_state(repo, git), git(repo, "rev-parse", "refs/decisions/log")
    command = [sys.executable, "-m", "gitdecide", "recheck", record, "--trust"]
    with subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 20
        while not list(temporary.glob("*/ready")) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signum)
        process.communicate()

    assert process.returncode == code
    assert list(temporary.iterdir()) == []
    assert NAP not in running()
    assert user_state(repo, git) == before
    assert git(repo, "rev-parse", "refs/decisions/log") == log
