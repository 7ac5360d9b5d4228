"""`git decide mcp` as a process, with the official client."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError

from gitdecide.mcp.tools import VERBS
from tests.conftest import Decide, GitRunner
from tests.mcp.conftest import Meet, Serve, connected, refused, told


def test_a_decision_from_its_question_to_what_replaced_it(serve: Serve, repo: Path, decide: Decide) -> None:
    """Everything that a decision takes can be said with tools, and is in the log as an agent's."""

    async def talk(session: Client) -> None:
        record = (await told(session, "ask", question="Keep x?", option=["keep", "drop"]))["name"]
        await told(session, "vote", dr=record, stance="support", reason="it is one", read=["src/app.py:1"])
        ran = await told(
            session, "check", dr=record, premise="x is 1", command=["grep", "-q", "x = 1", "src/app.py"]
        )
        assert ran["notes"] == ["holds (exit 0)"]
        bound = await told(session, "bind", dr=record, outcome="adopt", decision="keep it", check=["last"])
        assert bound["notes"] == [f"the last check is {ran['id']}"]
        assert f"{record}  Keep x?" in await told(session, "show", dr=record)
        new = await told(
            session, "supersede", dr=record, outcome="reject", decision="drop it", reason="nobody reads it",
            read=["src/app.py"],
        )  # fmt: skip
        (listed,) = (await told(session, "list"))["records"]
        assert listed["live"] == [new["id"]]
        assert (await told(session, "search", word=["nobody"]))["records"][0]["name"] == record
        assert (await told(session, "why", path="src/app.py"))["reasons"] == []
        assert "settled decision" in await told(session, "brief")

    serve(talk)
    entries = json.loads(decide("show", "--json").stdout)["entries"]
    assert {entry["actor"] for entry in entries} == {"tester"}
    assert decide("actor", "list").stdout == "tester  agent\n"


def test_what_the_rules_refuse_comes_with_its_hints(
    meet: Meet, record: str, repo: Path, git: GitRunner
) -> None:
    """A refusal has the rule's code, its sentence and its hint; others follow, and nothing is written."""
    before = git(repo, "for-each-ref")

    async def talk(session: Client) -> None:
        error = await refused(session, "bind", dr=record, outcome="adopt", decision="add it")
        (other,) = error.pop("others")
        assert (error.pop("code"), error.pop("exit"), other["code"]) == ("R2", 1, "R3")
        assert error["message"].startswith("nothing that was read carries this decision")
        assert error["hint"].startswith(f"git decide vote {record}")
        assert "git decide check" in other["hint"]
        missing = await refused(session, "show", dr="DR-99")
        assert missing == {
            "code": "cannot", "message": "no decision record DR-99",
            "hint": "git decide list shows them all", "exit": 3,
        }  # fmt: skip

    meet(talk)
    assert git(repo, "for-each-ref") == before


def test_a_proposer_decides_nothing(serve: Serve, record: str) -> None:
    """What binds, supersedes or confirms is neither listed nor run, and R7 holds in a person's shell."""

    async def talk(session: Client) -> None:
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert set(VERBS) - names == {"bind", "supersede"}
        for tool in ("bind", "supersede", "confirm"):
            with pytest.raises(MCPError, match=tool):
                await session.call_tool(tool, {"dr": record, "outcome": "reject", "decision": "no"})
        error = await refused(session, "vote", dr=record, stance="inform", reason="I am a person")
        assert (error["code"], error["exit"]) == ("R7", 1)

    serve(talk, "--role", "proposer", "--as", "Ada")


def test_a_record_is_a_resource(meet: Meet, record: str, decide: Decide) -> None:
    """The newest records are listed, any can be read by its name, as `show` prints it, and always anew."""

    async def talk(session: Client) -> None:
        (template,) = (await session.list_resource_templates()).resource_templates
        (listed,) = (await session.list_resources()).resources
        assert (template.uri_template, listed.uri) == ("decide://{dr}", f"decide://{record}")
        assert listed.description == "Add load_dataset to the engine?"
        for _ in range(2):
            (content,) = (await session.read_resource(listed.uri)).contents
            assert content.model_dump()["text"] == decide("show", record).stdout
            decide("vote", record, "inform", "-m", "meanwhile")
        for uri in ("decide://DR-99", "decide://--help", "decide://\0", "file:///etc/passwd"):
            with pytest.raises(MCPError, match=r"^(?!Internal)"):
                await session.read_resource(uri)

    meet(talk)


def test_two_servers_write_one_log(repo: Path, record: str, decide: Decide) -> None:
    """Servers of one repository, and requests sent at once to one server, lose nothing of each other."""

    async def votes(client: str) -> None:
        async with connected(repo, client=client) as session, anyio.create_task_group() as group:
            for number in range(2):
                given = {"dr": record, "stance": "inform", "reason": f"{client} {number}"}
                group.start_soon(session.call_tool, "vote", given)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(votes, "one")
            group.start_soon(votes, "two")

    anyio.run(main)
    entries = json.loads(decide("show", "--json").stdout)["entries"]
    reasons = {entry["reason"] for entry in entries if entry["type"] == "vote"}
    assert reasons == {f"{client} {number}" for client in ("one", "two") for number in range(2)}


def test_a_cancelled_check_ends_its_command(serve: Serve, record: str, repo: Path, decide: Decide) -> None:
    """Others are answered while a command runs; when its request is cancelled, nothing of it is left."""
    pids = repo / "pids"

    async def talk(session: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(
                session.call_tool, "check", {"dr": record, "shell": f"sleep 600 & echo $! $$ > {pids}; wait"}
            )
            while not (pids.exists() and pids.read_text().strip()):
                await anyio.sleep(0.02)
            with anyio.fail_after(60):
                assert (await session.list_tools()).tools
            group.cancel_scope.cancel()
        with anyio.fail_after(60):
            await told(session, "list")

    serve(talk)
    assert all(gone(int(pid)) for pid in pids.read_text().split())
    assert len(json.loads(decide("show", "--json").stdout)["entries"]) == 1


@pytest.mark.parametrize("how", ["closed", "signalled"])
def test_a_server_that_ends_leaves_nothing_running(record: str, repo: Path, how: str) -> None:
    """Whether its client or the system ends the server, the command of a check ends as well."""
    pids = repo / "pids"
    server = start(repo)
    call(server, "check", {"dr": record, "shell": f"echo $$ > {pids}; sleep 600"})
    while not (pids.exists() and pids.read_text().strip()):
        assert server.poll() is None
        time.sleep(0.02)
    if how == "signalled":
        server.terminate()
        server.wait(60)

    _, said = server.communicate(timeout=60)

    assert (server.returncode, said) == (0 if how == "closed" else 128 + signal.SIGTERM, b"")
    assert gone(int(pids.read_text()))


def test_a_client_that_reads_no_more_is_no_bug(repo: Path, log: None) -> None:
    """An answer that nobody takes ends the server as a closed pipe ends every command."""
    server = start(repo)
    assert server.stdout
    server.stdout.close()
    call(server, "list", {})

    _, said = server.communicate(timeout=60)

    assert (server.returncode, said) == (141, b"")


def test_a_repository_that_is_gone_is_an_error_like_any_other(meet: Meet, repo: Path) -> None:
    """The server outlives its repository, and says what is missing until it is there again."""

    async def talk(session: Client) -> None:
        (repo / ".git").rename(repo / "gone")
        error = await refused(session, "list")
        assert (error["code"], error["exit"]) == ("cannot", 3)
        assert "not a git repository" in error["message"]
        repo.rename(repo.with_name("elsewhere"))
        assert (await refused(session, "list"))["exit"] == 3
        repo.with_name("elsewhere").rename(repo)
        (repo / "gone").rename(repo / ".git")
        assert await told(session, "list") == {"version": 1, "records": []}

    meet(talk)


def start(repo: Path) -> "subprocess.Popen[bytes]":
    """A server that was greeted, and has heard nonsense since."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-P", "-m", "gitdecide", "mcp"]
    server = subprocess.Popen(command, cwd=repo, stdin=pipe, stdout=pipe, stderr=pipe)
    info = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    send(server, {"id": 1, "method": "initialize", "params": info})
    assert server.stdout
    assert re.match(rb'\{"jsonrpc":"2.0","id":1,"result":', server.stdout.readline())
    send(server, {"method": "notifications/initialized"})
    assert server.stdin
    server.stdin.write(b"no message\n\xff\n[]\n")
    return server


def call(server: "subprocess.Popen[bytes]", tool: str, given: dict[str, object]) -> None:
    send(server, {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": given}})


def send(server: "subprocess.Popen[bytes]", message: dict[str, object]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()


def gone(pid: int) -> bool:
    """Whether a process ends, which takes one that was killed a moment."""
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in (b"Z", b"X"):
            return True
        time.sleep(0.02)
    return False
