"""The annotation of a settled decision: the one writer of it, and the one parser.

Its stem, its class tokens and the form in which we write it are fixed by the protocol of session-settled
decisions; whatever other wording follows the class is free, as long as it says over what, and why.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Challenge, Decision, Settled, Turn

STEM: Final = "session-settled:"
CLASSES: Final = ("user-directed", "user-approved")
STANDING_LINE: Final = "If you find evidence a settled decision cannot work, report it — do not suppress it."
CARRYING: Final = "Carrying forward:"

_OPENING = re.compile(
    r"""\((?=\s*(?:
        session[\W_]{0,3}settl\w*\s*:                    # the stem, or what was meant for it
      | session[\W_]{0,3}settl\w*[\W_]{1,5}user\b
      | [\w\s-]{3,30}:\s*user-(?:directed|approved)\b    # another stem before a class
      | [^():]{0,30}user-(?:directed|approved)\b[^()]{0,5}chosen\s+over\b
    ))
    | (?P<bare>session-settled:\s*user-(?:directed|approved)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_STEM = re.compile(rf"\(\s*{STEM}\s*")
_CLASS = re.compile(rf"(?:{'|'.join(CLASSES)})(?![\w-])")
_SEPARATOR = re.compile(r"\A[\s:;,.–—-]*")
_FIXED = re.compile(r"chosen\s+over\b(?P<over>.*?):(?=\s|$)(?P<because>.*)", re.DOTALL | re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:over|instead\s+of|rather\s+than|reject\w*|declin\w*|dropp\w*|against|not|than|versus|vs|without"
    r"|no\s+to|turned\s+down|ruled\s+out)\b"
    r"[\s.]*(?P<over>[^\s:;,–—][^:;,–—]*)",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"(?:[:;,–—]|\s-\s|\b(?:because|since|as|so|for|to|due|until)\b)\s*(?P<because>\w.*)", re.DOTALL
)
_PLACEHOLDER = re.compile(r"<[^<>]*>")


class Annotation(NamedTuple):
    """What an annotation says; `over` is what its wording lets us make out of the rejected alternative."""

    label: str
    over: str
    because: str
    wording: str
    """All that follows the class."""


class Found(NamedTuple):
    """An annotation in a text, from `start` to before `end`: what it says, or what is wrong with it."""

    start: int
    end: int
    said: Annotation | None
    problem: str | None = None


def written(label: str, over: str, because: str) -> str:
    """The annotation on one line; nothing in the texts can end it early, or part them elsewhere."""
    rejected = re.sub(r":+(?= |$)", ",", _contained(over)).rstrip(",")
    return f"({STEM} {label} — chosen over {rejected}: {_contained(because)})"


def annotation(decision: Decision, record: DecisionRecord) -> str | None:
    """The annotation that a decision carries wherever it is shown, None for one without a label."""
    settled = decision.settled
    return written(settled.label, alternative(settled, record), settled.because) if settled else None


def alternative(settled: Settled, record: DecisionRecord) -> str:
    """What was not chosen, in words: a label may name the challenge or the turn that said it."""
    named = record[settled.over] if settled.over in record else None  # noqa: SIM401 - it has no get
    if isinstance(named, Challenge):
        return named.claim
    return named.position or named.headline if isinstance(named, Turn) else settled.over


def one_line(text: str) -> str:
    """A text without line ends, and without more than one blank anywhere."""
    return " ".join(text.split())


def words_of(text: str) -> str:
    """The words of a text with a blank around each: what it contains it contains in whole words."""
    return " ".join(["", *re.findall(r"\w+", text.casefold()), ""])


def find(text: str) -> Iterator[Found]:
    """Every annotation in a text, and everything that was meant for one."""
    position = 0
    ends: dict[int, int] | None = None
    while opening := _OPENING.search(text, position):
        start = opening.start()
        if opening["bare"]:
            position = opening.end()
            yield Found(start, position, None, f"{STEM} does not stand at the beginning of a parenthesis")
            continue
        ends = _closings(text) if ends is None else ends
        end = ends.get(start)
        if end is None:
            following = text.find("(", opening.end())
            position = following if following > 0 else len(text)
            yield Found(start, position, None, "the annotation has no closing parenthesis")
        else:
            position = end
            said = _read(text[start : end - 1])
            known = said if isinstance(said, Annotation) else None
            yield Found(start, end, known, None if isinstance(said, Annotation) else said)


def _read(text: str) -> Annotation | str:
    """What an annotation says, without its closing parenthesis; or what is wrong with it."""
    stem = _STEM.match(text)
    if not stem:
        meant = one_line(re.split(r":|user-", text[1:40])[0]) or "nothing"
        return f"the stem is {STEM}, not {meant!a}"
    label = _CLASS.match(text, stem.end())
    if not label:
        meant = (text[stem.end() :].split() or ["nothing"])[0]
        return f"the class is {' or '.join(CLASSES)}, not {meant!a}"
    return _worded(label[0], one_line(_SEPARATOR.sub("", text[label.end() :], count=1)))


def _worded(label: str, wording: str) -> Annotation | str:
    if fixed := _FIXED.fullmatch(wording):
        over, because = fixed["over"], fixed["because"]
    else:
        free, why = _OVER.search(wording), _BECAUSE.search(wording)
        over, because = free["over"] if free else "", why["because"] if why else ""
    if not _says(over):
        return "the annotation names no rejected alternative"
    if not _says(because):
        return "the annotation gives no reason"
    return Annotation(label, over.strip(), because.strip(), wording)


def _says(text: str) -> bool:
    return bool(re.search(r"\w", _PLACEHOLDER.sub("", text)))


def _closings(text: str) -> dict[int, int]:
    """Where each parenthesis that is closed has ended, by where it opens."""
    opened: list[int] = []
    ends = {}
    for bracket in re.finditer(r"[()]", text):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            ends[opened.pop()] = bracket.end()
    return ends


def _contained(text: str) -> str:
    """A text on one line, its parentheses in pairs: what has no partner becomes a square bracket."""
    letters, opened = list(one_line(text)), []
    for place, letter in enumerate(letters):
        if letter == "(":
            opened.append(place)
        elif letter == ")" and opened:
            opened.pop()
        elif letter == ")":
            letters[place] = "]"
    for place in opened:
        letters[place] = "["
    return "".join(letters)
