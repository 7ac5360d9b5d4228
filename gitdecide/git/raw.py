"""How git writes trees and commits down: values to bytes and back, pure."""

import re
from collections.abc import Sequence
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.objects import Commit, Signature, Tree, TreeEntry

CRUD: Final = bytes(range(33)).decode() + ".,:;<>\"\\'"
"""What git takes off both ends of a name or an address (ident.c)."""

IDENT: Final = re.compile(rb"([^<]*)<(.*)> ?(-?\d+)?(?: ([+-])(\d+)(\d\d))?.*", re.DOTALL)

# git reads a message with one of these as Latin-1 and writes something else (commit.c, verify_utf8).
NO_TEXT: Final = re.compile(
    "[\0\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)


def encoded(text: str) -> bytes:
    """UTF-8 that a commit can hold. Raises DecideError for what git would refuse or rewrite."""
    bad = NO_TEXT.search(text)
    if bad:
        raise DecideError(f"git cannot keep this character in a commit: U+{ord(bad[0]):04X}")
    return text.encode()


def decoded(data: bytes) -> str:
    """Text of which every byte can be had back."""
    return data.decode("utf-8", "surrogateescape")


def cleaned(signature: Signature) -> Signature:
    """The name and address as git keeps them. Raises DecideError when no name is left."""
    name, email = (re.sub("[\n<>]", "", text.strip(CRUD)) for text in signature[:2])
    if not name:
        raise DecideError(f"name consists only of disallowed characters: {signature.name}")
    return signature._replace(name=name, email=email)


def zone(offset: int) -> str:
    """An offset from UTC in minutes, as git writes it."""
    return f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02d}{abs(offset) % 60:02d}"


def write_commit(
    tree: str, parents: Sequence[str], author: Signature, committer: Signature, message: str
) -> bytes:
    """The bytes of an unsigned commit. Raises DecideError as `encoded` does."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in dict.fromkeys(parents))]
    for role, who in (("author", author), ("committer", committer)):
        lines.append(f"{role} {who.name} <{who.email}> {who.seconds} {zone(who.offset)}")
    return encoded("\n".join(lines) + "\n\n" + message)


def read_commit(oid: str, data: bytes) -> Commit:
    """A commit from its bytes; lines that are not as git writes them read as empty."""
    head, _, message = data.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        fields.setdefault(key, []).append(value)
    first = {key: values[0] for key, values in fields.items()}
    return Commit(
        id=oid,
        tree=first.get(b"tree", b"").decode("ascii", "replace"),
        parents=tuple(parent.decode("ascii", "replace") for parent in fields.get(b"parent", ())),
        author=read_signature(first.get(b"author", b"")),
        committer=read_signature(first.get(b"committer", b"")),
        message=_in_its_encoding(message, first.get(b"encoding")),
    )


def read_signature(data: bytes) -> Signature:
    """A name, an address and a time from git's line for them."""
    found = IDENT.fullmatch(data)
    if not found:
        return Signature(decoded(data), "", 0, 0)
    name, email, seconds, sign, hours, minutes = found.groups()
    offset = int(hours) * 60 + int(minutes) if sign else 0
    return Signature(
        decoded(name.removesuffix(b" ")),
        decoded(email),
        int(seconds or 0),
        -offset if sign == b"-" else offset,
    )


def _in_its_encoding(message: bytes, encoding: bytes | None) -> str:
    try:
        return message.decode(encoding.decode("ascii")) if encoding else decoded(message)
    except (LookupError, UnicodeDecodeError):
        return decoded(message)


def in_order(tree: Tree) -> list[tuple[bytes, TreeEntry]]:
    """The entries as git sorts them. Raises ValueError for a name that no tree can hold."""
    entries = [(_name(name), entry) for name, entry in tree.items()]
    return sorted(entries, key=lambda item: item[0] + b"/" if item[1].is_tree else item[0])


def _name(name: str) -> bytes:
    if not name or "/" in name or "\0" in name:
        raise ValueError(f"no name for an entry of a tree: {name!r}")
    return name.encode("utf-8", "surrogateescape")


def write_tree(tree: Tree) -> bytes:
    """The bytes of a tree."""
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in in_order(tree)
    )


def read_tree(data: bytes, id_length: int) -> Tree:
    """A tree from its bytes; `id_length` in hex digits."""
    tree: Tree = {}
    place, size = 0, id_length // 2
    while place < len(data):
        blank = data.index(b" ", place)
        end = data.index(b"\0", blank)
        name = data[blank + 1 : end].decode("utf-8", "surrogateescape")
        tree[name] = TreeEntry(int(data[place:blank], 8), data[end + 1 : end + 1 + size].hex())
        place = end + 1 + size
    return tree
