"""What doctor says, point by point, in every kind of place."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitdecide.work.worktree import PREFIX
from tests.conftest import Clock, Decide, Done, GitRunner

Said = Callable[..., dict[str, str]]
FakeGit = Callable[[str], AbstractContextManager[None]]
LOG = "refs/decisions/log"


@pytest.fixture
def said(decide: Decide) -> Said:
    """The line of each point by its name, with its level; the run must end as told."""

    def run(exit_code: int, *args: str, **more: Any) -> dict[str, str]:
        done = decide("doctor", *args, **more)
        assert (done.exit_code, done.stderr) == (exit_code, ""), done
        return by_name(done)

    return run


def by_name(done: Done) -> dict[str, str]:
    """Level and words of each point; what to do stands behind an arrow, points of one name follow."""
    found: dict[str, str] = {}
    name = ""
    for line in done.stdout.splitlines():
        if line.startswith("       "):
            found[name] += f" -> {line.strip()}"
        else:
            level, _, rest = line.partition(" ")
            name, _, says = rest.strip().partition(": ")
            found[name] = f"{found[name]}; {level} {says}" if name in found else f"{level} {says}"
    return found


@pytest.fixture
def fake_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGit:
    """A git that begins with a line of shell, for a while."""

    @contextmanager
    def begin(line: str) -> Iterator[None]:
        program = tmp_path / "fake" / "git"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\n{line}\nexec {shutil.which("git")} "$@"\n')
        program.chmod(0o755)
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
            yield

    return begin


@pytest.fixture
def healthy(decide: Decide, repo: Path) -> Path:
    """A repository with a log that was proved, and hooks whose program says quickly that it is there."""
    decide("init")
    decide("ask", "Why?")
    decide("fsck")
    for hook in ("pre-commit", "commit-msg", "pre-push"):
        aim(repo / ".git" / "hooks" / hook, str(shutil.which("true")))
    return repo


def aim(hook: Path, program: str) -> None:
    """Let a hook call another program."""
    hook.write_text(re.sub("^program=.*", f"program={program}", hook.read_text(), flags=re.MULTILINE))


def test_all_is_well(healthy: Path, decide: Decide, said: Said) -> None:
    """Every point is said, none is more than ok, and programs get the same; exit 0."""
    points = said(0)

    assert {line.split(" ")[0] for line in points.values()} == {"ok"}
    assert list(points) == [
        "program", "git", "identity", "leftovers", "repository", "objects", "policy", "hooks", "locks", "log",
        "proof", "index", "fetch", "shared",
    ]  # fmt: skip
    data = json.loads(decide("doctor", "--json").stdout)
    assert data["version"] == 1
    assert {point["name"]: f"{point['level']} {point['says']}" for point in data["points"]} == points
    assert points["identity"] == "ok Ada, a person, by the git identity"
    assert points["hooks"] == "ok git calls pre-commit, commit-msg, pre-push"
    assert points["objects"].startswith("ok libgit2")


def test_outside_of_a_repository(said: Said, tmp_path: Path) -> None:
    """What needs none is said, and git's own line; exit 3."""
    (tmp_path / "none").mkdir()
    points = said(3, cwd=tmp_path / "none", GIT_CEILING_DIRECTORIES=str(tmp_path))

    assert list(points)[-1] == "repository"
    assert points["repository"] == "wrong not a git repository (or any of the parent directories): .git"


def test_without_a_log(said: Said, repo: Path) -> None:
    """Every point is said all the same; exit 3."""
    points = said(3)

    assert points["log"] == f"wrong no decision log here: {LOG} does not exist -> git decide init"
    assert points["shared"].startswith("ok ")


def test_without_git(decide: Decide, tmp_path: Path, fake_git: FakeGit) -> None:
    """A git that is missing or too old is named."""
    missing = by_name(decide("doctor", PATH=str(tmp_path)))
    with fake_git('[ "$1" = version ] && echo git version 2.30.1 && exit'):
        old = by_name(decide("doctor"))

    assert missing["git"] == "wrong git is not installed, or not on the PATH"
    assert old["git"] == "wrong git version 2.30.1 is too old -> install git 2.34 or newer"


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"CLAUDECODE": "1"}, "ok claude-code, an agent, by the agent environment that CLAUDECODE tells of"),
        ({"GIT_DECIDE_ACTOR": "bob"}, "ok bob, an agent, by GIT_DECIDE_ACTOR"),
        ({"GIT_DECIDE_ACTOR": "Ada"}, "ok Ada, a person, by GIT_DECIDE_ACTOR"),
        (
            {"GIT_DECIDE_ACTOR": "Ada", "CLAUDECODE": "1"},
            "wrong Ada, a person, by GIT_DECIDE_ACTOR: inside claude-code nothing is taken",
        ),
        ({"GIT_DECIDE_ACTOR": "<"}, "wrong the actor's name '<' has "),
    ],
)
def test_who_would_speak(healthy: Path, said: Said, environ: dict[str, str], says: str) -> None:
    """The actor, of which kind, and what makes it so."""
    points = said(int(says.startswith("wrong")), **environ)

    assert points["identity"].startswith(says)


def test_nobody_to_speak(healthy: Path, said: Said, sealed: Path) -> None:
    """Without an identity, and where git may not guess one, git's words and advice are said; exit 1."""
    (sealed / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    points = said(1)

    assert points["identity"].startswith("wrong no ")
    assert "git config --global user." in points["identity"]


def test_a_guessed_address(healthy: Path, said: Said, git: GitRunner, fake_git: FakeGit) -> None:
    """An e-mail that git makes up is pointed out."""
    git(healthy, "config", "--global", "--unset", "user.email")
    with fake_git('[ "$1" = var ] && echo "Ada <ada@here.localdomain> 1 +0000" && exit'):
        line = said(0)["identity"]

    assert line.startswith("advice Ada, a person, by the git identity, which guesses the e-mail")


def test_what_a_crash_left_is_swept(
    healthy: Path, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A throwaway worktree that nobody holds is removed and named, once."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / f"{PREFIX}left"
    (left / "tree").mkdir(parents=True)

    assert said(0)["leftovers"] == f"ok swept what crashed runs left behind: {left}"
    assert not left.exists()
    assert said(0)["leftovers"] == "ok no run left a throwaway worktree behind"


def test_a_bare_repository(decide: Decide, said: Said, repo: Path, tmp_path: Path, git: GitRunner) -> None:
    """A server without its hook is advised to install it, and nothing is wrong."""
    decide("init", "--no-hooks")
    git(tmp_path, "clone", "-q", "--mirror", str(repo), "bare.git")
    git(tmp_path / "bare.git", "remote", "remove", "origin")
    points = said(0, cwd=tmp_path / "bare.git")

    assert points["repository"] == f"ok {tmp_path / 'bare.git'} (bare)"
    assert points["hooks"].startswith("advice pre-receive is not installed")
    assert decide("hooks", "install", cwd=tmp_path / "bare.git").exit_code == 0
    assert said(0, cwd=tmp_path / "bare.git")["hooks"] == "ok git calls pre-receive"


def test_a_linked_worktree(healthy: Path, said: Said, tmp_path: Path, git: GitRunner) -> None:
    """Seen from a linked worktree, and from inside the git directory, the log is the same."""
    git(healthy, "worktree", "add", "-q", str(tmp_path / "wt"))
    points = said(0, cwd=tmp_path / "wt")

    assert points["repository"].endswith("/worktrees/wt (linked worktree)")
    assert points["hooks"].startswith("ok git calls")
    assert said(0, cwd=healthy / ".git")["hooks"].startswith("advice seen from inside")


def test_a_read_only_repository(healthy: Path, powerless: list[str]) -> None:
    """It is said that nothing can be recorded; everything else is answered; exit 1."""
    folders = [folder for folder in (healthy / ".git").rglob("*") if folder.is_dir()]
    for folder in (healthy / ".git", *folders):
        folder.chmod(0o000 if folder.name == "decide" else 0o555)
    try:
        command = [*powerless, sys.executable, "-m", "gitdecide", "doctor"]
        done = subprocess.run(command, cwd=healthy, capture_output=True, text=True, check=False)
    finally:
        for folder in (healthy / ".git", *folders):
            folder.chmod(0o755)
    points = by_name(Done(done.returncode, done.stdout, done.stderr))

    assert (done.returncode, done.stderr) == (1, "")
    assert points["index"].startswith("wrong cannot look: ")
    assert "cannot be written" in points["repository"]
    assert points["log"].startswith(f"ok {LOG} at")


def test_hooks_that_do_not_fire(healthy: Path, said: Said, git: GitRunner) -> None:
    """A hook that is gone, one whose program is gone, and a setting that leads elsewhere are named."""
    hooks = healthy / ".git" / "hooks"
    (hooks / "pre-push").unlink()
    aim(hooks / "commit-msg", "/nowhere")
    line = said(1, PATH=str(shutil.which("git")).removesuffix("/git"))["hooks"]

    assert line.startswith("wrong commit-msg cannot judge: ")
    assert line.endswith("pre-push is not installed -> git decide hooks install")
    git(healthy, "config", "core.hooksPath", "/dev/null")
    assert "core.hooksPath = /dev/null in " in said(1)["hooks"]


@pytest.mark.parametrize(("age", "level"), [(5, "advice"), (7200, "wrong")])
@pytest.mark.parametrize("name", [f"{LOG}.lock", "packed-refs.lock", "refs/decisions-seen/origin.lock"])
def test_lock_files(healthy: Path, said: Said, clock: Clock, name: str, age: int, level: str) -> None:
    """A lock is named with its age: of a writer when young, of a crash when old."""
    lock = healthy / ".git" / name
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    then = clock.instant.timestamp() - age
    os.utime(lock, (then, then))
    line = said(int(level == "wrong"))["locks"]

    assert line.startswith(level)
    assert f"{lock} ({'2 hours' if age == 7200 else '5 seconds'} old)" in line
    assert "rm " not in line


def test_a_log_whose_ref_leads_nowhere(healthy: Path, said: Said, git: GitRunner) -> None:
    """A ref that holds no commit is damage; exit 4."""
    git(healthy, "update-ref", LOG, git(healthy, "rev-parse", "HEAD:src/app.py"))

    assert said(4)["log"] == f"wrong the log is damaged: {LOG} leads to no commit"


@pytest.mark.parametrize("what", [f"{LOG}^{{tree}}", f"{LOG}~1"])
def test_a_log_with_a_hole(healthy: Path, said: Said, git: GitRunner, what: str) -> None:
    """A log that lacks an object is damage, with the way to find out more; exit 4."""
    oid = git(healthy, "rev-parse", what)
    (healthy / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    line = said(4)["log"]

    assert line.startswith("wrong ")
    assert line.endswith("-> git decide fsck")


def test_a_log_that_is_none(healthy: Path, said: Said, git: GitRunner) -> None:
    """A ref of code is no log, and was none; exit 3."""
    git(healthy, "update-ref", LOG, "HEAD")

    assert said(3)["log"] == f"wrong {LOG} is not a log of git-decide"


def test_a_newer_format(healthy: Path, said: Said, by_hand: Callable[..., str]) -> None:
    """A log that only a newer program writes is said to be one."""
    by_hand("format/2", "newer\n")

    assert "install a newer git-decide to write" in said(3)["log"]


def test_where_the_log_should_be(healthy: Path, said: Said, git: GitRunner) -> None:
    """A decide.ref that is no ref, or that the log has not moved to, is told with the way out."""
    git(healthy, "config", "decide.ref", "decisions")
    assert said(3)["log"].endswith("-> git config decide.ref refs/heads/decisions")
    git(healthy, "config", "decide.ref", "refs/heads/decisions")
    line = said(3)["log"]

    assert line.endswith(f"there is a log at {LOG} -> git branch decisions {LOG} brings the log there")
    git(healthy, "branch", "decisions", LOG)
    assert said(0)["log"].startswith("ok refs/heads/decisions at")


def test_how_far_it_was_proved(healthy: Path, decide: Decide, said: Said) -> None:
    """What came after the last proof is counted, and nothing is proved on the way."""
    decide("ask", "More?")
    expected = "advice 1 commit came after what was proved whole -> git decide fsck"

    assert said(0)["proof"] == expected
    assert said(0)["proof"] == expected
    (healthy / ".git" / "decide" / "proved").unlink()
    assert said(0)["proof"].startswith("advice this clone has not proved the log whole")


def test_the_index(healthy: Path, decide: Decide, said: Said) -> None:
    """Where it is, when it was written and whether it is behind; garbage in its place is only advice."""
    file = healthy / ".git" / "decide" / "index.sqlite"
    decide("list")
    assert re.fullmatch(f"ok {file}, \\d+ KiB, written [0-9: -]+ UTC", said(0)["index"])
    decide("ask", "More?")
    assert said(0)["index"].endswith("UTC, behind the log: the next command catches up")
    file.write_bytes(b"\x93" * 4096)
    assert said(0)["index"].startswith(f"advice {file} cannot be read")
    file.unlink()
    file.mkdir()
    assert "move this folder away" in said(0)["index"]


def test_a_policy_that_cannot_be_read(healthy: Path, decide: Decide, said: Said, git: GitRunner) -> None:
    """HEAD's policy is read, and its fault named with the line; exit 1."""
    (healthy / ".gitdecide.yaml").write_text("require: linked\n")
    git(healthy, "add", ".")
    git(healthy, "commit", "-qnm", "policy")
    assert said(0)["policy"] == "ok .gitdecide.yaml of HEAD"
    (healthy / ".gitdecide.yaml").write_text("require: sometimes\n")
    git(healthy, "commit", "-qnam", "policy")

    done = decide("doctor")
    assert done.exit_code == 1
    assert by_name(done)["policy"].startswith("wrong .gitdecide.yaml: line 1: ")


def test_a_partial_clone(healthy: Path, said: Said, tmp_path: Path, git: GitRunner) -> None:
    """Bulk work goes through git there, which fetches what is missing; doctor says so."""
    git(healthy, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{healthy}", "part")
    points = said(3, cwd=tmp_path / "part")

    assert "(partial clone)" in points["repository"]
    assert points["objects"].endswith("git alone fetches what is missing from origin")


def test_a_truncated_log(healthy: Path, said: Said, tmp_path: Path, git: GitRunner) -> None:
    """A log of which a shallow clone has only the end is damage; exit 4."""
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{healthy}", "cut")
    git(tmp_path / "cut", "fetch", "-q", "--depth=1", "origin", f"{LOG}:{LOG}")
    points = said(4, cwd=tmp_path / "cut")

    assert points["log"] == f"wrong {LOG} is cut short: this clone is shallow -> git decide sync"
    assert "(shallow)" in points["repository"]


@pytest.fixture
def hub(healthy: Path, tmp_path: Path, decide: Decide, git: GitRunner) -> Path:
    """A bare remote called origin that `healthy` has shared its log with."""
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(healthy, "remote", "add", "origin", str(tmp_path / "hub.git"))
    assert decide("init", "--no-hooks").exit_code == 0
    assert decide("sync").exit_code == 0
    return tmp_path / "hub.git"


def test_a_shared_log(hub: Path, healthy: Path, decide: Decide, said: Said, git: GitRunner) -> None:
    """What is only here, only there, and a fetch line that is missing are told."""
    points = said(0)
    assert (points["fetch"], points["shared"]) == (
        "ok git fetch origin brings decisions",
        "ok origin has all that is here",
    )
    decide("ask", "More?")
    assert said(0)["shared"].startswith("advice 1 commit of the log may not be at origin yet")
    git(healthy, "config", "remote.origin.mirror", "true")
    assert said(0)["fetch"].startswith("advice origin is a mirror: git push takes away")
    git(healthy, "config", "--unset-all", "remote.origin.fetch", "decisions")
    assert said(0)["fetch"].startswith("advice plain git fetch brings no decisions from origin")
    git(healthy, "update-ref", "-d", "refs/decisions-seen/origin")
    assert said(0)["shared"].startswith("advice the log was never shared with origin")


def test_remotes_of_which_none_is_the_usual_one(healthy: Path, said: Said, git: GitRunner) -> None:
    """Nothing is wrong with that, and sync can be told which."""
    for name in ("one", "two"):
        git(healthy, "remote", "add", name, f"../{name}")

    assert said(0)["fetch"] == (
        "advice several remotes, and none is the usual one: one, two -> git decide sync REMOTE"
    )


@pytest.mark.parametrize("line", ["+refs/decisions/*:refs/decisions/*", "+refs/*:refs/*"])
def test_a_fetch_line_that_destroys(hub: Path, healthy: Path, said: Said, git: GitRunner, line: str) -> None:
    """A line by which plain `git fetch` would overwrite the log is wrong."""
    git(healthy, "config", "--add", "remote.origin.fetch", line)

    assert said(1)["fetch"].startswith("wrong git fetch origin overwrites the log here: ")


def test_a_remote_that_takes_the_log(hub: Path, healthy: Path, said: Said, git: GitRunner) -> None:
    """It is tried with a scratch ref, of which nothing stays on either side; its own hook lets it go."""
    before = git(hub, "for-each-ref"), git(healthy, "for-each-ref")
    line = said(0, "--remote")["remote"]

    assert line.startswith(f"ok origin answers; ok origin has a log: {LOG} at ")
    assert line.endswith("; ok origin takes the log from us")
    assert (git(hub, "for-each-ref"), git(healthy, "for-each-ref")) == before


def test_a_remote_with_our_hook(hub: Path, healthy: Path, decide: Decide, said: Said, git: GitRunner) -> None:
    """A server that judges with pre-receive takes the scratch ref, and lets it go."""
    assert decide("hooks", "install", cwd=hub).exit_code == 0
    before = git(hub, "for-each-ref")

    assert said(0, "--remote", "origin")["remote"].endswith("; ok origin takes the log from us")
    assert git(hub, "for-each-ref") == before


def test_a_remote_that_takes_branches_alone(hub: Path, healthy: Path, said: Said, git: GitRunner) -> None:
    """A host that refuses the ref is named with the way to keep the log in a branch; exit 1."""
    git(hub, "config", "receive.hideRefs", "refs/decisions")
    line = said(1, "--remote")["remote"]

    assert "; wrong origin does not take refs/decisions/probe-" in line
    assert line.endswith(f"git branch decisions {LOG}, then git config decide.ref refs/heads/decisions")


def test_a_remote_that_is_only_read(hub: Path, healthy: Path, said: Said, git: GitRunner) -> None:
    """Who may not push is told so, and not sent to a branch; exit 3."""
    script = hub.with_name("receive-pack")
    script.write_text("#!/bin/sh\necho 'ERROR: Permission to hub denied to Ada' >&2; exit 1\n")
    script.chmod(0o755)
    git(healthy, "config", "remote.origin.receivepack", str(script))
    line = said(3, "--remote")["remote"]

    assert "; wrong origin does not take refs/decisions/probe-" in line
    assert line.endswith(" -> your entries are kept here until somebody who may push brings them there")


def test_a_remote_that_deletes_nothing(hub: Path, healthy: Path, said: Said, git: GitRunner) -> None:
    """Where the scratch ref has to stay, it is named."""
    (hub / "hooks" / "update").write_text('#!/bin/sh\n! expr "$3" : "0*$" >/dev/null\n')
    (hub / "hooks" / "update").chmod(0o755)
    line = said(0, "--remote")["remote"]
    stayed = git(hub, "for-each-ref", "--format=%(refname)", "refs/decisions/probe-*")

    assert "; advice origin takes the log, and keeps what it was tried with" in line
    assert stayed
    assert line.endswith(f"to remove {stayed}")


def test_a_remote_that_is_not_there(hub: Path, healthy: Path, said: Said, decide: Decide) -> None:
    """A remote that cannot be reached, or is none, ends with 3; a name needs --remote."""
    hub.rename(hub.with_name("moved"))

    assert said(3, "--remote")["remote"].startswith("wrong cannot reach origin: ")
    assert said(3, "--remote", "nobody")["remote"].startswith("wrong no remote of this name: nobody")
    assert decide("doctor", "origin").exit_code == 2


def test_a_remote_for_a_branch(hub: Path, healthy: Path, said: Said, decide: Decide, git: GitRunner) -> None:
    """With the log in a branch nothing is created there to try it, and it is said what that leaves open."""
    git(healthy, "branch", "decisions", LOG)
    git(healthy, "config", "decide.ref", "refs/heads/decisions")
    before = git(hub, "for-each-ref")
    line = said(0, "--remote")["remote"]

    assert "; advice origin has no log yet -> git decide sync origin; ok origin lets us push" in line
    assert git(hub, "for-each-ref") == before
