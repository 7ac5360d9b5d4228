"""What the hooks cost: how many processes they start, and how often the program is one of them."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hooks.conftest import Place, Records, passed, refused

Starts = Callable[[], list[str]]


def processes(place: Place, tmp_path: Path, *args: str) -> list[str]:
    """The programs that a git command starts, itself included."""
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace), "git", *args]
    subprocess.run(command, cwd=place.path, check=True, capture_output=True)
    lines = [line for line in trace.read_text().splitlines() if 'execve("' in line and " = -1 " not in line]
    return [line.partition('execve("')[2].partition('"')[0] for line in lines]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_commit_that_nothing_governs_starts_three_processes(
    place: Place, records: Records, tmp_path: Path
) -> None:
    """The two hooks and one git, also with a policy that asks for nothing and links of other branches."""
    place.do("branch", "other")
    place.link(records.adopted, "other")
    place.do("config", "decide.autosync", "false")
    place.policy("require: when-linked\n")
    place.stage()
    with_hooks = processes(place, tmp_path, "commit", "-qm", "code")
    place.stage("src/app.py", "x = 3\n")
    without = processes(place, tmp_path, "commit", "-qnm", "code")

    extra = len(with_hooks) - len(without)

    assert extra <= 3, with_hooks
    assert not [name for name in with_hooks if "python" in name or "git-decide" in name]


def test_only_what_needs_judging_starts_the_program(place: Place, records: Records, starts: Starts) -> None:
    """None without a link, one with it, one more for what is typed by hand."""
    place.stage()
    passed(place.commit("nothing linked"))
    assert starts() == []
    place.stage("src/app.py", "x = 3\n")
    passed(place.commit("typed", f"Decision: {records.also}"))
    assert starts() == ["commit-msg"]
    place.link(records.adopted)
    place.stage("src/app.py", "x = 4\n")
    passed(place.commit("linked"))
    assert starts() == ["pre-commit"]
    place.stage("README.md", "a\n")
    passed(place.commit("docs"))
    assert starts() == ["pre-commit"]
    place.stage("src/app.py", "x = 5\n")
    passed(place.commit("both", f"Decision: {records.also}"))
    assert starts() == ["pre-commit", "commit-msg"]
    passed(place.git("commit", "-q", "--amend", "-m", "reworded"))
    passed(place.git("commit", "-q", "--allow-empty", "-m", "nothing new"))
    assert starts() == ["pre-commit", "pre-commit"]
    place.link(records.unchecked)
    place.stage("src/app.py", "x = 6\n")
    refused(place.commit("refused"), "G6")
    assert starts() == ["pre-commit"]
    place.do("switch", "-q", "--detach")
    passed(place.commit("on no branch"))
    assert starts() == []


CONFIGURED = {
    "another branch": '[branch "other"]\n\tdecide = {name}\n',
    "another branch's settings": '[branch "main"]\n\tremote = .\n[branch "x"]\n\tdecide = {name}\n',
    "our section": '[decide]\n\tref = refs/decisions/log\n\tautosync\n[branch "decide"]\n\tremote = .\n',
    "a comment": '[branch "main"]\n\t; decide = {name}\n',
}

LINKED = {
    "plain": '[branch "main"]\n\tdecide = {name}\n',
    "upper case": '[BRANCH "main"]\n\tDecide = {name}\n',
    "on one line": '[branch "main"] decide = {name}\n',
    "spaced": '  [branch    "main"]   # ours\n  decide={name}\n',
    "escaped": '[branch "ma\\in"]\n\tdecide = {name}\n',
    "carriage returns": '[branch "main"]\r\n\tdecide = {name}\r\n',
    "no line end": '[branch "main"]\n\tdecide = {name}',
    "included": "[include]\n\tpath = more\n",
    "far below": "# more\n" * 400 + '[branch "main"]\n\tdecide = {name}\n',
}


@pytest.mark.parametrize("way", CONFIGURED)
def test_what_only_looks_like_a_link_starts_nothing(
    place: Place, records: Records, starts: Starts, way: str
) -> None:
    """Settings of other branches and of ours are told from the branch's link without git's help."""
    with (place.path / ".git/config").open("a") as config:
        config.write(CONFIGURED[way].format(name=records.unchecked))
    place.stage()

    passed(place.commit("code"))
    assert starts() == []


@pytest.mark.parametrize("way", LINKED)
def test_a_link_is_seen_however_it_is_written(place: Place, records: Records, way: str) -> None:
    """Whatever git takes for the setting stops the commit."""
    with (place.path / ".git/config").open("a", newline="") as config:
        config.write(LINKED[way].format(name=records.unchecked))
    (place.path / ".git/more").write_text(LINKED["plain"].format(name=records.unchecked))
    place.stage()

    refused(place.commit("code"), "G6")


GIVEN = {
    "command line": (["-c", "branch.main.decide={name}"], {}),
    "variables": (
        [],
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "branch.main.decide", "GIT_CONFIG_VALUE_0": "{name}"},
    ),
}


@pytest.mark.parametrize("way", GIVEN)
def test_a_link_is_seen_where_it_is_given_for_once(place: Place, records: Records, way: str) -> None:
    """Settings of one command count like those of a file."""
    args, environ = GIVEN[way]
    name = records.unchecked
    place.stage()
    words = [word.format(name=name) for word in args]

    done = place.git(
        *words, "commit", "-qm", "code", **{key: text.format(name=name) for key, text in environ.items()}
    )

    refused(done, "G6")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_branch_in_tables_is_asked_for_where_one_is_linked(
    place: Place, records: Records, tmp_path: Path
) -> None:
    """Where refs stand in tables git alone knows the branch, and is asked when it matters."""
    if place.git("refs", "migrate", "--ref-format=reftable").exit_code:
        pytest.skip("this git cannot turn files into tables")
    place.stage()
    with_hooks = processes(place, tmp_path, "commit", "-qm", "code")
    place.stage("src/app.py", "x = 3\n")
    without = processes(place, tmp_path, "commit", "-qnm", "code")
    assert len(with_hooks) - len(without) <= 3, with_hooks

    place.link(records.unchecked)
    place.stage("src/app.py", "x = 4\n")
    refused(place.commit("code"), "G6")


def test_a_head_that_is_a_symbolic_link_is_followed(place: Place, records: Records) -> None:
    """Old repositories keep HEAD as a link to the branch's file."""
    place.link(records.unchecked)
    (place.path / ".git/HEAD").unlink()
    (place.path / ".git/HEAD").symlink_to("refs/heads/main")
    place.stage()

    refused(place.commit("code"), "G6")


def test_a_worktrees_own_setting_is_seen(place: Place, records: Records) -> None:
    """extensions.worktreeConfig gives each worktree a file of its own."""
    place.do("config", "extensions.worktreeConfig", "true")
    place.do("worktree", "add", "-q", "../wt", "-b", "feature")
    wt = Place(place.path.parent / "wt")
    wt.do("config", "--worktree", "branch.feature.decide", records.unchecked)
    wt.stage()

    refused(wt.commit("code"), "G6")


POLICIES = {
    "require: linked\n": True,
    "'require':    \"linked\"\n": True,
    "{require: linked, verified: any}\n": True,
    "require: when-linked\n": False,
    "verified: any\n": False,
}


@pytest.mark.parametrize("text", POLICIES)
def test_a_policy_that_asks_for_decisions_is_seen(place: Place, starts: Starts, text: str) -> None:
    """However it is spelled, and only where it asks."""
    place.policy(text)
    place.stage()

    done = place.commit("code")

    assert (done.exit_code != 0, starts() == ["commit-msg"]) == (POLICIES[text], POLICIES[text])
    assert done.stderr.count("refused [G8]") == POLICIES[text]
