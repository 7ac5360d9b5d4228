"""`git decide init`"""

import sys
from typing import TYPE_CHECKING

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import DecideError

if TYPE_CHECKING:
    from gitdecide.work.remotes import Remote


@click.command()
@click.option("--no-hooks", is_flag=True, help="Install no hooks")
@json_option
@pass_app
def command(app: App, no_hooks: bool, as_json: bool) -> None:
    """Begin the log of this repository

    The log is one ref, refs/decisions/log (git config decide.ref names another one). Where the remote has a
    log, that becomes the log here, and from now on `git fetch` brings what others decided. Running init
    again changes nothing. The hooks are installed as `git decide hooks install` does it.
    """
    from gitdecide.work.hooks import Hooks

    remote = _remote(app)
    adopted = _adopt(app, remote) if remote and app.log.tip() is None else None
    started = not adopted and app.log.start()
    if remote:
        remote.add_fetch_line()
    if as_json:
        app.out.json({"ref": app.log.ref, "started": started, "adopted": adopted})
    elif not adopted:
        app.out.note(
            f"{'started the decision log' if started else 'the decision log exists already'}: {app.log.ref}"
        )
    if not no_hooks:
        installed = Hooks(app.git, app.repository).install()
        if installed and not as_json:
            app.out.note(f"installed the hooks {', '.join(installed)}")


def _remote(app: App) -> "Remote | None":
    """The remote that the log will be shared with, where there is one."""
    from gitdecide.work.remotes import Remote, choose

    try:
        name = choose(app.git)
    except DecideError:
        return None
    return Remote(app.git, name, app.log.ref, terminal=bool(sys.stdin and sys.stdin.isatty()))


def _adopt(app: App, remote: "Remote") -> str | None:
    """The name of the remote whose log is ours now; one that cannot be asked stops nothing."""
    from gitdecide.work.remotes import Unreachable
    from gitdecide.work.sync import Sync

    bar = app.out.bar()
    sync = Sync(app.log, remote, app.repository, bar.show)
    try:
        adopted = sync.adopt()
    except Unreachable as error:
        app.out.warning(error.message)
        app.out.hint(f"git decide sync {remote.name} joins this log with its own, once it answers")
        return None
    finally:
        bar.clear()
    if adopted is None:
        return None
    app.out.note(f"adopted the decision log of {remote.name}: {adopted}")
    for damage in sync.damages[:1]:
        app.out.warning(f"it has faults: {damage.file}: {damage.reason}")
        app.out.hint("git decide fsck names them all")
    return remote.name
