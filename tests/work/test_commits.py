"""The commits that link a record, as `show` lists them."""

import json
from pathlib import Path
from typing import Any

import pytest

from gitdecide.work import commits
from tests.conftest import Decide, GitRunner

NAMES = ["größe.py", "a b.py", "tab\tx.py", '"q".py', "back\\slash.py", "x b/y.py", "new\nline.py"]


def commit(repo: Path, git: GitRunner, line: str, *names: str) -> str:
    """Change files in a commit that ends with a line; the commit's id."""
    for name in names or ("src/app.py",):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        with (repo / name).open("a") as file:
            file.write("more = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", f"subject\n\n{line}")
    return git(repo, "rev-parse", "HEAD")


def linking(decide: Decide, record: str, cwd: Path | None = None) -> list[dict[str, Any]]:
    """The commits that `show` lists."""
    return list(json.loads(decide("show", record, "--json", cwd=cwd).stdout)["commits"])


def test_show_lists_the_commits_that_link_a_record(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """Newest first, by full and short names, with what each changes; prose and other records do not count."""
    full = commit(repo, git, f"Decision: {record}")
    short = commit(repo, git, "Decision: DR-1", "src/b.py", "docs/a.md")
    for line in ("Decision: DR-10", "Decision: DR-001-00000000", f"see {record}", "Decision: none (x)"):
        commit(repo, git, line)

    found = linking(decide, record)
    assert [(fact["commit"], fact["paths"]) for fact in found] == [
        (short, ["docs/a.md", "src/b.py"]),
        (full, ["src/app.py"]),
    ]
    text = decide("show", record).stdout
    assert f"{short[:8]} commit subject\n    changes: docs/a.md, src/b.py\n" in text
    assert linking(decide, record, cwd=repo / "docs") == found


def test_what_a_rebase_rewrote_is_listed_and_what_it_replaced_is_not(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """Only what HEAD's history has now."""
    commit(repo, git, f"Decision: {record}")
    (repo / "src" / "app.py").write_text("x = 5\n")
    git(repo, "commit", "-qa", "--fixup", "HEAD")
    git(repo, "-c", "sequence.editor=true", "rebase", "-qi", "--autosquash", "--root")

    assert [fact["commit"] for fact in linking(decide, record)] == [git(repo, "rev-parse", "HEAD")]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_odd_paths_are_listed_as_they_are(
    repo: Path, git: GitRunner, decide: Decide, record: str, locale: str
) -> None:
    """Exactly for programs, and readably for people."""
    for name in (*NAMES, "lat\udce9in.py"):
        commit(repo, git, f"Decision: {record}", f"src/{name}")

    done = decide("show", record, "--json", LC_ALL=locale, GIT_LITERAL_PATHSPECS="1")
    paths = [fact["paths"] for fact in json.loads(done.stdout)["commits"]]
    assert paths[::-1] == [*([f"src/{name}"] for name in NAMES), ['"src/lat\\351in.py"']]
    text = decide("show", record).stdout
    assert "    changes: src/new\\nline.py\n" in text
    assert "    changes: src/lat\\xe9in.py\n" in text


def test_configuration_changes_nothing(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """Nobody's taste in logs gets in the way."""
    oid = commit(repo, git, f"Decision: {record}")
    for key, value in {
        "log.showSignature": "true", "log.date": "raw", "color.ui": "always", "log.follow": "true",
        "i18n.logOutputEncoding": "UTF-16", "format.pretty": "oneline", "log.diffMerges": "on",
    }.items():  # fmt: skip
        git(repo, "config", key, value)

    assert [fact["commit"] for fact in linking(decide, record)] == [oid]


def test_a_long_history_costs_no_more(
    repo: Path, git: GitRunner, decide: Decide, record: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the newest commits are looked at, and only the newest of those that link are listed."""
    ids = [commit(repo, git, f"Decision: {record}") for _ in range(4)]

    monkeypatch.setattr(commits, "SHOWN", 2)
    assert [fact["commit"] for fact in linking(decide, record)] == ids[:1:-1]

    monkeypatch.setattr(commits, "SHOWN", 9)
    monkeypatch.setattr(commits, "LOOKED_AT", 3)
    assert [fact["commit"] for fact in linking(decide, record)] == ids[:0:-1]


def test_a_shallow_clone_says_that_there_may_be_more(
    repo: Path, git: GitRunner, decide: Decide, record: str
) -> None:
    """What was cut off is not passed over in silence, and the hint repairs it."""
    commit(repo, git, f"Decision: {record}")
    commit(repo, git, "nothing")
    git(repo.parent, "clone", "-q", "--depth=1", repo.as_uri(), "part")
    part = repo.parent / "part"
    git(part, "fetch", "-q", "--depth=2147483646", "origin", "refs/decisions/*:refs/decisions/*")

    done = decide("show", record, cwd=part)
    said = f"warning: this clone is shallow: older commits may link {record}\n"
    assert (done.exit_code, done.stderr) == (0, f"{said}hint: git fetch --unshallow origin\n")
    git(part, "fetch", "-q", "--unshallow", "origin")
    assert decide("show", record, cwd=part).stderr == ""


def test_before_the_first_commit_there_are_none(tmp_path: Path, git: GitRunner, decide: Decide) -> None:
    """A log can be older than the code."""
    git(tmp_path, "init", "-q")
    decide("init", "--no-hooks", cwd=tmp_path)
    record = decide("ask", "First?", cwd=tmp_path).id

    assert linking(decide, record, cwd=tmp_path) == []


def test_other_formats_are_what_they_were(repo: Path, git: GitRunner, decide: Decide, record: str) -> None:
    """YAML and JSON lines are the record's own entries and nothing else."""
    before = [decide("show", record, "--format", form).stdout for form in ("yaml", "jsonl")]
    commit(repo, git, f"Decision: {record}")

    assert [decide("show", record, "--format", form).stdout for form in ("yaml", "jsonl")] == before
