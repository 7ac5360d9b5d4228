"""Three clones and a remote, beside a model that knows sets of files and which decision replaces which."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from tests.conftest import Clock, Done, run_git
from tests.sync.conftest import LOG, Clone, files

PROGRAM: Final = (sys.executable, "-m", "gitdecide")
SEEN: Final = "refs/decisions-seen/origin"
FETCHED: Final = "refs/decisions-remotes/origin/log"
READING: Final = ("--read", "app.py")

Files = frozenset[str]
NONE: Final = Files()


class Replacing(NamedTuple):
    """A decision as the model knows it: its file, its record, and the decisions that it replaces."""

    file: str
    record: str
    replaces: frozenset[str]


class World:
    """The clones and the remote, and what the model says each must hold."""

    def __init__(self, clones: Sequence[Clone], hub: Path, clock: Clock, chance: random.Random) -> None:
        self.clones = clones
        self.hub = hub
        self.clock = clock
        self.chance = chance
        self.logs = [Files(clone.files) for clone in clones]
        self.remote: Files = NONE
        self.fetched = [NONE for _ in clones]
        self.seen = [NONE for _ in clones]
        self.decisions: dict[str, Replacing] = {}
        self.numbers = count()
        self.proved = [""] * len(clones)
        self._held: dict[str, Files] = {}
        self.steps: list[Callable[[int], None]] = [
            self.ask, self.vote, self.vote, self.check, self.bind, self.supersede, self.supersede, self.sync,
            self.sync, self.sync, self.fetch, self.tidy, self.mirror, self.rewind, self.years, self.read,
            self.killed, self.killed_writer,
        ]  # fmt: skip

    # --- what people do

    def ask(self, who: int) -> None:
        """A new record."""
        self._grow(who, self.clones[who]("ask", f"Question {next(self.numbers)} of {who}?").id)

    def vote(self, who: int) -> None:
        """A vote in any record of the log."""
        if name := self._any(who):
            self._grow(who, self.clones[who]("vote", name, "inform", "-m", "so", *READING).id)

    def check(self, who: int) -> None:
        """A check that really runs, and holds or fails."""
        if name := self._any(who):
            self._grow(who, self.clones[who]("check", name, "--", self.chance.choice(["true", "false"])).id)

    def bind(self, who: int) -> None:
        """A decision, which an undecided record takes, and no other."""
        if name := self._any(who):
            undecided = self.status(who, name) == "open"
            done = self._decide(who, "bind", name, ())
            assert done.exit_code == (0 if undecided else 1), done

    def supersede(self, who: int) -> None:
        """A decision that replaces some that are live, in its own record and perhaps in another one."""
        if not (name := self._any(who)):
            return
        own = self.live(who, name)
        foreign = [key for other in self._names(who) if other != name for key in self.live(who, other)]
        replaced = self.chance.sample(own, self.chance.randint(1, len(own))) if own else []
        if foreign and (not own or self.chance.random() < 0.3):
            replaced.append(self.chance.choice(foreign))
        if replaced:
            done = self._decide(who, "supersede", name, replaced)
            assert done.exit_code == 0, done

    def read(self, who: int) -> None:
        """A reader may fast-forward to what was fetched and to nothing else, and sees what the model says."""
        for line in self._listed(who):
            name, status = line.split()[:2]
            assert status == self.status(who, name), line

    # --- what happens to logs

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
        self._kill(who, "sync")
        place = self.clones[who].path
        whole = self.logs[who] | self.remote | self.seen[who]
        log, seen, fetched = (self._at(place, ref) for ref in (LOG, SEEN, FETCHED))
        assert log in (self.logs[who], whole)
        assert seen in (self.seen[who], whole)
        assert fetched in (self.fetched[who], self.remote, whole)
        remote = self._at(self.hub)
        assert remote in (self.remote, whole)
        self.logs[who], self.seen[who], self.fetched[who], self.remote = log, seen, fetched, remote

    def killed_writer(self, who: int) -> None:
        """A vote that SIGKILL ends: it is there whole, or not at all."""
        if name := self._any(who):
            self._kill(who, "vote", name, "inform", "-m", f"killed {next(self.numbers)}", *READING)
            now = Files(self.clones[who].files)
            assert now >= self.logs[who]
            assert len(now - self.logs[who] - self.fetched[who]) <= 2
            self.logs[who] = now

    def fetch(self, who: int) -> None:
        """Plain git, with and without --prune: the log stays."""
        self.clones[who].git("fetch", "-q", *self.chance.choice([[], ["--prune"]]))
        self.fetched[who] = self.remote

    def tidy(self, who: int) -> None:
        """What git does to its files."""
        how = self.chance.choice(["gc -q --prune=now", "pack-refs --all", "prune", "repack -adq"])
        run_git(self.chance.choice([self.clones[who].path, self.hub]), *how.split())

    def mirror(self, who: int) -> None:
        """The remote becomes a copy of one clone, which git notes where it notes what it fetched."""
        self.clones[who].git("push", "-q", "--mirror", "--no-verify")
        self.remote = self.fetched[who] = self.logs[who]

    def rewind(self, _: int) -> None:
        """The remote's log is taken back."""
        if self.remote:
            past = run_git(self.hub, "rev-list", "--max-count=6", LOG).split()
            run_git(self.hub, "update-ref", LOG, self.chance.choice(past))
            self.remote = self._at(self.hub)

    def years(self, _: int) -> None:
        """Clocks are wrong."""
        self.clock.pass_(days=self.chance.choice([-800, -365, 365, 800]))

    # --- what must hold

    def assert_held(self) -> None:
        """Each log, and the remote's, holds what the model says; what is new in them is without fault."""
        for who, clone in enumerate(self.clones):
            assert self._at(clone.path) == self.logs[who], f"clone {who}"
            if (tip := clone.tip) != self.proved[who]:
                done = clone("fsck")
                assert done.exit_code == 0, done
                self.proved[who] = tip
        assert self._at(self.hub) == self.remote

    def live(self, who: int, name: str) -> list[str]:
        """The decisions of a record that nothing in this log replaces."""
        known = self._known(who)
        replaced = frozenset[str]().union(*(each.replaces for each in known.values()))
        return sorted(key for key, each in known.items() if each.record == name and key not in replaced)

    def status(self, who: int, name: str) -> str:
        """What `list` must say of a record: by its live decisions, and what replaced its others elsewhere."""
        known = self._known(who)
        own = {key for key, each in known.items() if each.record == name}
        by_own = frozenset[str]().union(*(known[key].replaces for key in own))
        elsewhere = [key for key, each in known.items() if key not in own | by_own and each.replaces & own]
        live = self.live(who, name)
        if len(live) + len(elsewhere) > 1:
            return "contested"
        return "decided" if live else "superseded" if elsewhere else "open"

    def _known(self, who: int) -> dict[str, Replacing]:
        return {key: each for key, each in self.decisions.items() if each.file in self.logs[who]}

    def _names(self, who: int) -> Iterator[str]:
        """The records of a log."""
        return (file.split("/")[2] for file in sorted(self.logs[who]) if "/question-" in file)

    def _any(self, who: int) -> str | None:
        """A record of the log, after it has followed what was fetched."""
        self._listed(who)
        names = list(self._names(who))
        return self.chance.choice(names) if names else None

    def _decide(self, who: int, verb: str, name: str, replaced: Sequence[str]) -> Done:
        named = [f"{self.decisions[key].record}:{key}" for key in replaced]
        more = [word for key in named for word in ("--replaces", key)]
        more += ["-m", "so"] if verb == "supersede" else []
        outcome = self.chance.choice([["reject"], ["defer"], ["adopt", "--despite", "so"]])
        text = f"decision {next(self.numbers)} of {who}"
        done = self.clones[who](verb, name, outcome[0], text, *outcome[1:], *more, *READING, "--no-code")
        if done.exit_code == 0:
            self._grow(who, done.id, others=len({self.decisions[key].record for key in replaced} - {name}))
            file = next(file for file in self.logs[who] if done.id in file)
            self.decisions[done.id] = Replacing(file, name, frozenset(replaced))
        return done

    def _kill(self, who: int, *args: str) -> None:
        process = subprocess.Popen(
            [*PROGRAM, *args],
            cwd=self.clones[who].path,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(self.chance.uniform(0.05, 0.4))
        process.kill()
        process.wait()
        with suppress(ProcessLookupError):  # once every git that it started has ended
            while True:
                os.killpg(process.pid, 0)
                time.sleep(0.01)

    def _listed(self, who: int) -> list[str]:
        done = self.clones[who]("list", "--limit", "0")
        assert done.exit_code == 0, done
        now = self._at(self.clones[who].path)
        assert now in (self.logs[who], self.logs[who] | self.fetched[who])
        self.logs[who] = now
        return done.stdout.splitlines()

    def _grow(self, who: int, name: str, *, others: int = 0) -> None:
        """A writer added an entry, its actor where that is new, and one in each record it replaces in."""
        now = self._at(self.clones[who].path)
        new = now - self.logs[who] - self.fetched[who]
        assert now >= self.logs[who]
        assert 1 + others <= len(new) <= 2 + others
        assert any(name.rpartition("-")[2] in file for file in new)
        self.logs[who] = now

    def _at(self, repository: Path, ref: str = LOG) -> Files:
        """What a ref holds, nothing where there is none."""
        tip = run_git(repository, "for-each-ref", "--format=%(objectname)", ref)
        if tip and tip not in self._held:
            self._held[tip] = Files(files(repository, tip))
        return self._held[tip] if tip else NONE
