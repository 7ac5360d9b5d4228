"""`git decide ask`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import Writing, pass_app


@click.command(cls=Writing)
@click.argument("question")
@click.option("--job", metavar="NAME", help="The job that the question belongs to")
@click.option("--context", multiple=True, metavar="TEXT", help="What is known about it")
@click.option("--option", "options", multiple=True, metavar="TEXT", help="One way to decide")
@click.option("--governs", multiple=True, metavar="PATH", help="A path that the decision will rule over")
@click.option("--link", "links", multiple=True, metavar="URL", help="Where more is said about it")
@pass_app
def command(
    app: App,
    question: str,
    job: str | None,
    context: tuple[str, ...],
    options: tuple[str, ...],
    governs: tuple[str, ...],
    links: tuple[str, ...],
    as_json: bool,
) -> None:
    """Ask what is to be decided, and print the new decision record's name"""
    from gitdecide.entries.types import Question

    ruled = app.governed(governs)

    def make(number: int) -> Question:
        return Question(
            **app.writer.stamp(),
            number=number,
            question=question,
            mode="decide",
            job=job,
            context=context,
            options=options,
            governs=ruled,
            links=links,
        )

    name = app.writer.ask(make)
    if as_json:
        app.out.json({"name": str(name)})
    else:
        app.out.fact(str(name))
