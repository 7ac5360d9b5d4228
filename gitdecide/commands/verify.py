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
    judge = app.judge(judged.base, app.log.tip(), judged.commits[-1:])
    verification = verifying.Verification(judge, judged.commits)
    source = verifying.policy_source(judge, judged.base)
    if as_json:
        app.out.json({"base": judged.base, "policy": source, **verification.as_data()})
        return REFUSED if verification.refused else DONE
    hints: dict[str, None] = {}
    for finding in verification.findings():
        hints |= {finding.hint: None} if finding.hint else {}
        app.out.fact([Label("bad", f"refused [{finding.code}]: "), finding.line])
    for hint in hints:
        app.out.hint(hint)
    app.out.note(verification.summary(source))
    if range_ is None and not judged.commits:
        app.out.hint("git decide verify RANGE judges commits that are published already")
    return REFUSED if verification.refused else DONE
