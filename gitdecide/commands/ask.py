"""`git decide ask`"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import ROLES, Writing, pass_app
from gitdecide.errors import DecideError, UsageError

if TYPE_CHECKING:
    from gitdecide.entries.names import RecordName
    from gitdecide.entries.types import Mode, Participant


@click.command(cls=Writing)
@click.argument("question")
@click.option("--job", metavar="NAME", help="The job that the question belongs to")
@click.option("--context", multiple=True, metavar="TEXT", help="What is known about it")
@click.option("--option", "options", multiple=True, metavar="TEXT", help="One way to decide")
@click.option("--governs", multiple=True, metavar="PATH", help="A path that the decision will rule over")
@click.option("--link", "links", multiple=True, metavar="URL", help="Where more is said about it")
@click.option(
    "--mode",
    type=click.Choice(["decide", "build", "review", "debate", "consensus"]),
    default="decide",
    show_default=True,
    help="How it is talked over",
)
@click.option("--with", "others", multiple=True, metavar="NAME", help="The other side of a conversation")
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="ROLE=NAME",
    help=f"Who takes part, and as what: {', '.join(ROLES)}",
)
@click.option("--directive", is_flag=True, help="A person asserted this unexamined: it is owed one challenge")
@pass_app
def command(
    app: App,
    question: str,
    job: str | None,
    context: tuple[str, ...],
    options: tuple[str, ...],
    governs: tuple[str, ...],
    links: tuple[str, ...],
    mode: "Mode",
    others: tuple[str, ...],
    roles: tuple[str, ...],
    directive: bool,
    as_json: bool,
) -> None:
    """Ask what is to be decided, and print the new decision record's name"""
    from gitdecide.entries.types import Question

    ruled = app.governed(governs)
    participants = tuple(dict.fromkeys((*_others(app, others, mode), *_participants(roles))))

    def make(number: int) -> Question:
        return Question(
            **app.writer.stamp(),
            number=number,
            question=question,
            mode=mode,
            job=job,
            context=context,
            options=options,
            origin="directive" if directive else None,
            participants=participants,
            governs=ruled,
            links=links,
        )

    name = app.writer.ask(make)
    _warn(app, name)
    if as_json:
        app.out.json({"name": str(name)})
    else:
        app.out.fact(str(name))


def _warn(app: App, asked: "RecordName") -> None:
    """Say what is settled already: it is not asked again."""
    from gitdecide.render.brief import statement
    from gitdecide.work.briefing import settled_before

    with suppress(DecideError):  # it is asked by now, whatever comes of looking around
        snapshot = app.log.snapshot()
        question = snapshot.record(asked).question.entry
        for name, carried in settled_before(app.git, snapshot, question):
            decided = statement(carried.outcome, carried.decision)
            app.out.warning(f"settled already, {carried.label}: {decided} ({name})")


def _others(app: App, typed: Iterable[str], mode: "Mode") -> list["Participant"]:
    """Whom --with names. Raises UsageError for the asker, and for two other sides of a ledger."""
    from gitdecide.entries.conversation import LEDGER_MODES
    from gitdecide.entries.types import Participant
    from gitdecide.work.identity import actor_name

    names = list(dict.fromkeys(actor_name(name) for name in typed))
    if app.writer.identity.name in names:
        raise UsageError(f"the asker is a side already, and --with names the other: {', '.join(names)}")
    if len(names) > 1 and mode in LEDGER_MODES:
        raise UsageError(f"the mode {mode} has two sides: {' and '.join(names)} are one too many")
    return [Participant(actor=name) for name in names]


def _participants(typed: Iterable[str]) -> Iterator["Participant"]:
    """Who takes part. Raises UsageError for an unknown role, and a name that no actor can have."""
    from gitdecide.entries.types import Participant
    from gitdecide.work.identity import actor_name

    for text in typed:
        role, _, name = text.partition("=")
        if role not in ROLES or not name:
            raise UsageError(
                f"not a role and a name: {text}", hint=f"ROLE=NAME; roles are {', '.join(ROLES)}"
            )
        yield Participant(actor=actor_name(name), role=role)
