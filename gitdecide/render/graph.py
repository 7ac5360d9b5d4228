"""The graph of decisions: what replaced what, what stands against it, and which code follows it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten, wrap
from typing import Any, Final, Literal, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Challenge, Decision, Proposal
from gitdecide.output import Line, visible
from gitdecide.render.record_json import document, in_force

TITLE_LENGTH: Final = 90
LINE_LENGTH: Final = 32
"""Characters of a title, and of one line of it in a picture."""

Kind = Literal["record", "decision", "conflict", "proposal", "commit"]
Relation = Literal["supersedes", "decides", "conflicts", "proposes", "links"]


class Node(NamedTuple):
    """One thing in the graph; `mark` is its status, outcome or severity."""

    id: str
    kind: Kind
    name: str
    mark: str
    title: str
    more: Mapping[str, str | None]


class Edge(NamedTuple):
    """What one node does to another."""

    source: str
    target: str
    relation: Relation


class Graph(NamedTuple):
    """Nodes by record, the lowest number first, and edges between them."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]


class Linked(NamedTuple):
    """A commit, and the records that it links."""

    commit: str
    subject: str
    records: Sequence[RecordName]


def graph(records: Iterable[DecisionRecord], commits: Iterable[Linked]) -> Graph:
    """The graph of some sound records, and of the commits that link them."""
    chosen = sorted(records, key=lambda record: record.name)
    numbers = Counter(record.name.number for record in chosen)
    places = {
        (str(record.name), decision.id): _place(record, decision)
        for record in chosen
        for decision in record.of(Decision)
    }
    nodes: list[Node] = []
    edges: dict[Edge, None] = {}
    for record in chosen:
        nodes += _nodes(record, alone=numbers[record.name.number] == 1)
        edges |= dict.fromkeys(_edges(record, places))
    known = {record.name for record in chosen}
    for commit in commits:
        if linked := [name for name in commit.records if name in known]:
            node_id = f"commit-{commit.commit}"
            nodes.append(
                Node(
                    node_id,
                    "commit",
                    commit.commit[:8],
                    "",
                    _title(commit.subject),
                    {"commit": commit.commit},
                )
            )
            edges |= dict.fromkeys(Edge(node_id, _of(name), "links") for name in linked)
    return Graph(nodes, list(edges))


def _nodes(record: DecisionRecord, *, alone: bool) -> Iterator[Node]:
    current = in_force(record)
    where = {"record": str(record.name)}
    yield Node(
        _of(record.name),
        "record",
        record.name.short if alone else str(record.name),
        record.status,
        _title(record.question.entry.question),
        {
            **where,
            "graph_node_id": document(record)["graph_node_id"],
            "outcome": current.entry.outcome if current else None,
            "decision": _title(current.entry.decision) if current else None,
        },
    )
    for entry_id, entry in record.entries:
        about = (_entry(record, entry_id), {**where, "entry": entry_id})
        short = entry_id[:8]
        if isinstance(entry, Decision) and not (current and current.id == entry_id):
            yield Node(about[0], "decision", short, entry.outcome, _title(entry.decision), about[1])
        elif isinstance(entry, Challenge) and entry.severity:
            yield Node(about[0], "conflict", short, entry.severity, _title(entry.claim), about[1])
        elif isinstance(entry, Proposal):
            yield Node(about[0], "proposal", short, "", _title(entry.title or entry.branch), about[1])


def _edges(record: DecisionRecord, places: dict[tuple[str, str], str]) -> Iterator[Edge]:
    name = str(record.name)
    for entry_id, entry in record.entries:
        if isinstance(entry, Decision):
            here = places[name, entry_id]
            for reference in entry.supersedes:
                other, _, key = reference.rpartition(":")
                if old := places.get((other or name, key)):
                    yield Edge(here, old, "supersedes")
            if here != _of(record.name) and entry_id not in record.replacements:
                yield Edge(_of(record.name), here, "decides")
        elif isinstance(entry, Challenge) and entry.severity and (name, entry.target) in places:
            yield Edge(_entry(record, entry_id), places[name, entry.target], "conflicts")
        elif isinstance(entry, Proposal):
            yield Edge(_entry(record, entry_id), _of(record.name), "proposes")


def _of(name: RecordName) -> str:
    return str(name).lower()


def _entry(record: DecisionRecord, entry_id: str) -> str:
    return f"{_of(record.name)}:{entry_id}"


def _place(record: DecisionRecord, decision: Filed[Decision]) -> str:
    """The node of a decision: its record's for the one in force, else its own."""
    current = in_force(record)
    return _of(record.name) if current == decision else _entry(record, decision.id)


def _title(text: str) -> str:
    return shorten(visible(" ".join(text.split())), TITLE_LENGTH, placeholder=" …") or "…"


def as_data(drawn: Graph) -> dict[str, Any]:
    """The graph for programs."""
    return {
        "nodes": [_fields(node) for node in drawn.nodes],
        "edges": [edge._asdict() for edge in drawn.edges],
    }


def _fields(node: Node) -> dict[str, str | None]:
    fields = node._asdict()
    more = fields.pop("more")
    return {**fields, **more}


def dot(drawn: Graph) -> Iterator[Line]:
    """The graph in the language of Graphviz: `dot -Tsvg` makes a picture of it."""
    yield "digraph decisions {"
    yield "  graph [rankdir=LR, nodesep=0.2, ranksep=0.6, fontname=Helvetica];"
    yield '  node [shape=box, style="filled,rounded", fillcolor=white, fontname=Helvetica, fontsize=11];'
    yield "  edge [fontname=Helvetica, fontsize=9, color=gray40];"
    for node in drawn.nodes:
        text = "\\n".join(_dot_text(line) for line in _label(node))
        yield f'  "{_dot_text(node.id)}" [label="{text}", {_dot_look(node)}];'
    for edge in drawn.edges:
        yield f"  {_dot_edge(edge)};"
    yield "}"


_DOT_STATUS: Final = {
    "decided": 'fillcolor="#dff0d8"',
    "open": 'style="rounded,dashed"',
    "closed": 'style="rounded,dashed", fontcolor=gray40',
    "blocked": 'fillcolor="#f2b8b5", penwidth=2',
    "contested": 'fillcolor="#f2b8b5", penwidth=2',
    "imported": 'fillcolor="#e8eaf6", style="filled,rounded,dashed"',
    "superseded": "fillcolor=gray90, fontcolor=gray40",
}
_DOT_LOOK: Final = {
    "decision": "fillcolor=gray90, fontcolor=gray40, fontsize=10",
    "conflict": 'peripheries=2, style=filled, fillcolor="#fde0dc", color="#b3261e", fontsize=10',
    "proposal": 'shape=note, style=filled, fillcolor="#fff8e1", fontsize=10',
    "commit": 'shape=ellipse, style=filled, fillcolor="#e3f2fd", fontsize=10',
}
_DOT_EDGE: Final = {
    "supersedes": 'label="supersedes"',
    "decides": 'label="stands", style=bold',
    "conflicts": 'style=dashed, color="#b3261e"',
    "proposes": "style=dotted",
    "links": "style=dotted",
}


def _dot_look(node: Node) -> str:
    if node.kind != "record":
        return _DOT_LOOK[node.kind]
    rejected = node.mark == "decided" and node.more["outcome"] != "adopt"
    return "width=2.6, " + ('fillcolor="#fff3cd"' if rejected else _DOT_STATUS[node.mark])


def _dot_edge(edge: Edge) -> str:
    """Records stand in the first column, so what points to one is drawn from it, with the arrow turned."""
    first, second, way = edge.source, edge.target, ""
    if edge.relation in ("conflicts", "proposes", "links"):
        first, second, way = second, first, ", dir=back"
    return f'"{_dot_text(first)}" -> "{_dot_text(second)}" [{_DOT_EDGE[edge.relation]}{way}]'


def _dot_text(text: str) -> str:
    r"""Text within quotes, where `\N` is an escape and `&lt;` an entity."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def mermaid(drawn: Graph) -> Iterator[Line]:
    """The graph as a Mermaid flowchart, which many forges draw in Markdown."""
    yield "flowchart LR"
    for node in drawn.nodes:
        opening, closing = _MERMAID_SHAPE[node.kind]
        text = "<br/>".join(_mermaid_text(line) for line in _label(node))
        yield f'  {_mermaid_id(node.id)}{opening}"{text}"{closing}:::{_mermaid_class(node)}'
    for edge in drawn.edges:
        yield f"  {_mermaid_id(edge.source)} {_MERMAID_EDGE[edge.relation]} {_mermaid_id(edge.target)}"
    yield from (f"  classDef {name} {look}" for name, look in _MERMAID_CLASSES.items())


_MERMAID_SHAPE: Final = {
    "record": ("[", "]"),
    "decision": ("(", ")"),
    "conflict": ("{{", "}}"),
    "proposal": ("[/", "/]"),
    "commit": ("([", "])"),
}
_MERMAID_EDGE: Final = {
    "supersedes": "-->|supersedes|",
    "decides": "==>|stands|",
    "conflicts": "-.->|conflicts|",
    "proposes": "-.->|proposes|",
    "links": "-.->|links|",
}
_MERMAID_CLASSES: Final = {
    "good": "fill:#dff0d8,stroke:#444,color:#000",
    "other": "fill:#fff3cd,stroke:#444,color:#000",
    "bad": "fill:#f2b8b5,stroke:#b3261e,color:#000",
    "old": "fill:#e6e6e6,stroke:#888,color:#555",
    "pending": "fill:#fff,stroke:#444,color:#000,stroke-dasharray:4",
    "work": "fill:#e3f2fd,stroke:#444,color:#000",
}
_MERMAID_STATUS: Final = {
    "decided": "good",
    "blocked": "bad",
    "contested": "bad",
    "superseded": "old",
    "open": "pending",
    "closed": "pending",
    "imported": "pending",
}


def _mermaid_class(node: Node) -> str:
    if node.kind == "record":
        rejected = node.mark == "decided" and node.more["outcome"] != "adopt"
        return "other" if rejected else _MERMAID_STATUS[node.mark]
    return {"decision": "old", "conflict": "bad"}.get(node.kind, "work")


def _mermaid_id(node_id: str) -> str:
    return re.sub("[^a-z0-9]", "_", node_id)


def _mermaid_text(text: str) -> str:
    """Text within quotes: what has a meaning to Mermaid, Markdown or HTML is written as an entity."""
    return re.sub(r"[^\w\s,.:!?'/…·-]", lambda match: f"#{ord(match[0])};", text)


def _label(node: Node) -> Iterator[str]:
    """What a picture says of a node, line by line."""
    outcome = node.more.get("outcome")
    marks = [node.mark, outcome if node.mark == "decided" and outcome != "adopt" else None]
    yield " · ".join([node.name, *filter(None, marks)])
    yield from wrap(node.title, LINE_LENGTH)
