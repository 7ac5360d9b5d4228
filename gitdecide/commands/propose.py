"""`git decide propose`"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gitdecide.app import App
from gitdecide.commands.options import Number, Writing, pass_app, record_argument
from gitdecide.errors import NotFound, UsageError

if TYPE_CHECKING:
    from gitdecide.work.proposing import Staged


class Proposing(Writing):
    """A file may give the title; what runs is typed."""

    @property
    def fields(self) -> dict[str, click.Parameter]:
        """What -F may set."""
        return {"title": super().fields["title"]}


@click.command(cls=Proposing)
@record_argument
@click.argument("argv", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option("-c", "shell", metavar="TEXT", help="Run this text with sh -c, instead of a command")
@click.option("--patch", metavar="FILE", help="Propose this patch and run nothing, - for standard input")
@click.option("-m", "--title", metavar="TEXT", help="What the change does")
@click.option("--timeout", type=Number(0), default=600.0, show_default=True, metavar="SECONDS",
              help="End the command after this long; 0 is never")  # fmt: skip
@click.option(
    "--sandbox", is_flag=True, help="Let it write its worktree alone, without a network (bubblewrap)"
)
@pass_app
def command(
    app: App,
    name: str,
    argv: tuple[str, ...],
    shell: str | None,
    patch: str | None,
    title: str | None,
    timeout: float,
    sandbox: bool,
    as_json: bool,
) -> None:
    """Propose a change that a command or a patch makes

    The command runs at HEAD in a throwaway worktree, never in your checkout, and what it leaves there is
    the proposal: one commit on a branch of its own, and its patch in the log. It needs trust tier 3. Without
    --sandbox the command can do on this machine whatever you can.
    """
    from gitdecide.work import proposing

    if shell is not None and not shell.strip():
        raise UsageError("-c takes a command")
    if (bool(argv) + (shell is not None) + (patch is not None)) != 1:
        raise UsageError("propose takes one of: a command after --, -c TEXT, or --patch FILE")
    if title is not None and len(title.splitlines()) != 1:
        raise UsageError("a title is one line")
    if sandbox and patch is not None:
        raise UsageError("--sandbox is for a command, and a patch runs none")
    base = app.objects.resolve("HEAD^{commit}")
    if base is None:
        raise NotFound("HEAD has no commit yet to propose a change to")
    run = shell if shell is not None else argv or None
    fields: dict[str, Any] = {"command": run, "title": title}
    app.log.expect_append()
    app.writer.rehearse(name, lambda record: proposing.proposal(app.writer, record, base, base, fields))
    if patch is not None:
        staged = proposing.by_patch(app.git, app.repository, base, _read(app, patch))
    else:
        actor = app.writer.identity.name
        task = proposing.Task(run or (), actor, timeout or None, sandbox)
        staged = proposing.by_command(app.git, app.repository, base, task, app.out.note)
    _file(app, name, staged, fields, as_json=as_json)


def _file(app: App, name: str, staged: "Staged", fields: dict[str, Any], *, as_json: bool) -> None:
    from gitdecide.work import proposing

    said, commit = proposing.file(app.writer, app.repository, name, staged, fields)
    if as_json:
        branch = said.entry.branch
        app.out.json({"name": str(said.record), "id": said.id, "branch": branch, "commit": commit})
    else:
        app.out.fact(said.id)
        app.out.note(f"{said.entry.branch} has it; git decide proposal diff {said.id[:8]} shows it")
    for notable in staged.notable:
        app.out.warning(notable)


def _read(app: App, file: str) -> bytes:
    """A patch, and at most a byte more than is taken. Raises UsageError for what cannot be read."""
    from gitdecide.work.patches import LIMIT

    try:
        if file == "-":
            return sys.stdin.buffer.read(LIMIT + 1) if sys.stdin else b""
        with Path(app.cwd, file).open("rb") as stream:
            return stream.read(LIMIT + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
