"""The user's own git, run in one folder."""

import os
import re
import signal
import subprocess
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.errors import DecideError

PARSED: Final = {"LC_ALL": "C"}
"""What a git whose words we read gets on top of the environment."""

FOLLOWING: Final = (
    "(null)", "Could not read from remote repository", "Please make sure you have the correct access rights",
    "and the repository exists.",
)  # fmt: skip
"""What git says only after it has said what the matter is: "Unable to add (null) to database"."""

NUMBER: Final = re.compile(r"\s*[+-]?(?:0x([0-9a-f]+)|([0-9]+))[kmg]?")


class Completed(NamedTuple):
    """How a command ended and what it said."""

    code: int
    stdout: bytes
    stderr: bytes


class GitError(DecideError):
    """What git refused: its own last words, with its advice as the hint."""

    def __init__(self, args: Sequence[str], code: int, stderr: bytes) -> None:
        lines = stderr.decode("utf-8", "replace").splitlines()
        super().__init__(_reason(lines) or f"git {_verb(args)} {_ending(code)}", hint=_advice(lines))
        self.code = code
        self.stderr = stderr


class Git:
    """Runs git in one folder and one environment; reads its configuration once."""

    def __init__(self, cwd: Path, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = environ

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        environ: Mapping[str, str | bytes] | None = None,
        ok: Container[int] = (0,),
        timeout: float | None = None,
    ) -> Completed:
        """Run one command to its end; `timeout` in seconds. Raises GitError when its code is not in `ok`."""
        with self.start(*args, environ=environ) as process:
            try:
                stdout, stderr = process.communicate(stdin, timeout)
            except subprocess.TimeoutExpired:
                end(process)
                raise DecideError(f"git {_verb(args)} did not end within {timeout:g} seconds") from None
            except BaseException:
                process.kill()
                raise
        if process.returncode not in ok:
            raise GitError(args, process.returncode, stderr)
        return Completed(process.returncode, stdout, stderr)

    def text(self, *args: str) -> str:
        """Standard output as text, without its last line end."""
        return self.run(*args).stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def start(self, *args: str, environ: Mapping[str, str | bytes] | None = None) -> subprocess.Popen[bytes]:
        """A running git with three pipes, for long conversations; the caller closes it."""
        pipe = subprocess.PIPE
        surroundings: dict[str, str | bytes] = {**self.environ, **PARSED, **(environ or {})}
        try:
            return subprocess.Popen(
                ["git", *args], cwd=self.cwd, env=surroundings, stdin=pipe, stdout=pipe, stderr=pipe
            )
        except OSError as error:
            raise self._unstartable(error) from error

    def _unstartable(self, error: OSError) -> DecideError:
        if error.filename == "git" and isinstance(error, FileNotFoundError):
            return DecideError("git is not installed, or not on the PATH")
        place = f"{error.filename}: " if error.filename else ""
        return DecideError(f"cannot run git: {place}{error.strerror}")

    def foreign_environ(self) -> dict[str, str]:
        """The environment for commands of others: nothing in it ties them to this repository."""
        local = set(self.text("rev-parse", "--local-env-vars").splitlines())
        return {name: value for name, value in self.environ.items() if name not in local}

    def config(self, key: str) -> str | None:
        """The value that counts for a key; "true" for a key without one, None for a key not set."""
        values = self.config_all(key)
        return values[-1] if values else None

    def config_all(self, key: str) -> list[str]:
        """Every value of a key, the one that counts last."""
        return list(self._settings.get(_canonical(key), ()))

    def config_bool(self, key: str, default: bool) -> bool:
        """A value read as git reads truth. Raises DecideError for one that git would refuse."""
        value = self.config(key)
        if value is None:
            return default
        truth = _truth(value.lower())
        if truth is None:
            raise DecideError(f"bad boolean config value '{value}' for '{_canonical(key)}'")
        return truth

    def config_names(self, section: str) -> list[str]:
        """What has settings of its own in a section, in their order: the remotes, the branches."""
        parts = (key.split(".", 1) for key in self._settings if key.startswith(f"{section}."))
        return list(dict.fromkeys(rest.rpartition(".")[0] for _, rest in parts if "." in rest))

    @cached_property
    def _settings(self) -> dict[str, list[str]]:
        settings: dict[str, list[str]] = {}
        for item in self.text("config", "--list", "-z").split("\0")[:-1]:
            key, given, value = item.partition("\n")
            settings.setdefault(key, []).append(value if given else "true")
        return settings


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and, where the system tells them, what it started: a signer outlives its git."""
    for child in _children(process.pid):
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
    process.kill()


def _children(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (*_children(child), child)]


def _canonical(key: str) -> str:
    section, _, rest = key.partition(".")
    subsection, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{subsection}{dot}{name.lower()}"


def _truth(value: str) -> bool | None:
    if value in {"true", "yes", "on"}:
        return True
    if value in {"false", "no", "off", ""}:
        return False
    number = NUMBER.fullmatch(value)
    return bool((number[1] or number[2]).strip("0")) if number else None


def _verb(args: Sequence[str]) -> str:
    words = list(args)
    while words[:1] == ["-c"]:
        del words[:2]
    return words[0] if words else ""


def _ending(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"


def _reason(lines: list[str]) -> str | None:
    spoken = [line for line in lines if line.strip()]
    said = [line for line in spoken if not any(words in line for words in FOLLOWING)] or spoken
    said = [line for line in said if not line.startswith(("hint:", "warning:"))] or said
    judged = [line for line in said if line.startswith(("fatal: ", "error: "))]
    last = (judged or said)[-1:]
    if not last:
        return None
    reason = last[0].removeprefix("fatal: ").removeprefix("error: ").strip()
    return f"{reason} {_listed(lines[lines.index(last[0]) + 1 :])}".strip() if reason[-1:] == ":" else reason


def _listed(lines: list[str]) -> str:
    """What stands in lines of its own below one that ends in a colon."""
    return ", ".join(line.strip() for line in takewhile(lambda line: line[:1] == "\t", lines))


def _advice(lines: list[str]) -> str | None:
    """What git calls a hint, or else the commands that it tells people to run."""
    hints = [line.removeprefix("hint:").strip() for line in lines if line.startswith("hint:")]
    commands = [line.strip() for line in lines if line[:1].isspace() and line.lstrip().startswith("git ")]
    return "\n".join(filter(None, hints or commands)) or None
