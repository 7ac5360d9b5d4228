"""The pages of a site, each from values to text.

Every text of others goes through `shown` and Jinja's escaping, wherever a template puts it; templates are
files of ours alone. The pages ask no server for anything, and hold no script or style of their own.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gitdecide import __version__
from gitdecide.entries.conversation import folded, state
from gitdecide.entries.names import RecordName, split_reference
from gitdecide.entries.record import DecisionRecord, Filed, Status
from gitdecide.entries.types import Actor, Check, Decision, Question, quoted
from gitdecide.output import visible
from gitdecide.render import provenance
from gitdecide.render.record_json import in_force
from gitdecide.render.review.words import short
from gitdecide.render.site import places, told
from gitdecide.render.site.drawing import drawing
from gitdecide.render.site.summary import Summary, data
from gitdecide.rules.warnings import warnings

LISTED: Final = 200
"""Records that the first page lists, and that the page of an actor or a file does."""

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:;"
    " base-uri 'none'; form-action 'none'"
)
"""What a page may load: the site's own style and scripts (https://www.w3.org/TR/CSP3/)."""

_ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`\\]+", re.IGNORECASE)


class Built(NamedTuple):
    """What a site was made from: commits of the log and of the code."""

    log: str
    head: str | None


class Commit(NamedTuple):
    """A commit that links a record."""

    id: str
    subject: str


class Known(NamedTuple):
    """What the log says of an actor."""

    kind: str
    profile: Actor | None


class Listed(NamedTuple):
    """A record on the page of an actor or a file, and what it has to do with that."""

    record: Summary
    how: str


class Pages:
    """The pages of one site."""

    def __init__(self, title: str, has: Callable[[str], bool]) -> None:
        """`has` tells which names of records have a page."""
        self._has = has
        self._files = PackageLoader("gitdecide.render", "templates/site")
        self._templates = Environment(
            loader=self._files,
            autoescape=True,
            finalize=_finalized,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.filters |= {
            "address": address,
            "anchor": self._anchor,
            "quoted": quoted,
            "short": _short,
            "visible": visible,
        }
        self._templates.globals |= {"places": places, "policy": POLICY, "site": title}

    def record(
        self, record: DecisionRecord, beside: told.Beside, commits: Sequence[Commit], fast: timedelta
    ) -> str:
        """The page of a record, damaged or not; `fast` is the policy's."""
        asked = next(iter(record.of(Question)), None)
        decided = in_force(record)
        rulings = record.live or ([decided] if decided else [])
        return self._page(
            "record",
            up="../",
            record=record,
            asked=asked.entry if asked else None,
            about=[field for field in told.question(asked.entry) if field.value] if asked else [],
            rulings=[_ruling(record, each) for each in rulings],
            warned=[short(line) for line in warnings(record, fast)],
            votes=[(vote, told.readings(vote.entry.read, beside.states)) for vote in record.votes],
            tones=told.TONES,
            drawing=drawing(record),
            conversation=folded(record) if asked and not record.damages else None,
            talk=state(record) if asked and not record.damages else "",
            items=told.items(record, beside),
            commits=commits,
        )

    def actor(self, name: str, known: Known, said: Sequence[Listed]) -> str:
        """The page of an actor."""
        return self._page(
            "actor", up="../", name=name, known=known, said=said[:LISTED], left_out=max(0, len(said) - LISTED)
        )

    def actors(self, known: Mapping[str, Known], counts: Mapping[str, int]) -> str:
        """The list of all actors, and in how many records each spoke."""
        return self._page("actors", up="", known=known, counts=counts)

    def file(self, path: str, said: Sequence[Listed]) -> str:
        """The page of a path: the records that govern it or read it."""
        return self._page(
            "file", up="../", path=path, said=said[:LISTED], left_out=max(0, len(said) - LISTED)
        )

    def files(self, counts: Mapping[str, int]) -> str:
        """The list of all paths, and how many records each has to do with."""
        return self._page("files", up="", counts=counts)

    def listing(self, summaries: Sequence[Summary]) -> str:
        """A page of the whole list, for whoever reads without scripts."""
        return self._page("list", up="../", said=summaries, numbers=places.numbers(summaries[0].number))

    def index(self, summaries: Sequence[Summary], built: Built) -> str:
        """The first page: the newest records, and the way to all of them."""
        pages = dict.fromkeys(places.numbers(each.number) for each in summaries)
        return self._page(
            "index",
            up="",
            said=summaries[:LISTED],
            total=len(summaries),
            counts=_counted(summaries),
            ranges=pages if len(summaries) > LISTED else (),
            built=built,
            version=__version__,
        )

    def assets(self, summaries: Sequence[Summary], built: Built) -> dict[str, str]:
        """What is no page: style, scripts and the data that they look through, by path."""
        said = {"log": built.log[:12], "head": (built.head or "")[:12]}
        return {
            places.STYLE: self._files.get_source(self._templates, places.STYLE)[0],
            places.SCRIPT: self._files.get_source(self._templates, places.SCRIPT)[0],
            places.BUILT: f"var gitDecideBuilt = {json.dumps(said)};\n",
            places.DATA: data(summaries),
        }

    def _page(self, template: str, **values: Any) -> str:
        return self._templates.get_template(f"{template}.html.j2").render(values)

    def _anchor(self, reference: str, record: DecisionRecord) -> str | None:
        """Where a reference leads, None where there is nothing to see."""
        other, entry_id = split_reference(reference)
        if other is None:
            return f"#e-{entry_id}" if entry_id in record else None
        name = RecordName.parse(other)
        return f"../{places.record_page(name)}#e-{entry_id}" if name and self._has(other) else None


class Ruling(NamedTuple):
    """A decision that stands, or the last one that did, and what it rests on."""

    id: str
    entry: Decision
    tone: str
    state: str
    """`superseded`, `imported`, `blocked`; empty for one that simply stands."""
    label: str | None
    checks: Sequence[tuple[str, Check]]


def shown(text: str) -> str:
    """Text in which nothing hides: control and direction characters are spelled out, lines stay lines."""
    if text.isascii() and text.isprintable():  # as most are
        return text
    return "\n".join(map(visible, text.split("\n")))


def address(text: str) -> str | None:
    """A text that is the address of a page, None for any other: no script's, and nothing hidden in it."""
    return text if _ADDRESS.fullmatch(text) and visible(text) == text else None


def _counted(summaries: Sequence[Summary]) -> dict[str, int]:
    """How many records have each status, in the order in which a status applies."""
    counts = Counter(each.status for each in summaries)
    return {status: counts[status] for status in get_args(Status) if counts[status]}


def _finalized(value: object) -> object:
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _short(reference: str) -> str:
    """A reference as people read it."""
    name, colon, entry_id = reference.rpartition(":")
    return f"{name}{colon}{entry_id[:8]}"


def _ruling(record: DecisionRecord, decision: Filed[Decision]) -> Ruling:
    checks = [(check.id, check.entry) for check in record.of(Check) if check.id in decision.entry.checks]
    state = "imported" if decision.entry.imported else "superseded"
    if decision in record.live:
        state = "blocked" if any(each.entry.target == decision.id for each in record.blocking) else ""
    label = provenance.label(record, decision)
    return Ruling(decision.id, decision.entry, told.TONES[decision.entry.outcome], state, label, checks)
