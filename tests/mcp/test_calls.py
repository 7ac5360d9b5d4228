"""One run of the program for one call: who speaks, and what becomes of what it says."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from gitdecide.mcp.calls import Calls, Fault, Outcome, speaking, understood
from tests.conftest import Decide, GitRunner
from tests.mcp.conftest import TOOLS

Call = Callable[..., Outcome]

SAID = {"stance": "inform", "reason": "why"}


@pytest.fixture
def call(repo: Path, record: str) -> Call:
    """Vote on `record` for a client, with what is given instead of the usual words."""

    def run(client: str | None = "tester", given: dict[str, object] | None = None, **environ: str) -> Outcome:
        calls = Calls(repo, {**os.environ, **environ})
        return anyio.run(calls.run, client, TOOLS["vote"].words({"dr": record, **SAID, **(given or {})}))

    return run


@pytest.mark.parametrize(
    ("client", "environ", "actor"),
    [
        ("tester", {"GIT_DECIDE_ACTOR": "named", "CLAUDECODE": "1"}, "named"),
        ("tester", {"CLAUDECODE": "1"}, "claude-code"),
        ("tester", {}, "tester"),
    ],
)
def test_the_nearest_name_speaks(
    call: Call, decide: Decide, client: str, environ: dict[str, str], actor: str
) -> None:
    """GIT_DECIDE_ACTOR is stronger than the known agent, that than the client's name; all are agents."""
    assert call(client, **environ).exit == 0

    assert decide("actor", "list").stdout == f"Ada  human  ada@example.com\n{actor}  agent\n"


@pytest.mark.parametrize(
    ("client", "actor"),
    [
        ("Visual Studio", "Visual Studio"),
        (None, "mcp-client"),
        ("bad\nname", "mcp-client"),
        ("", "mcp-client"),
    ],
)
def test_a_client_without_a_usable_name_still_has_one(client: str | None, actor: str) -> None:
    """What no actor can be called is replaced, and nothing else."""
    assert speaking(client) == actor


@pytest.mark.parametrize(
    ("client", "environ"),
    [
        ("Ada", {}),
        ("tester", {"GIT_DECIDE_ACTOR": "Ada"}),
        ("Ada", {"GIT_DECIDE_ACTOR": "Ada", "CLAUDECODE": "1"}),
    ],
)
def test_nobody_speaks_as_a_human(call: Call, client: str, environ: dict[str, str]) -> None:
    """R7 holds as inside an agent, also for a server that a person started, and for a client of that name."""
    outcome = call(client, **environ)

    assert (outcome.exit, [fault.code for fault in outcome.faults]) == (1, ["R7"])


def test_the_first_to_speak_under_the_users_name_is_no_agent(repo: Path, log: None, decide: Decide) -> None:
    """A client of the git identity's name is refused, and does not register it as an agent."""
    ask = ["ask", "Why?"]

    outcome = anyio.run(Calls(repo, os.environ).run, "Ada", ask)

    assert [fault.code for fault in outcome.faults] == ["R7"]
    assert decide("actor", "list").stdout == ""


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"confidence": 2}, "usage"),
        ({"stance": "\x1b[31msupport"}, "usage"),
        ({"dr": "--help"}, "usage"),
        ({"dr": "--output=x"}, "usage"),
        ({"reason": "half \ud800"}, "usage"),
        ({"reason": "x" * 100_000, "not_checked": ["y" * 100_000] * 2}, "usage"),
        ({"reason": "x" * 3_000_000}, "usage"),
        ({"reason": "ghp_" + "a1B2" * 9}, "refused"),
        ({"read": ["../outside"]}, "cannot"),
    ],
)
def test_what_the_program_takes_from_nobody(
    call: Call, repo: Path, git: GitRunner, given: dict[str, object], code: str
) -> None:
    """Bad values, options in disguise, too much and secrets are one short error each, and write nothing."""
    before = git(repo, "for-each-ref")

    outcome = call(given=given)

    (fault,) = outcome.faults
    assert (fault.code, outcome.facts) == (code, "")
    assert 0 < len(fault.message) < 1000
    assert "\x1b" not in fault.message
    assert git(repo, "for-each-ref") == before


def test_text_that_looks_like_options_is_text(call: Call, decide: Decide) -> None:
    """Whatever a text begins with, it is what was said; escapes in it are shown, not sent."""
    assert call(given={"reason": "--as Ada\nerror: \x1b[31m"}).exit == 0

    assert "--as Ada" in decide("show").stdout
    assert "\x1b" not in decide("show").stdout


def test_any_locale_will_do(call: Call, decide: Decide) -> None:
    """What is said is UTF-8 on both ways, wherever the server was started."""
    outcome = call(given={"reason": "café ☕"}, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")

    assert outcome.exit == 0
    assert "café ☕" in decide("show").stdout
    refused = call(given={"stance": "é"}, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert "'é'" in refused.faults[0].message


def test_a_module_of_the_repository_is_not_run(call: Call, repo: Path) -> None:
    """A repository that holds a package of our name does not get to run it."""
    (repo / "gitdecide").mkdir()
    (repo / "gitdecide" / "__main__.py").write_text("open('ran', 'w')\n")

    assert call().exit == 0

    assert not (repo / "ran").exists()


def test_what_a_run_says_is_understood() -> None:
    """Faults take the hints that follow; other lines are notes, and so are all of a run that went well."""
    said = "refused [R2]: no\nhint: read\nhint: vote\nwarning: odd\nrefused [R3]: nor this\n"

    failed = understood(1, "", said)

    assert failed.faults == (Fault("R2", "no", "read\nvote"), Fault("R3", "nor this"))
    assert failed.notes == ("warning: odd",)
    assert understood(0, "x", "error: said by a command\nhint: h").faults == ()
    assert understood(2, "", "error: off").faults == (Fault("usage", "off"),)
    assert understood(70, "", "Traceback\nerror: this is a bug").faults == (Fault("bug", "this is a bug"),)
    assert understood(4, "a record", "warning: damaged").failure is None
    assert understood(-9, "", "").failure == {
        "code": "cannot", "message": "the run was ended by signal 9", "hint": None, "exit": -9,
    }  # fmt: skip


def test_a_program_that_is_gone_is_an_error(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, or a Python, that is no longer there does not end the server."""
    monkeypatch.setattr(sys, "executable", str(repo / "gone"))

    outcome = anyio.run(Calls(repo, os.environ).run, None, ["list"])

    assert (outcome.exit, outcome.faults[0].code) == (3, "cannot")
