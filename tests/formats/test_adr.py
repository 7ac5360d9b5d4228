"""Decision records as Markdown: what is read, and from which places alone."""

import pytest

from gitdecide.formats import adr, statuses
from gitdecide.formats.foreign import ForeignRecord, Unreadable
from gitdecide.formats.statuses import Reference


def read(text: str, name: str = "0007-x.md") -> ForeignRecord:
    (record,) = adr.read(name, text.encode())
    return record


def test_a_file_of_adr_tools_is_read() -> None:
    """The number before the title is its alias, and every section has its place."""
    record = read(
        "# 7. Use it\n\nDate: 2016-02-12\n\n## Status\n\nAccepted\n\nAmends [2. Shell](0002-shell.md)\n\n"
        "## Context\n\nWe need it.\n\n## Decision\n\nWe use it.\n\nAlways.\n\n## Consequences\n\nSpeed.\n"
    )

    assert (record.topic, record.id, record.status, record.date) == (
        "Use it",
        "ADR-0007",
        "Accepted",
        "2016-02-12",
    )
    assert (record.outcome, record.decision) == ("adopt", "We use it.\n\nAlways.")
    assert record.context == ("We need it.", "## Consequences\n\nSpeed.")
    assert record.references == (Reference("amends", "0002-shell.md", firm=True),)


MADR_2 = "# Use it\n\n* Status: rejected\n* Deciders: Ana, Bo\n* Date: 2026-03-02\n\nTechnical Story: t-1\n\n"
MADR_3 = (
    "---\nstatus: rejected\ndate: 2026-03-02\ndeciders: Ana, Bo\n---\n# Use it\n\nTechnical Story: t-1\n\n"
)
MADR_4 = MADR_3.replace("deciders: Ana, Bo", "decision-makers:\n  - Ana\n  - Bo")
LOG4BRAINS = (
    "# Use it\n\n- Status: rejected\n- Deciders: Ana; Bo\n- Date: 2026-03-02\n\nTechnical Story: t-1\n\n"
)
BODY = (
    "## Context and Problem Statement\n\nWhich?\n\n## Considered Options\n\n* one\n* two\n\n"
    '## Decision Outcome\n\nChosen option: "one", because\nit is one.\n\n'
    "### Consequences\n\n* Good, because x\n\n"
    "## Pros and Cons of the Options\n\n### one\n\n* Bad, because y\n"
)


@pytest.mark.parametrize("head", [MADR_2, MADR_3, MADR_4, LOG4BRAINS])
def test_every_version_says_the_same(head: str) -> None:
    """MADR 2, 3 and 4 and log4brains differ in their heads alone."""
    record = read(head + BODY)

    assert (record.topic, record.status, record.date, record.deciders) == (
        "Use it", "rejected", "2026-03-02", ("Ana", "Bo"),
    )  # fmt: skip
    assert (record.outcome, record.decision, record.rationale) == ("reject", "one", "it is one.")
    assert record.options == ("one", "two")
    assert record.context == (
        "Technical Story: t-1",
        "Which?",
        "### Consequences\n\n* Good, because x",
        "## Pros and Cons of the Options\n\n### one\n\n* Bad, because y",
    )


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("## Status\n\nAccepted. Amended by [2](0002-b.md).\n", "Accepted. Amended by [2](0002-b.md)."),
        ("## Status\n\nAccepted\n\nIt was later\nsuperseded for the edge tier\nalone.\n", "Accepted"),
        ("## Status\n\nAccepted\n\nIt was later\nsuperseded by ADR-0009 for the edge\n", "Accepted"),
        ("## Status\n\nAccepted\n\nSuperceded by [9. O](0009-o.md)\n", "Superceded by [9. O](0009-o.md)"),
        ("## Status\n\nSuperseded\nby ADR-0005\n", "Superseded by ADR-0005"),
        ("## Status\n\n* Proposed\n", "Proposed"),
        ("## 2. Status:\n\nAccepted\n", "Accepted"),
        ("## Status: Accepted\n", "Accepted"),
        ("## Status\n\nStatus: Accepted\n", "Accepted"),
        ("- status: accepted\n", "accepted"),
        ("date: 2020-01-01\nstatus: accepted\n", "accepted"),
        ("- **Status**: accepted\n", "accepted"),
        ("* __Status:__ accepted <!-- optional -->\n", "accepted"),
        ("Date: 2020-01-01\nStatus: accepted\n", "accepted"),
        ("Some words.\n\n**Status:** ✅ Accepted\n", "✅ Accepted"),
        ("## Context\n\nWords.\n\n**Status**: Superseded\nby ADR-0005\n\nMore.\n", "Superseded by ADR-0005"),
        ("```yaml\nstatus: proposed | rejected\n```\n", None),
        ("~~~\n## Status\n\nAccepted\n~~~\n", None),
        ("- like this:\n\n  ```\n  Status: accepted\n  ```\n", None),
        ("<!--\n## Status\n\nAccepted\n-->\n", None),
        ("| Field | Value |\n|---|---|\n| **Status** | Accepted |\n", "Accepted"),
        ("| Status | Date |\n|:--|--|\n| Accepted | 2020-01-01 |\n", "Accepted"),
        ("| Status | Accepted |\n|---|---|\n| Date | 2020-01-01 |\n", "Accepted"),
        ("## Status\n\n| Status |\n|---|\n| akzeptiert |\n", "akzeptiert"),
        ("## Status\n\n- [ ] Proposed\n- [x] Accepted\n- [ ] Rejected\n", "Accepted"),
        ("## Status\n\n- [ ] Proposed\n- [ ] Accepted\n", None),
        ("## Status\n\n2020-01-01 proposed\n2021-01-01 accepted\n", "2021-01-01 accepted"),
        ("## Status\n\nAccepted\n\n2021-01-01: Superseded by ADR-9\n", "2021-01-01: Superseded by ADR-9"),
        ("> Status: accepted\n> Date: 2020-01-01\n", "accepted"),
        ("*\tStatus:\taccepted\n*\tDate:\t2020-01-01\n", "accepted"),
        ("**Status: accepted**\n", "accepted"),
        ("_Status_: accepted\n", "accepted"),
        ("- Statut : accepté\n", "accepté"),
        ("状态：已接受\n", "已接受"),
        ("    Status: accepted\n", None),
        ("    ## Status\n\n    Accepted\n", None),
        ("The record says so.\nStatus: accepted is what we want\n", None),
        ("## Context\n\nStatus: accepted\n", None),
        ("## Status\n\n<!-- accepted -->\n", None),
        ("## Options\n\n### A\n\n**Status**: rejected\n\n### B\n\n**Status**: accepted\n", None),
        ("`<!--`\n\n## Status\n\nAccepted\n", "Accepted"),
        ("a <!-- b\n\n## Status\n\nAccepted\n", "Accepted"),
    ],
)  # fmt: skip
def test_a_status_is_read_from_its_places_alone(text: str, status: str | None) -> None:
    """Never from prose, code or comments, whatever they look like."""
    assert read(f"# X\n\n{text}").status == status


def test_the_front_matter_counts_before_the_page() -> None:
    """Another status in the page is reported, and changes nothing."""
    record = read("---\nstatus: accepted\n---\n# X\n\n## Status\n\nRejected\n")

    assert (record.status, record.outcome) == ("accepted", "adopt")
    assert record.notes[1:] == ("the section Status says another status: Rejected",)


@pytest.mark.parametrize(
    "status",
    [
        "draft",
        "in review",
        "{proposed | accepted}",
        "Accepted / Rejected",
        "Proposed → Accepted",
        "zaakceptowano",
        "~~Accepted~~",
    ],
)
def test_what_is_not_decided_decides_nothing(status: str) -> None:
    """It is kept as given, with what it would decide among the rest."""
    record = read(f"# X\n\n* Status: {status}\n\n## Decision Outcome\n\nOne.\n")

    assert (record.status, record.decision) == (status, None)
    assert record.context == ("## Decision Outcome\n\nOne.",)


def test_an_unknown_status_is_said_to_be_so() -> None:
    """It never becomes one that somebody gave."""
    assert read("# X\n\nWords.\n").notes == ("its status is unknown",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Use\n`#` as marker\n\nWords.\n", "Use `#` as marker"),
        ("# Use\nit in all places\n", "Use it in all places"),
        ("# Use\nThis is a sentence.\n", "Use"),
        ("# Use\n* Status: draft\n", "Use"),
        ("# Use\nDate: 2020-01-01\n", "Use"),
        ("Use it\n======\n\nWords.\n", "Use it"),
        ("# Use C# ##\n", "Use C#"),
        ("# キャッシュ戦略\n", "キャッシュ戦略"),
        ("# 7. Use it\n", "Use it"),
        ("# 8. Use it\n", "8. Use it"),
        ("---\ntitle: 'ADR007: it'\n# note\n---\n\n## Context\n\n```sh\n# no heading\n```\n", "ADR007: it"),
        ("Words alone.\n", "x"),
    ],
)  # fmt: skip
def test_a_title_is_kept_in_full(text: str, title: str) -> None:
    """From the heading, also a broken one, else from the front matter, else from the name of the file."""
    assert read(text).topic == title


@pytest.mark.parametrize(
    ("name", "foreign_id", "date"),
    [
        ("0005-cache.md", "ADR-0005", None),
        ("adr013-fetch.md", "ADR-0013", None),
        ("ADR-13-fetch.md", "ADR-0013", None),
        ("20260301-use-queue.md", "20260301-use-queue", "2026-03-01"),
        ("2026-03-01-use-queue.md", "2026-03-01-use-queue", "2026-03-01"),
        ("use-queue.md", "use-queue", None),
    ],
)
def test_a_file_name_gives_the_id(name: str, foreign_id: str, date: str | None) -> None:
    """A number however it is written, or the name itself; a day in it is the date."""
    record = read("# X\n", name)

    assert (record.id, record.date) == (foreign_id, date)


@pytest.mark.parametrize(
    ("name", "is_record"),
    [
        ("0001-a.md", True), ("adr013-a.md", True), ("20260301-a.md", True), ("0024-use-#.md", True),
        ("README.md", False), ("index.md", False), ("template.md", False), ("adr-template-bare.md", False),
        ("notes.md", None),
    ],
)  # fmt: skip
def test_companions_are_told_by_their_names(name: str, is_record: bool | None) -> None:
    """What the name leaves open, the content has to say."""
    assert adr.is_record(name) is is_record


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("## Status\n\nSuperseded by ADR-5\n", [("superseded by", "ADR-0005", True)]),
        ("## Status\n\nSuperseded by #5\n", [("superseded by", "ADR-0005", True)]),
        ("- Status: superseded by [20260401-x](20260401-x.md)\n", [("superseded by", "20260401-x.md", True)]),
        ("## Links\n\n* Refines [1](0001-a.md), [2](./0002-b%23.md#part)\n", [("refines", "", True)]),
        ("This supersedes ADR-0005 for good.\n", [("supersedes", "ADR-0005", False)]),
        ("See [this](0024-%23.md) and [that](https://x.test/a.md).\n", [("links to", "0024-#.md", False)]),
        ("```\nSupersedes ADR-0005\n```\n", []),
        ("<!-- Supersedes ADR-0005 -->\n", []),
        ("Supersedes the old way.\n", []),
        ("It replaces 3 services.\n", []),
        ("## Status\n\nAccepted\n\nSupersedes 3\n", [("supersedes", "ADR-0003", True)]),
    ],
)  # fmt: skip
def test_what_a_record_says_of_others(text: str, references: list[tuple[str, str, bool]]) -> None:
    """What stands where the format has it is firm, and what prose says is not."""
    found = read(f"# X\n\n{text}").references

    if references and references[0][0] == "refines":
        assert [tuple(each) for each in found] == [
            ("amends", "0001-a.md", True),
            ("amends", "0002-b#.md", True),
        ]
    else:
        assert [tuple(each) for each in found] == references


@pytest.mark.parametrize(
    ("data", "reason", "line"),
    [
        (b"# X\n\xff\n", "not UTF-8", 2),
        (b"---\nstatus: a\nstatus: b\n---\n# X\n", "front matter: the key 'status' stands twice", 3),
        (b"---\ntitle: a: b\n---\n", "front matter: mapping values are not allowed in this context", 2),
        (b"---\n- a\n---\n", "front matter: not a mapping", 1),
        (b"\n<!-- x -->\n", "holds nothing but blanks and comments", None),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, reason: str, line: int | None) -> None:
    """With the line of the file, not of its front matter."""
    with pytest.raises(Unreadable) as refused:
        adr.read("0001-a.md", data)

    assert (refused.value.message, refused.value.line) == (reason, line)


def test_line_ends_and_byte_order_marks_do_not_matter() -> None:
    """A file that was saved on Windows says the same."""
    text = MADR_4 + BODY
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()

    assert adr.read("0001-a.md", windows) == adr.read("0001-a.md", text.encode())


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("✅ **Accepted** (2020-01-01)", "accepted"),
        (":white_check_mark: Accepted", "accepted"),
        ("&nbsp;`accepted`", "accepted"),
        ("Accepted/Implemented", "accepted"),
        ("Abgelehnt", "abgelehnt"),
        ("accepte\u0301", "accepté"),
        ("Not accepted", None),
        ("Partially superseded by ADR-6", None),
        ("Proposed, accepted or rejected?", None),
        ("[Accepted / Rejected / …]", None),
    ],
)
def test_the_word_for_a_state(status: str, word: str | None) -> None:
    """Decorations are no words, and a choice between states is none of them."""
    assert statuses.word(status) == word


def test_what_is_replaced_in_part_stands() -> None:
    """It is amended: the rest of it holds."""
    record = read("# X\n\nStatus: Accepted, partially superseded by ADR-6\n\n## Decision\n\nOne.\n")

    assert record.decision == "One."
    assert record.references == (Reference("amended by", "ADR-0006", firm=True),)


def test_front_matter_says_what_it_can() -> None:
    """Nothing is said by null, a relation is no loss, and what has no place is named."""
    record = read(
        "---\nstatus: [superseded]\nsuperseded-by: [ADR-6, ADR-7]\n"
        "date: ~\ndeciders: {list them}\ntags: [a]\n---\n"
        "# X\n\n## Decision\n\nOne.\n"
    )

    assert (record.status, record.date, record.deciders) == ("superseded", None, ())
    assert [reference.target for reference in record.references] == ["ADR-0006", "ADR-0007"]
    assert record.left_out == ("deciders", "tags")


def test_a_translated_template_is_read() -> None:
    """The German MADR has the same places under other names."""
    record = read(
        "---\nstatus: akzeptiert\ndatum: 2024-05-01\nentscheidende: Ana, Bo\n---\n# Redis nutzen\n\n"
        "## Kontext und Problemstellung\n\nWelcher?\n\n## Betrachtete Optionen\n\n* Redis\n* keiner\n\n"
        "## Entscheidung\n\nRedis.\n"
    )

    assert (record.status, record.date, record.deciders) == ("akzeptiert", "2024-05-01", ("Ana", "Bo"))
    assert (record.outcome, record.decision, record.options) == ("adopt", "Redis.", ("Redis", "keiner"))
    assert record.context == ("Welcher?",)
