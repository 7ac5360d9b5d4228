"""What a tool takes, and the command line that it becomes."""

import re
from pathlib import Path

import anyio
import jsonschema
import pytest

from gitdecide.errors import UsageError
from gitdecide.mcp.calls import Calls, Outcome
from gitdecide.mcp.server import Service, result
from gitdecide.mcp.tools import VERBS
from tests.mcp.conftest import TOOLS

TOKEN = 4
"""Bytes of such JSON that make a token; a tokenizer at hand made them 4.2."""


def test_the_list_of_tools_is_small() -> None:
    """A client pays for the whole list before it begins: it stays under 4,000 tokens."""
    listed = anyio.run(Service(Calls(Path(), {}), TOOLS).list_tools, None, None)

    size = len(listed.model_dump_json(by_alias=True, exclude_none=True).encode())
    assert [tool.name for tool in listed.tools] == list(VERBS)
    assert all(tool.description for tool in listed.tools)
    assert size / TOKEN < 4000


@pytest.mark.parametrize("verb", VERBS)
def test_what_a_tool_takes_is_a_schema(verb: str) -> None:
    """Every schema is one, names what is required, and has no second name for a thing."""
    tool = TOOLS[verb]

    jsonschema.Draft202012Validator.check_schema(tool.schema)

    assert set(tool.schema["required"]) <= set(tool.schema["properties"])
    assert len(tool.schema["properties"]) == len(tool.properties)
    assert not {"as", "json", "file"} & set(tool.schema["properties"])


@pytest.mark.parametrize(
    ("verb", "given", "words"),
    [
        ("ask", {"question": "-h", "option": ["-a", "--b=c"], "directive": True},
         ["ask", "--json", "--option=-a", "--option=--b=c", "--directive", "--", "-h"]),
        ("check", {"dr": "DR-1", "command": ["grep", "--", "-q"], "holds_on": [1], "timeout": 0.5},
         ["check", "--json", "--holds-on=1", "--timeout=0.5", "--", "DR-1", "grep", "--", "-q"]),
        ("check", {"dr": "DR-1", "shell": "--x"}, ["check", "--json", "-c", "--x", "--", "DR-1"]),
        ("bind", {"dr": "DR-1", "outcome": "adopt", "decision": "", "code": False},
         ["bind", "--json", "--no-code", "--", "DR-1", "adopt", ""]),
        ("ask", {"question": "q", "directive": False, "job": None}, ["ask", "--json", "--", "q"]),
        ("show", {}, ["show", "--"]),
        ("search", {"word": ["a b", "c"], "limit": 5}, ["search", "--json", "--limit=5", "--", "a b", "c"]),
    ],
)  # fmt: skip
def test_a_call_becomes_a_command_line(verb: str, given: dict[str, object], words: list[str]) -> None:
    """Options carry their value with them, and arguments stand behind the dashes that end the options."""
    assert TOOLS[verb].words(given) == words


@pytest.mark.parametrize(
    ("verb", "given", "message"),
    [
        ("vote", {"dr": "DR-1", "stance": "inform"}, "vote needs reason"),
        ("vote", {"stance": "inform", "reason": "r"}, "vote needs dr"),
        ("bind", {"dr": "DR-1", "decision": "it"}, "decision without outcome"),
        ("show", {"name": "DR-1"}, "show takes no 'name'"),
        ("show", {"as": "Ada"}, "show takes no 'as'"),
        ("show", {"\x1b": 1}, "show takes no '\\x1b'"),
        ("show", {"dr": 1}, "dr takes string"),
        ("show", {"dr": ["DR-1"]}, "dr takes string"),
        ("ask", {"question": "q", "option": "one"}, "option takes a list of string"),
        ("ask", {"question": "q", "option": [None]}, "option takes a list of string"),
        ("ask", {"question": "q", "directive": "yes"}, "directive takes boolean"),
        ("ask", {"question": "zero\0"}, "question holds a zero byte"),
        ("list", {"limit": True}, "limit takes integer"),
        ("list", {"limit": 1.5}, "limit takes integer"),
        ("vote", {"dr": "DR-1", "stance": "inform", "reason": "r", "confidence": "0.5"},
         "confidence takes number"),
    ],
)  # fmt: skip
def test_a_call_that_the_schema_does_not_take(verb: str, given: dict[str, object], message: str) -> None:
    """What is missing, unknown or of another type is named before anything runs."""
    with pytest.raises(UsageError, match=re.escape(message)):
        TOOLS[verb].words(given)


@pytest.mark.parametrize(
    ("facts", "data"),
    [
        ('{"version": 1}', {"version": 1, "notes": ["said"], "exit": 4}),
        ('{"path": "caf\\udce9"}', {"path": "caf?", "notes": ["said"], "exit": 4}),
        ("DR-001  Why?\n", None),
        ("[1]\n", None),
    ],
)
def test_what_a_run_printed_is_data_where_it_is_an_object(facts: str, data: dict[str, object] | None) -> None:
    """What else was said goes with it, and every result can be sent."""
    made = result(Outcome(4, facts, ("said",)))

    assert made.structured_content == data
    assert "said" in made.model_dump_json()
    assert not made.is_error
