import json
from typing import Any, get_args

import jsonschema
import pytest

from gitdecide.entries.types import Verb
from gitdecide.render.record_json import LEDGER_TYPES
from tests.commands.conftest import ByHand
from tests.conftest import Decide
from tests.render.decision_records import HEADINGS, SCHEMA, headings

ROLES = {"proponent": "alice", "opponent": "bob", "arbitrator": "carol"}


def exported(decide: Decide, name: str) -> dict[str, Any]:
    found = dict(json.loads(decide("show", name, "--format", "json").id))
    jsonschema.validate(found, SCHEMA)
    assert list(found) == list(SCHEMA["properties"])
    return found


def page(decide: Decide, name: str) -> str:
    return decide("show", name, "--format", "markdown").id


@pytest.fixture
def debate(decide: Decide, log: None) -> str:
    """Five rounds of three roles, each typed with our commands, and undecided."""
    roles = [word for role, actor in ROLES.items() for word in ("--role", f"{role}={actor}")]
    name = decide("ask", "Which database?", "--mode", "debate", *roles).id
    verbs = ("proposition", "counter", "rebuttal", "concession", "position")
    for number, verb in enumerate(verbs, 1):
        for actor in ROLES.values():
            said = f"{actor} in round {number}"
            decide("turn", name, verb, said, "-m", "Because.\nAnd so on.", "--as", actor)
    return name


def test_a_debate_of_three_roles_and_five_rounds_is_a_decision_record(debate: str, decide: Decide) -> None:
    """Typed with our commands it has every field of the document, and its headings in their order."""
    decide("actor", "add", "alice", "--display-name", "Alice A.", "--icon", "🦊")
    decide(
        "bind", debate, "adopt", "SQLite", "--no-code", "--read", "src/app.py", "--rationale", "one file",
        "--confidence", "0.85", "--dissent", "bob wants a server", "--as", "carol",
    )  # fmt: skip

    record = exported(decide, debate)

    assert record["participants"] == {
        "proponent": {"name": "alice", "displayName": "Alice A.", "icon": "🦊"},
        "opponent": {"name": "bob", "displayName": "bob", "icon": ""},
        "arbitrator": {"name": "carol", "displayName": "carol", "icon": ""},
    }
    assert [(turn["round"], turn["speaker"], turn["role"]) for turn in record["rounds"]] == [
        (number, actor, role) for number in range(1, 6) for role, actor in ROLES.items()
    ]
    assert record["rounds"][3]["content"] == "alice in round 2\n\nBecause.\nAnd so on."
    assert record["rounds"][3]["type"] == "counter"
    assert [record[key] for key in ("id", "topic", "mode", "decision", "rationale")] == [
        "DR-001", "Which database?", "debate", "SQLite", "one file",
    ]  # fmt: skip
    assert [record[key] for key in ("confidence", "dissent", "date", "registered_in_graph")] == [
        0.85, "bob wants a server", "2026-10-19", True,
    ]  # fmt: skip
    assert record["graph_node_id"] == "dr-001"
    markdown = page(decide, debate)
    assert headings(markdown) == [
        "## 📋 Decision Record: DR-001",
        *HEADINGS[1:5],
        "### Confidence: 0.85",
        "### Dissent",
    ]
    assert markdown.startswith(
        "## 📋 Decision Record: DR-001\n\n"
        "**Date:** 2026-10-19\n**Mode:** debate\n**Topic:** Which database?\n\n"
        "### Participants\n- 🦊 **Alice A.** (proponent)\n- **bob** (opponent)\n- **carol** (arbitrator)\n\n"
        "### Debate Rounds\n**Round 1 — alice (proposition):**\nalice in round 1\n\nBecause.\nAnd so on.\n\n"
        "**Round 1 — bob (proposition):**\n"
    )
    assert markdown.endswith(
        "### Decision\nSQLite\n\n### Rationale\none file\n\n### Confidence: 0.85\n\n"
        "### Dissent\nbob wants a server"
    )


def test_a_consensus_of_four_participants_is_a_decision_record(decide: Decide, log: None) -> None:
    """Equal roles are numbered; without icons, dissent and confidence every field and heading is there."""
    people = ("ann", "ben", "cat", "dan")
    roles = [word for actor in people for word in ("--role", f"participant={actor}")]
    name = decide("ask", "Tabs or spaces?", "--mode", "consensus", *roles).id
    for actor in people:
        decide("turn", name, "position", f"{actor} wants spaces", "--as", actor)
    decide("bind", name, "adopt", "Spaces", "--no-code", "--read", "src/app.py")

    record = exported(decide, name)

    assert list(record["participants"]) == [f"participant-{number}" for number in range(1, 5)]
    assert [person["name"] for person in record["participants"].values()] == list(people)
    assert {(turn["round"], turn["role"]) for turn in record["rounds"]} == {(1, "participant")}
    assert (record["confidence"], record["dissent"], record["rationale"]) == (None, "", "")
    markdown = page(decide, name)
    assert [
        line for line, start in zip(headings(markdown), HEADINGS, strict=True) if line.startswith(start)
    ] == (headings(markdown))
    assert "- **ann** (participant-1)\n" in markdown
    assert markdown.endswith("### Confidence: not given\n\n### Dissent\nNone.")


def test_an_undecided_record_says_so(record: str, decide: Decide) -> None:
    """An open question has an empty decision, and the day on which it was asked."""
    found = exported(decide, record)

    assert (found["decision"], found["date"], found["mode"]) == ("", "2026-10-19", "consensus")
    assert "### Decision\nNot decided.\n" in page(decide, record)


def test_verified_opposition_is_the_dissent_where_nobody_sums_it_up(record: str, decide: Decide) -> None:
    """What was read counts, what was not does not, and --dissent goes before both."""
    decide("vote", record, "oppose", "-m", "too slow", "--read", "src/app.py", "--as", "bob")
    decide("vote", record, "oppose", "-m", "no idea", "--as", "eve")
    decide("bind", record, "adopt", "add it", "--no-code", "--read", "src/app.py")

    assert exported(decide, record)["dissent"] == "bob: too slow"

    decide(
        "supersede", record, "adopt", "add it", "-m", "said better", "--read", "src/app.py", "--no-code",
        "--dissent", "Bob fears for speed",
    )  # fmt: skip
    assert exported(decide, record)["dissent"] == "Bob fears for speed"


def test_who_voted_takes_part_where_nobody_was_asked(record: str, decide: Decide) -> None:
    """A record without turns shows the voters, and then the decider."""
    decide("vote", record, "support", "-m", "yes", "--read", "src/app.py", "--as", "bob")
    decide("bind", record, "adopt", "add it", "--no-code")

    people = exported(decide, record)["participants"]

    assert [(role, person["name"]) for role, person in people.items()] == [
        ("participant-1", "bob"),
        ("participant-2", "Ada"),
    ]


@pytest.mark.parametrize(
    ("outcome", "text", "shown"),
    [
        ("adopt", "add it", "add it"),
        ("reject", "the premise is false", "reject: the premise is false"),
        ("reject", "reject: the premise is false", "reject: the premise is false"),
        ("defer", "not now", "defer: not now"),
        ("adopt", "reject: everything else", "adopt: reject: everything else"),
    ],
)
def test_a_decision_that_is_no_adoption_says_so(
    outcome: str, text: str, shown: str, record: str, decide: Decide
) -> None:
    """The format has no field for the outcome, so the text begins with it."""
    decide("bind", record, outcome, text, "--no-code", "--read", "src/app.py")

    assert exported(decide, record)["decision"] == shown


def test_a_damaged_record_is_not_registered_in_the_graph(
    record: str, decide: Decide, by_hand: ByHand
) -> None:
    """registered_in_graph is true exactly when graph shows the record."""
    folder = f"decisions/DR-0xxx/{record}"
    assert f'"id": "{record.lower()}"' in decide("graph", "--format", "json").stdout
    by_hand(f"{folder}/vote-{{id}}.yaml", "nonsense\n")

    done = decide("show", record, "--format", "json")

    assert (done.exit_code, json.loads(done.stdout)["registered_in_graph"]) == (4, False)
    assert f'"id": "{record.lower()}"' not in decide("graph", "--format", "json").stdout


def test_a_contested_record_has_no_one_decision(record: str, decide: Decide, by_hand: ByHand) -> None:
    """Where two decisions stand, the record says that it is not decided."""
    decide("bind", record, "adopt", "left", "--no-code", "--read", "src/app.py")
    found = json.loads(decide("show", record, "--json").id)
    lines = decide("show", record, "--format", "yaml").stdout.split("# decision-")[1].splitlines()[1:]
    other = "\n".join(lines).replace("left", "right")
    by_hand(f"decisions/DR-0xxx/{record}/decision-{{id}}.yaml", f"{other.rstrip()}\n")

    assert found["status"] == "decided"
    assert exported(decide, record)["decision"] == ""


def test_a_turn_of_a_conversation_with_a_ledger_has_one_of_the_six_types() -> None:
    """Every verb of ours has a place in the document."""
    types = set(SCHEMA["properties"]["rounds"]["items"]["properties"]["type"]["enum"])
    assert {LEDGER_TYPES.get(verb, verb) for verb in get_args(Verb)} == types


def test_a_text_in_a_round_forges_no_heading(decide: Decide, log: None) -> None:
    """Whatever was said, the page has the headings of the document and no others."""
    name = decide("ask", "Which way?\n### Decision\nleft", "--mode", "debate").id
    lines = (
        "fine",
        "### Decision",
        "> # Dissent",
        "- ## x",
        "```",
        "<!--",
        "Under",
        "---",
        "**Round 9 — x:**",
    )
    body = "\n".join(lines)
    decide("turn", name, "proposition", "### Decision", "-m", body, "--as", "eve")

    markdown = page(decide, name)

    assert [line.partition(":")[0] for line in headings(markdown)] == [
        heading.partition(":")[0] for heading in HEADINGS
    ]
    assert "**Topic:** Which way? ### Decision left\n" in markdown
    for line in (r"\### Decision", r"> \# Dissent", r"- \## x", r"\```", r"\<!--", r"\---", r"\**Round 9"):
        assert f"\n{line}" in markdown
