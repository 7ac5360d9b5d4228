"""The policy: read strictly, with the defaults where nothing is said."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from gitdecide.errors import CANNOT
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.run import Git
from gitdecide.policy import Policy, PolicyError, parse, read
from tests.conftest import GitRunner


def test_the_defaults_are_in_force_without_a_word() -> None:
    """An empty file says nothing: all but documents is code, and only what is linked is judged."""
    for text in (b"", b"# nothing\n", b"{}\n"):
        assert parse(text) == Policy()
    assert Policy().code == (".", ":(exclude)docs", ":(exclude)*.md")
    assert (Policy().require, Policy().verified, Policy().signed) == ("when-linked", "any", False)
    assert Policy().fast == timedelta(minutes=2)
    assert (Policy().recheck.allow, Policy().recheck.timeout) == (("grep *", "rg *"), 600)


def test_every_field_can_be_set() -> None:
    """Values are typed by the field, not by YAML."""
    policy = parse(
        b"code: ['src/**', ':(exclude)src/vendor']\nrequire: linked\nverified: code\nfast_accept: 90s\n"
        b"recheck: {allow: ['make *'], timeout: 30}\nsigned: true\n"
    )

    assert policy.code == ("src/**", ":(exclude)src/vendor")
    assert (policy.require, policy.verified, policy.signed) == ("linked", "code", True)
    assert policy.fast == timedelta(seconds=90)
    assert (policy.recheck.allow, policy.recheck.timeout) == (("make *",), 30)


WRONG = {
    "require: linked\nreqire: linked\n": "line 2: ",
    "require: linked\nq: 1\n": "line 2: ",
    'code: [".", ":(exclude)docs"]\nrequire: linked\nexclude: [docs]\n': "line 3: ",
    "# timeout: 600\nrecheck:\n  'timeout' : 0\n": "line 3: ",
    "require: sometimes\n": "line 1: ",
    "signed: yes\n": "line 1: ",
    "# x\nfast_accept: soon\n": "line 2: ",
    "fast_accept: 2m\nrecheck: {timeout: 0}\n": "line 2: ",
    "recheck:\n  allow: []\n  more: 1\n": "line 3: ",
    "code: src\n": "line 1: ",
    "require: linked\nrequire: linked\n": "line 2",
    "code: &a [src]\n": "line 1",
    "- code\n": "",
    "code: [.]\n---\ncode: [src]\n": "line 2",
    "code:\n  - src\n  - ':(attr:x)src'\n": "line 3: attr ",
    "code: [':(exclude,attr:x)src']\n": "line 1: attr ",
    "code: ['../other']\n": "line 1: the pathspec leaves the tree",
    "code: ['a/../../b']\n": "line 1: the pathspec leaves the tree",
    "code: [':(top)../b']\n": "line 1: the pathspec leaves the tree",
    "# ../b\ncode:\n  - src\n  - ../b\n": "line 4: ",
    'code: ["a\\0b"]\n': "line 1: a pathspec holds no NUL",
    "code: ['/etc']\n": "line 1: the pathspec leaves the tree",
    "code: ['']\n": "",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_not_a_policy_is_refused(text: str) -> None:
    """The message names the file and, where there is one, the line; the command cannot go on."""
    with pytest.raises(PolicyError) as refused:
        parse(text.encode())

    assert refused.value.exit == CANNOT
    assert refused.value.message.startswith(".gitdecide.yaml: ")
    assert WRONG[text] in refused.value.message


@pytest.mark.parametrize(
    "spec", ["src/**", ":/src", ":!docs", ":^docs", ":(icase,glob)SRC/**", "a..b/c", ":(top)src"]
)
def test_specs_of_git_are_taken(spec: str) -> None:
    """Whatever git understands at the top of the tree may stand there."""
    assert parse(f"code: [{spec!r}]\n".encode()).code == (spec,)


def test_the_policy_is_that_of_a_commit(repo: Path, git: GitRunner) -> None:
    """Not the working tree's and not the index's; defaults where there is no commit or no file."""
    with Plumbing(Git(repo, os.environ)) as objects:
        base = git(repo, "rev-parse", "HEAD")
        (repo / ".gitdecide.yaml").write_text("require: linked\n")
        git(repo, "add", ".")
        assert read(objects, "HEAD") == Policy()
        git(repo, "commit", "-qm", "policy")
        assert read(objects, "HEAD").require == "linked"
        assert read(objects, base) == Policy()
        assert read(objects, None) == Policy()
        git(repo, "rm", "-q", ".gitdecide.yaml")
        (repo / ".gitdecide.yaml").mkdir()
        (repo / ".gitdecide.yaml/x").write_text("x")
        git(repo, "add", ".")
        git(repo, "commit", "-qm", "a folder")
        with pytest.raises(PolicyError, match="is no file in HEAD"):
            read(objects, "HEAD")


@pytest.mark.parametrize("spec", [":(bogus)x", ":(exclude", ":@x", ":(literal,glob)x"])
def test_for_judging_git_must_take_the_pathspecs(repo: Path, git: GitRunner, spec: str) -> None:
    """What only git can tell is found when the policy is read, with the file and the line."""
    (repo / ".gitdecide.yaml").write_text(f"require: linked\ncode: ['.', '{spec}']\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "policy")
    ours = Git(repo, os.environ)
    with Plumbing(ours) as objects:
        assert read(objects, "HEAD").code == (".", spec)
        with pytest.raises(PolicyError, match=r"^\.gitdecide\.yaml: line 2: "):
            read(objects, "HEAD", ours)
