"""The log of somebody whose repository is no remote of ours: proved as sync proves, and merged here alone."""

import re
import secrets
from typing import Final

from gitdecide.errors import NotFound
from gitdecide.store import layout
from gitdecide.store.log import Log
from gitdecide.work.remotes import Remote
from gitdecide.work.sync import Sync, contested
from gitdecide.work.synced import Synced

_SECRET: Final = re.compile(r"(?<=://)[^/@]*@")
"""A name, and perhaps a password, in an address (RFC 3986, section 3.2.1)."""


class Stranger(Remote):
    """The log at an address; what is fetched of it is held by a ref of its own."""

    def __init__(self, log: Log, address: str, *, terminal: bool = False) -> None:
        if not address:  # which some gits fetch from without a word
            raise NotFound("no path specified: an address is empty")
        super().__init__(log.git, _SECRET.sub("", address), log.ref, terminal=terminal)
        self.address = address
        self.fetched = f"{layout.SEEN}/from-{secrets.token_hex(8)}"

    @property
    def line(self) -> str:
        """What `fetch` takes, and where it puts it."""
        return f"+{self.ref}:{self.fetched}"


class Adoption(Sync):
    """Takes what a stranger's log has and ours has not; the next sync brings it to the others."""

    def take(self) -> Synced:
        """Merge it into ours.

        Raises NotFound where there is no log, Unreachable, and Damaged, with nothing merged, when what came
        is no log that only grew. Our log is then as it was.
        """
        own = self.log.tip()
        try:
            theirs = self._found()
            self._check(theirs, own)
            layout.check_writable(self.objects, theirs, self.remote.ref)
            tip = self.log.absorb(theirs, self.message)
        finally:
            # What was merged is ours, and the rest is nobody's.
            self.git.run("update-ref", "-d", "--", self.remote.fetched)
        came = self._difference(own, tip)[0]
        disputed = contested(self.log.view(tip), came)
        return Synced(self.remote.name, tip, came, [], None, self.damages, disputed, None)

    def _found(self) -> str:
        for ref in dict.fromkeys((self.log.ref, layout.DEFAULT_REF)):
            self.remote.ref = ref
            self._fetch()
            if theirs := self._fetched():
                return theirs
        raise NotFound(f"no decision log at {self.remote.name}: there is no {self.log.ref}")
