"""A process that runs one command line of the program after the other: each line of standard input is one.

writer.py [--swap-alone]

It stops at the first that fails, with its exit code. With --swap-alone the file system knows no locks.
"""

import errno
import fcntl
import json
import os
import sys
from typing import NoReturn

from gitdecide.app import App
from gitdecide.cli import run


def no_lock(*_: object) -> NoReturn:
    """What flock says on file systems that have none."""
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def main() -> None:
    """Run them all."""
    if "--swap-alone" in sys.argv:
        fcntl.flock = no_lock
    for line in sys.stdin.read().splitlines():
        if code := run(App(), json.loads(line)):
            sys.exit(code)


if __name__ == "__main__":
    main()
