"""What can be said of sharing the log: from the settings alone, and from asking the remote."""

import secrets
from fnmatch import fnmatchcase
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.merge import contains
from gitdecide.work.doctor.logs import commit_count
from gitdecide.work.doctor.point import Patient, Point, count
from gitdecide.work.pushing import LOGS
from gitdecide.work.remotes import Denied, Remote, choose

BRANCH: Final = "refs/heads/decisions"


def fetch_lines(patient: Patient) -> Point:
    """Whether plain `git fetch` brings decisions, and puts them where nothing is lost."""
    git, ref = patient.git, patient.log().ref
    for remote in git.config_names("remote"):
        for line in git.config_all(f"remote.{remote}.fetch"):
            if _overwrites(line, ref):
                says = f"git fetch {remote} overwrites the log here: remote.{remote}.fetch = {line}"
                return Point.wrong(says, "git config --edit, and take this line out")
    there = _usual(git, ref)
    if isinstance(there, Point):
        return there
    if there.line not in git.config_all(f"remote.{there.name}.fetch"):
        return Point.advice(f"plain git fetch brings no decisions from {there.name}", "git decide init")
    if git.config_bool(f"remote.{there.name}.mirror", default=False):
        says = f"{there.name} is a mirror: git push takes away decisions that others brought there"
        return Point.advice(says, f"git config remote.{there.name}.mirror false")
    return Point.ok(f"git fetch {there.name} brings decisions")


def _usual(git: Git, ref: str) -> Remote | Point:
    """The remote that sync would choose, or what keeps it from choosing one."""
    if not git.config_names("remote"):
        return Point.ok("there is no remote to share the log with")
    try:
        return Remote(git, choose(git), ref)
    except DecideError as error:
        return Point.advice(error.message, error.hint)


def _overwrites(line: str, ref: str) -> bool:
    """True for a fetch line that may put another log in the place of ours."""
    _, _, target = line.partition(":")
    return bool(target) and fnmatchcase(ref, target.replace("[", "[[]").replace("?", "[?]"))


def shared(patient: Patient) -> Point:
    """What is here and not at the remote, or there and not here, as far as this clone knows."""
    git, log = patient.git, patient.log()
    tip = log.tip()
    there = _usual(git, log.ref)
    if isinstance(there, Point) or tip is None:
        return Point.ok("nothing to share, or nobody to share with")
    sync = f"git decide sync {there.name}"
    seen = patient.objects.resolve(f"{there.seen}^{{commit}}")
    if seen is None:
        return Point.advice(f"the log was never shared with {there.name}", sync)
    ahead = commit_count(git, tip, seen)
    fetched = patient.objects.resolve(f"{there.fetched}^{{commit}}")
    if fetched and not contains(git, tip, fetched):
        return Point.advice(f"{there.name} has decisions that are not here yet", sync)
    if ahead:
        return Point.advice(f"{count(ahead, 'commit')} of the log may not be at {there.name} yet", sync)
    return Point.ok(f"{there.name} has all that is here")


class Probe:
    """Asks a remote whether it is there, has the log, and would take it from us."""

    def __init__(self, patient: Patient, named: str | None, *, terminal: bool) -> None:
        self._patient = patient
        self._named = named
        self._terminal = terminal
        self._remote: Remote | None = None
        self._tip: str | None = None

    @property
    def reached(self) -> bool:
        """True when the remote answered."""
        return self._remote is not None

    def reach(self) -> Point:
        """Whether the remote answers us. Raises NotFound, Unreachable."""
        git = self._patient.git
        remote = Remote(git, choose(git, self._named), self._patient.log().ref, terminal=self._terminal)
        self._tip = remote.tip()
        self._remote = remote
        return Point.ok(f"{remote.name} answers")

    def log(self) -> Point:
        """Whether the log is there."""
        remote = self._asked
        if self._tip:
            return Point.ok(f"{remote.name} has a log: {remote.ref} at {self._tip[:12]}")
        return Point.advice(f"{remote.name} has no log yet", f"git decide sync {remote.name}")

    def accepts(self) -> Point:
        """Whether the remote would take what we record. Raises Unreachable, Denied for whoever only reads.

        A dry run asks for no more than leave to push. What a host thinks of a ref it says when the ref is
        there to be updated (receive.hideRefs, pre-receive, update), so one beside the log is pushed for a
        moment. Branches are taken everywhere, and protected one by one: there a dry run has to do.
        """
        remote, git = self._asked, self._patient.git
        root = layout.root_commit(self._patient.objects)
        hidden = remote.ref.startswith(LOGS)
        name = f"{layout.PROBE if hidden else f'{remote.ref}-probe-'}{secrets.token_hex(8)}"
        scratch = Remote(git, remote.name, name, terminal=self._terminal)
        scratch.push(root, "--dry-run")
        if not hidden:
            return Point.ok(f"{remote.name} lets us push; whether it protects {remote.ref} shows when we do")
        try:
            scratch.push(root)
        except Denied as error:
            return Point.wrong(error.message, self._elsewhere(git, remote.ref))
        try:
            scratch.push("")
        except DecideError as error:
            says = f"{remote.name} takes the log, and keeps what it was tried with: {error.message}"
            return Point.advice(says, f"ask whoever keeps {remote.name} to remove {name}")
        return Point.ok(f"{remote.name} takes the log from us")

    @property
    def _asked(self) -> Remote:
        if self._remote is None:
            raise ValueError("reach the remote first")
        return self._remote

    def _elsewhere(self, git: Git, ref: str) -> str:
        """How the log moves to a branch."""
        there = git.run("rev-parse", "--verify", "--quiet", ref, environ=PLAIN_OBJECTS, ok=(0, 1)).code == 0
        bring = f"git branch decisions {ref}, then " if there else ""
        return f"where a host takes branches alone: {bring}git config decide.ref {BRANCH}"
