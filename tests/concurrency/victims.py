"""Many writers, each killed at a random moment of its work; none of the gits that it runs is.

victims.py SEED RECORD OUTPUT FOLDER...

Every writer is a process of its own with a command line of its own, forked from one that has the program in
memory, so that it is killed at work and not while Python starts. What writer 7 said is in OUTPUT/7.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Final

from gitdecide.app import App
from gitdecide.cli import run

WRITERS: Final = 200
AT_ONCE: Final = 4


def main() -> None:
    """Start them, a few at a time, and kill them."""
    seed, record, output, *folders = sys.argv[1:]
    chance = random.Random(seed)
    run(App(), ["vote", record, "abstain", "-m", "all that a vote needs is in memory now"])
    begun = time.monotonic()
    for pid in [start(record, f"spared-{number}", Path(output), folders[0]) for number in range(AT_ONCE)]:
        os.waitpid(pid, 0)
    longest = 1.2 * (time.monotonic() - begun)
    for first in range(0, WRITERS, AT_ONCE):
        kill_a_few(chance, longest, [
            start(record, str(number), Path(output), folders[number % len(folders)])
            for number in range(first, first + AT_ONCE)
        ])  # fmt: skip


def kill_a_few(chance: random.Random, longest: float, writers: list[int]) -> None:
    """Kill each writer at a moment of its own, if it is still there."""
    begun = time.monotonic()
    moments = sorted((chance.uniform(0, longest), pid) for pid in writers)
    for moment, pid in moments:
        time.sleep(max(0, begun + moment - time.monotonic()))
        os.kill(pid, signal.SIGKILL)  # it is not reaped yet, so the number is still its own
        os.waitpid(pid, 0)


def start(record: str, name: str, output: Path, folder: str) -> int:
    """The process id of a writer that votes once."""
    if pid := os.fork():
        return pid
    os.chdir(folder)
    os.dup2(os.open(output / name, os.O_WRONLY | os.O_CREAT), 1)
    os._exit(run(App(), ["vote", record, "inform", "-m", f"I am {name}", "--as", f"agent-{name[-1]}"]))


if __name__ == "__main__":
    main()
