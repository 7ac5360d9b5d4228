"""What the hooks of a commit do: judge what is staged, and name its decision in the message."""

import os
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.errors import Damaged
from gitdecide.gate import Change, Finding
from gitdecide.git import changes
from gitdecide.git.messages import Linked, linked, rewording
from gitdecide.git.run import Git
from gitdecide.work import invocation, links
from gitdecide.work.draft import Draft
from gitdecide.work.judging import Judge

NOTE: Final = "decide-pass."
"""Begins the name of a note that pre-commit leaves for commit-msg; the process id of git follows."""

OWN_TRAILERS: Final = {
    "GIT_DIR": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "0",
    "GIT_CONFIG_PARAMETERS": "",
}
"""Nobody's trailer configuration is in force when the trailer is added."""

LINE: Final = "a line in the message: Decision: DR-007-3f2a91c0"
"""What helps where a link of the branch does not count."""


class Commit:
    """A commit that is being made; `git_dir` is that of its worktree."""

    def __init__(self, git: Git, git_dir: Path, judge: Judge) -> None:
        self.git = git
        self.git_dir = git_dir
        self.judge = judge
        self.link = links.current(git)

    @property
    def joining(self) -> bool:
        """True for a merge or a squash: its message is about the commits that it joins."""
        return any((self.git_dir / name).exists() for name in ("MERGE_HEAD", "SQUASH_MSG"))

    @cached_property
    def code(self) -> list[str]:
        """The code that the commit changes: a merge what differs from all that it merges."""
        merging = self.git_dir / "MERGE_HEAD"
        return self.judge.staged_code(merging.read_text().split() if merging.exists() else ())

    @cached_property
    def rewords(self) -> bool:
        """True when nothing is staged and HEAD names the branch's decision: amended, it must go on to."""
        objects = self.judge.objects
        head = objects.resolve("HEAD^{commit}")
        if self.code or not self.link or not head:
            return False
        named = map(self._full_name, linked(objects.commit(head).message).names)
        return self._full_name(self.link) in named and not changes.staged(self.judge.git, [":(top)"], head)

    def staged(self) -> list[Finding]:
        """The findings against what is staged under the branch's link."""
        return self.judge.judge(Change(self.code, [self.link] if self.link else []))

    def leave_note(self, process: str) -> None:
        """Tell commit-msg what was judged, unless the message will need a closer look."""
        for old in self.git_dir.glob(f"{NOTE}*"):
            if old.name == NOTE + process or not _alive(old.name.removeprefix(NOTE)):
                old.unlink(missing_ok=True)
        unusual = ("commit.template", "commit.cleanup", "core.commentChar", "core.commentString")
        asked = invocation.options(process)
        special = asked is not None and (asked.cleanup is not None or asked.template is not None)
        if self.joining or special or any(self.git.config(key) is not None for key in unusual):
            return
        text = f"{self._full_name(self.link)}\n" if self.link and (self.code or self.rewords) else ""
        (self.git_dir / (NOTE + process)).write_text(text, encoding="ascii")

    def message(self, file: Path) -> list[Finding]:
        """The findings against a commit with this message; where there are none it gets its trailer."""
        written = file.read_bytes().decode("utf-8", "surrogateescape")
        draft = Draft(self.git, written)
        if all(map(rewording, draft.readings)):
            return []
        said, link = list(dict.fromkeys(map(linked, draft.readings))), None if self.joining else self.link
        findings = self._findings(said, link)
        governed = self.code or (said[0] == Linked() and self.rewords)
        if not findings and link and governed and not draft.untouched:
            name = self._full_name(link)
            if any(name not in map(self._full_name, each.names) for each in said):
                self._add_trailer(file, name, draft.comment)
        return findings

    def _findings(self, said: list[Linked], link: str | None) -> list[Finding]:
        """What stands against any of the ways in which the message may be read."""
        also = [link] if link else []
        found = (self.judge.judge(Change(self.code, [*each.names, *also], each.waiver)) for each in said)
        findings = list(dict.fromkeys(chain.from_iterable(found)))
        if self.joining:
            findings = [each._replace(hint=LINE) if each.code == "G8" else each for each in findings]
        return findings

    def _full_name(self, typed: str) -> str:
        """The full name of a record; one that cannot be read keeps the name that was typed."""
        record = None
        if not RecordName.parse(typed):
            with suppress(Damaged):
                record = self.judge.record(typed)
        return str(record.name) if isinstance(record, DecisionRecord) else typed

    def _add_trailer(self, file: Path, record: str, comment: str) -> None:
        form = ("--in-place", "--no-divider", "--where", "end", "--if-exists", "addIfDifferent")
        trailer = ("--if-missing", "add", "--trailer", f"Decision: {record}")
        setting = ("-c", f"core.commentChar={comment}")
        path = str((self.git.cwd / file).absolute())
        self.git.run(*setting, "interpret-trailers", *form, *trailer, path, environ=OWN_TRAILERS)


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
