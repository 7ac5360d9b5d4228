"""What a repository asks of its commits: `.gitdecide.yaml` at the top of the tree."""

import re
from datetime import timedelta
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from gitdecide.entries import document
from gitdecide.errors import DecideError
from gitdecide.git.objects import Objects

FILE: Final = ".gitdecide.yaml"

Duration = Annotated[str, Meta(pattern=r"^[0-9]{1,6}[smhd]$(?!\n)", description="a number and s, m, h or d")]
Spec = Annotated[str, Meta(pattern=r"\S", description="a git pathspec")]

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
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


def read(objects: Objects, commit: str | None) -> Policy:
    """The policy of a commit's tree; the defaults without a commit or a file. Raises PolicyError."""
    blob = objects.resolve(f"{commit}:{FILE}") if commit else None
    if blob is None:
        return Policy()
    if objects.kind(blob) != "blob":
        raise PolicyError(f"{FILE} is no file in {commit}")
    return parse(objects.blob(blob))


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
            raise PolicyError(f"{FILE}: {_placed(problem, data, spec)}: {spec}")
    return policy


def _placed(problem: str, data: bytes, word: str | None = None) -> str:
    """A problem with the line of the word that it is about, or of the field that it names."""
    named = re.search(r"unknown field `(?P<field>[^`]*)`|at `\$\.(?P<path>\w+)", problem)
    word = word or (named and (named["field"] or named["path"])) or ""
    lines = data.decode(errors="replace").split("\n")
    found = next((number for number, line in enumerate(lines, 1) if word and word in line), None)
    return f"line {found}: {problem}" if found else problem


def _unusable(spec: str) -> str | None:
    """Why a pathspec cannot be a pattern for code, None for one that can."""
    match = _MAGIC.fullmatch(spec)
    words = match["words"].split(",") if match else []
    path = match["path"] if match else spec.lstrip(":!^/") if spec.startswith(":") else spec
    if any(word.strip().startswith("attr") for word in words):
        return "attr depends on files of the working tree, and cannot tell code"
    if path.startswith("/") or ".." in path.split("/"):
        return "the pathspec leaves the tree"
    return None
