"""The pure parts of a site: names of pages, addresses, patches, the drawing and the data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Decision, Question
from gitdecide.render.site import places
from gitdecide.render.site.drawing import drawing
from gitdecide.render.site.pages import LISTED, Built, Known, Listed, Pages, address, shown
from gitdecide.render.site.patch import LONGEST, WIDEST
from gitdecide.render.site.patch import shown as patch_shown
from gitdecide.render.site.summary import data, summary

AT = "2026-10-19T09:14:03.482913Z"


@pytest.mark.parametrize(
    "name", ["con", "CON", "..", ".", "a/b", "100%", "nul.txt", "ä" * 100, "\u202e", "x" * 4000, " "]
)
def test_the_name_of_a_page_is_safe_on_every_disk(name: str) -> None:
    """Plain lower case letters, digits and hyphens, not too long, never reserved, and known as ours."""
    for page in (places.actor_page(name), places.file_page(name)):
        folder, _, file = page.partition("/")
        assert folder in ("actor", "file")
        assert file.removesuffix(".html").replace("-", "").isalnum()
        assert file == file.lower()
        assert file.isascii()
        assert 24 < len(file) < 80
        assert places.ours(page)


@given(st.lists(st.text(min_size=1), unique=True))
def test_no_two_names_share_a_page(names: list[str]) -> None:
    """Not even where a disk takes capitals for small letters."""
    assert len({places.file_page(name).casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    "path",
    ["../index.html", "record/../x.html", "record/DR-1-0.html", "CNAME", ".git/config", "actor/../../x.html",
     "actor/a/b.html", "/index.html", "index.html\n", "record/DR-001-3f2a91c0.html/x", ""],
)  # fmt: skip
def test_what_cannot_be_a_page_is_not_ours(path: str) -> None:
    """A list of files that others wrote removes nothing else."""
    assert not places.ours(path)


def test_a_page_of_the_list_covers_numbers_that_never_change() -> None:
    """So a new record touches one page of the list, and not all of them."""
    assert places.list_page(1) == places.list_page(200) == "list/000001.html"
    assert places.list_page(201) == "list/000201.html"
    assert places.numbers(999_999) == (999_801, 1_000_000)


@pytest.mark.parametrize(
    "text",
    ["javascript:alert(1)", "JAVASCRIPT:alert(1)", " https://a.example", "https://a.example/\u202e", "https://",
     "data:text/html,x", "//a.example", "https://a b", 'https://a"onclick=x', "https://a\nb", "vbscript:x",
     "file:///etc"],
)  # fmt: skip
def test_only_addresses_of_pages_become_links(text: str) -> None:
    """No script's, no disk's, and none in which something hides."""
    assert address(text) is None


def test_an_address_of_a_page_becomes_a_link() -> None:
    """With all that belongs to it, and in any case."""
    for text in ("https://example.com/a?b=1&c=2#d", "HTTP://example.com"):
        assert address(text) == text


@given(st.text())
def test_nothing_hides_in_what_is_shown(text: str) -> None:
    """Every character is one that can be seen, a blank, a tab or the end of a line."""
    said = shown(text)
    assert not set(said) & set("\x00\x07\x1b\r\x7f\x9b\u200e\u202e\u2066\u2028\ufeff")
    assert said.count("\n") == text.count("\n")


PATCH = """diff --git a/a b/a
index 1234567812345678123456781234567812345678..1234567812345678123456781234567812345679 100644
--- a/a
+++ b/a
@@ -1,2 +1,2 @@ def f
 same
-old
--- not a header
+new
\\ No newline at end of file
diff --git a/b b/b
"""


def test_a_patch_is_told_line_by_line() -> None:
    """Within a hunk a line is what its first character says, also one that looks like a header."""
    told = patch_shown(PATCH)

    kinds = [line.kind for line in told.lines]
    assert kinds == ["meta", "meta", "meta", "meta", "hunk", "", "del", "del", "add", "meta", "meta"]
    assert told.lines[1].text == "index 12345678..12345678 100644"
    assert (told.added, told.removed, told.left_out) == (1, 2, 0)


def test_a_patch_without_end_is_cut_and_says_so() -> None:
    """Five megabytes of patch do not make a page of five megabytes."""
    told = patch_shown("@@ -1 +1 @@\n" + "+x\n" * (LONGEST + 9) + f"+{'y' * WIDEST}\n")

    assert len(told.lines) == LONGEST
    assert told.left_out == 11
    assert told.added == LONGEST + 10
    assert max(len(line.text) for line in patch_shown(f"@@ @@\n+{'y' * WIDEST}").lines) == WIDEST + 1


def decided(*texts: str) -> DecisionRecord:
    """A record in which each decision replaces the one before."""
    question = Question(actor="Ada", at=AT, number=7, question="Which?\nmore", mode="decide")
    entries: dict[str, Question | Decision] = {"0" * 40: question}
    for place, text in enumerate(texts, 1):
        entries[f"{place:040x}"] = Decision(
            actor="Ada", at=AT, qid="0" * 40, after=(f"{place - 1:040x}",), outcome="adopt", decision=text,
            changes_code=False, supersedes=(f"{place - 1:040x}",) if place > 1 else (),
        )  # fmt: skip
    return DecisionRecord(RecordName(7, "00000000"), entries)


def test_what_was_never_replaced_is_not_drawn() -> None:
    """One decision is no picture."""
    assert drawing(decided("a")) is None


def test_a_drawing_leads_down_to_what_stands() -> None:
    """Each box lies below the one that it replaced, the live one is marked, and words say the same."""
    drawn = drawing(decided("a", "b\x1b", "c" * 200))

    assert drawn is not None
    assert [box.live for box in drawn.boxes] == [False, False, True]
    assert [box.y for box in drawn.boxes] == sorted({box.y for box in drawn.boxes})
    assert drawn.boxes[1].lines == ("b\\x1b",)
    assert all(arrow.y1 < arrow.y2 < drawn.height for arrow in drawn.arrows)
    assert drawn.said == [("1".zfill(40), "2".zfill(40)), ("2".zfill(40), "3".zfill(40))]


def test_a_long_story_is_told_in_words_alone() -> None:
    """Nobody can read a picture of a hundred boxes."""
    drawn = drawing(decided(*map(str, range(100))))

    assert drawn is not None
    assert (drawn.boxes, len(drawn.said)) == ([], 99)


def test_the_data_is_plain_ascii_that_shows_everything() -> None:
    """Whatever is in a question, the script file has it as text that can be seen."""
    text = data([summary(decided("\u202e</script>"))])

    assert text.isascii()
    told = json.loads(text.removeprefix("var gitDecide = ").removesuffix(";\n"))
    assert told["records"] == [
        ["DR-007-00000000", 0, 0, 0, [0], "2026-10-19", "Which?", "adopt", "\\u202e</script>", 0]
    ]


def test_of_very_many_records_the_first_page_lists_the_newest_and_leads_to_all() -> None:
    """Without scripts all can be reached; a page of an actor is no longer than the first one."""
    one = summary(decided("a"))
    many = [one._replace(name=RecordName(number, "00000000")) for number in range(450, 0, -1)]
    pages = Pages("Ours", frozenset().__contains__)

    index = pages.index(many, Built("1" * 40, None))
    actor = pages.actor("Ada & co", Known("human", None), [Listed(each, "vote") for each in many])

    assert index.count('<li class="row">') - 1 == actor.count('<li class="row">') == LISTED
    for first, last in (("DR-401", "DR-600"), ("DR-201", "DR-400"), ("DR-001", "DR-200")):
        assert f'<a href="list/000{first[3:]}.html">{first} to {last}</a>' in index
    assert '250 older ones: <a href="../index.html#actor=Ada+%26+co">' in actor
    assert pages.listing(many[50:250]).count('<li class="row">') == 200
