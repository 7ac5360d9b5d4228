"""A remote that rewrites, removes, forges or lies."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import run_git
from tests.sync.conftest import LOG, Clone, Hand, files


@pytest.fixture
def name(one: Clone, two: Clone) -> str:
    """A record that the remote and both clones have."""
    record = one.ask("Tabs?")
    one.ok("sync")
    two.ok("sync")
    return record


def a_file(hand: Hand, kind: str) -> str:
    return next(file for file in sorted(files(hand.repository)) if f"/{kind}-" in file)


def removed(hand: Hand) -> str:
    hand.read()
    hand.drop(a_file(hand, "question"))
    return hand.commit()


def changed(hand: Hand) -> str:
    return hand.add(a_file(hand, "question"), "type: question\n")


def moved(hand: Hand) -> str:
    hand.read()
    file = a_file(hand, "question")
    blob = hand.git("rev-parse", f"{LOG}:{file}")
    hand.drop(file)
    hand.git("update-index", "--add", "--cacheinfo", f"100644,{blob},elsewhere.yaml")
    return hand.commit()


def made_executable(hand: Hand) -> str:
    hand.read()
    file = a_file(hand, "question")
    blob = hand.git("rev-parse", f"{LOG}:{file}")
    hand.git("update-index", "--cacheinfo", f"100755,{blob},{file}")
    return hand.commit()


def second_question(hand: Hand) -> str:
    folder = a_file(hand, "question").rpartition("/")[0]
    return hand.add(f"{folder}/question-{{id}}.yaml", "type: question\n")


def merge_that_drops_one_side(hand: Hand) -> str:
    """What `git merge -s ours` makes: the tree of one parent alone."""
    start = hand.git("rev-parse", LOG)
    side = hand.add("decisions/DR-0xxx/DR-009-00000000/vote-{id}.yaml", "type: vote\n")
    hand.git("update-ref", LOG, start)
    hand.read()
    return hand.commit(start, side)


REWRITES: dict[Callable[[Hand], str], str] = {
    removed: "was removed",
    changed: "was changed",
    moved: "was moved to elsewhere.yaml",
    made_executable: "was made executable",
    second_question: "object missing required field `actor`, and lies beside another question",
    merge_that_drops_one_side: "the merge drops it",
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_history_that_does_more_than_add_is_refused_whole(
    rewrite: Callable[[Hand], str], name: str, one: Clone, hand: Hand, hub: Path
) -> None:
    """Exit 4 with the commit named; nothing is merged or pushed, also where it stands between sound ones."""
    hand.add("decisions/DR-0xxx/DR-008-00000000/vote-{id}.yaml", "type: vote\n")
    commit = rewrite(hand)
    hand.add("decisions/DR-0xxx/DR-008-00000000/check-{id}.yaml", "type: check\n")
    one("vote", name, "inform", "-m", "mine", "--read", "app.py")
    before, there = one.tip, run_git(hub, "for-each-ref")

    done = one("sync")

    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr.startswith("error: this history is not a log that only grew: decisions/DR-0xxx/")
    assert done.stderr.splitlines()[0].endswith(f": {REWRITES[rewrite]}: {commit}")
    assert (one.tip, run_git(hub, "for-each-ref")) == (before, there)
    assert one("show", name).exit_code == 0


def test_a_change_that_was_undone_is_refused(name: str, one: Clone, hand: Hand, hub: Path) -> None:
    """Every commit is looked at, not the last state alone."""
    kept = run_git(hub, "rev-parse", LOG)
    commit = changed(hand)
    hand.read(kept)
    hand.commit()

    done = one("sync")

    assert done.exit_code == 4
    assert done.stderr.splitlines()[0].endswith(commit)


def test_a_second_question_that_only_the_merge_would_make_is_refused(
    one: Clone, two: Clone, hand: Hand, hub: Path
) -> None:
    """A question filed into the folder of a record that the remote does not have yet."""
    two.ok("sync")
    name = one.ask("Tabs?")
    commit = hand.add(f"decisions/DR-0xxx/{name}/question-{{id}}.yaml", "type: question\n")

    done = one("sync")

    assert done.exit_code == 4
    assert done.stderr.splitlines()[0].endswith(f", and lies beside another question: {commit}")
    assert one("show", name).exit_code == 0


def test_one_path_with_two_contents_is_refused(name: str, one: Clone, two: Clone, hand: Hand) -> None:
    """Each history only adds, and the two cannot be one."""
    vote = one("vote", name, "inform", "-m", "mine", "--read", "app.py").id
    path = next(file for file in one.files if vote in file)
    hand.add(path, "type: vote\n")
    before = one.tip, one.git("rev-parse", "refs/decisions-seen/origin")

    done = one("sync")

    assert done.exit_code == 4
    assert done.stderr == f"error: one path has two contents in the logs: {path}\n"
    assert one("show", name).exit_code == 0
    assert (one.tip, one.git("rev-parse", "refs/decisions-seen/origin")) == before


FORGERIES = {
    "decisions/DR-0xxx/{name}/vote-" + "a" * 40 + ".yaml": "was edited or misnamed",
    "decisions/DR-0xxx/{name}/vote-{id}.yaml": "",
    "decisions/DR-0xxx/{name}/notes.txt": "not the name of an entry",
    "decisions/DR-1xxx/{name}/vote-{id}.yaml": "is no place for an entry",
    "somewhere/else": "is no place for an entry",
    "actors/one/actor-{id}.yaml": "",
}


@pytest.mark.parametrize("path", FORGERIES)
def test_an_entry_that_is_merely_wrong_is_merged_and_named(
    path: str, name: str, one: Clone, two: Clone, hand: Hand, hub: Path
) -> None:
    """Exit 4 and the file when it arrives; the logs stay in step, and other records are not held up."""
    file = path.replace("{name}", name)
    hand.add(file, "not: [an entry\n")
    other = one.ask("Spaces?")

    done = one("sync")

    assert done.exit_code == 4
    lines = done.stderr.splitlines()
    assert "to origin: 1 entry in 1 record" in lines
    assert "error: what came has 1 fault" in lines
    assert file.rpartition("/")[0] in lines[-1]
    assert FORGERIES[path] in lines[-1]
    assert one("show", other).exit_code == 0
    assert one.tip == run_git(hub, "rev-parse", LOG)
    assert one.ok("sync") == "nothing new here or at origin\n"


def test_what_only_the_audit_sees_is_named_when_it_comes(
    name: str, one: Clone, hand: Hand, hub: Path
) -> None:
    """An entry that somebody else committed, after what was not there: sync says what fsck says."""
    one("vote", name, "inform", "-m", "mine", "--read", "app.py")
    one.ok("sync")
    vote = a_file(hand, "vote")
    forged = run_git(hub, "cat-file", "blob", f"{LOG}:{vote}").replace("mine", "theirs") + "\n"
    commit = hand.add(f"{vote.rpartition('/')[0]}/vote-{{id}}.yaml", forged)

    done = one("sync")

    assert done.exit_code == 4
    assert ": is said by one, and its commit is by Ada\n" in done.stderr
    told = one("fsck")
    assert (told.exit_code, f"damaged [author]: {commit[:12]} " in told.stdout) == (4, True)


def test_a_remote_that_lost_entries_is_reported_and_mended(
    name: str, one: Clone, two: Clone, hub: Path
) -> None:
    """Exit 4 names what was lost, and the union brings it back."""
    short = run_git(hub, "rev-parse", LOG)
    vote = one("vote", name, "inform", "-m", "mine", "--read", "app.py").id
    one.ok("sync")
    full = one.files
    run_git(hub, "update-ref", LOG, short)
    other = two.ask("Spaces?")
    two.ok("sync")

    done = one("sync")

    assert done.exit_code == 4
    lost = next(file for file in full if vote in file)
    assert "error: the history of origin was rewritten, and lost 1 file\n" in done.stderr
    assert f"  {lost}\n" in done.stderr
    assert files(hub) == one.files == full | two.files
    assert one.ok("sync") == "nothing new here or at origin\n"
    two.ok("sync")
    assert two.tip == one.tip
    assert other in one("list").stdout


def test_a_loss_that_the_remote_does_not_let_us_mend_is_told_until_it_does(
    name: str, one: Clone, hub: Path
) -> None:
    """Exit 4 every time, and what was seen is not forgotten for it."""
    full = run_git(hub, "rev-parse", LOG)
    run_git(hub, "update-ref", LOG, f"{LOG}~1")
    run_git(hub, "config", "receive.hideRefs", "refs/decisions")

    told = [one("sync") for _ in range(2)]

    assert [done.exit_code for done in told] == [4, 4]
    assert all("was rewritten, and lost 2 files" in done.stderr for done in told)
    assert all("error: origin does not take" in done.stderr for done in told)
    run_git(hub, "config", "--remove-section", "receive")
    assert one("sync").exit_code == 4
    assert run_git(hub, "rev-parse", LOG) == one.tip == full
    assert one.ok("sync") == "nothing new here or at origin\n"


@pytest.mark.parametrize("prune", [False, True])
def test_a_remote_that_lost_its_whole_log_gets_it_back(prune: bool, name: str, one: Clone, hub: Path) -> None:
    """A deleted ref is a loss too, also when fetch --prune has removed its copy."""
    run_git(hub, "update-ref", "-d", LOG)
    if prune:
        one.git("fetch", "--prune")
    tip = one.tip

    done = one("sync")

    assert done.exit_code == 4
    assert "was rewritten, and lost 3 files" in done.stderr
    assert run_git(hub, "rev-parse", LOG) == tip == one.tip


def test_what_the_remote_lost_comes_back_though_our_log_lost_it_too(name: str, one: Clone, hub: Path) -> None:
    """What sync accepted once is kept by a ref of its own."""
    full = one.files
    for repository in (hub, one.path):
        run_git(repository, "update-ref", LOG, f"{LOG}~1")

    assert one("sync").exit_code == 4

    assert one.files == files(hub) == full


def test_a_rewritten_history_with_the_same_entries_is_reported(name: str, one: Clone, hub: Path) -> None:
    """No entry is lost, and yet it is not the history that was seen."""
    run_git(hub, "update-ref", LOG, run_git(hub, "commit-tree", "-m", "squashed", f"{LOG}^{{tree}}"))
    tree = one.tree

    done = one("sync")

    assert done.exit_code == 4
    assert "was rewritten, and lost 0 files" in done.stderr
    assert one.tree == tree
    assert one.ok("sync") == "nothing new here or at origin\n"


@pytest.mark.parametrize("kind", ["tag", "blob", "tree", "code"])
def test_a_ref_that_is_no_log_is_refused(kind: str, name: str, one: Clone, hub: Path) -> None:
    """A tag, a file, a tree or a commit of something else: exit 4, and nothing moves."""
    run_git(hub, "tag", "-am", "tagged", "v1", LOG)
    tips = {"tag": "v1", "blob": "main:app.py", "tree": f"{LOG}^{{tree}}", "code": "main"}
    run_git(hub, "update-ref", LOG, run_git(hub, "rev-parse", tips[kind]))
    before, there = one.tip, run_git(hub, "for-each-ref")

    done = one("sync")

    assert (done.exit_code, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1
    assert (one.tip, run_git(hub, "for-each-ref")) == (before, there)
    one.git("fetch")
    assert one("list").exit_code == 0


def test_a_mirror_push_over_the_log_loses_nothing(name: str, one: Clone, two: Clone, hub: Path) -> None:
    """It takes the remote back to one clone's state, and the other clone brings its own again."""
    vote = one("vote", name, "inform", "-m", "mine", "--read", "app.py").id
    one.ok("sync")
    two.ask("Spaces?")
    two.git("push", "-q", "--mirror", "--no-verify")
    assert not any(vote in file for file in files(hub))

    assert one("sync").exit_code == 4
    two.ok("sync")

    assert one.tip == two.tip == run_git(hub, "rev-parse", LOG)
    assert any(vote in file for file in two.files)


def test_init_refuses_a_remote_that_has_no_log_there(clone: Callable[..., Clone], hub: Path) -> None:
    """Nothing is begun beside it."""
    run_git(hub, "update-ref", LOG, "main")
    late = clone("late", init=False)

    done = late("init", "--no-hooks")

    assert done.exit_code == 4
    assert late.tip == ""


def test_init_adopts_a_log_that_has_a_fault_and_says_so(
    name: str, clone: Callable[..., Clone], hand: Hand
) -> None:
    """Other records are not held up by it."""
    hand.add(f"decisions/DR-0xxx/{name}/notes.txt", "not an entry\n")
    late = clone("late", init=False)

    said = late.ok("init", "--no-hooks")

    assert f"warning: it has faults: decisions/DR-0xxx/{name}/notes.txt: not the name of an entry\n" in said
    assert late.ask("Another?").startswith("DR-00")


def test_a_log_of_a_newer_format_is_read_and_not_written_to(
    name: str, one: Clone, two: Clone, hand: Hand, hub: Path
) -> None:
    """It is adopted where that takes no merge, and refused where it does."""
    newer = hand.add("format/2", "format 2\n")
    two.ask("Spaces?")

    assert one("sync").exit_code == 0
    refused = two("sync")

    assert one.tip == newer == run_git(hub, "rev-parse", LOG)
    assert (refused.exit_code, "has format 2" in refused.stderr) == (3, True)


def test_a_commit_filed_as_an_entry_holds_up_nobody(
    name: str, one: Clone, two: Clone, hand: Hand, hub: Path
) -> None:
    """A submodule in a record's folder is named, and other records are read and written."""
    file = f"decisions/DR-0xxx/{name}/vote-{'b' * 40}.yaml"
    hand.read()
    hand.git("update-index", "--add", "--cacheinfo", f"160000,{'b' * 40},{file}")
    hand.commit()
    other = one.ask("Spaces?")

    done = one("sync")

    assert done.exit_code == 4
    assert file in done.stderr
    assert other in one("list").stdout
    assert one("show", other).exit_code == 0
    assert one("show", name).exit_code == 4
    assert one.ok("sync") == "nothing new here or at origin\n"
