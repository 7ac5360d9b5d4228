"""Conversations of two sides in two clones of one remote."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.entries.playing import NEW, Model, Told
from tests.sync.conftest import Clone

STATES: Final = ("open", "claimed", "proposed", "agreed", "parked", "escalated")
ROOT: Final = Path(__file__).parents[2]

AGREEING: Final = [
    ["ada", "BRIEF", "metres", "--issue", "i-01=proposed"],
    ["dave", "RED_TEAM", "breaking it", "--issue", "i-01=agreed", "--gave-up", "speed"],
    ["ada", "RED_TEAM", "breaking it too", "--issue", "i-01=agreed", "--gave-up", "size"],
    ["dave", "SIGN", "done", "--signs", "app.py"],
    ["ada", "SIGN", "done", "--signs", "app.py"],
]
STUCK: Final = [
    [("ada", "dave")[turn % 2], "COUNTER", ("Metres!", "No, inches.")[turn % 2]] for turn in range(6)
]
YIELDING: Final = [
    ["ada", "BRIEF", "metres", "--issue", "i-01=proposed"],
    ["dave", "ACCEPT", "as you like", "--issue", "i-01=agreed"],
]


def conversation(clone: Clone, name: str) -> dict[str, Any]:
    """What a clone makes of a conversation."""
    return dict(json.loads(clone("show", name, "--json").id)["conversation"])


def test_two_agents_come_to_an_end_through_a_remote(one: Clone, two: Clone, tmp_path: Path) -> None:
    """Two processes in two clones: agreement and deadlock end it, degenerate does not."""
    names = [one("ask", question, "--with", "dave", "--as", "ada").id for question in ("A?", "B?", "C?")]
    one.ok("sync")
    scripts = tmp_path / "scripts.json"
    scripts.write_text(json.dumps(dict(zip(names, (AGREEING, STUCK, YIELDING), strict=True))))

    agents = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.sync.agent", name, str(scripts)],
            cwd=clone.path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, clone in (("ada", one), ("dave", two))
    ]
    said = [agent.communicate()[1] for agent in agents]
    assert [agent.returncode for agent in agents] == [0, 0], "\n".join(said)

    one.ok("sync")
    two.ok("sync")
    assert one.tree == two.tree
    for name, ended, detectors in (
        (names[0], "agreement", ["agreement"]),
        (names[1], "deadlock", ["deadlock", "looping"]),
        (names[2], "open", ["degenerate"]),
    ):
        ours, theirs = (conversation(clone, name) for clone in (one, two))
        assert ours == theirs
        assert ours["state"] == ended
        assert sorted(seen["detector"] for seen in ours["detectors"]) == detectors
    assert "agreement: the ledger is empty" in "".join(said)
    for clone, side, other in ((one, "ada", "dave"), (two, "dave", "ada")):
        file = clone("show", names[0], "--format", "file", "--as", side).id
        assert "**us** `RED_TEAM`" in file
        assert f"**{other}** `SIGN` done" in file
        assert "## Decision\n\n- A?\n" in file
        assert clone("turn", names[0], "COUNTER", "wait", "--as", side).exit_code == 1


def test_turns_made_apart_meet(one: Clone, two: Clone) -> None:
    """Both add an issue and speak at once; after a sync both have all of it, under ids that differ."""
    name = one("ask", "A?", "--with", "two").id
    one.ok("sync")
    two.ok("sync")
    for clone, issue in ((one, "units"), (two, "axes")):
        clone.ok("turn", name, "BRIEF", f"hello from {issue}", "--new-issue", issue)
    for clone in (one, two, one):
        clone.ok("sync")

    seen = conversation(one, name)
    assert seen == conversation(two, name)
    assert [list(ledger) for ledger in seen["ledgers"].values()] == [["i-01", "i-02"], ["i-01", "i-03"]]
    assert one.ok("fsck") == two.ok("fsck")


def test_random_play_against_the_model(one: Clone, two: Clone) -> None:
    """Legal and illegal turns of both sides in both clones, with syncs between, are as the model has them."""
    chance = random.Random(5)
    name = one("ask", "A?", "--with", "two").id
    clones, sides = (one, two), ("one", "two")
    models = [Model(*sides), Model(*sides)]
    one.ok("sync")
    two.ok("sync")

    for step in range(20):
        where = chance.randrange(2)
        clone, model, side = clones[where], models[where], sides[where]
        if chance.random() < 0.2:
            told = models[0].told | models[1].told
            for each in (one, two, one):
                each.ok("sync")
            for each_model in models:
                each_model.hear(told.values())
        else:
            key = chance.choice(["i-01", "i-01", "i-02", "i-03"])
            said = Told("", side, key, chance.choice([*STATES, NEW]), chance.random() < 0.7, frozenset())
            if said.state == NEW:
                said = said._replace(issue=model.next_issue(side))
            words = ["--new-issue", "more"] if said.state == NEW else ["--issue", f"{key}={said.state}"]
            if said.reasoned and said.state != NEW:
                words[-1] += ":because"
            done = clone("turn", name, "COUNTER", f"word {step}", *words)
            assert done.exit_code == (0 if model.allows(said) else 1), (step, said, done)
            if not done.exit_code:
                model.hear([said._replace(id=done.stdout.strip(), known=frozenset(model.told))])
        states = {
            side: {key: issue["state"] for key, issue in ledger.items()}
            for side, ledger in conversation(clone, name)["ledgers"].items()
        }
        assert states == model.states(), step
    assert len(models[0].told) > 4
