"""The only writer to standard output and standard error: facts on one, everything else on the other."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, Final, cast

from gitdecide.errors import DecideError

if TYPE_CHECKING:
    import subprocess

JSON_VERSION: Final = 1
NOT_RUN: Final = (126, 127)
"""How a shell says that it could not run a command (POSIX, "Exit Status for Commands")."""

PATIENCE: Final = 1.0
"""Seconds before a progress bar is worth its place."""

BAR_WIDTH: Final = 40

COLORS: Final = {"bold": "1", "dim": "2", "good": "32", "bad": "31", "notice": "33", "name": "36"}
"""What a label looks like, as the parameters of ECMA-48 SGR."""

STATUS_COLORS: Final = {
    "decided": "good",
    "open": "notice",
    "damaged": "bad",
    "blocked": "bad",
    "contested": "bad",
}
"""The colours of a record's status; the others are dim."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


class CannotWrite(DecideError):
    """Standard output takes no more: a full disk, or a pager that does not run."""


class Label(str):
    """A piece of a line that has a colour on a terminal."""

    __slots__ = ("color",)
    color: str

    def __new__(cls, color: str, text: str) -> "Label":
        """Text, with one of the names in COLORS."""
        label = super().__new__(cls, text)
        label.color = color
        return label


Line = str | Iterable[str]
"""A line: one text, or pieces of which some may be labels."""


def visible(text: str) -> str:
    """Text that is safe on a terminal: control, direction and half characters are spelled out."""
    return _UNSAFE.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if match[0] in "\n\r":
        return "\\n" if match[0] == "\n" else "\\r"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Bar:
    """How far a long task is, on a terminal."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._next = monotonic() + PATIENCE if self._stream.isatty() else float("inf")
        self._shown = False

    def show(self, share: float) -> None:
        """Say which share is done; only now and then, and not in the first second."""
        now = monotonic()
        if now >= self._next:
            done = "#" * int(BAR_WIDTH * share)
            self._write(f"\r[{done:.<{BAR_WIDTH}}] {share:4.0%}")
            self._next, self._shown = now + 0.1, True

    def clear(self) -> None:
        """Leave the line as it was."""
        if self._shown:
            self._write(f"\r{'':{BAR_WIDTH + 8}}\r")

    def _write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


class Output:
    """Prints for one command; `hints` is asked at the first hint whether there are to be any.

    What cannot be written to standard output raises CannotWrite, and BrokenPipeError when nobody reads on;
    what standard error does not take is lost, for there is nowhere to say so.
    """

    def __init__(
        self,
        stdout: IO[str],
        stderr: IO[str],
        *,
        color: bool | None = None,
        hints: Callable[[], bool] = lambda: True,
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self._color = color
        self._hints = hints
        self._pager: subprocess.Popen[str] | None = None

    def fact(self, line: Line = "") -> None:
        """A line of the answer, on standard output."""
        self._answer(_drawn(line, colored=self._colored(self.stdout)))

    def facts(self, lines: Iterable[Line]) -> None:
        """Lines of the answer."""
        for line in lines:
            self.fact(line)

    def raw(self, data: bytes) -> None:
        """An answer that is bytes, as they are: for a file or a pipe, not for a terminal."""
        try:
            self.stdout.flush()
            self.stdout.buffer.write(data)  # type: ignore[attr-defined]
        except OSError as error:
            raise self._failed(error) from error

    def json(self, value: Mapping[str, Any]) -> None:
        """The answer for programs: one object, with the version of its shape."""
        import json

        text = json.dumps({"version": JSON_VERSION, **value}, ensure_ascii=True, indent=2)
        self._answer(text.replace("\x7f", "\\u007f"))  # the one control character that JSON leaves raw

    def note(self, line: Line) -> None:
        """Something that the user may want to know, on standard error."""
        if self._pager is None:
            with suppress(OSError):
                self.stdout.flush()  # what was said before it is read before it
        with suppress(OSError):
            self.stderr.write(_drawn(line, colored=self._colored(self.stderr)) + "\n")

    def warning(self, message: str) -> None:
        """Something that stands against what was asked, and does not stop it."""
        self.note([Label("notice", "warning: "), message])

    def error(self, message: str) -> None:
        """Why the command failed."""
        self.note([Label("bad", "error: "), message])

    def refusal(self, code: str, message: str) -> None:
        """A rule's refusal."""
        self.note([Label("bad", f"refused [{code}]: "), message])

    def hint(self, text: str) -> None:
        """What would help; advice.decide=false silences it."""
        if self._hints():
            for line in text.splitlines():
                self.note([Label("notice", "hint: "), line])

    def bar(self) -> Bar:
        """A progress bar on standard error, for what takes longer than a second."""
        return Bar(self.stderr)

    def page(self, command: str, environ: Mapping[str, str]) -> None:
        """From here on show facts through this pager, when they go to a terminal."""
        if command in ("", "cat") or self._pager or not self.stdout.isatty():
            return
        import subprocess

        how = {"LESS": "FRX", "LV": "-c", **environ}  # as git sets them
        self.stdout.flush()
        self._pager = subprocess.Popen(  # noqa: S602 - the pager is the user's own, and git runs it so
            command,
            shell=True,
            stdin=subprocess.PIPE,
            env=how,
            encoding=getattr(self.stdout, "encoding", None),
            errors="backslashreplace",
        )
        self.stdout = cast("IO[str]", self._pager.stdin)

    def close(self) -> None:
        """Send what was written, and wait for the pager. Raises CannotWrite when it cannot be sent."""
        with suppress(OSError):
            self.stderr.flush()
        if self.stdout.closed:
            return
        try:
            self.stdout.flush()
        except OSError as error:
            raise self._failed(error) from error
        if self._pager:
            self._dismiss(self._pager)

    def abandon(self) -> None:
        """Send what can still be sent, and wait for the pager; the rest is nobody's any more."""
        with suppress(OSError, DecideError):
            self.close()
        with suppress(DecideError):
            if self._pager:
                self._dismiss(self._pager)

    def _dismiss(self, pager: "subprocess.Popen[str]") -> None:
        """Wait until the user has left the pager; Ctrl-C is the pager's to heed. Raises CannotWrite."""
        with suppress(OSError):
            self.stdout.close()
        while pager.returncode is None:
            with suppress(KeyboardInterrupt):
                pager.wait()
        if pager.returncode in NOT_RUN:
            raise CannotWrite(f"cannot run the pager: {pager.args!s}")

    def _answer(self, text: str) -> None:
        try:
            self.stdout.write(text + "\n")
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> Exception:
        """What it means that standard output took no more."""
        if not isinstance(error, BrokenPipeError):
            return CannotWrite(f"cannot write to standard output: {error.strerror}")
        if self._pager:
            self._dismiss(self._pager)
        return error

    def _colored(self, stream: IO[str]) -> bool:
        if self._color is not None:
            return self._color
        return stream.isatty() or (self._pager is not None and stream is self.stdout)


def standard(**options: Any) -> Output:
    """The output of this process; a stream that it was started without leads nowhere, as in git."""
    for stream in (sys.stdout, sys.stderr):
        # What a closed pipe did not take is sent once more by this, since Python 3.14.
        with suppress(AttributeError, OSError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return Output(sys.stdout or _nowhere(), sys.stderr or _nowhere(), **options)


def _nowhere() -> IO[str]:
    return Path(os.devnull).open("w", encoding="utf-8")


def _drawn(line: Line, *, colored: bool) -> str:
    pieces = [line] if isinstance(line, str) else line
    return "".join(_painted(piece) if colored else visible(piece) for piece in pieces)


def _painted(piece: str) -> str:
    text = visible(piece)
    return f"\x1b[{COLORS[piece.color]}m{text}\x1b[m" if isinstance(piece, Label) and text else text
