"""Names of records, entries and actors."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.entries import names
from gitdecide.entries.names import RecordName, TypedName, actor_path_name, actor_problem, author_name
from gitdecide.entries.types import TYPES
from tests.entries.strategies import examples, record_names
from tests.entries.strategies import names as actor_names


@examples(200)
@given(record_names)
def test_a_full_name_is_read_as_it_is_written(text: str) -> None:
    """One record has one full name, in one folder."""
    name = RecordName.parse(text)

    assert name is not None
    assert str(name) == text
    assert name.path == f"decisions/{name.bucket}/{text}"
    assert TypedName.parse(text.lower()) == TypedName(name.number, name.suffix)


@pytest.mark.parametrize(
    ("number", "short", "bucket"),
    [
        (1, "DR-001", "DR-0xxx"),
        (999, "DR-999", "DR-0xxx"),
        (1000, "DR-1000", "DR-1xxx"),
        (12_345, "DR-12345", "DR-12xxx"),
        (999_999, "DR-999999", "DR-999xxx"),
    ],
)
def test_records_are_grouped_by_thousand(number: int, short: str, bucket: str) -> None:
    """Three digits at least, and a folder for each thousand."""
    name = RecordName.of(number, "3f2a91c0" + "0" * 32)

    assert (name.short, name.bucket) == (short, bucket)
    assert str(name) == f"{short}-3f2a91c0"


@pytest.mark.parametrize(
    "text",
    [
        "DR-000-3f2a91c0",
        "DR-7-3f2a91c0",
        "DR-0007-3f2a91c0",
        "DR-1000000-3f2a91c0",
        "DR-007-3F2A91C0",
        "DR-007-3f2a91c",
        "DR-007-3f2a91c0a",
        "DR-007-3f2a91c0\n",
        "dr-007-3f2a91c0",
        "DR-\u0660\u0660\u0667-3f2a91c0",
        "DR-007",
        " DR-007-3f2a91c0",
    ],
    ids=ascii,
)
def test_no_other_spelling_is_a_full_name(text: str) -> None:
    """Folders and trailers hold full names exactly, so that equal names are equal texts."""
    assert RecordName.parse(text) is None


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("DR-7", (7, "")),
        ("DR-007", (7, "")),
        ("dr-007-3F2A", (7, "3f2a")),
        ("DR-999999-3f2a91c0", (999_999, "3f2a91c0")),
        ("DR-", None),
        ("DR-7-", None),
        ("DR-7-xyz", None),
        ("DR-1234567", None),
        ("DR-7-3f2a91c0a", None),
        ("DR-7\n", None),
        ("DR--7", None),
        ("7", None),
        ("DR-\u0667", None),
        ("", None),
    ],
    ids=ascii,
)
def test_people_type_less(text: str, typed: tuple[int, str] | None) -> None:
    """A number in any case and with any zeros, and as much of the suffix as they like."""
    assert TypedName.parse(text) == typed


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("3f2a", True),
        ("3F2A", True),
        ("a" * 64, True),
        ("", False),
        ("3f2", False),
        ("3f2g", False),
        ("3f2a\n", False),
        ("a" * 65, False),
        ("\u0663\u0663\u0663\u0663", False),
    ],
    ids=ascii,
)
def test_an_id_is_named_by_four_digits_or_more(text: str, is_one: bool) -> None:
    """As git has it."""
    assert names.is_prefix(text) is is_one


@pytest.mark.parametrize("type_name", [*TYPES, "newer_type2"])
@pytest.mark.parametrize("length", [40, 64])
def test_a_file_name_says_type_and_id(type_name: str, length: int) -> None:
    """In repositories of both object formats, for types that are not known as well."""
    assert names.parse_entry_file(names.entry_file(type_name, "a" * length)) == (type_name, "a" * length)


@pytest.mark.parametrize(
    "name",
    [
        f"vote-{'a' * 39}.yaml",
        f"vote-{'a' * 41}.yaml",
        f"vote-{'A' * 40}.yaml",
        f"vote-{'a' * 40}.yml",
        f"vote-{'a' * 40}.yaml\n",
        f"Vote-{'a' * 40}.yaml",
        f"-{'a' * 40}.yaml",
        f"../vote-{'a' * 40}.yaml",
        f"{'a' * 40}.yaml",
        "README.md",
        ".yaml",
    ],
)
def test_other_files_are_no_entries(name: str) -> None:
    """A name says exactly what it holds, or it is none of ours."""
    assert names.parse_entry_file(name) is None


def test_a_patch_is_named_by_its_blob() -> None:
    """The id, and nothing before it."""
    assert names.parse_patch_file(f"{'a' * 40}.patch") == "a" * 40
    assert names.parse_patch_file(f"x-{'a' * 40}.patch") is None
    assert names.parse_patch_file(f"{'a' * 40}.patch\n") is None


def test_a_reference_may_name_its_record() -> None:
    """An entry of the same record goes by its id alone."""
    assert names.split_reference("a" * 40) == (None, "a" * 40)
    assert names.split_reference(f"DR-007-3f2a91c0:{'a' * 40}") == ("DR-007-3f2a91c0", "a" * 40)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "blank"),
        (" \u00a0", "blank"),
        (" ada", "begins or ends"),
        ("ada\n", "begins or ends"),
        ("a\nb", "control characters"),
        ("a\u2028b", "line breaks"),
        ("a\x1b[31mb", "control characters"),
        ("a\x85b", "control characters"),
        ("a\ud800b", "not UTF-8"),
        ("Ada <ada@example.com>", "angle brackets"),
        ("e\u0301", "NFC"),
        ("x" * 101, "longer than 100"),
    ],
    ids=ascii,
)
def test_some_texts_are_no_names(name: str, problem: str) -> None:
    """A name is one line that git takes for an author, and looks like no other."""
    assert problem in (actor_problem(name) or "")


@examples(300)
@given(actor_names)
def test_an_actor_has_a_path_of_its_own(name: str) -> None:
    """Plain ASCII that no file system folds into `.`, `..` or `.git`, and that leads back to the name."""
    path = actor_path_name(name)

    assert actor_problem(name) is None
    assert re.fullmatch(r"(?:[A-Za-z0-9_@+-]|%[0-9A-F]{2})(?:[A-Za-z0-9._@+-]|%[0-9A-F]{2})*", path)
    assert re.sub(b"%(..)", lambda code: bytes.fromhex(code[1].decode()), path.encode()).decode() == name


@examples(200)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10))
def test_names_are_judged_alike_when_typed_and_when_read(name: str) -> None:
    """What may be typed as a name is what the schema takes for one."""
    import msgspec

    from gitdecide.entries.types import Actor

    fields = {
        "type": "actor",
        "actor": name,
        "name": name,
        "at": "2026-10-19T09:14:03.482913Z",
        "kind": "human",
    }
    try:
        msgspec.convert(fields, Actor)
        read = True
    except msgspec.ValidationError:
        read = False

    assert read is (actor_problem(name) is None), unicodedata.name(name[0], "?")


@pytest.mark.parametrize(
    ("name", "email", "written"),
    [
        ("ada", "ada@example.com", "ada@example.com"),
        ("researcher-1", None, "researcher-1@actor.invalid"),
        ("Zo\u00eb B", None, "Zo%C3%AB%20B@actor.invalid"),
        (".git", None, "%2Egit@actor.invalid"),
    ],
)
def test_an_actor_without_address_gets_one_that_reaches_nobody(
    name: str, email: str | None, written: str
) -> None:
    """The domain .invalid is reserved for that (RFC 2606)."""
    assert names.actor_email(name, email) == written


@pytest.mark.parametrize(
    ("name", "author"), [("Ada", "Ada"), ("bot.", "bot"), (".x", "x"), ("...", "%2E"), ("O'Neil", "O'Neil")]
)
def test_an_author_has_a_name_that_git_keeps(name: str, author: str) -> None:
    """Git takes punctuation off the ends of a name, and refuses to be left with nothing."""
    assert author_name(name) == author
