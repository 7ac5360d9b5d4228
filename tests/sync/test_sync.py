import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide import output
from gitdecide.work import arriving
from tests.conftest import Decide, run_git
from tests.sync.conftest import LOG, Clone, files

Cloning = Callable[..., Clone]


def test_entries_reach_every_clone(one: Clone, two: Clone, hub: Path) -> None:
    """What one clone wrote is in the other after both synced, and both say what came and went."""
    mine = one.ask("Tabs?")
    assert one.ok("sync") == "to origin: 2 entries in 1 record\n"
    theirs = two.ask("Spaces?")
    two("vote", mine, "inform", "-m", "read it", "--read", "app.py")

    assert two.ok("sync") == "from origin: 2 entries in 1 record\nto origin: 2 entries in 1 record\n"
    assert one.ok("sync") == "from origin: 2 entries in 1 record\n"

    assert one.files == two.files == files(hub)
    assert one.tip == two.tip
    assert {mine, theirs} == {line.split()[0] for line in one("list").stdout.splitlines()}


def test_nothing_to_do_makes_no_commit(one: Clone, two: Clone, hub: Path) -> None:
    """A sync without news moves nothing, here or there."""
    one.ask("Tabs?")
    one.ok("sync")
    two.ok("sync")
    before = one.refs, two.refs, run_git(hub, "for-each-ref")

    assert one.ok("sync") == two.ok("sync") == "nothing new here or at origin\n"

    assert (one.refs, two.refs, run_git(hub, "for-each-ref")) == before


def test_fsck_does_not_prove_again_what_sync_proved(one: Clone, two: Clone) -> None:
    """Neither what came nor what it was merged with."""
    for turn in range(2):
        one.ask(f"Tabs, {turn}?")
        two.ask(f"Spaces, {turn}?")
        one.ok("sync")
        two.ok("sync")

        assert two("fsck").stderr == "0 commits after what was proved before, 0 faults\n"


def test_a_long_log_that_nobody_proved_is_left_to_fsck(
    one: Clone, two: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sync proves what comes, however much it is, and of our own only little."""
    monkeypatch.setattr(arriving, "MOST", 1)
    for clone in (one, two):
        for turn in range(2):
            clone.ask(f"Tabs, {turn}?")
        clone.ok("sync")

    assert two("fsck").stderr == "6 commits, 0 faults\n"


def test_a_bar_shows_how_much_of_what_came_is_proved(
    one: Clone, two: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From begin to end, and not where nothing came."""
    shares: list[float] = []
    monkeypatch.setattr(output.Bar, "show", lambda _, share: shares.append(share))
    one.ask("Tabs?")

    one.ok("sync")
    assert shares == []
    two.ok("sync")

    assert shares == sorted(shares)
    assert (shares[0] < 0.5 < shares[-1], shares[-1] <= 1) == (True, True)


def test_a_merge_adds_nothing_and_begins_with_the_published_side(one: Clone, two: Clone) -> None:
    """The first parent is what the remote had, and every commit of both sides is kept."""
    one.ask("Tabs?")
    two.ask("Spaces?")
    one.ok("sync")
    published, own = one.tip, two.tip

    two.ok("sync")

    assert two.git("rev-parse", f"{LOG}^1", f"{LOG}^2").split() == [published, own]
    assert two.files == files(two.path, published) | files(two.path, own)
    assert two.git("log", "--format=%s", "--no-merges", LOG).count("question") == 2
    assert "merge the log of origin" in two.git("reflog", "show", LOG)


def test_plain_fetches_leave_unpublished_entries_alone(one: Clone, two: Clone) -> None:
    """fetch, fetch --prune and pull never take what was not published yet."""
    two.ask("from two")
    two.ok("sync")
    name = one.ask("from one")
    for command in (["fetch"], ["fetch", "--prune"], ["pull", "-q"]):
        one.git(*command)
        assert name in one("list").stdout, command

    one.ok("sync")
    two.ok("sync")

    assert one.tree == two.tree
    for clone in (one, two):
        assert clone("list").stdout.count("from ") == 2
        assert len(clone.git("rev-list", "--merges", "--parents", LOG).split()) == 3


@pytest.mark.parametrize("order", ["12121", "21212"])
def test_records_of_one_second_settle(one: Clone, two: Clone, order: str) -> None:
    """After the third sync both logs are the same, and further ones make no commit."""
    clones = {"1": one, "2": two}
    for clone in clones.values():
        for turn in range(5):
            record = clone.ask(f"At once, {turn}?")
            clone("vote", record, "inform", "-m", "so", "--read", "app.py")
    for who in order[:3]:
        clones[who].ok("sync")
    trees = one.tree, two.tree
    commits = one.git("rev-list", "--count", "--all")

    for who in order[3:]:
        clones[who].ok("sync")

    assert trees == (one.tree, two.tree)
    assert one.tree == two.tree
    assert one.git("rev-list", "--count", "--all") == commits
    assert one("list").stdout == two("list").stdout
    names = [line.split()[0] for line in one("list").stdout.splitlines()]
    assert len(names) == 10
    for name in names:
        for view in ("text", "yaml", "jsonl"):
            assert one("show", name, "--format", view).stdout == two("show", name, "--format", view).stdout


def test_logs_without_a_common_commit_are_merged(one: Clone, two: Clone) -> None:
    """The histories of two unrelated logs become one; who gets another beginning is told, as by fsck."""
    one.ask("Tabs?")
    two.ask("Spaces?")
    tree = two.tree
    root = two.git("commit-tree", "-m", "another root", tree)
    two.git("update-ref", LOG, root)
    one.ok("sync")

    two.ok("sync")
    told = one("sync")

    assert told.exit_code == 4
    assert f"{root}: every log begins with the commit " in told.stderr
    assert len(one.git("rev-list", "--max-parents=0", LOG).split()) == 2
    assert one.tip == two.tip
    assert len(one("list").stdout.splitlines()) == 2
    assert one.ok("sync") == "nothing new here or at origin\n"


def test_sync_adopts_and_publishes_whole_logs(clone: Cloning, one: Clone, hub: Path) -> None:
    """Without a log here the remote's becomes ours, and the other way round."""
    name = one.ask("Tabs?")
    one.ok("sync")
    late = clone("late", init=False)

    assert late.ok("sync") == "from origin: 2 entries in 1 record\n"

    assert late.tip == one.tip == run_git(hub, "rev-parse", LOG)
    assert name in late("list").stdout


def test_no_log_anywhere(clone: Cloning) -> None:
    """There is nothing to share, and the hint says how to begin."""
    bare = clone("bare", init=False)

    done = bare("sync")

    assert (done.exit_code, done.stdout) == (3, "")
    expected = "error: no decision log here or at origin: refs/decisions/log does not exist\n"
    assert done.stderr == expected + "hint: git decide init\n"


def test_what_a_sync_did_is_told_to_programs(one: Clone, two: Clone) -> None:
    """--json counts entries and records both ways."""
    one.ask("Tabs?")
    one.ok("sync")
    two.ask("Spaces?")

    told = two.synced()

    assert told["came"] == told["went"] == {"entries": 2, "records": 1}
    assert (told["version"], told["remote"], told["tip"]) == (1, "origin", two.tip)
    assert (told["lost"], told["damages"], told["contested"], told["denied"]) == (None, [], [], None)


def test_sync_pushes_the_log_alone_and_runs_no_hook(one: Clone, hub: Path) -> None:
    """Neither hooks nor settings of the user widen what is pushed."""
    hook = one.path / ".git/hooks/pre-push"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    for key, value in (("push.followTags", "true"), ("push.recurseSubmodules", "on-demand")):
        one.git("config", key, value)
    one.git("config", "--add", "remote.origin.push", "+refs/heads/*:refs/heads/copies/*")
    one.git("tag", "-am", "tagged", "v1", LOG)
    one.ask("Tabs?")

    one.ok("sync")

    assert run_git(hub, "for-each-ref", "--format=%(refname)").split() == [LOG, "refs/heads/main"]
    assert not one.git("config", "--get-all", "remote.origin.push").startswith("refs/decisions")


def test_a_mirror_is_a_remote_too(one: Clone, hub: Path) -> None:
    """To push refs by name to a mirror is refused by git, and sync does it all the same."""
    one.git("config", "remote.origin.mirror", "true")
    one.ask("Tabs?")

    one.ok("sync")

    assert one.tip == run_git(hub, "rev-parse", LOG)


def test_the_log_can_be_a_branch(clone: Cloning, hub: Path, decide: Decide) -> None:
    """With decide.ref elsewhere that ref is shared, and plain fetch brings it beside the log."""
    one, two = (clone(name, init=False) for name in ("one", "two"))
    for each in (one, two):
        each.git("config", "decide.ref", "refs/heads/decisions")
    one.ok("init", "--no-hooks")
    name = one.ask("On a branch?")
    one.ok("sync")
    assert run_git(hub, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/decisions",
        "refs/heads/main",
    ]

    two.ok("init", "--no-hooks")
    two.ok("init", "--no-hooks")
    assert two.git("rev-parse", "decisions") == one.git("rev-parse", "decisions")
    assert two.git("config", "--get-all", "remote.origin.fetch").splitlines()[1:] == [
        "+refs/heads/decisions:refs/decisions-remotes/origin/log"
    ]
    two("vote", name, "inform", "-m", "read it", "--read", "app.py")
    two.ok("sync")
    one.git("fetch")

    assert "read it" in one("show", name).stdout
    assert one.git("rev-parse", "decisions") == two.git("rev-parse", "decisions")


def test_a_log_that_moves_to_a_branch_takes_its_fetch_line_along(one: Clone) -> None:
    """Two lines of ours would make git refuse to fetch two refs into one."""
    one.git("config", "decide.ref", "refs/heads/decisions")

    one.ok("init", "--no-hooks")

    assert one.git("config", "--get-all", "remote.origin.fetch").splitlines() == [
        "+refs/heads/*:refs/remotes/origin/*",
        "+refs/heads/decisions:refs/decisions-remotes/origin/log",
    ]


@pytest.mark.parametrize("tidy", ["gc -q --prune=now", "pack-refs --all", "prune", "repack -adq"])
def test_git_may_tidy_up_between_syncs(one: Clone, two: Clone, hub: Path, tidy: str) -> None:
    """Nothing that is needed is unreachable at any time between two commands."""
    for turn in range(2):
        for clone in (one, two):
            clone.ask(f"Again {turn}?")
            clone.ok("sync")
            for repository in (one.path, two.path, hub):
                run_git(repository, *tidy.split())
    one.ok("sync")

    assert one.tip == two.tip
    assert len(two("list").stdout.splitlines()) == 4
    assert run_git(hub, "fsck", "--strict", "--no-dangling") == ""


def test_a_sha256_repository_shares_its_log(tmp_path: Path, decide: Decide) -> None:
    """Ids of another length make no difference."""
    run_git(tmp_path, "init", "-q", "--bare", "--object-format=sha256", "hub.git")
    clones = []
    for name in ("one", "two"):
        run_git(tmp_path, "init", "-q", "--object-format=sha256", name)
        clones.append(Clone(tmp_path / name, decide))
        clones[-1].git("remote", "add", "origin", "../hub.git")
        clones[-1].ok("init", "--no-hooks")
        clones[-1].ask(f"From {name}?")
        clones[-1].ok("sync")
    clones[0].ok("sync")

    assert clones[0].tip == clones[1].tip
    assert len(clones[0].tip) == 64


def test_a_partial_clone_has_every_entry(one: Clone, hub: Path, tmp_path: Path, decide: Decide) -> None:
    """A filter that keeps file contents away keeps no entry away."""
    run_git(hub, "config", "uploadpack.allowFilter", "true")
    name = one.ask("Tabs?")
    one.ok("sync")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{hub}", "partial")
    partial = Clone(tmp_path / "partial", decide)
    partial.ok("init", "--no-hooks")
    run_git(partial.path, "config", "remote.origin.url", str(tmp_path / "gone"))

    assert name in partial("list").stdout


def test_a_shallow_clone_has_the_whole_log(one: Clone, hub: Path, tmp_path: Path, decide: Decide) -> None:
    """A log that a shallow fetch cut short is fetched whole, and the code stays as shallow as it was."""
    tip = run_git(hub, "commit-tree", "-m", "second", "-p", "main", "main^{tree}")
    run_git(hub, "update-ref", "refs/heads/main", tip)
    one.ask("Tabs?")
    one.ok("sync")
    run_git(tmp_path, "clone", "-q", "--depth=1", f"file://{hub}", "shallow")
    shallow = Clone(tmp_path / "shallow", decide)
    shallow.git("config", "--add", "remote.origin.fetch", "+refs/decisions/*:refs/decisions-remotes/origin/*")
    shallow.git("fetch", "--depth=1")
    assert shallow("list").exit_code == 3

    shallow.ok("init", "--no-hooks")

    assert shallow.git("rev-list", "--count", LOG) == one.git("rev-list", "--count", LOG) == "2"
    assert shallow.git("rev-list", "--count", "HEAD") == "1"


def test_the_merge_is_signed_where_git_signs(one: Clone, two: Clone, tmp_path: Path) -> None:
    """A signer that fails ends the sync, and neither log has changed."""
    one.ask("Tabs?")
    one.ok("sync")
    two.ask("Spaces?")
    before = two.tip
    two.git("config", "commit.gpgsign", "true")
    two.git("config", "gpg.program", "false")

    failed = two("sync")

    assert (failed.exit_code, failed.stdout) == (3, "")
    assert "gpg failed to sign" in failed.stderr
    assert two.tip == before
    key = tmp_path / "key"
    two.git("config", "gpg.format", "ssh")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    two.git("config", "user.signingKey", str(key))
    two.ok("sync")
    assert "-----BEGIN SSH SIGNATURE-----" in two.git("cat-file", "-p", two.tip)


def test_two_records_of_one_number_are_told_apart(one: Clone, two: Clone) -> None:
    """Nothing is renumbered: the number alone is ambiguous, and full names work."""
    names = [clone.ask("Which?") for clone in (one, two)]
    assert [name[:6] for name in names] == ["DR-001"] * 2
    for clone in (one, two, one):
        clone.ok("sync")

    ambiguous = one("show", "DR-1")

    assert ambiguous.exit_code == 3
    assert ambiguous.stderr.startswith(f"error: DR-1 is ambiguous: {', '.join(sorted(names))}\n")
    assert all(one("show", name).exit_code == 0 for name in names)
    assert one.ask("And now?").startswith("DR-002-")
