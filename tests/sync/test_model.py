"""Three clones, a remote and a great many steps, against a model.

GITDECIDE_MODEL_STEPS and GITDECIDE_MODEL_SEED make it longer, or another one.
"""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.conftest import Clock, run_git
from tests.sync.conftest import LOG, Clone
from tests.sync.world import World

STEPS: Final = int(os.environ.get("GITDECIDE_MODEL_STEPS", "80"))
SEED: Final = int(os.environ.get("GITDECIDE_MODEL_SEED", "4"))
SECONDS: Final = 7.0 if STEPS <= 80 else float("inf")


def test_nothing_is_ever_lost_and_all_clones_agree(
    clone: Callable[..., Clone], hub: Path, clock: Clock
) -> None:
    """After every step each log is what the sets say, and after syncing in any order all are the same."""
    chance = random.Random(SEED)
    world = World([clone(name) for name in ("one", "two", "three")], hub, clock, chance)
    until = time.monotonic() + SECONDS
    for number in range(STEPS):
        step = chance.choice(world.steps)
        who = chance.randrange(3)
        try:
            step(who)
            world.assert_held()
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
    for who, each in enumerate(world.clones):
        world.read(who)
        assert each("fsck", "--full").exit_code == 0
        assert each.git("fsck", "--strict", "--no-dangling") == ""
        assert each.git("log", "--format=", "--raw", "-m", "--no-renames", "--diff-filter=a", LOG) == ""
