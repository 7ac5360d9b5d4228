"""`git decide lint`"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DONE, REFUSED

if TYPE_CHECKING:
    from gitdecide.work.linting import Known


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option(
    "--base", metavar="REV", help="The version in which nothing may have been dropped or turned round"
)
@json_option
@pass_app
def command(app: App, files: tuple[str, ...], base: str | None, as_json: bool) -> int:
    """Check the annotations of settled decisions in plans

    FILES are Markdown or HTML, or folders of such files. Annotations are checked in themselves, against the
    log, and with --base against an earlier version of the same file. What the log does not know is no fault.
    """
    from gitdecide.entries.evidence import stored_path
    from gitdecide.work import linting, planned

    plans = planned.read(app.cwd, files)
    bases = planned.read_at(app.repository, app.objects, base, plans) if base else {}
    marked = any(plan.marks for plan in (*plans.values(), *bases.values()))
    log = list(_known(app)) if marked else []
    found = [
        (file, problem)
        for file, plan in plans.items()
        for problem in linting.problems(plan, log, bases.get(file))
    ]
    if as_json:
        listed = [{"file": stored_path(file), **problem._asdict()} for file, problem in found]
        app.out.json({"findings": listed})
    else:
        app.out.facts(f"{file}:{problem.line}: {problem.message}" for file, problem in found)
    return REFUSED if found else DONE


def _known(app: App) -> Iterator["Known"]:
    """What the log has settled; nothing, and said so, where there is no log to compare with."""
    from gitdecide.git.run import GitError
    from gitdecide.store.log import NoLog
    from gitdecide.work import holding, linting

    try:
        snapshot = app.log.snapshot()
    except (NoLog, GitError) as error:
        app.out.note(f"compared with no log: {error.message}")
        return
    for record in snapshot.records(sorted(holding.holding(app.git, snapshot, [holding.SETTLED]))):
        yield from () if record.damages else linting.known(record)
