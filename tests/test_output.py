"""What reaches the terminal: safe text, colour where there is one, and one place for each thing."""

import errno
import io
import json
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.output import CannotWrite, Label, Output, visible


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Full(io.StringIO):
    """A stream that takes nothing."""

    error: OSError = OSError(errno.ENOSPC, "No space left on device")

    def write(self, _text: str) -> int:
        raise self.error


@pytest.fixture
def out() -> Output:
    """An output into two texts."""
    return Output(io.StringIO(), io.StringIO())


def said(stream: object) -> str:
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, größe, 日本, \U0001f469\u200d\U0001f469\u200d\U0001f467, a\tb", None),
        ("\x1b]0;t\x07", "\\x1b]0;t\\x07"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("a\rb", "a\\rb"),
        ("a\nerror: b", "a\\nerror: b"),
        ("\u202etxet\u202c", "\\u202etxet\\u202c"),
        ("\u2066a\u2069\u200f\u061c", "\\u2066a\\u2069\\u200f\\u061c"),
        ("a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\x85d"),
        ("\x00\x7f\u200b\ufeff", "\\x00\\x7f\\u200b\\ufeff"),
        ("\udcff\ud800", "\\xff\\ud800"),
    ],
)
def test_text_is_made_safe(text: str, shown: str | None) -> None:
    """Control, direction, invisible and half characters are spelled out; all else is as it was."""
    assert visible(text) == (text if shown is None else shown)


@given(st.text(st.characters()))
def test_no_control_character_is_left(text: str) -> None:
    """Whatever is said, a terminal is told nothing but characters."""
    assert not [
        char
        for char in visible(text)
        if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char != "\t"
    ]


@given(st.text(st.characters()))
def test_json_is_whole_and_bare(text: str) -> None:
    """For programs every character is there, and none of them raw that could do harm."""
    out = Output(io.StringIO(), io.StringIO())
    out.json({"text": text})

    printed = said(out.stdout)
    assert json.loads(printed) == {"version": 1, "text": text}
    assert all(" " <= char <= "~" or char == "\n" for char in printed)


def test_facts_go_one_way_and_everything_else_the_other(out: Output) -> None:
    """Standard output holds the answer alone."""
    out.fact(["a ", Label("name", "b")])
    out.facts(["c", ""])
    out.note("note")
    out.warning("careful")
    out.error("failed")
    out.refusal("R2", "no")
    out.hint("this\nand that")

    assert said(out.stdout) == "a b\nc\n\n"
    assert said(out.stderr) == (
        "note\nwarning: careful\nerror: failed\nrefused [R2]: no\nhint: this\nhint: and that\n"
    )


def test_no_text_can_fake_a_line(out: Output) -> None:
    """A line break in what is said stays within its line, wherever it is said."""
    text = "x\nerror: y\rerror: z\x1b[1A"
    out.fact([text, Label("bad", text)])
    for say in (out.note, out.warning, out.error):
        say(text)
    out.refusal("R2", text)

    assert len(said(out.stdout).splitlines()) == 1
    assert len(said(out.stderr).splitlines()) == 4


def test_hints_can_be_silenced() -> None:
    """Whether hints are wanted is asked when there is one, and not before."""
    asked: list[bool] = []

    def wanted() -> bool:
        asked.append(True)
        return False

    out = Output(io.StringIO(), io.StringIO(), hints=wanted)
    out.error("x")
    assert not asked
    out.hint("y")
    assert asked
    assert said(out.stderr) == "error: x\n"


@pytest.mark.parametrize(
    ("color", "stream", "colored"),
    [(None, Terminal, True), (None, io.StringIO, False), (False, Terminal, False), (True, io.StringIO, True)],
)
def test_colour_is_for_terminals(color: bool | None, stream: type[io.StringIO], colored: bool) -> None:
    """Each stream for itself, unless it was decided before; an empty label has none."""
    out = Output(stream(), io.StringIO(), color=color)
    out.fact([Label("bad", "x"), Label("dim", ""), Label("good", "\x1b[2J")])
    out.note([Label("bad", "y")])

    assert said(out.stdout) == ("\x1b[31mx\x1b[m\x1b[32m\\x1b[2J\x1b[m\n" if colored else "x\\x1b[2J\n")
    assert said(out.stderr) == ("\x1b[31my\x1b[m\n" if color else "y\n")


def test_what_cannot_be_written_is_said_once() -> None:
    """A full disk is an error of standard output, and nothing on standard error."""
    out = Output(Full(), io.StringIO())
    said_so = "cannot write to standard output: No space left on device"
    with pytest.raises(CannotWrite, match=said_so):
        out.fact("x")
    with pytest.raises(CannotWrite, match=said_so):
        out.json({})
    broken = Output(io.StringIO(), Full())
    broken.error("nobody hears it")


@pytest.fixture
def closed() -> Iterator[Full]:
    """A stream whose reader has gone."""
    stream = Full()
    stream.error = BrokenPipeError(errno.EPIPE, "Broken pipe")
    yield stream
    stream.close()


def test_a_closed_pipe_stays_a_closed_pipe(closed: Full) -> None:
    """It is no failure to write that a user would have to hear of."""
    with pytest.raises(BrokenPipeError):
        Output(closed, io.StringIO()).fact("x")


def test_no_pager_without_a_terminal(out: Output) -> None:
    """Into a pipe or a file facts go as they are."""
    out.page("exit 1", {})
    out.fact("x")
    out.close()

    assert said(out.stdout) == "x\n"
