"""`git decide recheck`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app, record_argument
from gitdecide.errors import DONE, REFUSED, NotFound


@click.command()
@record_argument
@click.option("--at", "revision", default="HEAD", metavar="REV", help="The commit to run them at (HEAD)")
@click.option("--trust", is_flag=True, help="Run also what others recorded, whatever it is")
@click.option("--as", "speaker", metavar="NAME", help="Speak as this actor")
@json_option
@pass_app
def command(app: App, name: str, revision: str, trust: bool, speaker: str | None, as_json: bool) -> int:
    """Run the checks of a record again, in a throwaway worktree

    Only commands that this clone ran itself, or that recheck.allow in .gitdecide.yaml permits, run unasked:
    names in the log are claims. What others recorded is shown, and needs --trust. Every result is appended
    as a new check. It exits with 0 whatever they answer, and with 1 when some were not run.
    """
    from contextlib import closing

    from gitdecide.work import rechecking
    from gitdecide.work.writer import healthy

    app.speaker = speaker or app.speaker
    record = healthy(app.log.snapshot(), app.name(name))
    commit = app.objects.resolve(f"{revision}^{{commit}}")
    if commit is None:
        raise NotFound(f"no commit {revision}")
    rules = app.policy(rechecking.judged_by(app.git, app.objects)).recheck
    chosen = rechecking.select(record, rechecking.remembered(app.repository), rules, trust=trust)
    if not any(chosen):
        raise NotFound(
            f"{record.name} has no command to run", hint=f"git decide check {record.name} -- COMMAND"
        )
    again = rechecking.rerun(app.git, app.repository, app.writer, record.name, chosen, commit, rules.timeout)
    facts = []
    with closing(again):
        for rerun in again:
            facts.append(rerun.as_data())
            if not as_json:
                app.out.fact(f"{rerun.now.id}  {rerun.change}: {rerun.now.entry.command_line}")
    if as_json:
        app.out.json({"checks": facts, "held": [check.id for check in chosen.held]})
    for check in chosen.held:
        app.out.warning(f"not run, recorded by {check.entry.actor}: {check.entry.command_line}")
    if chosen.held:
        app.out.hint(f"read the commands above; git decide recheck {record.name} --trust runs them")
    return REFUSED if chosen.held else DONE
