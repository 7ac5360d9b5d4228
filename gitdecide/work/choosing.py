"""Choosing among the records: what people type about time and place, and the line of each that is chosen."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from gitdecide.errors import UsageError
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.output import STATUS_COLORS, Label, Line
from gitdecide.store.index.file import Index
from gitdecide.store.index.questions import Brief, Filter
from gitdecide.store.index.questions import governing as wordings

DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
"""How a time begins that names its day in full."""

NOW: Final = ("now", "today", "0.seconds.ago")
"""What means this moment; git also takes for it whatever it cannot read."""


class Chooser:
    """Makes filters of what was typed, in one repository and at one time."""

    def __init__(self, git: Git, repository: Repository, index: Index, now: datetime) -> None:
        self._git = git
        self._repository = repository
        self._index = index
        self._now = now

    def chosen(
        self,
        *,
        statuses: Sequence[str],
        path: str | None,
        since: str | None,
        due: str | None,
        **equal: str | None,
    ) -> Filter:
        """What the options mean. Raises UsageError for no time or day, NotFound for a path outside."""
        wanted = Filter(statuses, **{key: value and _unicode(value) for key, value in equal.items()})
        if since is not None:
            wanted = wanted._replace(since=self._instant(since))
        if due is not None:
            wanted = wanted._replace(due=self._day(due))
        return wanted if path is None else wanted._replace(**self._about(path))

    def _instant(self, typed: str) -> str:
        """The time that a date, or words such as `2 weeks ago`, mean to git, as entries write it."""
        if DAY.match(typed.strip()):
            self._day(typed.strip()[:10])  # git makes some day or other of 2026-02-30
        this = int(self._now.timestamp())
        # Git's own variable for a clock that stands still (date.c).
        told = self._git.run("rev-parse", f"--since={typed}", environ={"GIT_TEST_DATE_NOW": str(this)}).stdout
        seconds = int(told.decode().strip().rpartition("=")[2])
        if seconds == this and typed.strip().lower() not in NOW:
            raise UsageError(f"not a time: {typed}", hint="2026-10-19, yesterday or '2 weeks ago'")
        try:
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.000000Z"
        except (ValueError, OverflowError, OSError):
            raise UsageError(f"not a time: {typed}") from None

    def _day(self, typed: str) -> str:
        try:
            return f"{self._now if typed == 'today' else date.fromisoformat(typed):%Y-%m-%d}"
        except ValueError:
            raise UsageError(f"not a day: {typed}", hint="days look like 2026-10-19") from None

    def _about(self, typed: str) -> dict[str, Any]:
        from gitdecide.entries.evidence import stored_path
        from gitdecide.work.governing import governing
        from gitdecide.work.reading import at_top, below_top

        path = below_top(self._repository, typed)
        top = at_top(self._git, self._repository)
        return {"path": stored_path(path), "governs": governing(top, self._index.ask(wordings), path)}


def summary(brief: Brief) -> Line:
    """One line: name, status and question, and whether a conflict stands against what was decided."""
    status = Label(STATUS_COLORS.get(brief.status, "dim"), brief.status.ljust(10))
    called_out = [Label("bad", "  [conflict]")] if brief.data["conflicts"] else []
    return [Label("name", brief.name), "  ", status, "  ", brief.title, *called_out]


def left_out(first: str) -> str:
    """Where an answer stops."""
    return f"{first} and older left out (--limit 0 shows all)"


def _unicode(typed: str) -> str:
    """What is not UTF-8 names nothing in the log, and must not trouble SQLite."""
    return typed.encode(errors="replace").decode()
