"""Patches: one form whatever the user configured, and nothing applied that leaves the tree."""

import os
import subprocess
from pathlib import Path

import pytest

from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store.log import HoldsSecret
from gitdecide.work import patches, proposing
from tests.conftest import GitRunner

NEW = "diff --git {0} {1}\nnew file mode {2}\n--- /dev/null\n+++ {1}\n@@ -0,0 +1 @@\n+{3}\n"


def adding(path: str, text: str = "x", mode: str = "100644") -> bytes:
    """A patch that adds a file of one line, at a path that git would quote if it wrote it."""
    quoted = ['"' + f"{side}/{path}".replace("\\", "\\\\").replace('"', '\\"') + '"' for side in "ab"]
    return NEW.format(*quoted, mode, text).encode()


def stage(repo: Path, patch: bytes) -> proposing.Staged:
    """What a patch makes of HEAD."""
    git = Git(repo, os.environ)
    return proposing.by_patch(git, Repository.discover(git), git.text("rev-parse", "HEAD"), patch)


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "src/../../x",
        "/etc/x",
        "./x",
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".Git",
        "src/.git/config",
        ".git /config",
        ".git./config",
        ".git...  /config",
        "git~1/config",
        "GIT~1/config",
        ".git::$INDEX_ALLOCATION/config",
        ".git\\config",
        "src\\.git\\config",
        ".g\u200cit/config",
        ".gi\ufefft/config",
        "src//x",
    ],
)
def test_what_leaves_the_tree_or_is_git_s_own_is_refused(repo: Path, path: str) -> None:
    """In every spelling that some file system takes for .git, whatever this one does."""
    before = sorted(repo.parent.rglob("*"))

    with pytest.raises(patches.Unfit, match="does not fit"):
        stage(repo, adding(path))

    assert sorted(repo.parent.rglob("*")) == before


@pytest.mark.parametrize("target", ["/tmp", "..", "src"])
@pytest.mark.parametrize("known", [True, False], ids=["in the tree", "in the patch"])
def test_nothing_is_written_through_a_link(repo: Path, git: GitRunner, target: str, known: bool) -> None:
    """Neither one that the commit has, nor one that the patch itself brings, in any order."""
    link = adding("link", target, "120000") + b"\\ No newline at end of file\n"
    if known:
        (repo / "link").symlink_to(target)
        git(repo, "add", "link")
        git(repo, "commit", "-qm", "a link")
    every = [[adding("link/x")]] if known else [[link, adding("link/x")], [adding("link/x"), link]]

    for parts in every:
        with pytest.raises(patches.Unfit, match="does not fit"):
            stage(repo, b"".join(parts))


def test_links_submodules_and_attributes_are_pointed_out(repo: Path, git: GitRunner) -> None:
    """By what the tree then has, not by what the patch says of itself."""
    (repo / "link").symlink_to("src")
    git(repo, "add", "link")
    git(repo, "commit", "-qm", "a link")
    plain = b"--- a/link\n+++ b/link\n@@ -1 +1 @@\n-src\n\\ No newline at end of file\n+..\n\\ No newline at end of file\n"  # noqa: E501
    module = NEW.format("a/sub", "b/sub", "160000", "Subproject commit " + "c" * 40).encode()

    assert stage(repo, plain).notable == ["it changes a symbolic link: link"]
    assert stage(repo, module).notable == ["it adds a submodule: sub"]
    assert stage(repo, adding("src/.gitattributes") + adding(".gitmodules") + adding("plain")).notable == [
        "it adds what tells git how to treat files: .gitmodules",
        "it adds what tells git how to treat files: src/.gitattributes",
    ]


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"just words\n", "that is no patch"),
        (bytes(range(256)) * 9, "that is no patch"),
        (b"x" * (patches.LIMIT + 1), "larger than 5 MiB"),
        (b"--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-y\n+z\n", "src/app.py: patch does not apply"),
        (b"--- a/none\n+++ b/none\n@@ -1 +1 @@\n-y\n+z\n", "none: does not exist in index"),
        (adding("n")[:-3], "does not fit: corrupt patch"),
        (adding("n").replace(b"\n", b"\r\n"), "carriage returns"),
    ],
)
def test_what_is_no_patch_for_this_is_refused_with_the_reason(repo: Path, patch: bytes, why: str) -> None:
    """The reason names the file where there is one."""
    with pytest.raises(patches.Unfit, match=why):
        stage(repo, patch)


def test_a_patch_that_changes_nothing_is_refused(repo: Path) -> None:
    """There and back again is no change."""
    there = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-x = {}\n+x = {}\n"

    with pytest.raises(patches.Unfit, match="nothing was changed"):
        stage(repo, (there.format(1, 2) + there.format(2, 1)).encode())


@pytest.mark.parametrize("attributes", ["", "* -diff", "* binary"])
def test_a_secret_never_enters_the_log(repo: Path, git: GitRunner, attributes: str) -> None:
    """Not in the lines that a patch adds, whatever the attributes call binary; what it removes is known."""
    token = "ghp_" + "A1b2" * 9
    (repo / "old").write_text(f"{token}\n")
    (repo / ".gitattributes").write_text(f"{attributes}\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "oh")

    with pytest.raises(HoldsSecret, match="a GitHub token"):
        stage(repo, adding("new", f"key = {token}"))

    git(repo, "rm", "-q", "old")
    removing = git(repo, "diff", "--cached", "--binary") + "\n"
    git(repo, "reset", "-q", "--hard")
    assert b"-" in stage(repo, removing.encode()).patch


def test_a_refused_patch_leaves_no_object(repo: Path, git: GitRunner) -> None:
    """What is refused never was in the user's repository."""
    before = sorted((repo / ".git").rglob("*"))

    with pytest.raises(HoldsSecret):
        stage(repo, adding("new", "ghp_" + "A1b2" * 9))

    assert sorted((repo / ".git").rglob("*")) == before


CONFIGURED = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.renames": "copies",
    "diff.renameLimit": "1",
    "diff.context": "9",
    "diff.interHunkContext": "9",
    "diff.algorithm": "patience",
    "diff.external": "/bin/false",
    "diff.suppressBlankEmpty": "true",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "log",
    "diff.upper.textconv": "tr a-z A-Z <",
    "color.ui": "always",
    "core.quotePath": "false",
    "apply.whitespace": "fix",
    "apply.ignoreWhitespace": "change",
}


def test_the_patch_is_the_same_whatever_the_user_configured(
    repo: Path, git: GitRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No setting, driver or variable has a part in the bytes that the log keeps."""
    (repo / ".gitattributes").write_text("*.txt diff=upper\n")
    (repo / "größe.txt").write_text("".join(f"line {number}\n\n" for number in range(40)))
    for name in ("moved.txt", "other.txt"):
        (repo / name).write_text(f"{name}\n" * 30)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "two")
    old = git(repo, "rev-parse", "HEAD^{tree}")
    (repo / "größe.txt").write_text("".join(f"line {number}  \n\n" for number in range(40) if number != 20))
    for name in ("moved.txt", "other.txt"):
        git(repo, "mv", name, f"src/{name}")
        (repo / "src" / name).write_text(f"{name}\n" * 29)
    git(repo, "add", ".")
    new = git(repo, "write-tree")
    plain = patches.made(Git(repo, os.environ), old, new)
    for key, value in CONFIGURED.items():
        git(repo, "config", key, value)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")

    assert patches.made(Git(repo / "src", os.environ), old, new) == plain
    assert b"\nrename from moved.txt\n" in plain

    git(repo, "reset", "-q", "--hard")
    assert stage(repo, plain) == proposing.Staged(git(repo, "rev-parse", "HEAD"), new, plain, [])
    with pytest.raises(patches.Unfit, match="does not apply"):
        stage(repo, plain.replace(b"\n-line 3\n", b"\n-line  3\n"))


@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_bytes_stay_as_they_are(repo: Path, git: GitRunner, autocrlf: str) -> None:
    """Line endings, binaries, renames, modes, links and other encodings come out as they went in."""
    (repo / "crlf.txt").write_bytes(b"a\r\nb\r\nc\r\n")
    (repo / "mixed.txt").write_bytes(b"a\r\nb\nc\r\n")
    (repo / "pic.bin").write_bytes(bytes(range(256)))
    (repo / "old name.txt").write_text("old\n")
    (repo / "run.sh").write_text("#!/bin/sh\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "two")
    (repo / "crlf.txt").write_bytes(b"a\r\nB\r\nc\r\n")
    (repo / "pic.bin").write_bytes(bytes(reversed(range(256))))
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("crlf.txt")
    (repo / "empty").touch()
    (repo / "latin1.txt").write_bytes(b"caf\xe9\n")
    (repo / "old name.txt").rename(repo / os.fsdecode(b"n\xe9w name.txt"))
    git(repo, "rm", "-q", "mixed.txt")
    git(repo, "add", "-A")
    wanted = git(repo, "write-tree")
    bare, binary = (
        subprocess.run(["git", "diff", "--cached", *more], cwd=repo, capture_output=True, check=True).stdout
        for more in ([], ["--binary"])
    )
    git(repo, "reset", "-q", "--hard")
    git(repo, "config", "core.autocrlf", autocrlf)

    assert stage(repo, binary).tree == wanted
    assert stage(repo, b"A change, see diff below\n\n" + binary).tree == wanted
    assert patches.made(Git(repo, os.environ), "HEAD^{tree}", wanted) == stage(repo, binary).patch
    with pytest.raises(patches.Unfit, match=r"pic\.bin"):
        stage(repo, bare)
    with pytest.raises(patches.Unfit):
        stage(repo, binary.replace(b"\r\n", b"\n"))
    with pytest.raises(patches.Unfit):
        stage(repo, binary.replace(b"\n", b"\r\n"))
