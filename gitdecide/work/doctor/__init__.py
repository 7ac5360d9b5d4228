"""What may stand in the way of git-decide in one repository, point by point, each with what to do."""

from collections.abc import Callable, Iterator

from gitdecide.errors import CANNOT, REFUSED, Damaged, DecideError
from gitdecide.work.doctor import here, logs, remotes
from gitdecide.work.doctor.point import Patient, Point

__all__ = ["Patient", "Point", "examine", "probe"]

ANYWHERE = {
    "program": here.program,
    "git": here.git_itself,
    "identity": here.identity,
    "leftovers": here.leftovers,
    "repository": here.repository,
}
"""What can be said without a repository; the last says whether there is one."""

INSIDE = {
    "objects": here.objects,
    "policy": here.policy,
    "hooks": here.hooks,
    "locks": logs.locks,
    "log": logs.log,
    "proof": logs.proof,
    "index": logs.index,
    "fetch": remotes.fetch_lines,
    "shared": remotes.shared,
}
ESSENTIAL = ("git", "repository", "log", "remote")
"""Without these nothing works: what fails here keeps its own exit code."""


def examine(patient: Patient) -> Iterator[Point]:
    """Every point about this repository, without asking any remote."""
    for name, examination in ANYWHERE.items():
        point = _point(patient, name, examination)
        yield point
        if name in ("git", "repository") and point.exit == CANNOT:
            return
    for name, examination in INSIDE.items():
        yield _point(patient, name, examination)


def probe(patient: Patient, named: str | None, *, terminal: bool) -> Iterator[Point]:
    """The points that a remote has to be asked for."""
    found = remotes.Probe(patient, named, terminal=terminal)
    yield _point(patient, "remote", lambda _: found.reach())
    if found.reached:
        yield _point(patient, "remote", lambda _: found.log())
        yield _point(patient, "remote", lambda _: found.accepts())


def _point(patient: Patient, name: str, examination: Callable[[Patient], Point]) -> Point:
    try:
        return examination(patient)._replace(name=name)
    except DecideError as error:
        serious = name in ESSENTIAL or isinstance(error, Damaged)
        return Point.wrong(error.message, error.hint, error.exit if serious else REFUSED)._replace(name=name)
    except OSError as error:
        says = f"cannot look: {error.filename}: {error.strerror}"
        return Point.wrong(says, "give leave to read there")._replace(name=name)
