"""`git decide answer`"""

from typing import Literal

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app, read_option, record_argument


@click.command(cls=Writing)
@record_argument
@click.argument("to", metavar="CHALLENGE")
@click.argument("outcome", type=click.Choice(["accept", "reject"]), metavar="OUTCOME")
@click.option("-m", "--reason", required=True, metavar="WHY", help="Why")
@read_option
@pass_app
def command(
    app: App,
    name: str,
    to: str,
    outcome: Literal["accept", "reject"],
    reason: str,
    read: tuple[str, ...],
    as_json: bool,
) -> None:
    """Accept or reject a challenge, and say what you read

    OUTCOME is accept or reject.
    """
    from gitdecide.entries.types import Answer

    evidence = app.evidence(read, name)
    said = app.say(
        name,
        lambda record: Answer(
            **app.writer.follow(record), to=record.find(to), outcome=outcome, reason=reason, read=evidence
        ),
        as_json=as_json,
    )
    app.warn(said)
