"""Run a premise check's command: without a terminal, within a time limit, leaving nothing behind."""

import hashlib
import math
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple, Self

from gitdecide.entries import secrets
from gitdecide.work import processes

TAIL: Final = 8 * 1024  # bytes
_WINDOW: Final = 2 * TAIL  # wider, so that a secret across the tail's beginning is still recognised
_LINE_REACH: Final = 1024  # how far into a cut text a line end is looked for
_CHUNK: Final = 64 * 1024
_PIPE: Final = 1024 * 1024  # bytes; no pipe holds more
_LONGEST_NAME: Final = 200  # characters of a program's name in a note
_LONGEST_WAIT: Final = 3600.0  # seconds; select takes no infinity


class Outcome(NamedTuple):
    """How a command ended, and what it wrote."""

    exit_code: int | None
    """None: it did not end by itself, or never started; the note says why."""
    note: str | None
    duration_ms: int
    output: str
    """The masked tail, at most 8 KiB of UTF-8; it begins with a line where a line end is near."""
    output_sha256: str
    output_bytes: int


def run(
    command: Sequence[str] | str, *, cwd: Path, environ: Mapping[str, str], timeout: float | None
) -> Outcome:
    """Run a command to its end or its time limit in seconds, and end what is left of it then.

    A list is argv and meets no shell; text goes through ``sh -c``. Whatever the command does is an outcome,
    never an error. Ctrl-C, SIGTERM and SIGHUP to us go on as before once the command is ended.
    """
    started = time.monotonic()
    capture = _Capture()
    with _Interruptions() as interruptions:
        exit_code, note = _outcome(command, cwd, environ, timeout, capture, interruptions)
    duration = round((time.monotonic() - started) * 1000)
    return Outcome(exit_code, note, duration, capture.text(), capture.digest.hexdigest(), capture.length)


def _outcome(
    command: Sequence[str] | str,
    cwd: Path,
    environ: Mapping[str, str],
    timeout: float | None,
    capture: "_Capture",
    interruptions: "_Interruptions",
) -> tuple[int | None, str | None]:
    """The exit code of a command, or a note why it has none."""
    try:
        process, output = _start(command, cwd, environ)
    except (OSError, ValueError) as error:
        return None, f"could not run: {_why(error, cwd, environ)}"
    if _ended_by_itself(process, output, timeout, capture, interruptions.fd):
        code: int = process.returncode
        return (code, None) if code >= 0 else (None, f"killed by {_signal_name(-code)}")
    if interruptions.received:
        return None, f"interrupted by {_signal_name(interruptions.received[0])}"
    return None, f"timed out after {timeout:g} s"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:  # a real-time signal
        return f"signal {number}"


def _start(
    command: Sequence[str] | str, cwd: Path, environ: Mapping[str, str]
) -> tuple["subprocess.Popen[bytes]", int]:
    """The running command and the reading end of its output; raises OSError or ValueError."""
    # Popen meets an empty list with an IndexError, and `sh -c ''` would succeed at nothing.
    if not (command.strip() if isinstance(command, str) else any(command[:1])):
        raise ValueError("no command given")
    argv = ["/bin/sh", "-c", "--", command] if isinstance(command, str) else list(command)
    output, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
    except BaseException:
        os.close(output)
        raise
    finally:
        os.close(theirs)
    os.set_blocking(output, False)
    return process, output


def _why(error: OSError | ValueError, cwd: Path, environ: Mapping[str, str]) -> str:
    """Why a command did not start, with the name last."""
    if not isinstance(error, OSError):
        return str(error)
    reason = error.strerror or str(error)
    name = os.fsdecode(error.filename or "")
    if isinstance(error, FileNotFoundError) and _is_file(name, cwd, environ):
        reason = "no interpreter found for"
    shown = os.fsencode(name[:_LONGEST_NAME]).decode("utf-8", "backslashreplace")
    return f"{reason[:1].lower()}{reason[1:]}: {shown}".removesuffix(": ")


def _is_file(program: str, cwd: Path, environ: Mapping[str, str]) -> bool:
    if "/" in program:
        return (cwd / program).is_file()
    import shutil

    return shutil.which(program, path=environ.get("PATH", os.defpath)) is not None


def _ended_by_itself(
    process: "subprocess.Popen[bytes]",
    output: int,
    timeout: float | None,
    capture: "_Capture",
    interrupted: int,
) -> bool:
    """Follow a running command, end what is left of it and close `output`; False: it had to be ended."""
    ended, announce = os.pipe()
    waiter = threading.Thread(target=_announce_end, args=(process, announce), daemon=True)
    by_itself = False
    try:
        waiter.start()
        by_itself = _watch(output, ended, interrupted, timeout, capture)
        if by_itself:
            capture.drain(output)
    finally:
        processes.end(process.pid)
        if waiter.is_alive():
            waiter.join(processes.GRACE)
        if not by_itself:
            capture.drain(output)
        os.close(ended)
        os.close(output)
    return by_itself


def _announce_end(process: "subprocess.Popen[bytes]", announce: int) -> None:
    """Close `announce` when the process has ended; a thread, since no portable descriptor tells that."""
    # A signal must wake the main thread, which sleeps in select.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    process.wait()
    os.close(announce)


def _watch(output: int, ended: int, interrupted: int, timeout: float | None, capture: "_Capture") -> bool:
    """Capture output until the command ended (True), or its time is over or we are interrupted (False)."""
    deadline = time.monotonic() + (math.inf if timeout is None else timeout)
    with selectors.DefaultSelector() as selector:
        for fd in (output, ended, interrupted):
            selector.register(fd, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            ready = {key.fd for key, _ in selector.select(min(max(left, 0), _LONGEST_WAIT))}
            if ended in ready:
                return True
            if interrupted in ready or left <= 0:
                return False
            if output in ready and not capture.read(output):
                selector.unregister(output)


class _Interruptions:
    """Keeps Ctrl-C, SIGTERM and SIGHUP back while open, making `fd` readable; then the first goes on."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self._previous: dict[int, Callable[[int, FrameType | None], Any] | int] = {}

    def __enter__(self) -> Self:
        self.fd, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        # Python allows handlers in the main thread only, and calls them there.
        if threading.current_thread() is threading.main_thread():
            for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self._keep_back(signum)
        return self

    def _keep_back(self, signum: int) -> None:
        previous = signal.getsignal(signum)
        # Under nohup, and in the background of a shell script, signals are ignored on purpose.
        if previous is not None and previous != signal.SIG_IGN:
            self._previous[signum] = previous
            signal.signal(signum, self._note)

    def _note(self, signum: int, _frame: FrameType | None) -> None:
        self.received.append(signum)
        with suppress(BlockingIOError):
            os.write(self._wake, b"!")

    def __exit__(self, *_: object) -> None:
        for signum, previous in self._previous.items():
            signal.signal(signum, previous)
        os.close(self.fd)
        os.close(self._wake)
        if self.received:
            signal.raise_signal(self.received[0])


class _Capture:
    """What a command writes: a digest and the length of all of it, and its end."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.length = 0
        self._last = bytearray()

    def read(self, fd: int) -> int:
        """Take what can be read now; the number of bytes, 0 at the end."""
        data = os.read(fd, _CHUNK)
        self.digest.update(data)
        self.length += len(data)
        self._last += data
        del self._last[: -_WINDOW - 1]  # the byte too many says that something was cut off
        return len(data)

    def drain(self, fd: int) -> None:
        """Take what a pipe that does not block holds, and no more, though others may go on writing."""
        with suppress(BlockingIOError):
            for _ in range(_PIPE // _CHUNK):
                if not self.read(fd):
                    return

    def text(self) -> str:
        r"""The masked tail; a byte that is not UTF-8 is written as ``\xNN``."""
        text = _tail(bytes(self._last), _WINDOW).decode("utf-8", "backslashreplace")
        return _tail(secrets.mask(text).encode(), TAIL).decode()


def _tail(data: bytes, size: int) -> bytes:
    """The last `size` bytes; when cut, from after a near line end, else from a character's beginning."""
    if len(data) <= size:
        return data
    tail = data[-size:]
    line_end = tail.find(b"\n", 0, _LINE_REACH)
    if line_end >= 0:
        return tail[line_end + 1 :]
    return tail[next((at for at in range(4) if tail[at] & 0xC0 != 0x80), 0) :]
