"""What the files of one folder say, and which of them are not what they claim to be."""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from gitdecide.audit.folders import Folder
from gitdecide.entries import document
from gitdecide.entries.names import RecordName, actor_path_name, parse_entry_file
from gitdecide.entries.record import Damage, DecisionRecord, File
from gitdecide.entries.types import Actor, Entry, Unknown, type_name

QUESTION: Final = "question-"
"""How the name of a file begins that claims to be a question: a record has one."""


class Fault(NamedTuple):
    """What is wrong with a file, or with the folder itself where no file is named."""

    kind: str
    file: str
    said: str
    fatal: bool = False


NO_QUESTION: Final = Fault("question", "", "has no question of this name")


class Contents(NamedTuple):
    """The sound entries of a folder by their ids, their bytes, and the faults of all else."""

    path: str
    entries: Mapping[str, Entry | Unknown]
    sources: Mapping[str, bytes]
    faults: list[Fault]
    record: DecisionRecord | None = None
    """None for the folder of an actor."""


def read(path: str, folder: Folder) -> Contents:
    """The contents of an actor's or a record's folder; at most one fault a file."""
    files, missing = folder
    if missing:  # then nothing can be said of the rest
        lost = [Fault("missing", name, "its content is not in this repository") for name in missing]
        return Contents(path, {}, {}, lost)
    return _record(path, files) if path.startswith("decisions/") else _actor(path, files)


def _record(path: str, files: list[File]) -> Contents:
    name = RecordName.parse(path.rpartition("/")[2])
    assert name  # noqa: S101 - only such folders are filed
    record = DecisionRecord.read(name, files)
    entries = {**dict(record.entries), **record.strays}
    if record.strays:
        record = DecisionRecord(name, entries, record.damages, record.sources)
    several = sum(file.name.startswith(QUESTION) for file in files) > 1
    faults: dict[str, Fault] = {}
    for damage in record.damages:
        fault = _fault(damage, entries)
        if several and damage.file.startswith(QUESTION):
            fault = fault._replace(said=f"{fault.said}, and lies beside another question", fatal=True)
        faults.setdefault(damage.file, fault)
    if faults.pop(str(name), None):
        return Contents(path, {}, {}, _without_question(faults.values()), record)
    return Contents(path, entries, record.sources, list(faults.values()), record)


def _fault(damage: Damage, entries: Container[str]) -> Fault:
    """The kind of a damage, by what can be seen of its file."""
    kind, key = parse_entry_file(damage.file) or ("", "")
    if key not in entries:
        named = key and not damage.reason.startswith("was edited")
        return Fault("schema" if named else "name", damage.file, damage.reason)
    if kind == "question":
        return Fault("question", damage.file, damage.reason)
    return Fault(
        "reference" if damage.reason.startswith("comes after") else "place", damage.file, damage.reason
    )


def _without_question(faults: Iterable[Fault]) -> list[Fault]:
    """The faults of a record that no question begins: of its questions, or that there is none."""
    kept = [fault for fault in faults if fault.kind in ("name", "schema", "question")]
    return kept if any(fault.file.startswith(QUESTION) for fault in kept) else [NO_QUESTION, *kept]


def _actor(path: str, files: Iterable[File]) -> Contents:
    entries: dict[str, Entry | Unknown] = {}
    sources = {}
    faults = []
    for file in files:
        claimed = parse_entry_file(file.name)
        if claimed is None or claimed[1] != file.blob:
            faults.append(Fault("name", file.name, f"was edited or misnamed: its content is {file.blob}"))
            continue
        data = file.data or b""  # the folders that are read here have all their contents
        try:
            entry = document.load(data)
        except document.DocumentError as error:
            faults.append(Fault("schema", file.name, error.message))
            continue
        if isinstance(entry, Unknown) and entry.type == claimed[0]:
            continue
        if not isinstance(entry, Actor) or actor_path_name(entry.name) != path.rpartition("/")[2]:
            faults.append(Fault("place", file.name, "is not an entry of this actor"))
        elif claimed[0] != "actor":
            faults.append(Fault("schema", file.name, f"is a {type_name(entry)} by its content"))
        else:
            entries[file.blob] = entry
            sources[file.blob] = data
    return Contents(path, entries, sources, faults)


def newer(entry: Entry | Unknown, data: bytes) -> str | None:
    """What a newer git-decide wrote here, None for what this one could have written."""
    if isinstance(entry, Unknown):
        return f"a newer git-decide wrote it: this one knows no {entry.type}"
    try:
        if document.dump(entry) == data:
            return None
    except document.DocumentError:
        pass  # larger as we would write it
    fields = sorted(set(_unknown(document.parse(data), entry)))
    return f"a newer git-decide wrote it: this one knows no {', '.join(fields)}" if fields else None


def _unknown(node: document.Node, value: object) -> Iterator[str]:
    """The keys of a document that the types have no field for."""
    if isinstance(value, msgspec.Struct) and isinstance(node, dict):
        fields = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
        for key, inner in node.items():
            if key in fields:
                yield from _unknown(inner, getattr(value, fields[key]))
            elif key != value.__struct_config__.tag_field:
                yield key
    elif isinstance(value, tuple) and isinstance(node, list):
        for inner, item in zip(node, value, strict=True):
            yield from _unknown(inner, item)
