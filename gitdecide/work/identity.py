"""Who speaks: the actor that was named, the agent whose environment this is, or the git identity."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, NamedTuple

from gitdecide.entries.names import actor_problem
from gitdecide.errors import DecideError, UsageError
from gitdecide.git.raw import CRUD
from gitdecide.git.run import Git

AGENTS: Final = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CURSOR_AGENT": "cursor",
    "GEMINI_CLI": "gemini-cli",
}
"""The variable by which each agent marks what it starts, and the actor that stands for it."""

AGENT: Final = "GIT_DECIDE_AGENT"
"""The variable by which any other agent marks what it starts; it holds the actor that stands for it."""

_IDENT = re.compile(r"(?P<name>.*?) ?<(?P<email>.*)> \d+ [+-]\d{4}", re.DOTALL)


class Identity(NamedTuple):
    """A name to speak under; `person` when it is the git identity."""

    name: str
    email: str | None
    person: bool


def agent_environment(environ: Mapping[str, str]) -> str | None:
    """The actor of the agent environment that this runs in, None outside of any."""
    known = next((actor for mark, actor in AGENTS.items() if environ.get(mark)), None)
    return known or environ.get(AGENT) or None


def speaker(git: Git, named: str | None) -> Identity:
    """Who speaks: `--as`, GIT_DECIDE_ACTOR, decide.actor, the known agent, else git's author.

    Raises UsageError for a name that no actor can have, and git's own error where nobody is known.
    """
    name = named
    if name is None:
        name = git.environ.get("GIT_DECIDE_ACTOR") or git.config("decide.actor") or None
    if name is not None:
        return _called(git, actor_name(name))
    if agent := agent_environment(git.environ):
        known = agent in AGENTS.values()
        return Identity(agent, None, person=False) if known else _called(git, actor_name(agent))
    return author(git)


def actor_name(typed: str) -> str:
    """An actor's name in Unicode's composed form. Raises UsageError for a name that no actor can have."""
    name = unicodedata.normalize("NFC", typed)
    if problem := actor_problem(name):
        raise UsageError(f"the actor's name {name!a} {problem}")
    return name


def author(git: Git) -> Identity:
    """The git identity, by git's own rules. Raises git's own error where there is none."""
    name, email = (_given(git, part) for part in ("name", "email"))
    if not (name and email):  # what is left is git's to find, or to miss
        match = _IDENT.fullmatch(git.text("var", "GIT_AUTHOR_IDENT"))
        if not match:
            raise DecideError("git does not know who you are")
        name, email = match["name"], match["email"]
    name = unicodedata.normalize("NFC", name).strip()
    if problem := actor_problem(name):
        raise DecideError(f"the git identity {name!a} {problem}", hint="git config user.name NAME")
    return Identity(name, email or None, person=True)


def own_names(git: Git) -> set[str]:
    """Every name that is the git identity's here, whichever of them git would take just now.

    An agent that sets GIT_AUTHOR_NAME for one command leaves user.name the name of a person.
    """
    given = [git.environ.get(f"GIT_{role}_NAME") for role in ("AUTHOR", "COMMITTER")]
    given += [git.config(key) for key in ("author.name", "committer.name", "user.name")]
    return {unicodedata.normalize("NFC", re.sub("[\n<>]", "", name.strip(CRUD))) for name in given if name}


def _given(git: Git, part: str) -> str:
    """The author's name or e-mail as it is set, by git's precedence; empty where git has to say."""
    given = git.environ.get(f"GIT_AUTHOR_{part.upper()}")
    if given is None:
        given = git.config(f"author.{part}") or git.config(f"user.{part}") or ""
    return re.sub("[\n<>]", "", given.strip(CRUD))


def _called(git: Git, name: str) -> Identity:
    if name not in own_names(git):
        return Identity(name, None, person=False)
    own = author(git)
    return own if own.name == name else Identity(name, None, person=True)
