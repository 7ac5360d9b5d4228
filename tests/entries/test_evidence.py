"""What was read: typed, kept and shown."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitdecide.entries.evidence import (
    PathReading,
    describe,
    path_readings,
    real_path,
    split_scheme,
    stored_path,
)
from gitdecide.entries.types import Evidence
from tests.entries.strategies import examples


@examples(400)
@given(st.binary(min_size=1, max_size=40).filter(lambda raw: 0 not in raw))
@example(b'"')
@example(b'""')
@example(b'"a"')
@example(b'"\\303\\237"')
@example(b'\xff"\\\t\n\r')
@example("größe.py".encode())
@example("größe.py".encode("latin-1"))
@example(b"C:\\new")
@example(b"\\377")
def test_every_path_of_git_comes_back_from_the_log(raw: bytes) -> None:
    """Any bytes but NUL make a name in git; what is kept of it is Unicode."""
    path = os.fsdecode(raw)
    stored = stored_path(path)

    stored.encode()
    assert os.fsencode(real_path(stored)) == raw


@pytest.mark.parametrize(
    "path",
    ["src/app.py", "größe.py", "a b", "a\tb", "a\nb", 'say "hi"', "C:\\new", "a:1", "a@b", " a"],
    ids=ascii,
)
def test_a_path_is_kept_as_it_is_where_it_can_be(path: str) -> None:
    """Only what is not UTF-8, or begins with a quote, takes git's quoted form."""
    assert stored_path(path) == path


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        (b"gr\xf6\xdfe.py", '"gr\\366\\337e.py"'),
        (b'"a"', '"\\"a\\""'),
        (b'"', '"\\""'),
        (b"\xff\x7f~", '"\\377\\177~"'),
        (b"\xff\t\\\x01 ", '"\\377\\t\\\\\\001 "'),
    ],
)
def test_the_quoted_form_is_gits(raw: bytes, stored: str) -> None:
    """Octal for bytes, letters for the usual controls: as `git ls-files` prints them."""
    assert stored_path(os.fsdecode(raw)) == stored


@examples(300)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(lambda inner: f'"{inner}"'))
@example('"größe"')
@example('"\\400"')
@example('"\\')
def test_whatever_stands_in_the_log_is_some_path(stored: str) -> None:
    """A quoted form that somebody else wrote, or bent, is a path all the same."""
    os.fsencode(real_path(stored))


@pytest.mark.parametrize("stored", ['"', '"\\303', 'a"', '""'])
def test_only_a_whole_quoted_form_is_undone(stored: str) -> None:
    """A quote at one end alone is part of the name; between two quotes there may be nothing."""
    assert real_path(stored) == ("" if stored == '""' else stored)


def test_a_quoted_form_may_hold_unicode() -> None:
    """Git with core.quotePath=false writes such."""
    assert real_path('"größe\\t.py"') == "größe\t.py"


@pytest.mark.parametrize(
    ("typed", "kind", "rest"),
    [
        ("src/a.py", "path", "src/a.py"),
        ("path:message:x", "path", "message:x"),
        ("message:msg1625", "message", "msg1625"),
        ("ticket:ABC-1", "ticket", "ABC-1"),
        ("pr:17", "pr", "17"),
        ("commit:HEAD~1", "commit", "HEAD~1"),
        ("entry:3f2a", "entry", "3f2a"),
        ("https://example.com/a:b", "url", "https://example.com/a:b"),
        ("HTTP://example.com", "url", "HTTP://example.com"),
        ("https://with a blank", "path", "https://with a blank"),
        ("message:", "path", "message:"),
        ("Message:x", "path", "Message:x"),
        ("C:/x", "path", "C:/x"),
        ("", "path", ""),
    ],
)
def test_a_scheme_says_what_was_read(typed: str, kind: str, rest: str) -> None:
    """A word that is no scheme, or stands for nothing, begins a path."""
    assert split_scheme(typed) == (kind, rest)


@pytest.mark.parametrize(
    ("typed", "readings"),
    [
        ("a.py", [("a.py", None, None)]),
        ("a.py:10", [("a.py:10", None, None), ("a.py", "10", None)]),
        ("a.py:10-40", [("a.py:10-40", None, None), ("a.py", "10-40", None)]),
        ("a.py@v1.2", [("a.py@v1.2", None, None), ("a.py", None, "v1.2")]),
        (
            "a.py:1-2@v1",
            [("a.py:1-2@v1", None, None), ("a.py:1-2", None, "v1"), ("a.py", "1-2", "v1")],
        ),
        (
            "a.py@v1:1-2",
            [
                ("a.py@v1:1-2", None, None),
                ("a.py@v1", "1-2", None),
                ("a.py", "1-2", "v1"),
                ("a.py", None, "v1:1-2"),
            ],
        ),
        ("a@b@v1", [("a@b@v1", None, None), ("a@b", None, "v1")]),
        ("@types/a", [("@types/a", None, None)]),
        ("a@", [("a@", None, None)]),
        ("a@:1", [("a@:1", None, None), ("a@", "1", None), ("a", None, ":1")]),
        ("a@:/fix", [("a@:/fix", None, None), ("a", None, ":/fix")]),
        ("a:0", [("a:0", None, None)]),
        ("a:01", [("a:01", None, None)]),
        ("a:1-", [("a:1-", None, None)]),
        ("a:\u0661", [("a:\u0661", None, None)]),
        (":10", [(":10", None, None)]),
        ("a\nb:1", [("a\nb:1", None, None), ("a\nb", "1", None)]),
        ("", [("", None, None)]),
    ],
    ids=lambda value: ascii(value) if isinstance(value, str) else None,
)
def test_a_path_is_taken_literally_first(
    typed: str, readings: list[tuple[str, str | None, str | None]]
) -> None:
    """Names may hold : and @, so lines and revisions are what is left when there is no such file."""
    assert list(path_readings(typed)) == [PathReading(*reading) for reading in readings]


@examples(200)
@given(st.text(st.sampled_from("a:@1-2/"), max_size=12))
def test_every_reading_accounts_for_all_that_was_typed(typed: str) -> None:
    """Nothing is lost: path, lines and revision put together are what was typed."""
    for path, lines, revision in path_readings(typed):
        tail = f":{lines}" if lines else ""
        at = f"@{revision}" if revision else ""
        assert typed in (f"{path}{tail}{at}", f"{path}{at}{tail}")


@pytest.mark.parametrize(
    ("evidence", "typed"),
    [
        (Evidence(path="a.py", blob="b" * 40, commit="c" * 40), "a.py"),
        (Evidence(path="a.py", lines="10-40"), "a.py:10-40"),
        (Evidence(path="message:x"), "path:message:x"),
        (Evidence(path="path:x"), "path:path:x"),
        (Evidence(path="https://x"), "path:https://x"),
        (Evidence(commit="c" * 40), f"commit:{'c' * 40}"),
        (Evidence(entry="d" * 40), f"entry:{'d' * 40}"),
        (Evidence(message="msg1625"), "message:msg1625"),
        (Evidence(ticket="ABC-1"), "ticket:ABC-1"),
        (Evidence(pr="17"), "pr:17"),
        (Evidence(url="https://example.com"), "https://example.com"),
    ],
)
def test_a_reading_is_shown_as_it_is_typed(evidence: Evidence, typed: str) -> None:
    """Typed again, it is the same kind of thing, and the same one."""
    assert describe(evidence) == typed
    kind, rest = split_scheme(typed)
    assert kind == evidence.kind
    assert rest.startswith(str(getattr(evidence, kind)))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"path": "a", "url": "b"},
        {"commit": "c" * 40, "ticket": "A"},
        {"commit": "c" * 40, "blob": "b" * 40},
        {"url": "https://a", "lines": "1"},
        {"message": "m", "worktree": True},
    ],
)
def test_evidence_names_one_thing(fields: dict[str, str]) -> None:
    """And only a path is pinned to a blob, to lines, and to the working tree."""
    with pytest.raises(ValueError, match=r"one of path|only a path"):
        Evidence(**fields)  # type: ignore[arg-type]
