import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner

A = "(session-settled: user-approved — chosen over Redis: nothing to run)"
FILES = "(session-settled: user-directed — chosen over memcached: simple)"
PLAN = f"# Store\n\n- Use SQLite {A}\n- Keep files {FILES}\n"
LABEL = ("--over", "Redis", "--because", "nothing to run")

Plan = Callable[[str], None]


@pytest.fixture
def plan(repo: Path) -> Plan:
    """Write plan.md."""

    def write(text: str) -> None:
        (repo / "plan.md").write_text(text, "utf-8")

    return write


@pytest.fixture
def base(repo: Path, git: GitRunner, plan: Plan) -> None:
    """plan.md as HEAD has it."""
    plan(PLAN)
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "the plan")


def settle(decide: Decide, label: str, decision: str = "Use SQLite") -> str:
    name = decide("ask", "Which store?", "--option", "Use SQLite", "--option", "Redis").id
    decide("bind", name, "adopt", decision, "--no-code", "--read", "src/app.py", "--settled", label, *LABEL)
    return name


def test_a_sound_plan_says_nothing(decide: Decide, log: None, base: None) -> None:
    """Exit code 0, and not a word; an annotation that the log does not know is no fault."""
    assert decide("lint", "plan.md", "--base", "HEAD") == (0, "", "")


def test_findings_are_facts(decide: Decide, log: None, repo: Path, plan: Plan) -> None:
    """On standard output, each with file and line, and as data; exit code 1."""
    plan("\n(session-settled: x)\n")
    (repo / "src" / "ok.md").write_text("fine\n")
    done = decide("lint", "../plan.md", "ok.md", cwd=repo / "src")

    assert (done.exit_code, done.stderr) == (1, "")
    assert done.stdout == "../plan.md:2: the class is user-directed or user-approved, not 'x'\n"
    told = json.loads(decide("lint", "plan.md", "--json").stdout)
    assert told["findings"] == [
        {"file": "plan.md", "line": 2, "message": "the class is user-directed or user-approved, not 'x'"}
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (PLAN.replace(f" {A}", ""), 3, "dropped"),
        (PLAN.replace(f"- Use SQLite {A}\n", ""), 1, "dropped"),
        (PLAN.replace(A, f"<!-- {A} -->"), 3, "dropped"),
        (PLAN.replace("user-approved", "user-directed"), 3, "upgraded"),
        (PLAN.replace("Use SQLite", "Use Redis").replace("over Redis", "over SQLite"), 3, "inverted"),
        (PLAN.replace("Use SQLite", "Use Redis"), 3, "inverted"),
        (PLAN.replace("Use SQLite", "Do not use SQLite"), 3, "inverted"),
        (PLAN.replace("user-approved", "approved"), 3, "the class is"),
    ],
)
def test_the_base_may_not_be_taken_back(
    decide: Decide, log: None, base: None, plan: Plan, text: str, line: int, said: str
) -> None:
    """An annotation dropped, its class upgraded, its decision inverted: one finding, where it shows."""
    plan(text)
    done = decide("lint", "plan.md", "--base", "HEAD")

    (found,) = done.stdout.splitlines()
    assert found.startswith(f"plan.md:{line}: {said}")
    assert done.exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        PLAN.replace("user-directed", "user-approved"),
        PLAN.replace("nothing to run", "no server"),
        PLAN.replace("Use SQLite", "DR-009: we use SQLite").replace("- Keep", "1. Keep"),
        "\n".join([*PLAN.splitlines()[:2], *reversed(PLAN.splitlines()[2:])]),
        PLAN.replace("\n", "\r\n"),
    ],
)
def test_what_may_change_may_change(decide: Decide, log: None, base: None, plan: Plan, text: str) -> None:
    """A weaker class, another reason, other words around, another order, other line ends."""
    plan(text)

    assert decide("lint", "plan.md", "--base", "HEAD").stdout == ""


def test_what_the_log_settles_anew_may_change(decide: Decide, log: None, base: None, plan: Plan) -> None:
    """A class that the log has, and a decision that it superseded, are no fault against the base."""
    name = settle(decide, "user-directed")
    plan(PLAN.replace("user-approved", "user-directed"))
    assert decide("lint", "plan.md", "--base", "HEAD").stdout == ""

    decide("supersede", name, "adopt", "Redis", "--no-code", "--read", "src/app.py", "-m", "load")
    plan(PLAN.replace(f" {A}", ""))
    assert decide("lint", "plan.md", "--base", "HEAD").stdout == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "- Use SQLite (session-settled: user-approved — chosen over Redis: x)",
            "is user-directed, not user-approved",
        ),
        ("- Use Redis (session-settled: user-directed — chosen over SQLite: x)", "decides the opposite"),
        (
            "- Use SQLite (session-settled: user-directed — chosen over Oracle: x)",
            "was chosen over something else",
        ),
        (
            "- DR-1: local (session-settled: user-directed — chosen over Oracle: x)",
            "was chosen over something else",
        ),
        ("- DR-001: local (session-settled: user-directed — not Redis, it is simple)", None),
        ("- Don't use SQLite (session-settled: user-directed — not Redis: x)", "decides the opposite"),
        ("- Use Redis (session-settled: user-directed — chosen over Redis: x)", "decides the opposite"),
        ("- Use Redis (session-settled: user-directed — chosen over memcached: x)", None),
        ("- Not Redis: use SQLite (session-settled: user-directed — chosen over Redis: x)", None),
        ("- Do not wait, use SQLite (session-settled: user-directed — chosen over Redis: x)", None),
        ("- Use Quill (session-settled: user-approved — chosen over Redis: x)", None),
    ],
)
def test_a_plan_agrees_with_the_log(
    decide: Decide, log: None, plan: Plan, text: str, said: str | None
) -> None:
    """By the words of the decision, or by the name of its record."""
    name = settle(decide, "user-directed")
    plan(text)

    assert decide("lint", "plan.md").stdout == (f"plan.md:1: {name} {said}\n" if said else "")


def test_saying_no_agrees_with_a_rejection(decide: Decide, log: None, plan: Plan) -> None:
    """A plan that says not to do what the log rejects is not turned round."""
    name = decide("ask", "Rust?", "--option", "Rust", "--option", "Go").id
    label = ("--settled", "user-directed", "--over", "Go", "--because", "x")
    decide("bind", name, "reject", "Rust", "--read", "src/app.py", *label)
    plan("- Not Rust (session-settled: user-directed — chosen over Go: x)")

    assert decide("lint", "plan.md").stdout == ""


def test_odd_files_are_read(decide: Decide, log: None, repo: Path) -> None:
    """Names of any bytes, and folders; what a terminal would obey is spelled out."""
    odd = os.fsdecode(b"pl\xffan\n.md")
    (repo / "docs").mkdir()
    for file in (odd, "docs/-x.html", "docs/.hidden.md", "docs/x.py"):
        (repo / file).write_text("(session-settled: x)")

    done = decide("lint", "docs", "--", odd)
    assert [line.split(": ")[0] for line in done.stdout.splitlines()] == [
        "docs/-x.html:1",
        "pl\\xffan\\n.md:1",
    ]
    assert json.loads(decide("lint", "--json", odd).stdout)["findings"][0]["file"] == '"pl\\377an\\n.md"'


def test_a_file_that_is_not_there_is_an_error(refuses: Refuses, log: None, repo: Path, plan: Plan) -> None:
    """Nothing is judged then, whatever else is wrong; so it is with no revision, and with a huge file."""
    plan("(session-settled: x)")
    (repo / "huge.md").write_bytes(b"x" * (5 * 1024 * 1024 + 1))

    assert "cannot read nope.md" in refuses(3, "lint", "plan.md", "nope.md")
    assert "no revision nope" in refuses(3, "lint", "plan.md", "--base", "nope")
    assert "huge.md is larger" in refuses(3, "lint", "huge.md")
    assert refuses(2, "lint")


def test_without_a_log_the_form_is_judged(decide: Decide, repo: Path, plan: Plan, tmp_path: Path) -> None:
    """And it is said that nothing was compared: outside of a repository, too."""
    plan(PLAN + "(session-settled: x)\n")
    for folder in (repo, tmp_path):
        done = decide("lint", str(repo / "plan.md"), cwd=folder)

        assert (done.exit_code, done.stdout.count("\n")) == (1, 1)
        assert done.stderr.startswith("compared with no log: ")


def test_before_the_first_commit_nothing_was_dropped(decide: Decide, git: GitRunner, tmp_path: Path) -> None:
    """The hook compares with HEAD, which is not there yet."""
    git(tmp_path, "init", "-q", "new")
    (tmp_path / "new" / "plan.md").write_text("(session-settled: x)")

    assert decide("lint", "plan.md", "--base", "HEAD", cwd=tmp_path / "new").exit_code == 1


def test_it_is_offered_to_pre_commit() -> None:
    """With HEAD as the base, for Markdown and HTML."""
    import yaml

    hooks = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (hook,) = [hook for hook in hooks if hook["id"] == "git-decide-lint"]
    assert hook["entry"] == "git-decide lint --base HEAD --"
    assert hook["types_or"] == ["markdown", "html"]
