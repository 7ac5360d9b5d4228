"""`git decide agents`"""

from typing import Final

import click

from gitdecide.app import App
from gitdecide.commands.options import pass_app

PARAGRAPH: Final = """\
## Decisions

This repository keeps its decisions, and what they rest on, with `git decide`.

- Before you change code, read what was decided: `git decide why PATH`, `git decide brief --path PATH`, `git decide search WORD`, `git decide show DR`.
- Ask what others must live with: `git decide ask "QUESTION" --option "ONE WAY" --option "ANOTHER"`. It prints the DR's name.
- Vote on what you really read, and say what you did not: `git decide vote DR inform -m "WHY" --read PATH:1-9 --not-checked tests`.
- Test the premise by a command: `git decide check DR --premise "WHAT IS TRUE" -- COMMAND`.
- Decide, by adopt, reject or defer: `git decide bind DR adopt "WHAT" --check last --read PATH`. Change it later: `git decide supersede DR reject "WHAT" -m "WHY IT CHANGED" --read PATH`.
- Before you commit: `git decide link DR`. The commit then names the DR, and the hook refuses it unless the DR allows it.
- A refusal names its rule and a hint: do what the hint says. `git decide explain R3` says why. Never invent what was read or how a command ended, and never commit with `--no-verify`.
- Speak as yourself: if `git decide actor whoami` names a person, set GIT_DECIDE_AGENT to your name. What a person chose is recorded with their own words, `--settled user-directed --over "ANOTHER" --because "WHY" --by NAME --said "QUOTE"`, and theirs to confirm.
"""  # noqa: E501 - a paragraph for agents, who wrap no lines


@click.command()
@pass_app
def command(app: App) -> None:
    """Print what an AGENTS.md tells agents about git-decide

    In Markdown: git decide agents >> AGENTS.md
    """
    app.out.facts(PARAGRAPH.splitlines())
