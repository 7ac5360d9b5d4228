"""What was read is pinned to what it was, whatever it is called and wherever one stands."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.entries.evidence import real_path
from gitdecide.entries.types import Evidence
from gitdecide.errors import DecideError, NotFound, UsageError
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work.reading import Reader, pin_all
from tests.conftest import Decide, GitRunner

Pin = Callable[..., Evidence]

ODD = [
    "größe.py", "a b.py", "tab\tx.py", '"q".py', "back\\slash.py", "new\nline.py", "x:10", "a@b", "message:x",
    "-x", "*.py", ":(glob)x", "HEAD", "x\n/y.py", "\U0001f600", os.fsdecode(b"latin1-\xe9.py"), "e\u0301.py",
]  # fmt: skip


@pytest.fixture
def pin(repo: Path) -> Pin:
    """Pin one reading, from the top of the repository unless `cwd` says otherwise."""

    def pin(typed: str, cwd: Path = repo, **environ: str) -> Evidence:
        git = Git(cwd, {**os.environ, **environ})
        with Plumbing(git) as objects:
            reader = Reader(git, Repository.discover(git), objects, lambda typed: f"entry {typed}")
            return reader.pin(typed)

    return pin


def put(repo: Path, name: str, text: str | bytes = "text\n") -> Path:
    file = repo / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_a_committed_file_is_pinned_to_commit_and_blob(pin: Pin, repo: Path, git: GitRunner) -> None:
    """The commit is HEAD, the blob is what that has."""
    head, blob = git(repo, "rev-parse", "HEAD", "HEAD:src/app.py").split()

    assert pin("src/app.py") == Evidence(path="src/app.py", commit=head, blob=blob)


def test_what_the_working_tree_has_instead_is_said(pin: Pin, repo: Path, git: GitRunner) -> None:
    """A changed and an untracked file are pinned to what lay there."""
    head = git(repo, "rev-parse", "HEAD")
    put(repo, "src/app.py", "x = 2\n")
    put(repo, "new.py", "y = 1\n")
    changed, new = (git(repo, "hash-object", name) for name in ("src/app.py", "new.py"))

    assert pin("src/app.py") == Evidence(path="src/app.py", commit=head, blob=changed, worktree=True)
    assert pin("new.py") == Evidence(path="new.py", blob=new, worktree=True)


def test_a_file_that_is_only_in_the_commit_was_read_there(pin: Pin, repo: Path) -> None:
    """A path that the working tree has lost exists in HEAD."""
    (repo / "src" / "app.py").unlink()

    assert not pin("src/app.py").worktree


def test_a_revision_is_read_instead_of_the_tree(pin: Pin, repo: Path, git: GitRunner) -> None:
    """PATH@REV and PATH:LINES@REV are pinned to that commit, changed as the tree may be."""
    git(repo, "tag", "v1")
    old = git(repo, "rev-parse", "v1:src/app.py")
    put(repo, "src/app.py", "x = 1\nx = 2\n")
    git(repo, "commit", "-qam", "two")

    assert pin("src/app.py@v1") == Evidence(path="src/app.py", commit=git(repo, "rev-parse", "v1"), blob=old)
    assert pin("src/app.py@v1:1") == pin("src/app.py:1@v1")
    assert pin("src/app.py@v1:1").lines == "1"
    with pytest.raises(NotFound, match=r"nobody can have read lines 2 of src/app.py: it has 1 line$"):
        pin("src/app.py:2@v1")


@pytest.mark.parametrize("committed", [True, False])
def test_any_file_name_is_found(pin: Pin, repo: Path, git: GitRunner, committed: bool) -> None:
    """Quotes, blanks, line ends, bytes, colons and what git takes for magic are names like any."""
    for name in ODD:
        put(repo, name, f"{name!a}\n")
    if committed:
        git(repo, "add", ".")
        git(repo, "commit", "-qm", "odd")
    for name in ODD:
        found = pin(f"./{name}" if name == "message:x" else name)
        assert real_path(found.path or "") == name
        assert found.blob == git(repo, "hash-object", "--", name)
        assert found.worktree is not committed


def test_the_most_literal_reading_wins(pin: Pin, repo: Path) -> None:
    """A file called like a range or a revision is that file; `path:` and `./` say that a path is meant."""
    put(repo, "src/app.py:1")
    put(repo, "message:x")

    assert (pin("src/app.py:1").path, pin("src/app.py:1").lines) == ("src/app.py:1", None)
    assert (pin("path:message:x").path, pin("message:x").message) == ("message:x", "x")
    assert pin("message:x").path is None


def test_what_git_prints_in_quotes_can_be_typed(pin: Pin, repo: Path, git: GitRunner) -> None:
    """A file of YAML holds no bytes: git's quoted form names them."""
    put(repo, os.fsdecode(b"latin1-\xe9.py"))
    git(repo, "add", ".")
    quoted = git(repo, "ls-files", "latin1*")

    assert quoted == '"latin1-\\351.py"'
    assert pin(quoted).path == quoted


def test_paths_count_from_the_current_folder(pin: Pin, repo: Path, tmp_path: Path) -> None:
    """Relative, upward, absolute, and absolute through a symlink to the repository."""
    put(repo, "docs/a.md")
    (tmp_path / "link").symlink_to(repo)

    for typed in (
        "app.py",
        "../src/app.py",
        "./app.py",
        str(repo / "src/app.py"),
        str(tmp_path / "link/src/app.py"),
    ):
        assert pin(typed, cwd=repo / "src").path == "src/app.py"
    assert pin("../docs/a.md", cwd=repo / "src").path == "docs/a.md"


@pytest.mark.parametrize("typed", ["../x", "../../etc/passwd", "/etc/passwd", "..", "src/../../x"])
def test_a_path_outside_is_refused(pin: Pin, typed: str) -> None:
    """What is not of this repository cannot be pinned in it."""
    with pytest.raises(NotFound) as caught:
        pin(typed)
    assert caught.value.message == f"outside of this repository: {typed}"


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("nosuch.py", "nobody can have read nosuch.py: it is not committed, and not in the working tree"),
        ("src/app.py@v9", "nobody can have read src/app.py: it is not in v9"),
        ("nosuch.py@HEAD", "nobody can have read nosuch.py: it is not in HEAD"),
        (
            "src/app.py/x",
            "nobody can have read src/app.py/x: it is not committed, and not in the working tree",
        ),
        ("src/app.py:2", "nobody can have read lines 2 of src/app.py: it has 1 line"),
        ("src/app.py:1-9", "nobody can have read lines 1-9 of src/app.py: it has 1 line"),
        ("src:1", "nobody can have read lines 1 of src: it has 0 lines"),
        ("commit:nosuch", "nobody can have read the commit nosuch: there is none"),
        ("commit:HEAD:src", "nobody can have read the commit HEAD:src: there is none"),
        (".", "nobody can have read the whole repository: name the paths"),
    ],
)
def test_what_is_not_there_cannot_have_been_read(pin: Pin, typed: str, problem: str) -> None:
    """A reading of nothing fails, and says what is missing."""
    with pytest.raises(NotFound) as caught:
        pin(typed)
    assert caught.value.message == problem


def test_lines_must_be_a_range(pin: Pin) -> None:
    """Lines that end before they begin are a slip of the hand."""
    with pytest.raises(UsageError, match="the lines 3-1 end before they begin"):
        pin("src/app.py:3-1")


def test_a_folder_is_pinned_to_its_tree(pin: Pin, repo: Path, git: GitRunner) -> None:
    """A folder that was read is what HEAD has; one that is only in the working tree has no pin."""
    put(repo, "new/x")

    assert (
        pin("src")
        == pin("src/")
        == Evidence(
            path="src", commit=git(repo, "rev-parse", "HEAD"), blob=git(repo, "rev-parse", "HEAD:src")
        )
    )
    assert pin("new") == Evidence(path="new", worktree=True)


def test_a_symlink_is_pinned_as_git_has_it(pin: Pin, repo: Path, git: GitRunner) -> None:
    """What a link says is its content, dangling or not."""
    (repo / "link").symlink_to("src/app.py")
    (repo / "dangling").symlink_to("nowhere")
    git(repo, "add", ".")

    for name in ("link", "dangling"):
        assert pin(name).blob == git(repo, "rev-parse", f":{name}")
    git(repo, "commit", "-qm", "links")
    assert not pin("link").worktree


def test_a_submodule_is_pinned_to_its_commit(pin: Pin, repo: Path, tmp_path: Path, git: GitRunner) -> None:
    """A submodule is what the superproject says it is, and its own files are of another repository."""
    git(repo, "clone", "-q", str(repo), str(tmp_path / "lib"))
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")
    git(repo, "commit", "-qm", "lib")

    assert (pin("lib").blob, pin("lib").worktree) == (git(repo / "lib", "rev-parse", "HEAD"), False)


def test_line_ends_are_gits(pin: Pin, repo: Path, git: GitRunner) -> None:
    """The id is that of the blob that git would make, filters and attributes included, from any folder."""
    git(repo, "config", "core.autocrlf", "true")
    put(repo, ".gitattributes", "/src/raw.txt -text\n")
    put(repo, "src/crlf.txt", "a\r\nb\r\n")
    put(repo, "src/raw.txt", "a\r\n")
    git(repo, "-c", "core.safecrlf=false", "add", ".")
    (repo / "docs").mkdir()

    for name in ("crlf.txt", "raw.txt"):
        committed = git(repo, "rev-parse", f":src/{name}")
        assert pin(f"src/{name}").blob == committed
        assert pin(f"../src/{name}", cwd=repo / "docs").blob == committed
        assert pin(name, cwd=repo / "src", GIT_DIR="../.git", GIT_WORK_TREE="..").blob == committed


def test_an_unborn_head_has_a_working_tree(pin: Pin, tmp_path: Path, git: GitRunner) -> None:
    """Before the first commit, what lies there can be read."""
    git(tmp_path, "init", "-q", "new")
    put(tmp_path / "new", "a.py")

    assert pin("a.py", cwd=tmp_path / "new").worktree
    with pytest.raises(NotFound):
        pin("b.py", cwd=tmp_path / "new")


def test_a_bare_repository_has_commits(pin: Pin, repo: Path, tmp_path: Path, git: GitRunner) -> None:
    """Without a working tree, what HEAD and other commits have can be read."""
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare")

    assert pin("src/app.py", cwd=tmp_path / "bare") == pin("src/app.py@main", cwd=tmp_path / "bare")
    for typed in ("HEAD", "/etc/passwd"):
        with pytest.raises(DecideError):
            pin(typed, cwd=tmp_path / "bare")


def test_other_readings_are_kept_as_typed(pin: Pin, repo: Path, git: GitRunner) -> None:
    """Tickets, requests, messages, addresses, commits and entries are what they are called."""
    assert pin("ticket:ABC-1") == Evidence(ticket="ABC-1")
    assert pin("pr:12") == Evidence(pr="12")
    assert pin("message:msg1625") == Evidence(message="msg1625")
    assert pin("https://example.com/a@b:10") == Evidence(url="https://example.com/a@b:10")
    assert pin("commit:HEAD") == Evidence(commit=git(repo, "rev-parse", "HEAD"))
    assert pin("entry:abcd") == Evidence(entry="entry abcd")


def test_a_reading_counts_once(repo: Path) -> None:
    """Twice the same is one, in the order in which they were typed."""
    git = Git(repo, os.environ)
    with Plumbing(git) as objects:
        reader = Reader(git, Repository.discover(git), objects, str)
        found = pin_all(reader, ["pr:2", "src/app.py", "pr:1", "./src/app.py", "pr:2"])

    assert [read.pr or read.path for read in found] == ["2", "src/app.py", "1"]


def test_an_entry_that_was_read_is_in_the_log(decide: Decide, record: str) -> None:
    """Of the same record it is named by its id, of another with the record's name; nothing dangling."""
    vote = decide("vote", record, "inform", "-m", "x").id
    other = decide("ask", "Other?").id
    for name in (record, other):
        assert decide("vote", name, "inform", "-m", "y", "--read", f"entry:{vote[:6]}").exit_code == 0
        assert decide("vote", name, "inform", "-m", "y", "--read", f"entry:DR-1:{vote[:6]}").exit_code == 0

    shown = decide("show", record, "--format", "yaml").stdout
    assert shown.count(f"  - entry: {vote}\n") == 2
    assert decide("show", other, "--format", "yaml").stdout.count(f"  - entry: {record}:{vote}\n") == 2
    for typed in ("ffffff", "abc", "nonsense", f"{other}:{vote[:6]}"):
        missing = decide("vote", record, "inform", "-m", "y", "--read", f"entry:{typed}")
        assert missing.stderr == f"error: nobody can have read the entry {typed}: there is none\n"
        assert missing.exit_code == 3


@pytest.mark.parametrize("typed", [".git/config", "src/../.git/HEAD", "out/passwd"])
def test_what_is_not_of_the_tree_is_no_evidence(repo: Path, decide: Decide, record: str, typed: str) -> None:
    """Git's own files, and what a link on the way leads out to."""
    (repo / "out").symlink_to("/etc")

    done = decide("vote", record, "inform", "-m", "x", "--read", typed)

    assert (done.exit_code, done.stdout) == (3, "")
