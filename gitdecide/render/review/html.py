"""A review as one page that asks for nothing from anywhere."""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from gitdecide.output import Line, visible
from gitdecide.render.review import words
from gitdecide.render.review.facts import Review

if TYPE_CHECKING:
    from jinja2 import Template


def lines(review: Review) -> Iterator[Line]:
    """The page."""
    bad = bool(review.count("refused", "damaged") or review.broken)
    page = _template().render(review=review, words=words, ranked=words.ranked, bad=bad)
    yield from page.rstrip("\n").split("\n")


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("gitdecide.render"),
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return pages.get_template("review.html.j2")


def _shown(value: object) -> object:
    """Text of others with its control and direction characters spelled out; line ends stay."""
    if type(value) is not str:  # markup is ours
        return value
    return "\n".join(map(visible, value.split("\n")))
