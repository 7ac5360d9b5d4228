"""`git decide explain`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import NotFound


@click.command()
@click.argument("code", required=False)
@json_option
@pass_app
def command(app: App, code: str | None, as_json: bool) -> None:
    """Explain a rule, or what the gate asks; without a code all of them"""
    from gitdecide.gate import GATE
    from gitdecide.rules import explanations

    known = {**explanations(), **{gate: f"{gate}: {asked}" for gate, asked in GATE.items()}}
    if code is not None and code.upper() not in known:
        raise NotFound(f"no rule {code}", hint=f"the rules are {', '.join(known)}")
    asked = {code.upper(): known[code.upper()]} if code else known
    if as_json:
        app.out.json({"rules": asked})
        return
    app.page()
    for index, text in enumerate(asked.values()):
        app.out.facts([*([""] if index else []), *text.split("\n")])
