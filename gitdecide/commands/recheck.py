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

    Only commands that this clone ran itself, that an actor of trust tier 2 signed, or that recheck.allow in
    .gitdecide.yaml permits, run unasked: names in the log are claims. The others are shown, and need
    --trust. Every result is appended as a new check. It exits with 0 whatever they answer, and with 1 when
    some were not run.
    """
    from contextlib import closing

    from gitdecide.entries.names import actor_path_name
    from gitdecide.work import rechecking
    from gitdecide.work import trust as trust_given
    from gitdecide.work.writer import healthy

    app.speaker = speaker or app.speaker
    record = healthy(app.log.snapshot(), app.name(name))
    commit = app.objects.resolve(f"{revision}^{{commit}}")
    if commit is None:
        raise NotFound(f"no commit {revision}")
    rules = app.policy(rechecking.judged_by(app.git, app.objects)).recheck
    tip = app.log.snapshot().commit
    known = rechecking.vouched(app.git, tip, record, trust_given.keys(app.git))
    chosen = rechecking.select(record, known | rechecking.remembered(app.repository), rules, trust=trust)
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
    tiers = trust_given.tiers(app.git)
    for check in chosen.held:
        trusted = tiers.get(actor_path_name(check.entry.actor), 1) >= trust_given.RERUN
        unsigned = " (whom you trust, but not signed with the key you trust)" if trusted else ""
        app.out.warning(f"not run, recorded by {check.entry.actor}{unsigned}: {check.entry.command_line}")
    if chosen.held:
        app.out.hint(f"read the commands above; git decide recheck {record.name} --trust runs them")
    return REFUSED if chosen.held else DONE
