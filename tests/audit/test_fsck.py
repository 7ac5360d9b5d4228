"""`git decide fsck`: what it prints, how it ends, and what it need not prove again."""

import errno
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitdecide import output
from gitdecide.audit import proof
from gitdecide.entries.types import Check, Vote
from tests.audit.forging import LOG, Forge, forging
from tests.audit.test_damage import of
from tests.conftest import Decide, Done, run_git, run_program


@pytest.fixture
def fsck_(forge: Forge, decide: Decide) -> Any:
    """The command, in the repository that was spoiled."""
    return lambda *args: decide("fsck", *args, cwd=forge.repo)


def note(done: Done) -> str:
    """The last line on standard error."""
    return done.stderr.splitlines()[-1]


def spoil(forge: Forge) -> str:
    """Remove a file from the log; its path."""
    path = of(forge.record(1), Check)
    forge.commit({path: None})
    return path


def test_a_sound_log(fsck_: Any, forge: Forge) -> None:
    """Nothing on standard output, and exit 0."""
    commits = run_git(forge.repo, "rev-list", "--count", LOG)

    assert fsck_() == Done(0, "", f"{commits} commits, 0 faults\n")


def test_a_damaged_log(fsck_: Any, forge: Forge) -> None:
    """Every fault is a fact: a line with kind, commit, path and reason; exit 4, however often one asks."""
    path = spoil(forge)
    unread = forge.files(forge.record(2), forge.decision(forge.record(2), outcome="adopt", changes_code=True))
    forge.commit(unread)
    first, second = run_git(forge.repo, "rev-parse", f"{LOG}~", LOG).split()
    for _ in range(2):
        done = fsck_()

        assert done.exit_code == 4
        assert done.stdout == (
            f"damaged [changed]: {first[:12]} {path}: was removed\n"
            f"refused [R3]: {second[:12]} {next(iter(unread))}: {forge.record(2).name} would change code,"
            " and the decision names no premise check\n"
        )
        assert note(done).endswith(" commits, 2 faults")


def test_for_programs(fsck_: Any, forge: Forge) -> None:
    """The same as data."""
    path = spoil(forge)
    done = fsck_("--json")

    assert done.exit_code == 4
    assert json.loads(done.stdout) == {
        "version": 1,
        "tip": forge.tip,
        "commits": int(run_git(forge.repo, "rev-list", "--count", LOG)),
        "findings": [
            {"kind": "changed", "message": "was removed", "commit": forge.tip, "path": path,
             "fatal": True, "fault": True},
        ],
    }  # fmt: skip


def test_what_was_proved_is_not_proved_again(fsck_: Any, forge: Forge) -> None:
    """Only new commits are looked at, until everything is asked for."""
    assert fsck_().exit_code == 0
    assert note(fsck_()) == "0 commits after what was proved before, 0 faults"
    forge.commit(forge.files(forge.record(2), forge.vote(forge.record(2))))

    assert note(fsck_()) == "1 commit after what was proved before, 0 faults"
    assert note(fsck_("--full")) == f"{run_git(forge.repo, 'rev-list', '--count', LOG)} commits, 0 faults"


def test_a_fault_is_not_forgotten(fsck_: Any, forge: Forge) -> None:
    """A log that was sound is proved from there; what is then at fault stays so, with more on top."""
    assert fsck_().exit_code == 0
    spoil(forge)
    forge.commit(forge.files(forge.record(2), forge.vote(forge.record(2))))
    done = fsck_()

    assert (done.exit_code, note(done)) == (4, "2 commits after what was proved before, 1 fault")
    assert fsck_() == done


def test_what_is_newer_is_said_again(fsck_: Any, forge: Forge) -> None:
    """Also when it is not looked at again; it is no fault."""
    forge.commit({"format/2": b"newer\n"})
    first, second = fsck_(), fsck_()

    assert (
        first.stdout
        == f"unknown [newer]: {forge.tip[:12]} format/2: format 2 is newer than this git-decide\n"
    )
    assert (first.exit_code, second.exit_code, second.stdout) == (0, 0, first.stdout)
    assert note(second) == "0 commits after what was proved before, 0 faults"


def test_a_proof_of_another_history_is_not_trusted(fsck_: Any, forge: Forge) -> None:
    """The tip that was proved must lead to the log as it is: a rewritten one is proved anew."""
    base = forge.tip
    forge.commit(forge.files(forge.record(2), forge.vote(forge.record(2))))
    assert fsck_().exit_code == 0
    run_git(forge.repo, "update-ref", LOG, base)

    assert note(fsck_()) == f"{run_git(forge.repo, 'rev-list', '--count', base)} commits, 0 faults"


@pytest.mark.parametrize(
    "kept",
    ["", "{}", "[]", "null", '{"proves": "0", "tip": "TIP", "newer": []}',
     '{"proves": "PROVES", "tip": "--all", "newer": []}', '{"proves": "PROVES", "tip": 7, "newer": []}',
     '{"proves": "PROVES", "tip": "TIP", "newer": [{"x": 1}]}', '{"proves": "PROVES", "tip": "TIP"}', "\xff"],
)  # fmt: skip
def test_a_proof_that_is_not_ours_is_not_trusted(fsck_: Any, forge: Forge, kept: str) -> None:
    """Of another version, cut short, or nonsense: everything is proved anew, and nothing said about it."""
    file = forge.repo / ".git" / proof.FILE
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(kept.replace("PROVES", proof.PROVES).replace("TIP", forge.tip).encode("latin-1"))

    assert fsck_() == Done(0, "", f"{run_git(forge.repo, 'rev-list', '--count', LOG)} commits, 0 faults\n")
    assert note(fsck_()) == "0 commits after what was proved before, 0 faults"


def test_a_proof_that_cannot_be_kept(fsck_: Any, forge: Forge) -> None:
    """A file where the folder should be: the log is proved all the same."""
    (forge.repo / ".git" / "decide").write_text("")

    assert fsck_().exit_code == 0
    assert fsck_().exit_code == 0


def test_a_proof_that_does_not_fit_the_disk_leaves_nothing(
    fsck_: Any, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No half a file lies beside the one that was kept before."""

    def full(path: Path, *_: object) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        assert fsck_().exit_code == 0

    assert list((forge.repo / ".git" / "decide").iterdir()) == []


def test_worktrees_share_the_proof(fsck_: Any, forge: Forge, decide: Decide, tmp_path: Path) -> None:
    """It lies in the common git directory."""
    run_git(forge.repo, "commit", "-q", "--allow-empty", "-m", "base")
    run_git(forge.repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert fsck_().exit_code == 0

    assert note(decide("fsck", cwd=tmp_path / "linked")) == "0 commits after what was proved before, 0 faults"


def test_a_missing_blob_is_named(fsck_: Any, forge: Forge) -> None:
    """An entry whose content is gone: its file is named, and what builds on it is not."""
    path = of(forge.record(1), Vote)
    blob = path[-45:-5]
    commit = run_git(forge.repo, "log", "--format=%h", "--abbrev=12", LOG, "--", path)
    (forge.repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    done = fsck_()

    assert done.exit_code == 4
    assert done.stdout == f"damaged [missing]: {commit} {path}: its content is not in this repository\n"


def test_a_blob_that_went_missing_since_is_named(fsck_: Any, forge: Forge) -> None:
    """What was proved may be lost later: it is said when its record is read again."""
    record, path = forge.record(1), of(forge.record(1), Vote)
    assert fsck_().exit_code == 0
    forge.commit(forge.files(record, forge.vote(record)))
    (forge.repo / ".git" / "objects" / path[-45:-43] / path[-43:-5]).unlink()

    assert fsck_().stdout == (
        f"damaged [missing]: {forge.tip[:12]} {path}: its content is not in this repository\n"
    )


def test_a_log_without_its_format(fsck_: Any, forge: Forge) -> None:
    """No reader takes it for a log any more; the audit still says what was done to it."""
    forge.commit({"format/1": None})
    done = fsck_()

    assert (done.exit_code, done.stdout) == (
        4, f"damaged [changed]: {forge.tip[:12]} format/1: was removed\n"
    )  # fmt: skip


@pytest.mark.parametrize("what", ["~3", "~3^{tree}", "~3:decisions"])
def test_a_missing_commit_or_tree_ends_the_audit(fsck_: Any, forge: Forge, what: str) -> None:
    """A history with a hole proves nothing: exit 4, in git's words, which name it."""
    gone = run_git(forge.repo, "rev-parse", f"{LOG}{what}")
    (forge.repo / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    done = fsck_()

    assert done.exit_code == 4
    assert done.stdout.startswith(f"damaged [missing]: {forge.tip[:12]}: ")
    assert gone in done.stdout


def test_a_truncated_log(forge: Forge, decide: Decide, tmp_path: Path) -> None:
    """A shallow clone cannot prove what it has not: exit 4, and what it has is audited."""
    forge.commit(forge.files(forge.record(2), forge.vote(forge.record(2))))
    path = spoil(forge)
    run_git(tmp_path, "init", "-q", "shallow")
    shallow = tmp_path / "shallow"
    run_git(shallow, "fetch", "-q", "--depth=3", f"file://{forge.repo}", f"{LOG}:{LOG}")
    done = decide("fsck", cwd=shallow)
    edge = run_git(shallow, "rev-parse", f"{LOG}~2")

    assert done.exit_code == 4
    assert done.stdout.splitlines() == [
        f"damaged [truncated]: {edge[:12]}: the history ends here: what came before was not fetched",
        f"damaged [changed]: {forge.tip[:12]} {path}: was removed",
    ]


def test_a_log_that_libgit2_cannot_open(decide: Decide, tmp_path: Path) -> None:
    """SHA-256: the same by git alone, from ids to the root."""
    repo = tmp_path / "long"
    run_git(tmp_path, "init", "-q", "--object-format=sha256", str(repo))
    assert decide("init", "--no-hooks", cwd=repo).exit_code == 0
    record = decide("ask", "Why?", cwd=repo).id
    assert decide("vote", record, "inform", "-m", "x", "--read", "message:m1", cwd=repo).exit_code == 0

    assert decide("fsck", cwd=repo) == Done(0, "", "3 commits, 0 faults\n")
    with forging(repo, "plumbing") as forge:
        files = forge.files(forge.record(1), forge.vote(forge.record(1), stance="support", read=()))
        forge.commit(files)
    assert decide("fsck", cwd=repo).stdout.startswith(f"refused [R1]: {forge.tip[:12]} {next(iter(files))}: ")


def test_both_ways_to_objects_find_the_same(forge: Forge) -> None:
    """Packed and loose, by libgit2 and by git."""
    spoil(forge)
    forge.commit({f"{forge.record(2).name.path}/vote-{'0' * 40}.yaml": b"x\n", "README": b"x\n"})
    found = forge.findings()
    run_git(forge.repo, "gc", "-q", "--prune=now")
    with forging(forge.repo) as packed, forging(forge.repo, "plumbing") as plumbing:
        assert len(found) == 3
        assert packed.findings() == plumbing.findings() == found


def test_nothing_is_written_to_the_object_store(fsck_: Any, forge: Forge) -> None:
    """An audit reads; of the repository it changes but the file that keeps the proof."""
    before = sorted((forge.repo / ".git").rglob("*"))
    assert fsck_().exit_code == 0

    new = set((forge.repo / ".git").rglob("*")) - set(before)
    assert {str(path.relative_to(forge.repo / ".git")) for path in new} == {"decide", proof.FILE}


def test_no_log(repo: Path, decide: Decide) -> None:
    """Without a log there is nothing to prove: exit 3."""
    done = decide("fsck")

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("error: no decision log here")


def test_a_branch_that_is_no_log(repo: Path, decide: Decide) -> None:
    """A setting that names somebody's branch: exit 3, and no finding about every file of theirs."""
    run_git(repo, "config", "decide.ref", "refs/heads/main")

    assert decide("fsck") == Done(3, "", "error: refs/heads/main is not a log of git-decide\n")


def test_the_log_is_where_the_setting_says(fsck_: Any, forge: Forge) -> None:
    """decide.ref may be a branch."""
    spoil(forge)
    run_git(forge.repo, "update-ref", "refs/heads/decisions", f"{LOG}~")
    run_git(forge.repo, "config", "decide.ref", "refs/heads/decisions")

    assert fsck_().exit_code == 0


class Terminal(io.StringIO):
    """Where a bar may be drawn."""

    def isatty(self) -> bool:
        return True


def test_a_bar_is_for_terminals_and_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """None in the first second, none in a pipe; it leaves nothing behind."""
    times = iter([0.0, 0.5, 2.0, 2.01, 3.0])
    monkeypatch.setattr(output, "monotonic", lambda: next(times, 9.0))
    terminal, pipe = Terminal(), io.StringIO()
    bar = output.Bar(terminal)
    bar.show(0.1)
    assert terminal.getvalue() == ""
    bar.show(0.5)
    bar.show(0.6)
    bar.show(1.0)
    bar.clear()
    drawn = terminal.getvalue().split("\r")

    assert drawn[1:3] == [f"[{'#' * 20}{'.' * 20}]  50%", f"[{'#' * 40}] 100%"]
    assert (drawn[3].strip(), len(drawn[3]) >= len(drawn[2]), drawn[4:]) == ("", True, [""])
    silent = output.Bar(pipe)
    silent.show(0.5)
    silent.clear()
    assert pipe.getvalue() == ""


def test_it_runs_as_users_run_it(forge: Forge) -> None:
    """In a process of its own, with its output in a pipe."""
    done = run_program("fsck", cwd=forge.repo)

    assert (done.exit_code, done.stdout) == (0, "")
