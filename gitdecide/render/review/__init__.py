"""Views of a review: one set of facts, and a renderer for each place where reviewers read."""

from collections.abc import Callable, Iterable
from typing import Final

from gitdecide.output import Line
from gitdecide.render.review import html, markdown, text
from gitdecide.render.review.facts import Review

REVIEW_RENDERERS: Final[dict[str, Callable[[Review], Iterable[Line]]]] = {
    "text": text.lines,
    "markdown": markdown.lines,
    "html": html.lines,
}
"""The views by the names that `review --format` takes."""
