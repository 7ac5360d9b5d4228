"""Proposals: a change is made far from the user's checkout, judged, and filed as a patch and a branch."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from gitdecide.entries import document
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Proposal
from gitdecide.errors import DecideError
from gitdecide.git import refs
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import command, patches, quarantine, sandbox
from gitdecide.work.links import BRANCHES
from gitdecide.work.patches import Unfit
from gitdecide.work.worktree import KEPT, PRIVATE, throwaway, throwaway_folder
from gitdecide.work.writer import Said, Writer

BRANCH: Final = re.compile(r"decide/DR-[0-9]{3,6}/([1-9][0-9]{0,8})")
"""The name of a proposal's branch; an entry that another clone wrote may hold anything."""


class Task(NamedTuple):
    """What is to be run for a proposal; `timeout` in seconds."""

    command: Sequence[str] | str
    actor: str
    timeout: float | None
    sandbox: bool


class Staged(NamedTuple):
    """A change that is fit to be proposed: its tree is in the user's repository, and no ref leads to it."""

    base: str
    tree: str
    patch: bytes
    notable: list[str]


def by_patch(git: Git, repository: Repository, base: str, patch: bytes) -> Staged:
    """What a patch makes of a commit. Raises Unfit, HoldsSecret."""
    with throwaway_folder() as folder:
        inside = quarantine.quarantine(git, repository, folder / KEPT)
        return _staged(git, inside, base, patches.applied(inside, base, patch))


def by_command(git: Git, repository: Repository, base: str, task: Task, say: Callable[[str], None]) -> Staged:
    """What a command makes of a commit in a throwaway worktree; `say` gets the end of what it prints.

    Raises Unfit for one that fails, HoldsSecret.
    """
    with throwaway(git, repository, base) as there:
        folder = there.cwd.parent
        inside = quarantine.quarantine(git, repository, folder / KEPT)
        # What the checkout knows of its files is kept from the command, which may reset or remove it.
        index = folder / KEPT / "index"
        index.write_bytes((folder / PRIVATE / "index").read_bytes())
        about = (folder / PRIVATE / "index").stat()
        os.utime(index, ns=(about.st_atime_ns, about.st_mtime_ns))
        _run(repository, there, folder, task, say)
        _take_up(repository, inside, there, folder, task)
        return _staged(git, inside, base, inside.text(*quarantine.STRICT, "write-tree"))


def file(
    writer: Writer, repository: Repository, name: str, staged: Staged, fields: dict[str, Any]
) -> tuple[Said[Proposal], str]:
    """Put a staged change into the log, and make its branch; the entry, and the branch's commit.

    The log comes first: a branch without an entry would be nobody's. Raises what Writer.append raises.
    """
    log = writer.log
    patch = document.identify(staged.patch, repository.object_format)
    said = writer.append(name, lambda record: proposal(writer, record, staged.base, patch, fields),
                         patch=staged.patch)  # fmt: skip
    author = writer.signature(writer.speaker(log.snapshot()))
    title = said.entry.title or f"Proposal for {said.record.short} by {said.entry.actor}"
    message = f"{title.strip()}\n\nDecision: {said.record}\n"
    commit = log.objects.add_commit(staged.tree, [staged.base], author, message, sign=False)
    refs.move(log.git, f"{BRANCHES}{said.entry.branch}", commit, None, f"decide: {said.id}")
    return said, commit


def proposal(
    writer: Writer, record: DecisionRecord, base: str, patch: str, fields: dict[str, Any]
) -> Proposal:
    """The entry of a change; its branch has the next number that neither the log nor a branch has."""
    begin = f"decide/{record.name.short}/"
    there = writer.log.git.text("for-each-ref", "--format=%(refname:lstrip=2)", f"{BRANCHES}decide").split()
    for name in {"decide", begin.removesuffix("/")}.intersection(there):
        raise DecideError(f"a branch is in the way of the branches of proposals: {name}")
    names = [*there, *(said.entry.branch for said in record.of(Proposal))]
    ours = (BRANCH.fullmatch(name) for name in names if name.startswith(begin))
    numbers = [int(match[1]) for match in ours if match]
    branch = f"{begin}{max(numbers, default=0) + 1}"
    return Proposal(**writer.follow(record), base=base, branch=branch, patch=patch, **fields)


def _run(repository: Repository, there: Git, folder: Path, task: Task, say: Callable[[str], None]) -> None:
    """Run the command where the user stands, or at the top. Raises Unfit unless it ends well."""
    place = there.cwd / repository.prefix
    cwd = place if place.resolve().is_relative_to(there.cwd.resolve()) and place.is_dir() else there.cwd
    environ = {**there.environ, "GIT_DECIDE_ACTOR": task.actor}
    argv: Sequence[str] | str = task.command
    if task.sandbox:
        inner = ["/bin/sh", "-c", "--", argv] if isinstance(argv, str) else argv
        writable = (there.cwd, folder / PRIVATE)
        readable = (repository.common_dir, repository.git_dir)
        argv = [*sandbox.around(environ, writable=writable, readable=readable, cwd=cwd), *inner]
    outcome = command.run(argv, cwd=cwd, environ=environ, timeout=task.timeout)
    for line in outcome.output.splitlines():
        say(line)
    if outcome.exit_code != 0:
        ended = outcome.note or f"exit code {outcome.exit_code}"
        raise Unfit(f"nothing is proposed, since the command did not end well: {ended}")


def _take_up(repository: Repository, inside: Git, there: Git, folder: Path, task: Task) -> None:
    """Take all that is in the tree into the index; in a sandbox again, since submodules' settings count."""
    if there.cwd.is_symlink() or not there.cwd.is_dir():
        raise Unfit("nothing is proposed: the command removed the folder it ran in")
    environ = {**inside.environ, "GIT_WORK_TREE": str(there.cwd)}
    argv = ["git", *quarantine.STRICT, "add", "--all"]
    if task.sandbox:
        writable = (there.cwd, folder / KEPT)
        readable = (repository.common_dir, repository.git_dir, folder / PRIVATE)
        argv = [*sandbox.around(environ, writable=writable, readable=readable, cwd=there.cwd), *argv]
    outcome = command.run(argv, cwd=there.cwd, environ=environ, timeout=task.timeout)
    if outcome.exit_code != 0:
        said = [line for line in outcome.output.splitlines() if line.startswith(("error: ", "fatal: "))]
        reason = said[0].partition(" ")[2] if said else outcome.note
        raise Unfit(f"nothing is proposed: git cannot take up what is there: {reason}")


def _staged(git: Git, inside: Git, base: str, tree: str) -> Staged:
    """A tree, once it is known that it changes something, and that its patch is fit for the log."""
    before = inside.text("rev-parse", f"{base}^{{tree}}")
    if tree == before:
        raise Unfit("nothing is proposed: nothing was changed")
    patch = patches.made(inside, before, tree)
    patches.check_secrets(inside, before, tree)
    if patches.applied(inside, base, patch) != tree:
        raise Unfit("nothing is proposed: no patch says all that was changed")
    notable = patches.notable(inside, before, tree)
    quarantine.release(git, inside, tree, base)
    return Staged(base, tree, patch, notable)
