r"""Text of others inside a Markdown page of ours: it keeps its words, and breaks nothing of the page's shape.

By CommonMark 0.31: what could begin a heading, a fence, a rule or HTML gets a backslash before it, and so
does what could pass for a line of ours. Mentions and links stay: they are no matter of shape.
"""

import re
from typing import Final

_LEAD: Final = r"(?P<lead>[\s>]*(?:(?:[-+*]|\d{1,9}[.)])[\s>]+)*)"
"""Blanks, and the markers of quotes and lists, in which blocks can begin as well."""

_BLOCK: Final = re.compile(_LEAD + r"(?P<mark>#|```|~~~|[=-]+\s*$|\*\*(?=Round |Date:|Mode:|Topic:))")
_HTML: Final = re.compile(r"<(?=[A-Za-z/!?])")


def block(text: str) -> str:
    """Several lines of text."""
    return "\n".join(_line(line) for line in text.strip("\n").split("\n"))


def line(text: str) -> str:
    """Text for a line of its own, or for the rest of one."""
    return _line(" ".join(text.split()))


def _line(text: str) -> str:
    return _HTML.sub(r"\\<", _BLOCK.sub(_escaped, text, count=1) if _BLOCK.match(text) else text)


def _escaped(match: re.Match[str]) -> str:
    return rf"{match['lead']}\{match['mark']}"
