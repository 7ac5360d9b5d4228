"""`git decide challenge`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app, read_option, record_argument


@click.command(cls=Writing)
@record_argument
@click.argument("claim")
@click.option(
    "--target", metavar="ID", help="The entry objected to; by default the live decision, else the question"
)
@read_option
@pass_app
def command(
    app: App, name: str, claim: str, target: str | None, read: tuple[str, ...], as_json: bool
) -> None:
    """Object to an entry, and say what you read"""
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Challenge

    evidence = app.evidence(read, name)

    def make(record: DecisionRecord) -> Challenge:
        usual = record.live[-1].id if record.live else record.question.id
        aim = usual if target is None else record.find(target)
        return Challenge(**app.writer.follow(record), target=aim, claim=claim, read=evidence)

    app.say(name, make, as_json=as_json)
