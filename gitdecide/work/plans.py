"""The prose of a plan, passage by passage, with the line that each letter stands on.

A passage is what a reader takes in one piece: a paragraph, a list item, a heading or a row of a table.
Its markup is taken out. Fenced and indented code, comments, and code that spells an annotation show how one
is written, and are no prose.
"""

import html
import re
from html.parser import HTMLParser
from typing import Final, NamedTuple

MAX_BYTES: Final = 5 * 1024 * 1024
HTML_SUFFIXES: Final = (".html", ".htm", ".xhtml")

_FENCE = re.compile(r" *(?:>\s*)*(?:(?:[-*+]|\d+[.)])\s+)?(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_APART = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=ticks)(?!`)|<!--.*?(?:-->|\Z)",
    re.DOTALL,
)
_STARTS = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])\s+|#{1,6}\s|\|)")
_ROW_START = re.compile(r"^\s*(?:>\s*)+")
_LINK = re.compile(r"!?\[(?P<text>[^\[\]]*)\]\([^()\s]*\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_UNENDED = re.compile(r"<(?!!--)(?=[^<>]*(?:<|\Z))")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d+[.)])\s")
_INDENTED = re.compile(r" {4}| {0,3}\t")
_ALONE = re.compile(r"\s*#{1,6}\s|\s*\|")

_BREAKING: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html",
    "legend", "li", "main", "nav", "ol", "p", "section", "summary", "table", "tbody", "tfoot", "thead",
    "title", "tr", "ul",
))  # fmt: skip
"""Where a passage of a page begins and ends; a row of a table and a definition with its terms are one."""

_HIDDEN: Final = frozenset(("pre", "script", "style", "template", "textarea", "noscript"))
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))


class Passage(NamedTuple):
    """Prose with the line that it begins on; its line ends are those of the file."""

    text: str
    line: int


def passages(data: bytes, *, as_html: bool) -> list[Passage]:
    """What a file says."""
    text = _decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    return _of_html(text) if as_html else _of_markdown(text)


def _decoded(data: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else one letter a byte."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _of_markdown(text: str) -> list[Passage]:
    lines = _APART.sub(_set_apart, _without_fences(text)).split("\n")
    found: list[tuple[int, list[str]]] = []
    open_ = listed = False
    for number, line in enumerate(lines, 1):
        said = _ROW_START.sub("", line)
        listed = bool(_ITEM.match(line)) or (listed and not line[:1].strip())
        if not said.strip() or (_INDENTED.match(line) and not (open_ or listed)):
            open_ = False
        elif open_ and not _STARTS.match(said):
            found[-1][1].append(said)
        else:
            found.append((number, [said]))
            open_ = not _ALONE.match(said)
    return [Passage(_plain("\n".join(rows)), number) for number, rows in found]


def _without_fences(text: str) -> str:
    """The text with every line of fenced code empty."""
    fence = ""
    lines = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark["fence"].startswith(fence) and not mark["info"].strip()
            fence = "" if closes else fence
            lines.append("")
        elif mark and not (mark["fence"][0] == "`" and "`" in mark["info"]):
            fence = mark["fence"]
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)


def _set_apart(match: re.Match[str]) -> str:
    """Code in a line stays as text, unless it spells an annotation; a comment goes."""
    code = match["code"]
    if code is not None and not _spells(code):
        return code
    return _line_ends(match)


def _spells(code: str) -> bool:
    return re.search(r"settled|user-(?:directed|approved)", code, re.IGNORECASE) is not None


def _line_ends(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _plain(markdown: str) -> str:
    """The words of a passage, without what marks them up."""
    text = _TAG.sub(_line_ends, _LINK.sub(r"\g<text>", markdown))
    return html.unescape(_ESCAPE.sub(r"\1", _EMPHASIS.sub("", _STARTS.sub("", text, count=1))))


def _of_html(text: str) -> list[Passage]:
    reader = _Reader()
    reader.feed(_closed(text))
    reader.close()
    reader.end_passage()
    return reader.found


def _closed(text: str) -> str:
    """A page in which every tag and comment ends: the parser looks for each end that is missing in vain."""
    done = text.rfind("-->") + 3 if "-->" in text else 0
    return _UNENDED.sub("&lt;", text[:done] + text[done:].replace("<!--", "&lt;!--"))


class _Reader(HTMLParser):
    """Gathers the passages of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Passage] = []
        self._pieces: list[str] = []
        self._begun = self._line = 1
        self._hidden = 0
        self._code: list[tuple[int, str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._hidden += tag in _HIDDEN
        if tag in _BREAKING:
            self.end_passage()
        elif tag in _CODE and self._code is None:
            self._code = []
        elif tag in ("td", "th", "br", "dd"):
            self._say(self.getpos()[0], " ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        if tag in _BREAKING:
            self.end_passage()
        elif tag in _CODE:
            self._end_code()

    def handle_data(self, data: str) -> None:
        if self._code is not None:
            self._code.append((self.getpos()[0], data))
        elif not self._hidden:
            self._say(self.getpos()[0], data)

    def end_passage(self) -> None:
        """Close the passage at hand."""
        self._end_code()
        text = "".join(self._pieces)
        if text.strip():
            self.found.append(Passage(text, self._begun))
        self._pieces = []

    def _say(self, line: int, text: str) -> None:
        if not self._pieces:
            self._begun = self._line = line
        text = "\n" * (line - self._line) + text
        self._line += text.count("\n")
        self._pieces.append(text)

    def _end_code(self) -> None:
        code, self._code = self._code or [], None
        if not self._hidden and not _spells("".join(text for _, text in code)):
            for line, text in code:
                self._say(line, text)
