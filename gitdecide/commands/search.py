"""`git decide search`"""

from typing import Any

import click

from gitdecide.app import App
from gitdecide.commands.options import filter_options, json_option, pass_app
from gitdecide.errors import UsageError
from gitdecide.output import Label


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@filter_options
@json_option
@pass_app
def command(app: App, /, words: tuple[str, ...], limit: int, as_json: bool, **typed: Any) -> None:
    """Search what was said, newest record first

    Found are the records that say every word, in whichever of their entries: in the question, options,
    reasons, claims, decisions, premises, commands and turns, in what was read, and in names of actors and
    jobs. Capitals and accents do not matter. 'load*' finds words that begin so, '"the premise"' a phrase.
    """
    from gitdecide.store.index.questions import expression, found
    from gitdecide.work.choosing import left_out, summary

    asked = expression(" ".join(words))
    if not asked:
        raise UsageError(
            f"no word to search for: {' '.join(words)}", hint="git decide list shows all records"
        )
    matches, left = app.index.ask(found(asked, app.chosen(**typed), limit))
    if as_json:
        facts = [
            {
                **match.brief.data,
                "match": {
                    "id": match.id,
                    "type": match.type,
                    "actor": match.actor,
                    "excerpt": "".join(match.excerpt),
                },
            }
            for match in matches
        ]
        app.out.json({"records": facts})
    else:
        app.page()
        for match in matches:
            before, found_there, after = match.excerpt
            app.out.fact(summary(match.brief))
            place = [
                "    ",
                Label("dim", match.id[:8]),
                f" {match.type} by ",
                Label("name", match.actor),
                ": ",
            ]
            app.out.fact([*place, before, Label("bold", found_there), after])
        if not matches:
            app.out.note("nothing found")
    if left:
        app.out.note(left_out(left))
