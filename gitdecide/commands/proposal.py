"""`git decide proposal`"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import complete_record, json_option, pass_app
from gitdecide.errors import DONE, REFUSED, DecideError
from gitdecide.output import Label, Line

if TYPE_CHECKING:
    from gitdecide.work.applying import Found

_COLORS = {"+": "good", "-": "bad", "@": "name", "d": "bold"}
"""How a line of a patch is painted, by how it begins."""

id_argument = click.argument("typed", metavar="ID")


@click.group(short_help="List, show, apply or discard proposed changes")
def command() -> None:
    """List, show, apply or discard proposed changes

    ID is what propose printed, or the beginning of it.
    """


@command.command("list")
@click.argument("name", required=False, metavar="[DR]", shell_complete=complete_record)
@json_option
@pass_app
def list_(app: App, name: str | None, as_json: bool) -> None:
    """List the proposals of a record, or of all"""
    from gitdecide.entries.types import Proposal
    from gitdecide.work.applying import Found

    snapshot = app.log.snapshot()
    names = [app.name(name)] if name else list(snapshot.holding("proposal"))
    records = snapshot.records(names)
    found = [Found(record.name, *filed) for record in records for filed in record.of(Proposal)]
    if as_json:
        app.out.json({"proposals": [_data(app, each) for each in found]})
        return
    app.page()
    for each in found:
        about = each.entry.title or each.entry.command_line
        app.out.fact([
            Label("dim", each.id[:8]), f"  {each.record}  {each.entry.branch}  ",
            Label("name", each.entry.actor), f"  {about}" if about else "",
        ])  # fmt: skip


@command.command()
@id_argument
@json_option
@pass_app
def show(app: App, typed: str, as_json: bool) -> None:
    """Say what is known of a proposal"""
    from gitdecide.work import applying

    found = applying.find(app.log.snapshot(), typed)
    patch = _patch(app, found)
    try:
        notable = applying.notable(app.git, app.repository, found.entry.base, patch)
    except DecideError:
        notable = None
    if as_json:
        app.out.json({**_data(app, found), "notable": notable})
        return
    app.page()
    app.out.facts(_lines(app, found))
    app.out.facts(f"    {line}" for line in applying.statistics(app.git, patch))
    for line in notable or ():
        app.out.warning(line)
    if notable is None:
        app.out.warning(f"it cannot be tried on {found.entry.base}, the commit that it was made on")


@command.command()
@id_argument
@pass_app
def diff(app: App, typed: str) -> None:
    """Print the patch of a proposal

    A file or a pipe gets it byte for byte.
    """
    from gitdecide.work import applying

    patch = _patch(app, applying.find(app.log.snapshot(), typed))
    if not app.out.stdout.isatty():
        app.out.raw(patch)
        return
    app.page()
    for line in patch.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n"):
        app.out.fact([Label(_COLORS[line[0]], line)] if line[:1] in _COLORS else line)


@command.command()
@id_argument
@click.option("--merge", is_flag=True, help="Merge it, and leave conflicts in the files")
@click.option("--yes", is_flag=True, help="Apply also what changes links, submodules or attributes")
@pass_app
def apply(app: App, typed: str, merge: bool, yes: bool) -> int:
    """Make a proposed change to your checkout and index

    All of it or nothing. The branch is then linked to the record; committing is left to you.
    """
    from gitdecide.work import applying, links
    from gitdecide.work.writer import healthy

    found = applying.find(app.log.snapshot(), typed)
    record = healthy(app.log.snapshot(), found.record)
    patch = _patch(app, found)
    unmerged: list[str] = []
    if merge:
        unmerged = applying.merge(app.git, app.repository, found.entry.base, patch, confirmed=yes)
    else:
        applying.apply(app.git, app.repository, patch, confirmed=yes)
    for path in unmerged:
        app.out.warning(f"in conflict: {path}")
    linked = links.current(app.git)
    if links.branch(app.git) is None:
        app.out.warning(f"HEAD is on no branch, so nothing is linked to {record.name}")
    elif linked != str(record.name):
        branch = links.link(app.git, str(record.name))
        was = f", and was to {linked}" if linked else ""
        app.out.note(f"{branch} is linked to {record.name}{was}")
    if record.status != "decided":
        app.out.warning(f"{record.name} is {record.status}: commits that change code will be refused")
    return REFUSED if unmerged else DONE


@command.command()
@id_argument
@pass_app
def discard(app: App, typed: str) -> None:
    """Remove the branch of a proposal

    The log keeps what was proposed.
    """
    from gitdecide.work import applying

    found = applying.find(app.log.snapshot(), typed)
    if applying.discard(app.git, found, _patch(app, found)):
        app.out.note(f"removed the branch {found.entry.branch}; the log keeps the proposal")
    else:
        app.out.note(f"there is no branch {found.entry.branch} here; the log keeps the proposal")


def _patch(app: App, found: "Found") -> bytes:
    return app.log.snapshot().patch(found.record, found.entry.patch)


def _data(app: App, found: "Found") -> dict[str, object]:
    import msgspec

    fields = msgspec.to_builtins(found.entry)
    tip = found.tip(app.objects)
    return {"name": str(found.record), "id": found.id, **fields, "commit": tip}


def _lines(app: App, found: "Found") -> Iterator[Line]:
    entry = found.entry
    yield [Label("dim", found.id), " by ", Label("name", entry.actor), f", {entry.at[:16]}".replace("T", " ")]
    here = "" if found.tip(app.objects) else ", which is not here"
    for word, text in (
        ("title", entry.title),
        ("for", str(found.record)),
        ("on", entry.base),
        ("branch", f"{entry.branch}{here}"),
        ("made by", entry.command_line),
    ):
        if text:
            yield f"    {word}: {text}"
