"""`git decide export`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import pass_app
from gitdecide.errors import DAMAGED, DONE, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitdecide.entries.record import DecisionRecord

FORMATS = ("jsonl", "json", "markdown", "yaml", "madr", "json-adr")


@click.command()
@click.argument("form", type=click.Choice(FORMATS), metavar="FORMAT")
@click.argument("names", nargs=-1, metavar="[DR]...")
@click.option("-o", "--output", metavar="DIR", help="Write a file a record into this folder")
@click.option("--force", is_flag=True, help="Write over files that are not as we wrote them")
@pass_app
def command(app: App, form: str, names: tuple[str, ...], output: str | None, force: bool) -> int:
    """Write records for other tools: those named, else all

    FORMAT is jsonl, for evidence records; json or markdown, for the decision records of debates; madr, for
    Markdown files of MADR 4; json-adr, for JSON-ADR; or yaml, for the entries as they are stored. Without
    --output all go to standard output as one text. A file that is as it should be is not touched.
    """
    from gitdecide.work import exporting

    app.log.objects = app.bulk.objects
    damaged = list[str]()
    records = _records(app, names, damaged)
    profile = app.log.snapshot().profile
    if output is not None:
        written = exporting.write(Path(app.cwd, output), form, records, profile, force=force)
        app.out.note(f"{written.changed} written, {written.same} as they were")
    else:
        if form in exporting.ALONE and len(names) != 1:
            raise UsageError(f"{form} is a file a record", hint=f"git decide export {form} --output DIR")
        app.out.facts(exporting.text(form, records, profile))
    for name in damaged:
        app.out.warning(f"{name} is damaged, and left out")
    return DAMAGED if damaged else DONE


def _records(app: App, names: tuple[str, ...], damaged: list[str]) -> "Iterator[DecisionRecord]":
    """The records that are meant, each once and by their numbers; the damaged ones are only named."""
    snapshot = app.log.snapshot()
    chosen = {app.name(name) for name in names} if names else set(snapshot.names())
    bar = app.out.bar()
    for done, record in enumerate(snapshot.records(sorted(chosen))):
        bar.show(done / len(chosen))
        if record.damages:
            damaged.append(str(record.name))
        else:
            yield record
    bar.clear()
