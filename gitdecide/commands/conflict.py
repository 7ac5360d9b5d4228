"""`git decide conflict`"""

from typing import Literal

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app, read_option, record_argument


@click.command(cls=Writing)
@record_argument
@click.option(
    "--severity",
    type=click.Choice(["suboptimal", "invalidating"]),
    required=True,
    help="suboptimal is called out and proceeds; invalidating blocks",
)
@click.option("-m", "--claim", required=True, metavar="CLAIM", help="What the evidence says")
@click.option("--target", metavar="ID", help="The decision; by default the live one")
@read_option
@pass_app
def command(
    app: App,
    name: str,
    severity: Literal["suboptimal", "invalidating"],
    claim: str,
    target: str | None,
    read: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say that evidence stands against a decision

    An invalidating conflict blocks its decision until that is superseded, or until somebody else rejects the
    conflict with 'git decide answer', naming what was read. Accepting it keeps the decision blocked.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Challenge
    from gitdecide.work.settling import attacked

    evidence = app.evidence(read, name)

    def make(record: DecisionRecord) -> Challenge:
        aim = attacked(record, target)
        fields = app.writer.follow(record)
        return Challenge(**fields, target=aim, claim=claim, severity=severity, read=evidence)

    app.say(name, make, as_json=as_json)
