"""`git decide hook`: what the shims call; help does not show it."""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from gitdecide.app import App
from gitdecide.commands.options import pass_app
from gitdecide.errors import DONE, REFUSED, DecideError, UsageError

if TYPE_CHECKING:
    from gitdecide.gate import Finding
    from gitdecide.work.committing import Commit
    from gitdecide.work.pushing import Known, Update


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("hook")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@pass_app
def command(app: App, hook: str, args: tuple[str, ...]) -> int:
    """Do what a hook of git must do"""
    if hook not in HOOKS:
        raise UsageError(f"git-decide has no hook {hook}", hint=f"the hooks are {', '.join(HOOKS)}")
    return HOOKS[hook](app, args)


def _pre_commit(app: App, args: Sequence[str]) -> int:
    commit = _commit(app)
    if commit.link is None:
        return DONE
    if findings := commit.staged():
        return _refuse(app, findings)
    if args:
        commit.leave_note(args[0])
    return DONE


def _commit_msg(app: App, args: Sequence[str]) -> int:
    if not args:
        raise UsageError("commit-msg takes the file that holds the message")
    return _refuse(app, _commit(app).message(app.cwd / args[0]))


def _pre_push(app: App, args: Sequence[str]) -> int:
    from gitdecide.work import pushing

    ref = _log_ref(app)
    lines = _stdin() or pushing.from_framework(app.objects, app.environ)
    name, url = args if len(args) == 2 else pushing.remote_of_framework(app.environ)
    told = list(pushing.pushed(lines))
    updates = [update for local, update in told if local != ref and pushing.holds_code(update.ref, ref)]
    known = pushing.at_remote(app.git, app.objects, name, url)
    code = _judge(app, updates, known, app.objects.resolve(f"{ref}^{{commit}}"))
    if code == DONE and not any(ref in (local, update.ref) for local, update in told):
        _share(app, name)
    return code


def _pre_receive(app: App, args: Sequence[str]) -> int:
    from gitdecide.work import pushing, receiving

    ref = _log_ref(app)
    updates = list(pushing.received(_stdin()))
    receiving.check_public(updates)
    logs = [update for update in updates if update.ref == ref or update.ref.startswith(pushing.LOGS)]
    refused = [refusal for log in logs for refusal in receiving.refusals(app.git, app.objects, log, app.view)]
    for code, message, hint in refused:
        _say(app, code, message, hint)
    if refused:
        return REFUSED
    tip = next((log.new for log in logs if log.ref == ref), None) or app.objects.resolve(f"{ref}^{{commit}}")
    judged = [update for update in updates if pushing.holds_code(update.ref, ref)]
    return _judge(app, judged, pushing.on_server(app.git, app.objects, ref), tip)


def _share(app: App, remote: str) -> None:
    """Sync the log with the remote of a push that passed; whatever goes wrong only warns."""
    from gitdecide.work import autosync

    try:
        if not autosync.wanted(app.log, remote):
            return
        synced = autosync.sync(app.log, remote, app.repository)
    except (DecideError, OSError) as error:
        app.out.warning(f"the decisions were not shared: {error}; git decide sync {remote} tries again")
        return
    for line in synced.news:
        app.out.note(line)
    for name in synced.contested:
        app.out.warning(f"{name} is contested: more than one decision stands")
    for trouble in synced.troubles:
        app.out.warning(trouble.message)


def _judge(app: App, updates: Iterable["Update"], known: "Known", log: str | None) -> int:
    """Print what the gate finds against a push, and say how the hook must end."""
    from gitdecide.work.pushing import Push

    refused = False
    push = Push(app.git, app.objects, lambda base, tips: app.judge(base, log, tips), known)
    for finding, refuses in push.verdicts(updates):
        refused |= refuses
        if refuses:
            _say(app, finding.code, finding.line, finding.hint)
        else:
            app.out.warning(f"[{finding.code}] {finding.line}")
    return REFUSED if refused else DONE


def _refuse(app: App, findings: Iterable["Finding"]) -> int:
    code = DONE
    for finding in findings:
        _say(app, finding.code, finding.line, finding.hint)
        code = REFUSED
    return code


def _say(app: App, code: str, message: str, hint: str | None) -> None:
    app.out.refusal(code, message)
    if hint:
        app.out.hint(hint)


def _commit(app: App) -> "Commit":
    from gitdecide.work.committing import Commit

    git_dir = app.cwd / (app.environ.get("GIT_DIR") or ".git")
    log = app.objects.resolve(f"{_log_ref(app)}^{{commit}}")
    judge = app.judge("HEAD", log)
    return Commit(app.git, git_dir if git_dir.is_dir() else app.repository.git_dir, judge)


def _log_ref(app: App) -> str:
    from gitdecide.store.layout import DEFAULT_REF

    return app.git.config("decide.ref") or DEFAULT_REF


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


HOOKS: Final[dict[str, Callable[[App, Sequence[str]], int]]] = {
    "pre-commit": _pre_commit,
    "commit-msg": _commit_msg,
    "pre-push": _pre_push,
    "pre-receive": _pre_receive,
}
