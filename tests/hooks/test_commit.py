"""What is judged when a commit is made: the commit, not the working tree."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import Decide
from tests.hooks.conftest import Place, Records, passed, refused


def test_the_index_that_git_hands_over_is_judged(place: Place) -> None:
    """`git commit -a` and `git commit PATH` commit other things than the index holds: they are judged."""
    place.policy()
    place.write("src/app.py", "x = 2\n")
    place.stage("README.md", "note\n")

    passed(place.git("commit", "-qm", "docs only", "README.md"))
    before = place.do("status", "--porcelain")
    refused(place.git("commit", "-qam", "code, no decision"), "G8", "src/app.py")
    assert place.do("status", "--porcelain") == before

    place.stage("src/other.py")
    place.write("README.md", "note\nmore\n")
    passed(place.git("commit", "-qm", "docs again", "README.md"))
    before = place.do("status", "--porcelain")
    by_path = place.git("commit", "-qm", "code by path", "src/app.py")
    refused(by_path, "G8", "(src/app.py)")
    assert "index.lock" not in by_path.stderr
    assert place.do("status", "--porcelain") == before


def test_hunks_picked_one_by_one_are_judged(place: Place, records: Records) -> None:
    """`git commit -p` is judged by what was picked."""
    place.link(records.unchecked)
    place.write("src/app.py", "x = 2\n")
    place.stage("a.md", "a\n")

    refused(place.git("commit", "-qpm", "picked", stdin="y\n"), "G6", "src/app.py")
    passed(place.git("commit", "-qpm", "not picked", stdin="n\n"))


HIDDEN = {
    "undone in the working tree": ["show HEAD:src/app.py"],
    "renamed": ["reset -q --hard", "mv src/app.py src/b.py"],
    "deleted": ["reset -q --hard", "rm -q src/app.py"],
    "mode": ["reset -q --hard", "update-index --chmod=+x src/app.py"],
}


@pytest.mark.parametrize("way", HIDDEN)
def test_what_the_working_tree_hides_is_seen(place: Place, records: Records, way: str) -> None:
    """Renames, deletions, modes, and content that was undone in the working tree are changes of code."""
    place.link(records.undecided)
    place.stage("src/app.py", "x = 9\n")
    for line in HIDDEN[way]:
        said = place.do(*line.split())
        if said:
            place.write("src/app.py", f"{said}\n")

    refused(place.commit("hidden"), "G2", "src/app.py")


def test_a_file_that_is_only_meant_to_be_added_is_no_change(place: Place) -> None:
    """What `git add -N` announces is not in the commit, and keeps its content."""
    place.policy()
    place.write("src/new.py", "z = 1\n")
    place.do("add", "-N", "src/new.py")
    place.stage("t.md", "t\n")

    passed(place.commit("docs"))
    assert (place.path / "src/new.py").read_text() == "z = 1\n"
    assert place.do("show", "--format=", "--name-only", "HEAD") == "t.md"


STATES = {"unchecked": "G6", "undecided": "G2", "rejected": "G5"}


@pytest.mark.parametrize("state", STATES)
def test_a_branch_linked_to_what_does_not_carry_code_is_refused(
    place: Place, records: Records, state: str
) -> None:
    """The refusal says which decision, which paths, and what would mend it; documents pass."""
    name = getattr(records, state)
    place.link(name)
    place.stage("docs/a.txt")
    passed(place.commit("docs"))
    place.stage()

    done = place.commit("code")

    refused(done, STATES[state], name, "(src/app.py)")
    assert re.search("^hint: .*git decide ", done.stderr, re.MULTILINE)
    assert place.message() == "docs"


def test_the_way_out_of_a_refusal_works(place: Place, records: Records, decide: Decide) -> None:
    """What the hint names makes the same commit pass, and it carries its decision."""
    place.link(records.unchecked)
    place.stage()
    refused(place.commit("code"), "G6")

    assert decide("check", records.unchecked, "--", "true", cwd=place.path).exit_code == 0
    mended = ("adopt", "yes", "-m", "checked now", "--check", "last", "--read", "src/app.py")
    assert decide("supersede", records.unchecked, *mended, cwd=place.path).exit_code == 0

    passed(place.commit("code"))
    assert place.trailers() == [f"Decision: {records.unchecked}"]


def test_an_unknown_link_is_refused(place: Place) -> None:
    """A name that means no record stops the commit."""
    place.link("DR-777-00000000")
    place.stage()

    refused(place.commit("code"), "G1", "DR-777-00000000")


def test_commits_in_a_linked_worktree_are_judged(place: Place, records: Records, decide: Decide) -> None:
    """A worktree has the same hooks, the same log and its own index."""
    place.policy()
    place.do("worktree", "add", "-q", "../wt", "-b", "feature")
    wt = Place(place.path.parent / "wt")
    assert decide("hooks", "install", cwd=wt.path).exit_code == 0
    wt.stage()
    refused(wt.commit("no decision"), "G8", "src/app.py")

    passed(wt.commit("linked", f"Decision: {records.adopted}"))
    wt.link(records.adopted)
    wt.stage("src/b.py")
    passed(wt.commit("by the branch"))
    assert wt.trailers() == [f"Decision: {records.adopted}"]
    assert decide("list", cwd=wt.path) == decide("list", cwd=place.path)


def test_a_submodule_has_its_own_gate(place: Place, tmp_path: Path, decide: Decide) -> None:
    """Hooks installed in a submodule judge there, and leave the superproject alone."""
    place.do("init", "-q", "../super")
    above = Place(tmp_path / "super")
    above.do("submodule", "add", "-q", str(place.path), "lib")
    lib = Place(above.path / "lib")
    hooks = sorted((above.path / ".git/hooks").iterdir())
    assert decide("init", cwd=lib.path).exit_code == 0
    lib.policy()
    lib.stage()

    refused(lib.commit("no decision"), "G8", "src/app.py")
    lib.link("DR-777")
    refused(lib.commit("linked to nothing"), "G1", "DR-777")
    assert sorted((above.path / ".git/hooks").iterdir()) == hooks
    assert above.do("for-each-ref", "refs/decisions") == ""


def test_a_submodules_pointer_is_code(place: Place, records: Records, tmp_path: Path) -> None:
    """Another commit of a submodule is a change, even where its settings say to ignore it."""
    place.do("init", "-q", "../lib")
    lib = Place(tmp_path / "lib")
    lib.stage("a.c")
    lib.do("commit", "-qm", "one")
    place.do("submodule", "add", "-q", str(lib.path), "lib")
    place.do("config", "-f", ".gitmodules", "submodule.lib.ignore", "all")
    place.do("commit", "-qanm", "with lib")
    place.link(records.undecided)
    Place(place.path / "lib").do("commit", "-q", "--allow-empty", "-m", "two")
    place.do("add", "--force", "lib")
    place.do("update-index", "--cacheinfo", f"160000,{Place(place.path / 'lib').tip()},lib")

    refused(place.commit("newer lib"), "G2", "(lib)")


def test_a_sparse_checkout_is_judged(place: Place, records: Records) -> None:
    """Files that are not checked out are no deletions, and a policy that is not there is in force."""
    place.policy()
    place.do("sparse-checkout", "set", "--no-cone", "/docs/")
    place.stage("docs/a.md", "a\n")
    passed(place.commit("docs"))
    place.do("update-index", "--add", "--cacheinfo", f"100644,{place.tip('HEAD:docs/a.md')},src/app.py")

    refused(place.commit("code"), "G8", "(src/app.py)")


def test_the_first_commit_of_all_is_judged(place: Place, records: Records) -> None:
    """Before there is a HEAD, everything that is staged is new."""
    place.do("checkout", "-q", "--orphan", "fresh")
    place.link(records.undecided, "fresh")
    refused(place.commit("first"), "G2", "src/app.py")

    place.link(records.adopted, "fresh")
    passed(place.commit("first"))
    assert place.trailers() == [f"Decision: {records.adopted}"]


def test_a_staged_policy_does_not_weaken_its_own_commit(place: Place) -> None:
    """The policy of HEAD is in force: taking it away with the code helps nobody."""
    place.policy()
    place.do("rm", "-q", ".gitdecide.yaml")
    place.stage()

    refused(place.commit("code"), "G8")


def test_a_policy_that_cannot_be_read_does_not_stop_its_repair(place: Place, records: Records) -> None:
    """The defaults are in force, and it is said so."""
    place.policy("require: linked\nreqire: x\n")
    place.stage(".gitdecide.yaml", "require: linked\n")

    done = place.commit("repair")

    assert done.exit_code == 0, done
    assert "warning: .gitdecide.yaml: line 2: " in done.stderr


BRANCHES = ["-x", "a'b\"c", "$(touch${IFS}owned)`touch${IFS}owned`", "ü;b&c|d", "decide/ba]ck"]


@pytest.mark.parametrize("branch", BRANCHES)
def test_a_branch_may_be_called_anything(place: Place, records: Records, branch: str) -> None:
    """No name of a branch becomes an option, a word of its own or a command."""
    place.do("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    place.do("commit", "-qnm", "begin")
    place.stage()
    passed(place.commit("not linked"))
    place.link(records.undecided, branch)
    place.stage("src/app.py", "x = 3\n")

    refused(place.commit("linked"), "G2", "src/app.py")
    assert not list(place.path.rglob("owned"))


ODD = {
    "src/größe.py": "src/größe.py",
    "src/a b.py": "src/a b.py",
    "src/tab\tx.py": "src/tab\tx.py",
    'src/"q".py': 'src/"q".py',
    "src/back\\slash.py": "src/back\\slash.py",
    "src/x b/y.py": "src/x b/y.py",
    "src/new\nline.py": "src/new\\nline.py",
}


def test_a_path_may_be_called_anything(place: Place, records: Records) -> None:
    """Names that git would quote are code like others, and are told readably."""
    place.policy("code: ['src/**']\n")
    place.link(records.undecided)
    for name, shown in ODD.items():
        place.stage(name)
        refused(place.commit("odd"), "G2", f"({shown})")
        place.do("rm", "-qf", "--", name)
    first, *_, last = ODD
    place.stage(first)
    place.do("commit", "-qnm", "before")
    place.do("mv", first, last)
    refused(place.commit("renamed"), "G2")


def test_no_locale_stops_the_hook(place: Place, records: Records) -> None:
    """What a locale cannot say is spelled out."""
    place.link(records.undecided)
    place.stage("src/größe.py")

    done = place.commit("odd", LC_ALL="C", PYTHONIOENCODING="ascii")

    refused(done, "G2", "(src/gr\\xf6\\xdfe.py)")


def test_an_interrupted_hook_changes_nothing(place: Place, records: Records, tmp_path: Path) -> None:
    """Ctrl-C while the hook runs leaves the index and every file as they were."""
    place.link(records.adopted)
    place.stage()
    place.write("src/app.py", "x = 'unstaged'\n")
    place.write("new.txt")
    before = (place.do("status", "--porcelain"), place.do("ls-files", "--stage"))
    waiting = tmp_path / "waiting"
    (place.hooks / "pre-commit.decide-kept").write_text(f"#!/bin/sh\n: >'{waiting}'\nexec sleep 60\n")
    (place.hooks / "pre-commit.decide-kept").chmod(0o755)

    making = subprocess.Popen(
        ["git", "commit", "-qm", "stopped"], cwd=place.path, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not waiting.exists():
        time.sleep(0.01)
    os.killpg(making.pid, signal.SIGINT)

    assert making.wait(30) != 0
    assert (place.do("status", "--porcelain"), place.do("ls-files", "--stage")) == before
    assert (place.path / "src/app.py").read_text() == "x = 'unstaged'\n"


def test_a_damaged_log_stops_commits_on_a_linked_branch(place: Place, records: Records) -> None:
    """What cannot be read is no yes: one clear line, and the exit code of damage for the hook."""
    place.link(records.adopted)
    place.stage()
    folder = place.do("ls-tree", "-rd", "--name-only", "refs/decisions/log").split("\n")
    path = next(name for name in folder if name.endswith(records.adopted))
    decision = next(
        line
        for line in place.do("ls-tree", "refs/decisions/log", f"{path}/").split("\n")
        if "/decision-" in line
    ).split()[2]
    (place.path / ".git/objects" / decision[:2] / decision[2:]).unlink()

    done = place.commit("code")

    assert done.exit_code != 0
    assert [line for line in done.stderr.splitlines() if line.startswith("error: ")] == [
        f"error: {records.adopted} is damaged: decision-{decision}.yaml: its content is missing here"
    ]


def test_a_lost_log_stops_commits_on_a_linked_branch(place: Place, records: Records) -> None:
    """Without the log nobody knows what a link means."""
    place.link(records.adopted)
    place.do("update-ref", "-d", "refs/decisions/log")
    place.stage()

    done = place.commit("code")

    assert done.exit_code != 0
    assert f"error: {records.adopted} is linked, and there is no decision log here" in done.stderr
