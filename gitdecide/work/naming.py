"""Which record is meant: by its name, by an entry, by the branch, or by a commit that links it."""

from gitdecide.entries.names import RecordName, TypedName, is_prefix
from gitdecide.errors import DecideError, NotFound, UsageError
from gitdecide.git.messages import linked
from gitdecide.git.run import Git
from gitdecide.store.snapshot import Snapshot
from gitdecide.work import links


def meant(git: Git, snapshot: Snapshot, typed: str) -> RecordName:
    """The record that a person means.

    It is given as DR-7, DR-007-3f2a or the beginning of an entry's id, as `.` for the branch's link, or as a
    commit that links one. Raises UsageError for what is no name, NotFound for nothing or several records.
    """
    if typed == ".":
        return _of_branch(git, snapshot)
    if TypedName.parse(typed):
        return snapshot.resolve(typed)
    if not is_prefix(typed):
        return _of_commit(snapshot, typed)
    try:
        return snapshot.resolve(typed)
    except NotFound:
        if snapshot.objects.resolve(f"{typed}^{{commit}}") is None:
            raise
        return _of_commit(snapshot, typed)


def usual(git: Git, snapshot: Snapshot) -> RecordName:
    """The record to show when none is named: the branch's, else HEAD's, else the newest.

    Raises NotFound for none, and when HEAD links several.
    """
    if links.current(git):
        return _of_branch(git, snapshot)
    found = by_commit(snapshot, "HEAD")
    if len(found) > 1:
        raise _several("HEAD", found)
    for name in (*found, *snapshot.names()):
        return name
    raise NotFound("no decision record yet", hint='git decide ask "QUESTION"')


def by_commit(snapshot: Snapshot, revision: str) -> list[RecordName]:
    """The records that a commit links, in its order; what its message names in vain is left out."""
    commit = snapshot.objects.resolve(f"{revision}^{{commit}}")
    typed = linked(snapshot.objects.commit(commit).message).names if commit else ()
    return resolved(snapshot, typed)


def resolved(snapshot: Snapshot, typed: tuple[str, ...]) -> list[RecordName]:
    """The records that a message's names mean, each once; what names none, or several, is left out."""
    found = []
    for name in typed:
        try:
            found.append(snapshot.resolve(name))
        except DecideError:
            continue
    return list(dict.fromkeys(found))


def _of_branch(git: Git, snapshot: Snapshot) -> RecordName:
    link = links.current(git)
    if link is None:
        place = f"the branch {branch} is" if (branch := links.branch(git)) else "HEAD is on no branch, and so"
        raise NotFound(f"{place} linked to no decision", hint="git decide link DR")
    try:
        return snapshot.resolve(link)
    except DecideError as error:
        raise NotFound(
            f"the branch's link leads nowhere: {error.message}", hint="git decide link DR"
        ) from None


def _of_commit(snapshot: Snapshot, revision: str) -> RecordName:
    commit = snapshot.objects.resolve(f"{revision}^{{commit}}")
    if commit is None:
        raise UsageError(
            f"not the name of a decision record: {revision}",
            hint="names look like DR-7 or DR-007-3f2a91c0; a commit means the decision that it links",
        )
    typed = linked(snapshot.objects.commit(commit).message).names
    found = resolved(snapshot, typed)
    if len(found) > 1:
        raise _several(revision, found)
    if not found:
        vain = f" that is known here, only {', '.join(typed)}" if typed else ""
        raise NotFound(f"the commit {revision} links no decision{vain}")
    return found[0]


def _several(revision: str, found: list[RecordName]) -> NotFound:
    names = ", ".join(map(str, found))
    return NotFound(f"the commit {revision} links several decisions: {names}", hint="name one of them")
