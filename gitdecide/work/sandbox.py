"""Bubblewrap around a command: what it may write is named, and it has no network and no other processes."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gitdecide.errors import DecideError

PROGRAM: Final = "bwrap"

_PATIENCE: Final = 10.0
"""Seconds for a sandbox to start."""

_ALONE: Final = (
    "--ro-bind", "/", "/",
    "--dev", "/dev",
    "--proc", "/proc",
    "--tmpfs", "/tmp",  # noqa: S108 - the sandbox's own
    "--tmpfs", "/run",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
)  # fmt: skip
"""Sockets of services in /run and /tmp are out of sight: a read-only one could still be spoken to."""


def around(
    environ: Mapping[str, str], *, writable: Sequence[Path], readable: Sequence[Path], cwd: Path
) -> list[str]:
    """The words before a command that keep it in. Raises DecideError where that is not possible.

    `readable` are folders that it needs, as it does its home, also in /tmp, of which it has one of its own.
    """
    program = shutil.which(PROGRAM, path=environ.get("PATH"))
    if program is None:
        raise DecideError(f"--sandbox needs bubblewrap, and there is no {PROGRAM} on the PATH")
    words = [program, *_ALONE]
    home = [Path(environ["HOME"])] if environ.get("HOME") else []
    for option, folders in (("--ro-bind-try", [*home, *readable]), ("--bind", writable)):
        for folder in folders:
            words += [option, str(folder), str(folder)]
    words += ["--chdir", str(cwd), "--"]
    _try(words, environ)
    return words


def _try(words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Raise DecideError unless a sandbox starts: a failure later would count as the command's own."""
    try:
        done = subprocess.run(
            [*words, "true"],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DecideError(f"cannot start a sandbox: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise DecideError(f"cannot start a sandbox: {said or f'exit code {done.returncode}'}")
