"""What a server asks of a pushed log: that it only grew, and that what grew is sound."""

from collections.abc import Iterator

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import Damage
from gitdecide.errors import Damaged
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git
from gitdecide.rules.context import Refusal
from gitdecide.store.snapshot import Snapshot
from gitdecide.work.pushing import Update

_SYNC = "git decide sync"


def refusals(git: Git, objects: Objects, update: Update) -> Iterator[Refusal]:
    """Why a log may not be updated so. Raises Damaged for a record or an actor that cannot be read."""
    if update.new is None:
        yield Refusal("R4", f"the log is never deleted: {update.ref}")
        return
    new = objects.resolve(f"{update.new}^{{commit}}")
    if new is None or objects.subtree(new, "format") is None:
        raise Damaged(f"what is pushed to {update.ref} is no log of git-decide: {update.new}")
    if update.old and not _contains(git, new, update.old):
        yield Refusal("R4", f"the pushed log does not contain what {update.ref} has", _SYNC)
        return
    touched, grew_only = set[str](), True
    for status, path in _differences(git, update.old, new):
        if status != "A":
            grew_only, done = False, "removed" if status == "D" else "changed"
            yield Refusal("R4", f"entries are immutable, and this one was {done}: {path}", _SYNC)
        touched.add(path.rpartition("/")[0])
    for damage in _damages(Snapshot(objects, new), touched) if grew_only else ():
        raise Damaged(f"the pushed log is damaged: {damage.file}: {damage.reason}")


def _damages(snapshot: Snapshot, touched: set[str]) -> Iterator[Damage]:
    """What is wrong in some folders of the log."""
    actors = {folder for folder in touched if folder.startswith("actors/")}
    for known in snapshot.actors() if actors else ():
        yield from (damage for damage in known.damages if damage.file.rpartition("/")[0] in actors)
    for folder in sorted(touched - actors - {"format"}):
        name = RecordName.parse(folder.rpartition("/")[2])
        if name is None or name.path != folder:
            yield Damage(folder, "is no place for an entry")
        else:
            yield from snapshot.record(name).damages


def _contains(git: Git, new: str, old: str) -> bool:
    asked = ("merge-base", "--is-ancestor", old, new)
    return git.run(*asked, environ=PLAIN_OBJECTS, ok=(0, 1)).code == 0


def _differences(git: Git, old: str | None, new: str) -> Iterator[tuple[str, str]]:
    """The files that differ between two states of the log, each with git's letter for how."""
    if old is None:
        listed = git.text("ls-tree", "-r", "-z", "--name-only", "--full-tree", new)
        yield from (("A", path) for path in listed.split("\0") if path)
        return
    fields = iter(git.text("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new).split("\0"))
    yield from ((status, next(fields)) for status in fields if status)
