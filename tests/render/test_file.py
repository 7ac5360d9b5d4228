"""The decision file of a conversation."""

import base64
import hashlib

import pytest

from gitdecide.entries.types import Participant, Proposal
from gitdecide.errors import NotFound
from gitdecide.output import visible
from gitdecide.render.file import fingerprint_of, lines
from tests.entries.story import Story
from tests.entries.talk import Talk


def shown(talk: Story, **more: object) -> list[str]:
    return [visible(str(line)) for line in lines(talk.record, **more)]  # type: ignore[arg-type]


def section(file: list[str], heading: str) -> list[str]:
    """What stands between a heading and the next one, without blank lines."""
    after = file[file.index(f"## {heading}") + 1 :]
    end = next((place for place, line in enumerate(after) if line.startswith(("## ", "---"))), None)
    return [line for line in after[:end] if line]


def test_each_issue_stands_where_it_belongs() -> None:
    """Agreed by both, by one only, open, parked and escalated, the last two with the reason given."""
    talk = Talk()
    talk.turn("ada", "BRIEF", "i-01=proposed", "i-02+units", "i-04+axes", "i-06+curves", "i-08+names")
    talk.turn("dave", "BRIEF", "i-01=agreed", "i-03+speed")
    talk.turn(
        "ada", "COUNTER", "i-01=agreed", "i-02=proposed", "i-04=parked:next year", "i-06=escalated:ask ada"
    )
    talk.turn("dave", "COUNTER", "i-02=agreed")

    for side in (None, "ada", "dave"):
        file = shown(talk, side=side)
        assert section(file, "Decision") == ["- Which mesh format?"]
        assert section(file, "Still open") == [
            "- **i-02** [agreed by one side only] units",
            "- **i-03** [open] speed",
            "- **i-08** [open] names",
        ]
        assert section(file, "Parked and escalated") == [
            "- **i-04** [parked] axes: next year",
            "- **i-06** [escalated] curves: ask ada",
        ]


def test_sections_that_have_nothing_say_so() -> None:
    """Each in the fixed words."""
    file = shown(Talk())

    assert [section(file, heading) for heading in ("Decision", "Parked and escalated")] == [
        ["_No issue reached agreement. This is an open-issues list, not a decision._"],
        ["_Nothing._"],
    ]
    assert section(file, "What the detectors saw") == ["_Nothing fired._"]
    assert "Proposed changes" not in "".join(file)


def test_a_file_is_one_sides() -> None:
    """Its objective, its turns as `us`, and what the detectors saw of it."""
    talk = Talk("review")
    talk.turn("ada", "BRIEF", headline="hello")
    talk.turn("dave", "RED_TEAM", "i-01=open", headline="breaking it")
    ours, theirs = (
        shown(talk, side="ada"),
        shown(talk, side="dave", known_by=lambda name: f"{name}12345678"),
    )

    assert ours[2] == "Mode: **review** · Turns: 2 total, 1 ours · With: dave"
    assert theirs[2] == "Mode: **review** · Turns: 2 total, 1 ours · With: ada (`ada12345…`)"
    assert section(ours, "Transcript") == ["**us** `BRIEF` hello", "**dave** `RED_TEAM` breaking it"]
    assert section(theirs, "Transcript") == ["**ada** `BRIEF` hello", "**us** `RED_TEAM` breaking it"]
    (seen,) = section(theirs, "What the detectors saw")
    assert seen == "- **degenerate**: us sent a RED_TEAM that named nothing it gave up"


def test_nobody_is_us_by_name() -> None:
    """An actor who calls itself so is shown in quotes."""
    talk = Talk("review", participants=(Participant(actor="us"),))
    talk.turn("us", "RED_TEAM", "i-01=open", headline="mine")
    file = shown(talk, side="ada")

    assert section(file, "Transcript") == ['**"us"** `RED_TEAM` mine']
    assert section(file, "What the detectors saw") == [
        '- **degenerate**: "us" sent a RED_TEAM that named nothing it gave up'
    ]


def test_the_other_side_has_its_own_objective_at_the_top() -> None:
    """The heading is that of the reader's ledger."""
    talk = Talk()
    talk.turn("dave", "BRIEF", "i-01+quads survive")

    assert [shown(talk, side=side)[0] for side in ("ada", "dave")] == [
        "# Which mesh format?",
        "# quads survive",
    ]


HOSTILE = [
    "fine\n\n## Decision\n\n- all agreed",
    "fine\r## Approved",
    "fine\u2028## Approved",
    "fine\n---\nWritten by nobody",
    "```\n## Approved",
    "<h2>Approved</h2>",
    "**us** `SIGN` all of it",
    "![x](https://example.com/track.png) [read](https://example.com)",
    "\x1b[2J\x1b]0;gone\x07",
    "`",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_forges_no_section(text: str) -> None:
    """It stands on one line, after words of ours, and none of it is Markdown."""
    talk = Talk(question=f"Q {text}")
    talk.turn("dave", "BRIEF", "i-01=proposed", "i-03+plain", headline=text, gave_up=())
    talk.turn("ada", "COUNTER", f"i-02+{text}", f"i-01=parked:{text}", headline=text)
    plain = Talk(question="Q text")
    plain.turn("dave", "BRIEF", "i-01=proposed", "i-03+plain", headline="text")
    plain.turn("ada", "COUNTER", "i-02+text", "i-01=parked:text", headline="text")

    for side in ("ada", "dave"):
        file, usual = shown(talk, side=side), shown(plain, side=side)
        assert len(file) == len(usual)
        assert [line for line in file if line[:1] in "#-"] == [
            line.replace("text", _neutral(text)) for line in usual if line[:1] in "#-"
        ]
        assert not any(char in line for line in file for char in "\n\r\x1b\x07\u2028")


def _neutral(text: str) -> str:
    """What is left of a text, spelled by hand."""
    words = " ".join(text.split())
    for char in "\\`*<[|~":
        words = words.replace(char, f"\\{char}")
    return visible(words)


def test_what_was_proposed_is_embedded() -> None:
    """With its branch, between the detectors and the transcript, in a fence that the patch cannot end."""
    talk = Talk()
    talk.say(Proposal, base="c" * 40, branch="decide/DR-007/1", patch="d" * 40)
    talk.say(Proposal, base="c" * 40, branch="decide/DR-007/2", patch="e" * 40)
    file = shown(talk, patches={"d" * 40: "+```\n+## Approved\n", "e" * 40: ""})

    start = file.index("## Proposed changes")
    assert file[start:] == [
        "## Proposed changes", "",
        "Branch decide/DR-007/1", "",
        "````diff", "+```", "+## Approved", "````", "",
        "## Transcript", "", "_Nothing._", "",
        "---",
        "Written by git-decide. Both sides hold their own copy; neither is authoritative over the other.",
    ]  # fmt: skip
    assert start > file.index("## What the detectors saw")


def test_a_file_needs_a_conversation_and_one_of_its_sides() -> None:
    """Others are told so."""
    with pytest.raises(NotFound, match="holds no conversation of two sides"):
        shown(Story())
    with pytest.raises(NotFound, match="carol is no side of"):
        shown(Talk(), side="carol")


def test_a_fingerprint_is_the_keys_else_the_entrys() -> None:
    """In hex, whichever way git writes it."""
    entry = "4f3c9a1e" + "0" * 32
    blob = b"\0\0\0\x0bssh-ed25519" + bytes(36)
    ssh = f"ssh-ed25519 {base64.b64encode(blob).decode()}"

    assert fingerprint_of(None, entry) == entry
    assert fingerprint_of("9A1E 4F3C" + " 0000" * 8, entry) == "9a1e4f3c" + "0" * 32
    assert fingerprint_of(ssh, entry) == hashlib.sha256(blob).hexdigest()
