"""Which remote shares the log, and what is said to it: always by the user's git, and never without an end."""

import math
import re
import termios
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import PurePath
from time import monotonic
from typing import Final

from gitdecide.errors import DecideError, NotFound
from gitdecide.git.run import Completed, Git, GitError
from gitdecide.store import layout

PATIENCE: Final = 120.0
"""Seconds that one exchange with a remote may take."""

PATIENCE_WITH_PEOPLE: Final = 60.0
"""Seconds that somebody gets to type a password, and the exchange after it to end."""

FETCH: Final = (
    "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
    "--no-auto-maintenance", "--no-filter", "--refmap=",
)  # fmt: skip
"""Fetches what is named and nothing else; every entry, also into a partial clone."""

PUSH: Final = (
    "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
)  # fmt: skip
"""Pushes what is named and nothing else, never by force, and runs no hook."""

UNSHALLOW: Final = "--depth=2147483646"
"""One less than what git takes for all: the code of a shallow clone stays as shallow as it is."""

_CREDENTIALS = re.compile(
    rb"could not read (Username|Password)|terminal prompts disabled|Authentication failed|error: 401"
    rb"|HTTP 401|Permission denied \(|Host key verification failed|unable to get password",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rb"error: 403|access denied|permission (to .* )?denied|not (allowed|permitted|enabled)|read.only"
    rb"|forbidden|exists; cannot create",
    re.IGNORECASE,
)
_OVERTAKEN = re.compile(
    rb"cannot lock ref|failed to update ref|fetch first|non-fast-forward|reference already exists"
    rb"|incorrect old value|stale info",
    re.IGNORECASE,
)
PUBLISH: Final = "your entries are kept here until somebody who may push brings them there"

_NO_SUCH_REF: Final = b"couldn't find remote ref"


class Unreachable(DecideError):
    """The remote could not be asked, or did not let us in."""


class Denied(DecideError):
    """The remote lets us read, and does not take what we push."""


class Overtaken(DecideError):
    """Somebody moved the log there, or its copy here, while we were at it."""


def choose(git: Git, named: str | None = None) -> str:
    """The remote to share the log with, as git chooses one. Raises NotFound, and DecideError for none."""
    remotes = [name for name in git.config_names("remote") if git.config(f"remote.{name}.url")]
    wanted = named or git.config("remote.pushDefault")
    if wanted and wanted not in remotes:
        raise NotFound(f"no remote of this name: {wanted}", hint="git remote -v lists them")
    if not remotes:
        raise DecideError("there is no remote to share the log with", hint="git remote add origin URL")
    usual = wanted or (remotes[0] if len(remotes) == 1 else _of_the_branch(git))
    found = next((name for name in (usual, "origin") if name in remotes), None)
    if found is None:
        problem = f"several remotes, and none is the usual one: {', '.join(sorted(remotes))}"
        raise DecideError(problem, hint="git decide sync REMOTE")
    return found


def _of_the_branch(git: Git) -> str | None:
    branch = git.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1)).stdout.decode().strip()
    return git.config(f"branch.{branch}.remote")


class Remote:
    """The log at one remote; `terminal` says whether somebody is there to type a password.

    After `until`, as `monotonic` counts, it is not waited for any longer.
    """

    def __init__(
        self, git: Git, name: str, ref: str, *, terminal: bool = False, until: float = math.inf
    ) -> None:
        self.git = git
        self.name = name
        self.address = name
        """What git is told; `name` is what people and the log are."""
        self.ref = ref
        self.terminal = terminal
        self.until = until
        self.fetched = f"{layout.REMOTES}/{name}/log"
        """The ref with the log as it was last fetched."""
        self.seen = f"{layout.SEEN}/{name}"
        """The ref with the log as sync last accepted it."""

    @property
    def line(self) -> str:
        """What `fetch` takes from the remote, and where it puts it: never where our log is."""
        if self.ref == layout.DEFAULT_REF:
            return f"+refs/decisions/*:{layout.REMOTES}/{self.name}/*"
        return f"+{self.ref}:{self.fetched}"

    def add_fetch_line(self) -> bool:
        """Make plain `git fetch` bring decisions; False when it does already."""
        key, line = f"remote.{self.name}.fetch", self.line
        lines = self.git.config_all(key)
        ours = [old for old in lines if old.partition(":")[2].startswith(f"{layout.REMOTES}/{self.name}/")]
        if ours == [line]:
            return False
        if ours:
            self.git.run("config", "--unset-all", key, f":{layout.REMOTES}/")
        self.git.run("config", "--add", key, line)
        return True

    def fetch(self, *more: str) -> None:
        """Bring what the remote has to where `fetched` reads it. Raises Unreachable, Overtaken."""
        try:
            self._talk(*FETCH, *more, "--", self.address, self.line)
        except GitError as error:
            if _NO_SUCH_REF in error.stderr:
                self.git.run("update-ref", "-d", "--", self.fetched)
            elif _OVERTAKEN.search(error.stderr):
                raise Overtaken(error.message) from error
            else:
                raise self._unreachable(error) from error

    def tip(self) -> str | None:
        """The log there at this moment, by the remote's own word. Raises Unreachable."""
        try:
            listed = self._talk("ls-remote", "--quiet", "--", self.address, self.ref).stdout
        except GitError as error:
            raise self._unreachable(error) from error
        named = dict(line.split(b"\t")[::-1] for line in listed.splitlines())
        found = named.get(self.ref.encode())
        return found.decode() if found else None

    def push(self, commit: str, *more: str) -> None:
        """Make this the log at the remote, no commit: none. Raises Overtaken, Denied, Unreachable."""
        # A mirror takes no refs by name.
        plain = ("-c", f"remote.{self.name}.mirror=false")
        try:
            done = self._talk(*plain, *PUSH, *more, "--", self.address, f"{commit}:{self.ref}", ok=(0, 1))
        except GitError as error:
            if _CREDENTIALS.search(error.stderr) or _DENIED.search(error.stderr):
                raise self._denied(error.message) from error
            raise self._unreachable(error) from error
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            if line.startswith("!"):
                raise self._rejected(line.split("\t")[-1], done.stderr)
        if done.code:
            raise self._unreachable(GitError(PUSH, done.code, done.stderr))

    def _rejected(self, summary: str, stderr: bytes) -> DecideError:
        """What it means that the push of our ref came back with this status."""
        told = summary.encode() + stderr
        if summary.startswith("[rejected]") or (_OVERTAKEN.search(told) and not _DENIED.search(told)):
            return Overtaken(f"somebody else keeps moving the log of {self.name}: {summary}")
        reason = summary.partition("(")[2].removesuffix(")") or summary
        said = re.findall(rb"^remote: (.*\S)", stderr, re.MULTILINE)
        if said:
            hint = "\n".join(line.decode("utf-8", "replace") for line in said)
        elif not self.ref.startswith("refs/heads/") and "unpacker" not in summary:  # which says: no room
            hint = "git config decide.ref refs/heads/decisions is for hosts that take branches alone"
        else:
            hint = PUBLISH
        return self._denied(reason, hint)

    def _denied(self, reason: str, hint: str = PUBLISH) -> Denied:
        return Denied(f"{self.name} does not take {self.ref}: {reason}", hint=hint)

    def _unreachable(self, error: GitError) -> Unreachable:
        if _CREDENTIALS.search(error.stderr):
            return Unreachable(
                f"{self.name} wants credentials: {error.message}",
                hint=f"git fetch {self.name} asks for them; git config credential.helper keeps them",
            )
        return Unreachable(f"cannot reach {self.name}: {error.message}", hint=error.hint)

    def _talk(self, *args: str, ok: tuple[int, ...] = (0,)) -> Completed:
        """One exchange: nobody is asked for anything, unless it fails for that and somebody is there."""
        try:
            return self._exchange(args, self._silent(), PATIENCE, ok)
        except GitError as error:
            if not (self.terminal and _CREDENTIALS.search(error.stderr)):
                raise
        silence = "wants credentials, and nobody gave them"
        with _terminal_kept():
            return self._exchange(args, {}, PATIENCE_WITH_PEOPLE, ok, silence)

    def _exchange(
        self,
        args: tuple[str, ...],
        environ: Mapping[str, str],
        patience: float,
        ok: tuple[int, ...],
        silence: str = "does not answer",
    ) -> Completed:
        if self.until < math.inf:
            patience = min(patience, math.ceil(max(0.0, self.until - monotonic())))
        try:
            return self.git.run(*args, environ=environ, timeout=patience, ok=ok)
        except GitError:
            raise
        except DecideError as error:
            patient = f"push {self.name} {self.ref}" if "push" in args else f"fetch {self.name}"
            raise Unreachable(
                f"{self.name} {silence}: {error.message}",
                hint=f"git {patient} waits for as long as you like",
            ) from error

    def _silent(self) -> dict[str, str]:
        """An environment in which git, its helpers and ssh ask nobody."""
        environ = {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
            "SSH_ASKPASS_REQUIRE": "never",
            "GCM_INTERACTIVE": "never",
        }
        ssh = self.git.environ.get("GIT_SSH_COMMAND") or self.git.config("core.sshCommand") or "ssh"
        if "GIT_SSH" not in self.git.environ and PurePath(ssh.split(" ")[0]).name == "ssh":
            environ["GIT_SSH_COMMAND"] = f"{ssh} -oBatchMode=yes -oConnectTimeout=30"
        return environ


@contextmanager
def _terminal_kept() -> Iterator[None]:
    """Leave the terminal as it was: a git that is ended while a password is typed leaves it mute."""
    kept = None
    with suppress(termios.error):
        kept = termios.tcgetattr(0)
    try:
        yield
    finally:
        if kept:
            termios.tcsetattr(0, termios.TCSADRAIN, kept)
