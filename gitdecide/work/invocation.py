"""How git was called to commit: the options that no setting tells, where the system shows them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

PROCESS: Final = "GIT_DECIDE_COMMIT"
"""The variable in which the shim of commit-msg tells the process id of git."""


class Options(NamedTuple):
    """What the command line of `git commit` says about the message; None where it says nothing."""

    cleanup: str | None
    template: str | None
    verbose: bool | None


def options(process: str) -> Options | None:
    """The options of the `git commit` that runs under this process id; None where it cannot be seen."""
    try:
        line = Path(f"/proc/{int(process)}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    program, *words = line.decode("utf-8", "surrogateescape").split("\0")[:-1] or [""]
    if not Path(program).name.startswith("git") or "commit" not in words:
        return None
    return parse(words[words.index("commit") + 1 :])


def parse(words: Sequence[str]) -> Options:
    """The options among the words that follow `git commit`."""
    verbose = True if _given(words, "verbose", "v") is not None else None
    return Options(
        cleanup=_given(words, "cleanup"),
        template=_given(words, "template", "t"),
        verbose=False if "--no-verbose" in words else verbose,
    )


def _given(words: Sequence[str], long: str, short: str = "") -> str | None:
    """The last value of an option: git takes the beginning of a long name for all of it."""
    value = None
    # Among letters that stand together, those that take a value end them.
    letters = re.compile(rf"-[^-CFSctmu]*{short}(?P<value>.*)", re.DOTALL)
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == "--":
            break
        name, joined, rest = word.partition("=")
        if len(name) > 2 and f"--{long}".startswith(name):
            value = rest if joined else following
        elif short and (match := letters.fullmatch(word)):
            value = match["value"] or following
    return value
