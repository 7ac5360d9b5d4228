"""`git decide verify`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DONE, REFUSED
from gitdecide.output import Label


@click.command()
@click.argument("range_", required=False, metavar="[RANGE]")
@json_option
@pass_app
def command(app: App, range_: str | None, as_json: bool) -> int:
    """Say which commits the gate refuses: code whose linked decision nobody checked

    RANGE is as for git log. Without it the commits of HEAD that its upstream does not have are judged, or
    without an upstream those that no remote-tracking branch has.
    """
    from gitdecide.work import ranges, verifying

    judged = ranges.asked(app.git, app.objects, range_)
    ranges.check_complete(app.git, app.repository, judged, app.log.tip(), app.log.ref)
    judge = app.judge(judged.base, app.log.tip())
    findings = verifying.findings(judge, judged.commits)
    if as_json:
        facts = verifying.as_data(judge, findings)
        app.out.json({"commits": len(judged.commits), "findings": facts})
        return REFUSED if facts else DONE
    refused: set[str | None] = set()
    hints: dict[str, None] = {}
    for finding in findings:
        refused.add(finding.commit)
        hints |= {finding.hint: None} if finding.hint else {}
        app.out.fact([Label("bad", f"refused [{finding.code}]: "), finding.line])
    for hint in hints:
        app.out.hint(hint)
    count = len(judged.commits)
    app.out.note(f"{count} commit{'s' * (count != 1)} judged, {len(refused)} refused")
    if range_ is None and not count:
        app.out.hint("git decide verify RANGE judges commits that are published already")
    return REFUSED if refused else DONE
