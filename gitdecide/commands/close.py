"""`git decide close`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app, record_argument
from gitdecide.output import Label


@click.command(cls=Writing)
@record_argument
@click.option("-m", "--reason", required=True, metavar="WHY", help="Why")
@pass_app
def command(app: App, name: str, reason: str, as_json: bool) -> None:
    """End a conversation, or a question that nobody will decide

    It takes no more turns. What the detectors saw is said once more.
    """
    from gitdecide.entries.conversation import folded
    from gitdecide.entries.types import Close

    said = app.say(name, lambda record: Close(**app.writer.follow(record), reason=reason), as_json=as_json)
    conversation = folded(app.log.snapshot().record(said.record))
    for firing in conversation.fired if conversation else ():
        app.out.note([Label("notice", f"{firing.detector}: "), firing.text()])
