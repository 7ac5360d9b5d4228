"""Whose key a commit is signed with, as git verifies it."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from gitdecide.errors import Damaged
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.run import Git, GitError

VALID: Final = "GUY"
"""Git's letters for a valid signature, whether or not somebody trusts the key, or it ended since."""

_FORM: Final = (
    "--no-walk=unsorted",
    "--stdin",
    "--no-show-signature",
    "--no-color",
    "--format=%H%x1f%G?%x1f%GF%x1f%GP%x1f%GK",
)
_UNABLE: Final = ("cannot run", "cannot exec", "is needed for ssh signature")
"""What git says without a program to verify: the signature itself then looks like none, or a bad one."""


class Unverifiable(Damaged):
    """Signatures are asked for, and nothing here can verify them."""


class Seal(NamedTuple):
    """What git found of a commit's signature: its letter, and the fingerprints of the key and its primary."""

    letter: str
    keys: frozenset[str] = frozenset()
    key: str = ""

    def against(self, actor: str) -> str:
        """Why it does not stand for an actor who has other keys."""
        if self.letter in VALID:
            return f"its commit is signed with {self.key}, which is no key of {actor}"
        if self.letter == "N":
            return f"its commit is not signed, and {actor} has a key"
        if self.letter == "E":
            return f"its commit is signed with {self.key}, and git does not have that key here to verify it"
        return f"the signature of its commit is not valid, and {actor} has a key"


def seals(git: Git, commits: Iterable[str], ssh_keys: Iterable[str]) -> dict[str, Seal]:
    """What many commits are signed with, in one go. Raises Unverifiable."""
    from tempfile import NamedTemporaryFile  # slow to load, and only policies that ask for signatures need it

    with NamedTemporaryFile("w", prefix="git-decide-", suffix=".signers") as signers:
        signers.writelines(f"actor {key}\n" for key in ssh_keys)
        signers.flush()
        asked = ("-c", f"gpg.ssh.allowedSignersFile={signers.name}", "log", *_FORM)
        lines = "".join(f"{commit}\n" for commit in commits).encode()
        try:
            told = git.run(*asked, stdin=lines, environ=PLAIN_OBJECTS)
        except GitError as error:
            raise _unverifiable(error.message) from error
    for line in told.stderr.decode("utf-8", "replace").splitlines():
        if any(word in line for word in _UNABLE):
            raise _unverifiable(line.partition(": ")[2])
    return dict(map(_seal, told.stdout.decode("utf-8", "replace").splitlines()))


def _unverifiable(why: str) -> Unverifiable:
    hint = (
        "install what the keys of the actors need: gpg, or ssh-keygen of OpenSSH 8.2 or newer, and git 2.34"
    )
    return Unverifiable(f"the policy asks for signatures, and git cannot verify them: {why}", hint=hint)


def _seal(line: str) -> tuple[str, Seal]:
    commit, letter, key, primary, short = line.split("\x1f")
    found = frozenset(filter(None, (key, primary))) if letter in VALID else frozenset()
    return commit, Seal(letter, found, key or short)
