"""`git decide show`"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from gitdecide.app import App
from gitdecide.commands.options import complete_record, json_option, pass_app
from gitdecide.errors import DAMAGED, DONE, DecideError, UsageError
from gitdecide.output import Label, Line

if TYPE_CHECKING:
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.work.commits import Linking


@click.command()
@click.argument("name", required=False, metavar="[DR]", shell_complete=complete_record)
@click.option(
    "--format",
    "view",
    type=click.Choice(["text", "markdown", "json", "yaml", "jsonl", "file"]),
    default="text",
    show_default=True,
    help="How to show it",
)
@click.option("--as", "side", metavar="NAME", help="The side of a conversation whose decision file it is")
@json_option
@pass_app
def command(app: App, name: str | None, view: str, side: str | None, as_json: bool) -> int:
    """Show a decision record; without a name the branch's, else HEAD's, else the newest

    It ends with the commits that link the record, of the newest 500 in HEAD's history.
    """
    from gitdecide.render import PORTRAYING, RENDERERS, as_data
    from gitdecide.rules.warnings import warnings
    from gitdecide.work import commits, freshness, ranges

    if side is not None and view != "file":
        raise UsageError("only the decision file is a side's", hint="--format file --as NAME")
    record = app.record(name)
    whole = as_json or view == "text"
    states = app.freshness(record) if whole else {}
    fast = app.policy("HEAD").fast if whole else timedelta()
    linking = commits.linking(app.git, app.log.snapshot(), record.name) if whole else []
    if whole and ranges.cut_off(app.repository):
        app.out.warning(f"this clone is shallow: older commits may link {record.name}")
        app.out.hint(f"git fetch --unshallow {ranges.remote(app.git)}")
    for damage in record.damages:
        app.out.warning(f"damaged: {damage.file}: {damage.reason}")
    speakers = {entry.actor for _, entry in record.entries}
    for apart in app.log.snapshot().apart:
        if apart.actor in speakers:
            app.out.warning(str(apart))
    if as_json:
        more = {"freshness": freshness.as_data(states), "commits": list(map(commits.as_data, linking))}
        app.out.json({**as_data(record, warnings(record, fast, app.today())), **more})
    else:
        app.page()
        known: dict[str, Any] = {}
        if view == "text":
            known = {"states": states, "fast_accept": fast, "today": app.today()}
        elif view in PORTRAYING:
            known = {"profile": app.log.snapshot().profile}
        elif view == "file":
            known = _seen_by(app, record, side)
        app.out.facts(RENDERERS[view](record, **known))
        app.out.facts(_commit_lines(linking))
    return DAMAGED if record.damages else DONE


def _seen_by(app: App, record: "DecisionRecord", side: str | None) -> dict[str, Any]:
    """What the decision file needs beside its record: the named side's view, else ours where we are one."""
    from gitdecide.entries.conversation import sides
    from gitdecide.entries.types import Proposal
    from gitdecide.render.file import fingerprint_of
    from gitdecide.work.identity import actor_name

    def known_by(name: str) -> str | None:
        known = app.log.snapshot().actor(name)
        if not (known and known.heads):
            return None
        newest = max(known.heads, key=lambda head: (head.entry.at, head.id))
        return fingerprint_of(known.latest.key, newest.id)

    def patch(blob: str) -> str:
        return app.objects.blob(blob).decode("utf-8", "backslashreplace")

    us = None if side is None else actor_name(side)
    with suppress(DecideError):  # nobody may be known here, and the file can be read all the same
        if us is None and app.writer.identity.name in (sides(record.question.entry) or ()):
            us = app.writer.identity.name
    patches = {proposal.patch: patch(proposal.patch) for _, proposal in record.of(Proposal)}
    return {"side": us, "known_by": known_by, "patches": patches}


def _commit_lines(linking: Iterable["Linking"]) -> Iterator[Line]:
    """Each commit, and the first few paths that it changes."""
    from gitdecide.gate import shown

    for commit in linking:
        yield ""
        yield [Label("dim", commit.id[:8]), " ", Label("bold", "commit"), f" {commit.subject}"]
        if commit.paths:
            yield f"    changes: {shown(commit.paths)}"
