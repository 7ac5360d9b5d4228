"""The server: tools and resources over standard input and output, with the official SDK."""

import json
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import anyio
from mcp import MCPError, types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from gitdecide import __version__
from gitdecide.errors import CLOSED_PIPE, DONE, DecideError
from gitdecide.mcp.calls import Calls, Outcome
from gitdecide.mcp.tools import Tool

SCHEME: Final = "decide://"
INSTRUCTIONS: Final = """\
The decisions of this repository, with their evidence. \
A dr is DR-7, its full name DR-007-3f2a91c0, or . for that of the branch. \
Before you change code: why and brief. \
To decide: ask, read, vote with what you read, check the premise, then bind. \
Say only what you did read; an error has a hint that says what would help."""

Context = Any
"""What the SDK tells of a request."""


class Service:
    """Answers a client's requests with runs of the program."""

    def __init__(self, calls: Calls, tools: Mapping[str, Tool]) -> None:
        self._calls = calls
        self._tools = tools

    async def list_tools(self, _: Context, __: Any) -> types.ListToolsResult:
        """Every tool that is offered."""
        return types.ListToolsResult(tools=[_described(tool) for tool in self._tools.values()])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a verb. Raises MCPError for a tool that is not offered."""
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!a}")
        try:
            words = tool.words(params.arguments or {})
        except DecideError as error:
            return result(Outcome.of(error))
        return result(await self._calls.run(_client(context), words))

    async def list_resources(self, context: Context, _: Any) -> types.ListResourcesResult:
        """The newest records."""
        listed = await self._facts(context, "list", "--json")
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"{SCHEME}{record['name']}",
                    name=record["name"],
                    description=record["question"],
                    mime_type="text/plain",
                )
                for record in json.loads(listed)["records"]
            ]
        )

    async def list_templates(self, _: Context, __: Any) -> types.ListResourceTemplatesResult:
        """Where any record is found."""
        template = types.ResourceTemplate(
            uri_template=f"{SCHEME}{{dr}}", name="decision record", mime_type="text/plain"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """A record as `show` prints it. Raises MCPError for none."""
        uri = str(params.uri)
        if not uri.startswith(SCHEME):
            raise MCPError(types.INVALID_PARAMS, f"no resource: {uri!a}; they begin with {SCHEME}")
        text = await self._facts(context, "show", "--", uri.removeprefix(SCHEME))
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _facts(self, context: Context, *words: str) -> str:
        """What a verb prints. Raises MCPError when it fails."""
        outcome = await self._calls.run(_client(context), words)
        if failure := outcome.failure:
            raise MCPError(types.INVALID_PARAMS, failure["message"], failure)
        return outcome.facts


def server(calls: Calls, tools: Mapping[str, Tool]) -> "Server[Any]":
    """What serves these tools, over whatever transport."""
    service = Service(calls, tools)
    return Server(
        "git-decide",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )


def serve(calls: Calls, tools: Mapping[str, Tool]) -> int:
    """Serve until the client closes standard input, and return the exit code."""
    code = DONE
    try:
        anyio.run(_serve, server(calls, tools), calls)
    except* BrokenPipeError:
        code = CLOSED_PIPE
    return code


async def _serve(serving: "Server[Any]", calls: Calls) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(_heed_signals, calls)
        async with stdio_server() as (incoming, outgoing):
            await serving.run(incoming, outgoing, serving.create_initialization_options())
        group.cancel_scope.cancel()


async def _heed_signals(calls: Calls) -> None:
    """Leave nothing running behind."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for signum in signals:
            await calls.end()
            os._exit(128 + signum)  # a thread waits for standard input, and nothing else would wake it


def _client(context: Context) -> str | None:
    params = context.session.client_params
    return params.client_info.name if params else None


def _described(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=True) if tool.reads else None
    return types.Tool(name=tool.verb, description=tool.summary, input_schema=tool.schema, annotations=hints)


def result(outcome: Outcome) -> types.CallToolResult:
    """A run's outcome for a client: text for the model, and the same as data where there is any."""
    if failure := outcome.failure:
        return _answer(failure, is_error=True)
    data = None
    with suppress(ValueError):
        data = json.loads(outcome.facts)
    if not isinstance(data, dict):
        text = "\n".join([outcome.facts, *outcome.notes])
        return types.CallToolResult(content=[types.TextContent(text=text)])
    more = {"notes": outcome.notes, "exit": outcome.exit}
    return _answer({**data, **{key: value for key, value in more.items() if value}})


def _answer(data: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    text = json.dumps(data, ensure_ascii=False).encode(errors="replace").decode()  # half characters are none
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=json.loads(text), is_error=is_error
    )
