"""The processes of a command: found wherever they went, and ended."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

GRACE: Final = 0.3
"""Seconds between SIGTERM and SIGKILL."""

_PAUSE: Final = 0.02  # seconds between two looks at what is left


def end(leader: int) -> None:
    """End all that is left of a command, politely and then surely, within two graces."""
    left: set[int] = set()
    for signum in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + GRACE
        told: set[int] = set()
        while left := _groups_left(leader, left):
            for group in left if signum == signal.SIGKILL else left - told:
                _signal_group(group, signum)
            told |= left
            if time.monotonic() >= until:
                break
            time.sleep(_PAUSE)


def started_with(variable: str) -> Iterator[tuple[int, str]]:
    """Every process that was started with a variable, and its value; none where /proc does not tell.

    They are this user's, and see the same files: elsewhere, as in a chroot, a path means something else.
    """
    wanted = os.fsencode(f"{variable}=")
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            elsewhere = any(not (folder / view).samefile(f"/proc/self/{view}") for view in ("ns/mnt", "root"))
            if elsewhere or folder.stat().st_uid != os.geteuid():
                continue
            for setting in (folder / "environ").read_bytes().split(b"\0"):
                if setting.startswith(wanted):
                    yield int(folder.name), os.fsdecode(setting.removeprefix(wanted))


def _signal_group(group: int, signum: signal.Signals) -> None:
    # macOS says EPERM of a group in which only unreaped processes are left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signum)
        os.killpg(group, signal.SIGCONT)  # a stopped process heeds SIGTERM only when it goes on


class _Process(NamedTuple):
    pid: int
    parent: int
    group: int
    session: int


def _groups_left(leader: int, known: set[int]) -> set[int]:
    """The process groups of a command: of its session, `known` before, or descended from these.

    `timeout` and job control leave the leader's group, and `setsid` its session; only a daemon, which has
    left its parent too, is the command's no longer.
    """
    table = list(_processes())
    if not table:
        return {leader}
    found = {row.pid for row in table if row.session == leader or row.group in known}
    while more := {row.pid for row in table if row.parent in found} - found:
        found |= more
    return {row.group for row in table if row.pid in found}


def _processes() -> Iterator[_Process]:
    """Every process that has not ended; none where neither /proc nor ps tells."""
    return _processes_of_proc() if Path("/proc/self/stat").exists() else _processes_of_ps()


def _processes_of_proc() -> Iterator[_Process]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                # The program's name, in parentheses, may itself hold spaces and parentheses.
                fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
                if fields[0] not in (b"Z", b"X"):
                    yield _Process(int(folder.name), *map(int, fields[1:4]))


def _processes_of_ps() -> Iterator[_Process]:
    argv = ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat="]
    with suppress(OSError, subprocess.SubprocessError):
        listed = subprocess.run(argv, capture_output=True, text=True, timeout=GRACE, check=True).stdout
        for pid, parent, group, state in map(str.split, listed.splitlines()):
            # The session that ps prints is an address on macOS.
            with suppress(OSError):
                if not state.startswith("Z"):
                    yield _Process(int(pid), int(parent), int(group), os.getsid(int(pid)))
