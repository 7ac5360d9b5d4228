"""Keep one comment on a pull request up to date: the report that review.sh left. Standard library only.

The comment is found by its marker and its author, so that nobody else can have theirs taken for it. What goes
wrong here is a warning: the verdict is review.sh's, and the report stands in the job's summary as well.
  DECIDE_TOKEN   may write comments; without it nothing is posted
  DECIDE_HOST    github, gitlab or forgejo
  DECIDE_API     https://api.github.com, https://gitlab.example/api/v4, https://forgejo.example/api/v1
  DECIDE_PROJECT owner/name, or the number of a GitLab project
  DECIDE_PULL    the number of the pull request
  DECIDE_AUTHOR  whose comment it is, where the token may not ask
  DECIDE_REPORT  the file with the report (decisions.md)
  DECIDE_PAUSE   seconds before another attempt (2)
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARKER = "<!-- git-decide review "
ATTEMPTS = 3
MOST_PAGES = 100
PER_PAGE = 100
AUTHORS = {"github": "github-actions[bot]", "forgejo": "forgejo-actions"}
"""Whose the tokens are that a job is given."""


class Refused(Exception):
    """The host does not do what it was asked."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{status} {reason}")
        self.status = status


class Host:
    """The comments of one pull request."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.kind = environ.get("DECIDE_HOST") or "github"
        self.gitlab = self.kind == "gitlab"
        project = urllib.parse.quote(environ["DECIDE_PROJECT"], safe="" if self.gitlab else "/")
        pull = int(environ["DECIDE_PULL"])
        if self.gitlab:
            self.comments = self.one = f"/projects/{project}/merge_requests/{pull}/notes"
        else:
            self.comments = f"/repos/{project}/issues/{pull}/comments"
            self.one = f"/repos/{project}/issues/comments"

    def author(self) -> str:
        """Whose comments the token writes."""
        if self.environ.get("DECIDE_AUTHOR"):
            return self.environ["DECIDE_AUTHOR"]
        try:
            return self._name(self.ask("GET", "/user"))
        except Refused as refusal:
            if refusal.status in (401, 403, 404) and self.kind in AUTHORS:
                return AUTHORS[self.kind]
            raise

    def own(self) -> dict[str, Any] | None:
        """The oldest comment of ours that begins with the marker; None without one."""
        author, seen = self.author(), set[int]()
        for page in range(1, MOST_PAGES + 1):
            size = "limit" if self.kind == "forgejo" else "per_page"
            order = "&sort=asc&order_by=created_at" if self.gitlab else ""
            asked = f"{self.comments}?{size}={PER_PAGE}&page={page}{order}"
            found: list[dict[str, Any]] | None = self.ask("GET", asked)
            if not isinstance(found, list):
                raise Refused(200, "and names no comments")
            for comment in found:
                by = self._name(comment.get("author" if self.gitlab else "user") or {})
                if by == author and (comment.get("body") or "").startswith(MARKER):
                    return comment
            ids = {comment["id"] for comment in found}
            if not ids - seen:  # also for a host that has all on one page
                return None
            seen |= ids
        return None

    def put(self, body: str) -> str:
        """Write the comment where it says anything new, and say what was done."""
        mine = self.own()
        if mine and mine["body"].split("\n")[0].strip() == body.split("\n")[0]:
            return "the comment is up to date"
        if mine and self._change(mine["id"], body):
            return "updated the comment"
        self.ask("POST", self.comments, {"body": body})
        return "commented"

    def _change(self, comment: int, body: str) -> bool:
        """False when somebody has deleted the comment since it was found."""
        try:
            self.ask("PUT" if self.gitlab else "PATCH", f"{self.one}/{comment}", {"body": body})
        except Refused as refusal:
            if refusal.status not in (404, 410):
                raise
            return False
        return True

    def ask(self, method: str, path: str, data: object = None) -> Any:
        """What the host answers; asked again while it is out of order. Raises Refused."""
        pause = float(self.environ.get("DECIDE_PAUSE") or 2)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ask(method, path, data)
            except Refused as refusal:
                # A comment that was made in spite of the answer would be made twice.
                if refusal.status < 500 or attempt == ATTEMPTS or method == "POST":
                    raise
            time.sleep(pause * attempt)
        raise AssertionError

    def _ask(self, method: str, path: str, data: object) -> Any:
        url = self.environ["DECIDE_API"].rstrip("/") + path
        if not url.startswith(("https://", "http://")):
            raise Refused(0, "DECIDE_API is no address of the web")
        body = None if data is None else json.dumps(data).encode()
        accept = {"Accept": "application/json"}
        request = urllib.request.Request(url, body, accept, method=method)  # noqa: S310 - looked at above
        if body:
            request.add_header("Content-Type", "application/json")
        token = self.environ["DECIDE_TOKEN"]
        name, value = ("PRIVATE-TOKEN", token) if self.gitlab else ("Authorization", f"Bearer {token}")
        request.add_unredirected_header(name, value)  # no other host gets to see it
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - looked at above
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, error.reason) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Refused(599, str(error)) from None

    def _name(self, user: Mapping[str, Any]) -> str:
        return str(user.get("username" if self.gitlab else "login"))


def main(environ: Mapping[str, str]) -> int:
    """Post the report, or say why not; always 0."""
    report = Path(environ.get("DECIDE_REPORT") or "decisions.md")
    body = report.read_text("utf-8", "replace") if report.is_file() else ""
    try:
        said = _posted(environ, body)
    except Refused as refusal:
        said = f"warning: no comment: the host answered {refusal}"
    sys.stdout.write(f"{said}\n")
    return 0


def _posted(environ: Mapping[str, str], body: str) -> str:
    if not environ.get("DECIDE_TOKEN"):
        return "no comment: there is no token"
    if not environ.get("DECIDE_PULL", "").isdecimal():
        return "no comment: this is no pull request"
    if missing := [name for name in ("DECIDE_API", "DECIDE_PROJECT") if not environ.get(name)]:
        return f"warning: no comment: {' and '.join(missing)} must be set"
    if not body.startswith(MARKER):
        return "no comment: there is no review to post"
    return Host(environ).put(body)


if __name__ == "__main__":
    sys.exit(main(os.environ))
