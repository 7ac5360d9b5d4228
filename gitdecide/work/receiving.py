"""What a server asks of a pushed log: that it only grew, and that what grew keeps the rules."""

from collections.abc import Callable, Iterable, Iterator

from gitdecide.audit import audit
from gitdecide.errors import Damaged, DecideError
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.rules.context import Refusal
from gitdecide.store.layout import FORMAT, PROBE, REMOTES, SEEN
from gitdecide.store.merge import contains
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.pushing import Update

_SYNC = "git decide sync"


def refusals(
    git: Git, objects: Objects, update: Update, view: Callable[[str, str | None], Snapshot]
) -> Iterator[Refusal]:
    """Why a log may not be updated so. Raises Damaged for what is no entry of a log.

    `view` gives a commit that is to join the log of another one, judged by the server's policy.
    """
    if update.new is None:
        if not update.ref.startswith(PROBE):
            yield Refusal("R4", f"the log is never deleted: {update.ref}")
        return
    new = objects.resolve(f"{update.new}^{{commit}}")
    if new is None or objects.subtree(new, "format") is None:
        raise Damaged(f"what is pushed to {update.ref} is no log of git-decide: {update.new}")
    if update.old and not contains(git, new, update.old):
        yield Refusal("R4", f"the pushed log does not contain what {update.ref} has", _SYNC)
        return
    if newer := sorted(set(objects.subtree(new, "format") or ()) - {FORMAT}):
        problem = f"the pushed log has format {', '.join(newer)}, and this server knows format {FORMAT}"
        raise DecideError(problem, hint="the server needs a newer git-decide")
    grew_only = True
    for status, path in _differences(git, update.old, new):
        if status != "A":
            grew_only, done = False, "removed" if status == "D" else "changed"
            yield Refusal("R4", f"entries are immutable, and this one was {done}: {path}", _SYNC)
    since = [update.old] if update.old else []
    signatures = view(new, update.old).signatures
    for finding in audit(git, objects, new, since, signatures) if grew_only else ():
        place = finding.path or finding.commit
        if finding.kind.startswith("R") or finding.kind == "signature":
            yield Refusal(finding.kind, f"{finding.message}: {place}")
        elif finding.fault:
            raise Damaged(f"the pushed log is damaged: {place}: {finding.message}")


def check_public(updates: Iterable[Update]) -> None:
    """Raise DecideError for a ref under which a clone keeps the logs of others: nobody would judge it."""
    for update in updates:
        if update.new and update.ref.startswith((f"{REMOTES}/", f"{SEEN}/")):
            raise DecideError(f"no server takes what a clone keeps for itself: {update.ref}")


def _differences(git: Git, old: str | None, new: str) -> Iterator[tuple[str, str]]:
    """The files that differ between two states of the log, each with git's letter for how."""
    if old is None:
        listed = git.text("ls-tree", "-r", "-z", "--name-only", "--full-tree", new)
        yield from (("A", path) for path in listed.split("\0") if path)
        return
    fields = iter(git.text("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new).split("\0"))
    yield from ((status, next(fields)) for status in fields if status)
