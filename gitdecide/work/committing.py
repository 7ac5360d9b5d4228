"""What the hooks of a commit do: judge what is staged, and name its decision in the message."""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.errors import Damaged
from gitdecide.gate import Change, Finding
from gitdecide.git import changes
from gitdecide.git.messages import Linked, cut, linked, rewording
from gitdecide.git.run import Git
from gitdecide.work import links
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

AUTOMATIC: Final = "#;@!$%^&|:"
"""What git chooses from with `core.commentChar = auto` (builtin/commit.c)."""

NO_COMMENT: Final = "\1"


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
        unusual = ("commit.template", "core.commentChar", "core.commentString")
        if self.joining or any(self.git.config(key) is not None for key in unusual):
            return
        text = f"{self._full_name(self.link)}\n" if self.link and (self.code or self.rewords) else ""
        (self.git_dir / (NOTE + process)).write_text(text, encoding="ascii")

    def message(self, file: Path) -> list[Finding]:
        """The findings against a commit with this message; where there are none it gets its trailer."""
        written = file.read_bytes().decode("utf-8", "surrogateescape")
        text, comment = self._without_comments(written)
        if rewording(text):
            return []
        said, link = linked(text), None if self.joining else self.link
        names = [*said.names, *([link] if link else [])]
        findings = list(dict.fromkeys(self.judge.judge(Change(self.code, names, said.waiver))))
        governed = self.code or (said == Linked() and self.rewords)
        if not findings and link and governed and not self._untouched(text):
            name = self._full_name(link)
            if name not in map(self._full_name, said.names):
                self._add_trailer(file, name, comment)
        return findings

    def _full_name(self, typed: str) -> str:
        """The full name of a record; one that cannot be read keeps the name that was typed."""
        record = None
        if not RecordName.parse(typed):
            with suppress(Damaged):
                record = self.judge.record(typed)
        return str(record.name) if isinstance(record, DecisionRecord) else typed

    def _without_comments(self, written: str) -> tuple[str, str]:
        """The message as far as it is the message's, and what comments begin with."""
        text, scissors = cut(written)
        comment = scissors or self._comment(text)
        return _stripped(text, comment), comment

    def _comment(self, text: str) -> str:
        # Without an editor git takes nothing for a comment; an untouched one begins with an empty line.
        if self.git.environ.get("GIT_EDITOR") == ":" and text.partition("\n")[0].strip():
            return NO_COMMENT
        if self._usual_comment != "auto":
            return self._usual_comment
        last = text.rstrip().rpartition("\n")[2][:1]
        return last if last and last in AUTOMATIC else "#"

    @cached_property
    def _usual_comment(self) -> str:
        return self.git.config("core.commentString") or self.git.config("core.commentChar") or "#"

    def _untouched(self, text: str) -> bool:
        """True when git will take the message for one that nobody wrote."""
        asked = self.git.run("config", "--type=path", "--get", "commit.template", ok=(0, 1)).stdout
        template = self.git.cwd / asked.decode("utf-8", "surrogateescape").rstrip("\n")
        if not text.strip() or not template.is_file():
            return not text.strip()
        begun = template.read_bytes().decode("utf-8", "surrogateescape")
        return _stripped(text, self._usual_comment) == _stripped(begun, self._usual_comment)

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


def _stripped(text: str, comment: str) -> str:
    """A text without comments and without blank lines at its ends, as git compares it with a template."""
    lines = [line.rstrip() for line in text.split("\n") if not line.startswith(comment)]
    return "\n".join(lines).strip("\n")
