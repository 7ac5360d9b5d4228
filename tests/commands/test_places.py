"""Every kind of place that the program may be started in, and places where nothing can be written."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, assert_one_fault
from tests.conftest import Decide, Done, GitRunner, run_program

WORDS = [
    ("init",), ("ask", "Why?"), ("vote", "DR-1", "inform", "-m", "x"), ("check", "DR-1", "--", "true"),
    ("challenge", "DR-1", "x"), ("answer", "DR-1", "abcd", "accept", "-m", "x"),
    ("bind", "DR-1", "reject", "x"),
    ("supersede", "DR-1", "reject", "x", "-m", "y"), ("show",), ("list",), ("log",), ("actor", "list"),
    ("actor", "add", "bot"), ("actor", "whoami"),
]  # fmt: skip


@pytest.mark.parametrize("words", WORDS, ids=lambda words: "-".join(words[:2]))
def test_outside_of_a_repository_git_has_the_word(
    decide: Decide, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """No repository: git's own line, exit 3."""
    (tmp_path / "none").mkdir()
    done = decide(*words, cwd=tmp_path / "none", GIT_CEILING_DIRECTORIES=str(tmp_path))

    assert_one_fault(done, 3)
    assert done.stderr == "error: not a git repository (or any of the parent directories): .git\n"


def work(decide: Decide, cwd: Path, read: str) -> None:
    """Ask, vote, check, bind and show in a folder."""
    assert decide("init", "--no-hooks", cwd=cwd).exit_code == 0
    name = decide("ask", "Why?", cwd=cwd).id
    assert decide("vote", name, "inform", "-m", "x", "--read", read, cwd=cwd).exit_code == 0
    assert decide("check", name, "--", "true", cwd=cwd).exit_code == 0
    assert decide("bind", name, "adopt", "x", "--check", "last", cwd=cwd).exit_code == 0
    assert decide("show", cwd=cwd).stdout.splitlines()[1].startswith("decided")


def test_a_bare_repository(decide: Decide, repo: Path, tmp_path: Path, git: GitRunner) -> None:
    """Without a working tree everything but that works; a check has a commit and no folder."""
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare")
    work(decide, tmp_path / "bare", "src/app.py")

    stored = decide("show", "--format", "yaml", cwd=tmp_path / "bare").stdout
    assert "clean:" not in stored
    assert "cwd:" not in stored
    assert "commit: " in stored


def test_an_unborn_head(decide: Decide, tmp_path: Path, git: GitRunner) -> None:
    """Before the first commit decisions can be made."""
    git(tmp_path, "init", "-q", "new")
    (tmp_path / "new" / "a.py").write_text("")
    work(decide, tmp_path / "new", "a.py")


def test_a_sha256_repository(decide: Decide, tmp_path: Path, git: GitRunner) -> None:
    """Longer ids change nothing."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "new")
    (tmp_path / "new" / "a.py").write_text("")
    work(decide, tmp_path / "new", "a.py")


def test_a_folder_within_the_git_directory(decide: Decide, repo: Path) -> None:
    """Inside .git there is a log and no working tree."""
    work(decide, repo / ".git", "src/app.py")


def test_a_linked_worktree_has_the_same_log(
    decide: Decide, record: str, repo: Path, tmp_path: Path, git: GitRunner
) -> None:
    """One log per repository, seen from every worktree; HEAD is the worktree's own."""
    git(repo, "worktree", "add", "-q", str(tmp_path / "wt"), "-b", "feature")
    (tmp_path / "wt" / "new.py").write_text("")
    git(tmp_path / "wt", "add", ".")
    git(tmp_path / "wt", "commit", "-qm", "new")
    vote = decide("vote", record, "inform", "-m", "x", "--read", "new.py", cwd=tmp_path / "wt").id

    assert vote[:8] in decide("show", record).stdout
    assert "[fresh]" in decide("show", record, cwd=tmp_path / "wt").stdout
    assert "[gone]" in decide("show", record).stdout


def test_a_submodule_has_its_own_log(
    decide: Decide, record: str, repo: Path, tmp_path: Path, git: GitRunner
) -> None:
    """What is decided inside a submodule is not the superproject's."""
    git(repo, "clone", "-q", str(repo), str(tmp_path / "lib"))
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")

    work(decide, repo / "lib", "src/app.py")
    assert decide("list").stdout.count("\n") == 1


def test_git_finds_the_program(record: str, repo: Path, tmp_path: Path) -> None:
    """As `git decide` too, with git's own -C and -c."""
    program = tmp_path / "bin" / "git-decide"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m gitdecide "$@"\n')
    program.chmod(0o755)
    environ = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    words = ["git", "-C", str(repo / "src"), "-c", "advice.decide=false", "decide"]

    done = subprocess.run([*words, "show", "DR-9"], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "error: no decision record DR-9\n")
    listed = subprocess.run([*words, "list"], env=environ, capture_output=True, text=True, check=True)
    assert listed.stdout.startswith(record)


def test_a_gone_folder_is_named(record: str, tmp_path: Path) -> None:
    """Started in a folder that is no more, the program says so."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd {gone} && rmdir {gone} && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "-", sys.executable, "-m", "gitdecide", "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == "error: cannot read the current folder: No such file or directory\n"


def test_without_git_it_says_so(refuses: Refuses, repo: Path, tmp_path: Path, decide: Decide) -> None:
    """A git missing from the PATH is named."""
    done = decide("list", PATH=str(tmp_path))

    assert_one_fault(done, 3)
    assert done.stderr == "error: git is not installed, or not on the PATH\n"


def writes(repo: Path, *prefix: str) -> list[Done]:
    """How every writer of a record ends, run in a process of its own behind `prefix`."""
    ended = []
    for words in (
        ("ask", "Why?"), ("vote", "DR-1", "inform", "-m", "x"),
        ("check", "DR-1", "--report", "0", "-c", "true"),
        ("bind", "DR-1", "reject", "x", "--read", "src/app.py"), ("actor", "add", "bot"),
    ):  # fmt: skip
        command = [*prefix, sys.executable, "-m", "gitdecide", *words]
        done = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False)
        ended.append(Done(done.returncode, done.stdout, done.stderr))
    return ended


@pytest.fixture
def read_only(repo: Path) -> Iterator[Path]:
    """The repository, in which no folder can be written."""
    folders = [repo, *(folder for folder in repo.rglob("*") if folder.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield repo
    for folder in folders:
        folder.chmod(0o755)


def test_a_read_only_repository_is_read(
    record: str, read_only: Path, powerless: list[str], git: GitRunner
) -> None:
    """Every writer ends with one line and exit 3, the log stays, and readers work."""
    tip = git(read_only, "rev-parse", "refs/decisions/log")
    for done in writes(read_only, *powerless):
        assert_one_fault(done, 3)
        assert "permission" in done.stderr.lower()
    listed = subprocess.run(
        [*powerless, sys.executable, "-m", "gitdecide", "list"],
        cwd=read_only,
        capture_output=True,
        text=True,
        check=True,
    )

    assert listed.stdout.startswith(record)
    assert git(read_only, "rev-parse", "refs/decisions/log") == tip


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a small disk of its own, still empty."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_loses_nothing(decide: Decide, full_disk: Path, git: GitRunner) -> None:
    """Every writer ends with one line and exit 3; the log stays whole; with room again it goes on."""
    git(full_disk, "init", "-q", "--template=")
    (full_disk / "src").mkdir()
    (full_disk / "src" / "app.py").write_text("")
    decide("init", "--no-hooks", cwd=full_disk)
    decide("ask", "Room?", cwd=full_disk)
    tip = git(full_disk, "rev-parse", "refs/decisions/log")
    filler = full_disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)

    for done in writes(full_disk):
        assert_one_fault(done, 3)
    assert git(full_disk, "rev-parse", "refs/decisions/log") == tip
    assert decide("list", cwd=full_disk).exit_code == 0
    filler.unlink()
    assert git(full_disk, "fsck", "--strict") == ""
    assert decide("vote", "DR-1", "inform", "-m", "x", cwd=full_disk).exit_code == 0
    assert not list(full_disk.rglob("*.lock"))


def test_a_repository_of_somebody_else(record: str, repo: Path, git: GitRunner) -> None:
    """The advice of git about safe.directory is passed on, and helps."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(repo, 1234, 1234)
    os.chown(repo / ".git", 1234, 1234)
    done = run_program("list", cwd=repo)

    assert done.exit_code == 3
    assert done.stderr.startswith("error: detected dubious ownership in repository at")
    assert "hint: git config --global --add safe.directory" in done.stderr
    git(repo.parent, "config", "--global", "safe.directory", str(repo))
    assert run_program("list", cwd=repo).stdout.startswith(record)
