"""What comes from another log: proved before it enters ours, by what `fsck` proves."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from gitdecide.audit import Audit, Finding
from gitdecide.audit.proof import Proof
from gitdecide.errors import Damaged
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.store.layout import FORMAT
from gitdecide.store.signatures import Signatures

MOST: Final = 500
"""Commits that are proved where nobody asked for it; more are left to `sync` and `fsck`."""


def proved(
    git: Git,
    objects: Objects,
    theirs: str,
    known: Collection[str],
    progress: Callable[[float], None] = lambda _: None,
    signatures: Signatures | None = None,
) -> list[Finding]:
    """What an audit says of all that leads to a tip and not to what is known.

    Raises Damaged for what is no log, and for a history that does more than add: none of it may enter ours.
    """
    if objects.kind(theirs) != "commit" or FORMAT not in (objects.subtree(theirs, "format") or {}):
        raise Damaged(f"what was fetched is not a log of git-decide: {theirs}")
    found = []
    for finding in Audit(git, objects, theirs, known, progress, signatures).findings():
        if finding.fatal:
            does = f"{finding.path or 'of a commit'}: {finding.message}"
            raise Damaged(f"this history is not a log that only grew: {does}: {finding.commit}")
        found.append(finding)
    return found


def keep(
    git: Git, objects: Objects, common_dir: Path, own: str | None, tip: str, found: Iterable[Finding]
) -> None:
    """Note that the log is proved up to a tip, which is ours joined with what `found` was said of.

    Unless there is a fault in either, or too much in ours that nobody proved yet.
    """
    proof = Proof.read(common_dir, git, own) if own else Proof(common_dir)
    known = [proof.tip] if proof.tip else []
    if own and too_many(git, own, known):
        return
    ours = Audit(git, objects, own, known).findings() if own and own != proof.tip else ()
    newer = [*proof.newer, *found, *ours]
    if not any(finding.fault for finding in newer):
        proof.keep(tip, newer)


def too_many(git: Git, tip: str, known: Collection[str]) -> bool:
    """True when more commits lead to a tip, and not to what is known, than are proved unasked."""
    beyond = (f"^{commit}" for commit in known)
    asked = ("rev-list", "--count", f"--max-count={MOST + 1}", tip, *beyond, "--")
    return int(git.run(*asked, environ=PLAIN_OBJECTS).stdout) > MOST
