"""`git decide mcp` before it serves."""

import sys
from pathlib import Path

import pytest

from tests.conftest import Decide, run_program


def test_without_the_extra_it_says_what_to_install(decide: Decide, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK is an extra: where it is missing, one line says how to get it, and help still works."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "gitdecide.mcp.server", raising=False)
    monkeypatch.delattr("gitdecide.mcp.server", raising=False)

    done = decide("mcp")

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == (
        "error: the Model Context Protocol needs the package mcp\nhint: pip install 'gitdecide[mcp]'\n"
    )
    assert decide("mcp", "-h").exit_code == 0


def test_a_name_that_no_actor_can_have_is_refused_at_once(decide: Decide) -> None:
    """What every call would stumble over is said before the first."""
    done = decide("mcp", "--as", "a\nb")

    assert done.exit_code == 2
    assert done.stderr.startswith("error: the actor's name 'a\\nb' ")


@pytest.mark.parametrize("words", [("-h",), ("mcp", "-h"), ("list",)])
def test_nothing_else_loads_the_sdk(repo: Path, log: None, words: tuple[str, ...]) -> None:
    """The SDK takes longer to load than any command to run."""
    done = run_program(*words, cwd=repo, PYTHONPROFILEIMPORTTIME="1")

    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.exit_code == 0
    assert "gitdecide.app" in loaded
    assert not {"mcp", "anyio", "pydantic"} & loaded
