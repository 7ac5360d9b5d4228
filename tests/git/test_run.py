"""The user's git: how it is run, what its errors become, how its configuration is read."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.errors import DecideError
from gitdecide.git.run import Git, GitError

GitRunner = Callable[..., str]


@pytest.fixture
def here(repo: Path) -> Git:
    return Git(repo, os.environ)


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def imitation(tmp_path: Path, text: str) -> Git:
    """A git that does what a script says."""
    bin_folder = script(tmp_path / "bin" / "git", text).parent
    return Git(tmp_path, {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"})


def test_output_comes_back_as_bytes_and_as_text(here: Git) -> None:
    """`run` keeps every byte; `text` loses the last line end only."""
    assert here.run("hash-object", "--stdin", stdin=b"x\0y").stdout.endswith(b"\n")
    here.run("config", "x.y", "two\n\n")
    assert here.text("config", "x.y") == "two\n\n"


def test_text_keeps_bytes_that_are_not_utf_8(here: Git) -> None:
    """Latin-1 in git's answer can be had back."""
    (oid,) = here.text("hash-object", "-w", "--stdin").split()
    here.run("update-index", "-z", "--index-info", stdin=b"100644 %s\t\xfc\0" % oid.encode())
    assert (
        here.text("ls-files", "-z", "--cached")
        .encode("utf-8", "surrogateescape")
        .startswith(b"src/app.py\0\xfc")
    )


def test_an_accepted_code_is_an_answer(here: Git) -> None:
    """A code in `ok` is returned, any other is git's refusal."""
    assert here.run("rev-parse", "--verify", "-q", "no", ok=(0, 1)).code == 1
    with pytest.raises(GitError) as refused:
        here.run("rev-parse", "--verify", "-q", "no")
    assert (refused.value.exit, refused.value.code) == (3, 1)
    assert refused.value.message == "git rev-parse failed with exit code 1"


def test_an_error_is_git_s_last_word(here: Git) -> None:
    """`fatal:` and `error:` go; what git calls a hint becomes the hint."""
    with pytest.raises(GitError, match=r"^bad revision 'no'$"):
        here.run("log", "no", "--")
    with pytest.raises(GitError, match=r"^pathspec 'none' did not match"):
        here.run("commit", "-m", "x", "none")
    here.run("checkout", "-q", "-b", "side")
    here.run("commit", "-q", "--allow-empty", "-m", "x")
    with pytest.raises(GitError) as refused:
        here.run("push", ".", "main:side")
    assert refused.value.message.startswith("failed to push some refs")
    assert (refused.value.hint or "").startswith("Updates were rejected")


def test_errors_are_read_in_english(here: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's language does not reach a git whose words are read; the rest of the environment does."""
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("GIT_QUARANTINE_PATH", "/q")
    shown = Git(here.cwd, os.environ).text("-c", "alias.env=!env", "env")
    assert "LC_ALL=C" in shown.splitlines()
    assert "GIT_QUARANTINE_PATH=/q" in shown.splitlines()


def test_git_killed_is_said_so(tmp_path: Path) -> None:
    """A git that a signal ended without a word is reported with the signal."""
    with pytest.raises(GitError, match=r"^git var was ended by signal 9$"):
        imitation(tmp_path, "kill -9 $$").run("-c", "a.b=c", "var")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (
            "fatal: '/gone' does not appear to be a git repository",
            "'/gone' does not appear to be a git repository",
        ),
        (
            "ssh: connect to host x port 22: Connection refused",
            "ssh: connect to host x port 22: Connection refused",
        ),
        ("", "Could not read from remote repository."),
    ],
)
def test_what_only_follows_is_not_the_reason(tmp_path: Path, before: str, said: str) -> None:
    """What git says of every remote that it cannot read hides nothing; alone it is better than nothing."""
    follows = (
        "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights"
    )
    (tmp_path / "said").write_text(f"{before}\n{follows}\nand the repository exists.\n")
    with pytest.raises(GitError) as failed:
        imitation(tmp_path, f"cat {tmp_path}/said >&2; exit 128").run("fetch")

    assert failed.value.message == said


def test_a_missing_git_is_said_so(repo: Path) -> None:
    """Without git on the PATH the message says that, in exit code 3."""
    with pytest.raises(DecideError, match=r"^git is not installed") as refused:
        Git(repo, {**os.environ, "PATH": str(repo)}).run("version")
    assert refused.value.exit == 3


def test_a_missing_folder_is_not_a_missing_git(tmp_path: Path) -> None:
    """A working directory that is gone is named."""
    with pytest.raises(DecideError, match=r"/gone: No such file or directory$"):
        Git(tmp_path / "gone", os.environ).run("version")


def test_time_runs_out_for_all_that_git_started(tmp_path: Path) -> None:
    """A git that does not end is ended with its children, though they hold its pipes."""
    git = imitation(tmp_path, f"sh -c 'echo $$ > {tmp_path}/pid; sleep 60' ; true")
    with pytest.raises(DecideError, match=r"^git gpg did not end within 3 seconds$"):
        git.run("gpg", timeout=3)
    pid = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 60
    while not _ended(pid):  # the signal is sent, and whoever gets it may have to wait for a processor
        assert time.monotonic() < until
        time.sleep(0.01)


def _ended(pid: int) -> bool:
    """True once a process is gone, or waits to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except OSError:
        return True


def test_foreign_commands_get_no_repository(repo: Path) -> None:
    """What ties a command to this repository is taken out, an identity stays."""
    tied = {"GIT_DIR": str(repo / ".git"), "GIT_INDEX_FILE": "x", "GIT_CONFIG_COUNT": "0"}
    foreign = Git(repo, {**os.environ, **tied, "GIT_AUTHOR_NAME": "Ada"}).foreign_environ()
    assert not set(tied) & set(foreign)
    assert foreign["GIT_AUTHOR_NAME"] == "Ada"
    assert foreign["PATH"] == os.environ["PATH"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_dubious_ownership_keeps_git_s_advice(here: Git, repo: Path) -> None:
    """The command that git recommends is the hint."""
    for path in (repo, repo / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(GitError, match=r"^detected dubious ownership") as refused:
        here.run("rev-parse", "--git-dir")
    assert refused.value.hint == f"git config --global --add safe.directory {repo}"


def test_the_last_value_of_a_key_counts(here: Git, git: GitRunner, sealed: Path) -> None:
    """The repository's value overrides the user's, and all can be had, in git's order."""
    with (sealed / ".gitconfig").open("a") as config:
        config.write("[decide]\n\tref = user's\n\tmany = 1\n")
    git(here.cwd, "config", "decide.ref", "two\nlines")
    git(here.cwd, "config", "decide.many", "2")
    assert here.config("decide.ref") == "two\nlines"
    assert here.config_all("decide.many") == ["1", "2"]
    assert here.config("decide.none") is None
    assert here.config_all("decide.none") == []


def test_keys_are_compared_as_git_compares_them(here: Git, git: GitRunner) -> None:
    """Section and variable in any case, the subsection exactly, dots in it included."""
    git(here.cwd, "config", "Decide.Sub.Sect.Ref", "x")
    assert here.config("DECIDE.Sub.Sect.REF") == "x"
    assert here.config("decide.sub.sect.ref") is None


def test_configuration_on_the_command_line_counts(repo: Path) -> None:
    """`git -c` and GIT_CONFIG_COUNT reach us through the environment, and win."""
    counted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "decide.Ref", "GIT_CONFIG_VALUE_0": "counted"}
    assert Git(repo, {**os.environ, **counted}).config("decide.ref") == "counted"
    given = {"GIT_CONFIG_PARAMETERS": "'decide.ref'='given' 'decide.on'"}
    git = Git(repo, {**os.environ, **counted, **given})
    assert git.config("decide.ref") == "given"
    assert git.config("decide.on") == "true"


def test_configuration_is_read_once(here: Git, git: GitRunner) -> None:
    """One process serves every question; a later change is not seen."""
    assert here.config("decide.ref") is None
    git(here.cwd, "config", "decide.ref", "x")
    assert here.config("decide.ref") is None


VALUES = [
    "true",
    "YES",
    "On",
    "1",
    "-1",
    "2k",
    "0x10",
    "010",
    "false",
    "No",
    "off",
    "",
    "0",
    "00",
    "0x0",
    "0k",
]


@pytest.mark.parametrize("value", VALUES)
def test_truth_is_what_git_takes_for_it(value: str, here: Git, git: GitRunner) -> None:
    """A value is true exactly where `git config --type=bool` says so."""
    git(here.cwd, "config", "decide.truth", value)
    truth = git(here.cwd, "config", "--type=bool", "decide.truth")
    assert here.config_bool("decide.Truth", default=truth != "true") is (truth == "true")


def test_a_key_without_a_value_is_true(here: Git, repo: Path) -> None:
    """`[decide] on` alone means yes; a key not set means the default."""
    with (repo / ".git" / "config").open("a") as config:
        config.write("[decide]\n\ton\n")
    assert here.config_bool("decide.on", default=False) is True
    assert here.config_bool("decide.off", default=False) is False
    assert here.config_bool("decide.off", default=True) is True


@pytest.mark.parametrize("value", ["maybe", "1x", "tru", "0x"])
def test_bad_truth_is_refused_in_git_s_words(value: str, here: Git, git: GitRunner) -> None:
    """What git would not take for true or false ends in exit code 3."""
    git(here.cwd, "config", "decide.truth", value)
    with pytest.raises(
        DecideError, match=rf"^bad boolean config value '{value}' for 'decide.truth'$"
    ) as refused:
        here.config_bool("decide.Truth", default=True)
    assert refused.value.exit == 3


def test_a_broken_configuration_is_git_s_error(here: Git, repo: Path) -> None:
    """A configuration that git cannot read is reported in its words."""
    (repo / ".git" / "config").write_text("[broken\n")
    with pytest.raises(GitError, match=r"^bad config line 1 in file"):
        here.config("decide.ref")


def test_a_started_git_talks_both_ways(here: Git) -> None:
    """`start` gives a process with open pipes; it ends when its input does."""
    with here.start("cat-file", "--batch-check") as process:
        stdout, _ = process.communicate(b"HEAD\n")
    assert b" commit " in stdout
    assert process.returncode == 0
