"""Where a page says what state its record is in: never prose, code or comments."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from gitdecide.formats import fields, names, statuses
from gitdecide.formats.fields import Fields
from gitdecide.formats.markdown import ITEM, Page, Section

_BOX: Final = re.compile(r"\[(?P<mark>[ xX])\]\s+(?P<text>\S.*)")
_DAY: Final = re.compile(r"\W*(?P<day>\d{4}-\d\d-\d\d)\b")


class Said(NamedTuple):
    """A status, and where it stands."""

    place: str
    text: str


def said(page: Page, opening: Fields, sections: Sequence[Section]) -> Iterator[Said]:
    """What is said of the status, the place that counts first."""
    for key, value in page.front.items():
        if names.name(key) == "status" and (text := _text(value)):
            yield Said("front matter", text)
    if opening.by_name.get("status"):
        yield Said("heading", opening.by_name["status"])
    for section in sections:
        titled = fields.match(section.title)
        if names.name(section.title) == "status" and (found := _of_section(section)):
            yield Said("section Status", found)
        elif titled and titled["value"] and section.level > 1 and fields.named(titled) == "status":
            yield Said("heading", titled["value"])
    lines = [text for section in sections if section.level <= 2 for text in fields.marked(section, "status")]
    if len(set(lines)) == 1:
        yield Said("line Status", lines[0])


def plain(line: str) -> str:
    """A line without the marker of a list, and without the name of the field that its section is."""
    item = ITEM.match(line)
    text = (item["text"] if item else line).strip()
    field = fields.match(text)
    return field["value"] if field and fields.named(field) == "status" else text


def _text(value: Any) -> str:
    """The value of a field of the front matter; several in one line."""
    given = value if isinstance(value, list) else [value]
    return ", ".join(each.strip() for each in given if isinstance(each, str) and each.strip())


def _of_section(section: Section) -> str | None:
    """The first line of a section, unless another says which one counts."""
    paragraphs = [[plain(line) for line in paragraph] for paragraph in section.paragraphs()]
    if not paragraphs:
        return None
    if fields.is_table(paragraphs[0]):
        return fields.table(paragraphs[0]).get("status")
    if boxes := [box for line in paragraphs[0] if (box := _BOX.fullmatch(line))]:
        return ", ".join(box["text"] for box in boxes if box["mark"] != " ") or None
    first, *more = paragraphs[0]
    if more and fields.goes_on(first, more[0]):
        first, more = f"{first} {more[0]}", more[1:]
    days = [day for line in (first, *more) if (day := _DAY.match(line))]
    if len(days) == len(more) + 1:  # a history: its last day counts, whichever end that stands at
        first = max(days, key=lambda day: day["day"]).string
    later = [*more, *(" ".join(paragraph) for paragraph in paragraphs[1:])]
    return next((line for line in later if statuses.word(first) and _replaces(line)), first)


def _replaces(line: str) -> bool:
    """True for a line that says what replaced a record, and nothing else."""
    bond = next((each.bond for each in statuses.bonds(line, firm=True)), None)
    return bond == "superseded by" and bool(
        re.fullmatch(
            r"[\W\d]*(?:super[sc]eded|replaced) by\s+(?:\[[^\]]*\]\([^)]*\)|[\w#-]+)(?:[\W\d]|\bon\b)*",
            line,
            re.IGNORECASE,
        )
    )
