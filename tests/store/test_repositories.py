import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.names import RecordName
from gitdecide.errors import CANNOT
from gitdecide.store.log import Log

Ask = Callable[..., RecordName]
Git = Callable[..., str]


def linked_worktree(git: Git, repo: Path) -> Path:
    git(repo, "worktree", "add", "-q", "../linked")
    return repo.parent / "linked"


def bare(git: Git, repo: Path) -> Path:
    git(repo.parent, "clone", "-q", "--bare", "repo", "bare.git")
    return repo.parent / "bare.git"


def submodule(git: Git, repo: Path) -> Path:
    git(repo.parent, "init", "-q", "outer")
    git(repo.parent / "outer", "submodule", "--quiet", "add", str(repo), "inner")
    return repo.parent / "outer" / "inner"


def sha256(git: Git, repo: Path) -> Path:
    git(repo.parent, "init", "-q", "--object-format=sha256", "long")
    return repo.parent / "long"


def configured(*settings: str) -> Callable[[Git, Path], Path]:
    def configure(git: Git, repo: Path) -> Path:
        for setting in settings:
            git(repo, "config", *setting.split("="))
        return repo

    return configure


PLACES = {
    "worktree": linked_worktree,
    "bare": bare,
    "submodule": submodule,
    "sha256": sha256,
    "branch": configured("decide.ref=refs/heads/decisions"),
    "latin1": configured("i18n.commitEncoding=latin1", "i18n.logOutputEncoding=latin1"),
    "shared": configured("core.sharedRepository=group", "core.fsync=all"),
    "packed": configured("gc.auto=1", "core.compression=9"),
}


@pytest.mark.parametrize("kind", PLACES)
def test_every_kind_of_repository_holds_a_log(
    decide: Callable[..., Any], repo: Path, git: Git, kind: str
) -> None:
    """Begun, written and read by the same commands, clean for git, with the same words in UTF-8."""
    place = PLACES[kind](git, repo)
    ref = "refs/heads/decisions" if kind == "branch" else "refs/decisions/log"
    assert decide("init", "--no-hooks", cwd=place).exit_code == 0
    name = decide("ask", "Größe 決定?", cwd=place).id
    vote = decide("vote", name, "support", "-m", "wörtlich", "--as", "Jürgen", cwd=place).id

    shown = decide("show", "DR-1", "--format", "yaml", cwd=place)

    assert (shown.exit_code, shown.stderr) == (0, "")
    assert "Größe 決定?" in shown.stdout
    assert vote in decide("show", name, "--json", cwd=place).stdout
    assert git(place, "fsck", "--strict", "--no-dangling") == ""
    assert git(place, "rev-list", "--count", ref) == "3"
    raw = subprocess.run(
        ["git", "cat-file", "commit", ref], cwd=place, capture_output=True, check=True
    ).stdout
    assert "author Jürgen <J%C3%BCrgen@actor.invalid>".encode() in raw
    assert raw.endswith("\n\nDR-001 vote: support_unverified by Jürgen\n\nwörtlich\n".encode())
    assert b"\nencoding " not in raw


def test_worktrees_share_one_log(decide: Callable[..., Any], log: None, repo: Path, git: Git) -> None:
    """What was said in a linked worktree is read in the main one, and the other way round."""
    linked = linked_worktree(git, repo)
    name = decide("ask", "From here?", cwd=linked).id
    vote = decide("vote", name, "inform", "-m", "from there").id

    assert vote in decide("show", name, "--json", cwd=linked).stdout


def test_a_submodule_has_a_log_of_its_own(decide: Callable[..., Any], repo: Path, git: Git) -> None:
    """Nothing is written to the repository around a submodule."""
    inner = submodule(git, repo)
    assert decide("init", "--no-hooks", cwd=inner).exit_code == 0

    assert git(inner.parent, "for-each-ref", "refs/decisions") == ""
    assert decide("list", cwd=inner.parent).exit_code == CANNOT


def test_the_numbers_of_fetched_logs_are_taken(
    decide: Callable[..., Any], repo: Path, git: Git, store: Log, ask: Ask
) -> None:
    """A new record gets a number that no remote has given, whatever else lies beside the fetched logs."""
    before = store.tip()
    ask(store, 41)
    git(repo, "update-ref", "refs/decisions-remotes/origin/log", store.ref)
    git(repo, "update-ref", "refs/decisions-remotes/origin/other", "main")
    git(repo, "update-ref", "refs/decisions-remotes/second/blob", git(repo, "rev-parse", "main:src/app.py"))
    git(repo, "update-ref", store.ref, str(before))

    assert decide("ask", "The next?").id.startswith("DR-042-")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signs with ssh-keygen")
def test_entries_are_signed_where_git_signs(
    decide: Callable[..., Any], repo: Path, git: Git, tmp_path: Path
) -> None:
    """commit.gpgSign signs every entry and never the root, which is the same everywhere."""
    key = tmp_path / "key"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada@example.com", "-f", key], check=True
    )
    (tmp_path / "allowed").write_text(f"ada@example.com {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "commit.gpgSign": "true", "gpg.format": "ssh", "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(tmp_path / "allowed"),
    }.items():  # fmt: skip
        git(repo, "config", name, value)
    decide("init", "--no-hooks")
    decide("ask", "Sign it?")

    assert git(repo, "log", "--format=%G?", "refs/decisions/log").splitlines() == ["G", "N"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="signs with ssh-keygen")
def test_a_failed_signature_leaves_the_log_unchanged(
    decide: Callable[..., Any], log: None, repo: Path, git: Git
) -> None:
    """Nothing unsigned enters where everything is signed."""
    tip = git(repo, "rev-parse", "refs/decisions/log")
    for name, value in {
        "commit.gpgSign": "true",
        "gpg.format": "ssh",
        "user.signingKey": "/nowhere/key",
    }.items():
        git(repo, "config", name, value)

    refused = decide("ask", "Sign it?")

    assert (refused.exit_code, refused.stdout) == (CANNOT, "")
    assert refused.stderr.startswith("error: ")
    assert git(repo, "rev-parse", "refs/decisions/log") == tip
