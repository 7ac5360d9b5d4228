"""One side of some scripted conversations: syncs, and says its line of each whenever it is its turn.

python -m tests.sync.agent NAME SCRIPTS, in a clone. SCRIPTS is a JSON file: by record, the lines of both
sides in order, each a side and the words of `git decide turn` after the record. A line may be refused once,
as a reminder.
"""

import contextlib
import io
import json
import sys
import time
from pathlib import Path

from gitdecide import cli
from gitdecide.app import App


def run(*args: str) -> tuple[int, str]:
    """How git-decide ended here, and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(App(), list(args))
    sys.stderr.write(f"{args}\n{code}\n{err.getvalue()}")
    return code, out.getvalue()


def turns(record: str) -> int:
    """How many turns this clone knows."""
    code, said = run("show", record, "--json")
    return sum(entry["type"] == "turn" for entry in json.loads(said)["entries"]) if code == 0 else -1


def play(name: str, scripts: dict[str, list[list[str]]]) -> int:
    """Exit code 0 once every line is said and known here."""
    until = time.monotonic() + 300
    while time.monotonic() < until:
        if run("sync")[0]:
            return 1
        left = False
        for record, lines in scripts.items():
            said = turns(record)
            left |= said < len(lines)
            if 0 <= said < len(lines) and lines[said][0] == name:
                words = ("turn", record, *lines[said][1:], "--as", name)
                if run(*words)[0] and run(*words)[0]:
                    return 1
        if not left:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(play(sys.argv[1], json.loads(Path(sys.argv[2]).read_text("utf-8"))))
