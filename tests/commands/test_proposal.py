"""`proposal`: what was proposed is listed, shown, applied and discarded, here and in another clone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Decide, GitRunner

EDIT = "sed -i 's/x = 1/x = 2/' src/app.py"
Propose = Callable[..., str]


@pytest.fixture
def propose(decide: Decide, record: str) -> Propose:
    """Propose what a script makes of HEAD; the id."""
    return lambda script=EDIT, **more: decide("propose", record, "-c", script, **more).id


@pytest.fixture
def clone(decide: Decide, repo: Path, git: GitRunner) -> Callable[[], Path]:
    """Another clone that has the log, and of the code what main had."""

    def make() -> Path:
        place = repo.parent / "clone"
        git(repo.parent, "clone", "-q", "--single-branch", "--branch", "main", str(repo), str(place))
        git(place, "fetch", "-q", "origin", "refs/decisions/log:refs/decisions/log")
        return place

    return make


def state(place: Path, git: GitRunner) -> tuple[str, ...]:
    """What applying must leave alone when it refuses."""
    files = [str(path) for path in sorted(place.rglob("*")) if ".git/" not in str(path)]
    index = (place / ".git" / "index").read_bytes().hex()
    asked = (
        ("rev-parse", "HEAD"),
        ("status", "--porcelain"),
        ("diff",),
        ("config", "--list"),
        ("for-each-ref",),
    )
    return (*(git(place, "--no-optional-locks", *words) for words in asked), index, *files)


def test_a_list_has_a_line_each(decide: Decide, record: str, propose: Propose) -> None:
    """Of one record or of all; what changes is named by its title, else by what made it."""
    titled = decide("propose", record, "-m", "Two", "-c", EDIT).id
    plain = propose("touch new")
    other = decide("ask", "Another?").id

    lines = decide("proposal", "list").stdout.splitlines()

    assert lines == [
        f"{titled[:8]}  {record}  decide/DR-001/1  Ada  Two",
        f"{plain[:8]}  {record}  decide/DR-001/2  Ada  touch new",
    ]
    assert decide("proposal", "list", record).stdout.splitlines() == lines
    assert decide("proposal", "list", other).stdout == ""


def test_show_says_what_is_known(
    decide: Decide, record: str, propose: Propose, repo: Path, git: GitRunner
) -> None:
    """Who, on what, what it does to each file, and what somebody should look at."""
    made = propose(f"{EDIT}; ln -s / link; git mv src/app.py 'src/new name.py'")

    said = decide("proposal", "show", made[:6])

    assert said.stdout.splitlines()[:5] == [
        f"{made} by Ada, 2026-10-19 09:14",
        f"    for: {record}",
        f"    on: {git(repo, 'rev-parse', 'HEAD')}",
        "    branch: decide/DR-001/1",
        f"    made by: {EDIT}; ln -s / link; git mv src/app.py 'src/new name.py'",
    ]
    assert "    create mode 120000 link" in said.stdout.splitlines()
    assert said.stderr == "warning: it adds a symbolic link: link\n"
    facts = json.loads(decide("proposal", "show", made, "--json").stdout)
    assert (facts["id"], facts["notable"]) == (made, ["it adds a symbolic link: link"])
    assert facts["commit"] == git(repo, "rev-parse", "decide/DR-001/1")
    assert f"{made[:8]} proposal by Ada" in decide("show", record).stdout


def test_diff_is_the_bytes(propose: Propose, repo: Path, git: GitRunner) -> None:
    """A pipe gets what the log has, whatever encoding it is in."""
    made = propose("printf 'caf\\351\\033[31m\\r\\n' > latin1.txt; head -c 99 /dev/urandom > pic.bin")

    done = subprocess.run(
        [sys.executable, "-m", "gitdecide", "proposal", "diff", made],
        cwd=repo,
        capture_output=True,
        check=True,
    )

    assert b"+caf\xe9\x1b[31m\r\n" in done.stdout
    git(repo, "config", "core.autocrlf", "false")
    subprocess.run(["git", "apply", "--index", "-"], cwd=repo, input=done.stdout, check=True)
    assert git(repo, "write-tree") == git(repo, "rev-parse", "decide/DR-001/1^{tree}")


def test_diff_is_safe_on_a_terminal(propose: Propose, repo: Path) -> None:
    """Nothing in a patch speaks to the terminal itself."""
    import pty

    made = propose("printf 'caf\\351\\033[31m\\n' > latin1.txt")
    ours, theirs = pty.openpty()
    environ = {**os.environ, "GIT_PAGER": "cat"}
    done = subprocess.run(
        [sys.executable, "-m", "gitdecide", "proposal", "diff", made],
        cwd=repo,
        stdout=theirs,
        env=environ,
        check=True,
    )
    os.close(theirs)

    assert done.returncode == 0
    assert b"+caf\\xe9\\x1b[31m" in os.read(ours, 100_000)
    os.close(ours)


def test_apply_makes_the_change(
    decide: Decide, record: str, propose: Propose, repo: Path, git: GitRunner
) -> None:
    """To the files and the index, and links the branch; nothing is committed."""
    made = propose(f"{EDIT}; chmod +x src/app.py; mkdir deep; touch deep/new")
    head = git(repo, "rev-parse", "HEAD")
    os.utime(repo / "src" / "app.py", (1, 1))

    said = decide("proposal", "apply", made, cwd=repo / "src")

    assert (said.exit_code, said.stdout, said.stderr) == (
        0,
        "",
        f"main is linked to {record}\nwarning: {record} is open: commits that change code will be refused\n",
    )
    assert git(repo, "write-tree") == git(repo, "rev-parse", "decide/DR-001/1^{tree}")
    assert git(repo, "status", "--porcelain") == "A  deep/new\nM  src/app.py"
    assert os.access(repo / "src" / "app.py", os.X_OK)
    assert git(repo, "rev-parse", "HEAD") == head
    assert git(repo, "config", "branch.main.decide") == record


def test_another_clone_has_it_too(
    decide: Decide, record: str, propose: Propose, git: GitRunner, clone: Callable[[], Path]
) -> None:
    """Without the branch: list, show, diff and apply work from the log."""
    made = propose()
    place = clone()

    for verb in ("show", "diff"):
        assert decide("proposal", verb, made, cwd=place).exit_code == 0
    assert (
        "    branch: decide/DR-001/1, which is not here" in decide("proposal", "show", made, cwd=place).stdout
    )
    assert made[:8] in decide("proposal", "list", cwd=place).stdout
    assert decide("proposal", "apply", made, cwd=place).exit_code == 0
    assert git(place, "diff", "--cached", "--name-only") == "src/app.py"
    gone = decide("proposal", "discard", made, cwd=place)
    assert gone.stderr == "there is no branch decide/DR-001/1 here; the log keeps the proposal\n"


def test_a_base_that_is_not_here_is_said(
    decide: Decide, record: str, propose: Propose, repo: Path, git: GitRunner, clone: Callable[[], Path],
    refuses: Refuses,
) -> None:  # fmt: skip
    """What it would change cannot be judged then, but where it fits it is applied."""
    place = clone()
    git(repo, "commit", "-q", "--allow-empty", "-m", "not pushed")
    base = git(repo, "rev-parse", "HEAD")
    made = propose()
    git(place, "fetch", "-q", "origin", "refs/decisions/log:refs/decisions/log")

    said = decide("proposal", "show", made, cwd=place)

    assert said.stderr == f"warning: it cannot be tried on {base}, the commit that it was made on\n"
    assert f"which is not here: {base}" in refuses(1, "proposal", "apply", made, "--merge", cwd=place)
    assert decide("proposal", "apply", made, cwd=place).exit_code == 0


@pytest.mark.parametrize(
    "obstacle",
    ["modified", "staged", "moved on", "untracked", "ignored", "ignored folder", "in part", "link"],
)
def test_apply_is_all_or_nothing(
    decide: Decide, propose: Propose, repo: Path, git: GitRunner, refuses: Refuses, obstacle: str
) -> None:
    """What stands in the way is named, and nothing at all is changed."""
    made = propose(f"{EDIT}; mkdir new; touch new/file")
    if obstacle.startswith("ignored"):
        (repo / ".gitignore").write_text("new\n")
        git(repo, "add", ".")
        git(repo, "commit", "-qm", "ignoring")
    match obstacle:
        case "modified":
            (repo / "src" / "app.py").write_text("x = 7\n")
        case "staged":
            (repo / "other").touch()
            git(repo, "add", "other")
        case "moved on":
            (repo / "src" / "app.py").write_text("x = 7\n")
            git(repo, "commit", "-qam", "seven")
        case "untracked" | "ignored":
            (repo / "new").write_text("mine")
        case "ignored folder":
            (repo / "new" / "file").mkdir(parents=True)
            (repo / "new" / "file" / "mine").touch()
        case "in part":
            git(repo, "rm", "-q", "src/app.py")
            git(repo, "commit", "-qm", "gone")
        case "link":
            (repo / "new").symlink_to(repo.parent)
    before = state(repo, git)

    refuses(1, "proposal", "apply", made)

    assert state(repo, git) == before


@pytest.mark.parametrize("obstacle", ["file", "folder", "link", "link for a folder", "file for a folder"])
def test_a_merge_does_not_write_over_or_through_what_git_does_not_know(
    propose: Propose, repo: Path, git: GitRunner, refuses: Refuses, tmp_path: Path, obstacle: str
) -> None:
    """Git's own check looks at the index alone: nothing is changed, here or where a link leads."""
    made = propose(f"{EDIT}; git mv src/app.py src/lib.py; mkdir new; touch new/file")
    (repo / "src" / "more.py").touch()
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "moved on")
    new, elsewhere = repo / "new", tmp_path / "elsewhere"
    elsewhere.mkdir()
    if "for a folder" not in obstacle:
        new.mkdir()
        new /= "file"
    if obstacle.startswith("link"):
        new.symlink_to(elsewhere)
    elif obstacle == "folder":
        new.mkdir()
    else:
        new.write_text("mine")
    before = state(repo, git)

    said = refuses(1, "proposal", "apply", made, "--merge")

    assert said == f"error: something is in the way that git does not know: {new.relative_to(repo)}\n"
    assert state(repo, git) == before
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("how", [(), ("--merge",)])
def test_apply_waits_for_a_merge_and_for_a_lock(
    propose: Propose, repo: Path, git: GitRunner, refuses: Refuses, how: tuple[str, ...]
) -> None:
    """What is applied is no part of a merge, and git's words on a lock are passed on."""
    made = propose()
    git(repo, "checkout", "-q", "-b", "side")
    git(repo, "commit", "-q", "--allow-empty", "-m", "side")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "--no-commit", "side")
    before = state(repo, git)

    assert refuses(1, "proposal", "apply", made, *how).startswith("error: a merge is not yet committed")
    assert state(repo, git) == before

    git(repo, "merge", "--abort")
    (repo / ".git" / "index.lock").touch()
    assert "index.lock': File exists" in refuses(3, "proposal", "apply", made, *how)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("ln -s /etc/passwd link", "it adds a symbolic link: link"),
        ("echo '* filter=x' > .gitattributes", "it adds what tells git how to treat files: .gitattributes"),
        ("git init -q sub; git -C sub commit -q --allow-empty -m x", "it adds a submodule: sub"),
    ],
)
def test_what_may_surprise_needs_a_yes(
    decide: Decide, propose: Propose, repo: Path, git: GitRunner, refuses: Refuses, script: str, what: str
) -> None:
    """Links, submodules and attributes are applied when somebody says so."""
    made = propose(script)
    before = state(repo, git)

    for more in ((), ("--merge",)):
        assert refuses(1, "proposal", "apply", made, *more).splitlines()[0] == f"error: {what}"
    assert state(repo, git) == before

    assert decide("proposal", "apply", made, "--yes").exit_code == 0
    assert git(repo, "write-tree") == git(repo, "rev-parse", "decide/DR-001/1^{tree}")


def test_a_merge_leaves_conflicts_to_the_user(
    decide: Decide, record: str, propose: Propose, repo: Path, git: GitRunner
) -> None:
    """Exit code 1, the paths named, and the marks in the files; what does not conflict is there."""
    made = propose(f"{EDIT}; touch new")
    (repo / "src" / "app.py").write_text("x = 7\n")
    git(repo, "commit", "-qam", "seven")

    said = decide("proposal", "apply", made, "--merge")

    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr.splitlines() == [
        "warning: in conflict: src/app.py",
        f"main is linked to {record}",
        f"warning: {record} is open: commits that change code will be refused",
    ]
    assert "<<<<<<<" in (repo / "src" / "app.py").read_text()
    assert git(repo, "status", "--porcelain") == "A  new\nUU src/app.py"


def test_a_merge_without_a_conflict_is_just_done(
    decide: Decide, propose: Propose, repo: Path, git: GitRunner
) -> None:
    """The file moved on in another place."""
    (repo / "src" / "app.py").write_text("x = 1\n" + "\n" * 9 + "z = 1\n")
    git(repo, "commit", "-qam", "longer")
    made = propose()
    (repo / "src" / "app.py").write_text("x = 1\n" + "\n" * 9 + "z = 9\n")
    git(repo, "commit", "-qam", "nine")

    assert decide("proposal", "apply", made, "--merge").exit_code == 0
    assert (repo / "src" / "app.py").read_text() == "x = 2\n" + "\n" * 9 + "z = 9\n"


def test_where_nothing_can_be_linked(decide: Decide, propose: Propose, repo: Path, git: GitRunner) -> None:
    """On no branch it is applied all the same; a link that it replaces is named."""
    made = propose()
    other = decide("ask", "Another?").id
    git(repo, "checkout", "-q", "--detach")

    assert "so nothing is linked" in decide("proposal", "apply", made).stderr

    git(repo, "reset", "-q", "--hard")
    git(repo, "checkout", "-q", "main")
    decide("link", other)
    assert f", and was to {other}" in decide("proposal", "apply", made).stderr


def test_discard_removes_the_branch_alone(
    decide: Decide, propose: Propose, repo: Path, git: GitRunner
) -> None:
    """The log never forgets: the proposal can still be applied."""
    made = propose()

    said = decide("proposal", "discard", made)

    assert said.stderr == "removed the branch decide/DR-001/1; the log keeps the proposal\n"
    assert git(repo, "for-each-ref", "refs/heads/decide") == ""
    assert "there is no branch" in decide("proposal", "discard", made).stderr
    assert decide("proposal", "apply", made).exit_code == 0


@pytest.mark.parametrize("how", ["another commit", "amended", "elsewhere", "checked out"])
def test_a_branch_that_holds_more_is_kept(
    propose: Propose, repo: Path, git: GitRunner, refuses: Refuses, how: str
) -> None:
    """Somebody worked on it, or stands on it."""
    made = propose()
    git(repo, "checkout", "-q", "decide/DR-001/1")
    if how == "another commit":
        git(repo, "commit", "-q", "--allow-empty", "-m", "more")
    elif how == "amended":
        (repo / "src" / "app.py").write_text("x = 3\n")
        git(repo, "commit", "-q", "--amend", "-am", "more")
    if how == "elsewhere":
        git(repo, "checkout", "-q", "main")
        git(repo, "branch", "-qf", "decide/DR-001/1", "main")
    elif how != "checked out":
        git(repo, "checkout", "-q", "main")

    refused = refuses(3 if how == "checked out" else 1, "proposal", "discard", made)

    assert "decide/DR-001/1" in refused


@pytest.mark.parametrize("verb", ["show", "diff", "apply", "discard"])
@pytest.mark.parametrize("typed", ["beef", "abc", "", "question", "--help-me"])
def test_what_is_no_proposal_is_not_found(record: str, refuses: Refuses, verb: str, typed: str) -> None:
    """Neither is another entry, nor too few digits."""
    if typed == "question":
        refuses(3, "proposal", verb, record.rpartition("-")[2])
    else:
        refuses(2 if typed.startswith("-") else 3, "proposal", verb, typed)


def test_a_patch_that_is_gone_is_damage(
    decide: Decide,
    record: str,
    repo: Path,
    git: GitRunner,
    by_hand: ByHand,
    propose: Propose,
    refuses: Refuses,
) -> None:
    """A proposal that names a patch that never came along is no proposal to apply."""
    made = propose()
    entry = git(repo, "cat-file", "-p", made)
    lost = entry.replace(
        next(line for line in entry.splitlines() if line.startswith("patch:")), f"patch: {'d' * 40}"
    )
    path = by_hand(f"decisions/DR-0xxx/{record}/proposal-{{id}}.yaml", f"{lost}\n")

    said = refuses(4, "proposal", "apply", path.rpartition("-")[2].removesuffix(".yaml"))

    assert said.startswith(f"error: {record} lacks the patch dddd")


def test_a_hostile_patch_of_the_log_goes_nowhere(
    decide: Decide,
    record: str,
    repo: Path,
    git: GitRunner,
    by_hand: ByHand,
    propose: Propose,
    refuses: Refuses,
) -> None:
    """What another clone wrote past the rules is judged again before it touches a file."""
    made = propose()
    evil = "--- /dev/null\n+++ b/../escaped\n@@ -0,0 +1 @@\n+x\n"
    patch = (
        by_hand(f"decisions/DR-0xxx/{record}/{{id}}.patch", evil).rpartition("/")[2].removesuffix(".patch")
    )
    entry = git(repo, "cat-file", "-p", made)
    forged = entry.replace(
        next(line for line in entry.splitlines() if line.startswith("patch:")), f"patch: {patch}"
    )
    path = by_hand(f"decisions/DR-0xxx/{record}/proposal-{{id}}.yaml", f"{forged}\n")
    before = state(repo, git)

    for more in ((), ("--merge",), ("--yes",)):
        refuses(1, "proposal", "apply", path.rpartition("-")[2].removesuffix(".yaml"), *more)

    assert state(repo, git) == before
    assert not (repo.parent / "escaped").exists()


@pytest.mark.parametrize(
    "branch", ["main", "decide/../main", "decide/DR-001/1\\nmain", "decide/DR-001/" + "9" * 5000]
)
def test_a_branch_that_no_proposal_has_is_never_removed(
    decide: Decide, record: str, repo: Path, git: GitRunner, by_hand: ByHand, propose: Propose,
    refuses: Refuses, branch: str,
) -> None:  # fmt: skip
    """What another clone wrote as its name is not believed, though all else is as it should be."""
    made = propose()
    git(repo, "branch", "mine", "decide/DR-001/1")
    git(repo, "checkout", "-q", "mine")
    git(repo, "branch", "-qf", "main", "mine")
    entry = git(repo, "cat-file", "-p", made)
    forged = entry.replace("branch: decide/DR-001/1", f'branch: "{branch}"')
    path = by_hand(f"decisions/DR-0xxx/{record}/proposal-{{id}}.yaml", f"{forged}\n")
    typed = path.rpartition("-")[2].removesuffix(".yaml")

    assert "not the name of a proposal's branch" in refuses(3, "proposal", "discard", typed)

    assert decide("proposal", "show", typed).exit_code == 0
    assert decide("proposal", "list", "--json").exit_code == 0
    assert "decide/DR-001/2 has it" in decide("propose", record, "--", "touch", "next").stderr
