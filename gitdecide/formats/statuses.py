"""What records of other tools say of their state, and of each other."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote

from gitdecide.entries.types import Outcome

Bond = Literal["supersedes", "superseded by", "amends", "amended by", "links to"]

OUTCOMES: Final[dict[str, Outcome | None]] = {
    **dict.fromkeys(
        ("accepted", "approved", "adopted", "agreed", "decided", "done", "implemented", "active"), "adopt"
    ),
    **dict.fromkeys(("superseded", "superceded", "replaced", "deprecated", "obsolete", "retired"), "adopt"),
    **dict.fromkeys(("akzeptiert", "angenommen", "accepté", "acceptée", "aceptado", "aceptada"), "adopt"),
    **dict.fromkeys(
        ("aceito", "aceita", "ersetzt", "überholt", "remplacé", "remplacée", "obsolète"), "adopt"
    ),
    **dict.fromkeys(("rejected", "declined", "abgelehnt", "rejeté", "rejetée", "rechazado"), "reject"),
    **dict.fromkeys(("deferred", "postponed"), "defer"),
    **dict.fromkeys(("draft", "proposed", "pending", "open", "vorgeschlagen", "proposé", "propuesto"), None),
}
"""What the words for a state mean. Who was superseded or deprecated had been adopted."""

SUFFIXES: Final = (".md", ".markdown")

_BONDS: Final[tuple[tuple[str, Bond], ...]] = (
    (r"(?:partially|partly|in part) (?:super[sc]eded|replaced) by", "amended by"),
    (
        r"super[sc]ede[sd] by|replaced by|obsoleted by|ersetzt durch|remplacée? par"
        r"|super[sc]eded\s*(?:->|=>|→|\()",
        "superseded by",
    ),
    (r"super[sc]edes|replaces|obsoletes", "supersedes"),
    (r"amended by|clarified by|refined by|extended by", "amended by"),
    (r"amends|clarifies|refines|extends", "amends"),
)
_NUMBERED: Final = r"(?:ADR|DR)[-_ ]?#?0*(?P<number>\d{1,6})(?!\d)(?:-[0-9a-f]{8}\b)?"
_TARGET: Final = (
    rf"(?:\[(?P<text>[^\[\]]{{0,300}}+)\]\((?P<file>[^)\s]{{0,500}}+)[^)]{{0,200}}+\)|{_NUMBERED}|(?P<slug>\d{{8}}-[\w-]+)"
    r"|#?(?P<bare>\d{1,6})(?:\.(?=\s|$)|\b))"
)
_BOND: Final = re.compile(
    "|".join(rf"(?P<bond{place}>\b(?:{words}))" for place, (words, _) in enumerate(_BONDS)), re.IGNORECASE
)
_HERE: Final = re.compile(rf"[\s:*_]*{_TARGET}", re.IGNORECASE)
_AND: Final = re.compile(rf"\s*(?:,|and|&|,\s*and)\s*{_TARGET}", re.IGNORECASE)
_LINK: Final = re.compile(r"(?<!!)\[(?P<text>[^\[\]]{0,300}+)\]\((?P<file>[^)\s]{1,500}+)[^)]{0,200}+\)")
_WORD: Final = re.compile(r"[^\W\d_]+")
_DECORATION: Final = re.compile(r"~~.*?~~|:\w+:|&\w+;")
_TEMPLATE: Final = re.compile(r"^\s*[\[{(]?\s*\w+\s*\|\s*\w+")
_CHOICE: Final = re.compile(r"[/,]|->|→|\bor\b")


class Reference(NamedTuple):
    """What one record says of its relation to another: the name of a file, or a number as `ADR-0005`."""

    bond: Bond
    target: str
    firm: bool = False
    """True where the format has a place for it, false for what only the prose says."""


def alias(number: int) -> str:
    """The name of a foreign record with this number."""
    return f"ADR-{number:04d}"


def word(status: str) -> str | None:
    """The word for a state that a status begins with, None for one that no list knows."""
    plain = unicodedata.normalize("NFC", _DECORATION.sub("", status))
    choice = {part.strip("[](){}*_`.?… \t\u00a0").lower() for part in _CHOICE.split(plain)} - {""}
    unmade = choice <= OUTCOMES.keys() and len({OUTCOMES[each] for each in choice}) > 1
    if unmade or _TEMPLATE.match(plain):
        return None  # a choice that nobody made
    found = _WORD.search(plain)
    return found[0].lower() if found and found[0].lower() in OUTCOMES else None


def bonds(text: str, *, firm: bool) -> Iterator[Reference]:
    """The relations that a text names, a word such as `supersedes` with what stands right behind it."""
    for found in _BOND.finditer(text):
        bond = next(name for place, (_, name) in enumerate(_BONDS) if found[f"bond{place}"])
        target = _HERE.match(text, found.end())
        while target:
            # Many a number in prose counts something else.
            if (firm or not target["bare"]) and (name := _name(target)):
                yield Reference(bond, name, firm)
            target = _AND.match(text, target.end())


def links(text: str) -> Iterator[Reference]:
    """The links to other Markdown files of the same folder."""
    for found in _LINK.finditer(text):
        if (name := _file(found["file"])) and "/" not in name:
            yield Reference("links to", name)


def _name(target: re.Match[str]) -> str | None:
    if target["file"] is not None:
        numbered = re.search(_NUMBERED, target["text"], re.IGNORECASE) or re.match(
            r"0*(?P<number>\d{1,6})\.?\s", target["text"]
        )
        return _file(target["file"]) or (alias(int(numbered["number"])) if numbered else None)
    if target["slug"]:
        return target["slug"]
    return alias(int(target["number"] or target["bare"]))


def _file(target: str) -> str | None:
    """The Markdown file that a link leads to, None for an address of something else."""
    for path in (target.partition("#")[0], target):  # some tools leave a # in a name as it is
        if "://" not in path and path.lower().endswith(SUFFIXES):
            return unquote(path).removeprefix("./")
    return None
