"""`git decide brief`"""

from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE, UsageError

if TYPE_CHECKING:
    from gitdecide.render.brief import View


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "yaml"]),
    default="text",
    show_default=True,
    help="How to show it",
)
@click.option(
    "--facts-only", is_flag=True, help="Without the reasons: facts scope the work, advocacy anchors"
)
@click.option("--blind", is_flag=True, help="Without any marker of what is settled, for whoever validates")
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Only what has to do with this path")
@click.option("--job", metavar="NAME", help="Only what belongs to this job")
@click.option("--budget", type=click.IntRange(1), metavar="WORDS", help="The most relevant that fits")
@json_option
@pass_app
def command(
    app: App,
    form: str,
    facts_only: bool,
    blind: bool,
    paths: tuple[str, ...],
    job: str | None,
    budget: int | None,
    as_json: bool,
) -> int:
    """Print what whoever plans next must carry

    Settled decisions, directives and whether their one challenge is spent, challenges of directives that
    nobody answered, and open areas. The same log gives the same bytes.
    """
    from gitdecide.render import brief as render
    from gitdecide.work import briefing

    if facts_only and blind:
        raise UsageError("--blind leaves out all that --facts-only keeps")
    view: View = "blind" if blind else "facts" if facts_only else "full"
    snapshot = app.log.snapshot()
    damaged = False
    records = []
    for record in snapshot.records(briefing.relevant(app.git, snapshot)):
        for damage in record.damages:
            damaged = True
            app.out.warning(f"{record.name} is damaged: {damage.file}: {damage.reason}")
        if not record.damages:
            records.append(record)
    whole = briefing.brief(records, app.governed(paths), job)
    told = whole.within(budget, view) if budget else whole
    if as_json:
        app.out.json(render.as_data(told, view))
    else:
        app.page()
        app.out.facts(render.as_yaml(told, view) if form == "yaml" else render.lines(told, view))
    if left := len(whole.items) - len(told.items):
        app.out.note(f"{left} left out: they do not fit into {budget} words")
    return DAMAGED if damaged else DONE
