"""What plain `git fetch` brought: the log moves on to it by itself where that takes nothing from anybody."""

from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git import refs
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.repository import Repository
from gitdecide.store.additions import check, truncated
from gitdecide.store.log import Log
from gitdecide.store.merge import contains
from gitdecide.work.remotes import Remote

MOST: Final = 500
"""Commits that a reader proves before it shows anything; more are left to sync."""


def follow(log: Log, remote: Remote, repository: Repository) -> str | None:
    """Fast-forward the log to what was fetched, and say so only where that has to be left to sync.

    Nothing but two refs is looked at where nothing came.
    """
    fetched = log.objects.resolve(remote.fetched)
    own = log.objects.resolve(log.ref)
    if fetched is None or fetched in (own, log.objects.resolve(remote.seen)):
        return None
    left = f"{remote.name} has decisions that are not here yet: git decide sync {remote.name}"
    try:
        if own and not contains(log.git, fetched, own):
            return None if contains(log.git, own, fetched) else left
        if _too_many(log, fetched, own) or truncated(log.objects, repository.common_dir):
            return left
        check(log.git, log.objects, fetched, own)
        refs.move(log.git, log.ref, fetched, own, f"decide: what was fetched from {remote.name}")
    except DecideError as error:
        return f"what {remote.name} has stays away from the log: {error.message}"
    return None


def _too_many(log: Log, fetched: str, own: str | None) -> bool:
    beyond = [f"^{own}"] if own else []
    asked = ("rev-list", "--count", f"--max-count={MOST + 1}", fetched, *beyond, "--")
    return int(log.git.run(*asked, environ=PLAIN_OBJECTS).stdout) > MOST
