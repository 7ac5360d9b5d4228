"""`git decide site`"""

from pathlib import Path

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--title", default="Decisions", show_default=True, metavar="TEXT", help="What to call the site")
@json_option
@pass_app
def command(app: App, folder: Path, title: str, as_json: bool) -> int:
    """Write the records as pages that any browser shows

    DIR is a new or empty folder, or a site made before: then only what changed is written, pages that are
    gone are removed, and files of others stay. The pages need no server, and ask none for anything. Damaged
    records have pages that say so; the exit code is then 4.
    """
    from gitdecide.work import ranges
    from gitdecide.work.reading import at_top
    from gitdecide.work.site.building import Source, publish

    snapshot = app.log.view(app.log.head(), app.bulk.objects)
    source = Source(snapshot, at_top(app.git, app.repository), app.policy("HEAD").fast)
    if ranges.cut_off(app.repository):
        app.out.warning("this clone is shallow: older commits may link records, or change what was read")
        app.out.hint(f"git fetch --unshallow {ranges.remote(app.git)}")
    published = publish(source, app.cwd / folder, title, app.out.bar())
    if as_json:
        app.out.json(published._asdict())
    else:
        app.out.fact(
            f"{published.files} files: {published.written} written, {published.kept} as they were,"
            f" {published.removed} removed"
        )
    for name in published.damaged:
        app.out.warning(f"{name} is damaged")
    return DAMAGED if published.damaged else DONE
