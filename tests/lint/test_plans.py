"""Thirty small plans, half of them broken in one way each."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from gitdecide.work.linting import Plan
from tests.conftest import Decide

PLANS: Final = Path(__file__).parent / "plans"

BROKEN: Final = {
    "brackets.md": (1, "does not stand"),
    "class-case.md": (1, "the class is"),
    "class-missing.md": (2, "the class is"),
    "class-unknown.md": (5, "the class is"),
    "empty-alternative.md": (2, "no rejected alternative"),
    "log-class.md": (3, "is user-directed, not user-approved"),
    "log-inverted.html": (3, "decides the opposite"),
    "log-superseded.md": (3, "was superseded"),
    "no-alternative.md": (1, "no rejected alternative"),
    "no-reason.md": (3, "no reason"),
    "stem-case.md": (3, "the stem is"),
    "stem-missing.md": (1, "the stem is"),
    "stem-space.md": (3, "the stem is"),
    "template.md": (1, "no rejected alternative"),
    "unclosed.md": (1, "no closing"),
}
"""The plans with a fault: its line, and what is said of it."""


def settle(decide: Decide, decision: str, over: str, *more: str) -> str:
    """A record in which Ada chose between two things."""
    name = decide("ask", f"{decision}?", "--option", decision, "--option", over).id
    label = ("--settled", "user-directed", "--over", over, "--because", "she said why")
    assert decide("bind", name, "adopt", decision, "--no-code", "--read", "src/app.py", *label).id
    if more:
        read = ("--no-code", "--read", "src/app.py", "-m", "it changed")
        assert decide("supersede", name, "adopt", *more, *read).id
    return name


def test_exactly_the_broken_plans_are_reported(decide: Decide, log: None, repo: Path) -> None:
    """Each once, at its line, and the sound ones not at all."""
    settle(decide, "Use SQLite", "Redis")
    settle(decide, "Write CSV", "JSON", "Write Parquet")
    shutil.copytree(PLANS, repo / "plans")

    done = decide("lint", "plans")

    found = [line.removeprefix("plans/").split(":", 2) for line in done.stdout.splitlines()]
    assert [(file, int(line)) for file, line, _ in found] == [
        (file, BROKEN[file][0]) for file in sorted(BROKEN)
    ]
    assert [file for file, _, said in found if BROKEN[file][1] not in said] == []
    assert done.exit_code == 1
    assert len(list(PLANS.glob("*.*"))) - len(list(PLANS.glob(".*"))) == 2 * len(BROKEN)


def test_the_log_decides_what_the_log_knows(decide: Decide, log: None, repo: Path) -> None:
    """Without its decisions the plans that disagree with it are sound."""
    shutil.copytree(PLANS, repo / "plans")
    faulty = {
        line.split(":")[0].removeprefix("plans/") for line in decide("lint", "plans").stdout.splitlines()
    }

    assert faulty == {file for file in BROKEN if not file.startswith("log-")}


A = "(session-settled: user-directed — chosen over Redis: nothing to run)"


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("a.md", f"- **KTD1. Use _SQLite_** {A}", " ktd1 use sqlite "),
        ("a.md", f"> 2) [Use SQLite](x.md) \\({A[1:-1]}\\)", " use sqlite "),
        ("a.md", f"{A} Use SQLite", " use sqlite "),
        ("a.md", f"### Use SQLite\n{A}", " use sqlite "),
        ("a.md", f"DR-007-3f2a91c0: Use SQLite {A}", " use sqlite "),
        ("a.htm", f"<h2>Use SQLite</h2><p>{A}", " use sqlite "),
        ("a.html", f"<table><tr><td>Use SQLite<td>{A}<tr><td>x</table>", " use sqlite "),
        ("a.html", f"<dl><dt>Use SQLite<dd>{A}</dl>", " use sqlite "),
    ],
)
def test_an_annotation_belongs_to_the_words_before_it(file: str, text: str, words: str) -> None:
    """Markup aside; one that opens its passage to those behind it, one alone to the passage before."""
    (mark,) = Plan.read(text.encode(), file).marks

    assert mark.words == words
    assert mark.over == " redis "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As this:\n\n    (session-settled: x)\n\n\t(session-settled: y)\n", 0),
        ("- Item\n\n    (session-settled: x)\n", 1),
        ("Goes on\n    (session-settled: x)\n", 1),
        ("- Item\n\nText\n\n    (session-settled: x)\n", 0),
    ],
)
def test_indented_code_is_an_example(text: str, found: int) -> None:
    """What stands so far in without a list around it, and after an empty line."""
    assert len(Plan.read(text.encode(), "a.md").malformed) == found


@pytest.mark.parametrize(
    ("file", "data", "line"),
    [
        ("a.md", b"\xef\xbb\xbf\r\n\r\n- (session-settled: x)\r\n", 3),
        ("a.md", "a\r\rb\r\r- (session-settled: x)".encode("utf-16"), 5),
        ("a.md", b"\xff\xff\n(session-settled: x)", 2),
        ("a.md", b"```\n\n```\n\nA ``two `\nlines`` here\n(session-settled: x)", 7),
        ("a.md", b"<!--\n\n-->\n<b\n>x</b> (session-settled: x)", 5),
        ("a.html", b"<p\nclass=x>\n\n<!--\n(session-settled: y)-->\n<b>a\n</b>(session-settled: x)", 7),
        ("a.HTML", b"<script>\n(session-settled: y)</script>\n<p>(session-settled: x)", 3),
        ("a", b"# A\n\x00(session-settled: x)", 2),
    ],
)
def test_lines_are_those_of_the_file(file: str, data: bytes, line: int) -> None:
    """Whatever ends them, whatever is left out before, and whatever bytes the file holds."""
    assert [problem.line for problem, _ in Plan.read(data, file).malformed] == [line]


def test_a_big_plan_is_read_in_one_go() -> None:
    """Markup without its partner costs nothing."""
    text = "`x` ``y (a <b *c* [d (session-settled: user-directed\n" * 5000 + f"\n- Use SQLite {A}\n"

    assert len(Plan.read(text.encode(), "a.md").marks) == 1
    assert len(Plan.read(text.encode(), "a.html").passages) == 1
