"""`git decide unlink`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app


@click.command()
@json_option
@pass_app
def command(app: App, as_json: bool) -> None:
    """Link the branch to no decision record"""
    from gitdecide.work import links

    branch = links.link(app.git, None)
    if as_json:
        app.out.json({"branch": branch, "name": None})
    else:
        app.out.note(f"{branch} is linked to no decision")
