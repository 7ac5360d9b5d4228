"""The decision record of a debate or a consensus as a Markdown page, from a template of ours."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from gitdecide.entries.record import DecisionRecord
from gitdecide.output import Line
from gitdecide.render import provenance
from gitdecide.render.record_json import Profile, document, in_force, nobody

if TYPE_CHECKING:
    from jinja2 import Template


def lines(record: DecisionRecord, profile: Profile = nobody) -> Iterator[Line]:
    """The page. Raises Damaged for a record without a question."""
    decided = in_force(record)
    said = provenance.lines(record, decided) if decided else ()
    page = _template().render(document(record, profile), provenance=list(said))
    yield from page.rstrip("\n").split("\n")


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from gitdecide.render import untrusted_markdown

    pages = Environment(
        loader=PackageLoader("gitdecide.render"),
        autoescape=False,  # noqa: S701 - Markdown is no HTML: the filters keep its shape
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    pages.filters |= {"block": untrusted_markdown.block, "line": untrusted_markdown.line}
    return pages.get_template("decision-record.md.j2")
