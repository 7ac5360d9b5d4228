"""`git decide actor`"""

from typing import Any

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, json_option, pass_app
from gitdecide.output import Label


@click.group(short_help="Say who people and agents are")
def command() -> None:
    """Say who people and agents are

    Whoever is spoken for with --as is an agent until a person says otherwise. Without signatures a name is
    a claim.
    """


@command.command(cls=Writing)
@click.argument("name")
@click.option(
    "--human/--agent",
    "human",
    default=None,
    help="What kind of actor this is; the git identity is a human, anybody else an agent",
)
@click.option("--display-name", metavar="TEXT", help="The name to show")
@click.option("--icon", metavar="TEXT", help="The icon to show")
@click.option("--email", metavar="ADDRESS", help="The e-mail that its commits carry")
@click.option(
    "--key", metavar="KEY", help="The key that it signs with: ssh public key, its .pub file, or fingerprint"
)
@click.option("--model", metavar="NAME", help="The model that an agent runs on")
@pass_app
def add(app: App, /, name: str, human: bool | None, as_json: bool, **said: Any) -> None:
    """Say who an actor is; what is left out stays as it was"""
    from gitdecide.entries.types import Actor
    from gitdecide.store.snapshot import Snapshot
    from gitdecide.work.identity import actor_name
    from gitdecide.work.signing import public_key

    name = actor_name(name)
    if said["key"] is not None:
        said["key"] = public_key(said["key"], app.cwd)

    def make(snapshot: Snapshot) -> Actor:
        known = snapshot.actor(name)
        before = known.latest if known and known.heads else None
        kept: dict[str, Any] = {
            key: getattr(before, key, None) if value is None else value for key, value in said.items()
        }
        return Actor(
            **app.writer.stamp(),
            name=name,
            kind=app.writer.kind(name, snapshot) if human is None else "human" if human else "agent",
            after=known.tips if known else (),
            **kept,
        )

    entry_id = app.writer.register(make)
    app.out.json({"id": entry_id}) if as_json else app.out.fact(entry_id)


@command.command("list")
@json_option
@pass_app
def list_(app: App, as_json: bool) -> None:
    """List the actors that the log knows"""
    from gitdecide.entries.keys import fingerprint

    snapshot = app.log.snapshot()
    known = list(snapshot.actors())
    actors = [
        {
            "name": actor.latest.name,
            "kind": actor.kind,
            "email": actor.latest.email,
            "key": fingerprint(actor.latest.key),
        }
        for actor in known
        if actor.heads
    ]
    if as_json:
        app.out.json({"actors": actors})
    else:
        app.page()
        for actor in actors:
            _tell(app, actor)
    for unproved in (unproved for actor in known for unproved in actor.unproved):
        app.out.warning(f"does not count: {unproved.file}: {unproved.reason}")
    for apart in snapshot.apart:
        app.out.warning(str(apart))
    for damage in (damage for actor in known for damage in actor.damages):
        app.out.warning(f"damaged: {damage.file}: {damage.reason}")


@command.command()
@json_option
@pass_app
def whoami(app: App, as_json: bool) -> None:
    """Say who would speak here"""
    speaker = app.whoami()
    who = {"name": speaker.identity.name, "kind": speaker.kind, "email": speaker.email, "key": speaker.key}
    if as_json:
        app.out.json(who)
    else:
        _tell(app, who)


def _tell(app: App, actor: dict[str, str | None]) -> None:
    name, *more = filter(None, actor.values())
    app.out.fact([Label("name", name), *(f"  {word}" for word in more)])
