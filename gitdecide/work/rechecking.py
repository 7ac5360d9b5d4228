"""Running the checks of a record again, somewhere else, and saying what changed."""

import os
import re
from collections.abc import Container, Generator, Mapping
from contextlib import closing, suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from gitdecide.entries.keys import fingerprint
from gitdecide.entries.names import RecordName, actor_path_name
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Check
from gitdecide.git.objects import Objects
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.git.verifying import Unverifiable, seals
from gitdecide.policy import Recheck
from gitdecide.store.adders import History
from gitdecide.store.layout import entry_path
from gitdecide.work import ranges
from gitdecide.work.checks import UNRUNNABLE, Plan
from gitdecide.work.worktree import throwaway
from gitdecide.work.writer import Said, Writer

OWN: Final = "decide/ran"
"""Below the common git directory: the ids of the checks that this clone ran itself, a line each."""

_LEADS_OUT: Final = re.compile(
    r"/.*|-[^-].*/.*|--[^=]*=/.*"  # an absolute path, perhaps behind an option
    r"|(.*[/=])?\.\.(/.*)?",  # a folder above
    re.DOTALL,
)
"""Words that may name something outside of the tree: even a bare exit code would tell of it."""

_DOES_MORE: Final = re.compile(
    r"--pre.*|--hostname-bin.*"  # rg
    r"|-[A-Za-z]*O.*|--op.*|--ou.*|--ext(-.*)?|--textconv"  # git grep, git diff and their kin
    r"|-exec.*|-ok.*|-delete|-f(print|ls).*",  # find
    re.DOTALL,
)
"""Options of what people permit that run a program of their own, or write a file."""

_RUN_ANYTHING: Final = re.compile(
    r"(ba|da|z|k|mk|fi)?sh|busybox|env|nice|nohup|timeout|xargs|sudo|su|ssh|[gm]?awk"
    r"|(perl|python|ruby|node|php|lua)[0-9.]*"
)
"""Programs whose arguments are programs: no pattern of a policy lets them run what others wrote."""

_STEERING: Final = ("RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "BASH_ENV", "ENV")
"""Variables that may name a file of the tree, which then changes what a command does."""


class Selection(NamedTuple):
    """The newest check for each command of a record, by whether it runs."""

    own: list[Filed[Check]]
    """This clone ran the command itself, or trusts it: was told to, or knows the key that signed it."""
    allowed: list[Filed[Check]]
    """The policy permits the command; whose check it is, nobody can say."""
    held: list[Filed[Check]]


class Rerun(NamedTuple):
    """A check, and the one that repeats it."""

    before: Filed[Check]
    now: Said[Check]

    @property
    def change(self) -> str:
        """What changed, in a few words."""
        was, check = self.before.entry, self.now.entry
        change = (
            f"{check.result}, as before" if was.result == check.result else f"{was.result} -> {check.result}"
        )
        return f"{change} ({check.note})" if check.note else change

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        was, check = self.before.entry, self.now.entry
        codes = {"exit_code": check.exit_code, "commit": check.commit}
        return {"id": self.now.id, "repeats": self.before.id, "was": was.result, "is": check.result, **codes}


def remember(repository: Repository, check_id: str) -> None:
    """Keep that this clone ran a check itself: no name in the log ever says so.

    Where that cannot be written, recheck will ask for trust.
    """
    file = repository.common_dir / OWN
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="ascii") as ran:
            ran.write(f"{check_id}\n")


def remembered(repository: Repository) -> set[str]:
    """The ids of the checks that this clone ran itself."""
    file = repository.common_dir / OWN
    return set(file.read_text(encoding="ascii", errors="replace").split()) if file.exists() else set()


def vouched(git: Git, tip: str, record: DecisionRecord, keys: Mapping[str, str]) -> set[str]:
    """The ids of the checks that are signed with the keys kept here for their actors, by path names.

    Where nothing can verify a signature there are none.
    """
    checks = {
        entry_path(record.name, check.entry, check.id): check
        for check in record.of(Check)
        if actor_path_name(check.entry.actor) in keys
    }
    if not checks:
        return set()
    adders = History(git, tip, [record.name.path]).adders
    commits = {commit for path in checks for commit in adders.get(path, ())}
    try:
        found = seals(git, sorted(commits), [key for key in keys.values() if " " in key])
    except Unverifiable:
        return set()
    return {
        check.id
        for path, check in checks.items()
        for commit in adders.get(path, ())
        if fingerprint(keys[actor_path_name(check.entry.actor)]) in found[commit].keys
    }


def judged_by(git: Git, objects: Objects) -> str | None:
    """The commit whose policy says what runs unasked; None for the default policy.

    The default branch of the usual remote, since a branch of somebody else's may be checked out; HEAD where
    there is no remote.
    """
    known = f"refs/remotes/{ranges.remote(git)}/HEAD" if git.config_names("remote") else "HEAD"
    return objects.resolve(f"{known}^{{commit}}")


def select(record: DecisionRecord, ran: Container[str], policy: Recheck, *, trust: bool) -> Selection:
    """Which checks of a record run again; `ran` holds the ids of those that count as this clone's own."""
    checks = [check for check in record.of(Check) if check.entry.command]
    newest = {_asked(check.entry): check for check in checks}
    known = {_asked(check.entry) for check in checks if trust or check.id in ran}
    selection = Selection([], [], [])
    for asked, check in newest.items():
        if asked in known:
            selection.own.append(check)
        elif permitted(check.entry, policy):
            selection.allowed.append(check)
        else:
            selection.held.append(check)
    return selection


def permitted(check: Check, policy: Recheck) -> bool:
    """True for argv that the policy allows, and that stays within the tree as far as its words tell.

    A program given by its path is one of the tree, which only a pattern that spells it out means.
    """
    command = check.command
    if not isinstance(command, tuple):
        return False
    if _RUN_ANYTHING.fullmatch(Path(command[0]).name):
        return False
    words = (*command[1:], check.cwd or "")
    if any(_LEADS_OUT.fullmatch(word) or _DOES_MORE.fullmatch(word) for word in words):
        return False
    allowed = [pattern for pattern in policy.allow if fnmatchcase(check.command_line, pattern)]
    return any("/" not in command[0] or pattern.split(" ")[0] == command[0] for pattern in allowed)


def rerun(
    git: Git,
    repository: Repository,
    writer: Writer,
    name: RecordName,
    chosen: Selection,
    commit: str,
    timeout: float,
) -> Generator[Rerun, None, None]:
    """Run checks again in a throwaway worktree at a commit, and append what comes of each.

    Each may take `timeout` seconds. Raises what Writer.append raises, and GitError.
    """
    with closing(tried(git, repository, chosen, commit, timeout)) as again:
        for check, fields, ours in again:
            now = writer.append(str(name), partial(_made, writer, fields))
            if ours:
                remember(repository, now.id)
            yield Rerun(check, now)


def tried(
    git: Git, repository: Repository, chosen: Selection, commit: str, timeout: float
) -> Generator[tuple[Filed[Check], dict[str, Any], bool], None, None]:
    """Run checks again in a throwaway worktree at a commit: each with what a new one would say.

    True stands beside our own. Of what others recorded no output is kept: a search may find what is nobody's
    business, and the log is shared. Raises GitError.
    """
    for checks, ours in ((chosen.own, True), (chosen.allowed, False)):
        if checks:
            with throwaway(git, repository, commit, symlinks=ours) as tree:
                inside = tree if ours else Git(tree.cwd, _plain(tree.environ))
                for check in checks:
                    yield check, _run(check, inside, commit, timeout, keep_output=ours), ours


def _asked(check: Check) -> tuple[object, ...]:
    """What makes two checks the same question."""
    return check.command, check.cwd, check.holds_on, check.fails_on


def _made(writer: Writer, fields: dict[str, Any], record: DecisionRecord) -> Check:
    return Check(**writer.follow(record), **fields)


def _run(
    check: Filed[Check], inside: Git, commit: str, timeout: float, *, keep_output: bool
) -> dict[str, Any]:
    old = check.entry
    plan = Plan(old.command, old.premise, old.holds_on, old.fails_on)
    place = Path(inside.cwd, old.cwd or "")
    if not (place.is_dir() and place.resolve().is_relative_to(inside.cwd.resolve())):
        why = {
            "source": "ran",
            "exit_code": None,
            "note": f"could not run: no folder {old.cwd}",
            "commit": commit,
        }
        return {**plan.reported(min(UNRUNNABLE)), **why, "repeats": check.id}
    here = Git(place, inside.environ)
    with Plumbing(here) as objects:
        found = plan.ran(here, Repository.discover(here), objects, timeout, keep_output=keep_output)
    return {**found, "repeats": check.id}


def _plain(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which no file of the tree is run in place of a program, or steers one."""
    path = [
        folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if folder.startswith(os.sep)
    ]
    kept = {name: value for name, value in environ.items() if name not in _STEERING}
    return {**kept, "PATH": os.pathsep.join(path)}
