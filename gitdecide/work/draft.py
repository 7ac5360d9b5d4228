"""A commit message that is being made: what git will take of it, whatever cleans it up."""

from functools import cached_property
from pathlib import Path
from typing import Final

from gitdecide.git.messages import cut
from gitdecide.git.run import Git
from gitdecide.work import invocation

AUTOMATIC: Final = "#;@!$%^&|:"
"""What git chooses from with `core.commentChar = auto` (builtin/commit.c)."""

NO_COMMENT: Final = "\1"

KEEPING: Final = ("verbatim", "whitespace", "scissors")
"""The ways of `--cleanup` that leave in the message what looks like a comment."""


class Draft:
    """A message as commit-msg finds it; `text` is what git will take, `comment` what comments begin with."""

    def __init__(self, git: Git, written: str) -> None:
        self.git = git
        self.text, self.comment = self._cut(written)

    @cached_property
    def _asked(self) -> invocation.Options | None:
        return invocation.options(self.git.environ.get(invocation.PROCESS, ""))

    @property
    def _cleanup(self) -> str | None:
        return (self._asked and self._asked.cleanup) or self.git.config("commit.cleanup")

    @property
    def _edited(self) -> bool:
        """False where git says that it started no editor, or the user's is one that does nothing."""
        return self.git.environ.get("GIT_EDITOR") != ":"

    def _cut(self, written: str) -> tuple[str, str]:
        text, scissors = cut(written, None if self._usual_comment == "auto" else self._usual_comment)
        if scissors and self._cuts(written.removeprefix(text).split("\n")[1:], scissors):
            return text, scissors
        return written, self._comment(written)

    def _cuts(self, below: list[str], comment: str) -> bool:
        """Whether git ends the message at its scissors line, below which it writes comments itself."""
        verbose = self._asked.verbose if self._asked else None
        if verbose is None:
            verbose = (self.git.config("commit.verbose") or "0").lower() not in ("0", "false", "no", "off")
        if verbose or self._cleanup == "scissors":
            return verbose or self._edited or any(line.startswith(comment) for line in below[:1])
        return self._edited and self._asked is None

    @cached_property
    def readings(self) -> list[str]:
        """The message as git will read it, or both ways where its command line cannot be seen."""
        if self._cleanup in KEEPING:
            return [self.text]
        stripped = _stripped(self.text, self.comment)
        return [stripped] if self._asked else list(dict.fromkeys((stripped, self.text)))

    def _comment(self, text: str) -> str:
        # Without an editor git takes nothing for a comment; an untouched one begins with an empty line.
        if not self._edited and self._cleanup != "strip" and text.partition("\n")[0].strip():
            return NO_COMMENT
        if self._usual_comment != "auto":
            return self._usual_comment
        last = text.rstrip().rpartition("\n")[2][:1]
        return last if last and last in AUTOMATIC else "#"

    @cached_property
    def _usual_comment(self) -> str:
        set_ = [self.git.config(f"core.comment{kind}") for kind in ("Char", "String")]
        if set_ == [None, None]:
            return "#"
        # Which of the two counts, and whether this git knows both, is git's to say.
        shown = self.git.run("stripspace", "--comment-lines", stdin=b"x\n").stdout
        comment = shown.decode("utf-8", "surrogateescape").removesuffix(" x\n")
        return "auto" if comment == "#" and "auto" in set_ else comment

    @property
    def untouched(self) -> bool:
        """True when git will take the message for one that nobody wrote."""
        text, template = self.readings[0], self._template
        if not text.strip() or not template.is_file():
            return not text.strip()
        begun = template.read_bytes().decode("utf-8", "surrogateescape")
        return _stripped(text, self._usual_comment) == _stripped(begun, self._usual_comment)

    @property
    def _template(self) -> Path:
        if self._asked and self._asked.template is not None:
            return self.git.cwd / self.git.environ.get("GIT_PREFIX", "") / self._asked.template
        set_ = self.git.run("config", "--type=path", "--get", "commit.template", ok=(0, 1)).stdout
        return self.git.cwd / set_.decode("utf-8", "surrogateescape").rstrip("\n")


def _stripped(text: str, comment: str) -> str:
    """A text without comments and without blank lines at its ends, as git compares it with a template."""
    lines = [line.rstrip() for line in text.split("\n") if not line.startswith(comment)]
    return "\n".join(lines).strip("\n")
