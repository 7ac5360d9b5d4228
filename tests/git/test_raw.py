"""Commits as others write them: read without trouble, whatever is in them."""

import pytest

from gitdecide.errors import DecideError
from gitdecide.git.objects import Signature
from gitdecide.git.raw import cleaned, read_commit, read_signature, zone

OID = "a" * 40


def test_headers_that_nobody_knows_are_passed_over() -> None:
    """Signatures and embedded tags, which hold header-like lines of their own, change nothing."""
    raw = (
        b"tree %b\nparent %b\nauthor A <a@x> 1 +0530\ncommitter C <c@x> 2 -0030\n"
        b"gpgsig -----BEGIN\n \n author fake\n -----END\nmergetag object 1\n tree fake\n\nsubject\n\nbody\n"
    ) % ((OID.encode(),) * 2)
    commit = read_commit(OID, raw)
    assert (commit.tree, commit.parents, commit.message) == (OID, (OID,), "subject\n\nbody\n")
    assert commit.author == Signature("A", "a@x", 1, 330)
    assert commit.committer == Signature("C", "c@x", 2, -30)


@pytest.mark.parametrize(
    ("line", "signature"),
    [
        (b"", Signature("", "", 0, 0)),
        (b"no address", Signature("no address", "", 0, 0)),
        (b"<only@address> 5 +0000", Signature("", "only@address", 5, 0)),
        (b"A <a@x>", Signature("A", "a@x", 0, 0)),
        (b"A <a@x> soon", Signature("A", "a@x", 0, 0)),
        (b"A <a <b> c> 7 +0100", Signature("A", "a <b> c", 7, 60)),
        (b"A <a@x> 99999999999999999999 +9999", Signature("A", "a@x", 99999999999999999999, 6039)),
        (b"J\xfcrgen <j@x> 1 +0000", Signature("J\udcfcrgen", "j@x", 1, 0)),
    ],
)
def test_odd_signatures_are_read(line: bytes, signature: Signature) -> None:
    """A line that no git would write today still gives what is in it."""
    assert read_signature(line) == signature


def test_an_unknown_encoding_is_read_as_utf_8() -> None:
    """An encoding that does not exist, or does not fit, loses no byte."""
    for encoding in (b"no-such", b"ascii", b"\xff", b"hex"):
        commit = read_commit(OID, b"tree %b\nencoding %b\n\n\xc3\xbc\xfc" % (OID.encode(), encoding))
        assert commit.message == "ü\udcfc"


def test_a_name_of_nothing_but_punctuation_is_refused() -> None:
    """What git strips from names must leave one."""
    assert cleaned(Signature(" .A. <b>, Jr.", "<a@x>", 0, 0)) == Signature(
        "A. b>, Jr".replace(">", ""), "a@x", 0, 0
    )
    with pytest.raises(DecideError, match=r"disallowed characters: \.\.\.$"):
        cleaned(Signature("...", "a@x", 0, 0))


def test_offsets_are_written_as_git_writes_them() -> None:
    """Hours and minutes, the sign before both."""
    assert [zone(offset) for offset in (0, 330, -30, -570, 840)] == [
        "+0000",
        "+0530",
        "-0030",
        "-0930",
        "+1400",
    ]
