"""Three clones, a remote and a great many steps, against a model that knows only sets.

GITDECIDE_MODEL_STEPS and GITDECIDE_MODEL_SEED make it longer, or another one.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.conftest import Clock, run_git
from tests.sync.conftest import LOG, Clone, files

STEPS: Final = int(os.environ.get("GITDECIDE_MODEL_STEPS", "150"))
SEED: Final = int(os.environ.get("GITDECIDE_MODEL_SEED", "4"))
SECONDS: Final = 9.0 if STEPS <= 150 else float("inf")

SYNC: Final = (sys.executable, "-m", "gitdecide", "sync")
SEEN: Final = "refs/decisions-seen/origin"
FETCHED: Final = "refs/decisions-remotes/origin/log"

Files = frozenset[str]
NONE: Final = Files()


def held(repository: Path, ref: str = LOG) -> Files:
    """What a ref holds, nothing where there is none."""
    return Files(files(repository, ref)) if run_git(repository, "for-each-ref", ref) else NONE


class World:
    """The clones and the remote, and what the model says each must hold."""

    def __init__(self, clones: list[Clone], hub: Path, clock: Clock, chance: random.Random) -> None:
        self.clones = clones
        self.hub = hub
        self.clock = clock
        self.chance = chance
        self.logs = [Files(clone.files) for clone in clones]
        self.remote: Files = NONE
        self.fetched = [NONE for _ in clones]
        self.seen = [NONE for _ in clones]
        self.steps: list[Callable[[int], None]] = [
            self.ask, self.vote, self.vote, self.sync, self.sync, self.sync, self.fetch, self.tidy,
            self.mirror, self.rewind, self.years, self.read, self.killed,
        ]  # fmt: skip

    def ask(self, who: int) -> None:
        """A new record."""
        self._grow(who, self.clones[who]("ask", f"Question of {who}?").id)

    def vote(self, who: int) -> None:
        """A vote in any record of the log."""
        names = [line.split()[0] for line in self._listed(who)]
        if names:
            name = self.chance.choice(names)
            vote = self.clones[who]("vote", name, "inform", "-m", "so", "--read", "app.py").id
            self._grow(who, vote)

    def sync(self, who: int) -> None:
        """Both sides get the union; what the remote lost is told."""
        done = self.clones[who]("sync", "--json")
        whole = self.logs[who] | self.remote | self.seen[who]
        lost = self.seen[who] - self.remote
        told = json.loads(done.stdout)["lost"]
        assert Files(told or ()) == lost
        # A rewritten history may hold the same entries.
        assert done.exit_code == (0 if told is None else 4), done
        self.logs[who] = self.remote = self.fetched[who] = self.seen[who] = whole

    def killed(self, who: int) -> None:
        """A sync that SIGKILL ends: each ref is where it was, or where a whole sync moves it."""
        place = self.clones[who].path
        process = subprocess.Popen(SYNC, cwd=place, start_new_session=True, stderr=subprocess.DEVNULL)
        time.sleep(self.chance.uniform(0.05, 0.4))
        process.kill()
        process.wait()
        with suppress(ProcessLookupError):  # once every git that it started has ended
            while True:
                os.killpg(process.pid, 0)
                time.sleep(0.01)
        whole = self.logs[who] | self.remote | self.seen[who]
        log, seen, fetched = (held(place, ref) for ref in (LOG, SEEN, FETCHED))
        assert log in (self.logs[who], whole)
        assert seen in (self.seen[who], whole)
        assert fetched in (self.fetched[who], self.remote, whole)
        remote = held(self.hub)
        assert remote in (self.remote, whole)
        self.logs[who], self.seen[who], self.fetched[who], self.remote = log, seen, fetched, remote

    def fetch(self, who: int) -> None:
        """Plain git, with and without --prune: the log stays."""
        self.clones[who].git("fetch", "-q", *self.chance.choice([[], ["--prune"]]))
        self.fetched[who] = self.remote

    def tidy(self, who: int) -> None:
        """What git does to its files."""
        how = self.chance.choice(["gc -q --prune=now", "pack-refs --all", "prune", "repack -adq"])
        run_git(self.chance.choice([self.clones[who].path, self.hub]), *how.split())

    def mirror(self, who: int) -> None:
        """The remote becomes a copy of one clone."""
        self.clones[who].git("push", "-q", "--mirror", "--no-verify")
        self.remote = self.logs[who]

    def rewind(self, _: int) -> None:
        """The remote's log is taken back."""
        if self.remote:
            past = run_git(self.hub, "rev-list", "--max-count=6", LOG).split()
            run_git(self.hub, "update-ref", LOG, self.chance.choice(past))
            self.remote = held(self.hub)

    def years(self, _: int) -> None:
        """Clocks are wrong."""
        self.clock.pass_(days=self.chance.choice([-800, -365, 365, 800]))

    def read(self, who: int) -> None:
        """A reader may fast-forward to what was fetched, and to nothing else."""
        self._listed(who)

    def check(self) -> None:
        """Each log holds what the model says, and so does the remote."""
        for who, clone in enumerate(self.clones):
            assert Files(clone.files) == self.logs[who], f"clone {who}"
        assert held(self.hub) == self.remote

    def _listed(self, who: int) -> list[str]:
        done = self.clones[who]("list", "--limit", "0")
        assert done.exit_code == 0, done
        self._followed(who)
        return done.stdout.splitlines()

    def _followed(self, who: int) -> None:
        now = Files(self.clones[who].files)
        assert now in (self.logs[who], self.logs[who] | self.fetched[who])
        self.logs[who] = now

    def _grow(self, who: int, name: str) -> None:
        now = Files(self.clones[who].files)
        new = now - self.logs[who] - self.fetched[who]
        assert now >= self.logs[who]
        assert 1 <= len(new) <= 2
        assert any(name.rpartition("-")[2] in file for file in new)
        self.logs[who] = now


def test_nothing_is_ever_lost_and_all_clones_agree(
    clone: Callable[..., Clone], hub: Path, clock: Clock
) -> None:
    """After every step each log is what the sets say, and after syncing in any order all are the same."""
    chance = random.Random(SEED)
    world = World([clone(name) for name in ("one", "two", "three")], hub, clock, chance)
    until = time.monotonic() + SECONDS
    for number in range(STEPS):
        step = chance.choice(world.steps)
        step(who := chance.randrange(3))
        try:
            world.check()
        except AssertionError as error:
            raise AssertionError(f"after step {number}, {step.__name__} by {who}, seed {SEED}") from error
        if time.monotonic() > until:
            break
    everything = frozenset().union(world.remote, *world.logs)

    order = [0, 1, 2, 0, 1, 2]
    chance.shuffle(order)
    for who in (*order, *order):
        world.sync(who)

    assert {each.tree for each in world.clones} == {run_git(hub, "rev-parse", f"{LOG}^{{tree}}")}
    assert world.remote == everything
    assert len({each("list", "--limit", "0").stdout for each in world.clones}) == 1
    for each in world.clones:
        assert each.git("fsck", "--strict", "--no-dangling") == ""
        assert each.git("log", "--format=", "--raw", "-m", "--no-renames", "--diff-filter=a", LOG) == ""
