"""`git decide doctor`"""

import sys
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import UsageError
from gitdecide.output import Label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitdecide.work.doctor import Point

COLORS = {"ok": "good", "advice": "notice", "wrong": "bad"}


@click.command()
@click.option("--remote", "ask_remote", is_flag=True, help="Ask the remote, too: would it take the log?")
@click.argument("remote", required=False, metavar="[REMOTE]")
@json_option
@pass_app
def command(app: App, ask_remote: bool, remote: str | None, as_json: bool) -> int:
    """Say what stands in the way here, and what to do about it

    Who would speak, whether the hooks are called, how the log is and whether it can be written, what a crash
    left behind. With --remote, whether REMOTE can be reached, has the log, and takes it from us: a scratch
    ref is pushed for that, and deleted again at once. Ends with 1 when something is wrong.
    """
    if remote and not ask_remote:
        raise UsageError("a remote is asked with --remote", hint=f"git decide doctor --remote {remote}")
    points = []
    for point in _points(app, remote, ask_remote=ask_remote):
        points.append(point)
        if not as_json:
            app.out.fact([Label(COLORS[point.level], f"{point.level:6} "), f"{point.name}: {point.says}"])
            app.out.facts(f"       {line}" for line in (point.do or "").splitlines())
    if as_json:
        app.out.json({"points": [_as_data(point) for point in points]})
    return max(point.exit for point in points)


def _points(app: App, remote: str | None, *, ask_remote: bool) -> "Iterator[Point]":
    from gitdecide.git.bulk import way
    from gitdecide.work import doctor

    patient = doctor.Patient(
        git=app.git,
        objects=app.objects,
        repository=lambda: app.repository,
        log=lambda: app.log,
        way=lambda: way(app.git, app.repository, app.objects),
        now=app.now,
    )
    yield from doctor.examine(patient)
    if ask_remote:
        yield from doctor.probe(patient, remote, terminal=bool(sys.stdin and sys.stdin.isatty()))


def _as_data(point: "Point") -> dict[str, object]:
    return {"name": point.name, "level": point.level, "says": point.says, "do": point.do}
