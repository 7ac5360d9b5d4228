"""`git decide supersede`"""

from typing import Any

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, decision_options, pass_app, record_argument


@click.command(cls=Writing)
@record_argument
@decision_options
@click.option("-m", "--reason", required=True, metavar="WHY", help="Why it changed")
@click.option(
    "--replaces",
    multiple=True,
    metavar="ID",
    help="A decision that it replaces as well, DR-002:ID in another record",
)
@pass_app
def command(
    app: App,
    /,
    name: str,
    read: tuple[str, ...],
    governs: tuple[str, ...],
    replaces: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Replace a decision by a new one

    OUTCOME is adopt, reject or defer. The old decision stays in the log, and its checks are kept unless new
    ones are named. A contested record needs --replaces; the decisions that it does not name stay live.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Decision
    from gitdecide.work.deciding import decided, replaced

    evidence, ruled = app.evidence(read, name), app.governed(governs)

    def make(record: DecisionRecord) -> Decision:
        old = replaced(record, replaces, app.log.snapshot)
        return decided(
            record, read=evidence, governs=ruled, supersedes=old, **app.writer.follow(record), **said
        )

    app.decide(name, make, typed_checks=said["checks"], dry_run=dry_run, as_json=as_json)
