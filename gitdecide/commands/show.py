"""`git decide show`"""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE
from gitdecide.output import Label, Line

if TYPE_CHECKING:
    from gitdecide.work.commits import Linking


@click.command()
@click.argument("name", required=False, metavar="[DR]")
@click.option(
    "--format", "view", type=click.Choice(["text", "yaml", "jsonl"]), default="text", help="How to show it"
)
@json_option
@pass_app
def command(app: App, name: str | None, view: str, as_json: bool) -> int:
    """Show a decision record; without a name the branch's, else HEAD's, else the newest

    It ends with the commits that link the record, of the newest 500 in HEAD's history.
    """
    from gitdecide.render import RENDERERS, as_data, text
    from gitdecide.rules.warnings import warnings
    from gitdecide.work import commits, freshness, ranges

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
    if as_json:
        more = {"freshness": freshness.as_data(states), "commits": list(map(commits.as_data, linking))}
        app.out.json({**as_data(record, warnings(record, fast)), **more})
    else:
        app.page()
        app.out.facts(text.lines(record, states, fast) if view == "text" else RENDERERS[view](record))
        app.out.facts(_commit_lines(linking))
    return DAMAGED if record.damages else DONE


def _commit_lines(linking: Iterable["Linking"]) -> Iterator[Line]:
    """Each commit, and the first few paths that it changes."""
    from gitdecide.gate import shown

    for commit in linking:
        yield ""
        yield [Label("dim", commit.id[:8]), " ", Label("bold", "commit"), f" {commit.subject}"]
        if commit.paths:
            yield f"    changes: {shown(commit.paths)}"
