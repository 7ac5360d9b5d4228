"""Which of many files a pathspec selects, whether git is asked or not."""

import os
from pathlib import Path

import pytest

from gitdecide.git.run import Git
from gitdecide.work.governing import among
from tests.conftest import GitRunner

FILES = ("src-b.py", "src.py", "src/a.py", "src/sub/b.py", "src0", "z.md")


@pytest.mark.parametrize(
    "spec",
    ["src/a.py", "sub", "src/sub", ".", "*.py", ":(glob)*.py", "src0", "./z.md", ":(nonsense)x", "a\0b"],
)
def test_a_file_is_selected_as_git_selects_it(repo: Path, git: GitRunner, spec: str) -> None:
    """What merely names a file or a folder is found without git, and nothing beside it is."""
    for file in FILES:
        (repo / file).parent.mkdir(parents=True, exist_ok=True)
        (repo / file).write_text("x\n")
    git(repo, "add", "-A")
    asked = "\0" not in spec and "nonsense" not in spec
    there = sorted(git(repo, "ls-files").split("\n"))

    found = among(Git(repo, os.environ), spec, there)

    assert sorted(found) == (sorted(filter(None, git(repo, "ls-files", spec).split("\n"))) if asked else [])
