"""Calls of the program: each tool call is a run of its own, so that it can be ended and keeps nothing."""

import asyncio
import re
import sys
import unicodedata
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from errno import E2BIG
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio

from gitdecide import errors
from gitdecide.entries.names import actor_problem
from gitdecide.work.identity import AGENT

PATIENCE: Final = 15.0
"""Seconds for a run that is to end: it ends what it started first."""

PROGRAM: Final = ("-P", "-X", "utf8", "-m", "gitdecide")
"""In UTF-8 whatever the locale, and never a package of our name that lies in the folder."""

UNNAMED: Final = "mcp-client"
"""Who speaks for a client whose name no actor can have."""

CODES: Final = {
    errors.REFUSED: "refused",
    errors.USAGE: "usage",
    errors.CANNOT: "cannot",
    errors.DAMAGED: "damaged",
}
"""The code of an error that is no rule's, by its exit code; any other is a bug."""

_FAULT: Final = re.compile(r"error: (?P<message>.*)|refused \[(?P<code>\w+)\]: (?P<refusal>.*)")
_HINT: Final = "hint: "


class Fault(NamedTuple):
    """Why a run failed, in a form for programs."""

    code: str
    message: str
    hint: str | None = None

    def hinted(self, hint: str) -> "Fault":
        """The same with one more line of a hint."""
        return self._replace(hint=f"{self.hint}\n{hint}" if self.hint else hint)


class Outcome(NamedTuple):
    """How a run ended, and what it said; `notes` are what it said beside its facts and faults."""

    exit: int
    facts: str
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()

    @classmethod
    def of(cls, error: errors.DecideError) -> "Outcome":
        """What becomes of a call that no run is started for."""
        return cls(error.exit, "", (), (Fault(CODES[error.exit], error.message, error.hint),))

    @property
    def failure(self) -> dict[str, Any] | None:
        """The first fault and the exit code, with the other faults; None when there is none."""
        if not self.faults:
            return None
        first, *others = [fault._asdict() for fault in self.faults]
        return {**first, "exit": self.exit, **({"others": others} if others else {})}


class Calls:
    """Runs the program in one folder, in an agent's environment, one run after the other."""

    def __init__(self, cwd: Path, environ: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._environ = environ
        self._turn = asyncio.Lock()
        self._running: Process | None = None

    async def run(self, client: str | None, words: Sequence[str]) -> Outcome:
        """Run one command line for a client. What goes wrong is an outcome; a cancelled run is ended."""
        async with self._turn:
            try:
                process = await self._start(client, [word.encode() for word in words])
            except OSError as error:
                if error.errno == E2BIG:
                    hint = "what is longer belongs into a file: name it as read"
                    return Outcome.of(
                        errors.UsageError("a text is longer than a command line holds", hint=hint)
                    )
                return Outcome.of(errors.DecideError(f"cannot run git-decide: {error.strerror}"))
            except ValueError:
                return Outcome.of(errors.UsageError("it holds a zero byte, or half a character"))
            self._running = process
            try:
                stdout, stderr = await process.communicate()
            finally:
                with anyio.CancelScope(shield=True):
                    await self.end()
            said = [stream.decode(errors="replace") for stream in (stdout, stderr)]
            return understood(process.returncode or 0, *said)

    async def _start(self, client: str | None, words: Sequence[bytes]) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *PROGRAM,
            *words,
            cwd=self._cwd,
            env={**self._environ, AGENT: speaking(client)},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )

    async def end(self) -> None:
        """End what runs, and what that started."""
        process = self._running
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()


def speaking(client: str | None) -> str:
    """The actor that stands for a client, unless the environment tells of another."""
    name = unicodedata.normalize("NFC", client or UNNAMED)
    return UNNAMED if actor_problem(name) else name


def understood(code: int, facts: str, said: str) -> Outcome:
    """An outcome by what a run printed: faults and hints begin with words of their own."""
    notes: list[str] = []
    faults: list[Fault] = []
    for line in said.splitlines():
        if code != errors.DONE and (found := _FAULT.fullmatch(line)):
            plain = CODES.get(code, "bug")
            faults.append(Fault(found["code"] or plain, found["message"] or found["refusal"] or ""))
        elif faults and line.startswith(_HINT):
            faults[-1] = faults[-1].hinted(line.removeprefix(_HINT))
        else:
            notes.append(line)
    if code < 0:
        faults.append(Fault("cannot", f"the run was ended by signal {-code}"))
    return Outcome(code, facts, tuple(notes), tuple(faults))
