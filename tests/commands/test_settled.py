"""Settled decisions: each sentence of the protocol that is ours to keep, by its name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, Done, GitRunner

READ = ("--no-code", "--read", "src/app.py")
DIRECTED = ("--settled", "user-directed", "--over", "Redis", "--because", "nothing to run")
APPROVED = ("--settled", "user-approved", *DIRECTED[2:])
FOR_ADA = ("--by", "Ada", "--said", "no, SQLite")
EXACT = "(session-settled: user-directed — chosen over Redis: nothing to run)"


@pytest.fixture
def store(decide: Decide, log: None) -> str:
    """A question of Ada's with two options."""
    return decide("ask", "Which store?", "--option", "SQLite", "--option", "Redis").id


@pytest.fixture
def bind(decide: Decide, store: str) -> Callable[..., Done]:
    """Decide it for SQLite."""
    return lambda *words, **environ: decide("bind", store, "adopt", "SQLite", *READ, *words, **environ)


Bind = Callable[..., Done]

# --- the settlement test


def test_the_user_chose_with_the_alternative_in_view(
    decide: Decide, bind: Bind, store: str, shown: Shown
) -> None:
    """Settled: a tradeoff, alternative or risk was raised, and the user chose; recorded with its class."""
    bind(*DIRECTED)

    entry = shown(store)["entries"][-1]
    assert entry["settled"] == {"class": "user-directed", "over": "Redis", "because": "nothing to run"}
    assert EXACT in decide("show", store).stdout
    assert EXACT in decide("show", store, "--format", "markdown").stdout


@pytest.mark.parametrize("verb", ["challenge", "conflict"])
def test_a_risk_that_was_raised_is_an_alternative(decide: Decide, bind: Bind, store: str, verb: str) -> None:
    """A challenge is named by its id, and reads as what it claims."""
    first = bind().id if verb == "conflict" else None
    claim = ("-m", "Redis\nis quicker (much)") if first else ("Redis\nis quicker (much)",)
    severity = ("--severity", "suboptimal") if first else ()
    risk = decide(verb, store, *claim, *severity, "--read", "src/app.py").id
    label = ("--settled", "user-directed", "--over", risk[:8], "--because", "nothing to run")
    more = ("supersede", "-m", "why") if first else ("bind",)
    assert decide(more[0], store, "adopt", "SQLite it is", *READ, *label, *more[1:]).id

    assert "chosen over Redis is quicker (much): nothing to run)" in decide("show", store).stdout


def test_a_cold_assertion_is_a_directive(refuses: Refuses, store: str) -> None:
    """Directive: a choice that no one examined is not settled, and no alternative makes no label."""
    words = ("bind", store, "adopt", "SQLite", *READ, "--settled", "user-directed")

    assert "git decide ask --directive" in refuses(2, *words, "--because", "x")
    assert "git decide ask --directive" in refuses(1, *words, "--because", "x", "--over", "Postgres")


def test_it_receives_exactly_one_challenge(decide: Decide, refuses: Refuses, log: None) -> None:
    """The one challenge is spent before the decision, and no later stage gets a second one."""
    name = decide("ask", "build it with X", "--directive").id
    assert "refused [R8]" in refuses(1, "bind", name, "adopt", "X", *READ)
    assert "its challenge not spent" in decide("show", name).stdout

    decide("challenge", name, "why X?")
    assert "refused [R8]" in refuses(1, "challenge", name, "but why X?", "--as", "bob")
    assert decide("bind", name, "adopt", "X", *READ).id
    assert "its challenge spent" in decide("show", name).stdout


def test_the_outcome_lands_as_a_labeled_or_unlabeled_decision(decide: Decide, log: None) -> None:
    """The challenge of a directive may be the alternative that makes its decision a settled one."""
    name = decide("ask", "build it with X", "--directive").id
    claim = decide("challenge", name, "Y is simpler", "--read", "src/app.py").id
    label = ("--settled", "user-directed", "--over", claim, "--because", "we know X")

    assert decide("bind", name, "adopt", "X", *READ, "--answers", claim, *label).id
    assert "chosen over Y is simpler: we know X)" in decide("show", name).stdout


def test_an_unanswered_challenge_comes_back_only_as_residual(decide: Decide, log: None) -> None:
    """Not as a warning of `show` or `bind`; an answered one does not come back."""
    name = decide("ask", "build it with X", "--directive").id
    claim = decide("challenge", name, "Y is simpler", "--read", "src/app.py").id
    bound = decide("bind", name, "adopt", "X", *READ)

    assert "unanswered" not in bound.stderr + decide("show", name).stdout
    assert f"Residual: unanswered challenge by Ada: Y is simpler [{name}]" in decide("brief").stdout
    decide("answer", name, claim, "reject", "-m", "we know X", "--read", "src/app.py")
    assert "Residual" not in decide("brief").stdout


def test_what_only_the_agent_proposed_is_never_annotated(bind: Bind, decide: Decide, store: str) -> None:
    """Unlabeled: the agent proposed X and the user never engaged, so there is no label."""
    assert bind(CLAUDECODE="1").id

    assert "session-settled" not in decide("show", store).stdout
    assert "Carrying forward" not in decide("brief").stdout


@pytest.mark.parametrize(
    "label", [DIRECTED, APPROVED, (*DIRECTED, "--by", "claude-code", "--said", "SQLite!")]
)
def test_an_agent_never_labels_its_own_unexamined_proposal(
    decide: Decide, refuses: Refuses, store: str, label: tuple[str, ...]
) -> None:
    """No self-settling: inside an agent environment a label is a person's, in that person's words."""
    words = ("bind", store, "adopt", "SQLite", *READ, *label)

    assert "refused [R7]" in refuses(1, *words, CLAUDECODE="1")
    assert "refused [R7]" in refuses(1, *words, "--as", "bot")
    assert "refused [R7]" in decide(*words, "--as", "Ada", CLAUDECODE="1").stderr


def test_a_file_creates_no_label_either(decide: Decide, refuses: Refuses, store: str) -> None:
    """What -F says is what the options say: for an agent only a person's words count."""
    said = {"outcome": "adopt", "decision": "SQLite", "read": ["src/app.py"]}
    text = json.dumps({**said, "settled": "user-directed", "over": "Redis", "because": "mine"})
    words = ("bind", store, "-F", "-")

    assert "refused [R7]" in refuses(1, *words, "--no-code", stdin=text.encode(), CLAUDECODE="1")
    quoted = json.dumps({**json.loads(text), "by": "Ada", "said": "no, SQLite"}).encode()
    assert decide(*words, "--no-code", stdin=quoted, CLAUDECODE="1").id


def test_bare_assent_is_never_upgraded(refuses: Refuses, bind: Bind) -> None:
    """The user said "sounds good" to what was shown: at most user-approved."""
    store = "DR-1"
    words = ("bind", store, "adopt", "SQLite", *READ)
    said = ("--by", "Ada", "--said", "Sounds good!")

    assert "at most user-approved" in refuses(1, *words, *DIRECTED, *said, CLAUDECODE="1")
    assert bind(*APPROVED, *said, CLAUDECODE="1").id


def test_a_person_is_somebody_whom_the_log_knows_as_a_human(refuses: Refuses, store: str) -> None:
    """An agent cannot invent the person that it records for."""
    words = ("bind", store, "adopt", "SQLite", *READ, *DIRECTED, "--said", "no, SQLite")

    assert "actor add grace --human" in refuses(1, *words, "--by", "grace", CLAUDECODE="1")


@pytest.mark.parametrize(
    "label",
    [
        ("--over", "Redis"),
        ("--said", "no"),
        ("--settled", "user-directed", "--over", "Redis"),
        ("--settled", "user-directed", "--over", "Redis", "--because", "two\nlines"),
        ("--settled", "user-directed", "--over", "Redis", "--because", " "),
        ("--settled", "agent-directed", "--over", "Redis", "--because", "x"),
        (*DIRECTED, "--by", "a\nb", "--said", "x"),
    ],
)
def test_half_a_label_is_a_usage_error(refuses: Refuses, store: str, label: tuple[str, ...]) -> None:
    """A label has its class, the rejected alternative and a one-line reason."""
    assert refuses(2, "bind", store, "adopt", "SQLite", *READ, *label)


# --- provenance classes


def test_exactly_two_classes_render_as_visible_english(decide: Decide, bind: Bind, store: str) -> None:
    """user-directed chose against or between options; user-approved assented to what was proposed."""
    bind(*APPROVED, *FOR_ADA, CLAUDECODE="1")

    assert EXACT.replace("directed", "approved") + " not confirmed by Ada" in decide("show", store).stdout


def test_a_later_acceptance_switches_to_user_approved(
    decide: Decide, refuses: Refuses, bind: Bind, store: str
) -> None:
    """A change of a settled decision that was proposed and accepted is user-approved; the old label stays."""
    bind(*DIRECTED)
    words = (
        "supersede",
        store,
        "adopt",
        "Redis",
        *READ,
        "-m",
        "load grew",
        "--over",
        "SQLite",
        "--because",
        "load",
    )
    said = ("--by", "Ada", "--said", "right, let us change to Redis")

    assert "user-approved" in refuses(1, *words, *said, "--settled", "user-directed", CLAUDECODE="1")
    assert decide(*words, *said, "--settled", "user-approved", CLAUDECODE="1").id
    told = decide("show", store).stdout
    assert EXACT in told
    assert "(session-settled: user-approved — chosen over SQLite: load) not confirmed by Ada" in told


def test_consumers_do_not_behave_differently_by_class(
    decide: Decide, log: None, git: GitRunner, repo: Path
) -> None:
    """The gate passes a linked decision of either class, and of none, alike."""
    for label in (DIRECTED, APPROVED, ()):
        name = decide("ask", "Which?", "--option", "SQLite", "--option", "Redis").id
        decide("check", name, "--report", "0", "-c", "true")
        decide("bind", name, "adopt", "SQLite", "--read", "src/app.py", "--check", "last", *label)
        (repo / "src" / "app.py").write_text(f"y = '{name}'\n")
        git(repo, "commit", "-qam", f"change\n\nDecision: {name}")

    assert decide("verify", "HEAD~3..HEAD").exit_code == 0


# --- capture rules


def test_a_settled_decision_is_never_asked_again(decide: Decide, bind: Bind, store: str) -> None:
    """`ask` warns where one covers the same paths, job or words; it never refuses."""
    other = decide(
        "ask", "Which log?", "--job", "logs", "--governs", "src", "--option", "a", "--option", "b"
    ).id
    label = ("--settled", "user-directed", "--over", "b", "--because", "x")
    decide("bind", other, "adopt", "a plain file", *READ, *label)
    bind(*DIRECTED)

    def warned(*words: str) -> list[str]:
        done = decide("ask", *words)
        assert done.id
        return [
            line.rpartition("(")[2][:-1] for line in done.stderr.splitlines() if line.startswith("warning: ")
        ]

    assert warned("Is SQLite right?") == [store]
    assert warned("which  STORE?") == [store]
    assert warned("Rotate?", "--job", "logs") == [other]
    assert warned("Rename?", "--governs", "src/app.py") == [other]
    assert warned("Something else?", "--job", "x", "--governs", "README.md") == []


def test_nothing_found_proceeds_silently(bind: Bind) -> None:
    """A decision without a conflict says nothing beside its id."""
    done = bind(*DIRECTED)

    assert done.stderr == ""


# --- what the log shows


def test_a_label_past_the_rules_is_found_out(
    decide: Decide, store: str, repo: Path, by_hand: Any, shown: Shown
) -> None:
    """Written by hand, an agent's label without a person is an R7 finding."""
    question = shown(store)["entries"][0]["id"]
    decide("vote", store, "inform", "-m", "x", "--read", "src/app.py", "--as", "bot")
    head = shown(store)["entries"][-1]["id"]
    name = f"decisions/DR-0xxx/{store}"
    by_hand(
        name + "/decision-{id}.yaml",
        f"type: decision\nactor: bot\nat: 2026-10-20T08:00:00.000001Z\nqid: {question}\nafter:\n  - {head}\n"
        "outcome: adopt\ndecision: SQLite\nchanges_code: false\nread:\n  - message: m1\n"
        "settled:\n  class: user-directed\n  over: Redis\n  because: mine\n",
    )

    done = decide("fsck")
    assert done.exit_code == 4
    assert "R7" in done.stdout


def test_two_clones_that_challenged_apart_did_no_wrong(
    decide: Decide, log: None, repo: Path, git: GitRunner
) -> None:
    """A directive with a challenge from each passes the audit, takes no third, and is decided."""
    name = decide("ask", "build it with X", "--directive").id
    git(repo.parent, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", "../hub.git")
    git(repo, "push", "-q", "origin", "main")
    assert decide("sync").exit_code == 0
    git(repo.parent, "clone", "-q", "hub.git", "colleague")
    colleague = repo.parent / "colleague"
    assert decide("sync", cwd=colleague).exit_code == 0
    decide("challenge", name, "Y is simpler")
    decide("challenge", name, "Z is simpler", "--as", "bob", cwd=colleague)
    for where in (repo, colleague, repo):
        assert decide("sync", cwd=where).exit_code == 0

    assert decide("fsck").exit_code == 0
    assert decide("challenge", name, "W").exit_code == 1
    assert decide("bind", name, "adopt", "X", *READ).id
    assert decide("brief").stdout.count("Residual: ") == 2


def test_a_settled_decision_survives_sync_and_export(
    decide: Decide, bind: Bind, store: str, repo: Path, git: GitRunner
) -> None:
    """Another clone carries the same bytes, and exports say as much as their formats can."""
    bind(*APPROVED, *FOR_ADA, CLAUDECODE="1")
    git(repo.parent, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", "../hub.git")
    git(repo, "push", "-q", "origin", "main")
    decide("sync")
    git(repo.parent, "clone", "-q", "hub.git", "colleague")
    colleague = repo.parent / "colleague"
    decide("sync", cwd=colleague)

    assert decide("brief", cwd=colleague).stdout == decide("brief").stdout
    decision = json.loads(decide("show", store, "--format", "jsonl", cwd=colleague).stdout.splitlines()[-1])
    assert decision["decision"] == "adopt: SQLite"
    decide("confirm", store, cwd=colleague)
    decide("sync", cwd=colleague)
    decide("sync")
    assert "not confirmed" not in decide("brief").stdout
