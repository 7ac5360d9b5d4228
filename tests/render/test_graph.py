import re
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Proposal
from gitdecide.render import graph as drawing
from gitdecide.render.graph import Edge, Graph, Linked, as_data, dot, graph, mermaid
from tests.entries.story import Story
from tests.entries.strategies import examples

COMMIT = "c0ffee" + "0" * 34


def drawn(*stories: Story, commits: Iterable[Linked] = ()) -> Graph:
    return graph([story.record for story in stories], commits)


def node(story: Story, entry: str | None = None) -> str:
    name = str(story.name).lower()
    return f"{name}:{entry}" if entry else name


def told(found: Graph) -> list[tuple[str, str, str]]:
    return [(item.id, item.kind, item.mark) for item in found.nodes]


def test_a_record_stands_for_the_decision_in_force() -> None:
    """What it superseded are nodes of their own, with an edge from the newer one."""
    story = Story()
    first = story.decide(decision="left")
    second = story.decide(decision="right", supersedes=(first,))
    third = story.decide("reject", decision="neither", supersedes=(second,))

    found = drawn(story)

    assert told(found) == [
        (node(story), "record", "decided"),
        (node(story, first), "decision", "adopt"),
        (node(story, second), "decision", "adopt"),
    ]
    assert found.nodes[0].more == {
        "record": str(story.name), "graph_node_id": "dr-007", "outcome": "reject", "decision": "neither",
    }  # fmt: skip
    assert list(found.edges) == [
        Edge(node(story, second), node(story, first), "supersedes"),
        Edge(node(story), node(story, second), "supersedes"),
    ]
    assert third not in str(told(found))


def test_a_decision_that_another_record_replaced_is_seen_from_there() -> None:
    """The edge goes from record to record; one that leads out of what is drawn is left out."""
    old, new = Story(7), Story(9)
    decision = old.decide()
    by = new.decide(supersedes=(f"{old.name}:{decision}",))
    old.replaced(decision, f"{new.name}:{by}")

    assert told(drawn(new, old)) == [
        (node(old), "record", "superseded"),
        (node(new), "record", "decided"),
    ]
    assert list(drawn(old, new).edges) == [Edge(node(new), node(old), "supersedes")]
    assert list(drawn(new).edges) == []


def test_decisions_that_stand_against_each_other_are_both_seen() -> None:
    """A contested record has an edge to each."""
    story = Story()
    one = story.decide(after=(story.question,))
    two = story.decide(after=(story.question,), decision="no")

    assert set(drawn(story).edges) == {Edge(node(story), node(story, key), "decides") for key in (one, two)}


def test_conflicts_proposals_and_commits_point_to_what_they_are_about() -> None:
    """A challenge without a severity is no conflict, and a commit of no drawn record is left out."""
    story = Story()
    decision = story.decide()
    conflict = story.challenge(decision, severity="invalidating")
    story.challenge(decision)
    proposal = story.say(Proposal, base="b" * 40, branch="decide/DR-007/1", patch="a" * 40)
    commits = [Linked(COMMIT, "Build it", [story.name]), Linked("d" * 40, "x", [RecordName(8, "0" * 8)])]

    found = drawn(story, commits=commits)

    assert told(found)[1:] == [
        (node(story, conflict), "conflict", "invalidating"),
        (node(story, proposal), "proposal", ""),
        (f"commit-{COMMIT}", "commit", ""),
    ]
    assert list(found.edges) == [
        Edge(node(story, conflict), node(story), "conflicts"),
        Edge(node(story, proposal), node(story), "proposes"),
        Edge(f"commit-{COMMIT}", node(story), "links"),
    ]


def test_the_order_is_that_of_the_numbers() -> None:
    """However the records come, and names are in full where a number is not unique."""
    stories = [Story(number, question=text) for number, text in ((2, "a"), (1, "b"), (2, "c"))]

    found, again = drawn(*stories), drawn(*reversed(stories))

    assert found == again
    names = [item.name for item in found.nodes]
    assert names[0] == "DR-001"
    assert names[1:] == sorted(str(story.name) for story in stories if story.name.number == 2)


def test_programs_get_nodes_and_edges() -> None:
    """Every node has an id, and the id that the decision record gives for it."""
    story = Story()
    decision = story.decide()
    conflict = story.challenge(decision, severity="suboptimal")

    data = as_data(drawn(story))

    assert data["nodes"][0] == {
        "id": node(story), "kind": "record", "name": "DR-007", "mark": "decided",
        "title": "Add load_dataset?", "record": str(story.name), "graph_node_id": "dr-007",
        "outcome": "adopt", "decision": "add it",
    }  # fmt: skip
    assert data["nodes"][1]["entry"] == conflict
    assert data["edges"] == [
        {"source": node(story, conflict), "target": node(story), "relation": "conflicts"}
    ]


NASTY = 'say "no" \\N \\" ] ) } {{ <b>&lt; # `x` | ; %% --> -.-> end\nclick A "javascript:1"'


def test_a_title_is_text_and_nothing_else() -> None:
    """Quotes, brackets, entities and line ends of others have no meaning in a picture."""
    story = Story(question=NASTY)
    story.decide(decision=NASTY)

    (label,) = (str(line) for line in dot(drawn(story)) if "label=" in str(line))
    (shape,) = (str(line) for line in mermaid(drawn(story)) if ":::" in str(line))

    assert r"say \"no\" \\N \\\" ] ) } {{ <b>&amp;lt;" in label.replace(r"\n", " ")
    inside = shape[shape.index('["') + 2 : shape.rindex('"]')]
    assert not set(inside.replace("<br/>", "")) & set('"<>[](){}`|&\\%')
    assert "say #34;no#34; #92;N" in inside


def test_a_title_is_cut_where_it_grows_too_long() -> None:
    """A picture has room for a few lines."""
    story = Story(question="word " * 100)

    (record,) = drawn(story).nodes

    assert len(record.title) <= drawing.TITLE_LENGTH
    assert record.title.endswith(" …")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_takes_what_is_written_for_it() -> None:
    """Every kind of node and edge, with the texts as they were."""
    story, other = Story(question=NASTY), Story(8)
    first = story.decide()
    decision = story.decide(decision=NASTY, supersedes=(first,))
    story.challenge(decision, severity="invalidating", claim=NASTY)
    story.say(Proposal, base="b" * 40, branch=NASTY, patch="a" * 40)
    other.decide(after=(other.question,))
    other.decide(after=(other.question,), decision="no")
    found = drawn(story, other, commits=[Linked(COMMIT, NASTY, [story.name, other.name])])
    text = "\n".join(map(str, dot(found)))

    done = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    kinds = [line.split()[0] for line in done.stdout.decode().splitlines()]
    assert (kinds.count("node"), kinds.count("edge")) == (len(found.nodes), len(found.edges))


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_DOT_LINE = re.compile(rf"  {_QUOTED}(?: -> {_QUOTED})? \[(?:\w+=(?:{_QUOTED}|[\w.]+)(?:, )?)+\];")
_MERMAID_LINE = re.compile(r'  \w+(?:\[|\(|\{\{|\[/|\(\[)"[^"\n]*"(?:\]|\)|\}\}|/\]|\]\)):::\w+')


@given(st.text(min_size=1).filter(str.strip))
@examples(100)
def test_no_text_breaks_out_of_its_quotes(text: str) -> None:
    """Every line is of one form, whatever is written in it."""
    found = _of(text)

    lines = [str(line) for line in dot(found)][4:-1]
    shapes = [str(line) for line in mermaid(found) if ":::" in str(line)]

    assert [line for line in lines if not _DOT_LINE.fullmatch(line)] == []
    assert [line for line in shapes if not _MERMAID_LINE.fullmatch(line)] == []
    assert (len(lines), len(shapes)) == (len(found.nodes) + len(found.edges), len(found.nodes))


def _of(text: str) -> Graph:
    """A graph in which a text stands wherever one may."""
    record: DecisionRecord = Story().record
    more: dict[str, Any] = {"outcome": "adopt"}
    kinds = get_args(drawing.Kind)
    nodes = [
        drawing.Node(f"{record.name}{kind}", kind, "DR-007", "decided", drawing._title(text), more)
        for kind in kinds
    ]
    return Graph(nodes, [Edge(nodes[1].id, nodes[0].id, "supersedes")])
