"""`git decide bind`"""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, decision_options, pass_app, record_argument
from gitdecide.errors import UsageError

if TYPE_CHECKING:
    from gitdecide.entries.record import DecisionRecord


@click.command(cls=Writing)
@record_argument
@partial(decision_options, required=False)
@click.option(
    "--from-ledger", is_flag=True, help="Decide what both sides of the conversation agreed, without a TEXT"
)
@pass_app
def command(
    app: App,
    /,
    name: str,
    read: tuple[str, ...],
    governs: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    from_ledger: bool,
    **said: Any,
) -> None:
    """Decide an undecided record

    OUTCOME is adopt, reject or defer. A decision binds on a verified vote that backs it, or on what you read
    yourself. One that changes code names a check: adopt is taken to, unless --no-code; reject and defer are
    not, unless --code.

    With --from-ledger the issues that both sides of a conversation agreed are adopted, and those that they
    left open, parked or escalated are the dissent.
    """
    from gitdecide.entries.types import Decision
    from gitdecide.work.deciding import decided

    if not from_ledger and said["decision"] is None:
        raise UsageError("OUTCOME and TEXT are missing", hint="or --from-ledger, after a conversation")
    if from_ledger and said["decision"] is not None:
        raise UsageError("the ledger gives the TEXT: leave it out, or --from-ledger")

    evidence, ruled = app.evidence(read, name), app.governed(governs)

    def make(record: "DecisionRecord") -> Decision:
        words = _agreed(app, record, said) if from_ledger else said
        return decided(record, read=evidence, governs=ruled, **app.writer.follow(record), **words)

    app.decide(name, make, typed_checks=said["checks"], dry_run=dry_run, as_json=as_json)


def _agreed(app: App, record: "DecisionRecord", said: dict[str, Any]) -> dict[str, Any]:
    """What is said, with what the ledgers of a conversation agreed as the decision."""
    from gitdecide.work.conversing import settled

    return said | settled(record, app.writer.identity.name, said)
