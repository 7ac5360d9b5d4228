"""The comment that is kept up to date, against a server of our own that answers as a host does."""

import contextlib
import io
import json
import runpy
import threading
import urllib.parse
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "hooks" / "ci" / "comment.py"))
BODY = "<!-- git-decide review sha256:{} -->\n## Passes: 1 commit\n"


class Server(ThreadingHTTPServer):
    """A host with one pull request; comments are (id, author, body)."""

    def __init__(self, kind: str) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.kind = kind
        self.comments: list[list[Any]] = []
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()
        self.failures: dict[str, list[int]] = {}
        """Answers to give first, by the method."""
        self.page = 100
        self.user: str | None = "bot"

    @property
    def bodies(self) -> list[tuple[str, str]]:
        return [(author, body) for _, author, body in self.comments]


class Answers(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        if self._fails():
            return
        if place.path == "/user":
            self._say(200 if self.server.user else 403, self._user(self.server.user or ""))
            return
        query = urllib.parse.parse_qs(place.query)
        if self.server.kind == "forgejo":  # which has all on one page, whatever is asked for
            chosen = self.server.comments
        else:
            start = (int(query["page"][0]) - 1) * self.server.page
            chosen = self.server.comments[start : start + self.server.page]
        self._say(200, [self._comment(each) for each in chosen])

    def do_POST(self) -> None:
        if not self._fails():
            self.server.comments.append([len(self.server.comments) + 1, "bot", self._read()])
            self._say(201, {})

    def do_PATCH(self) -> None:
        if not self._fails():
            number = int(self.path.rpartition("/")[2])
            self.server.comments[number - 1][2] = self._read()
            self._say(200, {})

    do_PUT = do_PATCH  # noqa: N815

    def _fails(self) -> bool:
        """Note what is asked, and answer with a failure where one is due."""
        self.server.asked.append(f"{self.command} {self.path.partition('?')[0]}")
        self.server.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN"))
        due = self.server.failures.get(self.command)
        if due:
            self._read()
            self._say(due.pop(0), {"message": "no"})
            return True
        return False

    def _say(self, status: int, data: Any) -> None:
        text = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _read(self) -> str:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return str(json.loads(data)["body"]) if data else ""

    def _user(self, name: str) -> dict[str, str]:
        return {"username" if self.server.kind == "gitlab" else "login": name}

    def _comment(self, comment: list[Any]) -> dict[str, Any]:
        number, author, body = comment
        by = "author" if self.server.kind == "gitlab" else "user"
        return {"id": number, "body": body, by: self._user(author)}


@pytest.fixture(params=["github", "gitlab", "forgejo"])
def host(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Each host, with what others wrote before: one of them pretends to be us."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server(request.param) as server:
        server.comments = [[1, "ada", "Nice"], [2, "mallory", BODY.format("0" * 64)]]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def post(host: Server, tmp_path: Path, digest: str = "1" * 64, **environ: str) -> str:
    """Run the script as a job does; what it says."""
    report = tmp_path / "report.md"
    report.write_text(BODY.format(digest))
    surroundings = {
        "DECIDE_TOKEN": "secret",
        "DECIDE_HOST": host.kind,
        "DECIDE_API": f"http://127.0.0.1:{host.server_port}",
        "DECIDE_PROJECT": "ada/engine",
        "DECIDE_PULL": "7",
        "DECIDE_REPORT": str(report),
        "DECIDE_PAUSE": "0.01",
        **environ,
    }
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert SCRIPT["main"](surroundings) == 0
    assert "secret" not in said.getvalue()
    return said.getvalue().strip()


def test_one_comment_is_kept_up_to_date(host: Server, tmp_path: Path) -> None:
    """It is made once, left alone while nothing is new, and changed otherwise; what others wrote stays."""
    others = host.bodies

    assert post(host, tmp_path) == "commented"
    assert post(host, tmp_path) == "the comment is up to date"
    assert post(host, tmp_path, "2" * 64) == "updated the comment"

    assert host.bodies == [*others, ("bot", BODY.format("2" * 64))]
    place = {"gitlab": "/projects/ada%2Fengine/merge_requests/7/notes"}.get(
        host.kind, "/repos/ada/engine/issues/7/comments"
    )
    assert f"POST {place}" in host.asked


def test_it_is_found_on_a_later_page(host: Server, tmp_path: Path) -> None:
    """However much was said before it."""
    host.page = 2
    host.comments += [[number, "ada", "Hm"] for number in range(3, 8)]
    host.comments.append([8, "bot", BODY.format("3" * 64)])

    assert post(host, tmp_path, "3" * 64) == "the comment is up to date"


def test_a_token_that_may_only_read(host: Server, tmp_path: Path) -> None:
    """As a fork's: a warning, and the verdict stands."""
    host.failures = {"POST": [403]}

    assert post(host, tmp_path).startswith("warning: no comment: the host answered 403")


def test_a_host_that_is_out_of_order_for_a_while(host: Server, tmp_path: Path) -> None:
    """It is asked again, but never for a second comment."""
    host.failures = {"GET": [502, 503]}
    assert post(host, tmp_path) == "commented"

    host.failures = {"GET": [500, 500, 500]}
    assert "the host answered 500" in post(host, tmp_path, "2" * 64)


def test_a_comment_that_is_deleted_meanwhile(host: Server, tmp_path: Path) -> None:
    """It is made again."""
    assert post(host, tmp_path) == "commented"
    host.failures = {"PATCH": [404], "PUT": [404]}

    assert post(host, tmp_path, "2" * 64) == "commented"


def test_what_makes_no_sense_is_a_warning(host: Server, tmp_path: Path) -> None:
    """The verdict is not this script's, whatever a host or a setting says."""
    assert post(host, tmp_path, DECIDE_PULL="7; true") == "no comment: this is no pull request"
    assert "DECIDE_PROJECT must be set" in post(host, tmp_path, DECIDE_PROJECT="")
    host.failures = {"GET": [200, 200]}
    host.user = None

    assert post(host, tmp_path, DECIDE_AUTHOR="bot").startswith("warning: no comment: the host answered 200")


def test_a_comment_is_not_made_twice(host: Server, tmp_path: Path) -> None:
    """Where the answer is lost nobody knows whether it was made."""
    host.failures = {"POST": [502]}

    assert "the host answered 502" in post(host, tmp_path)
    assert sum(asked.startswith("POST") for asked in host.asked) == 1


def test_without_a_token_nothing_is_asked(host: Server, tmp_path: Path) -> None:
    """Nor without a pull request, or a review."""
    assert post(host, tmp_path, DECIDE_TOKEN="") == "no comment: there is no token"
    assert post(host, tmp_path, DECIDE_PULL="") == "no comment: this is no pull request"
    missing = str(tmp_path / "nothing.md")
    assert post(host, tmp_path, DECIDE_REPORT=missing) == "no comment: there is no review to post"
    assert host.asked == []


def test_a_token_that_may_not_ask_who_it_is(host: Server, tmp_path: Path) -> None:
    """The one that a job is given: its name is known, or told."""
    host.user = None
    host.comments.append([3, "told", BODY.format("1" * 64)])

    assert post(host, tmp_path, DECIDE_AUTHOR="told") == "the comment is up to date"
    if host.kind == "github":
        host.comments.append([4, "github-actions[bot]", BODY.format("1" * 64)])
        assert post(host, tmp_path) == "the comment is up to date"


def test_a_host_that_is_not_there(tmp_path: Path, host: Server) -> None:
    """Is a warning, too."""
    said = post(host, tmp_path, DECIDE_API="http://127.0.0.1:9")

    assert said.startswith("warning: no comment: the host answered 599")
    assert post(host, tmp_path, DECIDE_API="file:///etc").endswith("DECIDE_API is no address of the web")
