"""`git decide stats`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app


@click.command()
@json_option
@pass_app
def command(app: App, as_json: bool) -> None:
    """Count votes, checks and answers, and what went stale

    Votes are verified when something was read; votes that echo have the model, the stance and the reading of
    another. An answer is fast within the policy's fast_accept, evidence stale when HEAD has other content.
    """
    from gitdecide.render import counts
    from gitdecide.store.index.numbers import numbers, pins
    from gitdecide.work.reading import at_top
    from gitdecide.work.staleness import staleness

    counted = app.index.ask(numbers(app.policy("HEAD").fast))
    stale = staleness(at_top(app.git, app.repository), app.objects, app.index.ask(pins))
    if as_json:
        app.out.json({**counted, "evidence": stale})
    else:
        app.page()
        app.out.facts(counts.lines(counted, stale))
