"""Which commit leads to which, in histories of every shape."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from gitdecide.audit.history import History
from gitdecide.git.run import Git
from tests.conftest import run_git

Parents = dict[str, tuple[str, ...]]


def grown(repo: Path, seed: int, size: int) -> tuple[Parents, str]:
    """A random history of empty commits, all of which lead to the last: every commit with its parents."""
    chance = random.Random(seed)
    parents: dict[int, list[int]] = {1: []}
    for mark in range(2, size):
        recent = range(max(1, mark - chance.choice([1, 1, 1, 4, 12])), mark)
        parents[mark] = chance.sample(recent, min(len(recent), chance.choice([1, 1, 1, 2, 3])))
    ends = sorted(set(parents) - {parent for known in parents.values() for parent in known})
    parents[size] = ends
    stream = []
    for mark, known in parents.items():
        stream.append(f"commit refs/grown\nmark :{mark}\ncommitter A <a@b> {mark} +0000\ndata 0\n")
        stream += [f"{'merge' if place else 'from'} :{parent}\n" for place, parent in enumerate(known)]
        stream.append("\n")
    subprocess.run(
        ["git", "fast-import", "--quiet", "--export-marks=.git/marks"],
        cwd=repo, input="".join(stream).encode(), check=True, capture_output=True,
    )  # fmt: skip
    ids = dict(line.split() for line in (repo / ".git" / "marks").read_text().splitlines())
    named = {ids[f":{mark}"]: tuple(ids[f":{parent}"] for parent in known) for mark, known in parents.items()}
    return named, run_git(repo, "rev-parse", "refs/grown")


def past(parents: Parents, commit: str) -> set[str]:
    found: set[str] = set()
    todo = [commit]
    while todo:
        new = set(parents[todo.pop()]) - found
        found |= new
        todo += new
    return found


@pytest.mark.parametrize("seed", range(6))
def test_ancestry_is_exact(repo: Path, seed: int) -> None:
    """For every two commits, against a walk of the graph; and the short cut holds where it is taken."""
    parents, tip = grown(repo, seed, 90)
    history = History(Git(repo, os.environ), tip, (), lambda _: False)
    before = {commit: past(parents, commit) for commit in parents}

    assert sorted(history.commits) == sorted(parents)
    for step, commit in enumerate(history.commits):
        for earlier, other in enumerate(history.commits):
            assert history.leads(earlier, step) == (other in before[commit])
            if earlier < step and history.straight(earlier, step):
                assert before[commit].issuperset(history.commits[earlier:step])


@pytest.mark.parametrize("seed", range(6))
def test_what_is_proved_bounds_a_history(repo: Path, seed: int) -> None:
    """Only what is new is a step, and each knows the proved commits that it follows first."""
    parents, tip = grown(repo, seed, 90)
    since = random.Random(seed).sample(sorted(parents.keys() - {tip}), 2)
    history = History(Git(repo, os.environ), tip, since, lambda _: False)
    proved = {commit for end in since for commit in (end, *past(parents, end))}

    assert set(history.commits) == parents.keys() - proved
    for step, commit in enumerate(history.commits):
        new = {commit, *(past(parents, commit) - proved)}
        assert history.olds[step] == {parent for one in new for parent in parents[one]} & proved
        for earlier, other in enumerate(history.commits):
            assert history.leads(earlier, step) == (other in new - {commit})
