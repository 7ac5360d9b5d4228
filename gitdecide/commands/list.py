"""`git decide list`"""

from itertools import islice

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE


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
def command(app: App, limit: int, as_json: bool) -> int:
    """List the decision records, newest first

    Damaged ones are listed as such, and the exit code is then 4.
    """
    from gitdecide.render.text import summary

    snapshot = app.log.snapshot()
    names = snapshot.names()
    records = snapshot.records(islice(names, limit) if limit else names)
    code = DONE
    if as_json:
        from gitdecide.render import in_brief

        listed = [in_brief(record) for record in records]
        app.out.json({"records": listed})
        code = DAMAGED if any(record["damages"] for record in listed) else DONE
    else:
        app.page()
        for record in records:
            app.out.fact(summary(record))
            for damage in record.damages:
                code = DAMAGED
                app.out.warning(f"{record.name} is damaged: {damage.file}: {damage.reason}")
    if left := next(names, None):
        app.out.note(f"{left.short} and older left out (--limit 0 shows all)")
    return code
