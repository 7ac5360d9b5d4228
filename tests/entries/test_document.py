"""Entries as strict YAML, there and back."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gitdecide.entries import document, types
from gitdecide.entries.document import MAX_BYTES, MAX_DEPTH, DocumentError, dump, load, parse, parse_options
from tests.entries.strategies import BENT, any_entry, entries, examples, text

BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RAW_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
AT = "2026-10-19T09:14:03.482913Z"
VOTE = types.Vote(
    actor="researcher-1",
    at=AT,
    qid="a" * 40,
    after=("b" * 40,),
    stance="inform",
    reason="check the premise first\nthen vote\n",
    read=(types.Evidence(path="src/engine.py", lines="10-40"), types.Evidence(message="msg1625")),
    confidence=0.5,
)


def vote(**fields: str) -> bytes:
    """A vote as somebody else wrote it: these lines beside those that it needs."""
    needed = {"type": "vote", "actor": "ada", "at": f"'{AT}'", "qid": "a" * 40, "after": f"[{'b' * 40}]"}
    lines = {**needed, "stance": "inform", "reason": "because", **fields}
    return "".join(f"{key}: {value}\n" for key, value in lines.items()).encode()


def check(**fields: str) -> bytes:
    """A check as somebody else wrote it."""
    ran = {"type": "check", "command": "[true]", "exit_code": "0", "result": "holds", "source": "ran"}
    return vote(**{**ran, **fields})


# --- there and back


@pytest.mark.parametrize("kind", types.TYPES.values(), ids=types.TYPES)
def test_every_entry_comes_back_as_it_was_written(kind: type[types.Entry]) -> None:
    """What the constraints of a type admit is the same after writing and reading, and so are its bytes."""

    @examples(70)
    @given(entries(kind))
    def holds(entry: types.Entry) -> None:
        data = dump(entry)
        assert load(data) == entry
        assert dump(load(data)) == data  # type: ignore[arg-type]

    holds()


@examples(250)
@given(any_entry)
def test_another_reader_finds_the_same_values(entry: types.Entry) -> None:
    """Nothing is bent by a reader of YAML that gives words and digits types; only `at` is left plain."""
    theirs = yaml.load(dump(entry), Loader=yaml.CSafeLoader)

    assert _like(theirs) == _like(msgspec.to_builtins(entry))


def _like(value: dict[str, Any]) -> dict[str, Any]:
    """Without `at`, which other readers take for a time, and with YAML's idea of small numbers."""
    if "confidence" in value:
        value["confidence"] = float(value["confidence"])
    return {**json.loads(json.dumps({key: item for key, item in value.items() if key != "at"}))}


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
@pytest.mark.parametrize("word", BENT, ids=ascii)
def test_a_bent_word_stays_as_it_was_typed(word: str, loader: Any) -> None:
    """Alone, in a list and between other words, for us and for both loaders of PyYAML."""
    question = types.Question(
        actor="ada", at=AT, number=1, question=f"a {word} z", mode="decide", context=(word, f"{word} ", "")
    )
    theirs = yaml.load(dump(question), Loader=loader)

    assert load(dump(question)) == question
    assert (theirs["question"], theirs["context"]) == (question.question, list(question.context))


@examples(250)
@given(any_entry)
def test_what_is_written_is_safe_to_look_at(entry: types.Entry) -> None:
    """UTF-8, LF alone, no raw control character, and none that turns the direction of text."""
    written = dump(entry).decode()

    assert written.endswith("\n")
    assert not RAW_CONTROL.search(written)
    assert not BIDI.search(written)
    assert not {"\u2028", "\u2029", "\ufeff"} & set(written)


@examples(100)
@given(any_entry)
def test_fields_stand_in_the_order_of_the_schema(entry: types.Entry) -> None:
    """Block style: each field begins a line of its own, in order, and one without a value is left out."""
    keys = re.findall(r"^([a-z_0-9]+):", dump(entry).decode(), re.MULTILINE)

    assert keys == list(msgspec.to_builtins(entry))
    assert keys[0] == "type"
    assert all(
        value not in (None, ()) or key in ("after", "command")
        for key, value in msgspec.to_builtins(entry).items()
    )


@examples(100)
@given(st.lists(st.from_regex(r"[A-Z][a-z ,:#'\"-]{0,20}[a-z.]", fullmatch=True), min_size=2, max_size=5))
def test_lines_of_prose_are_a_literal_block(lines: list[str]) -> None:
    """What people write over several lines can be read in the log as they wrote it."""
    written = dump(msgspec.structs.replace(VOTE, reason="\n".join(lines))).decode()

    assert "reason: |-\n  " + "\n  ".join(lines) + "\n" in written


def test_a_whole_entry_reads_like_a_page() -> None:
    """The canonical bytes, pinned: they decide the ids of the log."""
    assert dump(VOTE).decode() == (
        "type: vote\n"
        "actor: researcher-1\n"
        f"at: {AT}\n"
        f"qid: {'a' * 40}\n"
        "after:\n"
        f"  - {'b' * 40}\n"
        "stance: inform\n"
        "reason: |\n"
        "  check the premise first\n"
        "  then vote\n"
        "read:\n"
        "  - path: src/engine.py\n"
        "    lines: 10-40\n"
        "  - message: msg1625\n"
        "confidence: 0.5\n"
    ).replace("lines: 10-40", 'lines: "10-40"')


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_an_entry_is_named_as_git_names_its_blob(
    tmp_path: Path, git: Callable[..., str], object_format: str
) -> None:
    """`git hash-object` agrees, in repositories of both object formats."""
    git(tmp_path, "init", "-q", f"--object-format={object_format}")
    data = dump(msgspec.structs.replace(VOTE, reason="größe \U0001f600"))

    assert document.identify(data, object_format) == git(
        tmp_path, "hash-object", "--stdin", stdin=data.decode()
    )


def test_text_that_is_not_unicode_is_not_written() -> None:
    """Half of a surrogate pair has no bytes in UTF-8."""
    with pytest.raises(DocumentError, match="not Unicode"):
        dump(msgspec.structs.replace(VOTE, reason="a \ud800 b"))


def test_what_cannot_be_read_is_not_written() -> None:
    """The limit of 256 KiB binds the writer as well, to the byte."""
    room = MAX_BYTES - len(dump(msgspec.structs.replace(VOTE, reason="x"))) + 1
    fits = msgspec.structs.replace(VOTE, reason="x" * room)

    assert load(dump(fits)) == fits
    with pytest.raises(DocumentError, match="larger than 256 KiB"):
        dump(msgspec.structs.replace(VOTE, reason="x" * (room + 1)))


# --- what is not strict YAML

BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'lol'] * 9)}]\n" for n in range(9))
NOT_STRICT = {
    "anchor": (b"a: b\nc: &x d\n", "line 2: anchors"),
    "anchored mapping": (b"&x\na: b\n", "line 1: anchors"),
    "anchored key": (b"a: b\n&x c: d\n", "line 2: anchors"),
    "alias": (b"a: b\nc: *x\n", "line 2: aliases"),
    "alias for a key": (b"*x : b\n", "line 1: aliases"),
    "alias bomb": (BOMB.encode(), "line 1: anchors"),
    "merge of an alias": (b"<<: *x\n", "line 1: aliases"),
    "python object": (b"a: !!python/object/apply:os.system [id]\n", "line 1: tags"),
    "local tag": (b"a: 1\nb: !x 2\n", "line 2: tags"),
    "tagged text": (b"a: !!str 1\n", "line 1: tags"),
    "no tag": (b"a: ! 1\n", "line 1: tags"),
    "tagged key": (b"!!str a: 1\n", "line 1: tags"),
    "tagged mapping": (b"a: !!map {}\n", "line 1: tags"),
    "binary": (b"a: !!binary aGk=\n", "line 1: tags"),
    "version": (b"%YAML 1.1\n---\na: b\n", "line 1: directives"),
    "tag directive": (b"%TAG ! tag:example.com,2026:\n---\na: b\n", "line 1: directives"),
    "unknown directive": (b"%FOO bar\n---\na: b\n", "line 1: "),
    "duplicate key": (b"a: b\nc: d\na: e\n", "line 3: the key 'a' stands twice"),
    "duplicate key inside": (b"a:\n  b: 1\n  b: 2\n", "line 3: the key 'b' stands twice"),
    "duplicate in other quotes": (b'a: 1\n"\\u0061": 2\n', "line 2: the key 'a' stands twice"),
    "two documents": (b"a: b\n---\nc: d\n", "line 2: several documents"),
    "an empty second document": (b"a: b\n---\n", "line 2: several documents"),
    "text after the end": (b"a: b\n...\nc: d\n", "line 3: "),
    "tab for indentation": (b"a:\n\tb: c\n", "line 2: "),
    "carriage return": (b"a: b\rc: d\n", "line 1: raw control character U+000D"),
    "NUL": (b"a: b\nc: \x00\n", "line 2: raw control character U+0000"),
    "escape": (b"a: \x1b[31m\n", "line 1: raw control character U+001B"),
    "DEL": (b"a: \x7f\n", "line 1: raw control character U+007F"),
    "NEL": ("a: b\nc: \u0085d\n".encode(), "line 2: raw control character U+0085"),
    "CSI": ("a: \u009b31m\n".encode(), "line 1: raw control character U+009B"),
    "byte order mark inside": ("a: b\nc: \ufeffd\n".encode(), "line 2: raw control character U+FEFF"),
    "no character": ("a: \ufffe\n".encode(), "line 1: raw control character U+FFFE"),
    "not UTF-8": (b"a: b\nc: gr\xf6\xdfe\n", "line 2: not UTF-8: byte 0xf6"),
    "UTF-16": ("a: b\n".encode("utf-16"), "line 1: not UTF-8: byte 0xff"),
    "half an encoded pair": (b"a: \xed\xa0\x80\n", "line 1: not UTF-8: byte 0xed"),
    "half a pair by escape": (b'a: b\nc: "\\ud800"\n', "line 2: "),
    "beyond Unicode by escape": (b'a: "\\U00110000"\n', "line 1: "),
    "list for a key": (b"? [a]\n: b\n", "line 1: a key must be text"),
    "mapping for a key": (b"{a: b}: c\n", "line 1: a key must be text"),
    "unclosed quote": (b"a: 'b\n\n", "line 1: "),
    "unclosed list": (b"a: [b\n", "line 1: "),
    "indentation": (b"a: b\n  c: d\n", "line 2: "),
    "text and mapping": (b"a: b: c\n", "line 1: "),
    "reserved": (b"a: @b\n", "line 1: "),
    "empty": (b"", "empty"),
    "blank": (b"\n \n", "empty"),
    "comment alone": (b"# nothing\n", "empty"),
    "too large": (b"a: " + b"x" * (MAX_BYTES - 2), "larger than 256 KiB"),
    "ten megabytes": (b"- x\n" * 2_500_000, "larger than 256 KiB"),
    "deep list": (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "line 1: deeper than 16"),
    "deep key": (b"? " * (MAX_DEPTH + 1) + b"a\n", "line 1: "),
    "deep mapping": ("".join(f"{' ' * n}a:\n" for n in range(17)).encode(), "line 17: deeper than 16"),
    "a hundred thousand lists": (b"[" * 100_000, "line 1: "),
}


@pytest.mark.parametrize("read", [parse, load, parse_options])
@pytest.mark.parametrize(("data", "begins"), NOT_STRICT.values(), ids=NOT_STRICT)
def test_what_is_not_strict_is_refused(read: Callable[[bytes], object], data: bytes, begins: str) -> None:
    """With the line where there is one, and without work for what is too large."""
    with pytest.raises(DocumentError) as refused:
        read(data)

    if not (read is parse_options and data[:1] == b"{"):  # which is tried as JSON first
        assert refused.value.message.startswith(begins)
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    "data",
    [
        b"a: " + b"x" * (MAX_BYTES - 3),
        b"[" * MAX_DEPTH + b"]" * MAX_DEPTH,
        b"---\na: b\n...\n",
        "\ufeffa: b\n".encode(),
        b"# said so\na: b # here\n",
        b"<<: b\n",
        b"? a\n: b\n",
        b'{"a": ["b", "\\u0000"]}',
    ],
    ids=lambda data: ascii(data[:12]),
)
def test_strict_yaml_need_not_be_ours(data: bytes) -> None:
    """Other styles, comments, a leading byte order mark, and the limits to the byte and the level."""
    parse(data)
    parse_options(data)


def test_every_other_character_may_stand_as_it_is() -> None:
    """All of Unicode but controls, halves of pairs and what is no text: libyaml itself refuses no more."""
    known = "".join(chr(code) for code in range(0xA0, 0x110000) if not 0xD800 <= code < 0xE000)
    known = re.sub("[\u2028\u2029\ufeff\ufffe\uffff]", "", known)
    for start in range(0, len(known), 60_000):
        said = known[start : start + 60_000]
        assert parse(f'a: "{said}"\n'.encode()) == {"a": said}


@pytest.mark.parametrize(
    "word", ["no", "1.10", "0012", "2024-01-15", "~", "null", "=", "<<", "1e3", ".5", "007"]
)
def test_a_plain_scalar_is_text(word: str) -> None:
    """Whoever types a word without quotes gets that word, as a value and as a key."""
    assert parse(f"{word}: {word}\nlist: [{word}]\nx:\n".encode()) == {word: word, "list": [word], "x": ""}


# --- what is no entry


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"- a\n", "not a mapping"),
        (b"text\n", "not a mapping"),
        (vote(reason="' '"), "reason: is blank"),
        (vote(stance="maybe"), "stance: invalid enum value 'maybe'"),
        (vote(reason="[a]"), "reason: expected `str`, got `array`"),
        (vote(read="[{path: a, url: b}]"), "read[0]: one of path"),
        (vote(read="[{blob: " + "a" * 40 + "}]"), "read[0]: only a path"),
        (vote(read="[{}]"), "read[0]: one of path"),
        (vote(qid="abc"), "qid: "),
        (vote(at="yesterday"), "at: "),
        (vote(actor="a<b>"), "actor: "),
        (vote(actor='" ada"'), "actor: "),
        (vote(actor='"ada\\n"'), "actor: "),
        (vote(actor='"a\\u2028b"'), "actor: "),
        (vote(actor="x" * 101), "actor: "),
        (vote(actor="e\u0301"), "the actor's name is not in Unicode's composed form"),
        (vote(type="question"), "object missing required field"),
        (check(exit_code="''", result="fails"), "exit_code: not a whole number"),
        (
            vote(type="check", command="[grep]", result="holds", source="ran"),
            "a check that holds has an exit",
        ),
        (check(command="[]"), "a check names its command"),
        (check(result="not_applicable"), "not_applicable takes a note"),
    ],
)
def test_what_does_not_fit_the_schema_is_refused(data: bytes, problem: str) -> None:
    """In one line that begins with the field."""
    with pytest.raises(DocumentError) as refused:
        load(data)

    assert refused.value.message.startswith(problem)
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("field", "text"),
    [
        *(
            ("exit_code", text)
            for text in ("1e2", "1.0", "007", "-1", "256", "+1", "1_0", "0x1", "null", "true")
        ),
        *(("exit_code", text) for text in ("9" * 400, "[1]", "{a: 1}", "nan", "'1 '", "\u0661")),
        *(("holds_on", text) for text in ("[1e1]", "[null]", "['']", "{a: 1}", "1", "[[1]]")),
        *(("duration_ms", text) for text in ("9007199254740993", "1.5")),
        *(("clean", text) for text in ("null", "yes", "1", "True", "''")),
    ],
)
def test_a_number_is_written_in_one_way(field: str, text: str) -> None:
    """Digits alone, bounded; what lax readers take for numbers and words is refused."""
    with pytest.raises(DocumentError, match=rf"^{field}"):
        load(check(**{field: text}))


@pytest.mark.parametrize(
    "text", ["nan", "inf", "-0.1", "1.1", "1e3", "1e400", "1e-400x", ".5", "null", "0x0", "-0"]
)
def test_confidence_is_a_number_from_0_to_1(text: str) -> None:
    """Neither infinite nor undefined, and as JSON would write it."""
    with pytest.raises(DocumentError, match=r"^confidence"):
        load(vote(confidence=text))


def test_every_field_that_is_not_text_has_its_spelling() -> None:
    """Lax decoding meets no field whose text was not looked at; what lies deeper is true or false."""
    kinds = {name: str(hint) for kind in types.TYPES.values() for name, hint in _hints(kind).items()}
    typed = {name for name, hint in kinds.items() if re.search("\\bint\\b|float|bool", hint)}

    assert typed == set(document.SPELLINGS)
    with pytest.raises(DocumentError, match="worktree"):
        load(vote(read="[{path: a, worktree: 1e0}]"))


def _hints(kind: type[types.Entry]) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(kind)}


def test_fields_of_a_newer_version_are_passed_over() -> None:
    """A reader takes what it knows, so that old programs read new entries."""
    assert load(vote(weather="fine", reason="because")) == load(vote(reason="because"))


def test_an_entry_of_a_newer_type_is_shown_as_such() -> None:
    """It comes back as Unknown, with all that it says."""
    entry = load(vote(type="omen", birds="[two, '3']", fields="mine"))

    assert isinstance(entry, types.Unknown)
    assert (types.type_name(entry), entry.actor, entry.after) == ("omen", "ada", ("b" * 40,))
    assert entry.fields["birds"] == ["two", "3"]
    assert entry.fields["fields"] == "mine"


@pytest.mark.parametrize(
    "data", [b"a: b\n", vote(type="[vote]"), vote(type="omen", after="a"), b"type: omen\n"]
)
def test_an_entry_of_no_type_is_refused(data: bytes) -> None:
    """Even a newer entry says who speaks, when, and under which question."""
    with pytest.raises(DocumentError):
        load(data)


# --- -F


def test_options_are_texts_in_yaml_and_in_json() -> None:
    """Numbers and words come back as typed, null is nothing said, and YAML may begin like JSON."""
    said = {"a": "1.10", "b": ["no", "007"], "c": {"d": "\U0001f600"}}

    assert parse_options(b"a: 1.10\nb: [no, 007]\nc: {d: \xf0\x9f\x98\x80}\n") == said
    assert parse_options(b'{"a": 1.10, "b": ["no", "007"], "c": {"d": "\\ud83d\\ude00"}, "e": null}') == said
    assert parse_options(b"{a: 1.10, b: [no, 007], c: {d: '\xf0\x9f\x98\x80'}}") == said
    assert parse_options(b'{"a": true, "b": [null, 1e3, -0, NaN]}') == {
        "a": "true",
        "b": ["1e3", "-0", "NaN"],
    }


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        (b'{"a": {"b": 1, "b": 2}}', "the key 'b' stands twice"),
        (b'{"a": "\\ud800"}', "half of a surrogate pair"),
        (b'{"\\udc00": 1}', "half of a surrogate pair"),
        (b'{"a": ' + b"[" * 16 + b"]" * 16 + b"}", "deeper than 16 levels"),
        (b'{"a": ' + b"[" * 100_000, "deeper than 16 levels"),
        (b'{"a": ' * 40_000, "deeper than 16 levels"),
        (b'{"a": "\x00"}', "line 1: raw control character"),
        (b'{"a": "\xff"}', "line 1: not UTF-8"),
        (b'{"a": 1} {"b": 2}', "line 1: "),
        (b'{"a": 1', "line 1: "),
        (b'{"a": "' + b"x" * MAX_BYTES + b'"}', "larger than 256 KiB"),
    ],
    ids=lambda value: ascii(value[:24]),
)
def test_json_is_as_strict(data: bytes, problem: str) -> None:
    """Duplicate keys, halves of pairs, depth and size are refused there too."""
    with pytest.raises(DocumentError) as refused:
        parse_options(data)

    assert problem in refused.value.message


def test_json_may_be_as_deep_as_yaml() -> None:
    """Sixteen levels, in either."""
    assert parse_options(b'{"a": ' + b"[" * 15 + b"]" * 15 + b"}")


def test_many_keys_of_which_two_are_the_same_are_found_at_once() -> None:
    """Work grows with the number of keys, not with its square: forty thousand must not stall a terminal."""
    keys = [f'"{number}": 1' for number in range(20_000)]

    with pytest.raises(DocumentError, match="stands twice"):
        parse_options(f"{{{', '.join([*keys, keys[-1]])}}}".encode())


# --- whatever comes

READERS = (parse, load, parse_options)
SAMPLES = [
    dump(VOTE),
    check(),
    vote(type="omen"),
    *(data for data, _ in NOT_STRICT.values() if len(data) < 300),
]


def _only_document_errors(data: bytes) -> None:
    for read in READERS:
        message = "read"
        try:
            read(data)
        except DocumentError as error:
            message = error.message
        assert message
        assert "\n" not in message


@examples(300)
@given(
    st.one_of(
        st.binary(max_size=80), st.text(max_size=60).map(lambda said: said.encode(errors="surrogatepass"))
    )
)
@example(b"{")
def test_noise_is_never_more_than_a_document_error(data: bytes) -> None:
    """Bytes and text of every kind are read or refused, in one line, and never end in another error."""
    _only_document_errors(data)


@examples(300)
@given(
    st.sampled_from(SAMPLES),
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 3), text.map(str.encode) | st.binary(max_size=3)),
        max_size=4,
    ),
)
def test_a_damaged_entry_is_never_more_than_a_document_error(
    data: bytes, cuts: list[tuple[int, int, bytes]]
) -> None:
    """Entries with pieces put in and taken out are read or refused."""
    for place, length, piece in cuts:
        data = data[:place] + piece + data[place + length :]
    _only_document_errors(data)


YAML_PIECES = [
    "a", ": ", "\n", "  ", "- ", "[", "]", "{", "}", ",", "? ", "&x ", "*x", "!t ", "'", '"', "#", "|", ">",
    "%", "---\n", "\\",
]  # fmt: skip


@examples(400)
@given(st.lists(st.sampled_from(YAML_PIECES), max_size=30).map("".join))
def test_the_signs_of_yaml_in_any_order_are_read_or_refused(said: str) -> None:
    """What is read holds nothing but mappings, lists and texts."""
    _only_document_errors(said.encode())


def test_an_entry_has_no_line_ends_of_windows_and_a_file_of_options_may() -> None:
    """What people type on any system is taken, what the log keeps has one form."""
    windows = b"a: b\r\nc: d\r\n"

    assert parse_options(windows) == {"a": "b", "c": "d"}
    with pytest.raises(DocumentError, match=r"line 1: raw control character U\+000D"):
        parse(windows)
