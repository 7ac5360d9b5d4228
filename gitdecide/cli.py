"""The root command: every verb in its section, loaded on use, and the only error boundary."""

import importlib
import sys
from collections.abc import Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

import click

from gitdecide import __version__, errors, output
from gitdecide.app import App

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SECTIONS: Final = {
    "Set up": {
        "init": "Begin the log of this repository",
        "actor": "Say who people and agents are",
        "link": "Link the branch to a decision record",
        "unlink": "Link the branch to no decision record",
        "trust": "Say how far an actor is trusted on this machine",
        "hooks": "Install, take away or try the hooks that keep the gate",
        "doctor": "Say what stands in the way here, and what to do about it",
        "completion": "Print what makes a shell complete what you type",
    },
    "Say": {
        "ask": "Ask what is to be decided",
        "vote": "Say what you think of a question, and what you read",
        "check": "Run the command that tests a premise",
        "challenge": "Object to an entry",
        "answer": "Accept or reject a challenge",
        "conflict": "Say that evidence stands against a decision",
        "bind": "Decide an undecided record",
        "supersede": "Replace a decision by a new one",
        "confirm": "Confirm a settled decision that was recorded for you",
        "turn": "Take a turn in a conversation",
        "propose": "Propose a change that a command or a patch makes",
        "proposal": "List, show, apply or discard proposed changes",
        "close": "End a conversation, or a question that nobody will decide",
    },
    "Read": {
        "show": "Show a decision record",
        "list": "List the decision records, newest first",
        "convos": "List the conversations, newest first",
        "log": "Show the log as a story",
        "search": "Search what was said",
        "stats": "Count votes, checks and answers, and what went stale",
        "why": "Lead from code back to the decisions behind it",
        "graph": "Draw decisions, what replaced them, and the code that follows",
        "brief": "Print what whoever plans next must carry",
        "explain": "Explain a rule",
    },
    "Guard": {
        "verify": "Say which commits the gate refuses",
        "review": "Say what the code of a range rests on",
        "recheck": "Run the checks of a record again",
        "lint": "Check the annotations of settled decisions in plans",
        "fsck": "Prove that the log is whole",
    },
    "Share": {
        "sync": "Share the log with a remote",
        "import": "Take in the records of another tool",
        "export": "Write records for other tools",
        "site": "Write the records as pages that any browser shows",
        "mcp": "Serve this repository to an agent, over the Model Context Protocol",
        "agents": "Print what an AGENTS.md tells agents about git-decide",
    },
    "Try": {
        "demo": "Replay a failed decision in a fresh repository",
    },
}
"""The verbs and their summaries: help loads none of them."""

PEERS: Final = {"mcp": "gitdecide.mcp"}
"""A verb that calls the others stands beside them."""

HIDDEN: Final = ("hook",)
"""What the hooks of git call; help does not show it."""


class Root(click.Group):
    """Finds a verb's file by its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of the sections."""
        return [verb for verbs in SECTIONS.values() for verb in verbs]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, loaded now."""
        if cmd_name not in (*self.list_commands(ctx), *HIDDEN):
            return None
        command: click.Command = importlib.import_module(_module(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb and its arguments. Raises UsageError in git's words for what is no verb."""
        if args and not args[0].startswith("-") and args[0] not in (*self.list_commands(ctx), *HIDDEN):
            import difflib

            close = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            hint = f"git decide {close[0]}" if close else "git decide -h lists them"
            raise errors.UsageError(f"'{args[0]}' is not a git decide command", hint=hint)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The verbs that begin so with their summaries, none of them loaded; and the options."""
        from click.shell_completion import CompletionItem

        told = {verb: summary for verbs in SECTIONS.values() for verb, summary in verbs.items()}
        found = [CompletionItem(verb, help=told[verb]) for verb in told if verb.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by section."""
        for section, verbs in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl(list(verbs.items()), col_max=12)


@click.group(
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="'git decide VERB -h' explains a verb; 'git decide demo' shows them at work. A DR is typed as DR-7"
    " or DR-007-3f2a91c0, as the beginning of an entry's id, as a commit that links it, or as . for the"
    " branch's.",
)
@click.version_option(__version__, prog_name="git-decide", message="%(prog)s %(version)s")
def root() -> None:
    """Keep the decisions of a repository, with their evidence, inside the repository

    A yes that does not say what it read is not evidence: git-decide records who was asked, who voted after
    reading what, which command tested the premise, what was decided, and what replaced it.
    """


def _module(verb: str) -> str:
    """The file of a verb; one that Python keeps for itself has a line after its name."""
    return PEERS.get(verb) or f"gitdecide.commands.{verb}{'_' * iskeyword(verb)}"


def run(app: App, args: Sequence[str] | None = None) -> int:
    """Run one command line, and return its exit code; whatever went wrong is said by now."""
    try:
        code = _invoke(app, sys.argv[1:] if args is None else list(args))
        app.close()
    except BaseException as error:  # noqa: BLE001 - the boundary: nothing may pass it as a traceback
        app.abandon()
        code = _say(app.out, error)
    return code


def _invoke(app: App, args: list[str]) -> int:
    """The exit code of a command; click's own main has others for Ctrl-C and closed pipes."""
    try:
        with root.make_context("git decide", args, obj=app) as context:
            code = root.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return code if isinstance(code, int) else errors.DONE


def _say(out: output.Output, error: BaseException) -> int:
    """Print an error as git would, and return its exit code."""
    match error:
        case errors.DecideError():
            _say_ours(out, error)
            return error.exit
        case KeyboardInterrupt() | click.Abort():
            return errors.INTERRUPTED
        case BrokenPipeError():
            return errors.CLOSED_PIPE
        case click.exceptions.NoArgsIsHelpError():
            for line in error.format_message().splitlines():
                out.note(line)
            return errors.USAGE
        case click.UsageError():
            out.error(_lower(error.format_message()))
            if error.ctx:
                out.hint(f"{error.ctx.command_path} -h")
            return errors.USAGE
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            out.error(f"{place}{error.strerror or error}")
            return errors.CANNOT
        case _:
            _confess(out, error)
            return errors.BUG


def _say_ours(out: output.Output, error: errors.DecideError) -> None:
    refusals = getattr(error, "refusals", ())
    hints = set[str | None]()
    for refusal in refusals:
        out.refusal(refusal.code, refusal.message)
        if refusal.hint and refusal.hint not in hints:
            out.hint(refusal.hint)
        hints.add(refusal.hint)
    if not refusals:
        out.error(error.message)
    if error.hint:
        out.hint(error.hint)


def _confess(out: output.Output, error: BaseException) -> None:
    import traceback

    for line in traceback.format_exception(error):
        for part in line.rstrip("\n").split("\n"):
            out.note(part)
    out.error(f"this is a bug in git-decide {__version__}: {type(error).__name__}")
    out.hint("please report it to the makers of git-decide, with the lines above")


def _lower(message: str) -> str:
    line = " ".join(message.split()).rstrip(".")
    return line[:1].lower() + line[1:]
