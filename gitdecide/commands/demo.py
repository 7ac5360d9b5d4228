"""`git decide demo`"""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import click

from gitdecide.app import App
from gitdecide.commands.options import pass_app
from gitdecide.errors import DONE, REFUSED, DecideError
from gitdecide.output import Label


class Step(NamedTuple):
    """What is about to be seen, what one would type, how it must end, and files that are written before."""

    tells: str
    typed: str
    exit_code: int = DONE
    writes: Mapping[str, str] = {}


FILES: Final = {
    "src/engine/__init__.py": "def run(rows):\n    return [row.strip() for row in rows]\n",
    "src/report.py": "import engine\n\nprint(engine.run(engine.load_dataset('data.csv')))\n",
}
"""The engine that nobody opened, and the user's script that calls what it does not have."""

FIXED: Final = {
    "src/report.py": "import engine\n\nprint(engine.run(open('data.csv', encoding='utf-8')))\n",
}
"""The script that reads its rows itself."""

SETTINGS: Final = {
    "user.name": "Ada",
    "user.email": "ada@example.com",
    "commit.gpgSign": "false",
    "core.hooksPath": ".git/hooks",
    "decide.ref": "refs/decisions/log",
}
"""Nothing of the user's own configuration reaches the story."""

STORY: Final = (
    Step("A repository gets its log of decisions, and the hooks that keep it.", "git decide init"),
    Step(
        "A user's script fails: it calls engine.load_dataset. Should the engine get it?",
        'git decide ask "Add load_dataset to the engine, so that the script runs?" --job dataset-feature'
        ' --context "src/report.py calls engine.load_dataset(path)" --option "fix the script"',
    ),
    Step(
        "The researcher agrees, and has read nothing. The vote is stored for what it is.",
        'git decide vote DR-001 support -m "the user\'s code is the spec" --as researcher-1',
    ),
    Step(
        "Staff agrees as well. Two agents agree, and neither has opened the engine: refused.",
        'git decide bind DR-001 adopt "add engine.load_dataset" --as staff',
        REFUSED,
    ),
    Step(
        "Staff opens the engine, and says so.",
        'git decide vote DR-001 inform -m "the premise needs checking first"'
        " --read src/engine/__init__.py --as staff",
    ),
    Step(
        "Something was read now, but code would change and nothing was checked: refused again.",
        'git decide bind DR-001 adopt "add engine.load_dataset" --as staff',
        REFUSED,
    ),
    Step(
        "A command tests the premise, and its exit code answers. It takes a second.",
        'git decide check DR-001 --premise "the engine has load_dataset" --as staff'
        ' -- grep -rq "def load_dataset" src/engine',
    ),
    Step(
        "The premise is false. The decision that the evidence carries is the other one.",
        'git decide bind DR-001 reject "the premise is false, the user\'s code is wrong"'
        " --read src/engine/__init__.py --check last --as staff",
    ),
    Step("All of it stays in the repository.", "git decide show DR-001"),
    Step("So the script is to be fixed.", 'git decide ask "Let the script read its rows itself?"'),
    Step(
        "Somebody is in a hurry, and says that no code changes.",
        'git decide bind DR-002 adopt "read the rows in src/report.py" --no-code'
        " --read src/report.py --as staff",
    ),
    Step("The branch is linked to the decision.", "git decide link DR-002"),
    Step(
        "But code does change, and no premise was checked: the hook refuses the commit.",
        'git commit --all -m "Read the rows in the script"',
        REFUSED,
        FIXED,
    ),
    Step(
        "A real check, against what is committed: does the script want what the engine does not have?",
        'git decide check DR-002 --premise "the script calls load_dataset" --as staff'
        " -- git grep -q load_dataset HEAD -- src/report.py",
    ),
    Step(
        "Decisions are immutable: a new one supersedes the old, and names the check.",
        'git decide supersede DR-002 adopt "read the rows in src/report.py" -m "it does change code"'
        " --read src/report.py --check last --as staff",
    ),
    Step(
        "Now the commit goes in, and names its decision.",
        'git commit --quiet --all -m "Read the rows in the script"',
    ),
    Step("From the code one command leads back to the decision.", "git decide why src/report.py"),
)


@click.command()
@click.argument("folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path))
@pass_app
def command(app: App, folder: Path | None) -> None:
    """Replay a failed decision in a fresh repository

    Real files, real commits and a real grep, in a new folder DIR, or else in a temporary one.
    """
    place = _fresh(app.cwd / folder if folder else None)
    environ = app.git.foreign_environ() | {"GIT_DECIDE_ACTOR": ""}
    _begin(place, environ)
    for step in STORY:
        app.out.fact([Label("dim", f"# {step.tells}")])
        app.out.fact([Label("bold", f"$ {step.typed}")])
        for line in _run(step, place, environ):
            app.out.fact(line)
        app.out.fact()
    app.out.fact(
        f"The repository is yours to look at: cd {shlex.quote(str(place))} && git log -p refs/decisions/log"
    )


def _fresh(folder: Path | None) -> Path:
    """An empty folder. Raises DecideError for one that holds something."""
    if folder is None:
        import tempfile

        return Path(tempfile.mkdtemp(prefix="git-decide-demo-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except OSError as error:
        raise DecideError(f"cannot use {folder}: {error.strerror}") from error
    if occupied:
        raise DecideError(f"the folder is not empty: {folder}", hint="git decide demo NEW-FOLDER")
    return folder


def _begin(place: Path, environ: Mapping[str, str]) -> None:
    """A repository with the files of the story."""
    from gitdecide.git.run import Git

    git = Git(place, environ)
    git.run("init", "--quiet", "--template=", "--initial-branch=main")
    for key, value in SETTINGS.items():
        git.run("config", key, value)
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    git.run("add", ".")
    git.run("commit", "--quiet", "--no-verify", "-m", "An engine, and a script that wants more of it")


def _run(step: Step, place: Path, environ: Mapping[str, str]) -> list[str]:
    """What is printed by what one would type. Raises DecideError when it does not end as it must."""
    import subprocess

    for name, text in step.writes.items():
        (place / name).write_text(text, encoding="utf-8")
    words = shlex.split(step.typed)
    if words[:2] == ["git", "decide"]:
        words[:2] = [sys.executable, "-m", "gitdecide"]
    done = subprocess.run(
        words,
        cwd=place,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    lines = done.stdout.splitlines()
    if done.returncode != step.exit_code:
        raise DecideError(f"{step.typed} ended with {done.returncode}: {' '.join(lines)}")
    return lines
