"""Entries as strict YAML: one plain shape in both directions.

Written is UTF-8 with LF, block style, keys in the order of the schema, text of several lines as a literal
block, and nothing that has no value. Read is any YAML of mappings, sequences and scalars in which no scalar
has a type of its own: the schema gives it one. Anchors, aliases, tags, directives, duplicate keys, several
documents and raw control bytes are refused, as are depth over 16 and size over 256 KiB.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
import yaml

from gitdecide.entries.types import TYPES, Entry, Unknown
from gitdecide.errors import UsageError

MAX_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 16

Node = str | list["Node"] | dict[str, "Node"]

_RAW_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
_ESCAPED = "\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
_MUST_ESCAPE = re.compile(f"[{_ESCAPED}]")
_PLAIN = re.compile(rf"(?:[^\W\d_]|[/_](?=\w))(?:[^\t\n:#{_ESCAPED}]|:(?![ ]|$)|(?<! )#)*(?<! )")
_PLAIN_DIGITS = re.compile(
    r"(?=[0-9]*[a-f][0-9]*[a-f])[0-9a-f]{40,64}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z"
)
_BENDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])

_WHOLE = ("a whole number", re.compile("0|[1-9][0-9]*"))
_DECIMAL = ("a number", re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e-[0-9]+)?"))
_WORD = ("true or false", re.compile("true|false"))
SPELLINGS: Final = {
    **dict.fromkeys(("number", "exit_code", "holds_on", "fails_on", "duration_ms", "output_bytes"), _WHOLE),
    **dict.fromkeys(("clean", "changes_code", "ledger_omitted"), _WORD),
    "confidence": _DECIMAL,
}
"""How the fields that are not text are written: what it is called, and its pattern."""


class DocumentError(UsageError):
    """Bytes that are not a document of ours; the message begins with the line where there is one."""


def dump(entry: Entry) -> bytes:
    """The canonical bytes of an entry.

    Raises DocumentError for text that is not Unicode, and for an entry over 256 KiB.
    """
    try:
        data = ("\n".join(_mapping(msgspec.to_builtins(entry), "")) + "\n").encode()
    except UnicodeEncodeError as error:
        raise DocumentError(f"text that is not Unicode: {error.object[error.start : error.end]!a}") from None
    if len(data) > MAX_BYTES:
        raise DocumentError(f"the entry is larger than {MAX_BYTES // 1024} KiB")
    return data


def load(data: bytes) -> Entry | Unknown:
    """The entry that these bytes hold; an entry of a type that is not known comes back as Unknown.

    Raises DocumentError for anything that is not strict YAML, or does not fit the schema.
    """
    node = parse(data)
    if not isinstance(node, dict):
        raise DocumentError("not a mapping")
    kind = TYPES.get(str(node.get("type")))
    for field in SPELLINGS.keys() & node.keys() if kind else ():
        _check_spelling(field, node[field])
    try:
        if kind is None:
            return msgspec.convert({**node, "fields": node}, Unknown)
        return msgspec.convert(node, kind, strict=False)
    except msgspec.ValidationError as error:
        raise DocumentError(_unfit(str(error))) from None


def parse(data: bytes) -> Node:
    """The mappings, lists and texts of one strict YAML document.

    Raises DocumentError, with the line.
    """
    text = _decoded(data)
    parser: Any = yaml.CSafeLoader(text)
    try:
        return _document(parser.get_event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        last = text.rstrip("\n").count("\n")  # what is missing at the end is marked below it
        raise DocumentError(f"line {min(mark.line, last) + 1 if mark else 1}: {error.problem}") from None
    finally:
        parser.dispose()


def parse_options(data: bytes) -> Node:
    """What `-F` holds: strict YAML, or JSON, whose numbers and words are text as well.

    Raises DocumentError as `parse` does.
    """
    import json

    data = data.replace(b"\r\n", b"\n")
    if data.lstrip()[:1] == b"{":
        try:
            return _plain(
                json.loads(
                    _decoded(data),
                    object_pairs_hook=_unique,
                    parse_int=str,
                    parse_float=str,
                    parse_constant=str,
                ),
                0,
            )
        except json.JSONDecodeError:
            pass  # a flow mapping of YAML may begin like this as well
        except RecursionError:
            raise DocumentError(f"deeper than {MAX_DEPTH} levels") from None
    return parse(data)


def lines(fields: dict[str, Any]) -> Iterator[str]:
    """Any fields as strict YAML, line by line: what `parse` reads back as text."""
    return _mapping(fields, "")


def _check_spelling(field: str, value: Node) -> None:
    """Raise DocumentError for numbers and words that lax decoding takes: 1e2, null, True."""
    spelling, pattern = SPELLINGS[field]
    for text in value if isinstance(value, list) else [value]:
        if not isinstance(text, str) or not pattern.fullmatch(text):
            raise DocumentError(f"{field}: not {spelling}")


def _unfit(problem: str) -> str:
    """Msgspec's complaint, with the field first."""
    what, _, place = problem.partition(" - at `$")
    field = place.strip(".`")
    what = "is blank" if "'\\\\S'" in what else what[:1].lower() + what[1:]
    return f"{field}: {what}" if field else what


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise DocumentError(f"larger than {MAX_BYTES // 1024} KiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(f"line {line}: not UTF-8: byte 0x{data[error.start]:02x}") from None
    if match := _RAW_CONTROL.search(text, text.startswith("\ufeff")):
        line = text.count("\n", 0, match.start()) + 1
        raise DocumentError(f"line {line}: raw control character U+{ord(match[0]):04X}")
    return text


def _document(following: Callable[[], Any]) -> Node:
    """The one document of a stream of events."""
    following()
    start = following()
    if isinstance(start, yaml.StreamEndEvent):
        raise DocumentError("empty")
    if start.version or start.tags:
        raise DocumentError(f"line {_line(start)}: directives are not allowed")
    node = _node(following(), following, 0)
    following()
    if not isinstance(end := following(), yaml.StreamEndEvent):
        raise DocumentError(f"line {_line(end)}: several documents")
    return node


def _node(event: Any, following: Callable[[], Any], depth: int) -> Node:
    if event.anchor is not None:
        kind = "aliases" if isinstance(event, yaml.AliasEvent) else "anchors"
        raise DocumentError(f"line {_line(event)}: {kind} are not allowed")
    if event.tag is not None:
        raise DocumentError(f"line {_line(event)}: tags are not allowed")
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    if depth == MAX_DEPTH:
        raise DocumentError(f"line {_line(event)}: deeper than {MAX_DEPTH} levels")
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Node] = []
        while not isinstance(item := following(), yaml.SequenceEndEvent):
            items.append(_node(item, following, depth + 1))
        return items
    fields: dict[str, Node] = {}
    while not isinstance(key := following(), yaml.MappingEndEvent):
        name = _node(key, following, depth + 1)
        if not isinstance(name, str):
            raise DocumentError(f"line {_line(key)}: a key must be text")
        if name in fields:
            raise DocumentError(f"line {_line(key)}: the key {name!a} stands twice")
        fields[name] = _node(following(), following, depth + 1)
    return fields


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise DocumentError(f"the key {key!a} stands twice")
        fields[key] = value
    return fields


def _plain(value: Any, depth: int) -> Node:
    """JSON's values as the texts they were written as; null is no value."""
    if not isinstance(value, dict | list):
        return _text(str(value).lower() if isinstance(value, bool) else str(value))
    if depth == MAX_DEPTH:
        raise DocumentError(f"deeper than {MAX_DEPTH} levels")
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value if item is not None]
    return {_text(key): _plain(item, depth + 1) for key, item in value.items() if item is not None}


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DocumentError("half of a surrogate pair is not text") from None
    return text


def _mapping(fields: dict[str, Any], pad: str) -> Iterator[str]:
    for key, value in fields.items():
        yield from _item(f"{pad}{key}:", value, pad)


def _item(head: str, value: Any, pad: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield head
        yield from _mapping(value, pad + "  ")
    elif isinstance(value, tuple | list):
        yield head if value else f"{head} []"
        for item in value:
            yield from _member(item, pad + "  ")
    else:
        yield f"{head} {_scalar(value, pad + '  ')}"


def _member(item: Any, pad: str) -> Iterator[str]:
    if isinstance(item, dict):
        first, *rest = _mapping(item, pad + "  ")
        yield f"{pad}- {first.lstrip()}"
        yield from rest
    else:
        yield f"{pad}- {_scalar(item, pad + '  ')}"


def _scalar(value: Any, pad: str) -> str:
    """One scalar: plain where no reader of YAML would bend it, a literal block for lines, else quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    if _PLAIN_DIGITS.fullmatch(value) or (_PLAIN.fullmatch(value) and value.lower() not in _BENDS):
        return value
    if (
        "\n" in value
        and value.strip("\n")
        and value.lstrip("\n")[0] not in " \t"
        and not _MUST_ESCAPE.search(value)
    ):
        chomp = "-" if not value.endswith("\n") else "+" if value.endswith("\n\n") else ""
        body = value.removesuffix("\n").split("\n")
        return "\n".join([f"|{chomp}", *(line and pad + line for line in body)])
    import json

    return _MUST_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def identify(data: bytes, object_format: str) -> str:
    """The id that git gives to a blob of these bytes, in a repository of this object format."""
    import hashlib  # loads a large library, which reading does not need

    return hashlib.new(object_format, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
