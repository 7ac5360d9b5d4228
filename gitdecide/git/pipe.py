"""A conversation with one running git: many questions, answered in order."""

import os
import select
from subprocess import TimeoutExpired
from typing import Final, NoReturn

from gitdecide.git.run import Git, GitError

CHUNK: Final = 65536
TAIL: Final = 8192
PATIENCE: Final = 5.0
"""Seconds that a process may take to end once its standard input is closed."""


class Pipe:
    """Writes and reads as the process lets it, so that neither side ever waits for the other."""

    def __init__(self, git: Git, *args: str, environ: dict[str, str | bytes] | None = None) -> None:
        self._args = args
        self._process = git.start(*args, environ=environ)
        self._streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr = (stream.fileno() for stream in self._streams if stream)
        self._poll = select.poll()
        for end in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(end, False)
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._unsent = bytearray()
        self._unread = bytearray()
        self._said = b""

    def send(self, data: bytes) -> None:
        """Put a question; it is written while answers are read."""
        if not self._unsent:
            self._poll.register(self._stdin, select.POLLOUT)
        self._unsent += data

    def line(self) -> bytes:
        """The next line of the answer, without its end. Raises GitError when the process is gone."""
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            self._move()
        return self.exactly(end + 1)[:-1]

    def exactly(self, size: int) -> bytes:
        """The next `size` bytes of the answer. Raises GitError when the process is gone."""
        while len(self._unread) < size:
            self._move()
        data = bytes(memoryview(self._unread)[:size])
        del self._unread[:size]
        return data

    def _move(self) -> None:
        for end, _ in self._poll.poll():
            if end == self._stdin:
                self._write()
            elif end == self._stderr:
                self._listen()
            elif not self._read():
                self._died()

    def _write(self) -> None:
        try:
            del self._unsent[: os.write(self._stdin, self._unsent[:CHUNK])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()
        if not self._unsent:
            self._poll.unregister(self._stdin)

    def _read(self) -> bool:
        data = os.read(self._stdout, CHUNK)
        self._unread += data
        return bool(data)

    def _listen(self) -> None:
        data = os.read(self._stderr, CHUNK)
        if not data:
            self._poll.unregister(self._stderr)
        self._said = (self._said + data)[-TAIL:]

    def _died(self) -> NoReturn:
        # It may close one pipe before it speaks into the other.
        hearing = select.poll()
        hearing.register(self._stderr, select.POLLIN)
        while hearing.poll(PATIENCE * 1000) and (data := os.read(self._stderr, CHUNK)):
            self._said = (self._said + data)[-TAIL:]
        raise GitError(self._args, self.close(), self._said)

    def close(self) -> int:
        """Let the process end, or end it; its exit code."""
        process = self._process
        for stream in self._streams:
            if stream:
                stream.close()
        try:
            return process.wait(PATIENCE)
        except TimeoutExpired:
            process.kill()
            return process.wait()
