"""The program: what `git-decide` and `python -m gitdecide` start."""

import gc
import os
from typing import Final, NoReturn

ALLOCATIONS: Final = 100_000
"""How many objects may be new before garbage is looked for: more than one command makes."""


def main() -> NoReturn:
    """Run one command line and exit with its code.

    A sixth of a short command went into looking for garbage, at the start and again at the end; what was
    said is sent by now, and the rest may go with the process.
    """
    gc.set_threshold(ALLOCATIONS)
    from gitdecide import cli
    from gitdecide.app import App

    os._exit(cli.run(App()))


if __name__ == "__main__":
    main()
