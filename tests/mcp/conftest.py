import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import anyio
import click
import pytest
from mcp import Client, StdioServerParameters, stdio_client, types
from mcp.types import Implementation, TextContent

from gitdecide.cli import root
from gitdecide.mcp.calls import Calls
from gitdecide.mcp.server import server
from gitdecide.mcp.tools import tools

Talk = Callable[[Client], Awaitable[None]]
Meet = Callable[[Talk], None]


def verb(name: str) -> click.Command:
    """The command of a verb."""
    found = root.get_command(click.Context(root), name)
    assert found
    return found


TOOLS = tools(verb, deciding=True)


class Serve(Protocol):
    """Run a conversation with a server of its own in `repo`: serve(talk, "--role", "proposer")."""

    def __call__(self, talk: Talk, *options: str, client: str = "tester", **environ: str) -> None: ...


@pytest.fixture
def serve(repo: Path, log: None) -> Serve:
    """The program as a server, and the official client at the other end of its pipes."""

    def run(talk: Talk, *options: str, client: str = "tester", **environ: str) -> None:
        hold(connected(repo, *options, client=client, **environ), talk)

    return run


@pytest.fixture
def meet(repo: Path, log: None) -> Meet:
    """A conversation with the server in this process, which starts sooner."""
    here = server(Calls(repo, os.environ), TOOLS)
    return lambda talk: hold(Client(here), talk)


def hold(connecting: AbstractAsyncContextManager[Client], talk: Talk) -> None:
    """Hold a conversation; what fails in it is raised without the groups of the client around it."""
    failed: list[Exception] = []

    async def main() -> None:
        async with connecting as session:
            try:
                await talk(session)
            except Exception as error:  # noqa: BLE001 - raised below
                failed.append(error)

    anyio.run(main)
    if failed:
        raise failed[0]


@asynccontextmanager
async def connected(
    repo: Path, *options: str, client: str = "tester", **environ: str
) -> AsyncIterator[Client]:
    """A client of a new server process in a repository."""
    process = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "gitdecide", "mcp", *options],
        cwd=repo,
        env={**os.environ, **environ},
    )
    info = Implementation(name=client, version="1")
    async with Client(stdio_client(process), client_info=info) as session:
        yield session


async def told(session: Client, tool: str, **given: Any) -> Any:
    """What a tool answers, which must not be an error: its data, else its text."""
    result = await session.call_tool(tool, given)
    assert not result.is_error, result.structured_content
    return result.structured_content or text(result)


async def refused(session: Client, tool: str, **given: Any) -> dict[str, Any]:
    """The error that a tool answers with."""
    result = await session.call_tool(tool, given)
    assert result.is_error, result
    return dict(result.structured_content)


def text(result: types.CallToolResult) -> str:
    """The one text that a result holds for the model."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
