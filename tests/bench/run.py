"""Print what commands cost on a short and a long log, as ratios to importing click and pygit2 (I).

    python -m tests.bench [--records N] [--rounds N] [--repositories DIR] [--imports]

Every round runs everything once, so that what else the machine does falls on all alike; medians count.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.store.layout import DEFAULT_REF
from tests.bench.build import ENTRIES_PER_RECORD, build, sealed_environ

SMALL: Final = 2
LARGE: Final = 20_000
PROGRAM: Final = str(Path(sys.executable).with_name("git-decide"))
YARDSTICK: Final = "import click, pygit2"
NOTHING: Final = "python -c pass"
READING: Final = {
    "show": ["show", "DR-2"],
    "list": ["list"],
    "list --status": ["list", "--status", "decided"],
    "search": ["search", "loader", "engine"],
    "search rare": ["search", "load_2"],
    "why": ["why", "src/app.py"],
    "log": ["log", "-n", "10"],
    "log DR": ["log", "DR-2"],
}
"""What only reads; the index is warm, for the first round made it."""

SLOW_IMPORT: Final = 500
"""Microseconds: modules that take longer by themselves are worth a line."""


class Task(NamedTuple):
    """A command line, where it runs, and whether the log must be put back after it."""

    name: str
    command: Sequence[str]
    cwd: Path
    writes: bool = False


def tasks(small: Path, large: Path) -> Iterator[Task]:
    """Everything that is measured, yardsticks first."""
    yield Task(NOTHING, [sys.executable, "-c", "pass"], small)
    yield Task(YARDSTICK, [sys.executable, "-c", YARDSTICK], small)
    yield Task("--help", [PROGRAM, "--help"], small)
    for place in (small, large):
        for name, args in READING.items():
            yield Task(f"{name} {place.name}", [PROGRAM, *args], place)
        vote = ["vote", "DR-2", "inform", "-m", "measured", "--read", "src/app.py"]
        yield Task(f"vote {place.name}", [PROGRAM, *vote], place, writes=True)
        yield Task(f"ask {place.name}", [PROGRAM, "ask", "How long does it take?"], place, writes=True)


class Cost(NamedTuple):
    """What one run took, in seconds: by the clock, and of processors, its children included."""

    wall: float
    cpu: float


def measure(all_tasks: Sequence[Task], rounds: int, environ: Mapping[str, str]) -> dict[str, list[Cost]]:
    """What each task cost, by its name, after one round that only warms up."""
    taken: dict[str, list[Cost]] = {task.name: [] for task in all_tasks}
    tips = {task.cwd: _git(task.cwd, environ, "rev-parse", DEFAULT_REF) for task in all_tasks}
    for round_ in range(rounds + 1):
        for task in all_tasks:
            cost = _run(task, environ)
            if round_:
                taken[task.name].append(cost)
            if task.writes:
                _git(task.cwd, environ, "update-ref", DEFAULT_REF, tips[task.cwd])
    return taken


def _run(task: Task, environ: Mapping[str, str]) -> Cost:
    with tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        process = subprocess.Popen(task.command, cwd=task.cwd, env=environ, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"{task.name}: {said.read().decode()}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def middle(taken: Mapping[str, Sequence[Cost]]) -> dict[str, Cost]:
    """The medians of what each task cost."""
    return {name: Cost(*map(statistics.median, zip(*costs, strict=True))) for name, costs in taken.items()}


def report(medians: Mapping[str, Cost]) -> Iterator[str]:
    """A line a task: milliseconds, and the ratios to both yardsticks; of processors beside, to see noise."""
    whole, least = medians[YARDSTICK], medians[NOTHING]
    yield f"{'':26}{'ms':>8}{'of I':>8}{'of pass':>9}{'cpu ms':>10}{'of I':>8}"
    for name, (wall, cpu) in medians.items():
        by_clock = f"{wall * 1000:8.1f}{wall / whole.wall:8.2f}{wall / least.wall:9.2f}"
        yield f"{name:26}{by_clock}{cpu * 1000:10.1f}{cpu / whole.cpu:8.2f}"


def slow_imports(args: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """The modules that a command waits for longest, by themselves."""
    command = [sys.executable, "-X", "importtime", PROGRAM, *args]
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, check=True)
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines() if "|" in line]
    costs = sorted(((int(own), name.strip()) for own, _, name in rows if own.strip().isdigit()), reverse=True)
    yield f"git decide {' '.join(args)}: {len(costs)} modules, {sum(cost for cost, _ in costs) / 1000:.0f} ms"
    yield from (f"{cost:8} µs  {name}" for cost, name in costs if cost >= SLOW_IMPORT)


@contextlib.contextmanager
def repositories(kept: Path | None, records: int) -> Iterator[tuple[Path, Path, dict[str, str]]]:
    """Both repositories and their environment; in a folder that is kept they are built but once."""
    with tempfile.TemporaryDirectory() as folder:
        base = kept or Path(folder)
        base.mkdir(exist_ok=True)
        environ = sealed_environ(base / "home")
        places = [base / str(count * ENTRIES_PER_RECORD) for count in (SMALL, records)]
        for place, count in zip(places, (SMALL, records), strict=True):
            if not place.exists():
                _say(f"building a log of {place.name} entries")
                build(place, count, environ)
        yield places[0], places[1], environ


def main() -> None:
    """Build, measure, print."""
    from tests.bench import commits

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=LARGE, help="decision records in the long log")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repositories", type=Path, help="keep the logs here, and use those that are here")
    parser.add_argument("--imports", action="store_true", help="print which imports cost most, and stop")
    options = parser.parse_args()
    with repositories(options.repositories, options.records) as (small, large, environ):
        if options.imports:
            for args in (["--help"], *READING.values(), ["vote", "DR-2", "abstain", "-m", "timed"]):
                for line in slow_imports(args, small, environ):
                    _say(line)
            return
        for line in report(middle(measure(list(tasks(small, large)), options.rounds, environ))):
            _say(line)
    _say("")
    with tempfile.TemporaryDirectory() as folder:
        sealed = sealed_environ(Path(folder) / "home")
        costs = middle(measure(list(commits.tasks(Path(folder), sealed)), options.rounds, sealed))
        for line in (*report(costs), *commits.added(costs)):
            _say(line)


def _git(cwd: Path, environ: Mapping[str, str], *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=cwd, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _say(line: str) -> None:
    sys.stdout.write(line + os.linesep)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
