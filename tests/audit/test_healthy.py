"""Nothing is found in a log that our own writers made, however its clones were merged."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitdecide import cli
from gitdecide.app import App
from gitdecide.audit import Audit, audit
from gitdecide.audit.finding import NEWER
from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Challenge, Check
from gitdecide.store.snapshot import Snapshot
from tests.audit.forging import AT, LOG, Forge, forging
from tests.bench.build import sealed_environ
from tests.conftest import Clock, GitRunner, run_git

CLONES = ("refs/heads/a", "refs/heads/b", "refs/heads/c")
"""Three logs in one repository grow apart as they would in three, and nothing has to be fetched."""


class Team:
    """Three clones that say things at random, each by the program, and take over each other's logs."""

    def __init__(self, forge: Forge, environ: dict[str, str], seed: int) -> None:
        self.forge = forge
        self.environ = environ
        self.random = random.Random(seed)
        self.said: list[str] = []

    def speak(self, clone: str) -> None:
        words = self._words(Snapshot(self.forge.objects, self.tip(clone)))
        who = self.random.choice([(), ("--as", "bot"), ("--as", "staff")])
        setting = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "decide.ref", "GIT_CONFIG_VALUE_0": clone}
        code = cli.run(App({**self.environ, **setting}, self.forge.repo), [*words, *who])
        assert code in (0, 1), words
        self.said += [] if code else [words[0]]

    def merge(self, clone: str, *others: str) -> None:
        merged = self.forge.union(*dict.fromkeys(map(self.tip, (clone, *others))))
        run_git(self.forge.repo, "update-ref", clone, merged)

    def tip(self, clone: str) -> str:
        return run_git(self.forge.repo, "rev-parse", clone)

    def _words(self, snapshot: Snapshot) -> list[str]:
        names = list(snapshot.names())
        if not names or self.random.random() < 0.15:
            return ["ask", "Why?"]
        if self.random.random() < 0.1:
            known = self.random.choice(["bot", "staff", "eve"])
            return ["actor", "add", known, "--icon", str(len(self.said))]
        record = snapshot.record(self.random.choice(names))
        name, read = str(record.name), ["--read", "message:m1"]
        likely: list[list[str]] = [
            ["vote", name, "support", "-m", "sounds right"],
            ["vote", name, "inform", "-m", "looked", *read],
            ["check", name, "--report", self.random.choice("012"), "-c", "true"],
            ["challenge", name, "is it?", *read],
            ["bind", name, "reject", "no", *read],
            ["bind", name, "adopt", "yes", "--check", "last", *read] if record.of(Check) else [],
            *(["answer", name, found.id, "reject", "-m", "it is"] for found in record.of(Challenge)[:1]),
            ["supersede", name, "reject", "no", "-m", "x", *read, *self._replaced(snapshot, names, name)],
        ]  # fmt: skip
        return self.random.choice([words for words in likely if words])

    def _replaced(self, snapshot: Snapshot, names: list[RecordName], name: str) -> Iterator[str]:
        """Every live decision of the record, and sometimes that of another one."""
        other = self.random.choice(names)
        for replaced in dict.fromkeys([name, str(other) if self.random.random() < 0.5 else name]):
            record = snapshot.record(RecordName.parse(replaced) or other)
            for live in record.live:
                yield from ("--replaces", f"{replaced}:{live.id}")


@pytest.mark.parametrize(("way", "seed"), [("libgit2", 1), ("plumbing", 2), ("libgit2", 4)])
def test_a_log_of_our_own_making_is_without_fault(tmp_path: Path, clock: Clock, way: str, seed: int) -> None:
    """Whatever clones say, and in whatever order they merge: audited at every merge, and as a whole."""
    environ = sealed_environ(tmp_path / "home")
    run_git(tmp_path, "init", "-q", "--template=", "team")
    with forging(tmp_path / "team", way) as forge:
        assert cli.run(App(environ, forge.repo), ["init", "--no-hooks"]) == 0
        for clone in CLONES:
            run_git(forge.repo, "update-ref", clone, LOG)
        team = Team(forge, environ, seed)
        proved = [forge.tip]
        for _ in range(70):
            clone, *others = team.random.sample(CLONES, team.random.choice([2, 2, 2, 3]))
            if team.random.random() < 0.8:
                team.speak(clone)
            else:
                team.merge(clone, *others)
                assert list(audit(forge.git, forge.objects, forge.tip, proved)) == []
                proved = [*proved[-1:], forge.tip]
        team.merge(*CLONES)
        whole = Audit(forge.git, forge.objects, forge.tip)

        assert list(whole.findings()) == []
        assert whole.commits == int(run_git(forge.repo, "rev-list", "--count", forge.tip))
        assert {"ask", "vote", "check", "challenge", "bind", "supersede"} <= set(team.said)


def test_the_story_is_without_fault(forge: Forge) -> None:
    """The log that every test here spoils has nothing wrong with it."""
    assert forge.findings() == []


def test_the_same_entry_in_two_histories_is_no_fault(forge: Forge) -> None:
    """Two clones that import the same file write the same bytes, each after the same heads."""
    base, record = forge.tip, forge.record(2)
    files = forge.files(record, forge.vote(record))
    first = forge.commit(files, on=base)
    second = forge.commit(
        files, on=forge.commit(forge.files(forge.record(3), forge.vote(forge.record(3))), on=base)
    )
    forge.union(first, second)

    assert forge.findings() == []


def test_several_entries_of_one_commit_may_build_on_each_other(forge: Forge) -> None:
    """What comes before in the same commit was there."""
    question = forge.question(7)
    record = RecordName.of(7, forge.id(question))
    qid = forge.id(question)
    vote = forge.vote(forge.record(2), qid=qid, after=(qid,))
    backing = (forge.id(vote),)
    decision = forge.decision(forge.record(2), qid=qid, after=backing, read=(), backed_by=backing)
    forge.commit(forge.files(record, decision, vote, question))

    assert forge.findings() == []


def test_commits_that_add_nothing_are_no_fault(forge: Forge) -> None:
    """Neither an empty commit, nor a merge of what is merged, nor one of three histories."""
    base = forge.commit({})
    sides = []
    for number in (1, 2, 3):
        record = forge.record(number, base)
        sides.append(forge.commit(forge.files(record, forge.vote(record)), on=base))
    forge.union(*sides)
    forge.union(forge.tip, base)

    assert forge.findings() == []


def test_yaml_that_is_not_as_we_write_it_is_no_fault(forge: Forge) -> None:
    """Any strict document that fits the schema is an entry."""
    record = forge.record(2)
    data = b"# by hand\n" + document.dump(forge.vote(record)).replace(
        b"stance: inform", b"'stance': \"inform\""
    )
    forge.commit({f"{record.name.path}/vote-{forge.id(data)}.yaml": data})

    assert forge.findings() == []


def test_what_is_newer_is_said_and_no_fault(forge: Forge) -> None:
    """Types, fields and formats that we do not know are named as such."""
    record = forge.record(2)
    common = f"actor: Ada\nat: {AT.format(0)}\nqid: {record.question.id}\nafter:\n"
    poll = f"type: poll\n{common}  - {record.heads[0]}\nmood: fine\n".encode()
    forge.commit({f"{record.name.path}/poll-{forge.id(poll)}.yaml": poll})
    vote = document.dump(forge.vote(forge.record(2))).replace(b"    message:", b"    pages: 3\n    message:")
    vote = vote.replace(b"  - message:", b"  - pages: 3\n    message:") + b"mood: fine\n"
    forge.commit({f"{record.name.path}/vote-{forge.id(vote)}.yaml": vote})
    forge.commit({"format/2": b"newer\n"})
    found = forge.findings()

    assert {finding.kind for finding in found} == {NEWER}
    assert not any(finding.fault or finding.fatal for finding in found)
    assert sorted(finding.message for finding in found) == [
        "a newer git-decide wrote it: this one knows no mood, pages",
        "a newer git-decide wrote it: this one knows no poll",
        "format 2 is newer than this git-decide",
    ]


def test_nothing_but_the_commits_counts(forge: Forge, git: GitRunner) -> None:
    """Replaced objects, grafts and what a user sets for diffs and logs change no finding."""
    path = next(iter(forge.files(forge.record(2), forge.vote(forge.record(2)))))
    honest, spoiled = forge.tip, forge.commit({"README": b"x\n", path: b"x\n"})
    expected = forge.findings()
    git(forge.repo, "replace", spoiled, honest)
    (forge.repo / ".git" / "info").mkdir(exist_ok=True)
    (forge.repo / ".git" / "info" / "grafts").write_text(f"{spoiled}\n")
    for setting in (
        "diff.renames=copies", "diff.relative=true", "diff.ignoreSubmodules=all",
        "log.showSignature=true", "i18n.logOutputEncoding=latin1",
    ):  # fmt: skip
        git(forge.repo, "config", *setting.split("="))

    assert len(expected) == 2
    assert forge.findings() == expected


def test_an_author_is_compared_as_git_keeps_it(forge: Forge) -> None:
    """Git takes full stops and blanks off the ends of a name, and keeps others than ASCII."""
    record = forge.record(2)
    for actor, author in (("Ada Jr.", "Ada Jr"), ("Žofie", "Žofie")):
        forge.commit(forge.files(record, forge.vote(forge.record(2), actor=actor)), author=author)

    assert forge.findings() == []
    assert (
        subprocess.run(
            ["git", "fsck", "--strict"], cwd=forge.repo, check=False, capture_output=True
        ).returncode
        == 0
    )
