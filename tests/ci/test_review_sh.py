"""The script that all CI recipes share, in clones as CI makes them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.review_world import adopted, commit
from tests.conftest import Decide, Done, GitRunner

SCRIPT = Path(__file__).parents[2] / "hooks" / "ci" / "review.sh"


def review(clone: Path, **environ: str) -> Done:
    """Run the script as a job does; the report is what it leaves, or nothing."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "PATH": path, "DECIDE_REPORT": str(clone / "report.md"), **environ}
    done = subprocess.run(["sh", str(SCRIPT)], cwd=clone, env=surroundings, capture_output=True, check=False)
    report = clone / "report.md"
    text = report.read_text() if report.exists() else ""
    return Done(done.returncode, text, done.stdout.decode() + done.stderr.decode())


@pytest.fixture
def base(repo: Path, git: GitRunner, decide: Decide, log: None) -> str:
    """The tip of main, before a pull request of sixty good commits and one bad one, which is the oldest."""
    name = adopted(decide, "Grow?")
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "switch", "-qc", "topic")
    commit(repo, git, "src/bad.py", f"Bad\n\nDecision: {decide('ask', 'Undecided?').id}")
    stream = "".join(
        f"commit refs/heads/topic\ncommitter Ada <ada@example.com> {1700000000 + number} +0000\n"
        f"data <<END\nGood\n\nDecision: {name}\nEND\n"
        f"{'from refs/heads/topic^0' if not number else ''}\n"
        f"M 100644 inline src/good.py\ndata <<END\nx = {number}\nEND\n\n"
        for number in range(60)
    )
    git(repo, "fast-import", "--quiet", stdin=stream)
    git(repo, "reset", "-q", "--hard")
    return base


def cloned(repo: Path, tmp_path: Path, git: GitRunner, *options: str) -> Path:
    """A clone as a runner makes it."""
    git(tmp_path, "clone", "-q", *options, f"file://{repo}", "clone")
    return tmp_path / "clone"


@pytest.mark.parametrize("depth", [["--depth=1"], ["--depth=3"], []], ids=["1", "3", "whole"])
def test_nothing_is_missed_however_shallow(
    repo: Path, git: GitRunner, tmp_path: Path, base: str, depth: list[str]
) -> None:
    """The oldest commit of many is bad: it is found, and the log is there, without any fetch before."""
    clone = cloned(repo, tmp_path, git, *depth, "--branch=topic")
    summary = tmp_path / "summary"

    done = review(clone, DECIDE_BASE=base, DECIDE_SUMMARY=str(summary))

    assert done.exit_code == 1, done
    assert "refused [G2]" in done.stderr
    assert "Refused: 1 of 61 commits" in done.stdout
    assert summary.read_text() == done.stdout


def test_the_merge_that_the_host_made(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """It is judged against the parent that it was made on, not against where the base was at the event."""
    git(repo, "switch", "-q", "main")
    commit(repo, git, "src/other.py", "Somebody else's\n\nDecision: DR-999")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "topic")
    merge = git(repo, "rev-parse", "HEAD")
    git(repo, "update-ref", "refs/pull/1/merge", merge)
    clone = cloned(repo, tmp_path, git, "--depth=1", "--branch=main")

    done = review(clone, DECIDE_BASE=base, DECIDE_MERGE=merge)

    assert "Refused: 1 of 62 commits" in done.stdout
    assert "DR-999" not in done.stdout


def test_a_head_that_only_claims_to_be_the_merge(
    repo: Path, git: GitRunner, tmp_path: Path, base: str
) -> None:
    """A commit of one parent is judged from the base of the event."""
    clone = cloned(repo, tmp_path, git, "--branch=topic")

    done = review(clone, DECIDE_BASE=base, DECIDE_MERGE=git(repo, "rev-parse", "topic"))

    assert "of 61 commits" in done.stdout


def test_a_head_that_is_not_checked_out(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """So that pull_request_target can judge a fork without having a file of it on disk."""
    head = git(repo, "rev-parse", "topic")
    clone = cloned(repo, tmp_path, git, "--depth=1", "--single-branch", "--branch=main")

    done = review(clone, DECIDE_BASE=base, DECIDE_HEAD=head)

    assert "Refused: 1 of 61 commits" in done.stdout
    assert not (clone / "src" / "bad.py").exists()


def test_no_log_is_no_pass(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """Where the log is missing nobody can say that a linked decision is sound."""
    git(repo, "update-ref", "-d", "refs/decisions/log")
    clone = cloned(repo, tmp_path, git, "--branch=topic")

    done = review(clone, DECIDE_BASE=base)

    assert done.exit_code == 4
    assert "Damaged" in done.stdout


def test_a_log_on_a_branch(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """Hosts that take no other refs keep it there."""
    git(repo, "update-ref", "refs/heads/decisions", "refs/decisions/log")
    git(repo, "update-ref", "-d", "refs/decisions/log")
    clone = cloned(repo, tmp_path, git, "--depth=1", "--branch=topic")

    done = review(clone, DECIDE_BASE=base, DECIDE_REF="refs/heads/decisions")

    assert "Refused: 1 of 61 commits" in done.stdout, done


def test_the_log_of_a_fork_and_the_checks_again(
    repo: Path, git: GitRunner, tmp_path: Path, base: str
) -> None:
    """It is judged by as well, shown as unmerged, and the premises that the base permits are tried."""
    git(repo, "update-ref", "refs/fork/log", "refs/decisions/log")
    git(repo, "update-ref", "-d", "refs/decisions/log")
    clone = cloned(repo, tmp_path, git, "--branch=topic")
    git(clone, "fetch", "-q", "origin", "refs/fork/log:refs/fork/log")

    done = review(clone, DECIDE_BASE=base, DECIDE_LOG="refs/fork/log", DECIDE_RECHECK="true")

    assert "Refused: 1 of 61 commits" in done.stdout, done
    assert "(unmerged)" in done.stdout
    assert "run again at" in done.stdout


def test_what_is_no_id_is_not_passed_on(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """Nothing of an event is an option or a program."""
    clone = cloned(repo, tmp_path, git, "--branch=topic")

    for hostile in ("--upload-pack=touch owned", "$(touch owned)", "HEAD; touch owned"):
        assert review(clone, DECIDE_BASE=hostile).exit_code == 2
    assert not (clone / "owned").exists()


def test_a_new_branch_has_no_base(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """A push event names zeros: verify then chooses what to judge, and all of it is published."""
    clone = cloned(repo, tmp_path, git, "--branch=topic")

    assert review(clone, DECIDE_BASE="0" * 40).exit_code == 0


def test_what_cannot_be_judged_leaves_a_report(repo: Path, git: GitRunner, tmp_path: Path, base: str) -> None:
    """So that a comment from before does not stand for it: here the remote is gone."""
    clone = cloned(repo, tmp_path, git, "--branch=topic")
    git(clone, "remote", "set-url", "origin", str(tmp_path / "gone"))
    summary = tmp_path / "summary"

    done = review(clone, DECIDE_BASE=base, DECIDE_SUMMARY=str(summary))

    assert done.exit_code == 3
    marker, title, *_ = done.stdout.split("\n")
    assert marker.startswith("<!-- git-decide review ")
    assert title == "## Not judged: exit code 3"
    assert "gone" in done.stdout
    assert summary.read_text() == done.stdout


def test_a_runner_takes_no_orders_from_what_is_printed(
    repo: Path, git: GitRunner, tmp_path: Path, base: str
) -> None:
    """Names of decisions are text of others; orders are obeyed again at the end."""
    commit(repo, git, "src/worse.py", "Worse\n\nDecision: DR-9##[set-output name=report]x")
    clone = cloned(repo, tmp_path, git, "--branch=topic")

    said = review(clone, DECIDE_BASE=base, GITHUB_ACTIONS="true").stderr.splitlines()

    order, _, secret = said[0].rpartition("::")
    assert order == "::stop-commands"
    assert len(secret) == 32
    assert said[-1] == f"::{secret}::"
    assert any("##[set-output" in line for line in said[1:-1])


def test_a_link_in_the_place_of_the_report_is_not_followed(
    repo: Path, git: GitRunner, tmp_path: Path, base: str
) -> None:
    """A pull request can hold one that leads out of the checkout; a folder there is an error of its own."""
    clone = cloned(repo, tmp_path, git, "--branch=topic")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("ours\n")
    (clone / "report.md").symlink_to(elsewhere)
    (clone / "folder.md").mkdir()

    assert "Refused: 1 of 61 commits" in review(clone, DECIDE_BASE=base).stdout
    blocked = review(clone, DECIDE_BASE=base, DECIDE_REPORT="folder.md")

    assert elsewhere.read_text() == "ours\n"
    assert blocked.exit_code == 3
    assert "the report cannot be written: folder.md" in blocked.stderr


def test_the_script_is_sound() -> None:
    """As sh, and as shellcheck reads it."""
    subprocess.run(["sh", "-n", str(SCRIPT)], check=True)
    if checker := shutil.which("shellcheck"):
        subprocess.run([checker, str(SCRIPT)], check=True)
