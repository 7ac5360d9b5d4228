"""The site in a real browser, from the disk, where a machine has one."""

import json
from functools import partial
from pathlib import Path

from tests.site.browser import Browser

TITLES = "[...document.querySelectorAll('#records .title')].map((each) => each.textContent)"
COUNT = "document.getElementById('count').textContent"
FOCUS = "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"


def record(site: Path, number: int) -> Path:
    return next((site / "record").glob(f"DR-{number:03d}-*.html"))


def choose(page: Browser, **fields: str) -> None:
    for name, value in fields.items():
        page.value(
            f"(() => {{ const each = document.getElementById('filter').elements[{json.dumps(name)}];"
            f" each.value = {json.dumps(value)};"
            " each.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )


def test_search_narrows_the_list_and_says_how_many_there_are(site: Path, page: Browser) -> None:
    """Every word has to be there, in whatever case and accent, and the address keeps what was asked."""
    page.open((site / "index.html").as_uri())
    before = page.value(TITLES)

    page.press("/")
    page.type("ENGINE keep")
    page.wait(f"{COUNT}.startsWith('1 of')")

    assert page.value(TITLES) == ["Add load_dataset to the engine, so that the report runs?"]
    assert page.value("location.hash") == "#q=ENGINE+keep"
    assert page.value("document.getElementById('count').getAttribute('role')") == "status"

    page.value("document.querySelector('#filter [type=reset]').click()")
    page.wait("!location.hash")
    assert page.value(TITLES) == before
    assert page.value(FOCUS) == "q"


def test_accents_do_not_matter_to_a_search(site: Path, page: Browser) -> None:
    """An actor is found by a name that is typed without its accents."""
    page.open((site / "index.html").as_uri() + "#q=groSe%20gro%C3%9Fe")
    page.wait(f"{COUNT}.startsWith('0 of')")
    choose(page, q="GRÖSSE".replace("SS", "ß"))
    page.wait(f"{COUNT}.startsWith('1 of')")

    assert page.value(TITLES) == ["Are odd names names?"]


def test_filters_work_together(site: Path, page: Browser) -> None:
    """Status, job, actor and mode each narrow the list further."""
    page.open((site / "index.html").as_uri())

    choose(page, job="speed")
    page.wait(f"{COUNT}.startsWith('3 of')")
    choose(page, status="blocked")
    page.wait(f"{COUNT}.startsWith('1 of')")
    assert page.value(TITLES) == ["Cache the rows?"]

    choose(page, status="", job="", mode="debate", actor="judge")
    page.wait(f"{TITLES}[0] === 'Is a monorepo right for us?'")


def test_a_link_from_a_page_opens_the_filtered_list(site: Path, page: Browser) -> None:
    """The job of a record leads to all of that job, also where its name is odd."""
    page.open(record(site, 15).as_uri())
    page.value("document.querySelector('.byline a[href*=job]').click()")
    page.wait("document.readyState === 'complete' && !!document.getElementById('count')")
    page.wait(f"{COUNT}.startsWith('1 of')")

    assert page.value(TITLES) == ["Is \\u202egnp.exe text?"]


def test_the_keyboard_reaches_everything(site: Path, page: Browser) -> None:
    """First comes the way past the navigation; what has the focus can be seen; / leads to the search."""
    page.open(record(site, 1).as_uri())
    page.press("Tab")
    page.wait(f"({FOCUS}) === 'skip'")
    assert page.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert page.value("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter")
    page.wait(f"({FOCUS}) === 'main'")

    page.press("/")
    page.wait("document.readyState === 'complete' && document.activeElement.id === 'q'")
    page.press("/")
    page.wait("document.activeElement.value === '/'")


def test_no_page_complains_or_asks_for_anything_outside(site: Path, page: Browser) -> None:
    """The policy of content holds from a disk, nothing hostile runs, and no page is wider than a phone."""
    page.look(width=360)
    files = [*site.glob("*.html"), *map(partial(record, site), (1, 2, 4, 6, 11, 15, 22, 23, 24, 27, 29))]
    files += [
        *site.glob("actor/xxx*.html"),
        *site.glob("actor/onload*.html"),
        *site.glob("file/src-long*.html"),
    ]
    for file in files:
        page.open(file.as_uri())
        wide = page.value("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, file

    assert page.complaints == []
    outside = {url for url in page.asked if not url.startswith((site.as_uri(), "data:", "about:"))}
    assert outside == set()
    assert len(page.asked) > len(files)


def test_nothing_moves_while_a_page_loads(site: Path, page: Browser) -> None:
    """What the scripts add has its place from the beginning."""
    page.open((site / "index.html").as_uri())
    moved = page.value(
        "new Promise((done) => { let sum = 0; new PerformanceObserver((list) => {"
        " for (const each of list.getEntries()) sum += each.value; })"
        ".observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 150); })"
    )

    assert moved == 0


def test_without_scripts_the_list_is_there_and_the_filter_is_not(site: Path, page: Browser) -> None:
    """Whoever runs no scripts reads all the same, and sees nothing that does not work."""
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open((site / "index.html").as_uri())
        assert page.value("getComputedStyle(document.getElementById('filter')).display") == "none"
        assert page.value("document.querySelectorAll('#records .row').length") == 31
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_more_records_come_when_asked_for(site: Path, page: Browser) -> None:
    """A long result comes a hundred at a time, and the focus goes to the first new one."""
    page.open((site / "index.html").as_uri())
    page.value(
        "gitDecide.records.push(...Array.from({length: 250}, (_, at) =>"
        " ['DR-900-00000000', 0, 0, 0, [0], '2026-01-01', 'many ' + at, '', '']))"
    )
    choose(page, q="many")
    page.wait(f"{COUNT}.startsWith('250 of')")
    assert page.value(f"{TITLES}.length") == 100

    page.value("document.getElementById('more').click()")
    assert page.value(f"{TITLES}.length") == 200
    assert page.value("document.activeElement.textContent") == "many 100"
    page.value("document.getElementById('more').click()")
    assert page.value("document.getElementById('more').hidden") is True
