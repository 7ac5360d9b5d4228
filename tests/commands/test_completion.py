"""What shells are told that a word may become."""

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Decide, GitRunner

Complete = Callable[..., list[str]]

GIT_COMPLETION = Path("/usr/share/bash-completion/completions/git")

BASH = r"""
eval "$(git-decide completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
"""


@pytest.fixture
def complete(decide: Decide) -> Complete:
    """The candidates for the last word, and what is said about each."""

    def run(*words: str, cwd: Path | None = None) -> list[str]:
        done = decide("completion", "fish", "--", *words, cwd=cwd)
        assert (done.exit_code, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return run


def shell(repo: Path, *command: str) -> list[str]:
    """What a shell prints that finds git-decide on its PATH; it must say nothing else."""
    path = f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=repo, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_verbs_come_with_their_summaries(complete: Complete) -> None:
    """The first word is a verb, and below a verb of verbs another one."""
    assert complete("vo") == ["vote\tSay what you think of a question, and what you read"]
    assert complete("trust", "") == complete("nope", "x") == []
    assert [line.partition("\t")[0] for line in complete("hooks", "")] == ["install", "status", "uninstall"]


def test_records_come_with_their_questions(complete: Complete, decide: Decide, record: str) -> None:
    """An index that is there tells the question; without one the names are enough, and none is made."""
    assert complete("vote", "dr-") == [record]
    decide("list")
    other = decide("ask", "Really?\nSure?").id

    assert complete("show", "") == [f"{other}\tReally?", f"{record}\tAdd load_dataset to the engine?"]
    assert complete("vote", record[:-1]) == [f"{record}\tAdd load_dataset to the engine?"]
    assert complete("vote", "DR-9") == []


def test_words_and_options_are_completed(complete: Complete, record: str) -> None:
    """What a verb takes from a list, and its options, stand where they can be typed."""
    assert complete("vote", record, "s") == ["support"]
    assert complete("ask", "--mode", "de") == ["decide", "debate"]
    assert complete("vote", "--not") == [
        "--not-checked\tWhat you did not look at: code, tests, CI, …; repeatable"
    ]


@pytest.mark.parametrize("words", [("show", ""), ("vote", "DR-", "s"), ("vote", "-F", "gone", "")])
def test_where_there_is_nothing_nothing_is_said(
    complete: Complete, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Outside of a repository, and without a log, a key that is pressed is no error."""
    outside = tmp_path / "outside"
    outside.mkdir()

    assert [line for line in complete(*words, cwd=outside) if line.startswith("DR-")] == []
    assert [line for line in complete(*words) if line.startswith("DR-")] == []


def test_a_key_moves_no_ref(
    complete: Complete, decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """What was fetched joins the log with a command, not while one is typed."""
    old = git(repo, "rev-parse", "refs/decisions/log")
    decide("ask", "Fetched?")
    git(repo, "remote", "add", "origin", str(repo))
    git(repo, "update-ref", "refs/decisions-remotes/origin/log", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", old)

    assert complete("show", "") == [record]

    assert git(repo, "rev-parse", "refs/decisions/log") == old
    assert "Fetched?" in decide("list").stdout


def test_hostile_questions_stay_on_their_line(complete: Complete, decide: Decide, log: None) -> None:
    """A question can neither add a candidate nor reach the terminal."""
    name = decide("ask", "one\x1b[31m\rtwo\nthree").id
    decide("list")

    assert complete("show", "") == [f"{name}\tone\\x1b[31m\\rtwo"]


def test_bash_completes_git_decide(record: str, repo: Path) -> None:
    """The function that git's own completion calls finds its words wherever the verb stands."""
    if not GIT_COMPLETION.exists():
        pytest.skip("git's completion for bash is not here")
    script = f'. {GIT_COMPLETION}\n{BASH}__git_wrap__git_main\nprintf "%s|\\n" "${{COMPREPLY[@]}}"'

    def run(*words: str) -> list[str]:
        return shell(repo, "bash", "--norc", "-c", script, "bash", *words)

    assert run("git", "decide", "show", "DR") == [f"{record} |"]
    assert run("git", "-c", "a=b", "decide", "sh") == ["show |"]
    assert run("git", "decide", "nope", "x") == ["|"]


def test_bash_completes_the_program(record: str, repo: Path) -> None:
    """`git-decide` alone is completed as well; what is no candidate is left to file names."""
    script = f'{BASH}_git_decide_alone\nprintf "%s|\\n" "${{COMPREPLY[@]}}"\ncomplete -p git-decide'

    assert shell(repo, "bash", "--norc", "-c", script, "bash", "git-decide", "vote", record, "in") == [
        "inform|",
        "complete -o bashdefault -o default -F _git_decide_alone git-decide",
    ]


def test_fish_completes_both(record: str, repo: Path) -> None:
    """Fish shows candidates for `git decide` and `git-decide`, file names where there are none."""
    if not shutil.which("fish"):
        pytest.skip("fish is not here")
    asked = [
        f"complete -C '{line}'" for line in ("git decide show DR", "git-decide vo", "git decide why src/a")
    ]

    told = shell(repo, "fish", "-c", "; ".join(["git-decide completion fish | source", *asked]))

    assert [line.partition("\t")[0] for line in told] == [record, "vote", "src/app.py"]


def test_zsh_completes_both(record: str, repo: Path) -> None:
    """Zsh gets candidates as _describe takes them, file names where there are none."""
    if not shutil.which("zsh"):
        pytest.skip("zsh is not here")
    script = f"""
        compdef () {{ print -r -- "compdef $*" }}
        _describe () {{ print -rl -- $found }}
        _files () {{ print files }}
        eval "$(git-decide completion zsh)"
        words=(decide show DR) CURRENT=3; _git-decide
        words=(git-decide vote {record} s more) CURRENT=4; _git-decide
        words=(decide why src) CURRENT=3; _git-decide
    """

    assert shell(repo, "zsh", "-f", "-c", script) == [
        "compdef _git-decide git-decide", record, "support", "files",
    ]  # fmt: skip
