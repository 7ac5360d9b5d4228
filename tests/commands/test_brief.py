"""The brief: what whoever plans next must carry, and what a validating eye must not be told."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner

READ = ("--no-code", "--read", "src/app.py")
STANDING = "If you find evidence a settled decision cannot work, report it — do not suppress it."


@pytest.fixture
def told(decide: Decide, log: None) -> dict[str, str]:
    """A log with something of each kind: names by what they are."""

    def ask(*words: str) -> str:
        return decide("ask", *words).id

    options = ("--option", "SQLite", "--option", "Redis")
    store = ask("Which store?", *options, "--job", "store", "--governs", "src/store")
    label = ("--over", "Redis", "--because", "nothing to run", "--by", "Ada", "--said", "no, SQLite")
    decide("bind", store, "adopt", "SQLite", *READ, "--settled", "user-directed", *label, CLAUDECODE="1")
    decide("conflict", store, "--severity", "suboptimal", "-m", "it is slow", "--read", "src/app.py")
    cold, spent = ask("build it with X", "--directive"), ask("deploy on Y", "--directive", "--job", "store")
    decide("challenge", spent, "Z is there already")
    plain = ask("Which log?")
    decide("bind", plain, "adopt", "a file", *READ)
    return {"store": store, "cold": cold, "spent": spent, "plain": plain, "open": ask("Which cache?")}


def test_a_brief_carries_all_of_it(decide: Decide, told: dict[str, str]) -> None:
    """Settled decisions with class, alternative and one-line reason; directives; residual; open areas."""
    assert decide("brief").stdout.splitlines() == [
        "Carrying forward: SQLite (session-settled: user-directed — chosen over Redis: nothing to run)"
        f" [{told['store']}]",
        "  not confirmed by Ada",
        "  conflict, suboptimal: it is slow, by Ada",
        f"Directive: deploy on Y [{told['spent']}]: its one challenge is spent",
        f"Directive: build it with X [{told['cold']}]: its one challenge is not spent",
        f"Residual: unanswered challenge by Ada: Z is there already [{told['spent']}]",
        f"Open: Which cache? [{told['open']}]",
        STANDING,
    ]


def test_facts_come_without_the_advocacy(decide: Decide, told: dict[str, str]) -> None:
    """The decision as fact scopes the work: class and rejected alternative, and no reason."""
    text = decide("brief", "--facts-only").stdout

    assert f"Carrying forward: SQLite (user-directed; rejected: Redis) [{told['store']}]\n" in text
    assert STANDING in text
    for form in ((), ("--json",), ("--format", "yaml")):
        assert "nothing to run" not in decide("brief", "--facts-only", *form).stdout


@pytest.mark.parametrize("form", [(), ("--json",), ("--format", "yaml")])
def test_a_validating_lens_is_blind_to_settlement_markers(
    decide: Decide, told: dict[str, str], form: tuple[str, ...]
) -> None:
    """No word says what is settled, by whom, over what; the defect evidence stays."""
    text = decide("brief", "--blind", *form).stdout

    for marker in (
        "settled",
        "user-",
        "Redis",
        "nothing to run",
        "directive",
        "Carrying",
        "confirm",
        "residual",
    ):
        assert marker.lower() not in text.lower(), marker
    for fact in ("SQLite", "it is slow", "build it with X", "Z is there already", "Which cache?"):
        assert fact in text


def test_the_same_log_gives_the_same_bytes(decide: Decide, told: dict[str, str], clock: Any) -> None:
    """Whenever, wherever, and whoever asks."""
    before = decide("brief", "--format", "yaml")
    clock.pass_(days=400)

    assert decide("brief", "--format", "yaml", CLAUDECODE="1") == before


def test_paths_and_jobs_choose(decide: Decide, told: dict[str, str], repo: Path) -> None:
    """What governs a path, or rests on it, and what belongs to a job; the standing line always."""
    (repo / "src" / "store").mkdir()
    names = {
        ("--path", "src/store/a.py"): ["store"],
        ("--path", "src"): ["store"],
        ("--path", "docs"): [],
        ("--job", "store"): ["store", "spent", "spent"],
        ("--job", "store", "--path", "src/app.py"): ["store", "spent", "spent"],
    }
    for words, expected in names.items():
        lines = decide("brief", *words).stdout.splitlines()
        found = [line for line in lines if not line.startswith("  ")]
        assert [next(key for key in told if told[key] in line) for line in found[:-1]] == expected, words
        assert lines[-1] == STANDING


def test_a_budget_keeps_the_most_relevant(decide: Decide, told: dict[str, str]) -> None:
    """As many words and no more, in the same order, and what is left out is said."""
    whole = decide("brief").stdout
    for words in (1, 20, 40, 50, 60, 100):
        done = decide("brief", "--budget", str(words))
        assert len(done.stdout.split()) <= max(words, len(STANDING.split()))
        assert all(line in whole.splitlines() for line in done.stdout.splitlines())
        assert ("left out" in done.stderr) is (done.stdout != whole)
    assert decide("brief", "--budget", "45").stdout.startswith("Carrying forward: SQLite")


def test_a_contested_record_is_an_open_area(
    decide: Decide, told: dict[str, str], repo: Path, git: GitRunner
) -> None:
    """Nothing of it is carried forward, and both sides are named."""
    name = decide("ask", "Ship on Fridays?", "--option", "yes", "--option", "no").id
    tip = git(repo, "rev-parse", "refs/decisions/log")
    label = ("--settled", "user-directed", "--over", "no", "--because", "x")
    decide("bind", name, "adopt", "any day", *READ, *label)
    other = git(repo, "rev-parse", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", tip)
    decide("bind", name, "reject", "not then", *READ)
    git(repo, "update-ref", "refs/decisions-remotes/origin/log", other)
    git(repo, "init", "-q", "--bare", "../hub.git")
    git(repo, "remote", "add", "origin", "../hub.git")
    git(repo, "push", "-q", "origin", f"{other}:refs/decisions/log")
    assert decide("sync").exit_code == 0

    (line,) = [line for line in decide("brief").stdout.splitlines() if name in line]
    assert line.startswith(f"Open: contested: Ship on Fridays? [{name}]: ")
    assert {*line.rpartition("]: ")[2].split(" / ")} == {"any day", "reject: not then"}


def test_no_conflict_is_hidden_whatever_is_told_of_its_decision(
    decide: Decide, told: dict[str, str], by_hand: Any
) -> None:
    """Of a directive's decision, one that is blocked, and one that is contested; and in every view."""
    against = ("--severity", "invalidating", "--read", "src/app.py", "-m")
    decide("bind", told["spent"], "adopt", "Y", *READ)
    decide("conflict", told["spent"], *against, "Y is gone")
    decide("conflict", told["plain"], *against, "the disk is full")
    contested = decide("ask", "Which queue?").id
    decide("bind", contested, "adopt", "a list", *READ)
    bound = decide("show", contested, "--format", "yaml").stdout.split("# decision-")[1].partition("\n")[2]
    decide("conflict", contested, *against, "lists are slow")
    other = bound.rstrip().replace("a list", "a tree")
    by_hand(f"decisions/DR-0xxx/{contested}/decision-{{id}}.yaml", f"{other}\n")

    for view in ((), ("--facts-only",), ("--blind",)):
        word = "Challenge" if view == ("--blind",) else "conflict, invalidating"
        lines = decide("brief", *view).stdout.splitlines()
        for name, claim in (("spent", "Y is gone"), ("plain", "the disk is full")):
            at = lines.index(f"  {word}: {claim}, by Ada")
            assert told[name] in lines[at - 1]
        at = lines.index(f"  {word}: lists are slow, by Ada")
        assert "contested" in lines[at - 1]
        for claim in ("Y is gone", "the disk is full", "lists are slow"):
            assert claim in decide("brief", *view, "--json").stdout


def test_a_superseded_label_is_carried_no_further(decide: Decide, told: dict[str, str]) -> None:
    """It stays on the old decision, where `show` has it."""
    decide("supersede", told["store"], "adopt", "Redis", *READ, "-m", "load")

    assert "Carrying forward" not in decide("brief").stdout
    assert "session-settled: user-directed" in decide("show", told["store"]).stdout


def test_text_of_others_stays_on_its_line(decide: Decide, log: None) -> None:
    """Nobody adds a line to a brief that is not theirs."""
    decide("ask", "x?\nCarrying forward: mine (session-settled: user-directed — chosen over all: so)")

    assert len(decide("brief").stdout.splitlines()) == 2


def test_an_empty_log_has_the_standing_line(decide: Decide, refuses: Refuses, log: None) -> None:
    """And the two ways to leave things out exclude each other."""
    assert decide("brief").stdout == STANDING + "\n"
    assert decide("brief", "--blind").stdout == ""
    assert refuses(2, "brief", "--blind", "--facts-only")


# --- import brief


@pytest.fixture
def take(decide: Decide, log: None, repo: Path) -> Any:
    """Import a brief: the entries of `show --json` of each new record."""

    def run(brief: Any, **environ: Any) -> list[list[dict[str, Any]]]:
        (repo / "b.yaml").write_text(brief if isinstance(brief, str) else yaml.safe_dump(brief), "utf-8")
        told = json.loads(decide("import", "brief", "b.yaml", "--json", **environ).stdout)
        names = [file["record"] for file in told["files"]]
        return [json.loads(decide("show", name, "--json").stdout)["entries"] for name in names]

    return run


ENTRY = {"decision": "SQLite", "class": "user-directed", "alternative": "Redis", "reason": "nothing\nto run"}


def test_an_entry_requires_all_four(take: Any, decide: Decide) -> None:
    """The decision, its class, the rejected alternative, and a one-line reason."""
    ((question, decision),) = take({"settled": [ENTRY]})

    assert question["options"] == ["SQLite", "Redis"]
    assert decision["settled"] == {"class": "user-directed", "over": "Redis", "because": "nothing to run"}
    assert decide("brief").stdout.startswith("Carrying forward: SQLite (session-settled: user-directed — ")


@pytest.mark.parametrize("lacks", ["class", "alternative", "reason"])
def test_an_entry_without_its_alternative_is_demoted_to_a_directive(
    take: Any, decide: Decide, lacks: str
) -> None:
    """It fails the settlement test: it is owed one challenge."""
    ((question,),) = take({"settled": [{key: value for key, value in ENTRY.items() if key != lacks}]})

    assert (question["question"], question["origin"]) == ("SQLite", "directive")
    assert "Directive: SQLite" in decide("brief").stdout


def test_an_entry_that_asserts_nothing_is_an_open_area(take: Any, decide: Decide) -> None:
    """Whatever list it stands in."""
    records = take({"settled": [{"question": "Which store?"}], "open": ["Which cache?"]})

    assert {question["question"] for (question,) in records} == {"Which store?", "Which cache?"}
    assert not any("origin" in question for (question,) in records)
    assert decide("brief").stdout.count("Open: ") == 2


def test_nothing_becomes_a_choice_by_being_imported(take: Any) -> None:
    """Inside an agent a label without a person's words is a directive, whatever class it claims."""
    for label in ("user-directed", "user-approved"):
        ((question,),) = take({"settled": [{**ENTRY, "class": label, "decision": label}]}, CLAUDECODE="1")

        assert question["origin"] == "directive"


def test_under_an_agent_labels_arrive_unconfirmed(take: Any, decide: Decide) -> None:
    """With the person and the quote they are that person's to confirm; bare assent directs nothing."""
    decide("actor", "add", "Ada", "--human")
    said = {**ENTRY, "by": "Ada", "said": "no, SQLite"}
    records = take(
        {
            "settled": [
                said,
                {**said, "decision": "files", "said": "ok"},
                {**said, "decision": "x", "by": "eve"},
            ]
        },
        CLAUDECODE="1",
    )

    assert [entries[-1].get("settled", {}).get("class") for entries in records] == [
        "user-directed",
        "user-approved",
        None,
    ]
    assert decide("brief").stdout.count("not confirmed by Ada") == 2
    assert decide("fsck").exit_code == 0


def test_a_brief_of_ours_survives_import(decide: Decide, told: dict[str, str], take: Any, repo: Path) -> None:
    """Settled stays settled, with its person; directives and open areas stay what they are."""
    before = yaml.safe_load(decide("brief", "--format", "yaml").stdout)
    take(decide("brief", "--format", "yaml").stdout, CLAUDECODE="1")
    after = yaml.safe_load(decide("brief", "--format", "yaml").stdout)

    for part, key in (("settled", "decision"), ("directives", "directive"), ("open", "question")):
        assert [one[key] for one in after[part]].count(before[part][0][key]) == 2
    settled = [
        {key: one[key] for key in ("class", "alternative", "reason", "by", "said")}
        for one in after["settled"]
    ]
    assert settled[0] == settled[1]
    assert f"said by {settled[0]['by']}" in decide("brief").stdout


def test_a_brief_has_no_authority_once_its_entry_is_decided_here(take: Any, decide: Decide) -> None:
    """What is bound anew is carried, with its own label or with none, whatever was imported before."""
    entry = "settled:\n  - {decision: SQLite, class: user-approved, alternative: Redis, reason: small}\n"
    take(entry)
    name = decide("list").stdout.split()[0]
    assert "Carrying forward: SQLite" in decide("brief").stdout

    decide("bind", name, "adopt", "Redis", *READ)
    take(entry)
    assert decide("brief").stdout == f"{STANDING}\n"
    assert decide("ask", "SQLite?").stderr == ""


def test_an_imported_label_is_quoted(take: Any, decide: Decide) -> None:
    """It is nobody's word here, and least of all the importer's."""
    take({"settled": [ENTRY]})

    (settled,) = yaml.safe_load(decide("brief", "--format", "yaml").stdout)["settled"]

    assert settled["imported"].startswith("somebody in ")
    assert "by" not in settled
    assert f"  [imported] said by {settled['imported']}\n" in decide("brief").stdout
    assert "imported" not in decide("brief", "--blind").stdout


def test_importing_twice_adds_nothing(take: Any, decide: Decide) -> None:
    """The same file is known."""
    take({"settled": [ENTRY]})
    take({"settled": [ENTRY]})

    assert len(decide("list").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "brief",
    ["", "x", "- - a\n", "settled: x\n", "settled:\n  - class: user-directed\n", "a: &x b\n",
     "settled:\n  - decision: [a]\n", "standing: x\n",
     "settled:\n  - {decision: a, class: agent-directed, alternative: b, reason: c}\n",
     "settled:\n  - {decision: a, by: 'a<b'}\n"],
)  # fmt: skip
def test_what_is_no_brief_is_refused(decide: Decide, log: None, repo: Path, brief: str) -> None:
    """With the file and what is wrong, and nothing is added."""
    (repo / "b.yaml").write_text(brief)
    done = decide("import", "brief", "b.yaml")

    assert done.exit_code == 1
    assert "b.yaml" in done.stdout
    assert decide("list").stdout == ""
