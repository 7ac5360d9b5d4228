"""`git decide turn`"""

import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from gitdecide.app import App
from gitdecide.commands.options import ROLES, Writing, pass_app, record_argument
from gitdecide.errors import UsageError
from gitdecide.output import Label

if TYPE_CHECKING:
    from gitdecide.entries.types import Verb

VERBS: Final = (
    "BRIEF", "EVIDENCE", "COUNTER", "ACCEPT", "CONCEDE", "RED_TEAM", "SIGN",
    "proposition", "rebuttal", "counter", "position", "concession", "synthesis",
)  # fmt: skip


@click.command(cls=Writing)
@record_argument
@click.argument("verb", type=click.Choice(VERBS), metavar="VERB")
@click.argument("headline")
@click.option("-m", "--body", metavar="TEXT", help="All that there is to say")
@click.option("--body-file", metavar="FILE", help="The same from a file, - for standard input")
@click.option("--issue", multiple=True, metavar="ID=STATE[:REASON]", help="Where an issue stands")
@click.option("--new-issue", multiple=True, metavar="TITLE", help="An issue to add to your ledger")
@click.option("--objective", metavar="TEXT", help="What you want, in your first BRIEF to who asked")
@click.option("--gave-up", multiple=True, metavar="TEXT", help="What a RED_TEAM gives up")
@click.option("--signs", metavar="FILE", help="The artefact that a SIGN is for")
@click.option("--position", metavar="TEXT", help="What you stand for, where the headline does not say it")
@click.option("--role", type=click.Choice(ROLES), help="What you speak as in a debate")
@pass_app
def command(
    app: App,
    name: str,
    verb: "Verb",
    headline: str,
    body: str | None,
    body_file: str | None,
    issue: tuple[str, ...],
    new_issue: tuple[str, ...],
    objective: str | None,
    gave_up: tuple[str, ...],
    signs: str | None,
    position: str | None,
    role: str | None,
    as_json: bool,
) -> None:
    """Take a turn in a conversation

    VERB is BRIEF, EVIDENCE, COUNTER, ACCEPT, CONCEDE, RED_TEAM or SIGN; in a debate or for a consensus it is
    proposition, rebuttal, counter, position, concession or synthesis. A reply that leaves the ledger out
    while its issues are open is held back once.
    """
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Turn
    from gitdecide.work.conversing import Reminders, held_back, news, parse_move, said, signature

    _check(verb, headline, gave_up=gave_up, signs=signs)
    words = {
        "verb": verb,
        "headline": headline,
        "body": _body(app, body, body_file),
        "position": position,
        "gave_up": gave_up,
        "signs": signature(Path(app.cwd, signs), signs) if signs is not None else None,
    }
    moves = [parse_move(typed) for typed in issue]
    common_dir = app.repository.common_dir

    def make(record: DecisionRecord) -> Turn:
        turn = said(
            record,
            moves=moves,
            new_issues=new_issue,
            objective=objective,
            role=role,
            **words,
            **app.writer.follow(record),
        )
        return held_back(turn, record, common_dir)

    done = app.say(name, make, as_json=as_json)
    Reminders(common_dir, done.record, done.entry.actor).forget()
    for move in done.entry.ledger:
        if move.title is not None:
            app.out.note(f"{move.issue}: {move.title}")
    for firing in news(done.before, app.log.snapshot().record(done.record)):
        app.out.note([Label("notice", f"{firing.detector}: "), firing.text()])


def _check(verb: str, headline: str, *, gave_up: tuple[str, ...], signs: str | None) -> None:
    """Raise UsageError for what a verb does not take, and for a headline of several lines."""
    if not headline.strip() or any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in headline):
        raise UsageError("the headline is one line of text", hint="-m says the rest")
    if gave_up and verb != "RED_TEAM":
        raise UsageError(f"a {verb} gives nothing up: --gave-up is for RED_TEAM")
    if (signs is not None) != (verb == "SIGN"):
        raise UsageError(
            "a SIGN names what it signs, and only a SIGN does", hint="SIGN HEADLINE --signs FILE"
        )


def _body(app: App, body: str | None, file: str | None) -> str | None:
    """What there is to say. Raises UsageError for two bodies and for bytes that are no text."""
    from gitdecide.entries.document import MAX_BYTES

    if file is None:
        return body
    if body is not None:
        raise UsageError("-m and --body-file say the same thing: give one of them")
    if file == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""
    else:
        with Path(app.cwd, file).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8: {error.reason}") from error
