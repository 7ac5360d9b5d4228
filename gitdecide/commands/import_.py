"""`git decide import`"""

from collections import Counter

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app
from gitdecide.errors import DONE, REFUSED
from gitdecide.output import Label

FORMATS = ("adr-tools", "brief", "json", "jsonl", "log4brains", "madr")
COLORS = {"taken": "good", "changed": "good", "refused": "bad"}


@click.command(cls=Writing)
@click.argument("form", type=click.Choice(FORMATS), metavar="FORMAT")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and write nothing")
@pass_app
def command(app: App, form: str, paths: tuple[str, ...], dry_run: bool, as_json: bool) -> int:
    """Take in the records of another tool: files, or folders of them

    FORMAT is adr-tools, madr or log4brains, for folders of Markdown files; jsonl, for evidence records, one a
    line; json, for the decision records of debates, in folders those named DR-*.json; or brief, for what
    'git decide brief --format yaml' writes. What was imported is never live and passes no gate until it is
    bound anew; importing it twice adds nothing. What is refused is named, with exit code 1; the rest goes in.
    """
    from gitdecide.work.importing import Import, sources

    app.log.objects = app.bulk.objects  # through git, every entry would cost a process
    found = sources(form, paths, app.cwd, app.repository)
    outcomes = Import(app.writer, form, found, app.out.bar).run(dry_run=dry_run)
    if as_json:
        app.out.json({"files": [outcome.as_data() for outcome in outcomes]})
    for outcome in () if as_json else outcomes:
        app.out.fact(
            [Label(COLORS.get(outcome.fate, "dim"), f"{outcome.fate}: "), f"{outcome.file}: {outcome.said}"]
        )
    fates = Counter(outcome.fate for outcome in outcomes)
    if outcomes:
        app.out.note(", ".join(f"{count} {fate}" for fate, count in fates.items()))
    else:
        app.out.note(f"no file there is named as those of {form} are")
    if dry_run:
        app.out.note("nothing was written: this is what would happen")
    return REFUSED if fates["refused"] else DONE
