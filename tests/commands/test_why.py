import json
from pathlib import Path
from typing import Protocol

import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner


class Change(Protocol):
    """Append to a file in a commit that says something; its id: change("Decision: DR-1")."""

    def __call__(self, line: str, name: str = "src/app.py") -> str: ...


def ask(decide: Decide, question: str, *words: str) -> str:
    """A record, decided when an outcome is given."""
    name = decide("ask", question).id
    if words:
        done = decide("bind", name, *words, "--no-code", "--read", "src/app.py")
        assert done.exit_code == 0, done.stderr
    return name


@pytest.fixture
def change(repo: Path, git: GitRunner) -> Change:
    """Changes to `repo`, each a commit."""

    def change(line: str, name: str = "src/app.py") -> str:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        with (repo / name).open("a") as file:
            file.write("more = 1\n")
        git(repo, "add", "-A")
        git(repo, "commit", "-qm", f"subject\n\n{line}")
        return git(repo, "rev-parse", "HEAD")

    return change


def test_code_leads_to_its_decisions_and_what_became_of_them(
    decide: Decide, log: None, change: Change
) -> None:
    """Newest first, one line each: adopted, rejected, deferred, open, superseded by what, blocked by what."""
    adopted = ask(decide, "One?\nIn detail", "adopt", "yes")
    rejected = ask(decide, "Two?", "reject", "no")
    deferred = ask(decide, "Three?", "defer", "later")
    opened = ask(decide, "Four?")
    old = ask(decide, "Five?", "adopt", "so")
    new = ask(decide, "Six?")
    target = json.loads(decide("show", old, "--json").stdout)["live"][0]
    replaced = decide("supersede", new, "adopt", "so, instead", "-m", "news", "--no-code",
                      "--read", "src/app.py", "--replaces", f"{old}:{target}")  # fmt: skip
    assert replaced.exit_code == 0, replaced.stderr
    ids = [change(f"Decision: {name}") for name in (adopted, rejected, deferred, opened, old)]

    lines = decide("why", "src/app.py").stdout.splitlines()

    assert lines == [
        f"{ids[4][:8]}  {old}  superseded by {new}  Five?",
        f"{ids[3][:8]}  {opened}  open  Four?",
        f"{ids[2][:8]}  {deferred}  deferred  Three?",
        f"{ids[1][:8]}  {rejected}  rejected  Two?",
        f"{ids[0][:8]}  {adopted}  adopted  One?",
    ]
    assert decide("why", "src/app.py:2").stdout.splitlines() == lines[-1:]


def test_a_squash_that_buries_trailers_loses_none(decide: Decide, log: None, change: Change) -> None:
    """Every decision of the message, each once, however it is spelled."""
    one, two = ask(decide, "One?"), ask(decide, "Two?")
    change(
        f"* first\n\n    Decision: {one}\n\n* second\n\nDecision: {two}, DR-1\n\n-----\n\nCo-authored-by: P"
    )

    found = json.loads(decide("why", "src/app.py", "--json").stdout)["reasons"]

    assert [reason["name"] for reason in found] == [one, two]


def test_records_that_govern_the_path_come_last(
    decide: Decide, log: None, change: Change, repo: Path
) -> None:
    """By the question or by a live decision, as git's pathspecs select; also from a folder below."""
    by_commit = ask(decide, "Linked?")
    by_question = decide("ask", "Governs?", "--governs", "src/*.py").id
    by_decision = ask(decide, "Decided?", "adopt", "yes", "--governs", "src")
    decide("ask", "Elsewhere?", "--governs", "docs")
    decide("ask", "Nonsense?", "--governs", "../..")
    commit = change(f"Decision: {by_commit}")

    for words, cwd in ((("src/app.py",), repo), (("app.py:2",), repo / "src")):
        assert decide("why", *words, cwd=cwd).stdout.splitlines() == [
            f"{commit[:8]}  {by_commit}  open  Linked?",
            f"governs   {by_decision}  adopted  Decided?",
            f"governs   {by_question}  open  Governs?",
        ]
    assert decide("why", "src").stdout.count("governs ") == 2


def test_nothing_linked_is_no_fault(decide: Decide, log: None) -> None:
    """It is said on standard error, and there are no facts."""
    assert decide("why", "src/app.py") == (0, "", "no decision is linked to src/app.py\n")


def test_what_is_linked_and_unknown_is_said(decide: Decide, log: None, change: Change) -> None:
    """A log that was not fetched does not pass for code without a decision."""
    change("Decision: DR-9, DR-8-abcd")

    assert "warning: linked, and not known here: DR-9, DR-8-abcd\n" in decide("why", "src/app.py").stderr


def test_a_shallow_clone_says_what_it_cannot_know(
    decide: Decide, log: None, change: Change, repo: Path, git: GitRunner
) -> None:
    """The oldest commit of a shallow clone seems to have written everything."""
    change("first")
    git(repo.parent, "clone", "-q", "--depth=1", repo.as_uri(), "part")
    part = repo.parent / "part"
    git(part, "fetch", "-q", "origin", "refs/decisions/*:refs/decisions/*")

    assert decide("why", "src/app.py", cwd=part).stderr == (
        "warning: the history of src/app.py is cut off: this clone is shallow\n"
        "hint: git fetch --unshallow origin\n"
        "no decision is linked to src/app.py\n"
    )


def test_paths_that_are_no_utf8_stay_apart_for_programs(decide: Decide, log: None, change: Change) -> None:
    """As git quotes them."""
    for name in ("src/\udce9.py", "src/\udce8.py"):
        change("odd", name)

    assert json.loads(decide("why", "src/\udce9.py", "--json").stdout)["path"] == '"src/\\351.py"'
    assert json.loads(decide("why", "src/\udce8.py", "--json").stdout)["path"] == '"src/\\350.py"'


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nope.py", "error: no commit of HEAD touches nope.py\n"),
        ("../out.py", "error: outside of this repository: ../out.py\n"),
        ("src/app.py:7", "error: file src/app.py has only 1 line\n"),
    ],
)
def test_what_is_not_there_is_said(refuses: Refuses, log: None, path: str, said: str) -> None:
    """A path or a line that no commit has."""
    assert refuses(3, "why", path) == said


@pytest.mark.parametrize("verb", ["ask", "bind", "supersede"])
def test_what_governs_is_typed_from_where_one_is(
    repo: Path, decide: Decide, log: None, change: Change, refuses: Refuses, verb: str
) -> None:
    """Paths count from the folder that the command runs in, as those that were read do."""
    change("", "docs/a.md")
    folder, governs = repo / "docs", ("--governs", "a.md", "--governs", ":(glob)**/*.txt")
    name = decide("ask", "One?", *(governs if verb == "ask" else ()), cwd=folder).id
    said = ("adopt", "yes", "--no-code", "--read", "a.md")
    decide("bind", name, *said, *(governs if verb == "bind" else ()), cwd=folder)
    if verb == "supersede":
        assert decide("supersede", name, *said, "-m", "news", *governs, cwd=folder).exit_code == 0

    assert name in decide("why", "docs/a.md").stdout
    assert "outside of this repository" in refuses(3, "ask", "Two?", "--governs", "../x")
