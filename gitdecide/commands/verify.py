"""`git decide verify`"""

from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE, REFUSED
from gitdecide.output import Label

if TYPE_CHECKING:
    from gitdecide.work.unmerged import Unmerged
    from gitdecide.work.verifying import Verification


@click.command()
@click.argument("range_", required=False, metavar="[RANGE]")
@click.option("--log", "other", metavar="REF", help="Judge by our log and this one together")
@json_option
@pass_app
def command(app: App, range_: str | None, other: str | None, as_json: bool) -> int:
    """Say which commits the gate refuses: code whose linked decision nobody checked

    RANGE is as for git log. Without it the commits of HEAD that its upstream does not have are judged, or
    without an upstream those that no remote-tracking branch has. Whoever cannot push the log sends it along:
    --log takes any ref or commit of one, merges nothing, and says what comes from there alone.
    """
    from gitdecide.work import ranges, unmerged, verifying

    judged = ranges.asked(app.git, app.objects, range_)
    log = app.log.tip()
    beside = None if other is None else unmerged.beside(app.log, other)
    log, ref = (beside.commit, beside.ref) if beside else (log, app.log.ref)
    ranges.check_complete(app.git, app.repository, judged, log, ref)
    judge = app.judge(judged.base, log, judged.commits[-1:])
    verification = verifying.Verification(judge, judged.commits)
    source = verifying.policy_source(judge, judged.base)
    if as_json:
        from_there = {"unmerged": beside.records, "faults": beside.faults} if beside else {}
        app.out.json({"base": judged.base, "policy": source, **verification.as_data(), **from_there})
        _warn(app, verification)
        return _ended(verification, beside)
    hints: dict[str, None] = {}
    for finding in verification.findings():
        hints |= {finding.hint: None} if finding.hint else {}
        app.out.fact([Label("bad", f"refused [{finding.code}]: "), finding.line])
    for hint in hints:
        app.out.hint(hint)
    app.out.note(verification.summary(source))
    _warn(app, verification)
    if beside:
        app.out.note(str(beside))
        for fault in beside.faults:
            app.out.error(f"counts for nothing: {fault}")
    if range_ is None and not judged.commits:
        app.out.hint("git decide verify RANGE judges commits that are published already")
    return _ended(verification, beside)


def _ended(verification: "Verification", beside: "Unmerged | None") -> int:
    if beside and beside.faults:
        return DAMAGED
    return REFUSED if verification.refused else DONE


def _warn(app: App, verification: "Verification") -> None:
    """Say which of the linked decisions nobody looked at again in time."""
    for warning in verification.past_review(app.today()):
        app.out.warning(warning)
