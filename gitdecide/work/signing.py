"""The key of an actor as a person gives it: itself, or the file that holds it."""

from pathlib import Path
from typing import Final

from gitdecide.entries.keys import canonical
from gitdecide.errors import UsageError

LARGEST: Final = 16_384
"""Bytes that are read of a file: no public key has more."""


def public_key(typed: str, folder: Path) -> str:
    """The key that is meant, as the log keeps it. Raises UsageError for what is none."""
    if key := canonical(typed):
        return key
    try:
        with (folder / Path(typed).expanduser()).open("rb") as file:
            held = file.read(LARGEST).decode("utf-8", "replace").strip()
    except (OSError, ValueError, RuntimeError):
        problem = f"neither a key nor a file that can be read: {typed}"
    else:
        if key := canonical(held):
            return key
        private = " but a private one" if "PRIVATE KEY" in held else ""
        problem = f"the file holds no public key{private}: {typed}"
    raise UsageError(problem, hint="an ssh public key or its .pub file, or the whole fingerprint of a key")
