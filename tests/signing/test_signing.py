"""Writing where git signs: every commit of the log is signed as git would, or nothing is written."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.git.plumbing import Plumbing
from tests.conftest import GitRunner, run_git
from tests.signing.conftest import LOG, Signing

WORDS = {
    "ask": ("ask", "Why?"),
    "vote": ("vote", "DR-1", "inform", "-m", "looked", "--read", "path:src/app.py"),
    "check": ("check", "DR-1", "--", "true"),
    "bind": ("bind", "DR-1", "reject", "no", "--read", "path:src/app.py"),
    "actor": ("actor", "add", "bob"),
}


@pytest.fixture
def plain(ada: Signing) -> Signing:
    """The same without a policy that asks for signatures."""
    ada.policy("signed: false\n")
    return ada


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("form", ["openpgp", "ssh"])
def test_a_failing_signer_leaves_the_log_unchanged(plain: Signing, form: str, words: tuple[str, ...]) -> None:
    """Exit 3, one line that says signing failed, for every command alike; nothing is written unsigned."""
    plain.git("config", "gpg.format", form)
    plain.git("config", "gpg.program" if form == "openpgp" else "gpg.ssh.program", "false")
    before = plain.git("for-each-ref")

    done = plain(*words)

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("error: signing failed: "), done.stderr
    assert plain.git("for-each-ref") == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gpg.ssh.program": "/nonexistent"}, r"cannot (run|exec) '?/nonexistent'?: No such file"),
        ({"user.signingkey": "/nonexistent"}, "Couldn't load public key /nonexistent"),
        ({"gpg.format": "openpgp", "gpg.program": "/nonexistent"}, r"cannot (run|exec) '?/nonexistent"),
    ],
)
def test_the_cause_of_a_failure_is_named(plain: Signing, settings: dict[str, str], said: str) -> None:
    """A signer or a key that is not there is named, not only that signing failed."""
    for key, value in settings.items():
        plain.git("config", key, value)
    done = plain(*WORDS["vote"])

    assert done.exit_code == 3
    assert re.match(f"error: signing failed: {said}", done.stderr), done.stderr


def test_no_identity_is_not_taken_for_a_failed_signature(plain: Signing, sealed: Path) -> None:
    """What fails before anything is signed is said in git's own words."""
    plain.git("config", "user.useConfigOnly", "true")
    (sealed / ".gitconfig").write_text("")
    done = plain(*WORDS["vote"], GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.com")

    assert done.exit_code == 3
    assert done.stderr.startswith("error: no email was given and auto-detection is disabled"), done.stderr


def test_a_hanging_signer_is_ended_within_a_limit(
    plain: Signing, script: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It and what it started are gone, the log is unchanged, and the lock is free again."""
    monkeypatch.setattr("gitdecide.git.plumbing.SIGNING", 3)
    plain.git("config", "gpg.ssh.program", script(f"sleep 60 & echo $! >{tmp_path}/pid; wait"))
    before = plain.tip

    done = plain(*WORDS["vote"])

    assert done.exit_code == 3
    assert done.stderr.startswith("error: signing failed: git commit-tree did not end within 3 seconds")
    assert plain.tip == before
    assert ended(int((tmp_path / "pid").read_text()))
    plain.git("config", "--unset", "gpg.ssh.program")
    plain.ok(*WORDS["vote"])


def ended(pid: int) -> bool:
    """True once a process is gone, or is nobody's and waits to be buried."""
    for _ in range(1000):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("form", ["ssh", "openpgp"])
def test_log_commits_pass_git_s_own_verification(
    plain: Signing, form: str, tmp_path: Path, git: GitRunner
) -> None:
    """All but the root that is the same everywhere: `git verify-commit` agrees."""
    plain.git("config", "gpg.format", form)
    plain.git("config", "user.signingkey", signer(plain, form))
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ada@example.com {plain.keys.public('ada')}\n")
    before = plain.tip
    for words in WORDS.values():
        plain.ok(*words)

    made = plain.git("rev-list", f"{before}..{LOG}").split()
    assert len(made) == len(WORDS)
    git(plain.path, "-c", f"gpg.ssh.allowedSignersFile={allowed}", "verify-commit", *made)


def signer(signing: Signing, form: str) -> str:
    return signing.keys.openpgp if form == "openpgp" else str(signing.keys.private("ada"))


def test_certificates_sign_through_git(plain: Signing, script: Callable[[str], str]) -> None:
    """gpg.format x509 starts gpg.x509.program, and the commit carries what that made."""
    made = script(
        "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2\n"
        "printf -- '-----BEGIN SIGNED MESSAGE-----\\nx\\n-----END SIGNED MESSAGE-----\\n'"
    )
    plain.git("config", "gpg.format", "x509")
    plain.git("config", "gpg.x509.program", made)
    plain.ok(*WORDS["vote"])

    assert "BEGIN SIGNED MESSAGE" in plain.git("cat-file", "commit", LOG)


@pytest.mark.parametrize("works", [True, False])
def test_merges_of_a_sync_are_signed_or_not_made(
    plain: Signing, tmp_path: Path, decide: Callable[..., object], works: bool
) -> None:
    """A sync that merges keeps the same rule: a failing signer is exit 3, and neither side changes."""
    run_git(tmp_path, "init", "-q", "--bare", "hub.git")
    plain.git("remote", "add", "origin", "../hub.git")
    plain.sign(None)
    plain.ok("sync")
    run_git(tmp_path, "clone", "-q", "hub.git", "two")
    two = Signing(tmp_path / "two", plain._decide, plain.keys)
    two.ok("init", "--no-hooks")
    two.ok("ask", "Theirs?")
    two.ok("sync")
    plain.ok("ask", "Ours?")
    plain.sign("ada")
    plain.git("config", "gpg.ssh.program", "ssh-keygen" if works else "false")
    before, there = plain.tip, run_git(tmp_path / "hub.git", "rev-parse", LOG)

    done = plain("sync")

    if works:
        assert done.exit_code == 0, done
        assert "BEGIN SSH SIGNATURE" in plain.git("cat-file", "commit", LOG)
        assert plain.git("rev-parse", f"{LOG}^1") == there
    else:
        assert done.exit_code == 3
        assert "error: signing failed: " in done.stderr
        assert (plain.tip, run_git(tmp_path / "hub.git", "rev-parse", LOG)) == (before, there)


def test_the_root_is_the_same_with_and_without_a_signer(plain: Signing, tmp_path: Path) -> None:
    """Where git signs, the first commit of a log is still everybody's."""
    run_git(tmp_path, "init", "-q", "other")
    other = Signing(tmp_path / "other", plain._decide, plain.keys)
    other.sign("ada")
    other.ok("init", "--no-hooks")

    assert other.tip == plain.git("rev-list", "--max-parents=0", LOG)


def test_a_limit_of_a_minute_is_time_for_a_person(repo: Path) -> None:
    """Whoever types a passphrase gets a minute; the terminal stays theirs, in the same session."""
    from gitdecide.git.run import Git

    objects = Plumbing(Git(repo, os.environ))

    assert objects.timeout == 60
    with objects.git.start("version") as process:
        assert os.getsid(process.pid) == os.getsid(0)
        assert os.getpgid(process.pid) == os.getpgid(0)
