"""What was proved already, so that it is not proved again: one small file of this repository alone."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gitdecide import __version__
from gitdecide.audit.finding import Finding
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.run import Git

FILE: Final = "decide/proved"
"""In the common git directory."""

PROVES: Final = f"{__version__}.3"
"""What a proof covers: the number after the version grows when the audit finds more."""


class Proof:
    """The tip up to which the log was without fault, and what was newer than this program in it."""

    def __init__(self, common_dir: Path, judged_by: str = "") -> None:
        self._file = common_dir / FILE
        self._proves = f"{PROVES} {judged_by}"
        self.tip: str | None = None
        self.newer: list[Finding] = []

    @classmethod
    def read(cls, common_dir: Path, git: Git, tip: str, judged_by: str = "") -> "Proof":
        """The proof that is kept here; an empty one unless it is of now, and of what leads to this tip.

        `judged_by` is what the signatures were judged by, or none were.
        """
        proof = cls(common_dir, judged_by)
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept: dict[str, Any] = json.loads(proof._file.read_text("utf-8"))
            newer = [Finding(**found) for found in kept["newer"]]
            if kept["proves"] == proof._proves and leads(git, kept["tip"], tip):
                proof.tip, proof.newer = kept["tip"], newer
        return proof

    def keep(self, tip: str, newer: Iterable[Finding]) -> None:
        """Note that the log is without fault up to a tip; a repository that takes no file goes without."""
        kept = {"proves": self._proves, "tip": tip, "newer": [found._asdict() for found in newer]}
        part = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            part.parent.mkdir(exist_ok=True)
            try:
                part.write_text(json.dumps(kept), "utf-8")
                part.replace(self._file)
            finally:
                part.unlink(missing_ok=True)


def leads(git: Git, earlier: str, tip: str) -> bool:
    """True when one commit is another, or leads to it; False for what is no commit."""
    asked = ("merge-base", "--is-ancestor", "--end-of-options", earlier, tip)
    return git.run(*asked, environ=PLAIN_OBJECTS, ok=(0, 1, 128)).code == 0
