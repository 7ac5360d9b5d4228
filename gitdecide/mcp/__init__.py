"""`git decide mcp`: the verbs as tools of the Model Context Protocol, for agents."""

from typing import Final

import click

from gitdecide.app import App
from gitdecide.errors import DecideError

ROLES: Final = ("decider", "proposer")
"""Whom a server is for: a proposer binds nothing, and supersedes nothing."""


@click.command()
@click.option("--as", "actor", metavar="NAME", help="Speak as this actor; by default as the client's name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="decider",
    show_default=True,
    help="A proposer is offered nothing that decides",
)
@click.make_pass_decorator(App)
def command(app: App, actor: str | None, role: str) -> int:
    """Serve this repository to an agent, over the Model Context Protocol

    It speaks on standard input and output, one request after the other, as an agent wherever it was started:
    no tool takes a human's name. It needs the extra: pip install 'gitdecide[mcp]'.
    """
    try:
        from gitdecide.mcp import server
    except ImportError as error:
        hint = "pip install 'gitdecide[mcp]'"
        raise DecideError(f"the Model Context Protocol needs the package {error.name}", hint=hint) from error
    from gitdecide.mcp.calls import Calls
    from gitdecide.mcp.tools import tools
    from gitdecide.work.identity import actor_name

    environ = dict(app.environ)
    if actor is not None:
        environ["GIT_DECIDE_ACTOR"] = actor_name(actor)
    return server.serve(Calls(app.cwd, environ), tools(_verb, deciding=role == "decider"))


def _verb(verb: str) -> click.Command:
    """The command of a verb, by the group that this one was called from."""
    root = click.get_current_context().find_root()
    found = root.command.get_command(root, verb) if isinstance(root.command, click.Group) else None
    if found is None:
        raise LookupError(verb)
    return found
