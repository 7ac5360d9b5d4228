"""`git decide list`"""

from itertools import islice

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app


@click.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    metavar="N",
    help="How many at most; 0 is all",
)
@json_option
@pass_app
def command(app: App, limit: int, as_json: bool) -> None:
    """List the decision records, newest first"""
    from gitdecide.render.text import summary

    snapshot = app.log.snapshot()
    names = snapshot.names()
    records = snapshot.records(islice(names, limit) if limit else names)
    if as_json:
        from gitdecide.render import in_brief

        app.out.json({"records": [in_brief(record) for record in records]})
    else:
        app.page()
        for record in records:
            app.out.fact(summary(record))
            for damage in record.damages:
                app.out.warning(f"{record.name} is damaged: {damage.file}: {damage.reason}")
    if left := next(names, None):
        app.out.note(f"{left.short} and older left out (--limit 0 shows all)")
