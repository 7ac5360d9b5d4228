"""One verdict everywhere: at the commit, at the push, on the server, and in verify."""

import re

import pytest

from tests.conftest import Decide
from tests.hooks.conftest import Place, Records

Verdicts = dict[str, bool]


def commits(place: Place, records: Records) -> Verdicts:
    """Ten code commits, linked by branch, by trailer and not at all, and whether the hooks took them."""
    ways = [
        (records.adopted, ""),
        (records.unchecked, ""),
        (records.adopted, f"Decision: {records.also}"),
        (records.adopted, f"Decision: {records.rejected}"),
        ("", f"Decision: {records.adopted}"),
        ("", f"see\n\n    Decision: {records.also}\n\nSigned-off-by: A <a@example.com>"),
        ("", f"Decision: {records.undecided}"),
        ("", "Decision: DR-999, DR-1"),
        ("", "Decision: none (generated)"),
        ("", ""),
    ]
    taken = {}
    for number, (link, line) in enumerate(ways):
        place.git("config", "--unset", "branch.main.decide")
        if link:
            place.link(link)
        place.stage("src/app.py", f"x = {number + 10}\n")
        good = place.commit("code", *([line] if line else [])).exit_code == 0
        if not good:
            forced = [line, f"Decision: {link}"] if link else [line]
            place.do(
                "commit", "-qn", *(word for text in ("code", *filter(None, forced)) for word in ("-m", text))
            )
        taken[place.tip()] = good
    return taken


def named(text: str) -> set[str]:
    """The commits that refusals name."""
    return set(re.findall(r"refused \[G[0-9]\]: ([0-9a-f]{12}): ", text))


@pytest.fixture
def judged(place: Place, records: Records) -> tuple[set[str], str]:
    """The commits that the commit hooks refused, and the commit before all."""
    place.policy()
    base = place.tip()
    verdicts = commits(place, records)
    assert list(verdicts.values()) == [True, False, True, False, True, True, False, False, True, False]
    return {commit[:12] for commit, good in verdicts.items() if not good}, base


def test_the_push_says_what_the_commit_hooks_said(
    place: Place, judged: tuple[set[str], str], decide: Decide
) -> None:
    """From the client, and on a server that has only its own hook."""
    refused, base = judged
    place.do("init", "-q", "--bare", "../server.git")
    server = Place(place.path.parent / "server.git")
    place.do("push", "-q", "--no-verify", "../server.git", f"{base}:refs/heads/main")
    assert named(place.git("push", "../server.git", "main", "refs/decisions/log").stderr) == refused

    assert decide("hooks", "install", cwd=server.path).exit_code == 0
    done = place.git("push", "--no-verify", "../server.git", "main", "refs/decisions/log")
    assert named(done.stderr) == refused


def test_verify_says_what_the_commit_hooks_said(
    place: Place, judged: tuple[set[str], str], decide: Decide
) -> None:
    """Commit by commit."""
    refused, base = judged

    done = decide("verify", f"{base}..HEAD", cwd=place.path)

    assert done.exit_code == 1
    assert named(done.stdout) == refused
