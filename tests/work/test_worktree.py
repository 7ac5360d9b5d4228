"""The throwaway worktree: what it has of the user's repository, what never gets back, and that it goes."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from gitdecide.git.repository import Repository
from gitdecide.git.run import Git, GitError
from gitdecide.work import worktree
from tests.conftest import GitRunner

MEDDLING = (
    "echo 'x = 9' > src/app.py; git add -A; git stash -q; git stash list; git tag mine;"
    " git config user.name Eve; git update-ref refs/heads/mine HEAD; git branch other;"
    " git commit -q --allow-empty -m mine; git worktree add -q ../beside;"
    " git reflog expire --all --expire=now; git gc -q --prune=now"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that TMPDIR names: spaces, umlauts and quotes in it are nobody's fault."""
    folder = tmp_path / 'tmp "für" uns'
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture(autouse=True)
def nothing_left(temporary: Path) -> Iterator[None]:
    """Every test ends with nothing of ours in the temporary folder."""
    yield
    assert list(temporary.iterdir()) == []


def throw(place: Path, revision: str = "HEAD", *, symlinks: bool = True) -> AbstractContextManager[Git]:
    """A throwaway worktree of the repository at `place`."""
    git = Git(place, os.environ)
    commit = git.text("rev-parse", f"{revision}^{{commit}}")
    return worktree.throwaway(git, Repository.discover(git), commit, symlinks=symlinks)


def run(inside: Git, script: str) -> str:
    """What a script prints in the worktree; fails the test when it fails."""
    done = subprocess.run(
        ["sh", "-ec", script], cwd=inside.cwd, env=inside.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def everything(repo: Path) -> dict[str, bytes]:
    """Every file of a repository, its working tree included, byte for byte."""
    return {str(file): file.read_bytes() for file in repo.rglob("*") if file.is_file()}


def test_it_is_the_tree_of_a_commit_and_nothing_else(repo: Path, git: GitRunner, temporary: Path) -> None:
    """At the commit that was asked for, without what is not committed, in the folder that TMPDIR names."""
    (repo / "src" / "app.py").write_text("x = 2\n")
    git(repo, "commit", "-qam", "two")
    (repo / "src" / "app.py").write_text("x = 3\n")
    (repo / "untracked").touch()

    with throw(repo, "HEAD~1") as inside:
        assert inside.cwd.is_relative_to(temporary)
        assert (
            run(inside, "git status --porcelain; git log --format=%s; cat src/app.py; ls")
            == "base\nx = 1\nsrc"
        )


def test_nothing_that_runs_in_it_reaches_the_user(repo: Path, git: GitRunner) -> None:
    """Checkout, index, refs, stash, reflogs, objects and configuration are byte for byte as before."""
    (repo / "src" / "app.py").write_text("x = 2\n")
    (repo / "untracked").touch()
    before = everything(repo)

    with throw(repo) as inside:
        assert run(inside, MEDDLING).startswith("stash@{0}")

    assert everything(repo) == before


def test_a_search_of_the_tree_does_not_come_upon_the_settings(repo: Path, git: GitRunner) -> None:
    """The address of a remote may hold a password."""
    git(repo, "remote", "add", "origin", "https://ada:secret@example.com/r.git")

    with throw(repo) as inside:
        assert run(inside, "git remote get-url origin") == "https://ada:secret@example.com/r.git"
        assert run(inside, "grep -r secret . || echo none") == "none"


@pytest.mark.parametrize("kind", ["sha256", "linked", "bare", "odd path", "borrowed", "shallow", "sparse"])
def test_every_kind_of_repository_has_one(repo: Path, git: GitRunner, kind: str) -> None:
    """Also one that itself borrows objects, lies at an odd path, or is not all there."""
    place = repo.parent / 'Größe "q" \\ x'
    match kind:
        case "sha256":
            git(repo.parent, "init", "-q", "--object-format=sha256", str(place))
            shutil.copytree(repo / "src", place / "src")
            git(place, "add", ".")
            git(place, "commit", "-qm", "base")
        case "linked":
            git(repo, "worktree", "add", "-q", "--detach", str(place))
        case "bare":
            git(repo.parent, "clone", "-q", "--bare", str(repo), str(place))
        case "borrowed":
            git(repo.parent, "clone", "-q", "--shared", str(repo), str(place))
        case "shallow":
            git(repo, "commit", "-q", "--allow-empty", "-m", "two")
            git(repo.parent, "clone", "-q", "--depth=1", repo.as_uri(), str(place))
        case "sparse":
            git(repo.parent, "clone", "-q", "--sparse", str(repo), str(place))
            assert not (place / "src").exists()
        case _:
            git(repo.parent, "clone", "-q", str(repo), str(place))

    with throw(place) as inside:
        assert run(
            inside, "git fsck --no-dangling 2>&1; git log --format=%s | tail -1; cat src/app.py"
        ).endswith("x = 1")


def test_what_a_partial_clone_lacks_is_fetched(repo: Path, git: GitRunner) -> None:
    """Blobs come from the promisor remote, relative to the user's folder, and the clone keeps none."""
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(repo.parent, "clone", "-q", "--no-checkout", "--filter=blob:none", repo.as_uri(), "part")
    part = repo.parent / "part"
    git(part, "config", "remote.origin.url", "../repo")
    before = everything(part)

    with throw(part) as inside:
        assert run(inside, "cat src/app.py") == "x = 1"

    assert everything(part) == before


@pytest.mark.parametrize("scope", ["--local", "--worktree", "include", "command"])
def test_line_endings_and_filters_are_the_users(
    repo: Path, git: GitRunner, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the user's repository keeps the settings, and attributes beside the tree's."""
    settings = {"core.autocrlf": "true", "filter.up.smudge": "tr a-z A-Z", "filter.up.clean": "tr A-Z a-z"}
    git(repo, "config", "extensions.worktreeConfig", "true")
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)) if scope == "command" else "0")
    for number, (key, value) in enumerate(settings.items()):
        if scope == "command":
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
        else:
            git(repo, "config", *(["--file", ".git/more"] if scope == "include" else [scope]), key, value)
    git(repo, "config", "include.path", "more")
    (repo / ".git" / "info" / "attributes").write_text("*.up filter=up\n")
    (repo / "shout.up").write_text("hey\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "filtered")

    with throw(repo) as inside:
        assert (inside.cwd / "shout.up").read_bytes() == b"HEY\r\n"
        assert (inside.cwd / "src" / "app.py").read_bytes() == b"x = 1\r\n"
        assert run(inside, "git status --porcelain") == ""


@pytest.mark.parametrize("remote", [None, "origin", "elsewhere"])
def test_submodules_are_found_from_where_the_user_is(repo: Path, git: GitRunner, remote: str | None) -> None:
    """A relative address counts from the remote's, or without one from the user's repository."""
    git(repo.parent, "clone", "-q", str(repo), "sub")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../sub", "lib")
    git(repo, "commit", "-qm", "sub")
    git(repo, "submodule", "--quiet", "deinit", "-f", "lib")
    if remote:
        git(repo, "remote", "add", remote, str(repo))
        git(repo, "config", "branch.main.remote", remote)
    git(repo, "config", "submodule.recurse", "true")

    with throw(repo) as inside:
        assert run(inside, "git submodule --quiet update --init; cat lib/src/app.py") == "x = 1"

    assert not (repo / "lib" / "src").exists()


def test_the_origin_that_we_lend_takes_no_push(repo: Path) -> None:
    """Where the user has no remote, ours leads to the user's repository, and only one way."""
    with throw(repo) as inside:
        assert run(inside, "git push -q origin HEAD:refs/heads/evil 2>&1 || echo refused").endswith("refused")


def test_hooks_do_not_run_in_it(repo: Path, git: GitRunner, sealed: Path) -> None:
    """Neither the user's own, from whichever configuration, nor a template's."""
    hooks = sealed / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit"):
        (hooks / name).write_text("#!/bin/sh\ntouch ran\n")
        (hooks / name).chmod(0o755)
    git(repo, "config", "--global", "core.hooksPath", str(hooks))
    git(repo, "config", "core.hooksPath", str(hooks))
    git(repo, "config", "--global", "hook.a mark.command", "touch ran")
    for name in ("post-checkout", "pre-commit"):
        git(repo, "config", "--global", "--add", "hook.a mark.event", name)

    with throw(repo) as inside:
        run(inside, "git commit -q --allow-empty -m x")
        assert not (inside.cwd / "ran").exists()


def test_symlinks_lead_nowhere_when_they_must_not(repo: Path, git: GitRunner) -> None:
    """They are plain files then, and the tree is still clean."""
    (repo / "out").symlink_to("/etc/hostname")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "link")

    with throw(repo) as inside:
        assert (inside.cwd / "out").is_symlink()
    with throw(repo, symlinks=False) as inside:
        assert (inside.cwd / "out").read_text() == "/etc/hostname"
        assert run(inside, "git status --porcelain") == ""


def test_the_variables_of_a_hook_do_not_lead_back(
    repo: Path, git: GitRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a hook git names the user's repository to all that it starts."""
    monkeypatch.setenv("GIT_DIR", str(repo / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo / ".git" / "index"))
    before = everything(repo)

    with throw(repo) as inside:
        assert run(inside, "git rm -q src/app.py; git rev-parse --absolute-git-dir") == str(
            inside.cwd.parent / "repository"
        )

    assert everything(repo) == before


def test_without_its_repository_the_tree_is_in_none(repo: Path, git: GitRunner, temporary: Path) -> None:
    """Though the temporary folder may lie within one of the user's."""
    git(temporary.parent, "init", "-q")

    with throw(repo) as inside:
        assert run(inside, "rm .git; git rev-parse --git-dir 2>&1 || echo none").endswith("none")


def test_what_is_read_only_in_it_goes_too(repo: Path) -> None:
    """Folders without rights, and links out of the tree that must not be followed."""
    outside = repo.parent / "outside"
    outside.mkdir(mode=0o500)
    with throw(repo) as inside:
        run(
            inside,
            f"mkdir -p a/b; touch a/b/c; ln -s '{outside}' a/out; chmod 0 a/b/c a/b; chmod 500 a . ..",
        )

    assert outside.stat().st_mode & 0o777 == 0o500


def test_a_process_that_lives_on_does_not_keep_it(repo: Path) -> None:
    """What is still writing to the folder loses it."""
    with throw(repo) as inside:
        script = "i=0; while [ $i -lt 60 ]; do i=$((i+1)); mkdir -p d && echo x > d/$i; sleep 0.003; done"
        living = subprocess.Popen(["sh", "-c", script], cwd=inside.cwd, stderr=subprocess.DEVNULL)

    living.wait()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_it_goes_however_it_ends(repo: Path, error: type[BaseException]) -> None:
    """Whatever is raised in it is raised out of it."""
    with pytest.raises(error), throw(repo):
        raise error


def test_what_cannot_be_checked_out_leaves_nothing(repo: Path, git: GitRunner) -> None:
    """Git's own words, and the folder is gone."""
    here = Git(repo, os.environ)

    with pytest.raises(GitError), worktree.throwaway(here, Repository.discover(here), "0" * 40):
        pytest.fail("there is no such commit")


def test_two_at_once_do_not_meet(repo: Path) -> None:
    """What is in use is nobody else's to sweep."""
    with throw(repo) as one, throw(repo) as other:
        assert one.cwd != other.cwd
        worktree.sweep()
        assert run(one, "cat src/app.py") == run(other, "cat src/app.py") == "x = 1"


def test_where_nothing_can_be_locked_it_works_without(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody sweeps, who could not know what is in use."""

    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)

    with throw(repo) as inside:
        worktree.sweep()
        assert run(inside, "cat src/app.py") == "x = 1"


VICTIM = """
import os, sys, time
from pathlib import Path
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work.worktree import throwaway
git = Git(Path(sys.argv[1]), os.environ)
with throwaway(git, Repository.discover(git), git.text("rev-parse", "HEAD")) as inside:
    print(inside.cwd, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def victim(repo: Path) -> Callable[[int], tuple[int, Path]]:
    """A process that is ended by a signal in the midst of it: how it ended, and where its tree was."""

    def end(signum: int) -> tuple[int, Path]:
        process = subprocess.Popen(
            [sys.executable, "-c", VICTIM, str(repo)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        with process:
            assert process.stdout
            tree = Path(os.fsdecode(process.stdout.readline().strip()))
            assert tree.is_dir()
            process.send_signal(signum)
        return process.returncode, tree

    return end


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(victim: Callable[[int], tuple[int, Path]], signum: int) -> None:
    """The folder is gone, and the process dies of the signal."""
    code, tree = victim(signum)

    assert code == -signum
    assert not tree.parent.exists()


def test_what_a_killed_run_left_is_swept_by_the_next(
    repo: Path, victim: Callable[[int], tuple[int, Path]]
) -> None:
    """Nobody cleans up after SIGKILL but the one who comes after."""
    _, tree = victim(signal.SIGKILL)
    assert tree.is_dir()
    (tree.parent / "beside").mkdir()  # a check may write there

    with throw(repo):
        assert not tree.parent.exists()


ELSEWHERE = """
import os, sys, time
try:
    os.chroot(sys.argv[1])
except PermissionError:
    sys.exit()
print(flush=True)
time.sleep(60)
"""


def test_what_runs_under_another_root_is_left_alone(repo: Path, temporary: Path, tmp_path: Path) -> None:
    """There the folder may be where here is none; without the right to chroot there is nothing to try."""
    environ = {**os.environ, worktree.MARK: str(temporary / f"{worktree.PREFIX}there")}
    words = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    with subprocess.Popen(words, env=environ, stdout=subprocess.PIPE) as process:
        assert process.stdout
        if not process.stdout.readline():
            pytest.skip("only root may chroot")
        with throw(repo):
            assert process.poll() is None
        process.kill()


def test_only_ours_is_swept(temporary: Path, tmp_path: Path) -> None:
    """A folder with other things in it, a link, a file, and one that is in use stay."""
    foreign, link, file, used, empty = (temporary / f"{worktree.PREFIX}{name}" for name in "abcde")
    (foreign / "mine").mkdir(parents=True)
    (foreign / "tree").mkdir()
    link.symlink_to(tmp_path)
    file.touch()
    used.mkdir()
    empty.mkdir()
    handle = os.open(used, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)

    worktree.sweep()

    assert sorted(temporary.iterdir()) == [foreign, link, file, used]
    os.close(handle)
    shutil.rmtree(foreign)
    link.unlink()
    file.unlink()
    used.rmdir()
