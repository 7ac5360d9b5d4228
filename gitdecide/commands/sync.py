"""`git decide sync`"""

import sys
from typing import TYPE_CHECKING, Final

import click

from gitdecide.app import App
from gitdecide.commands.options import json_option, pass_app
from gitdecide.errors import CANNOT, DAMAGED, DONE, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitdecide.output import Output
    from gitdecide.work.synced import Synced

NAMED: Final = 20
"""How many lost or damaged files are named; the rest are counted."""


@click.command()
@click.argument("remote", required=False, metavar="[REMOTE]")
@click.option("--from", "address", metavar="URL", help="Take the log of this address into ours, only here")
@json_option
@pass_app
def command(app: App, remote: str | None, address: str | None, as_json: bool) -> int:
    """Share the log with a remote: take what it has, and give it what it lacks

    Without REMOTE it is git's usual one: remote.pushDefault, else the only remote, else the branch's, else
    origin. Entries are never lost on either side, and nobody's are overwritten. Plain `git push` and `git
    fetch` are not needed for it. With --from the log of a fork, a URL or a remote's name, is proved and
    merged here; the next sync pushes it.
    """
    from gitdecide.work.adopting import Adoption, Stranger
    from gitdecide.work.remotes import Remote, choose
    from gitdecide.work.sync import Sync

    if remote and address:
        raise UsageError("one log at a time: REMOTE or --from URL")
    terminal = bool(sys.stdin and sys.stdin.isatty())
    bar = app.out.bar()
    try:
        if address is not None:
            stranger = Stranger(app.log, address, terminal=terminal)
            synced = Adoption(app.log, stranger, app.repository, bar.show).take()
        else:
            there = Remote(app.git, choose(app.git, remote), app.log.ref, terminal=terminal)
            synced = Sync(app.log, there, app.repository, bar.show).run()
    finally:
        bar.clear()
    if as_json:
        app.out.json(synced.as_data)
    else:
        _tell(app.out, synced)
    return _complain(app.out, synced)


def _tell(out: "Output", synced: "Synced") -> None:
    for line in synced.news:
        out.note(line)
    if not synced.news and not synced.denied:
        out.note(f"nothing new here or at {synced.remote}")


def _complain(out: "Output", synced: "Synced") -> int:
    """Say what is wrong, and how the command must end."""
    for name in synced.contested:
        out.warning(f"{name} is contested: more than one decision stands")
        out.hint(f"git decide show {name}")
    for trouble in synced.troubles:
        out.error(trouble.message)
        _name(out, trouble.files)
        out.hint(trouble.hint or "")
    if synced.lost is not None or synced.damages:
        return DAMAGED
    return CANNOT if synced.denied else DONE


def _name(out: "Output", files: "Sequence[str]") -> None:
    for file in files[:NAMED]:
        out.note(f"  {file}")
    if len(files) > NAMED:
        out.note(f"  and {len(files) - NAMED} more")
