"""Which decision governs what is being written: the branch's link, kept in git's own configuration."""

from gitdecide.errors import DecideError
from gitdecide.git.run import Git

BRANCHES = "refs/heads/"

NOTHING_THERE = (0, 1, 5)
"""git config's codes for a key that is set, that is not, and that is not there to be unset."""


def branch(git: Git) -> str | None:
    """The branch that HEAD is on, be it unborn; None when it is detached."""
    done = git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    ref = done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
    return ref.removeprefix(BRANCHES) if ref.startswith(BRANCHES) else None


def current(git: Git) -> str | None:
    """What the branch is linked to, the full name of a record; None without a link."""
    name = branch(git)
    return git.config(_key(name)) or None if name else None


def link(git: Git, record: str | None) -> str:
    """Link the branch to a record, or with None to nothing; the branch's name is returned.

    `git branch -m` carries the link along. Raises DecideError when HEAD is detached.
    """
    name = branch(git)
    if name is None:
        raise DecideError("HEAD is on no branch", hint="git switch BRANCH")
    if record:
        git.run("config", "--local", "--replace-all", _key(name), record)
    else:
        git.run("config", "--local", "--unset-all", _key(name), ok=NOTHING_THERE)
    return name


def _key(name: str) -> str:
    return f"branch.{name}.decide"
