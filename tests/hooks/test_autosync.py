"""The log that goes along with a push: to whom, before the code, and never in its way."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gitdecide.work import autosync
from tests.conftest import Decide
from tests.hooks.conftest import Place, Records, passed, refused

LOG = "refs/decisions/log"

Happening = Callable[[Place, Place], None]


@pytest.fixture
def origin(place: Place, records: Records) -> Place:
    """A bare remote with a commit; here main is one linked commit ahead of it."""
    place.do("init", "-q", "--bare", "../origin.git")
    place.do("remote", "add", "origin", "../origin.git")
    place.do("push", "-q", "--no-verify", "origin", "main")
    place.stage()
    passed(place.commit("code", f"Decision: {records.adopted}"))
    return Place(place.path.parent / "origin.git")


def log(place: Place) -> str:
    """The tip of a log, nothing where there is none."""
    return place.do("for-each-ref", "--format=%(objectname)", LOG)


def told(place: Place, *args: str, **environ: str) -> list[str]:
    """What our hook says in a push that must end well."""
    done = place.git("push", "-q", *args, **environ)
    assert done.exit_code == 0, done
    return done.stderr.splitlines()


def docs(place: Place) -> None:
    """Commit something that the gate has nothing to say about."""
    with (place.path / "README.md").open("a") as file:
        file.write("more\n")
    place.do("add", "README.md")
    place.do("commit", "-qnm", "docs")


def test_a_push_shares_the_log(place: Place, origin: Place, decide: Decide) -> None:
    """Both ways, once, without another run of the hooks, and without a word where nothing is new."""
    hook = place.hooks / "pre-push.decide-kept"
    hook.write_text("#!/bin/sh\necho called >>calls\n")
    hook.chmod(0o755)

    assert told(place, "origin", "main") == ["to origin: 12 entries in 5 records"]
    assert log(origin) == log(place) != ""
    assert (place.path / "calls").read_text() == "called\n"
    docs(place)
    assert told(place, "origin", "main") == []

    place.do("clone", "-q", str(origin.path), "../colleague")
    colleague = place.path.parent / "colleague"
    assert decide("init", "--no-hooks", cwd=colleague).exit_code == 0
    assert decide("ask", "Six?", cwd=colleague).exit_code == 0
    assert decide("sync", cwd=colleague).exit_code == 0
    docs(place)
    assert told(place, "origin", "main") == ["from origin: 1 entry in 1 record"]
    assert log(origin) == log(place)


def test_a_server_that_asks_for_decisions_gets_them_first(
    place: Place, origin: Place, decide: Decide
) -> None:
    """One push is enough where pre-receive looks up the decisions of the code."""
    assert decide("hooks", "install", cwd=origin.path).exit_code == 0

    passed(place.git("push", "origin", "main"))
    assert origin.tip("main") == place.tip("main")


def test_a_refused_push_shares_nothing(place: Place, origin: Place, records: Records) -> None:
    """The log goes along with what passes."""
    place.stage("src/app.py", "x = 3\n")
    place.do("commit", "-qnm", "bad", "-m", f"Decision: {records.unchecked}")

    refused(place.git("push", "origin", "main"), "G6")
    assert log(origin) == ""


@pytest.mark.parametrize("way", ["worktree", "bare"])
def test_a_push_from_anywhere_shares_the_log(place: Place, origin: Place, way: str) -> None:
    """Where git tells its hooks which repository is meant, that is the one."""
    if way == "worktree":
        place.do("worktree", "add", "-q", "wt", "-b", "feature")
        args = ["-C", "wt"]
    else:
        place.do("config", "core.bare", "true")
        args = ["--git-dir=.git"]

    place.do("config", "remote.origin.url", str(origin.path))
    passed(place.git(*args, "push", "origin", "main"))
    assert log(origin) == log(place) != ""


ASIDE = {
    "switched off": ["config decide.autosync false"],
    "another remote is the usual one": ["remote add other ../other.git", "config remote.pushDefault other"],
    "no remote is the usual one": ["remote rename origin one", "remote add two ../other.git"],
    "no log here": [f"update-ref -d {LOG}"],
}


@pytest.mark.parametrize("way", ASIDE)
def test_the_log_stays_here_unless_it_is_shared_there(place: Place, origin: Place, way: str) -> None:
    """Nothing is said and nothing goes to a remote that nobody shares the log with."""
    docs(place)
    place.do("push", "-q", "--no-verify", "origin", "main")
    docs(place)
    for line in ASIDE[way]:
        place.do(*line.split())

    assert told(place, "one" if "rename" in ASIDE[way][0] else "origin", "main") == []
    assert log(origin) == ""


def test_an_address_is_no_remote(place: Place, origin: Place) -> None:
    """A push by path shares nothing, though a remote has that path."""
    assert told(place, "../origin.git", "main") == []
    assert log(origin) == ""


@pytest.mark.parametrize("ref", ["refs/decisions-seen/other", "refs/decisions-remotes/other/log"])
def test_a_remote_that_has_the_log_gets_it(place: Place, origin: Place, decide: Decide, ref: str) -> None:
    """Also where another remote is the usual one."""
    place.do("init", "-q", "--bare", "../other.git")
    place.do("remote", "add", "other", "../other.git")
    place.do("config", "remote.pushDefault", "origin")
    place.do("push", "-q", "--no-verify", "other", LOG)
    assert decide("ask", "Six?", cwd=place.path).exit_code == 0
    assert told(place, "other", "main:one") == []
    place.do("update-ref", ref, f"{LOG}~1")

    assert told(place, "other", "main:two") == ["to other: 1 entry in 1 record"]


@pytest.mark.parametrize("refspec", [LOG, f"{LOG}:refs/heads/decisions", f"+main~1:{LOG}"])
def test_a_push_of_the_log_is_left_alone(place: Place, origin: Place, refspec: str) -> None:
    """What git is about to push is not moved under its hands."""
    assert told(place, "origin", "main", refspec) == []


def reject_the_log(place: Place, origin: Place) -> None:
    hook = origin.path / "hooks" / "update"
    hook.write_text("#!/bin/sh\ncase $1 in refs/decisions/*) echo no >&2; exit 1 ;; esac\n")
    hook.chmod(0o755)


def spoil_the_log(place: Place, origin: Place) -> None:
    origin.do("update-ref", LOG, "main")


def lose_entries(place: Place, origin: Place) -> None:
    told(place, "origin", "main")
    origin.do("update-ref", LOG, f"{LOG}~1")
    docs(place)


def misspell_the_setting(place: Place, origin: Place) -> None:
    place.do("config", "decide.autosync", "perhaps")


TROUBLES: dict[Happening, str] = {
    reject_the_log: "origin does not take refs/decisions/log: ",
    spoil_the_log: "the decisions were not shared: ",
    lose_entries: "the history of origin was rewritten, and lost 1 file",
    misspell_the_setting: "the decisions were not shared: bad boolean config value 'perhaps'",
}


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.__name__)
def test_a_log_that_is_not_shared_stops_no_push(place: Place, origin: Place, trouble: Happening) -> None:
    """One line says why, and the code goes where it should."""
    trouble(place, origin)

    said = [line for line in told(place, "origin", "main") if line.startswith(("warning", "hint", "error"))]

    (line,) = said
    assert line.startswith(f"warning: {TROUBLES[trouble]}")
    assert origin.tip("main") == place.tip("main")


def remote_program(place: Place, script: str) -> Path:
    """Make origin what a program says on its standard output."""
    path = place.path.parent / "remote"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    place.do("config", "protocol.ext.allow", "always")
    place.do("config", "remote.origin.url", f"ext::{path}")
    return path


def hook(place: Place, decide: Decide) -> str:
    """What pre-push says, which must pass, of a push to origin."""
    line = f"refs/heads/main {place.tip()} refs/heads/main {'0' * 40}\n"
    done = decide("hook", "pre-push", "origin", "ext::", cwd=place.path, stdin=line.encode())
    assert (done.exit_code, done.stdout) == (0, "")
    return done.stderr


def test_a_remote_that_hangs_is_not_waited_for(
    place: Place, origin: Place, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The push goes on when the remote has had its time."""
    monkeypatch.setattr(autosync, "PATIENCE", 0.2)
    remote_program(place, "exec sleep 60")

    said = hook(place, decide)

    assert said.startswith("warning: the decisions were not shared: origin does not answer: ")
    assert said.endswith("; git decide sync origin tries again\n")


def test_nobody_is_asked_for_a_password(place: Place, origin: Place, decide: Decide) -> None:
    """A remote that wants one is asked once, with every prompt switched off."""
    script = 'echo "$GIT_TERMINAL_PROMPT$GIT_ASKPASS" >>asked; echo "Permission denied (publickey)" >&2'
    asked = remote_program(place, f"cd '{place.path.parent}'; {script}").with_name("asked")

    said = hook(place, decide)

    assert said.startswith("warning: the decisions were not shared: origin wants credentials: ")
    assert asked.read_text() == "0\n"
