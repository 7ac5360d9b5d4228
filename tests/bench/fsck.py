"""Print what `git decide fsck` costs on a long log, as a ratio to `git log --raw` of the same log.

python -m tests.bench.fsck [--records N] [--rounds N] [--repositories DIR]
"""

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.store.layout import DEFAULT_REF
from tests.bench.build import ENTRIES_PER_RECORD
from tests.bench.run import LARGE, PROGRAM, _say, repositories

TASKS: Final = {
    "git log --raw": ["git", "log", "--raw", "-z", "--no-renames", DEFAULT_REF],
    "fsck --full": [PROGRAM, "fsck", "--full"],
    "fsck again": [PROGRAM, "fsck"],
}
"""The yardstick first; the last finds everything proved."""


class Cost(NamedTuple):
    """What one run took: seconds by the clock, and the most memory, in MiB."""

    wall: float
    memory: float


def run(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Cost:
    """One run, its output thrown away."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Cost(time.perf_counter() - begun, used.ru_maxrss / 1024)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=LARGE, help="decision records in the log")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repositories", type=Path, help="keep the logs here, and use those that are here")
    options = parser.parse_args()
    with repositories(options.repositories, options.records) as (_, large, environ):
        costs = {
            name: [run(command, large, environ) for _ in range(options.rounds)]
            for name, command in TASKS.items()
        }
    commits = options.records * ENTRIES_PER_RECORD
    medians = {name: Cost(*map(statistics.median, zip(*each, strict=True))) for name, each in costs.items()}
    yardstick = next(iter(medians.values())).wall
    _say(f"{'':16}{'s':>8}{'ratio':>8}{'commits/s':>12}{'MiB':>8}")
    for name, (wall, memory) in medians.items():
        _say(f"{name:16}{wall:8.2f}{wall / yardstick:8.2f}{commits / wall:12.0f}{memory:8.0f}")


if __name__ == "__main__":
    main()
