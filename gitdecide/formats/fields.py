"""Fields that stand in the text of a page, such as `Status: accepted`: on lines, in a list, in a table."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from gitdecide.formats import names, statuses
from gitdecide.formats.markdown import ITEM, Section

_FIELD: Final = re.compile(
    r"(?:(?P<mark>\*\*?|__?)(?P<bold>[^*_:：]+)(?:[:：](?P=mark)|(?P=mark)\s*[:：])|"
    r"(?P<plain>(?:(?![a-z])[^\W\d_]|(?=(?:status|date|deciders?)\b))[\w '’/-]{0,39}?)\s*(?::(?=\s|$)|：))"
    r"\s*(?P<value>.*)"
)
_ALL_BOLD: Final = re.compile(r"(?P<mark>\*\*?|__?)(?P<name>[^*_:]+):\s+(?P<value>[^*_]+)(?P=mark)\s*")
_QUOTED: Final = re.compile(r" {0,3}> ?")
_CODE: Final = re.compile(r" {4}| {0,3}\t")
_RULE: Final = re.compile(r":?-+:?")


class Field(NamedTuple):
    """A field, and the lines that it takes."""

    name: str
    value: str
    lines: tuple[str, ...]
    bold: bool


class Fields(NamedTuple):
    """What stands under the heading before the first section: fields by their names, and the rest."""

    by_name: dict[str, str]
    rest: str


def under_heading(opening: Section) -> Fields:
    """The table, the list, the lines and the paragraphs of fields right under the heading."""
    found: dict[str, str] = {}
    taken: list[str] = []
    begun = False
    for given in opening.paragraphs():
        paragraph = [_QUOTED.sub("", line) for line in given]
        listed = any(ITEM.match(line) for line in paragraph)
        if is_table(paragraph):
            for name, value in table(paragraph).items():
                found.setdefault(name, value)
        elif _is_code(paragraph) or not _are_fields(paragraph, begun=begun):
            begun = True
        else:
            for field in entries(paragraph, listed=listed):
                found.setdefault(field.name, field.value)
                taken += field.lines if field.name in names.FIELDS else ()
    gone = set(taken)
    rest = "\n".join(line for line in opening.body.split("\n") if line.rstrip() not in gone)
    return Fields(found, re.sub(r"\n{3,}", "\n\n", rest).strip("\n"))


def _are_fields(paragraph: Sequence[str], *, begun: bool) -> bool:
    """True for fields; where the text has `begun`, plain lines are sentences rather than fields."""
    listed = [item["text"] for line in paragraph if (item := ITEM.match(line))]
    found = [match(text) for text in listed or [line.strip() for line in paragraph]]
    marked = any(each and (listed or each["plain"] is None or not begun) for each in found)
    first = found[0]
    return marked and (all(found) or bool(not listed and first and first["plain"] is None))


def entries(paragraph: Sequence[str], *, listed: bool) -> Iterator[Field]:
    """Each field of a paragraph, or of a list, with the line on which its value goes on."""
    current: Field | None = None
    for line in paragraph:
        item = ITEM.match(line) if listed else None
        found = match(item["text"] if item else line.strip()) if item or not listed else None
        if found:
            if current:
                yield current
            bold = found["bold"] is not None
            current = Field(named(found), found["value"].strip(), (line.rstrip(),), bold)
        elif current and not item and (not current.value or goes_on(current.value, line) or line[:2] == "  "):
            value = f"{current.value} {line.strip()}".strip()
            current = current._replace(value=value, lines=(*current.lines, line.rstrip()))
        elif item and current:
            yield current
            current = None
    if current:
        yield current


def marked(section: Section, name: str) -> Iterator[str]:
    """The values of `**name**: …` at the beginning of a paragraph or an item of a section."""
    for paragraph in section.paragraphs():
        listed = bool(ITEM.match(paragraph[0]))
        for field in () if _is_code(paragraph) else entries(paragraph, listed=listed):
            if field.bold and field.name == name and field.value:
                yield field.value


def match(text: str) -> re.Match[str] | None:
    """A field at the beginning of a text."""
    return _FIELD.match(_ALL_BOLD.sub(r"**\g<name>:** \g<value>", text, count=1))


def named(field: re.Match[str]) -> str:
    """What a field is called."""
    return names.name(field["bold"] or field["plain"])


def goes_on(text: str, line: str) -> bool:
    """True for the second line of `Superseded` / `by ADR-0005`."""
    return bool(re.match(r"\s*by\b", line)) and not text.endswith(".")


def is_table(paragraph: Sequence[str]) -> bool:
    """True for the lines of a table."""
    return len(paragraph) > 1 and all(line.lstrip().startswith("|") for line in paragraph)


def table(lines: Sequence[str]) -> dict[str, str]:
    """The fields of a table: a row each, or all in one row below their names."""
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]
        for line in lines
    ]
    rows = [row for row in rows if not all(_RULE.fullmatch(cell) for cell in row)]
    head = [names.name(cell) for cell in rows[0]] if rows else []
    if len(rows) == 2 and "status" in head:
        below = dict(zip(head, rows[1], strict=False))
        if statuses.word(below.get("status", "")) or sum(each in names.FIELDS for each in head) > 1:
            return below
    return {names.name(row[0]): row[1] for row in rows if len(row) > 1}


def _is_code(paragraph: Sequence[str]) -> bool:
    """True for lines that stand so far in that they are code, or belong to something before them."""
    return bool(_CODE.match(paragraph[0]))
