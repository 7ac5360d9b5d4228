"""What the pages show is what the program prints."""

import difflib
import itertools
from pathlib import Path

import pytest

from tests.docs import console
from tests.docs.snapshots import GENERATED, ROOT, pages

RENEW = "python -m tests.docs.snapshots writes what is printed now"


@pytest.mark.parametrize("name", pages())
def test_the_session_of_a_page_goes_as_it_shows(name: str, tmp_path: Path) -> None:
    """Typed by a reader, the commands of a page print what the page says."""
    page = (ROOT / name).read_text("utf-8")

    played = console.play(page, tmp_path)

    assert played
    wrong = [
        f"$ {step.command}\n"
        + "\n".join(difflib.unified_diff(step.expected, shown, "page", "printed", lineterm=""))
        for step, shown in ((each.step, each.shown) for each in played if not each.as_written)
    ]
    assert not wrong, "\n".join([*wrong, RENEW])


def test_every_page_that_shows_the_program_is_played() -> None:
    """The README, the tutorial and the recipes are among the sessions."""
    assert {
        "README.md",
        "docs/tutorial.md",
        "docs/how-to.md",
        "docs/rules.md",
        "docs/gate.md",
        "docs/log-format.md",
    } <= set(pages())


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    """The reference, the man page and the schema are what the program makes of itself."""
    kept = (ROOT / name).read_text("utf-8").splitlines()
    made = GENERATED[name]().splitlines()

    differences = list(itertools.islice(difflib.unified_diff(kept, made, "kept", "made", lineterm=""), 40))

    assert not differences, "\n".join([*differences, RENEW])


def page(*lines: str) -> str:
    return "\n".join(["# A page", "", "```console", *lines, "```", ""])


def played(text: str, folder: Path) -> list[bool]:
    folder.mkdir()
    return [each.as_written for each in console.play(text, folder)]


def test_a_session_is_one_shell(tmp_path: Path) -> None:
    """Folders, variables and exit codes stay from one command to the next, and from block to block."""
    first = page("$ mkdir inner && cd inner && word=kept", "$ false", "$ echo $?", "1")
    second = page(
        "$ echo $word in ${PWD##*/}",
        "kept in inner",
        "$ cat <<END",
        "> one",
        ">   two",
        "> END",
        "one",
        "  two",
    )

    assert played(first + second, tmp_path / "a") == [True] * 5


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        (["at 2026-10-19 09:14"], True),
        (["at 2026-10-19T09:14:03.482913Z"], True),
        (["at noon"], False),
        (["at 2026-10-19 09:14", "more"], False),
        ([], False),
        (["…"], True),
        (["…", "after"], False),
    ],
)
def test_output_is_compared_apart_from_times(tmp_path: Path, shown: list[str], same: bool) -> None:
    """A page that shows other words, lines too many or none is found out; another time is not."""
    assert played(page("$ echo at 2020-01-02 03:04", *shown), tmp_path / "a") == [same]


def test_an_id_of_the_page_stands_for_one_id_of_the_run(tmp_path: Path) -> None:
    """Ids are paired where they are printed, and typed as the run knows them; confused ones are found out."""
    made = "$ echo $(printf one | git hash-object --stdin) $(printf two | git hash-object --stdin)"
    one, two = "1" * 40, "2" * 40
    real = "43dd47ea691c90a5fa7827892c70241913351963"

    consistent = page(made, f"{one} {two}", f"$ test {one[:8]} = {real[:8]} && echo {two}", two)
    confused = page(made, f"{one} {two}", f"$ echo {two}", one)

    assert played(consistent, tmp_path / "a") == [True, True]
    assert played(confused, tmp_path / "b") == [True, False]


def test_a_renewed_page_shows_what_was_printed_in_its_own_words(tmp_path: Path) -> None:
    """Only output that differs is rewritten, and with the ids that the page has."""
    made = "$ printf one | git hash-object --stdin"
    old = page(made, "1" * 40, f"$ echo is {'1' * 7}", "was nothing", "$ echo done", "done")

    new = console.rewritten(old, console.play(old, tmp_path))

    assert new == page(made, "1" * 40, f"$ echo is {'1' * 7}", f"is {'1' * 7}", "$ echo done", "done")
