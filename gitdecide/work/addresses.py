"""Which remote an address means, however either of them is spelled."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from gitdecide.git.run import Git

SUFFIXES: Final = ("/.git", "", ".git/.git", ".git")
"""What git puts after a path to find a repository, in this order (path.c, enter_repo)."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://|:)")
_SCP: Final = re.compile(r"(?P<host>[^/:]+):(?P<path>.*)", re.DOTALL)


def remotes_at(git: Git, url: str) -> list[str]:
    """The remotes that fetch from an address or push to it; `git` runs where relative paths begin."""
    wanted = _plain(git, _expanded(git, url))
    names = git.config_names("remote")
    return [name for name in names if wanted in (_plain(git, place) for place in _places(git, name))]


def _places(git: Git, remote: str) -> set[str]:
    """The addresses of a remote, as git rewrites them."""
    ways = (["--all"], ["--push", "--all"])
    # A remote without an address is an error to git.
    told = (git.run("remote", "get-url", *way, "--", remote, ok=(0, 2, 128)) for way in ways)
    return {line for done in told for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()}


def _expanded(git: Git, url: str) -> str:
    """An address as git rewrites it (url.*.insteadOf)."""
    return git.text("ls-remote", "--get-url", "--", url)


def _plain(git: Git, url: str) -> str:
    """One spelling for all that lead to the same place: a path without links, or an address."""
    local = unquote(url.removeprefix("file://")) if url.startswith("file://") else url
    if local == url and (_SCHEME.match(url) or _SCP.fullmatch(url)):
        return _remote_address(url)
    path = str(git.cwd / local).rstrip("/")
    found = (Path(path + suffix) for suffix in SUFFIXES)
    repository = next((place for place in found if place.is_file() or (place / "HEAD").is_file()), Path(path))
    return str(repository.resolve())


def _remote_address(url: str) -> str:
    if not _SCHEME.match(url) and (short := _SCP.fullmatch(url)):
        url = f"ssh://{short['host']}/{short['path'].lstrip('/')}"
    return url.rstrip("/").removesuffix(".git")
