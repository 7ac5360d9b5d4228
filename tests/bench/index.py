"""Print what the index of a long log costs, made from nothing and after one more entry.

python -m tests.bench.index [--records N] [--rounds N] [--repositories DIR]
"""

import argparse
import shutil
import statistics
from pathlib import Path

from gitdecide.store.index.file import FILE
from gitdecide.store.layout import DEFAULT_REF
from tests.bench.build import ENTRIES_PER_RECORD
from tests.bench.fsck import Cost, run
from tests.bench.run import LARGE, PROGRAM, _git, _say, repositories

ASKED = [PROGRAM, "list", "-n", "1"]


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=LARGE, help="decision records in the log")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repositories", type=Path, help="keep the logs here, and use those that are here")
    options = parser.parse_args()
    costs: dict[str, list[Cost]] = {"cold": [], "warm": [], "one behind": []}
    with repositories(options.repositories, options.records) as (_, large, environ):
        tip = _git(large, environ, "rev-parse", DEFAULT_REF)
        for _ in range(options.rounds):
            shutil.rmtree((large / ".git" / FILE).parent, ignore_errors=True)
            costs["cold"].append(run(ASKED, large, environ))
            costs["warm"].append(run(ASKED, large, environ))
            run([PROGRAM, "vote", "DR-2", "abstain", "-m", "measured"], large, environ)
            costs["one behind"].append(run(ASKED, large, environ))
            _git(large, environ, "update-ref", DEFAULT_REF, tip)
    entries = options.records * ENTRIES_PER_RECORD
    for name, each in costs.items():
        wall, memory = (statistics.median(values) for values in zip(*each, strict=True))
        _say(f"{name:12}{wall:8.2f} s{entries / wall:12.0f} entries/s{memory:8.0f} MiB")


if __name__ == "__main__":
    main()
