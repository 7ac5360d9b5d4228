"""Which way to objects serves a command that reads many of them: libgit2, or git where it cannot."""

from typing import Final, NamedTuple

from gitdecide.errors import DecideError
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git

_FETCH: Final = (
    "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
    "--no-recurse-submodules", "--refmap=", "--no-auto-maintenance", "--filter=blob:none", "--stdin",
)  # fmt: skip
"""As git asks for one that is missing (promisor-remote.c): what is named comes, whatever the filter."""


class Way(NamedTuple):
    """A way to objects for bulk work, and why it is not libgit2; None where it is."""

    objects: Objects
    obstacle: str | None = None


def way(git: Git, repository: Repository, plumbing: Objects) -> Way:
    """libgit2 wherever it can open the repository and read all of it, else the way through git."""
    if remote := promisor(git):
        return Way(plumbing, f"this is a partial clone, and git alone fetches what is missing from {remote}")
    from gitdecide.git.libgit2 import CannotOpen, LibGit2

    try:
        return Way(LibGit2(git, repository))
    except CannotOpen as error:
        return Way(plumbing, error.message)


def promisor(git: Git) -> str | None:
    """The remote that has what a partial clone left out, None in a whole one."""
    names = (name for name in git.config_names("remote") if _promises(git, name))
    return next(names, git.config("extensions.partialClone"))


def _promises(git: Git, remote: str) -> bool:
    key = f"remote.{remote}"
    return git.config_bool(f"{key}.promisor", default=git.config(f"{key}.partialCloneFilter") is not None)


def complete(git: Git, commit: str) -> None:
    """Fetch all that a partial clone lacks of a commit's tree at once: git itself asks for one by one.

    Raises DecideError, with the first that is missing, when the remote does not give it.
    """
    remote, missing = promisor(git), ""
    while remote and (lacking := _missing(git, commit)) and lacking[0] != missing:
        missing = lacking[0]
        try:
            git.run(*_FETCH, "--", remote, stdin="\n".join(lacking).encode())
        except DecideError as error:
            count = f"{len(lacking)} object{'s' * (len(lacking) != 1)}"
            said = f"{count} of the log cannot be had from {remote}: {error.message}: {missing}"
            raise DecideError(said, hint=error.hint) from error


def _missing(git: Git, commit: str) -> list[str]:
    asked = ("rev-list", "--objects", "--no-object-names", "--missing=print", f"{commit}^{{tree}}", "--")
    listed = git.run(*asked, environ=PLAIN_OBJECTS).stdout.decode().split()
    return [line[1:] for line in listed if line.startswith("?")]
