"""Real keys, made once, and repositories in which git signs with them."""

import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from gitdecide import cli
from gitdecide.app import App
from tests.bench.build import sealed_environ
from tests.conftest import Decide, Done, run_git

LOG: Final = "refs/decisions/log"
POLICY: Final = ".gitdecide.yaml"
BATCH: Final = """%no-protection
Key-Type: eddsa
Key-Curve: ed25519
Key-Usage: sign
Name-Real: Ada
Name-Email: ada@example.com
Expire-Date: 0
%commit
"""


class Keys(NamedTuple):
    """Ssh keys by name, and a gpg home with one key."""

    folder: Path
    openpgp: str
    """The fingerprint of the gpg key."""

    @property
    def gnupg(self) -> Path:
        """The gpg home."""
        return self.folder / "gnupg"

    def private(self, name: str) -> Path:
        """The file of a private key."""
        return self.folder / name

    def public(self, name: str) -> str:
        """A public key, as its file has it."""
        return (self.folder / f"{name}.pub").read_text().strip()

    def fingerprint(self, name: str) -> str:
        """What ssh-keygen calls a key."""
        asked = ["ssh-keygen", "-l", "-f", str(self.folder / f"{name}.pub")]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[1]


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keys]:
    """The keys that every test uses; nobody's agent outlives them."""
    missing = [name for name in ("ssh-keygen", "gpg", "gpgconf") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")
    folder = tmp_path_factory.mktemp("keys")
    home = folder / "gnupg"
    home.mkdir(mode=0o700)
    for name in ("ada", "ada-new", "mallory"):
        made = [
            "ssh-keygen",
            "-q",
            "-t",
            "ed25519",
            "-N",
            "",
            "-C",
            f"{name}'s laptop",
            "-f",
            str(folder / name),
        ]
        subprocess.run(made, check=True)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet"]
    subprocess.run([*gpg, "--gen-key"], input=BATCH.encode(), capture_output=True, check=True)
    listed = subprocess.run(
        [*gpg, "--list-keys", "--with-colons"], capture_output=True, text=True, check=True
    )
    lines = [line.split(":") for line in listed.stdout.splitlines()]
    yield Keys(folder, next(line[9] for line in lines if line[0] == "fpr"))
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=True)


class Signing:
    """A repository whose git signs with one key or another, and the program in it."""

    def __init__(self, path: Path, decide: Decide, keys: Keys) -> None:
        self.path = path
        self.keys = keys
        self._decide = decide

    def __call__(self, *args: str, **more: Any) -> Done:
        """Run git-decide here."""
        return self._decide(*args, cwd=self.path, **more)

    def ok(self, *args: str, **more: Any) -> str:
        """Standard output of git-decide, which must succeed."""
        done = self(*args, **more)
        assert done.exit_code == 0, done
        return done.stdout.strip()

    def git(self, *args: str) -> str:
        """Run git here; fails the test when it fails."""
        return run_git(self.path, *args)

    def sign(self, name: str | None) -> None:
        """Sign with an ssh key from now on, or with nothing."""
        self.git("config", "commit.gpgsign", "false" if name is None else "true")
        if name is not None:
            self.git("config", "gpg.format", "ssh")
            self.git("config", "user.signingkey", str(self.keys.private(name)))

    def policy(self, text: str = "signed: true\n") -> None:
        """Commit a policy."""
        (self.path / POLICY).write_text(text)
        self.git("add", POLICY)
        self.git("commit", "-q", "--no-gpg-sign", "--allow-empty", "--no-verify", "-m", "policy")

    def unasked(self, *args: str, key: str | None = None) -> str:
        """What git-decide adds without the policy, signed with a key or not: one id, else what it prints."""
        self.policy("signed: false\n")
        self.sign(key)
        added = self.ok(*args)
        self.policy()
        return added

    def vote(self, reason: str = "so it is", *more: str) -> str:
        """Vote in DR-1, verified; the id of the vote."""
        return self.ok(*self.voting(reason, *more))

    def voting(self, reason: str = "so it is", *more: str) -> tuple[str, ...]:
        """The words that vote in DR-1."""
        return ("vote", "DR-1", "support", "-m", reason, "--read", "path:src/app.py", *more)

    @property
    def tip(self) -> str:
        """The newest commit of the log."""
        return self.git("rev-parse", LOG)

    def shown(self, name: str = "DR-1") -> dict[str, Any]:
        """A record as `show` has it for programs, whether it is damaged or not."""
        return dict(json.loads(self("show", name, "--json").stdout))

    def uncounted(self, name: str = "DR-1") -> list[str]:
        """The ids of the entries that `show` says do not count."""
        return [entry["id"] for entry in self.shown(name)["entries"] if "unproved" in entry]

    def findings(self) -> list[dict[str, Any]]:
        """What fsck finds."""
        return list(json.loads(self("fsck", "--json").stdout)["findings"])


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory, keys: Keys) -> Path:
    """A repository with an open record, where Ada has a key, signs with it, and asks for signatures."""
    environ = sealed_environ(tmp_path_factory.mktemp("told-home"))
    path = tmp_path_factory.mktemp("told") / "repo"
    (path / "src").mkdir(parents=True)
    (path / "src" / "app.py").write_text("x = 1\n")
    (path / POLICY).write_text("signed: true\n")
    for words in ("init -q --template=", "add .", "commit -qm base"):
        subprocess.run(["git", *words.split()], cwd=path, env=environ, check=True)
    for said in (
        ("init", "--no-hooks"),
        ("ask", "Add it?"),
        ("actor", "add", "Ada", "--key", keys.public("ada")),
    ):
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert cli.run(App(environ, path), list(said)) == 0
    settings = ("gpg.format ssh", f"user.signingkey {keys.private('ada')}", "commit.gpgsign true")
    for setting in settings:
        subprocess.run(["git", "config", *setting.split(" ", 1)], cwd=path, env=environ, check=True)
    return path


@pytest.fixture
def ada(told: Path, tmp_path: Path, decide: Decide, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> Signing:
    """A copy of that repository."""
    monkeypatch.setenv("GNUPGHOME", str(keys.gnupg))
    shutil.copytree(told, tmp_path / "signed")
    return Signing(tmp_path / "signed", decide, keys)


@pytest.fixture
def processes(tmp_path: Path) -> Callable[..., list[str]]:
    """The commands of git that a run of the program starts."""

    def started(signing: Signing, *args: str) -> list[str]:
        trace = tmp_path / "processes"
        trace.unlink(missing_ok=True)
        signing.ok(*args, GIT_TRACE2_EVENT=str(trace))
        events = map(json.loads, trace.read_text().splitlines())
        return [" ".join(event["argv"][1:]) for event in events if event["event"] == "start"]

    return started


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """A program of a few lines of sh; its path."""
    number = iter(range(9))

    def written(text: str) -> str:
        file = tmp_path / f"script-{next(number)}"
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return str(file)

    return written
