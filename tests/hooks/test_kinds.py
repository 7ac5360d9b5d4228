"""The main path, hooks and sharing included, in kinds of repositories that libgit2 or git treat apart."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from gitdecide.git.bulk import way
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from tests.conftest import Decide, Done, GitRunner
from tests.hooks.conftest import PROGRAM, Place, Records, passed, refused

LOG = "refs/decisions/log"


class Pair(NamedTuple):
    """A repository, the bare server that is its remote, and the program in the former."""

    place: Place
    server: Place
    decide: Decide

    def ok(self, *words: str) -> Done:
        """Run git-decide where it must end well."""
        done = self.decide(*words, cwd=self.place.path)
        assert done.exit_code == 0, done
        return done

    def points(self) -> dict[str, dict[str, str]]:
        """What doctor says, by the names of its points."""
        said = json.loads(self.ok("doctor", "--remote", "--json").stdout)["points"]
        return {point["name"]: point for point in said}

    def decided(self) -> str:
        """The full name of a record that the whole main path led to a decision for code."""
        name = self.ok("ask", "Double it?").id
        self.ok("vote", name, "support", "-m", "it is small", "--read", "src/app.py")
        check = self.ok("check", name, "--premise", "it is there", "--", "grep", "-q", "x", "src/app.py").id
        challenge = self.ok("challenge", name, "too small", "--read", "src/app.py").id
        self.ok("answer", name, challenge, "reject", "-m", "it is not", "--read", "src/app.py")
        self.ok("bind", name, "adopt", "yes", "--check", check, "--read", "src/app.py")
        return name


@pytest.fixture
def pair(tmp_path: Path, decide: Decide) -> Callable[..., Pair]:
    """Make a repository with one commit, and its server with the hook, both of one kind."""

    def make(*options: str) -> Pair:
        places = Place(tmp_path / "work"), Place(tmp_path / "server.git")
        for made, bare in zip(places, ([], ["--bare"]), strict=True):
            made.path.mkdir()
            if made.git("init", "-q", *options, *bare).exit_code:
                pytest.skip(f"this git has no {' '.join(options)}")
        place, server = places
        place.stage(text="x = 1\n")
        place.do("commit", "-qm", "base")
        place.do("remote", "add", "origin", str(server.path))
        place.do("push", "-q", "-u", "origin", "main")
        assert decide("hooks", "install", cwd=server.path).exit_code == 0
        return Pair(place, server, decide)

    return make


UNKNOWN_TO_LIBGIT2 = {
    "sha256": ["--object-format=sha256"],
    "reftable": ["--ref-format=reftable"],
    "sha256, reftable": ["--object-format=sha256", "--ref-format=reftable"],
}


@pytest.mark.parametrize("kind", UNKNOWN_TO_LIBGIT2)
def test_every_command_and_hook_where_git_works_alone(
    pair: Callable[..., Pair], tmp_path: Path, kind: str
) -> None:
    """With long ids, or refs in tables, all works, from asking to a second clone that proves what came."""
    both = pair(*UNKNOWN_TO_LIBGIT2[kind])
    place, server, ok = both.place, both.server, both.ok
    ok("init")
    undecided = ok("ask", "Triple it?").id
    ok("link", undecided)
    place.stage()
    refused(place.commit("triple"), "G2", undecided)
    name = both.decided()
    ok("link", name)
    passed(place.commit("double"))
    assert place.trailers() == [f"Decision: {name}"]
    ok("supersede", name, "adopt", "yes, and test it", "-m", "it was bare", "--check", "last")

    assert name in ok("show", name).stdout
    assert ok("list").stdout.splitlines()[0].startswith(name)
    assert "DR-002 decision: adopt by Ada" in ok("log").stdout
    assert name in ok("why", "src/app.py").stdout
    assert ok("recheck", name).stdout
    assert ok("verify", "HEAD~1..HEAD").stdout == ""
    ids = {len(entry["id"]) for entry in json.loads(ok("show", name, "--json").stdout)["entries"]}
    assert ids == {64 if kind.startswith("sha256") else 40}
    assert name in ok("search", "Double").stdout
    passed(place.git("push", "-q", "origin", "main"))
    assert server.tip(LOG) == place.tip(LOG)
    ok("unlink")
    place.write("src/app.py", "x = 3\n")
    place.do("commit", "-qanm", f"triple\n\nDecision: {undecided}")
    refused(place.git("push", "-q", "--no-verify", "origin", "main"), "G2", undecided)
    assert both.decide("verify", cwd=place.path).exit_code == 1
    ok("fsck")
    points = both.points()
    assert points["objects"]["says"].startswith("git alone")
    assert f"({kind})" in points["repository"]["says"]

    # Cloned with git's usual way to keep refs.
    other = Place(tmp_path / "other")
    place.do("clone", "-q", str(server.path), str(other.path))
    adopted = both.decide("init", cwd=other.path)
    assert (adopted.exit_code, other.tip(LOG)) == (0, place.tip(LOG)), adopted
    assert both.decide("sync", "--from", str(place.path), cwd=other.path).exit_code == 0
    assert both.decide("verify", "HEAD", f"--log={LOG}", cwd=other.path).exit_code == 0
    assert both.decide("fsck", "--full", cwd=other.path).exit_code == 0


def test_the_log_in_a_branch(pair: Callable[..., Pair], tmp_path: Path) -> None:
    """With decide.ref on both sides, hooks, sync, fetch, doctor and verify work on the branch alone."""
    both = pair()
    place, server, ok = both.place, both.server, both.ok
    branch = "refs/heads/decisions"
    for made in (place, server):
        made.do("config", "decide.ref", branch)
    ok("init")
    name = both.decided()
    ok("link", name)
    place.stage()
    passed(place.commit("double"))
    passed(place.git("push", "-q", "origin", "main"))

    assert server.tip(branch) == place.tip(branch)
    assert place.git("rev-parse", "--verify", "-q", LOG).exit_code == 1
    assert ok("verify", "HEAD~1..HEAD").stdout == ""
    points = both.points()
    assert {points[key]["level"] for key in ("log", "fetch", "shared", "remote", "hooks")} == {"ok"}
    # The server judges what is pushed to the branch as a log, and no decision as code.
    place.do("update-ref", "refs/heads/gone", place.tip(f"{branch}~1"))
    lost = place.git("push", "-q", "--no-verify", "origin", f"+gone:{branch}")
    refused(lost, "R4", "does not contain")

    other = Place(tmp_path / "other")
    place.do("clone", "-q", str(server.path), str(other.path))
    other.do("config", "decide.ref", branch)
    assert both.decide("init", cwd=other.path).exit_code == 0
    vote = both.decide("vote", name, "inform", "-m", "late", cwd=other.path).id
    assert both.decide("sync", cwd=other.path).exit_code == 0
    place.do("fetch", "-q")
    assert vote in ok("show", name, "--json").stdout


def linked_worktree(place: Place, tmp_path: Path) -> Place:
    """A linked worktree, of which git tells sparse checkout and more in a file of its own."""
    place.do("config", "core.repositoryformatversion", "1")
    place.do("config", "extensions.worktreeConfig", "true")
    place.do("config", "--worktree", "core.sparseCheckout", "true")
    place.do("worktree", "add", "-q", str(tmp_path / "wt"))
    return Place(tmp_path / "wt")


def relative_worktree(place: Place, tmp_path: Path) -> Place:
    """A linked worktree that finds its repository by a relative path, as git 2.48 makes them."""
    made = place.git("worktree", "add", "-q", "--relative-paths", str(tmp_path / "wt"))
    if made.exit_code:
        place.do("worktree", "add", "-q", str(tmp_path / "wt"))
        (tmp_path / "wt" / ".git").write_text("gitdir: ../r/.git/worktrees/wt\n")
    return Place(tmp_path / "wt")


@pytest.mark.parametrize("kind", [linked_worktree, relative_worktree])
def test_worktrees_of_every_kind(
    place: Place, records: Records, decide: Decide, tmp_path: Path, kind: Callable[[Place, Path], Place]
) -> None:
    """List, fsck and a judged commit work where the worktree has settings or paths of its own."""
    there = kind(place, tmp_path)
    there.stage()
    there.link(records.adopted)

    assert records.adopted in decide("list", cwd=there.path).stdout
    passed(there.commit("in a worktree"))
    assert there.trailers() == [f"Decision: {records.adopted}"]
    assert decide("fsck", cwd=there.path).exit_code == 0
    assert decide("doctor", cwd=there.path).exit_code == 0


@pytest.fixture
def partial(place: Place, tmp_path: Path) -> Place:
    """A clone without any blob, with the log fetched by hand."""
    place.do("config", "uploadpack.allowFilter", "true")
    url = f"file://{place.path}"
    place.do("clone", "-q", "--filter=blob:none", "--no-checkout", url, str(tmp_path / "part"))
    made = Place(tmp_path / "part")
    made.do("fetch", "-q", "origin", "refs/decisions/*:refs/decisions/*")
    return made


def test_a_partial_clone_fetches_what_it_reads(partial: Place, place: Place, decide: Decide) -> None:
    """Everything is read as in a whole clone, and proved; all that is missing comes in one fetch."""
    packs = partial.path / ".git" / "objects" / "pack"
    before = len(list(packs.glob("*.promisor")))
    assert "?" in partial.do("rev-list", "--objects", "--missing=print", LOG)
    assert decide("fsck", cwd=partial.path).exit_code == 0
    assert len(list(packs.glob("*.promisor"))) == before + 1
    for words in (("list",), ("show", "DR-1"), ("fsck", "--full")):
        there, here = decide(*words, cwd=partial.path), decide(*words, cwd=place.path)
        assert (there.exit_code, there.stdout.split("[")[0]) == (0, here.stdout.split("[")[0]), there


@pytest.mark.parametrize("words", ["list", "fsck", "show DR-1", "vote DR-1 abstain -m x"])
def test_a_partial_clone_without_its_remote(partial: Place, place: Place, decide: Decide, words: str) -> None:
    """What is missing is named; nothing is taken for empty."""
    place.path.rename(place.path.with_name("moved"))
    done = decide(*words.split(), cwd=partial.path)

    assert (done.exit_code, done.stdout) == (3, "")
    assert re.match(r"error: .*[0-9a-f]{40}", done.stderr), done.stderr


def test_the_way_that_bulk_work_takes(tmp_path: Path, git: GitRunner, place: Place) -> None:
    """Where libgit2 cannot open a repository, or read all of it, git does the work; the reason is told."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")

    def taken(path: Path, *setting: str) -> str | None:
        found = Git(path, os.environ)
        repository = Repository.discover(found)
        if setting:
            git(path, "config", *setting)
        chosen = way(found, repository, Plumbing(found))
        assert isinstance(chosen.objects, LibGit2) == (chosen.obstacle is None)
        return chosen.obstacle

    assert taken(place.path) is None
    assert "sha256" in str(taken(tmp_path / "long"))
    assert taken(place.path, "core.repositoryformatversion", "1") is None
    assert taken(place.path, "extensions.worktreeConfig", "true") is None
    assert "missing from origin" in str(taken(place.path, "remote.origin.promisor", "true"))
    git(place.path, "config", "--unset", "remote.origin.promisor")
    assert "extensions.refstorage" in str(taken(place.path, "extensions.refStorage", "reftable"))


@pytest.mark.parametrize("words", ["list", "fsck", "vote DR-1 abstain -m x"])
def test_a_repository_that_git_does_not_know(
    place: Place, records: Records, decide: Decide, words: str
) -> None:
    """An extension of a newer git is named in git's words, and nothing is judged to be fine."""
    place.link(records.adopted)
    place.stage()
    with (place.path / ".git" / "config").open("a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnewer = true\n\tyet = 1\n")
    done = decide(*words.split(), cwd=place.path)

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == "error: unknown repository extensions found: newer, yet\n"
    assert place.commit("unjudged").exit_code == 128


SAFE = {
    "global": ([], {}),
    "option": (["-c", "safe.directory=*"], {}),
    "variables": (
        [],
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"},
    ),
}
"""How git is told that a folder of somebody else is safe: its options, and its variables."""


@pytest.fixture
def foreign(place: Place, records: Records) -> Place:
    """A repository of somebody else, with staged code that the gate refuses."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    place.link(records.undecided)
    place.stage()
    for path in (place.path, *place.path.rglob("*")):
        os.chown(path, 1234, 1234)
    return place


def test_a_repository_of_somebody_else(foreign: Place, decide: Decide) -> None:
    """Git's own advice, exit 3, and no commit."""
    for word in ("list", "fsck", "doctor"):
        done = decide(word, cwd=foreign.path)
        assert done.exit_code == 3, done
        assert "git config --global --add safe.directory" in done.stdout + done.stderr
    assert foreign.commit("not ours").exit_code == 128


@pytest.mark.parametrize("told", SAFE)
def test_a_repository_that_is_told_to_be_safe(foreign: Place, records: Records, told: str) -> None:
    """In whichever way git is told, all works, libgit2 and the hooks included."""
    options, environ = SAFE[told]
    environ = {**environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    if told == "global":
        foreign.do("config", "--global", "safe.directory", str(foreign.path))

    for word in ("fsck", "doctor"):
        done = foreign.git(*options, "decide", word, **environ)
        assert done.exit_code == 0, done
    refused(foreign.git(*options, "commit", "-qm", "judged", **environ), "G2", records.undecided)
