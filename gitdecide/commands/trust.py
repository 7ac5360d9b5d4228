"""`git decide trust`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import UsageError


@click.command()
@click.argument("name", required=False, metavar="[ACTOR]")
@click.argument("tier", required=False, type=click.IntRange(1, 3), metavar="[TIER]")
@json_option
@pass_app
def command(app: App, name: str | None, tier: int | None, as_json: bool) -> None:
    """Say how far an actor is trusted on this machine; without ACTOR list who is

    TIER is 1, talk (everybody); 2, its checks may be rerun; 3, it may propose. It is kept in this
    repository's git configuration and never shared. Inside an agent environment it cannot be given.
    Checks are rerun when they are signed with the key that the actor has at this moment: look at it first.
    """
    from gitdecide.rules.context import Refusal, Refused
    from gitdecide.work import trust
    from gitdecide.work.identity import actor_name

    if name is None:
        _list(app, as_json=as_json)
        return
    if tier is None:
        raise UsageError("trust takes an actor and a tier", hint=f"git decide trust {name} 1|2|3")
    name = actor_name(name)
    if app.agent:
        said = f"inside {app.agent} nobody is trusted"
        raise Refused([Refusal("R7", said, "a person runs it in their own shell")])
    profile = app.log.snapshot().profile(name) if app.log.tip() else None
    key = profile.key if profile else None
    trust.give(app.git, name, tier, key)
    if as_json:
        app.out.json({"name": name, "tier": tier, "key": key})
    else:
        app.out.note(f"{name} has tier {tier} in this repository, on this machine: {trust.TIERS[tier]}")
    if profile is None:
        app.out.warning(f"the log does not know {name} yet")
    if tier == trust.RERUN:
        app.out.note(f"by the key {key}" if key else "no check is rerun unasked: there is no key yet")


def _list(app: App, *, as_json: bool) -> None:
    from gitdecide.output import Label
    from gitdecide.work import trust

    given = trust.tiers(app.git)
    if as_json:
        app.out.json({"trust": [{"name": name, "tier": tier} for name, tier in given.items()]})
        return
    for name, tier in given.items():
        app.out.fact([Label("name", name), f"  {tier}  {trust.TIERS[tier]}"])
    if not given:
        app.out.note("nobody: every actor has tier 1, and the git identity tier 3")
