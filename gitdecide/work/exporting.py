"""Records written out for other tools: as one text, or into a folder as a file each."""

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Actor
from gitdecide.errors import DecideError
from gitdecide.output import Line, visible
from gitdecide.render import PORTRAYING, RENDERERS, json_adr

ENDINGS: Final = {
    "jsonl": "jsonl", "json": "json", "markdown": "md", "yaml": "yaml", "madr": "md", "json-adr": "json",
}  # fmt: skip
"""The formats by the names that `export` takes, and how their files end."""

ALONE: Final = ("madr",)
"""Formats of which a text can hold one record only."""


LONGEST_SLUG: Final = 150
"""Bytes of the title in a file name: a path has other parts, too."""

MANIFEST: Final = ".git-decide-export.json"
"""Says which files of a folder are ours, by the digests of what we wrote."""

Profile = Callable[[str], Actor | None]


class Written(NamedTuple):
    """How many files of a folder are new or changed, and how many were as they should be."""

    changed: int
    same: int


def text(form: str, records: Iterable[DecisionRecord], profile: Profile) -> Iterator[str]:
    """Many records as one document, in lines. Raises Damaged for a record without a question."""
    if form == "json-adr":
        yield from map(_plain, json_adr.collection(records))
    elif form == "jsonl":
        ids: dict[str, str] = {}
        for record in records:
            yield from map(_plain, RENDERERS[form](record, ids))
    elif form == "json":
        bodies = (json.loads("\n".join(_lines(form, record, profile))) for record in records)
        yield from (
            json.dumps(list(bodies), ensure_ascii=True, indent=2).replace("\x7f", "\\u007f").split("\n")
        )
    else:
        for place, record in enumerate(records):
            if place and form != "yaml":
                yield ""
            yield from _lines(form, record, profile)


def write(
    folder: Path, form: str, records: Iterable[DecisionRecord], profile: Profile, *, force: bool
) -> Written:
    """A file a record; what is as it should be is not touched.

    Raises DecideError, before anything is written, over a file that is not ours unless forced to.
    """
    try:
        return _write(folder, form, records, profile, force=force)
    except OSError as error:
        raise DecideError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _write(
    folder: Path, form: str, records: Iterable[DecisionRecord], profile: Profile, *, force: bool
) -> Written:
    folder.mkdir(parents=True, exist_ok=True)
    ours = _manifest(folder)
    there = {unicodedata.normalize("NFC", file.name).casefold(): file for file in folder.iterdir()}
    digests, waiting, same = dict(ours), dict[str, bytes](), 0
    for record in records:
        name = file_name(record, form)
        data = "".join(f"{line}\n" for line in _lines(form, record, profile)).encode()
        digests[name] = _digest(data)
        found = there.get(name.casefold())
        old = _content(found) if found else None
        if old == data:
            same += 1
        elif found and not force and (old is None or ours.get(name) != _digest(old)):
            raise DecideError(f"{found} is not as we wrote it", hint="--force writes over it")
        else:
            waiting[name] = data
    for name, data in waiting.items():
        _replace(folder / name, data)
    if digests != ours:
        _replace(folder / MANIFEST, json.dumps(dict(sorted(digests.items())), indent=1).encode() + b"\n")
    return Written(len(waiting), same)


def file_name(record: DecisionRecord, form: str) -> str:
    """The file of a record: unlike all others, also where case is folded, since its whole name is in it."""
    slug = _slug(record.question.entry.question)
    if form == "madr":
        stem = "-".join(filter(None, (f"{record.name.number:04d}", slug, record.name.suffix)))
    else:
        stem = "-".join(filter(None, (str(record.name), slug)))
    return f"{stem}.{ENDINGS[form]}"


def _slug(title: str) -> str:
    """The letters and digits of a title, in whatever script, cut between characters."""
    plain = unicodedata.normalize("NFC", title).casefold()
    words = "".join(char if unicodedata.category(char)[0] in "LNM" else " " for char in plain).split()
    data = "-".join(words).encode()[:LONGEST_SLUG].decode(errors="ignore")
    return data.rstrip("-")


def _lines(form: str, record: DecisionRecord, profile: Profile) -> Iterator[str]:
    known = {"profile": profile} if form in PORTRAYING else {}
    return map(_plain, RENDERERS[form](record, **known))


def _plain(line: Line) -> str:
    return visible(line if isinstance(line, str) else "".join(line))


def _manifest(folder: Path) -> Mapping[str, str]:
    with suppress(OSError, ValueError):
        found = json.loads((folder / MANIFEST).read_bytes())
        if isinstance(found, dict):
            return {name: digest for name, digest in found.items() if isinstance(digest, str)}
    return {}


def _content(file: Path) -> bytes | None:
    """The bytes of a plain file, None for anything else: a link may lead anywhere."""
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _replace(file: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    beside = file.with_name(f".{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
