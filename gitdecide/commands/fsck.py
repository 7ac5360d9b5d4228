"""`git decide fsck`"""

from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE, DecideError
from gitdecide.output import Label

if TYPE_CHECKING:
    from gitdecide.audit import Finding


@click.command()
@click.option("--full", is_flag=True, help="Prove everything, also what was proved before")
@json_option
@pass_app
def command(app: App, full: bool, as_json: bool) -> int:
    """Prove that the log is whole

    That it only grew, that every file is what its name says, and that every entry kept the rules when it was
    added. What was proved once is not proved again.
    """
    from gitdecide.audit import Audit
    from gitdecide.audit.proof import Proof

    tip = _tip(app)
    common_dir = app.repository.common_dir
    snapshot = app.log.view(tip)
    by = snapshot.judged_by
    proof = Proof(common_dir, by) if full else Proof.read(common_dir, app.git, tip, by)
    bar = app.out.bar()
    with app.bulk.objects as objects:
        audit = Audit(app.git, objects, tip, [proof.tip] if proof.tip else [], bar.show, snapshot.signatures)
        found = [*proof.newer, *audit.findings()]
    bar.clear()
    faults = [finding for finding in found if finding.fault]
    if not faults:
        proof.keep(tip, found)
    if as_json:
        facts = [{**finding._asdict(), "fault": finding.fault} for finding in found]
        app.out.json({"tip": tip, "commits": audit.commits, "findings": facts})
    else:
        app.out.facts(map(_line, found))
        before = " after what was proved before" if proof.tip else ""
        app.out.note(f"{_count(audit.commits, 'commit')}{before}, {_count(len(faults), 'fault')}")
    return DAMAGED if faults else DONE


def _tip(app: App) -> str:
    """The newest commit of the log. Raises NoLog, and DecideError for what never was a log."""
    from gitdecide.audit.proof import leads
    from gitdecide.audit.roots import root_id

    try:
        return app.log.snapshot().commit
    except DecideError:
        tip = app.log.tip()
        if tip and leads(app.git, root_id(len(tip)), tip):
            return tip
        raise


def _line(finding: "Finding") -> list[str]:
    color, word = ("bad", "damaged") if finding.fault else ("notice", "unknown")
    if finding.kind.startswith("R"):
        word = "refused"
    place = " ".join(filter(None, [finding.commit[:12], finding.path]))
    return [Label(color, f"{word} [{finding.kind}]: "), f"{place}: {finding.message}"]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"
