"""`git decide turn`"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import ByHand, Refuses, Shown
from tests.conftest import Decide, GitRunner

HELD = "error: held back once: this reply leaves the ledger out, while "


@pytest.fixture
def talk(decide: Decide, log: None) -> str:
    """A conversation that Ada began with dave, in which each has taken a turn."""
    name = decide("ask", "Which mesh format?", "--with", "dave").id
    decide("turn", name, "BRIEF", "triangles", "--issue", "i-01=claimed").id  # noqa: B018
    decide("turn", name, "BRIEF", "quads", "--as", "dave").id  # noqa: B018
    return name


@pytest.fixture
def newest(shown: Shown, talk: str) -> Callable[[], dict[str, object]]:
    """The last entry of the conversation."""
    return lambda: dict(shown(talk)["entries"][-1])


def test_a_turn_keeps_all_that_it_says(
    decide: Decide, talk: str, repo: Path, newest: Callable[[], dict[str, object]]
) -> None:
    """Headline, body, position, what it gives up, and what becomes of the issues."""
    said = decide(
        "turn", talk, "RED_TEAM", "breaking it", "-m", "line one\nline two", "--position", "triangles",
        "--gave-up", "speed", "--gave-up", "size", "--issue", "i-01=parked:next year: maybe",
        "--new-issue", "units", "--new-issue", "axes",
    )  # fmt: skip

    assert said.id == newest()["id"]
    assert said.stderr == "i-02: units\ni-04: axes\n"
    assert {key: value for key, value in newest().items() if key not in ("id", "at", "qid", "after")} == {
        "type": "turn", "actor": "Ada", "verb": "RED_TEAM", "headline": "breaking it",
        "body": "line one\nline two", "position": "triangles", "gave_up": ["speed", "size"],
        "ledger": [
            {"issue": "i-02", "title": "units", "state": "open"},
            {"issue": "i-04", "title": "axes", "state": "open"},
            {"issue": "i-01", "state": "parked", "reason": "next year: maybe"},
        ],
    }  # fmt: skip


def test_new_issues_are_numbered_on(decide: Decide, talk: str) -> None:
    """Each side by its own numbers, which the command says."""
    said = [
        decide("turn", talk, "COUNTER", "more", "--new-issue", "units", "--as", who).stderr
        for who in ("dave", "Ada", "dave")
    ]

    assert said == ["i-03: units\n", "i-02: units\n", "i-05: units\n"]


def test_the_other_side_says_its_objective_first(decide: Decide, log: None, shown: Shown) -> None:
    """In its first BRIEF, without moving anything."""
    name = decide("ask", "Which mesh format?", "--with", "dave").id
    assert decide("turn", name, "BRIEF", "quads", "--objective", "quads survive", "--as", "dave").id

    ledgers = shown(name)["conversation"]["ledgers"]
    assert ledgers["dave"]["i-01"]["title"] == "quads survive"
    assert ledgers["Ada"]["i-01"]["title"] == "Which mesh format?"


def test_a_signature_is_the_digest_of_the_file(
    decide: Decide, talk: str, repo: Path, newest: Callable[[], dict[str, object]]
) -> None:
    """Of its bytes, from the folder that the command runs in."""
    (repo / "src" / "deal.bin").write_bytes(b"\x00deal\r\n")
    signed = decide(
        "turn", talk, "SIGN", "done", "--signs", "deal.bin", "--issue", "i-01=claimed", cwd=repo / "src"
    )

    assert signed.exit_code == 0
    assert newest()["signs"] == hashlib.sha256(b"\x00deal\r\n").hexdigest()


def test_nothing_that_cannot_be_read_is_signed(refuses: Refuses, talk: str, repo: Path) -> None:
    """Exit 3, and no turn."""
    (repo / "loop").symlink_to("loop")
    for file in ("nope", "src", "loop"):
        said = refuses(3, "turn", talk, "SIGN", "done", "--signs", file)
        assert said.startswith(f"error: cannot sign {file}: ")


def test_a_body_comes_from_a_file_or_standard_input(
    decide: Decide, talk: str, repo: Path, newest: Callable[[], dict[str, object]]
) -> None:
    """So that nothing needs quoting."""
    (repo / "body.md").write_text("from a file\n")
    for file, said in (("body.md", "from a file\n"), ("-", "from a pipe\n")):
        turn = ("turn", talk, "COUNTER", "so", "--body-file", file, "--issue", "i-01=claimed")
        assert decide(*turn, stdin=b"from a pipe\n").exit_code == 0
        assert newest()["body"] == said


def test_a_turn_can_be_said_with_a_file(
    decide: Decide, talk: str, newest: Callable[[], dict[str, object]]
) -> None:
    """As any writing command; new issues and moves are lists of texts."""
    fields = {
        "headline": "so",
        "verb": "COUNTER",
        "issue": ["i-01=proposed"],
        "new_issue": ["units"],
        "body": "b",
    }
    assert decide("turn", talk, "-F", "-", stdin=json.dumps(fields).encode()).exit_code == 0

    assert (newest()["body"], newest()["ledger"]) == (
        "b",
        [{"issue": "i-02", "title": "units", "state": "open"}, {"issue": "i-01", "state": "proposed"}],
    )


BAD_USE = [
    (["COUNTER", "two\nlines"], "error: the headline is one line of text"),
    (["COUNTER", "bell\x07"], "error: the headline is one line of text"),
    (["COUNTER", "  "], "error: the headline is one line of text"),
    (["SHOUT", "so"], "error: invalid value for 'VERB'"),
    (["COUNTER", "so", "--issue", "i-01"], "error: not a move of an issue: i-01"),
    (["COUNTER", "so", "--issue", "i-1=open"], "error: not a move of an issue: i-1=open"),
    (["COUNTER", "so", "--issue", "i-01=done"], "error: not a move of an issue: i-01=done"),
    (["COUNTER", "so", "--gave-up", "speed"], "error: a COUNTER gives nothing up"),
    (["COUNTER", "so", "--signs", "src/app.py"], "error: a SIGN names what it signs"),
    (["SIGN", "so"], "error: a SIGN names what it signs"),
    (["COUNTER", "so", "-m", "b", "--body-file", "src/app.py"], "error: -m and --body-file"),
]


def test_words_that_make_no_turn(refuses: Refuses, talk: str) -> None:
    """Each is a fault of the command line, exit 2."""
    for words, said in BAD_USE:
        assert refuses(2, "turn", talk, *words).startswith(said)


def test_a_body_that_is_no_text(refuses: Refuses, talk: str, repo: Path) -> None:
    """Exit 2 for bytes, exit 3 for no file."""
    (repo / "body").write_bytes(b"\xff\xfe")

    assert "not UTF-8" in refuses(2, "turn", talk, "COUNTER", "so", "--body-file", "body")
    assert "No such file" in refuses(3, "turn", talk, "COUNTER", "so", "--body-file", "nope")


REFUSED = [
    (["COUNTER", "so", "--issue", "i-01=agreed"], "Ada", "i-01 is claimed, and does not move to agreed"),
    (["COUNTER", "so", "--issue", "i-07=open"], "Ada", "neither ledger has an issue i-07"),
    (["COUNTER", "so", "--issue", "i-01=parked"], "Ada", "i-01 is parked without a reason"),
    (["COUNTER", "so", "--issue", "i-01=escalated: "], "Ada", "i-01 is escalated without a reason"),
    (["COUNTER", "so"], "carol", "carol takes no part in "),
    (["rebuttal", "so"], "Ada", "rebuttal is no verb of the mode decide"),
    (["BRIEF", "so", "--objective", "mine"], "Ada", "the objective of Ada is the question itself"),
    (["BRIEF", "so", "--objective", "late"], "dave", "only the first BRIEF of dave says"),
    (["COUNTER", "so", "--issue", "i-01=open", "--role", "opponent"], "Ada", "the sides of the mode decide"),
]


def test_what_a_conversation_does_not_take(refuses: Refuses, talk: str) -> None:
    """Each is refused with its own line, exit 1, at once."""
    for words, who, said in REFUSED:
        assert refuses(1, "turn", talk, *words, "--as", who).startswith(f"refused [R6]: {said}")


def test_a_debate_takes_its_own_verbs(decide: Decide, log: None, refuses: Refuses, shown: Shown) -> None:
    """Ledger verbs and issues are refused there; a speaker has the role that it was asked in."""
    name = decide("ask", "Which?", "--mode", "debate", "--role", "opponent=dave").id

    assert "COUNTER is no verb of the mode" in refuses(1, "turn", name, "COUNTER", "so")
    assert "no conversation with ledgers" in refuses(
        1, "turn", name, "rebuttal", "so", "--new-issue", "units"
    )
    assert decide("turn", name, "rebuttal", "so", "-m", "because", "--as", "dave").id
    assert decide("turn", name, "rebuttal", "again", "--as", "dave").id  # no ledger, so no reminder
    assert shown(name)["entries"][-1]["role"] == "opponent"


def test_a_question_to_nobody_takes_no_turn(refuses: Refuses, record: str) -> None:
    """It says how a conversation is begun."""
    said = refuses(1, "turn", record, "BRIEF", "hello")

    assert said == (
        f"refused [R6]: {record} names nobody to talk to\n"
        'hint: git decide ask "QUESTION" --with NAME begins a conversation\n'
    )


def test_a_conversation_has_two_sides(decide: Decide, refuses: Refuses, log: None) -> None:
    """Others cannot be asked for; in a debate they can."""
    for words, said in [
        (["--with", "Ada"], "the asker is a side already"),
        (["--with", "dave", "--with", "carol"], "the mode decide has two sides"),
        (["--with", "a<b"], "the actor's name 'a<b'"),
    ]:
        assert said in refuses(2, "ask", "Which?", *words)
    assert decide("ask", "Which?", "--mode", "debate", "--with", "dave", "--with", "carol").exit_code == 0


def test_a_reply_without_the_ledger_is_held_back_once(
    refuses: Refuses, decide: Decide, talk: str, newest: Callable[[], dict[str, object]]
) -> None:
    """Nothing is appended the first time; said again it goes, and is marked."""
    turn = ("turn", talk, "COUNTER", "so")
    assert refuses(1, *turn) == (
        f"{HELD}i-01 is claimed\n"
        "hint: --issue ID=STATE says where an issue stands; the same turn, said again, goes as it is\n"
    )

    assert decide(*turn).id == newest()["id"]
    assert newest()["ledger_omitted"] is True


def test_a_turn_that_went_through_is_held_back_anew(refuses: Refuses, decide: Decide, talk: str) -> None:
    """One reminder a reply: the one after it gets its own, with the same words as well."""
    turn = ("turn", talk, "COUNTER", "so")
    for _ in range(2):
        assert refuses(1, *turn).startswith(HELD)
        assert decide(*turn).exit_code == 0


def test_only_the_same_turn_is_said_again(refuses: Refuses, decide: Decide, talk: str) -> None:
    """Other words, another body or another actor have not been reminded."""
    assert refuses(1, "turn", talk, "COUNTER", "so").startswith(HELD)

    assert refuses(1, "turn", talk, "COUNTER", "so!").startswith(HELD)
    assert refuses(1, "turn", talk, "COUNTER", "so", "-m", "because").startswith(HELD)
    assert refuses(1, "turn", talk, "EVIDENCE", "so").startswith(HELD)
    assert refuses(1, "turn", talk, "COUNTER", "so", "--as", "dave").startswith(HELD)
    assert decide("turn", talk, "COUNTER", "so").exit_code == 0


def test_a_ledger_that_moved_meanwhile_is_a_new_reason_to_remind(
    refuses: Refuses, decide: Decide, talk: str
) -> None:
    """What the other side did to it may be what the speaker did not know."""
    assert refuses(1, "turn", talk, "COUNTER", "so").startswith(HELD)
    assert decide("turn", talk, "COUNTER", "mine", "--issue", "i-01=proposed", "--as", "dave").exit_code == 0

    assert refuses(1, "turn", talk, "COUNTER", "so").startswith(f"{HELD}i-01 is proposed")
    assert decide("turn", talk, "COUNTER", "so").exit_code == 0


def test_any_turn_that_goes_through_ends_the_reminders(refuses: Refuses, decide: Decide, talk: str) -> None:
    """A turn that was held back long ago does not slip through later."""
    assert refuses(1, "turn", talk, "COUNTER", "so").startswith(HELD)
    assert decide("turn", talk, "COUNTER", "with it", "--issue", "i-01=claimed").exit_code == 0

    assert refuses(1, "turn", talk, "COUNTER", "so").startswith(HELD)


def test_agents_in_two_worktrees_have_reminders_of_their_own(
    decide: Decide, refuses: Refuses, talk: str, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """They share the git directory, and neither takes the other's; one actor finds its own in both."""
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", str(other))
    turn = ("turn", talk, "COUNTER", "so")
    assert refuses(1, *turn, "--as", "dave", cwd=other).startswith(HELD)

    assert refuses(1, *turn).startswith(HELD)
    assert decide(*turn, "--as", "dave", cwd=repo).exit_code == 0
    assert decide(*turn, cwd=other).exit_code == 0


def test_a_ledger_that_is_done_needs_no_mention(decide: Decide, talk: str) -> None:
    """Nor does a first turn."""
    assert decide("turn", talk, "COUNTER", "enough", "--issue", "i-01=parked:later").exit_code == 0

    assert decide("turn", talk, "COUNTER", "bye").exit_code == 0


def test_what_the_detectors_see_is_said_at_once(decide: Decide, talk: str) -> None:
    """When it fires, on standard error, and not again with the next turn."""
    said = [
        decide("turn", talk, "COUNTER", f"word {turn}", "--issue", "i-01=claimed", "--as", "dave").stderr
        for turn in range(4)
    ]

    looping = "looping: the ledger has not changed in 4 turns while 1 issue(s) are still open\n"
    assert said == ["", "", looping, ""]
    shown = decide("show", talk).stdout
    assert looping in shown
    assert "conversation of Ada and dave: open\n" in shown


def test_the_end_is_said_and_nothing_comes_after_it(decide: Decide, talk: str, refuses: Refuses) -> None:
    """Deadlock ends it; the hint leads to a new question that links this one."""
    done = ("--issue", "i-01=claimed")
    for turn in range(6):
        said = decide("turn", talk, "COUNTER", "No!", *done, "--as", ("Ada", "dave")[turn % 2])
    assert "deadlock: both sides have restated the same position 3 times running" in said.stderr

    ended = refuses(1, "turn", talk, "COUNTER", "wait")
    assert ended == (
        f"refused [R6]: {talk} ended in deadlock, and takes no more turns\n"
        f'hint: git decide ask "QUESTION" --with NAME --link {talk}\n'
    )
    assert decide("ask", "Once more?", "--with", "dave", "--link", talk).exit_code == 0


FOREIGN = [
    ("dave", "i-02", "open", "units"),  # adds an issue for Ada
    ("dave", "i-01", "open", None),  # resurrects
    ("carol", "i-01", "open", None),  # is a stranger
]


def test_what_a_foreign_client_wrote_never_counts(
    decide: Decide, talk: str, shown: Shown, by_hand: ByHand
) -> None:
    """The fold passes over it, fsck finds each by R6, and the record can still be read."""
    decide("turn", talk, "COUNTER", "later", "--issue", "i-01=parked:later")
    before = shown(talk)
    question, head = before["entries"][0]["id"], before["entries"][-1]["id"]
    for who, issue, state, title in FOREIGN:
        called = f"\n    title: {title}" if title else ""
        written = by_hand(
            f"decisions/DR-0xxx/{talk}/turn-{{id}}.yaml",
            f"type: turn\nactor: {who}\nat: 2026-10-19T10:00:00.000000Z\nqid: {question}\n"
            f"after:\n  - {head}\nverb: COUNTER\nheadline: mine\n"
            f"ledger:\n  - issue: {issue}{called}\n    state: {state}\n",
        )
        head = written.rpartition("-")[2].removesuffix(".yaml")

    after = shown(talk)
    assert len(after["entries"]) == len(before["entries"]) + len(FOREIGN)
    assert after["conversation"]["ledgers"] == before["conversation"]["ledgers"]
    found = decide("fsck")
    assert found.exit_code == 4
    assert found.stdout.count("[R6]") == len(FOREIGN), found.stdout
