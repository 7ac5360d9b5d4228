"""Decision records as Markdown files: those of adr-tools, of MADR 2, 3 and 4, and of log4brains.

They differ in where they put things, and folders mix them, so one reader looks in all the places:
https://github.com/npryce/adr-tools/tree/master/src, https://github.com/adr/madr/tree/develop/template,
https://github.com/thomvaill/log4brains/tree/develop/packages/init/assets.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gitdecide.entries.names import actor_problem
from gitdecide.entries.types import Participant
from gitdecide.formats import fields, markdown, names, standing, statuses
from gitdecide.formats.fields import Fields
from gitdecide.formats.foreign import ForeignRecord, Unreadable
from gitdecide.formats.markdown import ITEM, Page, Section
from gitdecide.formats.standing import Said
from gitdecide.formats.statuses import OUTCOMES, Reference, alias

COMPANIONS: Final = ("readme", "index", "summary", "toc", "contributing", "changelog")
"""Files, without their endings, that lie beside records."""

_NUMBER: Final = re.compile(r"(?:(?P<tool>adr|dr|madr)[-_ ]?)?(?P<number>\d{1,6})(?=[-_. ]|$)", re.IGNORECASE)
_DATED: Final = re.compile(r"(?P<year>\d{4})-?(?P<month>\d\d)-?(?P<day>\d\d)[-_](?=.)")
_CHOSEN: Final = re.compile(
    r"Chosen option:\s*(?:\"(?P<quoted>[^\"]+)\"|“(?P<curly>[^”]+)”|(?P<bare>[^\"“\n]+?))"
    r"(?:,\s*because\b\s*(?P<why>.+))?\.?",
    re.DOTALL | re.IGNORECASE,
)


def is_record(name: str) -> bool | None:
    """Whether a file of a folder is a record by its name; None where the name does not say."""
    stem = _stem(name).lower()
    if stem in COMPANIONS or "template" in stem or name.startswith((".", "_")):
        return False
    return True if _NUMBER.match(stem) or _DATED.match(stem) else None


def read(name: str, data: bytes) -> list[ForeignRecord]:
    """The one record of a file of this name. Raises Unreadable."""
    page = markdown.read(data)
    if not page.front and not any(section.title or section.body for section in page.sections):
        raise Unreadable("holds nothing but blanks and comments")
    return [_record(name, page)]


def _record(name: str, page: Page) -> ForeignRecord:
    title, opening, sections = _opened(page)
    head = fields.under_heading(opening)
    number = _number(name, title)
    said = list(standing.said(page, head, sections))
    status = said[0].text if said else None
    word = statuses.word(status) if status else None
    outcome = OUTCOMES[word] if word else None
    notes = list(_notes(said, status, word))
    front = {names.name(key): value for key, value in page.front.items()}
    topic = _topic(front, title, number)
    if topic is None:
        topic = re.sub(r"[-_]+", " ", _NUMBER.sub("", _DATED.sub("", _stem(name)), count=1)).strip() or _stem(
            name
        )
        notes.append("it has no title: its file name is taken")
    part = _outcome_of(sections)
    decision, rationale = _decision(part, topic) if outcome else (None, None)
    return ForeignRecord(
        topic=topic,
        id=_id(name, number),
        aliases=_aliases(name, front, number),
        status=status,
        date=_date(name, front, head),
        deciders=tuple(_people("deciders", front, head)),
        participants=tuple(_participants(front, head)),
        context=tuple(_context(head, sections, part if outcome else None)),
        options=_options(sections),
        references=tuple(_references(name, page, said)),
        outcome=outcome or "adopt",
        decision=decision,
        undecided=f"not decided: its status is {status or 'unknown'}",
        rationale=rationale,
        left_out=tuple(key for key, value in page.front.items() if not _has_a_place(key, value)),
        notes=tuple(notes),
    )


def _has_a_place(key: str, value: Any) -> bool:
    """True for a field of the front matter that goes into an entry."""
    known = names.name(key) in (*names.FIELDS, "id") or any(statuses.bonds(f"{_words(key)} ADR-1", firm=True))
    return known and isinstance(value, str | list)


def _opened(page: Page) -> tuple[str | None, Section, list[Section]]:
    """The title's heading, what stands below it, and the other sections."""
    first, *others = page.sections
    place = next((at for at, section in enumerate(others) if section.level == 1), None)
    titled = place is not None and not any(_is_known(section.title) for section in others[: place + 1])
    if place is None or not titled:
        return None, first, others
    head, before = others[place], [first, *others[:place]]
    lines = (*(line for section in before for line in section.lines), *head.lines)
    body = "\n\n".join(filter(None, (*(section.body for section in before), head.body)))
    return head.title, Section(1, head.title, lines, body), others[place + 1 :]


def _is_known(title: str) -> bool:
    return names.name(title) in ("status", *names.OUTCOME, *names.CONTEXT, *names.OPTIONS, "consequences")


def _notes(said: list[Said], status: str | None, word: str | None) -> Iterator[str]:
    if status is None:
        yield "its status is unknown"
    elif word is not None:
        yield f"status: {status}"
    else:
        yield f"its status is kept as given, and decides nothing: {status}"
    for other in said[1:]:
        if statuses.word(other.text) != word:
            yield f"the {other.place} says another status: {other.text}"


def _number(name: str, title: str | None) -> int | None:
    stem = _stem(name)
    found = None if _DATED.match(stem) else _NUMBER.match(stem)
    if found is None and title and not _DATED.match(stem):
        found = re.match(
            r"(?:ADR|DR)[-_ ]?(?P<number>\d{1,6})\b|(?P<numbered>\d{1,6})\. ", title, re.IGNORECASE
        )
        return int(found["number"] or found["numbered"]) if found else None
    return int(found["number"]) if found else None


def _id(name: str, number: int | None) -> str:
    return _stem(name) if number is None else alias(number)


def _aliases(name: str, front: dict[str, Any], number: int | None) -> tuple[str, ...]:
    given = front.get("id")
    own = (given,) if isinstance(given, str) and given.strip() else ()
    return tuple(other for other in own if other != _id(name, number))


def _topic(front: dict[str, Any], title: str | None, number: int | None) -> str | None:
    """The title in full; the number that adr-tools puts before it is an alias already."""
    if title:
        own = re.fullmatch(r"0*(\d{1,6})\.\s+(.+)", title)
        return own[2] if own and int(own[1]) == number else title
    given = front.get("title")
    return given.strip() if isinstance(given, str) and given.strip() else None


def _date(name: str, front: dict[str, Any], head: Fields) -> str | None:
    given = front.get("date")
    if isinstance(given, str) and given.strip():
        return given.strip()
    if head.by_name.get("date"):
        return head.by_name["date"]
    dated = _DATED.match(_stem(name))
    return f"{dated['year']}-{dated['month']}-{dated['day']}" if dated else None


def _people(role: str, front: dict[str, Any], head: Fields) -> Iterator[str]:
    for name in names.PEOPLE[role]:
        given = front.get(name) or head.by_name.get(name)
        if isinstance(given, str | list) and given:
            listed = given if isinstance(given, list) else re.split(r"[,;]", given)
            yield from (person.strip() for person in listed if isinstance(person, str) and person.strip())
            return


def _participants(front: dict[str, Any], head: Fields) -> Iterator[Participant]:
    for role in ("consulted", "informed"):
        yield from (
            Participant(actor=name, role=role)
            for name in _people(role, front, head)
            if not actor_problem(name)
        )


def _outcome_of(sections: Iterable[Section]) -> Section | None:
    return next(
        (section for name in names.OUTCOME for section in sections if names.name(section.title) == name), None
    )


def _decision(part: Section | None, topic: str) -> tuple[str, str | None]:
    if part is None or not part.body.strip():
        return topic, None
    chosen = _CHOSEN.fullmatch(part.body.strip())
    if chosen:
        return (chosen["quoted"] or chosen["curly"] or chosen["bare"]).strip(), chosen["why"]
    return part.body.strip(), None


def _context(head: Fields, sections: list[Section], outcome: Section | None) -> Iterator[str]:
    """Everything else that a record says: what stands for itself, then each section with its heading."""
    if head.rest.strip():
        yield head.rest
    skipped: list[Section] = [outcome] if outcome else []
    first = next((section for section in sections if names.name(section.title) in names.CONTEXT), None)
    if first:
        yield from (text for text in [first.body] if text.strip())
    skipped += [first] if first else []
    if _options(sections):
        skipped += [section for section in sections if _pure(section)][:1]
    within: Section | None = None
    text = ""
    for section in sections:
        if section.level <= 2:
            if text:
                yield text
            text, within = "", section
        if section in skipped or (
            section.level <= 2 and names.name(section.title) == "status" and _only_status(section)
        ):
            continue
        heading = f"{'#' * max(section.level, 2)} {section.title}\n\n{section.body}".strip()
        if within is outcome and outcome is not None and section.level == 3:
            if text:
                yield text
            text = heading
        else:
            text = f"{text}\n\n{heading}" if text else heading
    if text:
        yield text


def _only_status(section: Section) -> bool:
    """True for a section that says no more than what is kept elsewhere."""
    return all(
        statuses.word(standing.plain(line)) or list(statuses.bonds(line, firm=True))
        for paragraph in section.paragraphs()
        for line in paragraph
    )


def _options(sections: list[Section]) -> tuple[str, ...]:
    found = next((section for section in sections if _pure(section)), None)
    items = [ITEM.match(line) for line in (found.lines if found else ()) if line and line.strip()]
    return tuple(item["text"].strip() for item in items if item)


def _pure(section: Section) -> bool:
    """True for options as one flat list, which options of ours can hold."""
    lines = [line for line in section.lines if line is None or line.strip()]
    return (
        names.name(section.title) in names.OPTIONS
        and bool(lines)
        and all(line and ITEM.fullmatch(line) for line in lines)
    )


def _references(name: str, page: Page, said: list[Said]) -> Iterator[Reference]:
    """What the record says of others, each once; what stands where the format has it is firm."""
    firm = [*(each.text for each in said), *_relations(page)]
    text = [line for section in page.sections for line in section.lines if line]
    loose = "\n".join([*(section.title for section in page.sections), *text])
    found = [each for part in firm for each in statuses.bonds(part, firm=True)]
    seen = {each.target for each in found}
    for each in (*statuses.bonds(loose.replace("\n", " "), firm=False), *statuses.links(loose)):
        if each.target not in seen:
            seen.add(each.target)
            found.append(each)
    yield from (each for each in dict.fromkeys(found) if each.target not in (name, _stem(name)))


def _relations(page: Page) -> Iterator[str]:
    """The places for relations: the sections Status and Links, and fields such as `superseded-by`."""
    for section in page.sections:
        if names.name(section.title) in ("status", "links"):
            yield from (standing.plain(line) for line in section.lines if line)
    for key, value in page.front.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield f"{_words(key)} {each}"


def _words(key: str) -> str:
    return re.sub(r"[-_]", " ", key)


def _stem(name: str) -> str:
    return re.sub(r"\.(?:md|markdown)$", "", name, flags=re.IGNORECASE)
