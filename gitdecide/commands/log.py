"""`git decide log`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import complete_record, json_option, limit_option, pass_app
from gitdecide.output import Label


@click.command()
@click.argument("name", required=False, metavar="[DR]", shell_complete=complete_record)
@limit_option(0)
@json_option
@pass_app
def command(app: App, name: str | None, limit: int, as_json: bool) -> None:
    """Show the log as a story, newest first: of one decision record, or of all"""
    told = list(app.log.story(app.name(name) if name else None, limit))
    if as_json:
        app.out.json({"commits": [step._asdict() for step in told]})
        return
    app.page()
    for step in told:
        app.out.fact([Label("name", step.commit[:8]), "  ", Label("dim", step.at), "  ", step.subject])
