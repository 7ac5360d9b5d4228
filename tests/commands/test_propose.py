"""`propose`: a change is made far from the checkout, and filed as a patch and a branch."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, GitRunner

EDIT = "echo y = 2 >> src/app.py"
MEDDLING = (
    "echo 'y = 2' >> src/app.py; echo new > new.txt; git add -A; git stash -q; git stash apply -q;"
    " git tag mine; git config user.name Eve; git commit -qam mine; git update-ref refs/heads/mine HEAD;"
    " git branch other; git checkout -q --detach; git switch -q -c elsewhere; git reset -q HEAD~1; rm run.sh;"
    " git worktree add -q ../beside; git reflog expire --all --expire=now; git gc -q --prune=now;"
    " git clean -fdxq build; git symbolic-ref HEAD refs/heads/nowhere; rm -rf .git"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files at an odd path, with nothing of ours in it after every test."""
    folder = tmp_path / 'tmp "für" uns'
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def trusted(decide: Decide, record: str) -> str:
    """A record, and dave who may propose."""
    assert decide("trust", "dave", "3").exit_code == 0
    return record


def everything(repo: Path) -> dict[str, bytes]:
    """Every file of a repository but its objects and its log, byte for byte."""
    files = {str(file.relative_to(repo)): file.read_bytes() for file in repo.rglob("*") if file.is_file()}
    ours = (".git/objects/", ".git/refs/decisions/", ".git/logs/refs/decisions/")
    return {name: data for name, data in files.items() if not name.startswith(ours)}


def test_nothing_of_the_user_s_is_touched(decide: Decide, trusted: str, repo: Path, git: GitRunner) -> None:
    """Checkout, index, HEAD, stash, reflogs, configuration and refs are as before, but for one new branch."""
    (repo / "run.sh").touch()
    (repo / ".gitignore").write_text("build\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "two")
    (repo / "src" / "app.py").write_text("x = 7\n")
    git(repo, "stash", "-q")
    (repo / "src" / "app.py").write_text("x = 8\n")
    (repo / "untracked").touch()
    before, trees = everything(repo), git(repo, "worktree", "list")

    said = decide("propose", trusted, "--as", "dave", "-m", "Add y", "-c", MEDDLING)

    assert said.exit_code == 0, said.stderr
    after = everything(repo)
    new = [".git/logs/refs/heads/decide/DR-001/1", ".git/refs/heads/decide/DR-001/1"]
    assert sorted(after.keys() - before.keys()) == new
    assert {name: after.get(name) for name in before} == before
    assert git(repo, "worktree", "list") == trees
    changed = git(repo, "diff", "--name-status", "HEAD", "decide/DR-001/1").splitlines()
    assert changed == ["A\tnew.txt", "D\trun.sh", "M\tsrc/app.py"]


def test_it_is_one_commit_by_the_actor(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, shown: Shown
) -> None:
    """On the base, whatever the command committed, with the record as its link; the entry says all of it."""
    base = git(repo, "rev-parse", "HEAD")

    said = decide(
        "propose", trusted, "--as", "dave", "-m", "Add y", "-c", f"{EDIT}; git commit -qam a; {EDIT}"
    )

    branch = "decide/DR-001/1"
    form = "--format=%P%n%an <%ae>%n%cn%n%B"
    assert git(repo, "log", "-1", form, branch).splitlines() == [
        base, "dave <dave@actor.invalid>", "Ada", "Add y", "", f"Decision: {trusted}",
    ]  # fmt: skip
    entry = shown(trusted)["entries"][-1]
    assert (entry["id"], entry["type"], entry["actor"]) == (said.id, "proposal", "dave")
    assert (entry["base"], entry["branch"], entry["title"]) == (base, branch, "Add y")
    assert entry["command"].startswith(EDIT)
    beside = git(repo, "ls-tree", "-r", "--name-only", "refs/decisions/log").splitlines()
    assert f"decisions/DR-0xxx/{trusted}/{entry['patch']}.patch" in beside
    assert git(repo, "cat-file", "-p", entry["patch"]) == git(repo, "diff", "--full-index", "HEAD", branch)
    assert decide("fsck").exit_code == 0
    assert git(repo, "log", "-1", "--format=%s%n%b", "refs/decisions/log").startswith(
        f"DR-001 proposal: {branch} by dave\nAdd y\n\n$ "
    )


def test_json_says_what_was_made(decide: Decide, trusted: str, repo: Path, git: GitRunner) -> None:
    """Name, id, branch and commit."""
    facts = json.loads(decide("propose", trusted, "--json", "--", "touch", "new").stdout)

    assert facts["commit"] == git(repo, "rev-parse", facts["branch"])
    assert facts["name"] == trusted
    assert facts["id"] in decide("show", trusted, "--json").stdout


def test_numbers_are_never_used_again(decide: Decide, trusted: str, repo: Path, git: GitRunner) -> None:
    """Neither one of a branch that is there, nor one of a proposal whose branch is gone."""
    git(repo, "branch", "decide/DR-001/7")
    first = decide("propose", trusted, "--", "touch", "one")
    assert "decide/DR-001/8 has it" in first.stderr
    assert decide("proposal", "discard", first.id).exit_code == 0

    assert "decide/DR-001/9 has it" in decide("propose", trusted, "--", "touch", "two").stderr


@pytest.mark.parametrize("name", ["decide", "decide/DR-001"])
def test_a_branch_in_the_way_is_named_first(
    trusted: str, repo: Path, git: GitRunner, refuses: Refuses, name: str
) -> None:
    """Before anything runs: no proposal is filed whose branch cannot be made."""
    git(repo, "branch", name)

    refused = refuses(3, "propose", trusted, "-c", f"touch {repo}/ran; touch new")

    assert refused == f"error: a branch is in the way of the branches of proposals: {name}\n"
    assert not (repo / "ran").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--", "true"), "nothing was changed"),
        (("-c", "git commit -q --allow-empty -m x"), "nothing was changed"),
        (("-c", f"{EDIT}; exit 3"), "the command did not end well: exit code 3"),
        (("-c", f"{EDIT}; kill -9 $$"), "killed by signal 9"),
        (("--timeout", "0.2", "-c", f"{EDIT}; sleep 300"), "timed out after 0.2 s"),
        (("--", "no-such-program"), "could not run"),
        (("-c", "rm -rf ../tree"), "removed the folder"),
        (("-c", "cd ..; rm -rf tree; ln -s / tree"), "removed the folder"),
        (("-c", "git init -q sub; touch sub/x"), "sub/"),
        (("-c", "head -c 6000000 /dev/urandom > big"), "larger than 5 MiB"),
        (("-c", "echo ghp_" + "A1b2" * 9 + " | tr 1 1 > x"), "holds a GitHub token"),
        (("-c", f"printf ghp_ > x; printf {'A1b2' * 9} >> x"), "adds a GitHub token"),
        (("-c", "mkdir .GIT; touch .GIT/config"), ".GIT/config"),
        (("-c", "mkdir -p 'a/git~1'; touch 'a/git~1/x'"), "git~1"),
    ],
)  # fmt: skip
def test_what_is_no_proposal_changes_nothing(
    refuses: Refuses, decide: Decide, trusted: str, words: tuple[str, ...], why: str
) -> None:
    """One line says why, exit code 1, and no entry or branch is left."""
    refused = decide("propose", trusted, "--as", "dave", *words)

    assert (refused.exit_code, refused.stdout) == (1, "")
    assert why in next(line for line in refused.stderr.splitlines() if line.startswith("error: "))
    assert json.loads(decide("proposal", "list", "--json").stdout)["proposals"] == []


def test_what_the_command_prints_is_shown(decide: Decide, trusted: str) -> None:
    """On standard error, its end alone, with secrets masked; standard output is for the id."""
    script = f"echo first; seq 5000; printf ghp_; echo {'A1b2' * 9}; {EDIT}; echo last >&2"

    said = decide("propose", trusted, "-c", script)

    assert len(said.id.split()) == 1
    lines = said.stderr.splitlines()
    assert lines[-3:-1] == ["[masked: a GitHub token]", "last"]
    assert "first" not in lines


def test_the_command_has_a_clean_world(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No repository of the user's in its variables, no hook, no input; the proposer is its actor."""
    hook = repo / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    git(repo, "config", "--global", "hook.mark.command", f"touch {repo.parent}/hooked")
    for event in ("pre-commit", "post-index-change"):
        git(repo, "config", "--global", "--add", "hook.mark.event", event)
    script = "env > env.txt; cat > input.txt; pwd > pwd.txt; git commit -q --allow-empty -m x; git add ."

    said = decide(
        "propose", trusted, "--as", "dave", "-c", script,
        GIT_DIR=str(repo / ".git"), GIT_WORK_TREE=str(repo), GEMINI_CLI="1",
    )  # fmt: skip

    assert said.exit_code == 0, said.stderr
    shown = git(repo, "show", "decide/DR-001/1:env.txt").splitlines()
    assert "GIT_DECIDE_ACTOR=dave" in shown
    assert "GEMINI_CLI=1" in shown
    assert not [line for line in shown if line.startswith(("GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE="))]
    assert git(repo, "show", "decide/DR-001/1:input.txt") == ""
    assert git(repo, "ls-tree", "--name-only", "decide/DR-001/1").split() == [
        "env.txt", "input.txt", "pwd.txt", "src",
    ]  # fmt: skip
    assert not (repo.parent / "hooked").exists()


def test_it_runs_where_the_user_stands(decide: Decide, trusted: str, repo: Path, git: GitRunner) -> None:
    """In the same folder of the other tree, or at the top where that folder is not committed."""
    (repo / "fresh").mkdir()

    assert decide("propose", trusted, "--", "touch", "here", cwd=repo / "src").exit_code == 0
    assert decide("propose", trusted, "--", "touch", "here", cwd=repo / "fresh").exit_code == 0

    for number, path in (("1", "src/here"), ("2", "here")):
        assert git(repo, "diff", "--name-only", "HEAD", f"decide/DR-001/{number}") == path


@pytest.mark.parametrize("words", [("--", "touch", "new"), ("--patch", "none")])
def test_only_the_trusted_propose(
    refuses: Refuses, decide: Decide, trusted: str, repo: Path, words: tuple[str, ...]
) -> None:
    """R9: before anything runs; the person at the machine needs no trust."""
    for tier in ("1", "2"):
        decide("trust", "bob", tier)
        refused = refuses(1, "propose", trusted, "--as", "bob", "-c", f"touch {repo}/ran")
        assert refused.startswith(f"refused [R9]: bob has trust tier {tier}")
    assert not (repo / "ran").exists()

    assert decide("propose", trusted, "--", "touch", "new").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("-c", "true", "--", "true"),
        ("-c", "true", "--patch", "-"),
        ("--patch", "none"),
        ("--patch", "src"),
        ("--patch", "-", "--sandbox"),
        ("--timeout", "-1", "--", "true"),
        ("--timeout", "nan", "--", "true"),
        ("-m", "two\nlines", "--", "true"),
        ("-m", " ", "--", "touch", "x"),
        ("-c", " "),
    ],
)
def test_words_that_make_no_sense(refuses: Refuses, trusted: str, words: tuple[str, ...]) -> None:
    """Exit code 2, and nothing runs."""
    refuses(2, "propose", trusted, *words)


def test_there_must_be_something_to_change(decide: Decide, git: GitRunner, tmp_path: Path) -> None:
    """A repository without a commit has no base."""
    place = tmp_path / "empty"
    place.mkdir()
    git(place, "init", "-q")
    decide("init", "--no-hooks", cwd=place)
    decide("ask", "Begin?", cwd=place)

    refused = decide("propose", "DR-1", "--", "touch", "x", cwd=place)

    assert (refused.exit_code, refused.stderr) == (
        3,
        "error: HEAD has no commit yet to propose a change to\n",
    )


def test_a_patch_comes_from_a_file_or_standard_input(
    decide: Decide, trusted: str, repo: Path, git: GitRunner
) -> None:
    """Paths count from the top of the tree, wherever the user stands."""
    (repo / "src" / "app.py").write_text("x = 2\n")
    patch = git(repo, "diff") + "\n"
    git(repo, "commit", "-qam", "wanted")
    wanted = git(repo, "rev-parse", "HEAD^{tree}")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    (repo / "p.patch").write_text(patch)

    assert decide("propose", trusted, "--patch", "../p.patch", cwd=repo / "src").exit_code == 0
    assert decide("propose", trusted, "--patch", "-", stdin=patch.encode(), cwd=repo / "src").exit_code == 0

    for number in ("1", "2"):
        assert git(repo, "rev-parse", f"decide/DR-001/{number}^{{tree}}") == wanted


@pytest.mark.parametrize("kind", ["sha256", "linked", "bare", "odd path", "partial", "shallow", "sparse"])
def test_every_kind_of_repository_takes_proposals(
    decide: Decide, repo: Path, git: GitRunner, kind: str
) -> None:
    """And each can apply them, where it has a working tree."""
    place = repo.parent / 'Größe "q" \\ x'
    git(repo, "config", "uploadpack.allowFilter", "true")
    (repo / "top.txt").write_text("top\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "two")
    match kind:
        case "sha256":
            git(repo.parent, "init", "-q", "--object-format=sha256", str(place))
            shutil.copytree(repo / "src", place / "src")
            git(place, "add", ".")
            git(place, "commit", "-qm", "base")
        case "linked":
            git(repo, "worktree", "add", "-q", "-b", "other", str(place))
        case "bare":
            git(repo.parent, "clone", "-q", "--bare", str(repo), str(place))
        case "partial":
            git(repo.parent, "clone", "-q", "--filter=blob:none", repo.as_uri(), str(place))
        case "shallow":
            git(repo.parent, "clone", "-q", "--depth=1", repo.as_uri(), str(place))
        case "sparse":
            git(repo.parent, "clone", "-q", "--sparse", str(repo), str(place))
        case _:
            git(repo.parent, "clone", "-q", str(repo), str(place))
    decide("init", "--no-hooks", cwd=place)
    decide("ask", "Change it?", cwd=place)

    said = decide("propose", "DR-1", "--", "sh", "-c", EDIT, cwd=place)

    assert said.exit_code == 0, said.stderr
    assert git(place, "diff", "--name-only", "HEAD", "decide/DR-001/1") == "src/app.py"
    assert git(place, "show", "decide/DR-001/1:src/app.py") == "x = 1\ny = 2"
    assert "missing" not in git(place, "fsck", "--connectivity-only")
    if kind != "bare":
        applied = decide("proposal", "apply", said.id, cwd=place)
        assert applied.exit_code == 0, applied.stderr
        assert git(place, "write-tree") == git(place, "rev-parse", "decide/DR-001/1^{tree}")
        assert git(place, "status", "--porcelain") == "M  src/app.py"


def test_submodules_keep_their_place(decide: Decide, trusted: str, repo: Path, git: GitRunner) -> None:
    """One that is not fetched stays as it was; one that the command moves is pointed out."""
    other = repo.parent / "other"
    git(repo.parent, "clone", "-q", str(repo), str(other))
    git(repo, "submodule", "--quiet", "add", str(other), "sub")
    git(repo, "commit", "-qm", "with a submodule")
    before = git(repo, "rev-parse", "HEAD:sub")

    plain = decide("propose", trusted, "-c", f"{EDIT}; git submodule --quiet update --init")
    moved = decide(
        "propose", trusted, "-c",
        f"{EDIT}; git submodule --quiet update --init; cd sub; git commit -q --allow-empty -m moved",
    )  # fmt: skip

    assert plain.exit_code == moved.exit_code == 0, plain.stderr + moved.stderr
    assert git(repo, "rev-parse", "decide/DR-001/1:sub") == before
    assert "warning" not in plain.stderr
    assert git(repo, "rev-parse", "decide/DR-001/2:sub") != before
    assert "warning: it changes a submodule: sub" in moved.stderr
    assert git(repo, "diff", "--name-only", "HEAD", "decide/DR-001/1") == "src/app.py"


@pytest.mark.parametrize("autocrlf", ["true", "input"])
def test_line_endings_of_untouched_lines_stay(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, autocrlf: str
) -> None:
    """Whatever the checkout makes of them, and whatever the command then touches."""
    (repo / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    (repo / "lf.txt").write_bytes(b"a\nb\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "endings")
    git(repo, "config", "core.autocrlf", autocrlf)

    said = decide("propose", trusted, "-c", "touch crlf.txt lf.txt; printf 'c\\n' >> lf.txt")

    assert said.exit_code == 0, said.stderr
    assert git(repo, "diff", "--numstat", "HEAD", "decide/DR-001/1") == "1\t0\tlf.txt"


FAKE = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


def test_a_sandbox_is_asked_for_what_it_should_keep_out(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, tmp_path: Path, temporary: Path
) -> None:
    """Everything read-only but the worktree, no network and no other processes; git's part runs in it too."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "bwrap").write_text(FAKE.format(log=tmp_path / "asked"))
    (programs / "bwrap").chmod(0o755)

    said = decide(
        "propose", trusted, "--sandbox", "-c", EDIT, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}"
    )

    assert said.exit_code == 0, said.stderr
    asked = [line for line in (tmp_path / "asked").read_text().splitlines() if not line.endswith("-- true")]
    assert len(asked) == 2
    for line in asked:
        assert line.startswith("--ro-bind / / ")
        assert {"--unshare-all", "--die-with-parent", "--new-session"} < set(line.split())
        assert "--tmpfs /tmp " in line
        writable = line.split(" --bind ")[1:]
        assert len(writable) == 2
        assert all(part.startswith(str(temporary)) for part in writable)
    assert asked[1].endswith("add --all")


def test_without_bubblewrap_nothing_runs(refuses: Refuses, trusted: str, repo: Path, tmp_path: Path) -> None:
    """It says what is missing, or what bubblewrap says, with exit code 3."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "git").symlink_to(str(shutil.which("git")))
    words = ("propose", trusted, "--sandbox", "-c", f"touch {repo}/ran")

    assert "needs bubblewrap" in refuses(3, *words, PATH=str(programs))

    (programs / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no namespaces for you' >&2\nexit 1\n")
    (programs / "bwrap").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    assert "cannot start a sandbox: bwrap: no namespaces for you" in refuses(3, *words, PATH=path)
    assert not (repo / "ran").exists()


@pytest.fixture
def bubblewrap() -> None:
    """Bubblewrap, where this system lets it work."""
    words = ["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-all", "true"]
    if not shutil.which("bwrap") or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("no bubblewrap that works here")


@pytest.mark.usefixtures("bubblewrap")
def test_a_sandbox_keeps_it_in(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, tmp_path: Path, sealed: Path
) -> None:
    """The worktree and its repository can be written, and nothing else; what is made there is proposed."""
    script = (
        f"{EDIT}; git commit -qam inside && echo committed; for at in '{repo}' '{sealed}' '{tmp_path}' /;"
        " do touch \"$at/escaped\" 2>/dev/null; done; touch /tmp/private; ls /proc | grep -c '^[0-9]';"
        " grep -c : /proc/net/dev"
    )

    said = decide("propose", trusted, "--as", "dave", "--sandbox", "-c", script)

    assert said.exit_code == 0, said.stderr
    committed, processes, devices, *_ = said.stderr.splitlines()
    assert committed == "committed"
    assert int(processes) < 10
    assert devices == "1"
    for place in (repo, sealed, tmp_path, Path("/")):
        assert not (place / "escaped").exists()
    assert not Path("/tmp/private").exists()
    assert git(repo, "show", "decide/DR-001/1:src/app.py") == "x = 1\ny = 2"


@pytest.mark.usefixtures("bubblewrap")
def test_settings_of_a_submodule_do_not_lead_out(
    decide: Decide, trusted: str, repo: Path, git: GitRunner, tmp_path: Path, sealed: Path
) -> None:
    """Git looks into submodules when it takes up what is there, and heeds what the command wrote for it."""
    other = sealed / "other"
    git(repo.parent, "clone", "-q", str(repo), str(other))
    git(repo, "submodule", "--quiet", "add", str(other), "sub")
    git(repo, "commit", "-qm", "with a submodule")
    evil = f"touch {tmp_path}/escaped; cat"
    script = (
        f"git submodule --quiet update --init; cd sub; git config filter.evil.clean '{evil}';"
        f" git config core.fsmonitor '{evil}'; touch -d yesterday src/app.py; echo new > ../new;"
        " echo '* filter=evil' > \"$(git rev-parse --git-path info)/attributes\""
    )

    said = decide("propose", trusted, "--sandbox", "-c", script)

    assert said.exit_code == 0, said.stderr
    assert not (tmp_path / "escaped").exists()
