"""Keys and identities on the command line: what is taken for a key, and whose name is on record."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.keys import canonical, fingerprint
from tests.conftest import Decide, GitRunner
from tests.signing.conftest import LOG, Keys

OPENPGP = "71582CAD7F1FF2429C190D22AD67AA90C345671F"
AddKey = Callable[[str], str | None]


@pytest.fixture
def add(decide: Decide, log: None) -> AddKey:
    """Give Ada a key; what the log then has."""

    def added(typed: str) -> str | None:
        assert decide("actor", "add", "Ada", "--key", typed).exit_code == 0
        [ada] = json.loads(decide("actor", "list", "--json").stdout)["actors"]
        return str(ada["key"])

    return added


def test_a_public_ssh_key_is_taken_itself_or_from_its_file(
    add: AddKey, keys: Keys, repo: Path, git: GitRunner
) -> None:
    """Both are the same key, kept without the comment, and shown as ssh-keygen names it."""
    (repo / "ada.pub").write_text(keys.public("ada"))

    assert add(keys.public("ada")) == add("ada.pub") == keys.fingerprint("ada")
    stored = git(
        repo, "show", f"{LOG}:{git(repo, 'ls-tree', '-r', '--name-only', LOG, 'actors/').split()[0]}"
    )
    assert "laptop" not in stored


@pytest.mark.parametrize(
    "typed", [OPENPGP, OPENPGP.lower(), f"0x{OPENPGP}", "7158 2CAD 7F1F F242 9C19  0D22 AD67 AA90 C345 671F"]
)
def test_a_fingerprint_is_the_same_however_it_is_spelled(typed: str) -> None:
    """As gpg prints it, with blanks, in lower case, or marked as hexadecimal."""
    assert canonical(typed) == fingerprint(typed) == OPENPGP


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "nobody",
        OPENPGP[-16:],
        "ssh-ed25519 AAAA",
        "ssh-ed25519 not-base64",
        "ssh-rsa {ada}",
        "missing.pub",
        "private",
        ".",
    ],
)
def test_what_is_no_public_key_is_a_usage_error(
    decide: Decide, log: None, repo: Path, keys: Keys, git: GitRunner, typed: str
) -> None:
    """Short ids, which can be forged, other kinds than the key says, private keys and folders: exit 2."""
    (repo / "private").write_bytes(keys.private("ada").read_bytes())
    before = git(repo, "for-each-ref")
    done = decide("actor", "add", "Ada", "--key", typed.format(ada=keys.public("ada").split()[1]))

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert ("private" in done.stderr.splitlines()[0]) == (typed == "private")
    assert git(repo, "for-each-ref") == before


def test_the_committer_of_git_s_variables_is_on_record(
    decide: Decide, log: None, repo: Path, git: GitRunner, sealed: Path
) -> None:
    """Without any configuration the author and the committer are those that the variables name."""
    (sealed / ".gitconfig").write_text("")
    who: dict[str, Any] = {"GIT_AUTHOR_NAME": "Eve", "GIT_AUTHOR_EMAIL": "eve@example.com"}
    who |= {"GIT_COMMITTER_NAME": "Cody", "GIT_COMMITTER_EMAIL": "cody@example.com"}
    assert decide("ask", "Why?", **who).exit_code == 0

    said = git(repo, "log", "-1", "--no-use-mailmap", "--format=%an %ae %cn %ce", LOG)
    assert said == "Eve eve@example.com Cody cody@example.com"


def test_one_name_is_one_voice_and_a_mailmap_changes_nothing(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """Under two addresses a person is one actor; another name is another, whatever .mailmap says."""
    (repo / ".mailmap").write_text("Ada <ada@example.com> Countess <ada@old.example>\n")
    vote = ("vote", "DR-1", "inform", "-m", "why", "--read", "message:m1")
    for name, email in (("Ada", "ada@example.com"), ("Ada", "ada@old.example")):
        git(repo, "config", "user.name", name)
        git(repo, "config", "user.email", email)
        decide(*vote)
    assert json.loads(decide("show", "DR-1", "--json").stdout)["tally"] == {"inform": 1}
    git(repo, "config", "user.name", "Countess")
    decide(*vote)

    assert json.loads(decide("show", "DR-1", "--json").stdout)["tally"] == {"inform": 2}
    assert [line.split()[0] for line in decide("actor", "list").stdout.splitlines()] == ["Ada", "Countess"]
