"""Installing the hooks: nothing of the user's is lost, and what is said about them is true."""

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import gitdecide
from tests.conftest import Decide
from tests.hooks.conftest import PROGRAM, Place, Records, passed, refused

HOOKS = ("pre-commit", "commit-msg", "pre-push")


@pytest.fixture
def bare(place: Place, decide: Decide) -> Place:
    """A repository with a log and a policy, and without our hooks."""
    assert decide("hooks", "uninstall", cwd=place.path).exit_code == 0
    place.policy()
    return place


def seen(folder: Path) -> dict[str, tuple[int, bytes | Path]]:
    """All that a folder holds: modes, contents, and where links lead."""
    return {
        path.name: (path.lstat().st_mode, path.readlink() if path.is_symlink() else path.read_bytes())
        for path in folder.iterdir()
    }


def statuses(decide: Decide, place: Place) -> list[bool]:
    """What `hooks status` says of each hook: whether git would call it."""
    done = decide("hooks", "status", "--json", cwd=place.path)
    calls = [hook["calls"] for hook in json.loads(done.stdout)["hooks"]]
    assert done.exit_code == (0 if all(calls) else 1)
    return calls


def own_hook(place: Place, text: str = "echo mine >>mine.log", mode: int = 0o755) -> Path:
    path = place.hooks / "pre-commit"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(mode)
    return path


def link_to_script(place: Place) -> Path:
    place.stage("scripts/check.sh", "#!/bin/sh\necho mine >>mine.log\n")
    (place.path / "scripts/check.sh").chmod(0o755)
    place.do("commit", "-qanm", "a script")
    path = place.hooks / "pre-commit"
    path.symlink_to("../../scripts/check.sh")
    return path


def broken_link(place: Place) -> Path:
    path = place.hooks / "pre-commit"
    path.symlink_to("nowhere")
    return path


OWN: dict[str, tuple[Callable[[Place], Path], int]] = {
    "script": (lambda place: own_hook(place, mode=0o511), 1),
    "symlink": (link_to_script, 1),
    "not executable": (lambda place: own_hook(place, mode=0o644), 0),
    "broken symlink": (broken_link, 0),
}


@pytest.mark.parametrize("kind", OWN)
def test_a_hook_that_was_there_is_kept(bare: Place, decide: Decide, kind: str) -> None:
    """It runs first as it did, a second install changes nothing, and uninstall gives it back as it was."""
    make, runs = OWN[kind]
    make(bare)
    before = seen(bare.hooks)
    assert decide("hooks", "install", cwd=bare.path).exit_code == 0
    once = seen(bare.hooks)
    assert decide("hooks", "install", cwd=bare.path).exit_code == 0
    assert seen(bare.hooks) == once

    bare.stage("a.md", "a\n")
    passed(bare.commit("docs"))
    log = bare.path / "mine.log"
    assert (log.read_text() if log.exists() else "") == "mine\n" * runs
    bare.stage()
    refused(bare.commit("code"), "G8")

    assert decide("hooks", "uninstall", cwd=bare.path).exit_code == 0
    assert seen(bare.hooks) == before


def test_a_hook_that_was_there_still_blocks(bare: Place, decide: Decide) -> None:
    """Its failure ends the commit with its own exit code and words, before ours is asked."""
    own_hook(bare, "echo no >&2; exit 3")
    decide("hooks", "install", cwd=bare.path)
    bare.stage("a.md", "a\n")

    done = bare.commit("docs")

    assert (done.exit_code, done.stderr) == (1, "no\n")


def test_a_hooks_folder_that_was_not_there_goes_again(bare: Place, decide: Decide) -> None:
    """Uninstall leaves nothing that install made, and takes no folder that it did not make."""
    shutil.rmtree(bare.hooks)
    decide("hooks", "install", cwd=bare.path)
    decide("hooks", "install", cwd=bare.path)
    decide("hooks", "uninstall", cwd=bare.path)
    assert not bare.hooks.exists()

    bare.hooks.mkdir()
    decide("hooks", "install", cwd=bare.path)
    decide("hooks", "uninstall", cwd=bare.path)
    assert list(bare.hooks.iterdir()) == []


def test_a_second_hook_never_replaces_the_kept_one(bare: Place, decide: Decide) -> None:
    """Where another tool wrote over ours, install says so and touches neither."""
    own_hook(bare, "echo first")
    decide("hooks", "install", cwd=bare.path)
    own_hook(bare, "echo second")
    before = seen(bare.hooks)
    assert statuses(decide, bare) == [False, True, True]

    done = decide("hooks", "install", cwd=bare.path)

    assert done.exit_code == 3
    assert "pre-commit.decide-kept" in done.stderr
    assert seen(bare.hooks) == before
    decide("hooks", "uninstall", cwd=bare.path)
    assert {"pre-commit", "pre-commit.decide-kept"} <= set(seen(bare.hooks))


def test_a_hook_that_has_lost_its_mode_is_put_right(bare: Place, decide: Decide) -> None:
    """Git passes over what may not be executed: status says so, and install mends it."""
    decide("hooks", "install", cwd=bare.path)
    (bare.hooks / "commit-msg").chmod(0o644)
    assert statuses(decide, bare) == [True, False, True]

    assert decide("hooks", "install", cwd=bare.path).exit_code == 0
    assert statuses(decide, bare) == [True, True, True]


def husky(place: Place) -> str:
    (place.path / ".husky/_").mkdir(parents=True)
    for name in HOOKS:
        path = place.path / ".husky/_" / name
        path.write_text('#!/bin/sh\ns=".husky/$(basename "$0")"\n[ ! -f "$s" ] || sh -e "$s" "$@"\n')
        path.chmod(0o755)
    place.do("config", "core.hooksPath", ".husky/_")
    return "husky"


def lefthook(place: Place) -> str:
    own_hook(place, "call_lefthook() { :; }\ncall_lefthook run pre-commit")
    return "lefthook"


def framework(place: Place) -> str:
    own_hook(place, "# File generated by pre-commit: https://pre-commit.com")
    return "pre-commit"


@pytest.mark.parametrize("manager", [husky, lefthook, framework])
def test_a_managers_folder_is_left_to_the_manager(
    bare: Place, decide: Decide, manager: Callable[[Place], str]
) -> None:
    """Install ends with 3, says who keeps the folder and what to add, and status tells the same."""
    name = manager(bare)
    bare.do("add", "-A")
    before = seen(bare.hooks)

    done = decide("hooks", "install", cwd=bare.path)

    assert done.exit_code == 3
    assert done.stderr.startswith(f"error: {name} keeps the hooks here: ")
    assert "hint: add to ." in done.stderr or "hint: add to lefthook.yml" in done.stderr
    assert seen(bare.hooks) == before
    assert statuses(decide, bare) == [False, False, False]
    bare.stage()
    passed(bare.commit("nobody judges this"))


def test_init_installs_the_hooks_unless_told_not_to(decide: Decide, repo: Path) -> None:
    """Those of a working copy, or in a bare repository the server's."""
    place = Place(repo)
    before = seen(place.hooks)
    decide("init", "--no-hooks")
    assert seen(place.hooks) == before
    assert decide("init").exit_code == 0
    assert set(seen(place.hooks)) - set(before) == set(HOOKS)

    place.do("init", "-q", "--template=", "--bare", "../server.git")
    server = repo.parent / "server.git"
    assert decide("init", cwd=server).exit_code == 0
    assert set(seen(server / "hooks")) == {"pre-receive"}


def test_the_hooks_for_the_framework_are_ours(bare: Place, decide: Decide) -> None:
    """What install advises is in the file that the framework reads, and calls hooks that we have."""
    framework(bare)
    advice = decide("hooks", "install", cwd=bare.path).stderr
    offered = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    listed = [hook for hook in offered if hook["entry"].startswith("git-decide hook ")]

    assert [hook["id"] for hook in listed] == [f"git-decide-{name}" for name in HOOKS]
    assert [hook["entry"] for hook in listed] == [f"git-decide hook {name}" for name in HOOKS]
    assert all(hook["id"] in advice for hook in listed)


def test_init_makes_the_log_where_hooks_cannot_be(decide: Decide, repo: Path) -> None:
    """It ends with 3 and names the setting; the log is there."""
    place = Place(repo)
    husky(place)

    done = decide("init")

    assert done.exit_code == 3
    assert "core.hooksPath = .husky/_" in done.stderr
    assert place.tip("refs/decisions/log")


def test_husky_calls_ours_once_it_is_told_to(bare: Place, decide: Decide) -> None:
    """With the lines that the hint gives, the gate runs, and install and status agree."""
    husky(bare)
    hint = decide("hooks", "install", cwd=bare.path).stderr
    for line in hint.splitlines():
        if "add to " in line:
            file, _, command = line.partition("add to ")[2].partition(": ")
            (bare.path / file).write_text(
                command.replace("git decide", str(PROGRAM)) + "\n# git decide hook " + file[7:]
            )
    bare.do("add", "-A")

    assert decide("hooks", "install", cwd=bare.path).exit_code == 0
    assert statuses(decide, bare) == [True, True, True]
    bare.stage()
    refused(bare.commit("code"), "G8")
    passed(bare.commit("code", "Decision: DR-1"))


DISPATCHERS = {
    "husky 9": (".husky/_", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n', True),
    "husky 9.1": (".husky/_", '#!/usr/bin/env sh\n. "${0%/*}/h"', True),
    "nothing": (".husky/_", "#!/bin/sh\nexit 0\n", False),
    "a comment": (".husky/_", '#!/bin/sh\n# . "${0%/*}/h"\n', False),
}


@pytest.mark.parametrize("way", DISPATCHERS)
def test_husky_is_believed_where_git_would_start_it(bare: Place, decide: Decide, way: str) -> None:
    """What git starts must hand over to the file with our line."""
    folder, text, calls = DISPATCHERS[way]
    husky(bare)
    for name in HOOKS:
        bare.write(f".husky/{name}", f'git decide hook {name} "$@"\n')
        (bare.path / folder / name).write_text(text)

    assert statuses(decide, bare) == [calls] * 3
    assert decide("hooks", "install", cwd=bare.path).exit_code == (0 if calls else 3)
    (bare.path / folder / "pre-commit").chmod(0o644)
    (bare.path / folder / "pre-push").unlink()
    assert statuses(decide, bare) == [False, calls, False]


def test_an_older_husky_starts_the_file_itself(bare: Place, decide: Decide) -> None:
    """Until husky 8 git looks into .husky: the file must be one that it runs, and our line no comment."""
    bare.do("config", "core.hooksPath", ".husky")
    lines = dict(zip(HOOKS, ("git decide hook", "# git decide hook", "git decide hook"), strict=True))
    for name, line in lines.items():
        text = f'#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\n{line} {name} "$@"\n'
        bare.write(f".husky/{name}", text)
        (bare.path / ".husky" / name).chmod(0o644 if name == "pre-push" else 0o755)

    assert statuses(decide, bare) == [True, False, False]


def test_a_repository_below_a_folder_of_that_name_is_not_huskys(decide: Decide, tmp_path: Path) -> None:
    """Only a folder of the repository tells that husky keeps its hooks."""
    place = Place(tmp_path / ".husky" / "r")
    place.path.mkdir(parents=True)
    place.do("init", "-q")

    assert decide("hooks", "install", cwd=place.path).exit_code == 0
    assert statuses(decide, place) == [True, True, True]


def test_a_tracked_hooks_folder_is_used(bare: Place, decide: Decide) -> None:
    """core.hooksPath inside the repository is where the hooks go, from any folder of it."""
    (bare.path / ".githooks").mkdir()
    bare.do("config", "core.hooksPath", ".githooks")
    before = seen(bare.hooks)

    assert decide("hooks", "install", cwd=bare.path / "src").exit_code == 0

    assert seen(bare.hooks) == before
    assert set(seen(bare.path / ".githooks")) == set(HOOKS)
    bare.stage()
    refused(bare.commit("code"), "G8")


def test_a_shared_folder_is_not_written_unasked(bare: Place, decide: Decide, tmp_path: Path) -> None:
    """A folder outside the repository takes --force; the setting and its file are named."""
    shared = tmp_path / "shared"
    shared.mkdir()
    bare.do("config", "--global", "core.hooksPath", str(shared))

    done = decide("hooks", "install", cwd=bare.path)

    assert done.exit_code == 3
    assert f"core.hooksPath = {shared} in " in done.stderr
    assert ".gitconfig" in done.stderr
    assert list(shared.iterdir()) == []
    assert statuses(decide, bare) == [False, False, False]
    assert decide("hooks", "install", "--force", cwd=bare.path).exit_code == 0
    assert statuses(decide, bare) == [True, True, True]


@pytest.mark.parametrize("path", ["/dev/null", "src/app.py"])
def test_a_folder_that_is_none_is_named(bare: Place, decide: Decide, path: str) -> None:
    """Where hooks are switched off by a path, install does not pretend."""
    bare.do("config", "core.hooksPath", path)

    done = decide("hooks", "install", cwd=bare.path)

    assert done.exit_code == 3
    assert f"core.hooksPath = {path}" in done.stderr
    assert statuses(decide, bare) == [False, False, False]


def test_a_setting_that_came_later_is_found_out(place: Place, decide: Decide) -> None:
    """Hooks that git no longer looks for do not count, and uninstall takes them away all the same."""
    place.do("config", "core.hooksPath", "elsewhere")

    assert statuses(decide, place) == [False, False, False]
    assert "core.hooksPath = elsewhere" in decide("hooks", "status", cwd=place.path).stderr
    decide("hooks", "uninstall", cwd=place.path)
    assert not set(HOOKS) & set(seen(place.hooks))


@pytest.mark.parametrize("form", ["#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n{}", "#!{}\n{}"])
def test_every_form_of_script_is_started(place: Place, records: Records, movable: Path, form: str) -> None:
    """Also what pip writes where a path has a blank, and one whose package is elsewhere but there."""
    movable.write_text(form.format(sys.executable, PROGRAM.read_text().partition("\n")[2]))
    for hook in map(place.hooks.joinpath, HOOKS):
        hook.write_text(
            hook.read_text().replace(f"package={gitdecide.__file__}\n", "package=/nowhere/x.py\n")
        )
    place.link(records.unchecked)
    place.stage()

    refused(place.commit("code", PATH="/usr/bin:/bin"), "G6")


@pytest.fixture
def movable(place: Place, tmp_path: Path) -> Path:
    """A program of its own for the hooks of `place`, in a folder with an awkward name."""
    program = tmp_path / "it's $HOME" / "git-decide"
    program.parent.mkdir()
    program.write_text(PROGRAM.read_text())
    program.chmod(0o755)
    for name in HOOKS:
        hook = place.hooks / name
        quoted = "'" + str(program).replace("'", "'\"'\"'") + "'"
        hook.write_text(hook.read_text().replace(f"program={PROGRAM}\n", f"program={quoted}\n"))
    return program


def gone(program: Path) -> None:
    shutil.rmtree(program.parent)


def without_interpreter(program: Path) -> None:
    program.write_text("#!/nowhere/bin/python\n")


def without_interpreter_by_pip(program: Path) -> None:
    program.write_text("#!/bin/sh\n'''exec' \"/no where/bin/python\" \"$0\" \"$@\"\n' '''\n")


def without_interpreter_far_away(program: Path) -> None:
    program.write_text("#!/bin/sh\n'''exec' /nowhere/bin/python \"$0\" \"$@\"\n' '''\n")


def without_package(program: Path) -> None:
    program.write_text(f"#!{sys.executable} -S\nfrom gitdecide.__main__ import main\n")
    hooks = program.parents[1] / "r/.git/hooks"
    for hook in map(hooks.joinpath, HOOKS):
        hook.write_text(
            hook.read_text().replace(f"package={gitdecide.__file__}\n", "package=/nowhere/x.py\n")
        )


@pytest.mark.parametrize(
    "lose",
    [gone, without_interpreter, without_interpreter_by_pip, without_interpreter_far_away, without_package],
)
def test_a_missing_program_stops_linked_commits(
    place: Place, records: Records, movable: Path, lose: Callable[[Path], None]
) -> None:
    """One line says what is missing and how to go on; a branch without a link is free."""
    short = {"PATH": "/usr/bin:/bin"}
    place.do("switch", "-qc", "typed")
    place.stage()
    place.do("commit", "-qnm", "typed", "-m", "Decision: DR-999")
    place.do("switch", "-q", "main")
    place.link(records.adopted)
    place.stage("src/app.py", "x = 3\n")
    passed(place.commit("linked", **short))
    lose(movable)
    place.stage("src/app.py", "x = 4\n")

    done = place.commit("linked", **short)

    assert done.exit_code != 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(
        f"error: git-decide is missing, neither {movable} nor on the PATH: install it"
    )
    refused_path = place.git("push", str(place.path), "main:refs/heads/x", **short)
    assert "git-decide is missing" in refused_path.stderr
    place.do("switch", "-qc", "free")
    passed(place.commit("not linked", **short))
    beside = {"PATH": f"{PROGRAM.parent}:/usr/bin:/bin"}
    place.do("switch", "-q", "main")
    refused(place.git("push", str(place.path), "typed:refs/heads/x", **beside), "G1")
    place.stage("src/app.py", "x = 5\n")
    passed(place.commit("by the PATH", **beside))
    assert place.trailers() == [f"Decision: {records.adopted}"]


@pytest.mark.parametrize("lose", [gone, without_interpreter_by_pip, without_package])
def test_status_finds_the_missing_program(
    place: Place,
    decide: Decide,
    movable: Path,
    monkeypatch: pytest.MonkeyPatch,
    lose: Callable[[Path], None],
) -> None:
    """It starts the hooks, so what they cannot start is found out."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    lose(movable)

    assert statuses(decide, place) == [False, False, False]
    assert "git-decide is missing" in decide("hooks", "status", cwd=place.path).stdout


def test_help_is_silent_about_what_hooks_call(decide: Decide) -> None:
    """The verb that the shims call is theirs, and answers with an error to what is no hook."""
    assert " hook " not in decide("-h").stdout
    assert " hooks " in decide("-h").stdout
    assert decide("hook", "post-commit").exit_code == 2


def test_status_starts_no_hook_of_the_user(bare: Place, decide: Decide) -> None:
    """Only what we recognise as ours is started."""
    own_hook(bare)
    assert statuses(decide, bare) == [False, False, False]
    decide("hooks", "install", cwd=bare.path)
    assert statuses(decide, bare) == [True, True, True]

    assert not (bare.path / "mine.log").exists()


def test_an_installed_hook_stands_alone(place: Place) -> None:
    """The text that is installed needs no other file of ours, and every shell of POSIX reads it."""
    for name in HOOKS:
        text = (place.hooks / name).read_text()
        assert "common.sh" not in text.replace("hooks/common.sh", "")
        for shell in filter(shutil.which, ("dash", "bash", "busybox", "ksh")):
            words = [shell, "sh"] if shell == "busybox" else [shell]
            subprocess.run([*words, "-n", str(place.hooks / name)], check=True)
        assert stat.S_IMODE((place.hooks / name).stat().st_mode) & 0o111


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    """The shims are clean."""
    shims = Path(__file__).parents[2] / "hooks"

    done = subprocess.run(
        ["shellcheck", "-x", *sorted(filter(Path.is_file, shims.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
        cwd=shims.parent,
    )

    assert (done.stdout, done.returncode) == ("", 0)
