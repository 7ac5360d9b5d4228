"""Forks: judging by a log that nobody has merged yet, and taking one over."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import run_git
from tests.sync.conftest import LOG, Clone, Hand, files


@pytest.fixture
def fork(one: Clone, clone: Callable[..., Clone]) -> Clone:
    """A clone of which nothing was pushed, with a decision that its code commit names."""
    one.ok("sync")
    made = clone("fork")
    name = made.ask("Double it?")
    made("check", name, "--", "true")
    made("bind", name, "adopt", "yes", "--check", "last", "--read", "app.py")
    (made.path / "app.py").write_text("x = 2\n")
    made.git("commit", "-qam", f"double\n\nDecision: {name}")
    return made


@pytest.fixture
def pulled(one: Clone, fork: Clone) -> Clone:
    """Who judges the fork: its branch and its log were fetched by hand."""
    one.git("fetch", "-q", str(fork.path), "main:pr", f"{LOG}:refs/remotes/pr/12/decisions")
    return one


def test_a_fork_is_judged_by_both_logs(pulled: Clone, fork: Clone) -> None:
    """Verify refuses what our log does not know, passes with the fork's beside it, and moves no ref."""
    alone = pulled("verify", "main..pr")
    before = pulled.refs
    beside = pulled("verify", "main..pr", "--log", "refs/remotes/pr/12/decisions")

    assert alone.stdout.startswith("refused [G1]: ")
    assert (beside.exit_code, beside.stdout) == (0, "")
    name = fork("list").stdout.split()[0]
    assert beside.stderr.splitlines()[-1] == (
        f"unmerged, from refs/remotes/pr/12/decisions alone: 4 entries in 1 record: {name}"
    )
    assert pulled.refs == before
    said = json.loads(pulled("verify", "main..pr", "--log", "pr/12/decisions", "--json").stdout)
    assert (said["unmerged"], said["refused"]) == ([name], 0)


def test_our_log_counts_beside_the_forks(pulled: Clone, fork: Clone) -> None:
    """What we superseded and the fork has not seen is refused, though its own log would pass."""
    pulled.ok("sync", "--from", str(fork.path))
    name = pulled("list").stdout.split()[0]
    pulled("supersede", name, "reject", "no", "-m", "it breaks", "--read", "app.py")

    judged = pulled("verify", "main..pr", "--log", "pr/12/decisions")
    assert (judged.exit_code, judged.stdout[:13]) == (1, "refused [G5]:")
    assert "nothing in pr/12/decisions is unmerged" in judged.stderr


def test_verify_without_a_log_of_its_own(fork: Clone, clone: Callable[..., Clone]) -> None:
    """A clone that never had a log judges by the fork's alone."""
    bare = clone("bare", init=False)
    bare.git("fetch", "-q", str(fork.path), "main:pr", f"{LOG}:refs/pr/log")

    assert bare("verify", "main..pr").exit_code == 4
    assert bare("verify", "main..pr", "--log", "refs/pr/log").exit_code == 0
    assert bare.tip == ""


@pytest.mark.parametrize(
    ("revision", "code", "says"),
    [
        ("refs/pr/none", 3, "no log to judge by"),
        ("main", 3, "main is not a log"),
        ("--all", 3, "no log to judge by"),
        ("", 3, "no log to judge by"),
    ],
)
def test_what_is_no_log_judges_nothing(one: Clone, revision: str, code: int, says: str) -> None:
    """One line, and no verdict."""
    done = one("verify", f"--log={revision}", "main~0..main")

    assert (done.exit_code, done.stdout) == (code, "")
    assert says in done.stderr.splitlines()[0]


def test_a_rewritten_log_judges_nothing(pulled: Clone, fork: Clone) -> None:
    """A log that changed an entry is refused whole by verify and by sync, and nothing is merged."""
    hand = Hand(fork.path)
    entry = next(path for path in files(fork.path) if "decision-" in path)
    hand.read()
    hand.drop(entry)
    hand.commit()
    pulled.git("fetch", "-q", str(fork.path), f"{LOG}:refs/pr/bad")
    before = pulled.refs

    judged = pulled("verify", "main..pr", "--log", "refs/pr/bad")
    taken = pulled("sync", "--from", str(fork.path))

    for done in (judged, taken):
        assert (done.exit_code, done.stdout) == (4, "")
        assert f"{entry}: was removed: " in done.stderr
    assert pulled.refs == before


def test_a_damaged_log_of_ours_judges_nothing(pulled: Clone) -> None:
    """That ours leads nowhere is no reason to judge by the other alone."""
    pulled.git("update-ref", LOG, pulled.git("rev-parse", "main:app.py"))
    done = pulled("verify", "main..pr", "--log", "pr/12/decisions")

    assert (done.exit_code, done.stdout) == (4, "")
    assert f"{LOG} leads to no commit" in done.stderr


def test_a_faulty_log_is_never_green(pulled: Clone, fork: Clone) -> None:
    """An entry that is none is named by verify and by sync, and both end with 4; the rest counts."""
    name = fork("list").stdout.split()[0]
    Hand(fork.path).add(f"decisions/DR-0xxx/DR-900-00000000/vote-{'0' * 40}.yaml", "type: vote\n")
    pulled.git("fetch", "-q", str(fork.path), f"{LOG}:refs/pr/odd")

    judged = pulled("verify", "main..pr", "--log", "refs/pr/odd")
    taken = pulled("sync", "--from", str(fork.path))

    assert (judged.exit_code, judged.stdout) == (4, "")
    assert "error: counts for nothing: decisions/DR-0xxx/DR-900-00000000" in judged.stderr
    assert taken.exit_code == 4
    assert "DR-900-00000000" in taken.stderr
    assert pulled("show", name).exit_code == 0


def test_a_forks_log_is_taken_over(one: Clone, two: Clone, fork: Clone) -> None:
    """Sync --from says what came, adds no remote and no ref, pushes nothing; the next sync does."""
    mine = one.ask("Mine?")
    before = one.git("config", "--list", "--local")
    hub = one.git("ls-remote", "origin")

    said = one.ok("sync", "--from", str(fork.path))

    assert said == f"from {fork.path}: 4 entries in 1 record\n"
    assert one.git("config", "--list", "--local") == before
    assert one.git("ls-remote", "origin") == hub
    assert "from-" not in one.refs
    assert one.files >= fork.files
    assert mine in one("list").stdout
    assert one.git("log", "-1", "--format=%s", LOG) == f"merge the log of {fork.path}"
    one.ok("sync")
    two.ok("sync")
    assert two.files == one.files
    assert one("fsck").exit_code == 0


def test_a_remotes_name_will_do(one: Clone, fork: Clone) -> None:
    """A configured remote is asked by its name; again there is nothing new, and no commit is made."""
    one.git("remote", "add", "friend", str(fork.path))
    first = json.loads(one("sync", "--from", "friend", "--json").stdout)
    tip = one.tip

    assert first["came"] == {"entries": 4, "records": 1}
    assert one.ok("sync", "--from", "friend") == "nothing new here or at friend\n"
    assert one.tip == tip
    assert "refs/decisions-remotes/friend" not in one.refs


def test_a_clone_without_a_log_takes_one(fork: Clone, clone: Callable[..., Clone]) -> None:
    """Where there was none the fork's log is ours."""
    fresh = clone("fresh", init=False)
    fresh.ok("sync", "--from", str(fork.path))

    assert fresh.tip == fork.tip


def test_a_fork_that_keeps_its_log_elsewhere(one: Clone, fork: Clone) -> None:
    """With decide.ref ours is a branch; a fork without that branch is asked for the usual ref."""
    one.git("branch", "decisions", LOG)
    one.git("config", "decide.ref", "refs/heads/decisions")
    one.ok("sync", "--from", str(fork.path))

    assert files(one.path, "decisions") >= fork.files


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("nowhere", "cannot reach nowhere: "),
        ("--upload-pack=touch ran", "strange pathname"),
        ("ext::sh -c 'touch ran'", "transport 'ext' not allowed"),
        ("", "no path specified"),
        ("https://ada:hunter2@127.0.0.1:1/x.git", "cannot reach https://127.0.0.1:1/x.git"),
    ],
)
def test_bad_addresses_do_nothing(one: Clone, address: str, says: str) -> None:
    """Git's own word, exit 3, no ref moved, no program run, no password repeated."""
    before = one.refs
    done = one("sync", f"--from={address}")

    assert (done.exit_code, done.stdout) == (3, "")
    assert says in done.stderr
    assert "hunter2" not in done.stderr
    assert one.refs == before
    assert not (one.path / "ran").exists()


def test_an_address_without_a_log(one: Clone, hub: Path) -> None:
    """A repository without a log is not found, and one log at a time is taken."""
    run_git(hub, "update-ref", "-d", LOG)
    done = one("sync", "--from", str(hub))

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr == f"error: no decision log at {hub}: there is no {LOG}\n"
    assert one("sync", "origin", "--from", str(hub)).exit_code == 2
