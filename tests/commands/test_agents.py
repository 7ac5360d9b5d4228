"""What agents are told about git-decide."""

import re
import shlex

from gitdecide.rules import explanations
from tests.conftest import Decide

PLACES = {
    "PATH": "src/app.py",
    "PATH:1-9": "src/app.py:1",
    "WORD": "load*",
    "COMMAND": "true",
    "NAME": "Ada",
}
"""What stands for the words that whoever reads the paragraph replaces."""


def commands(text: str, record: str) -> list[list[str]]:
    """Every command that the paragraph names, with real words in it."""
    typed = [shlex.split(line) for line in re.findall(r"`git decide ([^`]+)`", text)]
    return [[record if word == "DR" else PLACES.get(word, word) for word in words] for words in typed]


def test_the_paragraph_is_short(decide: Decide) -> None:
    """Every agent reads it at every start: it stays under 250 words, and is printed whole."""
    told = decide("agents")

    assert told.exit_code == 0
    assert told.stdout.startswith("## Decisions\n")
    assert 100 < len(told.stdout.split()) < 250


def test_what_the_paragraph_names_works(decide: Decide, record: str) -> None:
    """Its commands, typed by an agent in its order, do what it says, and need no other one."""
    text = decide("agents").stdout

    for words in commands(text, record):
        done = decide(*words, GIT_DECIDE_AGENT="tester")
        assert done.exit_code == 0, (words, done.stderr)

    assert decide("actor", "whoami", GIT_DECIDE_AGENT="tester").stdout == (
        "tester  agent  tester@actor.invalid\n"
    )
    assert "R3" in explanations()


def test_the_label_in_the_paragraph_is_one(decide: Decide, log: None) -> None:
    """What it says about a person's choice is what `bind` takes from an agent."""
    text = decide("agents").stdout
    record = decide("ask", "Which?", "--option", "WHAT", "--option", "ANOTHER").id
    decide("actor", "add", "Ada")
    (label,) = re.findall(r"`(--settled [^`]+)`", text)
    options = [PLACES.get(word, word) for word in shlex.split(label)]

    done = decide(
        "bind",
        record,
        "adopt",
        "WHAT",
        "--no-code",
        "--read",
        "src/app.py",
        *options,
        GIT_DECIDE_AGENT="tester",
    )

    assert done.exit_code == 0, done.stderr
    assert "not confirmed by Ada" in decide("show", record).stdout


def test_an_agent_that_is_not_known_marks_itself(decide: Decide, record: str) -> None:
    """GIT_DECIDE_AGENT is an agent environment like any other, and the name in it speaks."""
    asked = decide("vote", record, "inform", "-m", "why", "--as", "Ada", GIT_DECIDE_AGENT="tester")

    assert asked.stderr.startswith("refused [R7]: inside tester nobody speaks as Ada, who is a human\n")
    assert "tester, an agent, by the agent environment that GIT_DECIDE_AGENT tells of" in (
        decide("doctor", GIT_DECIDE_AGENT="tester").stdout
    )
    assert decide("vote", record, "inform", "-m", "why", GIT_DECIDE_AGENT="<>").exit_code == 2
    known = decide("actor", "whoami", GIT_DECIDE_AGENT="tester", CLAUDECODE="1").stdout
    assert known.startswith("claude-code  agent")
