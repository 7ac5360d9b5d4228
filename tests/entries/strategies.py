"""Entries of every type as hypothesis draws them, built from the fields of their structs."""

import types
import typing
from typing import Annotated, Any, Literal, Union
from unicodedata import normalize

from hypothesis import settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

from gitdecide.entries import types as t

# Words and shapes that some reader of YAML bends, and characters that some writer of it forgets.
BENT = (
    "no", "on", "y", "Yes", "OFF", "true", "~", "null", "Null", "=", "<<", "-", "?", "!", "&a", "*a", "|",
    "1.10", "0012", "0089", "10:30", "1_000", "1e3", "0x1F", "0o17", "0b11", ".5", "5.", ".inf", ".nan", "+1",
    "2024-01-15", "2024-01-15T10:30:00Z", "1e" + "0" * 38, "- dash", "key: value", "# x", "a: b # c", "a #b",
    "a:", "@handle", "`tick`", "%YAML 1.2", "{a: b}", "[a]", "'quoted'", '"quoted"', "\\n", "---", "...",
    " leading", "trailing ", "\ttab", "tab\t", "a\tb", "one\ntwo", "\nfirst", "last\n", "last\n\n", ">",
    "\n\n  deep\nshallow", "a\n \nb", "a\n  \n", "a\n\n b\n", "a\r\nb", "\r", "--- a\n... b", "# a\n# b",
    "e\u0301", "\u00e9", "\u2028", "\u0085", "\ufeff", "\u202e", "\u2066", "\x00", "\x1b[31m", "\x7f",
    "\u00ad", "\u200b", "\u00a0", "\ufffe", "\uffff", "\U0001ffff", "\U0010ffff", "\ue000", "\U0001f600",
    "\x9b",
)  # fmt: skip

any_text = st.one_of(
    st.sampled_from(BENT),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(st.sampled_from(BENT) | st.sampled_from(" \t\n:#a"), max_size=5).map("".join),
)
text = any_text.filter(lambda value: value.strip() != "")
names = st.one_of(
    st.sampled_from(
        ["no", "1.10", "~", "ada", "claude-code", "Zo\u00eb \U0001f600", ".", "a/b", "# x", "a: b"]
    ),
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="<>"), max_size=60)
    .map(lambda name: normalize("NFC", name).strip())
    .filter(bool),
)


def _hex(*lengths: int) -> st.SearchStrategy[str]:
    digits = [st.text("0123456789abcdef", min_size=length, max_size=length) for length in lengths]
    return st.one_of(*digits, st.sampled_from(["0", "1", "e"]).map(lambda digit: digit * lengths[0]))


def _hints(kind: type[Struct]) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}


ids = _hex(40, 64)
record_names = st.builds("DR-{:03d}-{}".format, st.integers(1, 999_999), _hex(8))
foreign = st.builds("{}:{}".format, record_names, ids)
lines = st.builds("{}-{}".format, st.integers(1, 99), st.integers(1, 99)) | st.integers(1, 10**6).map(str)

_CONSTRAINED: tuple[tuple[Any, st.SearchStrategy[Any]], ...] = (
    (t.Id, ids),
    (t.Reference, ids | foreign),
    (t.ForeignReference, foreign),
    (t.Digest, _hex(64)),
    (t.Instant, st.datetimes().map(lambda instant: f"{instant.isoformat(timespec='microseconds')}Z")),
    (t.Day, st.dates().map(str)),
    (t.Text, text),
    (t.Name, names),
    (t.Lines, lines),
    (_hints(t.LedgerMove)["issue"], st.integers(1, 200).map("i-{:02d}".format)),
)


def entries(kind: type[Struct]) -> st.SearchStrategy[Any]:
    """Any value of a struct that its constraints admit."""
    if kind is t.Evidence:
        return _evidence
    fields = _fields(kind)
    return st.fixed_dictionaries(fields).map(lambda drawn: kind(**_possible(kind, drawn)))


def _fields(kind: type[Struct]) -> dict[str, st.SearchStrategy[Any]]:
    return {name: _values(hint) for name, hint in _hints(kind).items()}


def _possible(kind: type[Struct], drawn: dict[str, Any]) -> dict[str, Any]:
    """What was drawn, made a check that says what ran, or why nothing did."""
    if kind is t.Check:
        if drawn["result"] == "not_applicable":
            return {**drawn, "command": None, "note": drawn["note"] or "no"}
        code = drawn["exit_code"] if drawn["result"] == "inconclusive" else drawn["exit_code"] or 0
        return {**drawn, "command": drawn["command"] or ("no",), "exit_code": code}
    return drawn


def _values(hint: Any) -> st.SearchStrategy[Any]:
    for constrained, values in _CONSTRAINED:
        if hint == constrained:
            return values
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        (meta,) = (extra for extra in hint.__metadata__ if isinstance(extra, Meta))
        assert meta.pattern is None, f"no strategy for {hint}"
        bounded: st.SearchStrategy[Any] = _NUMBERS[args[0]](meta.ge, meta.le)
        return bounded
    if origin in (Union, types.UnionType):
        return st.one_of(*map(_values, args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(_values(args[0]), max_size=3).map(tuple)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return entries(hint)
    return _PLAIN[hint]


_NUMBERS: dict[Any, Any] = {int: st.integers, float: st.floats}
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: any_text,
    bool: st.booleans(),
    type(None): st.none(),
}
_all = _fields(t.Evidence)
_evidence = st.one_of(
    st.fixed_dictionaries(
        {"path": text, **{key: _all[key] for key in ("commit", "blob", "lines", "worktree")}}
    ),
    *(
        st.fixed_dictionaries({kind: _all[kind].filter(lambda value: value is not None)})
        for kind in t.READ_KINDS[1:]
    ),
).map(lambda fields: t.Evidence(**fields))

any_entry = st.one_of(*map(entries, t.TYPES.values()))


def examples(count: int) -> settings:
    """So many examples, however long each takes on a busy machine."""
    return settings(max_examples=count, deadline=None, database=None)
