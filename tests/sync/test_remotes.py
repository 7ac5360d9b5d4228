"""Remotes that are not there, do not answer, want a password, or take nothing."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gitdecide.work import remotes
from tests.conftest import Done, run_git
from tests.sync.conftest import LOG, Clone, files

IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
IMPATIENT = (
    "import sys; from gitdecide.work import remotes; remotes.PATIENCE_WITH_PEOPLE = 5; "
    "from gitdecide.__main__ import main; sys.argv[1:] = ['sync']; sys.exit(main())"
)


def failed(done: Done, *words: str) -> str:
    """Fail unless a run could not do it and said so in one line, hints aside."""
    faults = [line for line in done.stderr.splitlines() if not line.startswith("hint: ")]
    assert (done.exit_code, len(faults), done.stdout) == (3, 1, ""), done
    assert faults[0].startswith("error: ")
    assert all(word in done.stderr for word in words), done.stderr
    return done.stderr


class WantsCredentials(BaseHTTPRequestHandler):
    """Answers 401 to everything that git fetches."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def locked() -> Iterator[str]:
    """The address of a remote that wants credentials."""
    with ThreadingHTTPServer(("127.0.0.1", 0), WantsCredentials) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hub.git"
        server.shutdown()
        thread.join()


@pytest.fixture
def mine(one: Clone) -> Clone:
    """A clone with an entry that was not published."""
    one.ask("Tabs?")
    return one


def unharmed(clone: Clone, act: Callable[[], Done]) -> Done:
    """What a run said that moved no ref."""
    before = clone.refs
    done = act()
    assert clone.refs == before
    return done


def test_a_remote_that_wants_credentials_is_not_waited_for(mine: Clone, locked: str, tmp_path: Path) -> None:
    """Without a terminal nobody is asked, not even by a program for that; the code is none of 0."""
    mine.git("remote", "set-url", "origin", locked)
    asked = tmp_path / "asked"
    askpass = tmp_path / "askpass"
    askpass.write_text(f"#!/bin/sh\ntouch {asked}\nsleep 60\n")
    askpass.chmod(0o755)
    begun = time.monotonic()

    done = unharmed(mine, lambda: mine("sync", GIT_ASKPASS=str(askpass), SSH_ASKPASS=str(askpass)))

    failed(done, "error: origin wants credentials: ", "hint: git fetch origin")
    assert not asked.exists()
    assert time.monotonic() - begun < 50


def test_credentials_that_nobody_types_end_in_time(mine: Clone, locked: str) -> None:
    """In a terminal git asks, and sync says what for when nobody answers."""
    mine.git("remote", "set-url", "origin", locked)
    before = mine.refs

    done = subprocess.run(
        [sys.executable, "-c", IN_A_TERMINAL, sys.executable, "-c", IMPATIENT],
        cwd=mine.path,
        env={name: value for name, value in os.environ.items() if name != "GIT_TERMINAL_PROMPT"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 3, done
    assert "Username for 'http://127.0.0.1:" in done.stdout
    assert "error: origin wants credentials, and nobody gave them: git fetch did not end" in done.stdout
    assert mine.refs == before


def test_a_remote_that_never_answers_is_left(mine: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time is limited, and the hint has none."""
    monkeypatch.setattr(remotes, "PATIENCE", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mine.git("remote", "set-url", "origin", f"git://127.0.0.1:{silent.getsockname()[1]}/hub.git")

        done = unharmed(mine, lambda: mine("sync"))

    failed(done, "error: origin does not answer: git fetch did not end within 1 seconds", "git fetch origin")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/hub.git", "../gone.git", "git://127.0.0.1:1/hub.git"])
def test_a_remote_that_is_not_there(mine: Clone, url: str) -> None:
    """One line of git's says why, and the log is as it was."""
    mine.git("remote", "set-url", "origin", url)

    failed(unharmed(mine, lambda: mine("sync")), "error: cannot reach origin: ")


def test_ssh_asks_nobody(mine: Clone, tmp_path: Path) -> None:
    """Without a terminal ssh runs in batch mode, with the options that the user gave it."""
    ssh = tmp_path / "ssh"
    ssh.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/args\necho "Permission denied (publickey)." >&2\nexit 255\n'
    )
    ssh.chmod(0o755)
    mine.git("remote", "set-url", "origin", "ssh://example.com/hub.git")
    mine.git("config", "core.sshCommand", f"{ssh} -i key")

    failed(unharmed(mine, lambda: mine("sync")), "error: origin wants credentials: ")

    assert "-i key -oBatchMode=yes" in (tmp_path / "args").read_text()


def hides_the_ref(hub: Path) -> None:
    run_git(hub, "config", "receive.hideRefs", "refs/decisions")


def declines(hub: Path) -> None:
    hook = hub / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho nothing goes in today\nexit 1\n")
    hook.chmod(0o755)


REFUSALS: dict[Callable[[Path], None], tuple[str, str]] = {
    hides_the_ref: ("deny updating a hidden ref", "hint: git config decide.ref refs/heads/decisions"),
    declines: ("pre-receive hook declined", "hint: nothing goes in today"),
}


@pytest.mark.parametrize("refuse", list(REFUSALS))
def test_a_remote_that_takes_nothing_still_gives(
    refuse: Callable[[Path], None], one: Clone, two: Clone, hub: Path
) -> None:
    """Exit 3 with the reason; what came is merged, what we have stays, and goes once it may."""
    theirs = two.ask("Spaces?")
    two.ok("sync")
    mine = one.ask("Tabs?")
    refuse(hub)

    done = one("sync")

    assert done.exit_code == 3
    lines = done.stderr.splitlines()
    reason, hint = REFUSALS[refuse]
    assert lines[0] == "from origin: 2 entries in 1 record"
    assert lines[1].startswith("error: origin does not take refs/decisions/log: ")
    assert reason in lines[1]
    assert hint in lines[2]
    assert all(name in one("list").stdout for name in (theirs, mine))
    assert run_git(hub, "rev-parse", LOG) == two.tip
    assert one("sync").exit_code == 3
    run_git(hub, "config", "--remove-section", "receive") if refuse is hides_the_ref else (
        hub / "hooks/pre-receive"
    ).unlink()
    one.ok("sync")
    assert one.tip == run_git(hub, "rev-parse", LOG)


def test_a_ref_in_the_way_of_the_log_is_named(one: Clone, hub: Path) -> None:
    """Where the remote has refs below the log's name: nobody is said to be faster, nothing is lost here."""
    one.ask("Spaces?")
    one.ok("sync")
    tip = run_git(hub, "rev-parse", LOG)
    run_git(hub, "update-ref", "-d", LOG)
    run_git(hub, "update-ref", f"{LOG}/x", tip)
    one.ask("Tabs?")
    before = one.tip

    done = one("sync")

    assert done.exit_code == 4, "the remote lost what it had"
    assert "error: origin does not take refs/decisions/log: " in done.stderr
    assert f"'{LOG}/x' exists" in done.stderr
    assert one.tip == before
    run_git(hub, "update-ref", "-d", f"{LOG}/x")
    one("sync")
    assert run_git(hub, "rev-parse", LOG) == before


@pytest.fixture
def readable(hub: Path) -> Iterator[str]:
    """The address of a server that lets everybody read and nobody write."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    command = ["git", "daemon", "--listen=127.0.0.1", f"--port={port}", "--export-all", "--reuseaddr"]
    daemon = subprocess.Popen(
        [*command, f"--base-path={hub.parent}", str(hub.parent)], stderr=subprocess.DEVNULL, env=os.environ
    )
    for _ in range(2000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.02)
    yield f"git://127.0.0.1:{port}/hub.git"
    daemon.terminate()
    daemon.wait()


def test_who_may_only_read_gets_what_is_there(one: Clone, two: Clone, hub: Path, readable: str) -> None:
    """Exit 0 while there is nothing to give, 3 once there is; entries are merged either way."""
    one.git("remote", "set-url", "origin", readable)
    theirs = two.ask("Spaces?")
    two.ok("sync")
    one.ok("sync")
    mine = one.ask("Tabs?")
    two("vote", theirs, "inform", "-m", "read it", "--read", "app.py")
    two.ok("sync")

    done = one("sync")

    assert done.exit_code == 3
    assert "error: origin does not take refs/decisions/log: " in done.stderr
    assert one.files > two.files == files(hub)
    assert mine in one("list").stdout


def test_without_a_remote_there_is_nobody_to_share_with(mine: Clone) -> None:
    """The hint says how to add one."""
    mine.git("remote", "remove", "origin")

    failed(unharmed(mine, lambda: mine("sync")), "there is no remote to share", "git remote add origin URL")


def test_a_remote_is_named_or_chosen_as_git_does(mine: Clone, hub: Path) -> None:
    """By name, remote.pushDefault, the only one, the branch's, and then origin."""
    for name in ("upstream", "other"):
        mine.git("remote", "add", name, str(hub))
    mine.git("config", "remote.old.prune", "true")

    def chosen(*args: str) -> str:
        return mine("sync", *args, "--json").stdout.partition('"remote": "')[2].partition('"')[0]

    assert chosen() == "origin"
    mine.git("config", "branch.main.remote", "upstream")
    assert chosen() == "upstream"
    mine.git("config", "remote.pushDefault", "other")
    assert chosen() == "other"
    assert chosen("origin") == "origin"
    failed(mine("sync", "nobody"), "error: no remote of this name: nobody")
    mine.git("config", "--unset", "remote.pushDefault")
    mine.git("remote", "remove", "origin")
    assert chosen() == "upstream"
    mine.git("config", "--unset", "branch.main.remote")
    failed(
        mine("sync"), "several remotes, and none is the usual one: other, upstream", "git decide sync REMOTE"
    )
    mine.git("remote", "remove", "other")
    assert chosen() == "upstream"


def test_init_begins_a_log_where_the_remote_cannot_be_asked(
    clone: Callable[..., Clone], one: Clone, hub: Path, tmp_path: Path
) -> None:
    """It warns, and a later sync joins the two."""
    name = one.ask("Tabs?")
    one.ok("sync")
    late = clone("late", init=False)
    late.git("remote", "set-url", "origin", "../gone.git")

    said = late.ok("init", "--no-hooks")

    assert said.splitlines()[0].startswith("warning: cannot reach origin: ")
    assert said.splitlines()[-1] == "started the decision log: refs/decisions/log"
    late.git("remote", "set-url", "origin", str(hub))
    late.ok("sync")
    assert name in late("list").stdout


def test_init_adds_one_fetch_line_and_no_push(clone: Callable[..., Clone], one: Clone) -> None:
    """Also when it runs again; push is left to the user and to sync."""
    one.ok("init", "--no-hooks")

    assert one.git("config", "--get-all", "remote.origin.fetch").splitlines() == [
        "+refs/heads/*:refs/remotes/origin/*",
        "+refs/decisions/*:refs/decisions-remotes/origin/*",
    ]
    assert "remote.origin.push" not in one.git("config", "--list")
