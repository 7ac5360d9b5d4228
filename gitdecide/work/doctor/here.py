"""What can be said of a repository without looking into its log."""

import os
import re
import sys
from contextlib import suppress
from typing import Final

import gitdecide
from gitdecide import policy as policies
from gitdecide.errors import DecideError
from gitdecide.git.bulk import promisor
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work import ranges
from gitdecide.work.doctor.point import Patient, Point
from gitdecide.work.hooks import Hooks
from gitdecide.work.identity import AGENT, AGENTS, Identity, agent_environment, speaker
from gitdecide.work.reading import at_top
from gitdecide.work.worktree import sweep
from gitdecide.work.writer import Speaker

OLDEST_GIT: Final = (2, 34)


def program(_: Patient) -> Point:
    """Which program this is."""
    return Point.ok(f"git-decide {gitdecide.__version__}, Python {sys.version.split()[0]}")


def git_itself(patient: Patient) -> Point:
    """Whether git is new enough."""
    said = patient.git.text("version")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found and (int(found[1]), int(found[2])) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        return Point.wrong(f"{said} is too old", f"install git {oldest} or newer")
    return Point.ok(said)


def identity(patient: Patient) -> Point:
    """Who would speak here, and why: as an agent or as a person."""
    git = patient.git
    who = speaker(git, None)
    git.run("var", "GIT_COMMITTER_IDENT")
    kind, source, agent = _kind(patient, who), _source(git), agent_environment(git.environ)
    says = f"{who.name}, {'a person' if kind == 'human' else 'an agent'}, by {source}"
    if agent and kind == "human":
        refused = f"{says}: inside {agent} nothing is taken in a person's name"
        return Point.wrong(refused, f"speak as {agent}, or as another agent")
    if who.person and kind == "human" and not _is_set(git, "email"):
        return Point.advice(f"{says}, which guesses the e-mail", "git config --global user.email ADDRESS")
    only = git.config_bool("user.useConfigOnly", default=False)
    return Point.ok(f"{says}{'; user.useConfigOnly is set' if only else ''}")


def _kind(patient: Patient, who: Identity) -> str:
    known = None
    with suppress(DecideError):
        known = patient.log().snapshot().actor(who.name)
    return Speaker(who, known).kind


def _source(git: Git) -> str:
    if git.environ.get("GIT_DECIDE_ACTOR"):
        return "GIT_DECIDE_ACTOR"
    if git.config("decide.actor"):
        return "decide.actor"
    mark = next((mark for mark in (*AGENTS, AGENT) if git.environ.get(mark)), None)
    return f"the agent environment that {mark} tells of" if mark else "the git identity"


def _is_set(git: Git, part: str) -> bool:
    keys = (f"author.{part}", f"user.{part}")
    environ = git.environ.get(f"GIT_AUTHOR_{part.upper()}") or git.environ.get("EMAIL")
    return bool(environ or any(git.config(key) for key in keys))


def leftovers(_: Patient) -> Point:
    """What crashed runs left in the folder for temporary files; it is removed."""
    swept = sweep()
    if not swept:
        return Point.ok("no run left a throwaway worktree behind")
    return Point.ok(f"swept what crashed runs left behind: {', '.join(map(str, swept))}")


def repository(patient: Patient) -> Point:
    """Where the repository is, of what kind, and whether it can be written."""
    place = patient.repository()
    kinds = ", ".join(_kinds(patient.git, place))
    says = f"{place.git_dir}{f' ({kinds})' if kinds else ''}"
    folders = (place.common_dir, *(place.common_dir / name for name in ("objects", "refs", "reftable")))
    closed = [folder for folder in folders if folder.exists() and not os.access(folder, os.W_OK)]
    if closed:
        return Point.wrong(
            f"{says} cannot be written: {closed[0]}", "reading works; recording needs leave to write there"
        )
    return Point.ok(says)


def _kinds(git: Git, place: Repository) -> list[str]:
    kinds = {
        "bare": git.config_bool("core.bare", default=False) and place.top is None,
        "linked worktree": place.git_dir != place.common_dir,
        place.object_format: place.object_format != "sha1",
        "reftable": git.config("extensions.refStorage") == "reftable",
        "shallow": bool(ranges.cut_off(place)),
        "partial clone": promisor(git) is not None,
    }
    return [kind for kind, is_one in kinds.items() if is_one]


def objects(patient: Patient) -> Point:
    """Which way to objects bulk work takes, and why."""
    obstacle = patient.way().obstacle
    if obstacle:
        return Point.ok(f"git alone reads and writes, also where libgit2 would be quicker: {obstacle}")
    return Point.ok("libgit2 where many are read, git elsewhere")


def policy(patient: Patient) -> Point:
    """Whether HEAD's policy can be read."""
    git = at_top(patient.git, patient.repository())
    policies.read(patient.objects, "HEAD", git)
    there = policies.found(patient.objects, "HEAD")
    return Point.ok(f"{policies.FILE} of HEAD" if there else "the defaults: HEAD has no policy")


def hooks(patient: Patient) -> Point:
    """Whether git would call our hooks, and their program is still there."""
    place = patient.repository()
    bare = patient.git.config_bool("core.bare", default=False)
    if place.top is None and not bare:
        return Point.advice("seen from inside the git directory", "git decide doctor, in the working tree")
    found = Hooks(patient.git, place)
    states = list(found.states())
    failing = [f"{state.hook} {state.says}" for state in states if not state.calls]
    where = f" ({found.setting})" if found.setting else ""
    if not failing:
        return Point.ok(f"git calls {', '.join(found.names)}{where}")
    says = "; ".join(failing) + where
    if bare:
        return Point.advice(f"{says}: pushes are not judged here", "git decide hooks install")
    return Point.wrong(says, "git decide hooks install")
