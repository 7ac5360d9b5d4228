"""`git decide bind`"""

from typing import Any

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, decision_options, pass_app, record_argument


@click.command(cls=Writing)
@record_argument
@decision_options
@pass_app
def command(
    app: App,
    /,
    name: str,
    read: tuple[str, ...],
    governs: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Decide an undecided record

    OUTCOME is adopt, reject or defer. A decision binds on a verified vote that backs it, or on what you read
    yourself. One that changes code names a check: adopt is taken to, unless --no-code; reject and defer are
    not, unless --code.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Decision
    from gitdecide.work.deciding import decided

    evidence, ruled = app.evidence(read, name), app.governed(governs)

    def make(record: DecisionRecord) -> Decision:
        return decided(record, read=evidence, governs=ruled, **app.writer.follow(record), **said)

    app.decide(name, make, typed_checks=said["checks"], dry_run=dry_run, as_json=as_json)
