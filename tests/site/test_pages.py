"""Every page of the story, read as a browser reads it, without a browser."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from gitdecide.output import visible
from tests.site.fixture import HOSTILE, ODD_ACTORS, Story

OURS = {
    "a", "article", "b", "bdi", "body", "br", "button", "caption", "code", "dd", "defs", "desc",
    "details", "div", "dl", "dt", "footer", "form", "g", "h1", "h2", "h3", "head", "header", "html",
    "input", "kbd", "label", "li", "line", "link", "main", "marker", "meta", "nav", "ol", "option",
    "p", "path", "pre", "rect", "script", "section", "select", "span", "summary", "svg", "table",
    "tbody", "td", "template", "text", "th", "thead", "time", "title", "tr", "ul",
}  # fmt: skip
VOID = {"br", "input", "link", "meta"}


class Read(HTMLParser):
    """The elements of a page, its text, and whether every element ends where it should."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Read]:
    """All pages by their files."""
    return {file: Read(file.read_text("utf-8")) for file in sorted(site.rglob("*.html"))}


def links(pages: dict[Path, Read]) -> Iterator[tuple[Path, dict[str, str | None]]]:
    return ((file, link) for file, page in pages.items() for link in page.of("a") if "href" in link)


def test_no_element_or_attribute_comes_from_a_text(pages: dict[Path, Read]) -> None:
    """Case of hostile text: whatever was said, the page has the elements that we wrote, whole and nested."""
    for file, page in pages.items():
        assert page.open == [], file
        assert {tag for tag, _ in page.elements} <= OURS, file
        names = {name for _, attrs in page.elements for name in attrs}
        assert not {name for name in names if name.startswith("on") or name in ("style", "srcdoc")}, file
        assert all(
            (each["src"] or "").lstrip("./") in ("built.js", "script.js", "data.js")
            for each in page.of("script")
        )


def test_hostile_text_is_there_as_text(site: Path, pages: dict[Path, Read]) -> None:
    """It stays as it is, and what nobody could see is spelled out."""
    said = "\n".join("".join(page.texts) for page in pages.values())
    for text in HOSTILE:
        for line in text.split("\n"):
            assert visible(line) in said
    for name in ODD_ACTORS:
        assert visible(name) in said
    for file in site.rglob("*.*"):
        hidden = set(
            re.findall(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]",
                file.read_text("utf-8"),
            )
        )
        assert hidden == set(), file


def test_links_stay_in_the_site_or_are_plain_addresses(site: Path, pages: dict[Path, Read]) -> None:
    """No script address becomes a link; every link within the site leads to a page and a place that exist."""
    ids = {file: {attrs.get("id") for _, attrs in page.elements} for file, page in pages.items()}
    outside = set()
    for file, link in links(pages):
        parts = urlsplit(link["href"] or "")
        if parts.scheme:
            assert parts.scheme in ("http", "https")
            assert link["rel"] == "noreferrer noopener nofollow external"
            outside.add(link["href"])
            continue
        target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        assert target in ids, (file, link)
        if parts.fragment and "=" not in parts.fragment:
            assert parts.fragment in ids[target], (file, link)
    assert outside == {"https://example.com/tickets/12"}


def test_pages_are_made_for_ears_as_well(pages: dict[Path, Read]) -> None:
    """Landmarks, one first heading, no level left out, headers in tables, and a name for each field."""
    for file, page in pages.items():
        assert page.of("html")[0]["lang"] == "en"
        assert [len(page.of(tag)) for tag in ("h1", "main", "header", "footer")] == [1, 1, 1, 1]
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        assert all(after - before <= 1 for before, after in pairwise(levels)), file
        assert all(each.get("scope") for each in page.of("th")), file
        ids = [attrs["id"] for _, attrs in page.elements if attrs.get("id")]
        assert len(ids) == len(set(ids)), file
        for _, attrs in page.elements:
            assert set((attrs.get("aria-labelledby") or "").split()) <= set(ids), file


def test_every_entry_has_its_place_on_the_page(story: Story, site: Path) -> None:
    """The timeline holds all entries in their order, with who said them and when."""
    for brief in json.loads(story.say("list", "--json", "--limit", "0"))["records"]:
        record = json.loads(story.say("show", brief["name"], "--json"))
        html = (site / "record" / f"{brief['name']}.html").read_text("utf-8")
        placed = re.findall(r'<li id="e-([0-9a-f]+)"', html)
        assert placed == [entry["id"] for entry in record["entries"]]
        for entry in record["entries"]:
            assert f'<time datetime="{entry["at"]}">' in html


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, ("changed since (2 commits)", "fresh", "read nothing", "ticket:ABC-1", "not checked: tests",
             "exit 1", "reported", "ran", "superseded", "another check still fails", "Fix the report", "<svg",
             "2027-03-01", "was replaced by", "javascript:alert(1)</li>")),
        (2, ("session-settled: user-directed", "not confirmed by Grace")),
        (3, ("a directive, its challenge spent", "answered by")),
        (4, ("in another record", "superseded")),
        (6, ("builder sent a RED_TEAM that named nothing it gave up", "both signed the same artefact",
             "round 5", "who owns the reader")),
        (7, ("both sides have restated the same position",)),
        (8, ("synthesis", "pro would start now")),
        (9, ("Invalidating conflict", "</b>blocked")),
        (10, ("Suboptimal conflict",)),
        (11, ('<span class="add">+&lt;script&gt;alert(1)&lt;/script&gt;', '<span class="del">-# Plan',
              "decide/DR-011/1")),
    ],
)  # fmt: skip
def test_a_page_tells_what_its_record_is_about(site: Path, number: int, said: tuple[str, ...]) -> None:
    """Freshness, results, labels, conflicts, ledgers, detectors, patches and successors are there."""
    html = next((site / "record").glob(f"DR-{number:03d}-*.html")).read_text("utf-8")
    assert [text for text in said if text not in html] == []


def test_a_file_tells_who_governs_and_who_read_it(site: Path) -> None:
    """What a pathspec selects is on the page of the file, beside those who read it."""
    (page,) = (site / "file").glob("src-report-py-*.html")
    html = page.read_text("utf-8")

    assert "governs it by src/*.py" in html
    assert "read by staff, Ada" in html
    assert "governs it by src<" in html


def test_the_script_finds_what_it_looks_for(site: Path) -> None:
    """What the script takes by id or name is in the first page, and the data is what it reads."""
    script, html = (site / "script.js").read_text(), (site / "index.html").read_text()
    for each in set(re.findall(r'byId\("([a-z]+)"\)', script)):
        assert f'id="{each}"' in html or each == "ranges"
    (fields,) = re.findall(r"FIELDS = \[(.*?)\]", script)
    data = json.loads((site / "data.js").read_text().removeprefix("var gitDecide = ").removesuffix(";\n"))
    for field in re.findall(r'"(\w+)"', fields):
        assert f'name="{field}"' in html
        assert data[field]
    assert len(data["records"]) == 31
    name, status, mode, job, actors, day, title, outcome, said, conflict = data["records"][-1]
    assert (title, outcome, day) == (
        "Add load_dataset to the engine, so that the report runs?",
        "adopt",
        "2026-09-01",
    )
    assert (data["status"][status], data["mode"][mode], data["job"][job]) == (
        "decided",
        "decide",
        "dataset-feature",
    )
    assert [data["actor"][each] for each in actors] == ["Ada", "researcher-1", "staff"]
    assert said.startswith("Keep the engine")
    assert conflict == 0
    assert (site / "record" / f"{name}.html").exists()


def test_colours_can_be_read_in_light_dark_and_on_paper(site: Path) -> None:
    """Contrast is at least that of WCAG 2.2 AA: 4.5 to 1 for text."""
    style = (site / "style.css").read_text()
    themes: list[dict[str, str]] = []
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block))
        themes.append({**(themes[0] if themes else {}), **colors})
    assert len(themes) == 3
    for theme in themes:
        for ink in ("ink", "quiet", "link", "good", "bad", "notice"):
            for paper in ("paper", "raised", "code"):
                assert contrast(theme[ink], theme[paper]) >= 4.5, (ink, paper, theme)
        for tint in ("good", "bad", "notice"):
            for ink in (tint, "ink", "link", "quiet"):
                assert contrast(theme[ink], theme[f"{tint}-tint"]) >= 4.5, (ink, tint, theme)


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(each * 2 for each in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
