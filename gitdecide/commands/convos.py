"""`git decide convos`"""

from itertools import islice

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, limit_option, pass_app
from gitdecide.output import Label


@click.command()
@limit_option(50)
@json_option
@pass_app
def command(app: App, limit: int, as_json: bool) -> None:
    """List the conversations, newest first: name, mode, state and objective

    The state is open, closed, or the detector that ended it: agreement or deadlock.
    """
    from gitdecide.entries.conversation import in_brief

    snapshot = app.log.snapshot()
    found = filter(None, map(in_brief, snapshot.records(snapshot.names())))
    listed = list(islice(found, limit) if limit else found)
    if as_json:
        app.out.json({"convos": listed})
    else:
        app.page()
        for convo in listed:
            words = f"  {convo['mode']:<9}  {convo['state']:<9}  "
            app.out.fact([Label("name", convo["name"]), words, convo["objective"].strip().split("\n")[0]])
    if next(found, None):
        app.out.note("older ones left out (--limit 0 shows all)")
