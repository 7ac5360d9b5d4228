"""A record in JSON-ADR 1.0.0, the interchange format of adrs.

Its schema: https://github.com/joshrotenberg/adrs/blob/main/schema/json-adr/v1.json
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from gitdecide import __version__
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Vote
from gitdecide.output import Line
from gitdecide.render import madr
from gitdecide.render.record_json import in_force

SCHEMA: Final = "https://raw.githubusercontent.com/joshrotenberg/adrs/main/schema/json-adr/v1.json"
VERSION: Final = "1.0.0"

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def lines(record: DecisionRecord) -> Iterator[Line]:
    """One record. Raises Damaged for one without a question."""
    return _written({"$schema": SCHEMA, "version": VERSION, "adr": document(record)})


def collection(records: Iterable[DecisionRecord]) -> Iterator[Line]:
    """Many records. Raises as `lines` does."""
    tool = {"name": "git-decide", "version": __version__}
    adrs = [document(record) for record in records]
    return _written({"$schema": SCHEMA, "version": VERSION, "tool": tool, "adrs": adrs})


def document(record: DecisionRecord) -> dict[str, Any]:
    """The fields of a record; what JSON-ADR has no field for is in `custom_sections`."""
    question, decided = record.question.entry, in_force(record)
    front = madr.front_matter(record, decided)
    date = front.get("date", "")
    fields: dict[str, Any] = {
        "number": question.number,
        "title": question.question,
        "status": front.get("status", "unknown"),
        "date": date if _DAY.fullmatch(date) else question.at[:10],
        "deciders": front.get("decision-makers"),
        "consulted": front.get("consulted"),
        "informed": front.get("informed"),
        "context": "\n\n".join(question.context),
        "considered_options": [{"name": option} for option in question.options],
        "decision": decided.entry.decision if decided else None,
        "links": list(_links(record)),
        "custom_sections": dict(_sections(record, date)),
    }
    return {key: value for key, value in fields.items() if value}


def _links(record: DecisionRecord) -> Iterator[dict[str, Any]]:
    """What replaced a record, and what it replaced: by number, for that is all that the format knows."""
    decided = in_force(record)
    bonds = (
        ("superseded-by", record.successors),
        ("supersedes", decided.entry.supersedes if decided else ()),
    )
    for bond, references in bonds:
        for reference in references:
            name = RecordName.parse(reference.partition(":")[0])
            if name:
                yield {"type": bond, "target": name.number, "description": str(name)}


def _sections(record: DecisionRecord, date: str) -> Iterator[tuple[str, str]]:
    decided = in_force(record)
    yield "git-decide", str(record.name)
    if decided and (why := decided.entry.rationale or decided.entry.reason):
        yield "Rationale", why
    if date and not _DAY.fullmatch(date):
        yield "Date", date
    for title, told in (
        ("Votes", [madr.voted(vote.entry) for vote in record.of(Vote)]),
        ("Checks", [madr.checked(check.entry) for check in record.of(Check)]),
        ("Links", record.question.entry.links),
    ):
        if told:
            yield title, "\n".join(told)


def _written(value: dict[str, Any]) -> Iterator[Line]:
    import json

    text = json.dumps(value, ensure_ascii=True, indent=2)
    return iter(text.replace("\x7f", "\\u007f").split("\n"))
