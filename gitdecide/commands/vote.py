"""`git decide vote`"""

from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, confidence_option, pass_app, read_option, record_argument

if TYPE_CHECKING:
    from gitdecide.entries.types import Stance


@click.command(cls=Writing)
@record_argument
@click.argument("stance", type=click.Choice(["support", "oppose", "inform", "abstain"]), metavar="STANCE")
@click.option("-m", "--reason", required=True, metavar="WHY", help="Why")
@read_option
@click.option(
    "--not-checked", multiple=True, metavar="WHAT", help="What you did not look at: code, tests, CI, …"
)
@confidence_option
@click.option("--model", metavar="NAME", help="The model that an agent runs on")
@pass_app
def command(
    app: App,
    name: str,
    stance: "Stance",
    reason: str,
    read: tuple[str, ...],
    not_checked: tuple[str, ...],
    confidence: float | None,
    model: str | None,
    as_json: bool,
) -> None:
    """Say what you think of a question, and what you read

    STANCE is support, oppose, inform or abstain. Support with nothing read is stored as support_unverified:
    it informs, and never binds. A vote replaces your earlier votes.
    """
    from gitdecide.entries.types import Vote

    evidence = app.evidence(read, name)
    app.say(
        name,
        lambda record: Vote.said(
            stance,
            evidence,
            **app.writer.follow(record),
            reason=reason,
            not_checked=not_checked,
            confidence=confidence,
            model=model,
        ),
        as_json=as_json,
    )
