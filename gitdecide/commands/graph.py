"""`git decide graph`"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from gitdecide.app import App
from gitdecide.commands.options import complete_record, json_option, pass_app
from gitdecide.errors import DAMAGED, DONE

if TYPE_CHECKING:
    from gitdecide.entries.names import RecordName

STATUSES: Final = ("blocked", "contested", "decided", "superseded", "imported", "closed", "open")


@click.command()
@click.argument("names", nargs=-1, metavar="[DR]...", shell_complete=complete_record)
@click.option(
    "--format",
    "view",
    type=click.Choice(["mermaid", "dot", "json"]),
    default="mermaid",
    show_default=True,
    help="How to draw it",
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(STATUSES),
    metavar="STATUS",
    help=f"Only records of this status: {', '.join(STATUSES)}",
)
@json_option
@pass_app
def command(app: App, names: tuple[str, ...], view: str, statuses: tuple[str, ...], as_json: bool) -> int:
    """Draw decisions, what replaced them, and the code that follows

    Without a DR all records are drawn, with the conflicts and proposals in them, and the commits that link
    them, of the newest 500 in HEAD's history. Damaged ones are left out and named; the exit code is then 4.
    """
    from gitdecide.render import graph
    from gitdecide.work import commits

    snapshot = app.log.snapshot()
    chosen: Iterable[RecordName] = dict.fromkeys(map(app.name, names)) if names else snapshot.names()
    wanted = {*(statuses or STATUSES), "damaged"}
    records = [record for record in snapshot.records(chosen) if record.status in wanted]
    sound = [record for record in records if not record.damages]
    linked = [
        graph.Linked(commit.id, commits.spelled(commit.subject), links)
        for commit, links in commits.links(app.git, snapshot)
    ]
    drawn = graph.graph(sound, linked)
    if as_json or view == "json":
        app.out.json(graph.as_data(drawn))
    else:
        app.page()
        app.out.facts(graph.dot(drawn) if view == "dot" else graph.mermaid(drawn))
    for record in records:
        for damage in record.damages[:1]:
            app.out.warning(f"left out: {record.name} is damaged: {damage.file}: {damage.reason}")
    return DONE if len(sound) == len(records) else DAMAGED
