"""The sync that a push brings along: unasked, with a remote that shares the log, and never for long."""

from contextlib import suppress
from time import monotonic
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.repository import Repository
from gitdecide.store.log import Log
from gitdecide.work.remotes import Remote, choose
from gitdecide.work.sync import Sync
from gitdecide.work.synced import Synced

PATIENCE: Final = 30.0
"""Seconds that the push waits for the remote, in all."""


def wanted(log: Log, name: str) -> bool:
    """True for a log that is here, and a remote that has it too or is the usual one to share it with.

    What a push calls its remote is an address where none is configured. Raises DecideError for a setting
    that cannot be read.
    """
    configured = log.git.config(f"remote.{name}.url") is not None
    if not configured or not log.git.config_bool("decide.autosync", default=True):
        return False
    if not log.objects.resolve(log.ref):
        return False
    remote = Remote(log.git, name, log.ref)
    return any(map(log.objects.resolve, (remote.fetched, remote.seen))) or _usual(log, name)


def sync(log: Log, name: str, repository: Repository) -> Synced:
    """Sync, without asking anybody for a password. Raises what Sync.run raises."""
    remote = Remote(log.git, name, log.ref, until=monotonic() + PATIENCE)
    return Sync(log, remote, repository).run()


def _usual(log: Log, name: str) -> bool:
    with suppress(DecideError):
        return choose(log.git) == name
    return False
