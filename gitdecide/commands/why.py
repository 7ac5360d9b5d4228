"""`git decide why`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.output import Label


@click.command()
@click.argument("path", metavar="PATH[:LINE[-LINE]]")
@json_option
@pass_app
def command(app: App, path: str, as_json: bool) -> None:
    """Lead from code back to the decisions behind it, newest first"""
    from gitdecide.entries.evidence import stored_path
    from gitdecide.render import in_brief
    from gitdecide.store.index import questions
    from gitdecide.work import ranges, reasons
    from gitdecide.work.governing import governing
    from gitdecide.work.reading import at_top

    snapshot = app.log.snapshot()
    top = at_top(app.git, app.repository)
    place = reasons.place(app.repository, app.objects, path)
    commits = reasons.behind(top, place)
    wordings = governing(top, app.index.ask(questions.governing), place.path)
    names = app.index.ask(questions.governed_by(wordings)) if wordings else ()
    found = list(reasons.reasons(snapshot, commits, names))
    if ranges.cut_off(app.repository).intersection(commit.id for commit in commits):
        app.out.warning(f"the history of {place.path} is cut off: this clone is shallow")
        app.out.hint(f"git fetch --unshallow {ranges.remote(app.git)}")
    if unknown := reasons.unknown(snapshot, commits):
        app.out.warning(f"linked, and not known here: {', '.join(unknown)}")
    facts = [
        {"commit": commit, "became": reasons.became(record), **in_brief(record)} for record, commit in found
    ]
    if as_json:
        app.out.json({"path": stored_path(place.path), "lines": place.lines, "reasons": facts})
        return
    app.page()
    for fact in facts:
        by = fact["commit"][:8] if fact["commit"] else "governs "
        title = (fact["question"] or "").strip().partition("\n")[0]
        called_out = "  [conflict]" if fact["conflicts"] else ""
        said = f"  {fact['became']}  {title}{called_out}"
        app.out.fact([Label("dim", by), "  ", Label("name", fact["name"]), said])
    if not facts:
        app.out.note(f"no decision is linked to {place.path}")
