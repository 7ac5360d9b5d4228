"""`git decide hooks`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DONE, REFUSED
from gitdecide.output import Label


@click.group()
def command() -> None:
    """Install, take away or try the hooks that keep the gate"""


@command.command()
@click.option("--force", is_flag=True, help="Write to a hooks folder outside of this repository, too")
@pass_app
def install(app: App, force: bool) -> None:
    """Put the hooks where git looks for them

    A hook that is there already is kept beside ours, and runs first. In a bare repository the hook for
    servers is installed. Running install again changes nothing.
    """
    from gitdecide.work.hooks import Hooks

    changed = Hooks(app.git, app.repository).install(force=force)
    app.out.note(f"installed: {', '.join(changed)}" if changed else "the hooks are installed already")


@command.command()
@pass_app
def uninstall(app: App) -> None:
    """Take the hooks away, and put back what was there before"""
    from gitdecide.work.hooks import Hooks

    changed = Hooks(app.git, app.repository).uninstall()
    app.out.note(f"uninstalled: {', '.join(changed)}" if changed else "no hook of git-decide is here")


@command.command()
@json_option
@pass_app
def status(app: App, as_json: bool) -> int:
    """Say whether git would call the hooks, by starting them; exit 1 when it would not"""
    from gitdecide.work.hooks import Hooks

    hooks = Hooks(app.git, app.repository)
    states = list(hooks.states())
    if as_json:
        facts = [{**state._asdict(), "path": str(state.path)} for state in states]
        app.out.json({"setting": hooks.setting, "hooks": facts})
    else:
        for state in states:
            color = "good" if state.calls else "bad"
            app.out.fact([f"{state.hook}: ", Label(color, state.says), f": {state.path}"])
        if hooks.setting:
            app.out.note(hooks.setting)
    return DONE if all(state.calls for state in states) else REFUSED
