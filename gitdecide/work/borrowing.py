"""What a private repository borrows of the user's, so that a checkout in it is as the user's would be."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import ranges

_CARRIED: Final = re.compile(
    r"(user|author|committer|filter|merge|diff|submodule|url|protocol|lfs|http|credential|ssh)\..*"
    r"|core\.(autocrlf|eol|safecrlf|symlinks|ignorecase|precomposeunicode|filemode|attributesfile|excludesfile"
    r"|sshcommand|askpass|longpaths|checkroundtripencoding|protecthfs|protectntfs|bigfilethreshold)"
    r"|remote\..*\.(url|promisor|partialclonefilter)|extensions\.partialclone",
    re.DOTALL,
)
"""What a checkout depends on: identity, line endings, filters, submodules, and where missing objects are."""

_OWN: Final = {
    "core.hookspath": os.devnull,
    "core.fsmonitor": "false",
    "core.splitindex": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "commit.gpgsign": "false",
    "tag.gpgsign": "false",
}


def borrow(git: Git, repository: Repository, private: Path, special: Mapping[str, str]) -> None:
    """Give a new repository the user's objects, shallow file, attributes and settings, and `special` ones."""
    lend(git, private / "objects")
    for name in ("shallow", "info/attributes", "info/exclude"):
        source = repository.common_dir / name
        if source.is_file():
            (private / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(source, private / name)
    home = repository.top or repository.git_dir
    settings = [(key, _from(home, key, value)) for key, value in _settings(git) if _CARRIED.fullmatch(key)]
    with (private / "config").open("a", encoding="utf-8", errors="surrogateescape") as config:
        own = {**_OWN, **hooks_off(git), **special}
        for key, value in (*_origin(git, home), *settings, *own.items()):
            config.write(_setting(key, value))
        if any(key == "extensions.partialclone" for key, _ in settings):
            config.write(_setting("core.repositoryformatversion", "1"))


def hooks_off(git: Git) -> dict[str, str]:
    """What keeps git 2.54 and newer from the hooks that the user's configuration itself holds."""
    return {f"hook.{name}.enabled": "false" for name in git.config_names("hook")}


def lend(git: Git, store: Path) -> None:
    """Let a new store of objects have the user's as well."""
    objects = git.text("rev-parse", "--path-format=absolute", "--git-path", "objects")
    _write(store / "info/alternates", f"{_quoted(objects)}\n")


def _settings(git: Git) -> Iterator[tuple[str, str]]:
    """The settings of the user's repository itself, and of this worktree, with what they include."""
    listed = git.run("config", "--list", "--show-scope", "-z").stdout.decode("utf-8", "surrogateescape")
    fields = iter(listed.split("\0"))
    for scope, item in zip(fields, fields, strict=False):
        key, given, value = item.partition("\n")
        if scope in ("local", "worktree", "command"):
            yield key, value if given else "true"


def _origin(git: Git, home: Path) -> list[tuple[str, str]]:
    """An origin for a repository that has none: from its address git takes relative ones of submodules."""
    if git.config("remote.origin.url"):
        return []
    key = f"remote.{ranges.remote(git)}.url"
    url = _from(home, key, git.config(key) or str(home))
    return [("remote.origin.url", url), ("remote.origin.pushurl", os.devnull)]


def _from(home: Path, key: str, value: str) -> str:
    """A setting's value that stays true elsewhere: addresses of remotes may count from the user's folder."""
    is_url = key.startswith("remote.") and key.endswith(".url")
    return os.path.normpath(home / value) if is_url and _is_relative(value) else value


def _is_relative(url: str) -> bool:
    """True for a local path that counts from somewhere (connect.c, url_is_local_not_ssh)."""
    before, colon, _ = url.partition(":")
    return not url.startswith("/") and (not colon or "/" in before)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(text, encoding="utf-8", errors="surrogateescape")


def _setting(key: str, value: str) -> str:
    """One setting as git's configuration files hold it."""
    section, _, rest = key.partition(".")
    subsection, dot, name = rest.rpartition(".")
    head = f'{section} "{_escaped(subsection)}"' if dot else section
    return f"[{head}]\n\t{name} = {_quoted(value)}\n"


def _quoted(text: str) -> str:
    lines = _escaped(text).replace("\n", "\\n").replace("\t", "\\t")
    return f'"{lines}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
