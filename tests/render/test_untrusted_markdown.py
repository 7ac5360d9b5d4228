import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.render.untrusted_markdown import block, line
from tests.entries.strategies import examples


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("# one", r"\# one"),
        ("   ### three", r"   \### three"),
        ("> > # quoted", r"> > \# quoted"),
        ("- # in a list", r"- \# in a list"),
        ("12. # in a list", r"12. \# in a list"),
        ("```sh", r"\```sh"),
        ("~~~", r"\~~~"),
        ("===", r"\==="),
        ("--- ", r"\--- "),
        ("<script>", r"\<script>"),
        ("a <!-- b", r"a \<!-- b"),
        ("**Round 1 — a (b):**", r"\**Round 1 — a (b):**"),
    ],
)
def test_what_would_break_the_shape_gets_a_backslash(text: str, safe: str) -> None:
    """Headings, fences, rules, HTML and lines of ours."""
    assert block(f"before\n{text}\nafter") == f"before\n{safe}\nafter"


@pytest.mark.parametrize(
    "text", ["a # b", "1 < 2", "- item", "> quoted", "**bold** words", "a - b", "`code`", "@ada said", "-1"]
)
def test_what_breaks_nothing_stays(text: str) -> None:
    """The words of others are changed as little as can be."""
    assert block(text) == line(text) == text


@given(st.text(st.sampled_from("#`~<-=>*! \n\t1.aR"), max_size=40))
@examples(300)
def test_no_line_of_any_text_begins_a_heading_or_a_fence(text: str) -> None:
    """Whatever stands before it, and both ways."""
    import re

    begins = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]+)*(?:#|```|~~~|[=-]+\s*$|<[A-Za-z/!?])")
    assert not any(begins.match(part) for part in block(text).split("\n"))
    assert "\n" not in line(text)
    assert not begins.match(line(text))
