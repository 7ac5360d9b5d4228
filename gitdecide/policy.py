"""What a repository asks of its commits: `.gitdecide.yaml` at the top of the tree."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from gitdecide.entries import document
from gitdecide.errors import DecideError
from gitdecide.git.changes import PLAIN_PATHSPECS
from gitdecide.git.objects import Objects
from gitdecide.git.run import Git, GitError

FILE: Final = ".gitdecide.yaml"

Duration = Annotated[str, Meta(pattern=r"^[0-9]{1,6}[smhd]$(?!\n)", description="a number and s, m, h or d")]
Spec = Annotated[str, Meta(pattern=r"\S", description="a git pathspec")]

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SURE = re.compile(r"[^:]|:\((?:exclude|glob|icase|literal|top)\)|:[/!^][A-Za-z0-9.]")
"""Begins what every git takes for a pathspec (gitglossary): what else begins with a colon git must try."""

_MAGIC = re.compile(r":\((?P<words>[^)]*)\)(?P<path>.*)", re.DOTALL)


class PolicyError(DecideError):
    """A policy file that is not what it should be; the message names the line where there is one."""


class Recheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which checks of others may be run again unasked."""

    allow: tuple[Spec, ...] = ("grep *", "rg *")
    timeout: Annotated[int, Meta(ge=1, le=86400, description="seconds")] = 600


class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The policy; the defaults are in force without a file."""

    code: tuple[Spec, ...] = (".", ":(exclude)docs", ":(exclude)*.md")
    require: Literal["when-linked", "linked"] = "when-linked"
    verified: Literal["any", "code"] = "any"
    fast_accept: Duration = "2m"
    recheck: Recheck = Recheck()
    signed: bool = False

    @property
    def fast(self) -> timedelta:
        """How soon after its challenge an answer is suspect."""
        return timedelta(seconds=int(self.fast_accept[:-1]) * _SECONDS[self.fast_accept[-1]])


def read(objects: Objects, commit: str | None, git: Git | None = None) -> Policy:
    """The policy of a commit's tree; the defaults without a commit or a file. Raises PolicyError.

    For judging it must have pathspecs that `git` takes.
    """
    blob = found(objects, commit)
    if blob is None:
        return Policy()
    if objects.kind(blob) != "blob":
        raise PolicyError(f"{FILE} is no file in {commit}")
    data = objects.blob(blob)
    policy = parse(data)
    for spec in policy.code if git else ():
        if git and not _SURE.match(spec) and (problem := _refused(git, spec)):
            raise PolicyError(f"{FILE}: {_at_spec(problem, data, spec)}")
    return policy


def found(objects: Objects, commit: str | None) -> str | None:
    """The id of a commit's policy file, None without one."""
    return objects.resolve(f"{commit}:{FILE}") if commit else None


def mended(objects: Objects, base: str | None, tips: Sequence[str]) -> bool:
    """True when there are commits, and all have a policy file, and another one than their base."""
    return bool(tips) and all(found(objects, tip) not in (None, found(objects, base)) for tip in tips)


def parse(data: bytes) -> Policy:
    """A policy from the bytes of its file. Raises PolicyError, with the line where it is known."""
    if all(line.lstrip()[:1] in (b"", b"#") for line in data.split(b"\n")):
        return Policy()
    try:
        policy = msgspec.convert(document.parse(data), Policy, strict=False)
    except document.DocumentError as error:
        raise PolicyError(f"{FILE}: {error.message}") from None
    except msgspec.ValidationError as error:
        raise PolicyError(f"{FILE}: {_placed(str(error), data)}") from None
    for spec in policy.code:
        if problem := _unusable(spec):
            raise PolicyError(f"{FILE}: {_at_spec(problem, data, spec)}: {spec}")
    return policy


def _placed(problem: str, data: bytes) -> str:
    """A problem with the line of the field that it names, else of the closest one around it."""
    unknown = re.findall(r"unknown field `([^`]*)`", problem)
    around = re.findall(r"[a-z_]+", "".join(re.findall(r"at `\$([^`]*)`", problem)))
    places = (next(_lines_of(field, data), None) for field in [*unknown, *reversed(around)])
    number = next(filter(None, places), None)
    return f"line {number}: {problem}" if number else problem


def _at_spec(problem: str, data: bytes, spec: str) -> str:
    """A problem with the line of a pathspec, else of the field that lists it."""
    begin = next(_lines_of("code", data), 1)
    lines = data.decode(errors="replace").split("\n")
    numbers = (number for number, line in enumerate(lines, 1) if number >= begin and spec in line)
    return f"line {next(numbers, begin)}: {problem}"


def _lines_of(field: str, data: bytes) -> Iterator[int]:
    """The numbers of the lines that begin with a field."""
    key = re.compile(rf"""\s*["']?{re.escape(field)}["']?\s*:""")
    lines = data.decode(errors="replace").split("\n")
    return (number for number, line in enumerate(lines, 1) if key.match(line))


def _refused(git: Git, spec: str) -> str | None:
    """What git says against a pathspec, None when it takes it."""
    try:
        git.run("diff-tree", "--stdin", "--", spec, environ=PLAIN_PATHSPECS)
    except GitError as error:
        return error.message
    return None


def _unusable(spec: str) -> str | None:
    """Why a pathspec cannot be a pattern for code, None for one that can."""
    if "\0" in spec:
        return "a pathspec holds no NUL"
    match = _MAGIC.fullmatch(spec)
    words = match["words"].split(",") if match else []
    path = match["path"] if match else spec.lstrip(":!^/") if spec.startswith(":") else spec
    if any(word.strip().startswith("attr") for word in words):
        return "attr depends on files of the working tree, and cannot tell code"
    if path.startswith("/") or ".." in path.split("/"):
        return "the pathspec leaves the tree"
    return None
