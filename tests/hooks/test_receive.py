"""The hook of a server: in a bare repository, in quarantine, without anybody's identity."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Decide
from tests.hooks.conftest import Place, Records, passed, refused

Rewrite = Callable[[Place], str]


@pytest.fixture
def server(place: Place, decide: Decide, tmp_path: Path) -> Place:
    """A bare repository with the hook and a policy on main; `place` itself has no hooks."""
    place.policy()
    place.do("init", "-q", "--bare", "../server.git")
    server = Place(tmp_path / "server.git")
    place.do("remote", "add", "origin", "../server.git")
    place.do("push", "-q", "--no-verify", "origin", "main", "main:old")
    assert decide("hooks", "install", cwd=server.path).exit_code == 0
    decide("hooks", "uninstall", cwd=place.path)
    return server


def contents(server: Place) -> set[str]:
    """Every file of the server but those that a push may bring."""
    moving = ("objects", "refs", "packed-refs", "logs", "reftable")
    files = (path.relative_to(server.path) for path in server.path.rglob("*"))
    return {str(file) for file in files if file.parts[0] not in moving}


def test_a_push_is_judged_with_the_log_that_comes_with_it(
    place: Place, server: Place, records: Records
) -> None:
    """No identity, no home: unlinked code is refused, and the decision may be in the same push."""
    nobody = {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": os.devnull}
    before = contents(server)
    place.stage()
    place.do("commit", "-qnm", "unlinked")
    refused(place.git("push", "origin", "main", **nobody), "G8", place.tip()[:12], "(src/app.py)")
    place.do("commit", "-q", "--amend", "-m", "linked", "-m", f"Decision: {records.adopted}")
    without_log = place.git("push", "origin", "main", **nobody)
    assert (
        f"remote: error: {records.adopted} is linked, and there is no decision log here" in without_log.stderr
    )
    assert server.do("for-each-ref", "refs/decisions") == ""

    passed(place.git("push", "origin", "main", "refs/decisions/log", **nobody))
    assert server.tip("main") == place.tip("main")
    assert server.tip("refs/decisions/log") == place.tip("refs/decisions/log")
    passed(place.git("push", "origin", ":old", **nobody))
    passed(place.git("push", "origin", "main:refs/heads/copy", **nobody))
    assert contents(server) == before
    assert not list((server.path / "objects").glob("incoming*"))


def test_an_atomic_push_sees_its_log(place: Place, server: Place, records: Records) -> None:
    """All or nothing makes no difference to what is seen."""
    place.stage()
    place.do("commit", "-qm", "linked", "-m", f"Decision: {records.adopted}")

    passed(place.git("push", "--atomic", "origin", "main", "refs/decisions/log"))


def test_a_stored_log_serves_later_pushes(place: Place, server: Place, records: Records) -> None:
    """Code alone is judged by the log that the server has; new decisions are added to it."""
    place.do("push", "-q", "origin", "refs/decisions/log")
    place.stage()
    place.do("commit", "-qm", "linked", "-m", f"Decision: {records.adopted}")
    passed(place.git("push", "origin", "main"))
    place.stage("src/b.py")
    place.do("commit", "-qm", "unchecked", "-m", f"Decision: {records.unchecked}")

    refused(place.git("push", "origin", "main"), "G6", records.unchecked, place.tip()[:12])


def removed(place: Place) -> str:
    index = {"GIT_INDEX_FILE": str(place.path / ".git/log-index")}
    place.do("read-tree", "refs/decisions/log", **index)
    first = place.do("ls-files", "decisions", **index).split("\n")[0]
    place.do("update-index", "--force-remove", first, **index)
    return place.do("write-tree", **index)


def changed(place: Place) -> str:
    index = {"GIT_INDEX_FILE": str(place.path / ".git/log-index")}
    place.do("read-tree", "refs/decisions/log", **index)
    first = place.do("ls-files", "decisions", **index).split("\n")[0]
    blob = place.do("hash-object", "-w", "--stdin", stdin="type: vote\n")
    place.do("update-index", "--cacheinfo", f"100644,{blob},{first}", **index)
    return place.do("write-tree", **index)


@pytest.mark.parametrize("rewrite", [removed, changed])
def test_a_log_that_loses_or_changes_entries_is_refused(
    place: Place, server: Place, rewrite: Rewrite
) -> None:
    """On top of what the server has or beside it, by force or not, and no ref moves."""
    place.do("push", "-q", "origin", "refs/decisions/log")
    tip = place.tip("refs/decisions/log")
    tree = rewrite(place)
    on_top = place.do("commit-tree", "-m", "x", "-p", tip, tree)
    beside = place.do("commit-tree", "-m", "x", tree)

    refused(
        place.git("push", "origin", f"{on_top}:refs/decisions/log"),
        "R4",
        f"one was {rewrite.__name__}: decisions/",
    )
    refused(place.git("push", "-f", "origin", f"{beside}:refs/decisions/log"), "R4", "does not contain")
    refused(place.git("push", "-f", "origin", f"{tip}~1:refs/decisions/log"), "R4", "does not contain")
    refused(place.git("push", "origin", ":refs/decisions/log"), "R4", "never deleted")
    assert server.tip("refs/decisions/log") == tip


@pytest.mark.parametrize("known", [True, False])
def test_a_log_with_a_damaged_entry_is_refused(
    place: Place, server: Place, records: Records, known: bool
) -> None:
    """What reads as nothing does not enter the log, in a new log or in one that grows."""
    if known:
        place.do("push", "-q", "origin", "refs/decisions/log")
    index = {"GIT_INDEX_FILE": str(place.path / ".git/log-index")}
    place.do("read-tree", "refs/decisions/log", **index)
    blob = place.do("hash-object", "-w", "--stdin", stdin="type: [\n")
    folder = (
        place.do("ls-files", f"decisions/*/{records.adopted}/*", **index).split("\n")[0].rpartition("/")[0]
    )
    place.do("update-index", "--add", "--cacheinfo", f"100644,{blob},{folder}/vote-{blob}.yaml", **index)
    tip = place.tip("refs/decisions/log")
    bad = place.do("commit-tree", "-m", "x", "-p", tip, place.do("write-tree", **index))

    done = place.git("push", "origin", f"{bad}:refs/decisions/log")

    assert done.exit_code != 0
    assert f"remote: error: the pushed log is damaged: {folder}/vote-{blob}.yaml: " in done.stderr


def test_a_log_that_breaks_a_rule_is_refused(place: Place, server: Place, records: Records) -> None:
    """A decision that nothing carries does not enter the log, whoever wrote it past the rules."""
    place.do("push", "-q", "origin", "refs/decisions/log")
    index = {"GIT_INDEX_FILE": str(place.path / ".git/log-index")}
    place.do("read-tree", "refs/decisions/log", **index)
    files = place.do("ls-files", f"decisions/*/{records.undecided}/*", **index).split("\n")
    folder, _, name = files[0].rpartition("/")
    asked = name.removeprefix("question-").removesuffix(".yaml")
    entry = (
        f"type: decision\nactor: Ada\nat: 2026-10-19T10:00:00.000000Z\nqid: {asked!r}\nafter: [{asked!r}]\n"
        "outcome: adopt\ndecision: do it\nchanges_code: false\n"
    )
    blob = place.do("hash-object", "-w", "--stdin", stdin=entry)
    path = f"{folder}/decision-{blob}.yaml"
    place.do("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", **index)
    tip = place.tip("refs/decisions/log")
    bad = place.do("commit-tree", "-m", "x", "-p", tip, place.do("write-tree", **index))

    refused(place.git("push", "origin", f"{bad}:refs/decisions/log"), "R2", path)
    assert server.tip("refs/decisions/log") == tip


def test_a_policy_that_cannot_be_read_lets_only_its_repair_pass(place: Place, server: Place) -> None:
    """One fault in the file does not switch the gate off for everybody, and can be repaired."""
    place.policy("require: linked\nfoo: 1\n")
    server.do("fetch", "-q", str(place.path), "main:main")
    place.stage()
    place.do("commit", "-qm", "unlinked")

    done = place.git("push", "origin", "main")
    assert done.exit_code != 0
    assert "remote: error: .gitdecide.yaml: line 2: " in done.stderr
    place.do("branch", "early", place.do("rev-list", "--max-parents=0", "main"))
    place.do("switch", "-q", "early")
    place.stage("src/early.py")
    place.do("commit", "-qm", "from before any policy")
    assert place.git("push", "origin", "early").exit_code != 0
    place.do("switch", "-q", "main")
    place.do("reset", "-q", "--hard", "HEAD~1")
    place.policy()
    assert place.git("push", "origin", "main").exit_code == 0


def test_what_is_no_log_does_not_become_one(place: Place, server: Place) -> None:
    """Code cannot be carried past the gate under the log's name."""
    done = place.git("push", "origin", "main:refs/decisions/log")

    assert done.exit_code != 0
    assert "is no log of git-decide" in done.stderr


def test_a_log_of_another_format_is_refused(place: Place, server: Place) -> None:
    """It would stop every writer that is no newer than the server."""
    index = {"GIT_INDEX_FILE": str(place.path / ".git/log-index")}
    place.do("read-tree", "refs/decisions/log", **index)
    blob = place.do("hash-object", "-w", "--stdin", stdin="format 2\n")
    place.do("update-index", "--add", "--cacheinfo", f"100644,{blob},format/2", **index)
    tree = place.do("write-tree", **index)
    newer = place.do("commit-tree", "-m", "x", "-p", "refs/decisions/log", tree)

    for _ in ("a new log", "one that grows"):
        done = place.git("push", "origin", f"{newer}:refs/decisions/log")
        assert done.exit_code != 0
        assert "remote: error: the pushed log has format 2, " in done.stderr
        assert "remote: hint: the server needs a newer git-decide" in done.stderr
        passed(place.git("push", "origin", "refs/decisions/log"))


@pytest.mark.parametrize("ref", ["refs/decisions-remotes/x/log", "refs/decisions-seen/x"])
def test_what_a_clone_keeps_for_itself_is_no_place_for_code(place: Place, server: Place, ref: str) -> None:
    """Nobody judges it there, and no server needs it."""
    done = place.git("push", "origin", f"main:{ref}")

    assert done.exit_code != 0
    assert f"remote: error: no server takes what a clone keeps for itself: {ref}" in done.stderr


def test_code_does_not_slip_in_by_another_ref(place: Place, server: Place) -> None:
    """Every ref is judged, and a commit under a name that is not judged is not known."""
    place.stage()
    place.do("commit", "-qm", "unlinked")
    refused(place.git("push", "origin", "main:refs/hidden/x"), "G8")
    passed(place.git("push", "origin", "main:refs/notes/x"))

    refused(place.git("push", "origin", "main"), "G8")
    place.do("tag", "-am", "v", "v")
    refused(place.git("push", "origin", "v"), "G8")


def test_no_base_leads_around_the_policy(place: Place, server: Place) -> None:
    """The default branch's rules over a history of its own, and over one from before the policy."""
    place.do("switch", "-qc", "early", "main~1")
    place.stage()
    place.do("commit", "-qm", "early")
    place.do("switch", "-q", "--orphan", "island")
    place.stage("src/island.py")
    place.do("commit", "-qm", "island")

    refused(place.git("push", "origin", "early"), "G8", place.tip("early")[:12])
    refused(place.git("push", "origin", "island"), "G8", place.tip("island")[:12])
    passed(place.git("push", "origin", "main~1:refs/heads/step"))
    refused(place.git("push", "origin", "early:step"), "G8", place.tip("early")[:12])


def test_a_server_without_a_branch_takes_a_history(place: Place, decide: Decide, records: Records) -> None:
    """What may have gone bad since warns in the first push; a name that means nothing is refused."""
    decide("hooks", "uninstall", cwd=place.path)
    place.do("init", "-q", "--bare", "../server.git")
    server = Place(place.path.parent / "server.git")
    assert decide("hooks", "install", cwd=server.path).exit_code == 0
    place.stage()
    place.do("commit", "-qm", "old", "-m", f"Decision: {records.rejected}")
    push = ("push", str(server.path), "refs/decisions/log")

    done = place.git(*push, "main")

    assert done.exit_code == 0, done
    assert f"remote: warning: [G5] {place.tip()[:12]}: {records.rejected} rejects this" in done.stderr
    place.stage("src/app.py", "x = 3\n")
    place.do("commit", "-qm", "new", "-m", f"Decision: {records.rejected}")
    refused(place.git(*push, "main"), "G5")


def test_a_server_that_has_lost_its_program_takes_nothing(place: Place, server: Place) -> None:
    """It fails closed, and says to the client what is missing."""
    hook = server.path / "hooks/pre-receive"
    lines = hook.read_text().split("\n")
    hook.write_text(
        "\n".join("program=/nowhere/git-decide" if line.startswith("program=") else line for line in lines)
    )

    done = place.git("push", "origin", "main:refs/heads/x", PATH="/usr/bin:/bin")

    assert done.exit_code != 0
    assert "remote: error: git-decide is missing" in done.stderr


def test_the_servers_own_hook_gets_the_same_list(place: Place, server: Place, decide: Decide) -> None:
    """It runs first, and reads what git says."""
    decide("hooks", "uninstall", cwd=server.path)
    own = server.path / "hooks/pre-receive"
    own.write_text("#!/bin/sh\ncat >got\n")
    own.chmod(0o755)
    decide("hooks", "install", cwd=server.path)

    passed(place.git("push", "origin", "main:refs/heads/x"))
    assert (server.path / "got").read_text() == f"{'0' * 40} {place.tip()} refs/heads/x\n"
