"""`git decide review`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DAMAGED, DONE, REFUSED


@click.command()
@click.argument("range_", required=False, metavar="[BASE..HEAD]")
@click.option(
    "--format",
    "view",
    type=click.Choice(["text", "markdown", "html"]),
    default="text",
    help="How to show it; markdown is for one comment of a pull request",
)
@click.option("--log", "other", metavar="REF", help="Judge by our log and this one together")
@click.option("--recheck", is_flag=True, help="Run the checks again that the base's policy permits")
@json_option
@pass_app
def command(app: App, range_: str | None, view: str, other: str | None, recheck: bool, as_json: bool) -> int:
    """Say what the code of a range rests on, for whoever reviews it

    It tells of every commit what the gate says, and of every decision that the commits link, or that governs
    what they change, who read what, which premise was tested, and what stands against it. The range is chosen
    as by verify. The same range and log make the same bytes, whenever they are reviewed.

    Nothing is run, unless --recheck is given; what that finds is shown beside the old result, and written
    nowhere. It exits with 1 when a commit is refused, or a premise no longer holds.
    """
    import msgspec

    from gitdecide.render.review import REVIEW_RENDERERS
    from gitdecide.work import ranges, unmerged, verifying
    from gitdecide.work.reviewing import Reviewer

    judged = ranges.asked(app.git, app.objects, range_)
    log = app.log.tip()
    beside = None if other is None else unmerged.beside(app.log, other)
    seen, ref = (beside.commit, beside.ref) if beside else (log, app.log.ref)
    ranges.check_complete(app.git, app.repository, judged, seen, ref)
    judge = app.judge(judged.base, seen, judged.commits[-1:])
    reviewer = Reviewer(judge, judged, app.index if log else None, beside)
    again = reviewer.recheck(app.git, app.repository) if recheck else None
    review = reviewer.review(verifying.policy_source(judge, judged.base), again)
    if as_json:
        app.out.json(msgspec.to_builtins(review))
    else:
        if view == "text":
            app.page()
        app.out.facts(REVIEW_RENDERERS[view](review))
    if review.count("damaged") or (beside and beside.faults):
        return DAMAGED
    return REFUSED if review.count("refused") or review.broken else DONE
