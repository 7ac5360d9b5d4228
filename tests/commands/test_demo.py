"""The demonstration: real files, real commits, a real grep and a real hook."""

from pathlib import Path

from tests.conftest import Decide, GitRunner


def test_the_demonstration_tells_the_whole_story(decide: Decide, git: GitRunner, tmp_path: Path) -> None:
    """Both refusals, the failing check, the rejection, the refused commit and the one that passes."""
    place = tmp_path / "demo"

    told = decide("demo", str(place))

    assert told.exit_code == 0, told.stderr
    story = told.stdout.splitlines()
    moments = [
        "refused [R2]: ", "refused [R3]: ", "fails (exit 1)", "    reject: ",
        "refused [G6]: ", "holds (exit 0)", "$ git decide why src/report.py",
    ]  # fmt: skip
    seen = iter(story)
    assert all(any(line.startswith(moment) for line in seen) for moment in moments), told.stdout
    assert git(place, "log", "--format=%s").splitlines() == [
        "Read the rows in the script", "An engine, and a script that wants more of it"
    ]  # fmt: skip
    assert "Decision: DR-002-" in git(place, "log", "-1", "--format=%B")
    assert git(place, "status", "--porcelain") == ""


def test_a_folder_that_holds_something_is_left_alone(decide: Decide, tmp_path: Path) -> None:
    """Nothing is written where somebody's files are."""
    (tmp_path / "mine").write_text("mine\n")

    refused = decide("demo", str(tmp_path))

    assert (refused.exit_code, refused.stdout) == (3, "")
    assert refused.stderr.startswith(f"error: the folder is not empty: {tmp_path}")


def test_the_demonstration_works_from_a_hook_and_inside_an_agent(
    decide: Decide, repo: Path, tmp_path: Path
) -> None:
    """Variables that tie git to another repository, or name a speaker, do not reach it."""
    told = decide(
        "demo", str(tmp_path / "demo"),
        GIT_DIR=str(repo / ".git"), GIT_INDEX_FILE=str(repo / ".git" / "index"),
        CLAUDECODE="1", GIT_DECIDE_ACTOR="x",
    )  # fmt: skip

    assert told.exit_code == 0, told.stderr
    assert not (repo / ".git" / "refs" / "decisions").exists()
