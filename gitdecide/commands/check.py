"""`git decide check`"""

from typing import Any, Final

import click

from gitdecide.app import App
from gitdecide.commands.options import Number, Writing, pass_app, record_argument, said_with_file, typed
from gitdecide.errors import DONE, REFUSED, UsageError


class ExitCode(click.IntRange):
    """What a command may exit with."""

    name = "exit code"


class Checking(Writing):
    """A check's command may be a list, which is argv, or a text, which `sh -c` runs."""

    def accept(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What a file says, with a command that is a text given as -c gives it."""
        if isinstance(fields.get("command"), str):
            return {("shell" if key == "command" else key): value for key, value in fields.items()}
        return fields

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A command that is typed in one form takes the place of one that a file gives in the other."""
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = "git decide check DR -- COMMAND: what comes after -- is the command's own"
            raise UsageError(f"no such option '{error.option_name}'", hint=hint) from None
        with ctx.scope(cleanup=False):
            if typed("command") and not typed("shell"):
                ctx.params["shell"] = None
            if typed("shell") and not typed("command"):
                ctx.params["command"] = ()
        return rest


SHOWN_LINES: Final = 5
"""How much is shown of what a command printed when its premise does not hold."""

_CODE: Final = ExitCode(0, 255)


@click.command(cls=Checking)
@record_argument
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option("-c", "shell", metavar="TEXT", help="Run this text with sh -c, instead of a command")
@click.option("--premise", metavar="TEXT", help="What the exit code says is true or not")
@click.option(
    "--holds-on", multiple=True, type=_CODE, metavar="EXIT", help="An exit code by which it holds (0)"
)
@click.option(
    "--fails-on", multiple=True, type=_CODE, metavar="EXIT", help="An exit code by which it fails (1)"
)
@click.option("--report", "exit_code", type=_CODE, metavar="EXIT", help="Run nothing: it ended so elsewhere")
@click.option("--not-applicable", metavar="NOTE", help="No command can test this, and why")
@click.option("--timeout", type=Number(0), default=600.0, show_default=True, metavar="SECONDS",
              help="End the command after this long; 0 is never")  # fmt: skip
@click.option("--no-output", is_flag=True, help="Keep nothing of what it prints")
@click.option("--note", metavar="TEXT", help="Something to know about it")
@click.option("--exit-code", "by_result", is_flag=True, help="Exit 0 when it holds, 1 otherwise")
@pass_app
def command(
    app: App,
    /,
    name: str,
    exit_code: int | None,
    not_applicable: str | None,
    timeout: float,
    no_output: bool,
    by_result: bool,
    as_json: bool,
    **said: Any,
) -> int:
    """Run the command that tests a premise, and record how it ended

    Exit 0 says that the premise holds, 1 that it fails. Anything else answers nothing: a mistyped path makes
    grep exit 2, and that is no evidence. The command runs without a shell, its input closed. The end of what
    it prints goes into the log, which is shared; --no-output keeps it out.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Check
    from gitdecide.work.checks import planned, summary

    plan = planned(**said)
    fields = plan.unrun(exit_code, not_applicable)
    if fields is None:
        if said_with_file() and not typed("command", "shell"):
            raise UsageError("a check given with -F is reported: it needs exit_code, or not_applicable")
        expected = plan.reported(0)
        app.log.expect_append()
        app.writer.rehearse(name, lambda record: Check(**app.writer.follow(record), **expected))
        fields = plan.ran(app.git, app.repository, app.objects, timeout or None, keep_output=not no_output)

    def make(record: DecisionRecord) -> Check:
        return Check(**app.writer.follow(record), **fields)

    filed = app.say(name, make, as_json=as_json)
    check = filed.entry
    if check.source == "ran":
        from gitdecide.work.rechecking import remember

        remember(app.repository, filed.id)
    app.out.note(summary(check))
    if check.result != "holds":
        for line in (check.output or "").splitlines()[-SHOWN_LINES:]:
            app.out.note(f"    {line}")
    if check.exit_code is None and isinstance(check.command, tuple) and " " in check.command[0]:
        app.out.hint(f"git decide check {name} -c TEXT runs a text with sh -c")
    return REFUSED if by_result and check.result != "holds" else DONE
