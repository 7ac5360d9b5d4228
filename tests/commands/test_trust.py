"""`trust`: how far an actor is trusted on this machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner


def test_trust_is_kept_in_this_repository_alone(
    decide: Decide, record: str, repo: Path, git: GitRunner, sealed: Path
) -> None:
    """It goes into .git/config, into no log and no configuration of the user's."""
    before, home = git(repo, "for-each-ref"), (sealed / ".gitconfig").read_text()

    said = decide("trust", "dave", "3")

    assert (said.exit_code, said.stdout) == (0, "")
    assert "dave has tier 3 in this repository, on this machine: may propose" in said.stderr
    assert "the log does not know dave yet" in said.stderr
    assert decide("trust").stdout == "dave  3  may propose\n"
    assert git(repo, "for-each-ref") == before
    assert (sealed / ".gitconfig").read_text() == home
    assert "dave" in (repo / ".git" / "config").read_text()


@pytest.mark.parametrize(
    "name", ["a.b.c", "Größe", 'q "uo" te', "back\\slash", "x=y", "trust", "..", "[core]"]
)
def test_a_name_may_be_anything(decide: Decide, log: None, name: str) -> None:
    """Names with dots, quotes and brackets are kept apart, and change no other setting."""
    assert decide("trust", name, "2").exit_code == 0
    assert decide("trust", "other", "3").exit_code == 0

    given = json.loads(decide("trust", "--json").stdout)["trust"]

    assert [row["tier"] for row in given] == [2, 3]
    assert decide("trust", name, "1").exit_code == 0
    assert decide("trust").stdout == "other  3  may propose\n"


def test_the_lowest_tier_is_everybodys(decide: Decide, log: None, repo: Path, git: GitRunner) -> None:
    """Giving it leaves no setting behind, and taking it twice is no fault."""
    before = (repo / ".git" / "config").read_text()

    for tier in ("3", "1", "1"):
        assert decide("trust", "dave", tier).exit_code == 0

    assert "dave" not in git(repo, "config", "--list")
    assert before in (repo / ".git" / "config").read_text()
    assert decide("trust").stdout == ""


@pytest.mark.parametrize("agent", ["CLAUDECODE", "GEMINI_CLI"])
def test_an_agent_trusts_nobody(decide: Decide, refuses: Refuses, log: None, agent: str) -> None:
    """R7: under any name; looking is free."""
    inside: dict[str, Any] = {agent: "1"}

    refused = refuses(1, "trust", "dave", "3", **inside)

    assert refused.startswith("refused [R7]: inside ")
    assert decide("trust", **inside).exit_code == 0
    assert decide("trust").stdout == ""


@pytest.mark.parametrize("where", ["global", "environment", "nonsense"])
def test_nothing_else_gives_trust(decide: Decide, log: None, repo: Path, git: GitRunner, where: str) -> None:
    """Not the user's own file, not a variable that an agent sets, and no value that is no tier."""
    environ: dict[str, Any] = {}
    if where == "global":
        git(repo, "config", "--global", "decide.dave.trust", "3")
    elif where == "nonsense":
        git(repo, "config", "decide.dave.trust", "33")
    else:
        environ = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "decide.dave.trust",
            "GIT_CONFIG_VALUE_0": "3",
        }
    decide("ask", "Change it?")

    refused = decide("propose", "DR-1", "--as", "dave", "--", "touch", "new", **environ)

    assert refused.stderr.startswith("refused [R9]: dave has trust tier 1")


@pytest.mark.parametrize("words", [("dave",), ("dave", "0"), ("dave", "4"), ("dave", "x"), ("a\nb", "3")])
def test_what_is_no_actor_or_tier_is_refused(refuses: Refuses, log: None, words: tuple[str, ...]) -> None:
    """Nothing is written."""
    refuses(2, "trust", *words)


def test_a_check_of_the_trusted_needs_a_signature_all_the_same(
    decide: Decide, record: str, repo: Path
) -> None:
    """A name in the log is a claim: without --trust, tier 2 alone runs nothing."""
    decide("trust", "dave", "2")
    decide("check", record, "--as", "dave", "--report", "0", "--", "touch", str(repo / "ran"))

    said = decide("recheck", record)

    assert said.exit_code == 1
    assert "recorded by dave (whom you trust, but not signed with the key you trust): touch" in said.stderr
    assert not (repo / "ran").exists()
