"""`git decide confirm`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app, record_argument


@click.command(cls=Writing)
@record_argument
@click.option("--decision", metavar="ID", help="The decision; by default the newest that awaits it")
@pass_app
def command(app: App, name: str, decision: str | None, as_json: bool) -> None:
    """Confirm a settled decision that was recorded for you

    Nobody else confirms it, and nothing is confirmed inside an agent environment.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Confirm
    from gitdecide.work.settling import labelled

    def make(record: DecisionRecord) -> Confirm:
        return Confirm(**app.writer.follow(record), decision=labelled(record, decision))

    app.say(name, make, as_json=as_json)
