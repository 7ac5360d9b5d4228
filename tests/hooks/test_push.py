"""What pre-push judges: what git says is pushed, and nothing that the remote has."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Decide
from tests.hooks.conftest import Place, Records, passed, refused


@pytest.fixture
def origin(place: Place, records: Records) -> Place:
    """A bare remote with main, old1 and old2; here ok has a linked commit and bad one without, unjudged."""
    place.policy()
    place.do("init", "-q", "--bare", "../origin.git")
    place.do("remote", "add", "origin", "../origin.git")
    place.do("push", "-q", "--no-verify", "origin", "main", "main:old1", "main:old2")
    place.do("switch", "-qc", "bad")
    place.stage("src/bad.py")
    place.do("commit", "-qnm", "unlinked")
    place.do("switch", "-qc", "ok", "main")
    place.stage()
    passed(place.commit("linked", f"Decision: {records.adopted}"))
    return Place(place.path.parent / "origin.git")


def test_a_push_is_judged_by_the_list_of_git(place: Place, origin: Place) -> None:
    """Deletions pass and switch nothing off; branches that are not checked out and tags are looked into."""
    bad = place.tip("bad")[:12]
    passed(place.git("push", "origin", ":old1"))
    refused(place.git("push", "origin", ":old2", "bad"), "G8", bad)
    refused(place.git("push", "origin", "bad:refs/heads/x"), "G8", f"{bad}: ", "(src/bad.py)")
    passed(place.git("push", "origin", "ok"))
    place.do("tag", "-am", "v1", "v1", "ok")
    passed(place.git("push", "origin", "v1"))
    place.do("tag", "-am", "v2", "v2", "bad")
    refused(place.git("push", "origin", "v2"), "G8", bad)
    place.do("tag", "-am", "v3", "v3", "v2")
    refused(place.git("push", "origin", "v3"), "G8", bad)
    passed(place.git("push", "origin", "ok"))
    passed(place.git("push", "origin", "ok:refs/heads/copy"))
    refused(place.git("push", "origin", "ok:refs/heads/copy2", "bad:refs/heads/y"), "G8", bad)
    assert origin.do("for-each-ref", "--format=%(refname)").split() == [
        "refs/decisions/log",
        "refs/heads/copy", "refs/heads/main", "refs/heads/ok", "refs/heads/old2", "refs/tags/v1",
    ]  # fmt: skip


def test_what_is_not_a_commit_is_not_judged(place: Place, origin: Place) -> None:
    """Tags of trees and blobs, notes, and the log itself pass."""
    place.do("tag", "tree", "bad^{tree}")
    place.do("tag", "-am", "key", "key", "bad:src/bad.py")
    place.do("notes", "add", "-m", "seen", "bad")

    passed(place.git("push", "origin", "tree", "key", "refs/notes/commits", "refs/decisions/log"))


def test_a_remote_that_is_given_by_its_path_is_known(place: Place, origin: Place) -> None:
    """Where the path is that of a remote, its branches are; elsewhere only the old tips of the push."""
    passed(place.git("push", "../origin.git", "ok:refs/heads/by-path"))
    refused(place.git("push", "../origin.git", "bad"), "G8", place.tip("bad")[:12])
    place.do("init", "-q", "--bare", "../other.git")
    passed(place.git("push", "../other.git", "main"))
    refused(place.git("push", "../other.git", "bad:main"), "G8", place.tip("bad")[:12])


def spellings(place: Place, origin: Place) -> list[str]:
    """Addresses of origin that are not spelled as in its configuration."""
    (place.path.parent / "link").symlink_to(origin.path)
    place.do("config", "url.../orig.insteadOf", "short:")
    place.do("config", "remote.origin.pushUrl", "../link")
    return [
        f"{place.path}/../origin.git", origin.path.as_uri(), "../origin.git/", "../origin", "short:in.git",
        "../link", "../origin.git",
    ]  # fmt: skip


def test_a_remote_is_known_however_its_address_is_spelled(place: Place, origin: Place) -> None:
    """What it has is not judged again, and its policy is in force."""
    for number, address in enumerate(spellings(place, origin)):
        refused(place.git("push", address, f"bad:refs/heads/bad{number}"), "G8", place.tip("bad")[:12])
        passed(place.git("push", address, f"ok:refs/heads/ok{number}"))


def test_an_address_that_is_no_remote_switches_no_policy_off(place: Place, origin: Place) -> None:
    """What any remote has is known there; the policy is that of the usual remote, or else HEAD's."""
    place.do("init", "-q", "--bare", "../other.git")
    place.do("switch", "-q", "--orphan", "island")
    place.stage("src/island.py")
    place.do("commit", "-qnm", "no policy here")
    place.do("remote", "set-head", "origin", "main")

    passed(place.git("push", "../other.git", "ok"))
    refused(place.git("push", "../other.git", "bad"), "G8")
    refused(place.git("push", "../other.git", "island"), "G8")
    place.do("remote", "remove", "origin")
    place.do("switch", "-q", "bad")
    refused(place.git("push", "../origin.git", "bad:refs/heads/z"), "G8", place.tip("bad")[:12])


def test_a_new_name_for_a_remote_switches_no_policy_off(place: Place, origin: Place) -> None:
    """Nothing is known of it yet: what the others have is known, and their policy is in force."""
    place.do("remote", "add", "again", "../origin.git")

    refused(place.git("push", "again", "bad"), "G8", place.tip("bad")[:12])
    passed(place.git("push", "again", "ok"))


Spoil = Callable[[Place], None]


def garbage(place: Place) -> None:
    (place.path / ".git/refs/decisions/log").write_text("garbage\n")


def missing(place: Place) -> None:
    (place.path / ".git/refs/decisions/log").write_text("1" * 40 + "\n")


def no_log(place: Place) -> None:
    place.do("update-ref", "refs/decisions/log", "main")


@pytest.mark.parametrize("spoil", [garbage, missing, no_log])
def test_a_log_that_is_damaged_is_not_called_absent(
    place: Place, origin: Place, decide: Decide, spoil: Spoil
) -> None:
    """Neither in the hooks nor in verify: exit 4, and not a verdict on the code."""
    spoil(place)
    line = f"refs/heads/ok {place.tip('ok')} refs/heads/ok {'0' * 40}\n".encode()

    pushed = decide("hook", "pre-push", "origin", "../origin.git", cwd=place.path, stdin=line)
    verified = decide("verify", "main..ok", cwd=place.path)

    for done in (pushed, verified):
        assert done.exit_code == 4, done
        assert done.stderr.startswith("error: ")
        assert "refs/decisions/log" in done.stderr
        assert "git decide sync" not in done.stderr


def test_the_policy_is_that_of_the_target(place: Place, origin: Place) -> None:
    """What is pushed cannot weaken its own gate, whether the branch is new there or not."""
    place.do("switch", "-q", "main")
    place.stage(".gitdecide.yaml", "code: [nothing]\n")
    place.do("commit", "-qnm", "weaker")
    place.stage()
    passed(place.commit("code"))
    tips = [place.tip()[:12], place.tip("HEAD~1")[:12]]

    for target in ("main", "main:new"):
        for tip in tips:
            refused(place.git("push", "origin", target), "G8", tip)


def test_a_policy_that_cannot_be_read_lets_only_its_repair_pass(place: Place, origin: Place) -> None:
    """Code is refused, also beside the repair; commits are still made, with a warning."""
    place.do("switch", "-q", "main")
    place.policy("require: linked\ncode: [':(bogus)x']\n")
    place.do("push", "-q", "--no-verify", "origin", "main")
    place.stage()
    made = place.commit("code", "Decision: none (a try)")
    assert made.exit_code == 0, made
    assert "; the defaults are in force\n" in made.stderr
    place.do("branch", "fix", "HEAD~1")

    done = place.git("push", "origin", "main")
    assert done.exit_code != 0
    assert done.stderr.startswith("error: .gitdecide.yaml: line 2: ")
    place.do("switch", "-q", "fix")
    place.policy()
    assert place.git("push", "origin", "main", "fix:main2").exit_code != 0
    assert place.git("push", "origin", "fix:main").exit_code == 0


def test_the_merge_base_decides_for_a_new_branch(place: Place, origin: Place) -> None:
    """Where the remote's default branch is known, its policy at the fork is in force."""
    place.do("remote", "set-head", "origin", "main")
    place.do("switch", "-q", "--orphan", "island")
    place.stage("src/island.py")
    place.do("commit", "-qnm", "no policy here")

    passed(place.git("push", "origin", "island"))
    refused(place.git("push", "origin", "bad"), "G8")


def test_what_went_bad_later_only_warns_where_others_have_it(
    place: Place, origin: Place, records: Records, decide: Decide
) -> None:
    """A decision that was rejected since stops what nobody has yet; what another remote has is done."""
    place.do("init", "-q", "--bare", "../second.git")
    place.do("remote", "add", "second", "../second.git")
    place.do("push", "-q", "--no-verify", "second", "main")
    passed(place.git("push", "second", "ok"))
    changed = ("reject", "no", "-m", "changed my mind", "--read", "src/app.py")
    assert decide("supersede", records.adopted, *changed, cwd=place.path).exit_code == 0

    done = place.git("push", "origin", "ok")
    warning = f"warning: [G5] {place.tip('ok')[:12]}: {records.adopted} rejects this (src/app.py)"
    passed(done, [warning])
    place.do("update-ref", "-d", "refs/remotes/second/ok")
    place.do("update-ref", "-d", "refs/remotes/origin/ok")
    refused(place.git("push", "origin", "ok:again"), "G5", records.adopted)


def test_many_refs_are_judged_together(place: Place, origin: Place) -> None:
    """A push of all tags asks git a few questions, not some for each tag, and finds the one that is bad."""
    made = [f"create refs/tags/v{number} {place.tip('main')}\n" for number in range(500)]
    place.do("update-ref", "--stdin", stdin="".join([*made, f"create refs/tags/zz {place.tip('bad')}\n"]))
    trace = place.path.parent / "trace"

    done = place.git("push", "origin", "--tags", GIT_TRACE2_EVENT=str(trace))

    refused(done, "G8", place.tip("bad")[:12])
    assert trace.read_text().count('"event":"start"') < 25


def test_replaced_objects_do_not_hide_a_commit(place: Place, origin: Place) -> None:
    """What is pushed is judged, not what `git replace` shows instead."""
    place.do("replace", "bad", "main")

    refused(place.git("push", "origin", "bad"), "G8")


def test_a_hook_that_was_there_gets_the_same_list(place: Place, origin: Place, decide: Decide) -> None:
    """Same arguments, same standard input, also when it does not read; and it blocks."""
    decide("hooks", "uninstall", cwd=place.path)
    own = place.hooks / "pre-push"
    own.write_text('#!/bin/sh\necho "$@" >got\ncat >>got\n')
    own.chmod(0o755)
    decide("hooks", "install", cwd=place.path)

    passed(place.git("push", "origin", "ok", ":old1"))
    remote, *lines = (place.path / "got").read_text().splitlines()
    assert remote == "origin ../origin.git"
    assert len(lines) == 2
    assert f"refs/heads/ok {place.tip('ok')} refs/heads/ok {'0' * 40}" in lines
    refused(place.git("push", "origin", "bad"), "G8")

    (place.hooks / "pre-push.decide-kept").write_text("#!/bin/sh\necho mine >&2; exit 3\n")
    done = place.git("push", "origin", "ok:again")
    assert done.exit_code != 0
    assert done.stderr.startswith("mine\n")


@pytest.mark.parametrize("name", ["bad\u2028x", "-x", "$(touch${IFS}owned)", "a'b\"c"])
def test_refs_may_be_called_anything(place: Place, origin: Place, name: str) -> None:
    """No name ends a line, is an option, or is run."""
    place.do("update-ref", f"refs/heads/{name}", "bad")

    refused(place.git("push", "origin", f"refs/heads/{name}"), "G8", place.tip("bad")[:12])
    assert not list(place.path.rglob("owned"))


def test_a_mirror_is_judged(place: Place, origin: Place) -> None:
    """Where fetch writes into the user's own branches, these are not taken for the remote's."""
    place.do("config", "remote.origin.fetch", "+refs/*:refs/*")
    place.stage("src/app.py", "x = 3\n")
    place.do("commit", "-qnm", "code", "-m", "Decision: DR-999")

    refused(place.git("push", "origin", "ok"), "G1", place.tip("ok")[:12])


def test_the_variables_of_pre_commit_stand_for_the_list(place: Place, origin: Place, decide: Decide) -> None:
    """The framework keeps git's list to itself, and tells of one ref in variables."""
    told: dict[str, Any] = {
        "PRE_COMMIT_REMOTE_NAME": "origin",
        "PRE_COMMIT_REMOTE_URL": "../origin.git",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/x",
    }

    bad = decide("hook", "pre-push", cwd=place.path, PRE_COMMIT_LOCAL_BRANCH="refs/heads/bad", **told)
    good = decide("hook", "pre-push", cwd=place.path, PRE_COMMIT_LOCAL_BRANCH="refs/heads/ok", **told)

    assert (bad.exit_code, good.exit_code) == (1, 0)
    assert bad.stderr.startswith("refused [G8]: ")
