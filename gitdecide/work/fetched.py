"""What plain `git fetch` brought: the log moves on to it by itself where that takes nothing from anybody."""

from gitdecide.errors import DecideError
from gitdecide.git import refs
from gitdecide.git.repository import Repository
from gitdecide.store.additions import truncated
from gitdecide.store.log import Log
from gitdecide.store.merge import contains
from gitdecide.work.remotes import Remote


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
        from gitdecide.work.arriving import proved, too_many  # an audit, which hardly any command needs

        known = [own] if own else []
        if too_many(log.git, fetched, known) or truncated(log.objects, repository.common_dir):
            return left
        proved(log.git, log.objects, fetched, known)
        refs.move(log.git, log.ref, fetched, own, f"decide: what was fetched from {remote.name}")
    except refs.RefMoved:  # by somebody who was faster
        return None
    except DecideError as error:
        return f"what {remote.name} has stays away from the log: {error.message}"
    return None
