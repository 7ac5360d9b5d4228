"""`git decide link`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app, record_argument


@click.command()
@record_argument
@json_option
@pass_app
def command(app: App, name: str, as_json: bool) -> None:
    """Link the branch to a decision record, so that its commits name it"""
    from gitdecide.work import links

    record = app.record(name)
    branch = links.link(app.git, str(record.name))
    if as_json:
        app.out.json({"branch": branch, "name": str(record.name), "status": record.status})
    else:
        app.out.note(f"{branch} is linked to {record.name}")
    if record.status != "decided":
        app.out.warning(f"{record.name} is {record.status}: commits that change code will be refused")
