"""`git decide link`"""

import click

from gitdecide.app import App
from gitdecide.commands.options import complete_record, json_option, pass_app


@click.command()
@click.argument("name", required=False, metavar="[DR]", shell_complete=complete_record)
@json_option
@pass_app
def command(app: App, name: str | None, as_json: bool) -> None:
    """Link the branch to a decision record, so that its commits name it; without DR show the link"""
    from gitdecide.gate import against
    from gitdecide.work import links

    if name is None:
        _show(app, links.current(app.git), as_json=as_json)
        return
    record = app.record(name)
    branch = links.link(app.git, str(record.name))
    if as_json:
        app.out.json({"branch": branch, "name": str(record.name), "status": record.status})
    else:
        app.out.note(f"{branch} is linked to {record.name}")
    problems = [f"{record.name} is {record.status}"]
    if record.status == "decided":
        problems = [problem for _, problem, _ in against(record)]
    for problem in problems:
        app.out.warning(f"{problem}: commits that change code will be refused")


def _show(app: App, linked: str | None, *, as_json: bool) -> None:
    if as_json:
        app.out.json({"name": linked})
    elif linked:
        app.out.fact(linked)
    else:
        app.out.note("the branch is linked to no decision")
