"""How the options of `git commit` are read from its command line, and what holds where they cannot be."""

from collections.abc import Callable

import pytest

from gitdecide.work.invocation import Options, options, parse
from tests.conftest import Done
from tests.hooks.conftest import Place, Records, passed, refused

LINES = {
    "": (None, None, None),
    "-qm text": (None, None, None),
    "-v": (None, None, True),
    "-av --no-verbose": (None, None, False),
    "--verb --cleanup strip": ("strip", None, True),
    "--cl=scissors --cleanup=verbatim": ("verbatim", None, None),
    "-t file": (None, "file", None),
    "-aqtfile": (None, "file", None),
    "--template=file": (None, "file", None),
    "-mtext -Ftv -uvt -Cvt --no-edit": (None, None, None),
    "-- -v -t file --cleanup=strip": (None, None, None),
}


@pytest.mark.parametrize("line", LINES)
def test_options_are_read_as_git_reads_them(line: str) -> None:
    """Joined letters, shortened names and values in either form; paths are none."""
    assert parse(line.split()) == Options(*LINES[line])


@pytest.mark.parametrize("process", ["", "x", "-1", "0"])
def test_what_is_no_git_tells_nothing(process: str) -> None:
    """Only the command line of a `git commit` is read."""
    assert options(process) is None


def test_a_command_line_out_of_sight_lets_nothing_bad_pass(
    place: Place, records: Records, editor: Callable[[str], dict[str, str]]
) -> None:
    """The message is judged both as git reads it with comments and without; the usual one passes."""
    hook = place.hooks / "commit-msg"
    told = 'export GIT_DECIDE_COMMIT="$PPID"\n'
    assert told in hook.read_text()
    hook.write_text(hook.read_text().replace(told, ""))
    place.policy()
    place.stage()

    def commit(text: str, *args: str) -> Done:
        script = f'printf \'{text}\' | cat - "$1" >n && mv n "$1"'
        return place.git("commit", "-q", *args, **editor(script))

    refused(commit("#12 mend\\n\\nDecision: DR-999\\n", "--cleanup=verbatim"), "G1", "DR-999")
    refused(commit(f"# a comment\\nDecision: {records.adopted}\\n"), "G8")
    passed(commit(f"code\\n\\nDecision: {records.adopted}\\n"))
    assert place.message() == f"code\n\nDecision: {records.adopted}"
