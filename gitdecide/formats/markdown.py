"""Markdown as decision records are written in it: front matter, and sections without what nobody sees.

A scanner of lines, by CommonMark 0.31 as far as records need it: it knows fences, HTML comments, and both
kinds of headings, so that nothing inside code or a comment is taken for a heading or a status.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from gitdecide.entries import document
from gitdecide.formats.foreign import Unreadable

ITEM: Final = re.compile(r" {0,3}[-*+][ \t]+(?P<text>\S.*)")
"""A list item that is no part of another."""

_ATX: Final = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<text>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*")
_FENCE: Final = re.compile(r"(?P<pad>[ \t]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}(?!.*`)|~{3,}).*")
_SPAN_OR_COMMENT: Final = re.compile(
    r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|(?<!\\)<!--(?P<rest>.*?-->)?"
)
_NO_PARAGRAPH: Final = re.compile(
    r"\s*(?:$|[-*+>|]|\d{1,9}[.)] |\*\*[^*]+\*\*:|\*\*[^*]+:\*\*|[A-Z][\w -]*:\s)| {4}"
)
_SENTENCE: Final = re.compile(r"[.!:;,…]\**$")


class Section(NamedTuple):
    """A heading with what stands below it up to the next; level 0 is what stands before the first."""

    level: int
    title: str
    lines: tuple[str | None, ...]
    """As a reader sees them: without comments. None for a line of code."""
    body: str
    """The text, code included and comments left out."""

    def paragraphs(self) -> Iterator[list[str]]:
        """The paragraphs and lists, each as its lines; code ends one and is none."""
        paragraph: list[str] = []
        for line in self.lines:
            if line is not None and line.strip():
                paragraph.append(line)
            elif paragraph:
                yield paragraph
                paragraph = []
        if paragraph:
            yield paragraph


class Page(NamedTuple):
    """A page: its front matter, and its sections in order."""

    front: dict[str, Any]
    sections: tuple[Section, ...]


class _Line(NamedTuple):
    raw: str
    shown: str | None
    """None for code, and for a comment that fills its line."""
    code: bool


def read(data: bytes) -> Page:
    """The page that a file holds. Raises Unreadable, with the line, for what is not UTF-8 or strict YAML."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    front, rest = _front_matter(text)
    return Page(front, tuple(_sections(list(_scanned(rest.split("\n"))))))


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    opening = re.match(r"\s*---[ \t]*\n", text)
    closing = (
        re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE).search(text, opening.end()) if opening else None
    )
    if not opening or not closing:
        return {}, text
    before = text.count("\n", 0, opening.end())
    yaml = text[opening.end() : closing.start()]
    if not re.sub(r"^\s*#.*$", "", yaml, flags=re.MULTILINE).strip():
        return {}, text[closing.end() :]
    try:
        front = document.parse(yaml.encode())
    except document.DocumentError as error:
        line = re.match(r"line (\d+): (.*)", error.message, re.DOTALL)
        said = line[2] if line else error.message
        raise Unreadable(f"front matter: {said}", int(line[1]) + before if line else None) from None
    if isinstance(front, str) and not re.match(r"\s*[\w-]+:", yaml):
        return {}, text  # a line between two rules
    if not isinstance(front, dict):
        raise Unreadable("front matter: not a mapping", before)
    front = {key: value for key, value in front.items() if value not in ("", "~", "null")}
    return front, text[closing.end() :]


def _scanned(lines: list[str]) -> Iterator[_Line]:
    """Every line, with what of it a reader sees."""
    fence, commented = "", False
    closed = _closed_in_paragraph(lines)
    last = {
        mark: max((at for at, line in enumerate(lines) if line.lstrip()[:3] == mark), default=-1)
        for mark in ("```", "~~~")
    }
    for place, raw in enumerate(lines):
        if fence:
            if re.fullmatch(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*", raw):
                fence = ""
            yield _Line(raw, None, code=True)
            continue
        opened = None if commented else _FENCE.fullmatch(raw)
        # One that stands far in may be indented code: it counts where it is closed.
        if opened and (len(opened["pad"].expandtabs(4)) < 4 or place < last[opened["fence"][:3]]):
            fence = opened["fence"]
            yield _Line(raw, None, code=True)
            continue
        shown, commented = _without_comments(raw, within=commented, closed=closed[place + 1])
        hidden = shown != raw and not shown.strip()
        yield _Line(shown, None if hidden else shown, code=False)


def _without_comments(line: str, *, within: bool, closed: bool) -> tuple[str, bool]:
    """A line without its comments, and whether one goes on after it.

    `closed` says whether one that opens in the middle of a paragraph ends before the paragraph does.
    """
    place = line.find("-->") + 3 if within else 0
    if within and place < 3:
        return "", True
    kept = ""
    for found in _SPAN_OR_COMMENT.finditer(line, place):
        if found["ticks"]:
            continue
        kept += line[place : found.start()]
        place = found.end()
        if found["rest"] is None:
            if kept.strip() and not closed:
                return kept + line[found.start() :], False
            return kept.rstrip(), True
    kept += line[place:]
    return (kept.rstrip() if place else kept), False


def _closed_in_paragraph(lines: list[str]) -> list[bool]:
    """For each line, whether a comment that is open there ends before the next blank line."""
    closed = [False] * (len(lines) + 1)
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        closed[place] = bool(line.strip()) and ("-->" in line or closed[place + 1])
    return closed


def _sections(lines: list[_Line]) -> Iterator[Section]:
    level, title, held = 0, "", list[_Line]()
    place = 0
    while place < len(lines):
        found = _heading(lines, place)
        if found:
            yield _section(level, title, held)
            level, title, place = found
            held = []
        else:
            held.append(lines[place])
            place += 1
    yield _section(level, title, held)


def _section(level: int, title: str, lines: list[_Line]) -> Section:
    visible = [line for line in lines if line.code or line.shown is not None]
    body = "\n".join(line.raw for line in visible).strip("\n").rstrip()
    return Section(level, title, tuple(line.shown for line in lines), body)


def _heading(lines: list[_Line], place: int) -> tuple[int, str, int] | None:
    """The level and text of a heading that begins on a line, and the line after it."""
    shown = lines[place].shown
    if shown is None:
        return None
    if atx := _ATX.fullmatch(shown):
        level, title = len(atx["marks"]), (atx["text"] or "").strip()
        more = _continuation(lines, place + 1) if level == 1 and title else []
        return level, " ".join([title, *more]), place + 1 + len(more)
    if place and _is_paragraph(lines[place - 1]):
        return None  # an underline makes a heading of a whole paragraph
    end = place
    while end < len(lines) and _is_paragraph(lines[end]):
        end += 1
        under = lines[end].shown if end < len(lines) else None
        if under and (mark := _UNDERLINE.fullmatch(under)):
            words = [str(line.shown).strip() for line in lines[place:end]]
            return (1 if mark["mark"][0] == "=" else 2), " ".join(words), end + 1
    return None


def _continuation(lines: list[_Line], place: int) -> list[str]:
    """The rest of a title that was broken over several lines: a paragraph right below, and no sentence."""
    more = []
    while place < len(lines) and (shown := lines[place].shown) is not None and shown.strip():
        if not _is_paragraph(lines[place]) or _UNDERLINE.fullmatch(shown):
            return []
        more.append(shown.strip())
        place += 1
    return [] if more and _SENTENCE.search(more[-1]) else more


def _is_paragraph(line: _Line) -> bool:
    return line.shown is not None and not _NO_PARAGRAPH.match(line.shown) and not _ATX.fullmatch(line.shown)
