"""What plumbing promises beyond the contract: processes that are few, and never hang or linger."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.errors import DecideError
from gitdecide.git import refs
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.objects import FILE_MODE, TREE_MODE, Objects, Signature, TreeEntry
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git, GitError

GitRunner = Callable[..., str]
ADA = Signature("Ada", "ada@example.com", 1_700_000_000, 0)


def opened(way: str, path: Path, **environ: str) -> Objects:
    git = Git(path, {**os.environ, **environ})
    return Plumbing(git) if way == "plumbing" else LibGit2(git, Repository.discover(git))


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def imitated(tmp_path: Path, text: str) -> Plumbing:
    """Plumbing on a git that does what a script says."""
    folder = script(tmp_path / "bin" / "git", text).parent
    return Plumbing(Git(tmp_path, {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}))


OID = "5" * 40


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "head -c1 >/dev/null",
        f"head -c1 >/dev/null; printf '{OID} bl'",
        f"head -c1 >/dev/null; [ $1 = mktree ] || printf '{OID} blob 100\\nshort'",
        "exec >&-",
        "exec <&-",
    ],
)
def test_a_git_that_dies_in_mid_sentence_is_an_error(answer: str, tmp_path: Path) -> None:
    """Its last words are the message, whenever it dies."""
    with imitated(tmp_path, f"{answer}\necho 'fatal: the disk is full' >&2\nexit 128") as objects:
        for ask in (
            lambda: objects.blob(OID),
            lambda: objects.resolve("x" * 1_000_000),
            lambda: objects.add_tree({}),
        ):
            with pytest.raises(GitError, match=r"^the disk is full$") as died:
                ask()
            assert died.value.exit == 3


def test_a_killed_reader_is_replaced(repo: Path) -> None:
    """The question that met the dead process fails, the next one is answered."""
    with opened("plumbing", repo) as objects:
        assert objects.resolve("HEAD")
        for child in children(os.getpid()):
            os.kill(child, signal.SIGKILL)
        with pytest.raises(GitError, match="signal 9"):
            objects.resolve("HEAD")
        assert objects.resolve("HEAD")


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_talkative_git_does_not_block(tmp_path: Path) -> None:
    """More on standard error than a pipe holds is read and kept from growing."""
    noise = "head -c 300000 /dev/zero | tr '\\0' x >&2"
    with imitated(tmp_path, f"read x; {noise}; printf '{OID} blob 2\\nok\\n'; read x") as objects:
        assert objects.blob(OID) == b"ok"


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
@pytest.mark.parametrize("length", [0, 1, 12, 40, 500, -1])
def test_an_object_cut_short_is_an_error(way: str, length: int, repo: Path) -> None:
    """A damaged object ends in an error of one line, not in a traceback, and not never."""
    data = random.Random(1).randbytes(2000)
    with opened(way, repo) as objects:
        oid = objects.add_blob(data)
        path = repo / ".git" / "objects" / oid[:2] / oid[2:]
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:length])
    with opened(way, repo) as objects, pytest.raises(DecideError, match=oid[2:]) as damaged:
        objects.blob(oid)
    assert "\n" not in damaged.value.message


PARENT = """
import os, sys, time
from pathlib import Path
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.run import Git

objects = Plumbing(Git(Path(sys.argv[1]), os.environ))
objects.resolve("HEAD")
objects.add_tree({})
print("ready", flush=True)
time.sleep(60)
"""


def test_a_killed_parent_leaves_no_children(repo: Path) -> None:
    """When git-decide is killed, its gits see the end of their input and go."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(repo)], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout
        assert parent.stdout.readline() == "ready\n"
        orphans = children(parent.pid)
        assert len(orphans) == 2
        parent.kill()
    assert eventually(lambda: not any(running(pid) for pid in orphans))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(500):
        if holds():
            return True
        time.sleep(0.01)
    return False


SIGNER = """cat >/dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo
echo '-----END PGP SIGNATURE-----'"""


@pytest.fixture(params=["plumbing", "libgit2"])
def signing(request: pytest.FixtureRequest, repo: Path, git: GitRunner, tmp_path: Path) -> tuple[str, Path]:
    """A way, and the script that signs in a repository where git would sign."""
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "gpg.program", str(tmp_path / "signer"))
    return request.param, tmp_path / "signer"


def test_commits_are_signed_where_git_would_sign(
    signing: tuple[str, Path], repo: Path, git: GitRunner
) -> None:
    """commit.gpgSign is followed, unless the commit must be the same everywhere."""
    script(signing[1], SIGNER)
    with opened(signing[0], repo) as objects:
        tree = objects.add_tree({})
        signed, plain = (objects.add_commit(tree, (), ADA, "x", ADA, sign=sign) for sign in (True, False))
        assert "BEGIN PGP" in git(repo, "cat-file", "commit", signed)
        assert "BEGIN PGP" not in git(repo, "cat-file", "commit", plain)
        assert objects.commit(signed)[1:] == objects.commit(plain)[1:]


def test_what_a_signer_says_is_no_part_of_the_commit_s_id(repo: Path, git: GitRunner, tmp_path: Path) -> None:
    """Git lets an ssh signer write where it writes the id."""
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "gpg.format", "ssh")
    git(repo, "config", "user.signingkey", str(tmp_path / "key"))
    git(repo, "config", "gpg.ssh.program", str(tmp_path / "signer"))
    (tmp_path / "key").touch()
    script(tmp_path / "signer", 'echo touch it; for file; do :; done; echo sealed > "$file.sig"')
    with opened("plumbing", repo) as objects:
        signed = objects.add_commit(objects.add_tree({}), (), ADA, "x")
    assert "sealed" in git(repo, "cat-file", "commit", signed)


def test_a_failing_signer_is_git_s_error(signing: tuple[str, Path], repo: Path) -> None:
    """Nothing is written unsigned when signing fails."""
    script(signing[1], "echo 'no secret key' >&2; exit 2")
    with (
        opened(signing[0], repo) as objects,
        pytest.raises(DecideError, match="gpg failed to sign the data") as refused,
    ):
        objects.add_commit(objects.add_tree({}), (), ADA, "x")
    assert refused.value.exit == 3


def test_a_hanging_signer_is_ended(signing: tuple[str, Path], repo: Path, tmp_path: Path) -> None:
    """A signer that waits for nobody is ended after its time, in exit code 3."""
    script(signing[1], f"echo $$ > {tmp_path}/pid; exec sleep 60")
    with opened(signing[0], repo) as objects:
        plumbing = objects.plumbing if isinstance(objects, LibGit2) else objects
        assert isinstance(plumbing, Plumbing)
        plumbing.timeout = 3
        with pytest.raises(DecideError, match=r"within 3 seconds$") as refused:
            objects.add_commit(objects.add_tree({}), (), ADA, "x")
    assert refused.value.exit == 3
    assert eventually(lambda: not running(int((tmp_path / "pid").read_text())))


def test_an_append_starts_five_processes(repo: Path, tmp_path: Path) -> None:
    """Reading, one blob, four trees, one commit and the move of the ref cost a process each."""
    git = Git(repo, {**os.environ, "GIT_TRACE2": str(tmp_path / "trace")})
    git.config("decide.ref")
    (tmp_path / "trace").unlink()
    with Plumbing(git) as objects:
        head = objects.resolve("HEAD")
        assert head
        tree = dict(objects.tree(objects.commit(head).tree))
        entry = TreeEntry(FILE_MODE, objects.add_blob(b"an entry"))
        for name in ("DR-001", "DR-0xxx", "decisions"):
            entry = TreeEntry(TREE_MODE, objects.add_tree({name: entry}))
        commit = objects.add_commit(objects.add_tree(tree | {"log": entry}), [head], ADA, "x")
    refs.move(git, "refs/decisions/log", commit, None, "x")
    assert (tmp_path / "trace").read_text().count(" start ") == 5


def test_plumbing_imports_nothing_heavy() -> None:
    """One-shot commands pay for git, not for libraries they do not use."""
    heavy = {
        "pygit2",
        "yaml",
        "msgspec",
        "jinja2",
        "sqlite3",
        "click",
        "asyncio",
        "tempfile",
        "urllib.request",
    }
    code = "import sys, gitdecide.git.plumbing, gitdecide.git.refs, gitdecide.git.repository; "
    code += "print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not heavy & set(loaded)


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
def test_a_shared_repository_stays_shared(way: str, repo: Path, git: GitRunner) -> None:
    """New object folders are writable for the group where core.sharedRepository says so."""
    git(repo, "config", "core.sharedRepository", "group")
    with opened(way, repo) as objects:
        oid = objects.add_blob(b"shared")
    assert (repo / ".git" / "objects" / oid[:2]).stat().st_mode & 0o2070 == 0o2070


WRITE_ONE: str = """
import os, pathlib, sys
from gitdecide.errors import DecideError
from tests.git.test_plumbing import opened
with opened(sys.argv[1], pathlib.Path.cwd()) as objects:
    try:
        objects.add_blob(b"new")
    except DecideError as error:
        sys.exit(error.message)
"""


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
def test_a_read_only_repository_is_said_so(way: str, repo: Path, powerless: list[str]) -> None:
    """Writing where nobody may ends in an error that says that."""
    for folder in (repo / ".git" / "objects").iterdir():
        folder.chmod(0o555)
    (repo / ".git" / "objects").chmod(0o555)
    top = str(Path(__file__).parents[2])
    done = subprocess.run(
        [*powerless, sys.executable, "-c", WRITE_ONE, way],
        cwd=repo, env={**os.environ, "PYTHONPATH": top}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert re.fullmatch(r".*(insufficient permission|Permission denied).*\n", done.stderr)


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
def test_objects_in_quarantine_are_seen(way: str, repo: Path, git: GitRunner, tmp_path: Path) -> None:
    """In a hook of a push, objects are read from and written to where git keeps them for now."""
    quarantine = tmp_path / "incoming"
    quarantine.mkdir()
    environ = {
        "GIT_OBJECT_DIRECTORY": str(quarantine),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repo / ".git" / "objects"),
    }
    with opened("plumbing", repo, **environ) as pushed:
        incoming = pushed.add_blob(b"incoming")
    with opened(way, repo, **environ) as objects:
        assert objects.blob(incoming) == b"incoming"
        assert objects.resolve("HEAD:src/app.py")
        written = objects.add_blob(b"written")
    assert (quarantine / written[:2] / written[2:]).exists()
