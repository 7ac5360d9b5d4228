"""`git decide list`"""

from typing import Any

import click

from gitdecide.app import App
from gitdecide.commands.options import filter_options, json_option, pass_app
from gitdecide.errors import DAMAGED, DONE


@click.command()
@filter_options
@json_option
@pass_app
def command(app: App, /, limit: int, as_json: bool, **typed: Any) -> int:
    """List the decision records, newest first

    Damaged ones are listed as such, and the exit code is then 4. A time is a date, or what git takes for
    one: yesterday, 2.weeks.ago.
    """
    from gitdecide.store.index.questions import listed
    from gitdecide.work.choosing import left_out, summary

    wanted = app.chosen(**typed)
    newest = limit + 1 if limit and not wanted.chooses else None
    briefs, left = app.index.ask(listed(wanted, limit), newest)
    if as_json:
        app.out.json({"records": [brief.data for brief in briefs]})
    else:
        app.page()
        for brief in briefs:
            app.out.fact(summary(brief))
            for damage in brief.data["damages"] if brief.status == "damaged" else ():
                app.out.warning(f"{brief.name} is damaged: {damage['file']}: {damage['reason']}")
    if left:
        app.out.note(left_out(left))
    return DAMAGED if any(brief.status == "damaged" for brief in briefs) else DONE
