"""What a push brings: the commits to judge, ref by ref, and the policy that is in force for them."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gitdecide import policy
from gitdecide.errors import Damaged
from gitdecide.gate import Change, Finding
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git, GitError
from gitdecide.work import addresses, ranges
from gitdecide.work.judging import Judge

LOGS: Final = "refs/decisions/"
UNJUDGED: Final = (LOGS, "refs/decisions-remotes/", "refs/decisions-seen/", "refs/notes/")
"""Refs that hold no code: the gate passes over them."""

MOST_TIPS: Final = 1000
"""How many new tips have a say in where they left the default branch: a command line has its limits."""

_REMOTES: Final = "refs/remotes/"


class Update(NamedTuple):
    """One ref that a push changes: where it pointed and will point, None for nowhere."""

    ref: str
    old: str | None
    new: str | None


class Known(NamedTuple):
    """What was there before the push: commits of the target, of anybody else, and its default branch."""

    target: Sequence[str]
    elsewhere: Sequence[str]
    default: str | None
    otherwise: str | None = None
    """The commit whose policy is in force for a base that has none."""
    begun: bool = True
    """False for a server without a branch: what may have gone bad since a commit was made only warns."""


class Verdict(NamedTuple):
    """A finding, and whether it stops the push."""

    finding: Finding
    refuses: bool


class Push:
    """Judges the updates of one push; `judge` makes a Judge for the policy of a commit, and tips."""

    def __init__(
        self, git: Git, objects: Objects, judge: Callable[[str | None, Sequence[str]], Judge], known: Known
    ) -> None:
        self.git = git
        self.objects = objects
        self.judge = judge
        self.known = known

    def verdicts(self, updates: Iterable[Update]) -> Iterator[Verdict]:
        """What the gate finds, each finding once."""
        tips = [(update, tip) for update in updates if (tip := self._commit(update.new))]
        old_tips = [old for update, _ in tips if (old := self._commit(update.old))]
        there = list(dict.fromkeys([*self.known.target, *old_tips]))
        news = [tip for _, tip in tips]
        unknown = set(self._between(news, there))
        fresh = set(self._between(news, [*there, *self.known.elsewhere])) if self.known.begun else set()
        seen: set[Finding] = set()
        for old, news in self._groups(tips, unknown):
            for change, findings in self._findings(old, news, there):
                for finding in dict.fromkeys(findings):
                    if finding not in seen:
                        seen.add(finding)
                        yield Verdict(finding, finding.lasting or change.commit in fresh)

    def _groups(
        self, tips: Iterable[tuple[Update, str]], unknown: Container[str]
    ) -> Iterator[tuple[str | None, list[str]]]:
        """New tips by the commit that their policy comes from; refs that are new there go together."""
        grouped: dict[str | None, list[str]] = {}
        for update, tip in tips:
            if tip in unknown:
                grouped.setdefault(self._commit(update.old), []).append(tip)
        for old, news in grouped.items():
            yield old, list(dict.fromkeys(news))

    def _findings(
        self, old: str | None, tips: Sequence[str], there: Iterable[str]
    ) -> Iterator[tuple[Change, list[Finding]]]:
        commits = self._between(tips, there)
        base = old or self._merge_base(tips) or self._parent(commits[0])
        if policy.found(self.objects, base) is None:
            base = self.known.otherwise or base
        return self.judge(base, tips).commits(commits)

    def _between(self, tips: Sequence[str], known: Iterable[str]) -> list[str]:
        """The commits that lead to some tips, the oldest first, without those that are known."""
        if not tips:
            return []
        asked = "".join(f"{word}\n" for word in [*tips, *(f"^{commit}" for commit in known)]).encode()
        listed = ("rev-list", "--reverse", "--topo-order", "--stdin")
        return self.git.run(*listed, stdin=asked, environ=PLAIN_OBJECTS).stdout.decode().split()

    def _merge_base(self, tips: Sequence[str]) -> str | None:
        """Where the newest of some tips left the target's default branch."""
        if self.known.default is None:
            return None
        asked = ("merge-base", self.known.default, *tips[:MOST_TIPS])
        return self.git.run(*asked, environ=PLAIN_OBJECTS, ok=(0, 1)).stdout.decode().strip() or None

    def _commit(self, oid: str | None) -> str | None:
        """The commit that an id, perhaps a tag's, leads to; None for what is not here, or no commit."""
        return self.objects.resolve(f"{oid}^{{commit}}") if oid else None

    def _parent(self, commit: str) -> str | None:
        return next(iter(self.objects.commit(commit).parents), None)


def holds_code(ref: str, log: str) -> bool:
    """True for a ref whose commits the gate judges; `log` is the name of the log's ref."""
    return ref != log and not ref.startswith(UNJUDGED)


def pushed(lines: str) -> Iterator[tuple[str, Update]]:
    """The local refs and the updates that git tells pre-push on its standard input."""
    for line in filter(None, lines.split("\n")):
        local, new, ref, old = line.rsplit(" ", 3)
        yield local, Update(ref, _oid(old), _oid(new))


def received(lines: str) -> Iterator[Update]:
    """The updates that git tells pre-receive on its standard input."""
    for line in filter(None, lines.split("\n")):
        old, new, ref = line.split(" ", 2)
        yield Update(ref, _oid(old), _oid(new))


def from_framework(objects: Objects, environ: Mapping[str, str]) -> str:
    """What pre-commit, the framework, tells of a push: one ref, in variables."""
    local, ref = (environ.get(f"PRE_COMMIT_{side}_BRANCH", "") for side in ("LOCAL", "REMOTE"))
    new = environ.get("PRE_COMMIT_TO_REF") or objects.resolve(local)
    return f"{local} {new} {ref} {'0' * len(new)}" if local and ref and new else ""


def remote_of_framework(environ: Mapping[str, str]) -> tuple[str, str]:
    """The remote of that push, by name and address."""
    return environ.get("PRE_COMMIT_REMOTE_NAME", ""), environ.get("PRE_COMMIT_REMOTE_URL", "")


def at_remote(git: Git, objects: Objects, name: str, url: str) -> Known:
    """What this repository knows of a remote, which may be given by its address, and of all others.

    Of a remote that nothing is known of, or an address that none has, it takes what any other has for known.
    """
    refs = _refs(git)
    elsewhere = [oid for ref, oid in refs.items() if ref.startswith(_REMOTES)]
    remotes = [name] if name in git.config_names("remote") else addresses.remotes_at(git, url)
    tracking = [place for remote in remotes for place in _tracking(git, remote)]
    target = [oid for ref, oid in refs.items() if any(_within(ref, place) for place in tracking)]
    if not target:
        default = _default(objects, ranges.remote(git))
        head = objects.resolve("HEAD^{commit}") if elsewhere or not remotes else None
        return Known(elsewhere, elsewhere, default, default or head)
    heads = (_default(objects, remote) for remote in remotes)
    return Known(target, elsewhere, next(filter(None, heads), None))


def on_server(git: Git, objects: Objects, log: str) -> Known:
    """What a server has before it takes a push."""
    refs = {ref: oid for ref, oid in _refs(git).items() if holds_code(ref, log)}
    has_branches = any(ref.startswith("refs/heads/") for ref in refs)
    default = objects.resolve("HEAD^{commit}")
    return Known(list(refs.values()), (), default, default, has_branches)


def _refs(git: Git) -> dict[str, str]:
    """Every ref that leads to a commit, with that commit. Raises Damaged for one whose object is missing."""
    form = "--format=%(objecttype) %(*objecttype) %(objectname) %(*objectname) %(refname)"
    try:
        listed = git.text("for-each-ref", form)
    except GitError as error:
        raise Damaged(error.message) from error
    found = {}
    for line in filter(None, listed.split("\n")):
        kind, inner, oid, inner_oid, ref = line.split(" ", 4)
        if "commit" in (kind, inner):
            found[ref] = oid if kind == "commit" else inner_oid
    return found


def _default(objects: Objects, remote: str) -> str | None:
    """The tip of a remote's default branch, where that is known here."""
    return objects.resolve(f"{_REMOTES}{remote}/HEAD^{{commit}}")


def _tracking(git: Git, remote: str) -> Iterator[str]:
    """Where fetch puts what a remote has; not where a mirror puts it, among the user's own branches."""
    for line in git.config_all(f"remote.{remote}.fetch"):
        place = line.partition(":")[2]
        if place and not any(_within(own, place) for own in ("refs/heads/x", "refs/tags/x")):
            yield place


def _within(ref: str, place: str) -> bool:
    before, star, _ = place.partition("*")
    return ref.startswith(before) if star else ref == place


def _oid(text: str) -> str | None:
    return text if text.strip("0") else None
