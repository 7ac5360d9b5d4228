"""Text of others in a comment: it shows as it is, and does nothing."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.render.comment import code, fenced, in_html, inline, units

HOSTILE = [
    "\x1b]0;t\x07", "\x1b[2J", "a\rb", "\u202egnp.exe", "a | b", "one ` tick", "four ```` ticks",
    "@some-team", "see #12", "fixes #12", "GH-12", "<img src=x onerror=alert(1)>", "</script>",
    "[x](javascript:alert(1))",
    "line\n## Approved", "-->", "<!-- git-decide review sha256:00 -->", "{{ 7*7 }}", "{% raw %}",
    "**bold** _it_", "https://github.com/o/r/issues/12", "www.example.com", "a@b.example", "!7 &3",
    "</details></summary>",
    "a \\| b", "\\", "`", "| --- |", "~~x~~", "$x$", "&lt;b&gt;",
]  # fmt: skip


def shown(markdown: str) -> str:
    """What a reader sees of escaped prose: entities and backslashes undone."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)
    return html.unescape(plain).replace("\u200b", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_prose_reads_as_it_was_written(text: str) -> None:
    """Blanks aside, and what is a control character is spelled out."""
    said = shown(inline(text))

    if text.isprintable():
        assert said == text
    assert said.isprintable()


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("write", [inline, in_html])
def test_prose_does_nothing(text: str, write: object) -> None:
    """No element, no mention, no reference, no link, no cell, no second line."""
    said = write(text)  # type: ignore[operator]

    assert not re.search(r"[<>\n\r\x1b\u202e]", said)
    assert not re.search(r"@\w|(?<!&)#\w|GH-\d|://|www\.|\]\(", said)
    if write is inline:
        assert "|" not in said


def test_braces_stay() -> None:
    """What another program's templates would read is left alone, and is no template of ours."""
    assert inline("{{ 7*7 }}", alone=True) == "{{ 7*7 }}"
    assert inline("{% raw %}") == "{% raw %}"
    assert inline("load_dataset stays, and 2*3", alone=True) == "load_dataset stays, and 2*3"
    assert inline("2*3 of two texts") == r"2\*3 of two texts"


@given(st.text(min_size=1, max_size=40))
def test_code_is_one_span(text: str) -> None:
    """Ticks within never end it, and it never ends a cell or a line."""
    span = code(text)

    assert "|" not in span
    assert "\n" not in span
    if not span.startswith("<code>"):
        ticks = re.match("`+", span)
        assert ticks
        assert span.endswith(ticks[0])
        inner = span[len(ticks[0]) : -len(ticks[0])]
        assert ticks[0] not in re.findall("`+", inner)


@given(st.lists(st.sampled_from(["`", "```", "````x", "-->", "text", "", "~~~"]), max_size=12))
def test_a_fence_ends_where_we_end_it(parts: list[str]) -> None:
    """It is longer than any run of ticks within."""
    first, *inside, last = fenced("\n".join(parts), "diff")[0]

    assert first == f"{last}diff"
    assert not any(line.startswith(last) for line in inside)


def test_a_fence_is_cut_at_a_whole_line() -> None:
    """And says how many lines are left out."""
    block, left = fenced("\n".join(f"line {number}" for number in range(100)), most=80)

    assert block[-2] == "line 10"
    assert left == 89


def test_the_marker_cannot_be_faked_in_a_fence() -> None:
    """A patch may add a file that holds one."""
    assert not any("<!-- git-decide" in line for line in fenced("+<!-- git-decide review -->")[0])


def test_no_line_of_a_fence_is_an_order() -> None:
    """GitLab looks for /merge by lines, and takes the first three ticks for the end of a longer fence."""
    block = fenced("```\n/merge\n  /approve\na / b\n```")[0]

    assert not any(line.lstrip(" ").startswith("/") for line in block)
    assert "a / b" in block


def test_underscores_in_a_row_are_no_emphasis() -> None:
    """Each of them is escaped, but for one within a word."""
    assert inline("__init__ and _**__b c__ in load_dataset") == (
        r"\_\_init\_\_ and \_\*\*\_\_b c\_\_ in load_dataset"
    )


def test_no_emoji_and_no_address() -> None:
    """Some emoji are images, and an address in an element of ours would become a link."""
    assert inline("at 17:49: :shipit: :+1:") == "at 17:49: :&#8203;shipit: :&#8203;+1:"
    assert shown(code("a@b.example | x")) == "<code>a@b.example | x</code>"
    assert "&#8203;" in code("a@b.example | x")


def test_hosts_count_utf_16() -> None:
    """A character beyond the first plane counts twice."""
    assert units("a\U0001f600") == 3
