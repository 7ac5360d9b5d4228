"""Commits made from others: fixups, amends, rebases, picks, reverts and merges."""

from collections.abc import Callable

import pytest

from tests.hooks.conftest import Place, Records, passed, refused


@pytest.fixture
def linked(place: Place, records: Records) -> Place:
    """A repository that asks for a decision everywhere, with one linked commit after the policy."""
    place.policy()
    place.stage()
    passed(place.commit("code", f"Decision: {records.adopted}"))
    return place


@pytest.fixture
def remote(linked: Place) -> Place:
    """A bare remote, origin, that has all but the last commit."""
    linked.do("init", "-q", "--bare", "../remote.git")
    linked.do("remote", "add", "origin", "../remote.git")
    linked.do("push", "-q", "--no-verify", "origin", "HEAD~1:refs/heads/main")
    return Place(linked.path.parent / "remote.git")


@pytest.mark.parametrize(
    ("kind", "branch_link"), [("--fixup", False), ("--squash", False), ("--fixup", True)]
)
def test_a_fixup_keeps_its_subject(linked: Place, records: Records, kind: str, branch_link: bool) -> None:
    """It passes unjudged and unchanged, and autosquash melts it into one commit with one trailer."""
    if branch_link:
        linked.link(records.adopted)
    linked.stage("src/app.py", "x = 5\n")

    passed(linked.git("commit", "-q", kind, "HEAD", GIT_EDITOR="true"))
    assert linked.message() == f"{kind[2:]}! code"

    editing = {"GIT_SEQUENCE_EDITOR": ":", "GIT_EDITOR": "true"}
    passed(linked.git("rebase", "-qi", "--autosquash", "HEAD~2", **editing))
    assert linked.message() == f"code\n\nDecision: {records.adopted}"
    assert linked.do("show", "HEAD:src/app.py") == "x = 5"


def test_a_fixup_is_judged_when_it_is_pushed(linked: Place, remote: Place) -> None:
    """What passed the commit hooks unjudged does not leave the machine so."""
    linked.stage("src/app.py", "x = 5\n")
    passed(linked.git("commit", "-q", "--fixup", "HEAD"))

    refused(linked.git("push", "origin", "main"), "G8", linked.tip()[:12])


def test_picks_and_reverts_are_judged_when_they_are_pushed(
    linked: Place, remote: Place, records: Records
) -> None:
    """Git runs no commit hooks for them: a pick brings its link along, a revert has none."""
    linked.do("switch", "-qc", "other", "HEAD~1")
    passed(linked.git("cherry-pick", "-x", "main"))
    assert linked.trailers() == [f"Decision: {records.adopted}"]
    passed(linked.git("push", "-q", "origin", "other"))
    linked.do("revert", "--no-edit", "HEAD")

    refused(linked.git("push", "origin", "other"), "G8", linked.tip()[:12])


def test_an_amend_is_judged_by_what_it_adds(linked: Place, records: Records) -> None:
    """Rewording a commit whose decision went bad since needs no new decision; more code does."""
    linked.stage("src/b.py")
    linked.do("commit", "-qnm", "sneaked in")

    passed(linked.git("commit", "-q", "--amend", "-m", "reworded"))
    linked.stage("src/b.py", "y = 2\n")
    refused(linked.git("commit", "-q", "--amend", "--no-edit"), "G8", "(src/b.py)")


@pytest.mark.parametrize("setting", ["core.abbrev=12", "core.commentChar=;", "commit.template=none"])
def test_a_reworded_commit_keeps_its_link(place: Place, records: Records, setting: str) -> None:
    """An amend with nothing staged still names the branch's decision, once, whatever path that takes."""
    place.link(records.adopted)
    place.stage()
    passed(place.commit("code"))
    trailer = f"Decision: {records.adopted}"

    passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "reworded"))
    assert place.message() == f"reworded\n\n{trailer}"
    passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "Decision: go", "-m", "Decision: so"))
    assert place.message() == f"Decision: go\n\nDecision: so\n{trailer}"
    passed(place.git("-c", setting, "commit", "-q", "--amend", "--no-edit"))
    assert place.message() == f"Decision: go\n\nDecision: so\n{trailer}"


@pytest.mark.parametrize("setting", ["core.abbrev=12", "core.commentChar=;"])
def test_a_reworded_commit_says_what_was_typed(place: Place, records: Records, setting: str) -> None:
    """A line that is typed takes the place of the one that was there; a short name means the record."""
    place.link(records.adopted)
    place.stage()
    place.do("commit", "-qnm", "code", "-m", "Decision: dr-1")
    for line in ("Decision: none (a typo)", f"Decision: {records.also}"):
        passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "code", "-m", line))
        assert place.trailers() == [line]
        place.do("commit", "-qn", "--amend", "-m", "code", "-m", "Decision: dr-1")

    passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "reworded"))
    assert place.trailers() == [f"Decision: {records.adopted}"]


@pytest.mark.parametrize("setting", ["core.abbrev=12", "core.commentChar=;"])
def test_only_a_reworded_link_is_kept(place: Place, records: Records, setting: str) -> None:
    """Documents after a linked commit name nothing, and neither does what named nothing or another."""
    place.link(records.adopted)
    place.stage()
    passed(place.commit("code"))
    place.stage("README.md", "a\n")
    passed(place.git("-c", setting, "commit", "-qm", "docs"))
    assert place.message() == "docs"
    passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "docs reworded"))
    assert place.message() == "docs reworded"
    place.do("commit", "-qn", "--amend", "-m", "docs", "-m", f"Decision: {records.also}")

    passed(place.git("-c", setting, "commit", "-q", "--amend", "-m", "docs"))
    assert place.message() == "docs"


def test_rewording_asks_for_no_log(place: Place, records: Records) -> None:
    """Nothing is judged where nothing is staged: the line stays though nobody can read the decision."""
    place.link(records.adopted)
    place.stage()
    passed(place.commit("code"))
    place.do("update-ref", "-d", "refs/decisions/log")

    passed(place.git("commit", "-q", "--amend", "-m", "reworded"))
    assert place.trailers() == [f"Decision: {records.adopted}"]
    place.do("commit", "-qn", "--amend", "-m", "code", "-m", "Decision: dr-1")
    passed(place.git("commit", "-q", "--amend", "-m", "reworded"))
    assert place.trailers() == []


@pytest.fixture
def diverged(linked: Place, records: Records) -> Callable[[str], Place]:
    """Two branches, the second with one linked commit to a file, whose first has one too."""

    def make(file: str) -> Place:
        linked.do("switch", "-qc", "feature")
        linked.stage(file, "theirs\n")
        passed(linked.commit("theirs", f"Decision: {records.adopted}"))
        linked.do("switch", "-q", "main")
        linked.stage("src/app.py", "ours\n")
        passed(linked.commit("ours", f"Decision: {records.adopted}"))
        return linked

    return make


def test_a_clean_merge_passes(diverged: Callable[[str], Place], records: Records) -> None:
    """It changes nothing against what it joins, so it needs no decision, and gets no trailer."""
    place = diverged("src/b.py")
    place.link(records.unchecked)

    passed(place.git("merge", "-q", "--no-edit", "feature"))
    assert place.message() == "Merge branch 'feature'"


def test_what_a_merge_adds_is_judged(diverged: Callable[[str], Place], records: Records) -> None:
    """A conflict that is solved by new code needs a decision; taking one side needs none."""
    place = diverged("src/app.py")
    assert place.git("merge", "-q", "feature").exit_code == 1
    place.stage("src/app.py", "theirs\n")
    passed(place.git("commit", "-q", "--no-edit"))
    place.do("reset", "-q", "--hard", "HEAD~1")
    assert place.git("merge", "-q", "feature").exit_code == 1
    place.stage("src/app.py", "both\n")
    refused(place.git("commit", "-q", "--no-edit"), "G8", "(src/app.py)")
    place.link(records.unchecked)
    refused(place.git("commit", "-q", "--no-edit"), "G6", "(src/app.py)")
    place.link(records.adopted)
    refused(place.git("commit", "-q", "--no-edit"), "G8")

    passed(place.commit("Merge", f"Decision: {records.also}"))
    assert place.trailers() == [f"Decision: {records.also}"]


def test_a_rebase_is_no_business_of_the_branchs_link(linked: Place, records: Records) -> None:
    """Its steps are on no branch: a rebase goes through whatever became of the decision."""
    linked.do("switch", "-qc", "other", "HEAD~1")
    linked.stage("a.md", "a\n")
    passed(linked.commit("docs"))
    linked.link(records.unchecked)

    passed(linked.git("rebase", "-q", "main"))
    assert linked.message() == "docs"


def test_the_link_follows_a_renamed_branch(linked: Place, records: Records) -> None:
    """`git branch -m` takes it along."""
    linked.link(records.unchecked)
    linked.do("branch", "-m", "renamed")
    linked.stage("src/b.py")

    refused(linked.commit("code"), "G6")


def test_a_note_of_another_commit_does_not_count(place: Place, records: Records) -> None:
    """A commit that stopped after pre-commit leaves a note, which the next one replaces."""
    place.link(records.adopted)
    place.stage()
    git_dir = place.path / ".git"
    assert place.git("commit", GIT_EDITOR="false").exit_code != 0
    stale = list(git_dir.glob("decide-pass.*"))
    assert len(stale) == 1
    mine = git_dir / "decide-pass.1"
    mine.write_text("")

    passed(place.commit("code"))
    assert place.trailers() == [f"Decision: {records.adopted}"]
    assert list(git_dir.glob("decide-pass.*")) == [mine]
