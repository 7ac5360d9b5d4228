"""`git decide show --format file`, and `bind --from-ledger`: what a conversation comes to."""

from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide, GitRunner

SAMPLE = Path(__file__).parents[1] / "render" / "mesh-format.md"
OBJECTIVE = "agree how our two halves of the 2d-to-3d skill hand meshes to each other"
TURNS = [
    ("Ada", "BRIEF", "Agreeing one handoff format: triangle meshes, millimetres, no Blender"),
    ("dave", "BRIEF", "My half consumes quad meshes in metres. Edge flow must survive."),
    ("Ada", "EVIDENCE", "glTF 2.0 cannot carry quads at all, which narrows the container."),
    ("dave", "COUNTER", "You're right on glTF, no quad primitive, I was wrong."),
    ("Ada", "COUNTER", "Yes to ordered polylines as LINE_STRIP. Conceding metres."),
    (
        "dave",
        "RED_TEAM",
        "Before I sign, breaking this deal on purpose: confidence may be uncalibrated,"
        " curves are weakest where I need them most.",
    ),
]


def test_a_real_conversation_prints_its_file(decide: Decide, log: None) -> None:
    """Six turns that negotiate well in prose and never move the ledger: the same lines and words."""
    decide("actor", "add", "dave", "--key", "4F3C 9A1E 77D0 1B52 0000 1111 2222 3333 4444 5555")
    name = decide("ask", OBJECTIVE, "--with", "dave").id
    for number, (side, verb, headline) in enumerate(TURNS):
        turn = ["turn", name, verb, headline, "--as", side]
        if verb == "RED_TEAM":
            turn += ["--gave-up", "calibrated confidence"]
        if number >= 2:
            assert decide(*turn).exit_code == 1
        assert decide(*turn).exit_code == 0

    assert decide("show", name, "--format", "file").stdout == SAMPLE.read_text("utf-8")


@pytest.fixture
def talked(decide: Decide, log: None) -> str:
    """A conversation with an agreed issue, a parked one and an open one."""
    name = decide("ask", "Which mesh format?", "--with", "dave").id
    for side, verb, *ledger in [
        ("Ada", "BRIEF", "--issue", "i-01=proposed", "--new-issue", "units", "--new-issue", "curves"),
        ("dave", "BRIEF", "--issue", "i-01=agreed"),
        ("Ada", "EVIDENCE", "--issue", "i-01=agreed", "--issue", "i-02=parked:next year"),
    ]:
        more = [word for word in ledger if side != "dave" or ("quads" not in word and word != "--objective")]
        assert decide("turn", name, verb, f"{verb} of {side}", *more, "--as", side).exit_code == 0
    return name


def test_either_side_sees_its_own_file(decide: Decide, talked: str, refuses: Refuses) -> None:
    """By default that of whoever asks, else the asker's; others have none."""
    file = ("show", talked, "--format", "file")
    ours, theirs = (decide(*file, "--as", side).stdout for side in ("Ada", "dave"))

    assert "**us** `BRIEF` BRIEF of Ada\n**dave** `BRIEF` BRIEF of dave\n" in ours
    assert "**Ada** `BRIEF` BRIEF of Ada\n**us** `BRIEF` BRIEF of dave\n" in theirs
    assert "2 ours · With: dave (`" in ours
    assert "1 ours · With: Ada (`" in theirs
    assert decide(*file).stdout == decide(*file, GIT_DECIDE_ACTOR="carol").stdout == ours
    assert decide(*file, GIT_DECIDE_ACTOR="dave").stdout == theirs
    assert refuses(3, *file, "--as", "carol") == f"error: carol is no side of {talked}, only Ada and dave\n"
    assert "only the decision file is a side's" in refuses(2, "show", talked, "--as", "dave")


def test_a_record_without_a_conversation_has_no_file(record: str, refuses: Refuses) -> None:
    """It says how one is begun."""
    assert "holds no conversation of two sides" in refuses(3, "show", record, "--format", "file")


def test_a_fingerprint_is_that_of_the_actor(decide: Decide, talked: str, repo: Path, git: GitRunner) -> None:
    """Without a key the id of its entry, which the log names."""
    (path,) = git(repo, "ls-tree", "-r", "--name-only", "refs/decisions/log", "actors/dave").splitlines()
    entry = path.removeprefix("actors/dave/actor-")[:8]

    assert f"With: dave (`{entry}…`)" in decide("show", talked, "--format", "file").stdout


def test_the_agreed_issues_become_the_decision(decide: Decide, talked: str, shown: Shown) -> None:
    """Open, parked and escalated ones are the dissent; what else is said stays."""
    bound = decide(
        "bind", talked, "--from-ledger", "--no-code", "--read", "src/app.py", "--dissent", "ada frowned"
    )

    assert bound.exit_code == 0, bound
    decision = shown(talked)["entries"][-1]
    assert (decision["outcome"], decision["decision"]) == ("adopt", "Which mesh format?")
    assert decision["dissent"] == ("ada frowned\ni-04 [open] curves\ni-02 [parked] units: next year")


def test_the_rules_hold_for_a_ledger_as_well(refuses: Refuses, decide: Decide, talked: str) -> None:
    """R2 and R3: agreement carries nothing that nobody read, and no code that nobody checked."""
    assert refuses(1, "bind", talked, "--from-ledger", "--no-code").startswith("refused [R2]")
    assert refuses(1, "bind", talked, "--from-ledger", "--read", "src/app.py").startswith("refused [R3]")
    assert decide("bind", talked, "defer", "--from-ledger", "--read", "src/app.py").exit_code == 0


def test_what_is_not_agreed_is_no_decision(refuses: Refuses, decide: Decide, record: str) -> None:
    """An open-issues list binds nothing, a record without ledgers neither, and a text is given once."""
    name = decide("ask", "Which?", "--with", "dave").id

    assert "is agreed by both sides" in refuses(
        1, "bind", name, "--from-ledger", "--no-code", "--read", "src/app.py"
    )
    assert "no conversation" in refuses(3, "bind", record, "--from-ledger", "--read", "src/app.py")
    assert "leave it out" in refuses(2, "bind", name, "adopt", "this", "--from-ledger")
    assert "TEXT" in refuses(2, "bind", name, "adopt")
