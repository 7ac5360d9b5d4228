r"""Text of others in a comment that a host renders: it shows as it is, and does nothing.

Hosts look for mentions and references in what Markdown has become, so a backslash keeps none from it: a
zero-width space does, after the sign that would begin one. Control and direction characters are spelled out.
By CommonMark 0.31, GFM 0.29 and the reference syntax of GitHub, GitLab and Forgejo.
"""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from gitdecide.entries.annotation import one_line
from gitdecide.output import visible

PAUSE: Final = "&#8203;"
"""A zero-width space, as all of Markdown and HTML write it."""

LONGEST_LINE: Final = 500
_LONGEST_BLOCK: Final = 6000

_MARKUP = re.compile(r"[\\`\[\]~$|<>]|(?<=\])\(|(?<![^\W_])_|_(?![^\W_])|\*")
_LONE_STAR = re.compile(r"[^*]*\w\*\w[^*]*")
_LIVE = re.compile(
    r"@(?=\S)|[#!&](?=\w)|(?<![A-Za-z0-9])GH-(?=[0-9])|:(?=//)|(?<![A-Za-z0-9])www(?=\.)"
    r"|:(?=[0-9_+-]*[a-z_+-][\w+-]*:)",
    re.IGNORECASE,
)
"""What begins a mention, a reference, an address, or the name of an emoji."""

_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "|": "&#124;"}
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_BRACKETS = re.compile(r"[\[\]`*]")
_FAKE = re.compile(r"<!(?=--)|--(?=!?>)")
_OBEYED = re.compile(r"<!(?=--\s*git-decide)|^(?=\s*/)")
"""A marker; and a line that hosts and bots take for an order, as /merge: some of them misread fences."""


def units(text: str) -> int:
    """The length of a text as hosts count it, in UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def clipped(text: str, most: int) -> str:
    """A text on one line, without what is beyond so many characters."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def inline(text: str, most: int = 300, *, alone: bool = False) -> str:
    """Prose, for a paragraph, a list or a cell; never at the beginning of a line.

    `alone` says that no other stands in its place: a single star within a word then stays as it is.
    """
    plain = _paused(clipped(text, most)).replace("&", "&amp;")
    lone = alone and _LONE_STAR.fullmatch(plain) is not None

    def escaped(mark: re.Match[str]) -> str:
        if mark[0] == "*" and lone:
            return "*"
        return _ENTITIES.get(mark[0], f"\\{mark[0]}")

    return _MARKUP.sub(escaped, plain).replace("\0", PAUSE)


def in_html(text: str, most: int = 200) -> str:
    """Prose inside of an HTML element of ours."""
    plain = _paused(clipped(text, most))
    return _BRACKETS.sub(_entity, html.escape(plain)).replace("\0", PAUSE)


def code(text: str, most: int = 200) -> str:
    """A path, a command or a name, as code; in a cell as well as elsewhere."""
    plain = visible(text) if len(text) <= most else f"{visible(text[: most - 1])}…"
    if "|" in plain or not plain.strip():  # which a cell would take for its end
        spelled = _PUNCTUATION.sub(_entity, _paused(plain)).replace("\0", PAUSE)
        return f"<code>{spelled}</code>"
    plain = _FAKE.sub(lambda sign: f"{sign[0]}\u200b", plain)
    ticks = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    pad = " " if plain.startswith(("`", " ")) or plain.endswith(("`", " ")) else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


def fenced(text: str, language: str = "", most: int = _LONGEST_BLOCK) -> tuple[list[str], int]:
    """Whole lines of a text in a fence that nothing in it ends, and how many lines are left out."""
    lines = text.removesuffix("\n").split("\n")
    kept = list(_within(map(_line, lines), most))
    longest = max((len(run) for line in kept for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *kept, fence], len(lines) - len(kept)


def _paused(text: str) -> str:
    """Text as it can be shown, with a NUL where a pause belongs: it has none of its own."""
    return _LIVE.sub(lambda sign: f"{sign[0]}\0", visible(text))


def _entity(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};"


def _line(text: str) -> str:
    line = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"
    return _OBEYED.sub(lambda sign: f"{sign[0]}\u200b", visible(line))


def _within(lines: Iterable[str], most: int) -> Iterator[str]:
    for line in lines:
        most -= units(line) + 1
        if most < 0:
            return
        yield line
