import json

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Decide


def test_every_part_of_a_record_is_searched(decide: Decide, log: None) -> None:
    """One word for each thing that is said, and the entry that says it."""
    name = decide("ask", "Qword?", "--job", "jword", "--context", "cword", "--option", "oword").id
    said = {
        "question": ["qword", "jword", "cword", "oword"],
        "vote": ["vword", "nword", "rword"],
        "check": ["pword", "kword", "mword"],
        "challenge": ["lword"],
        "answer": ["aword"],
        "decision": ["dword", "tword", "eword", "gword"],
    }
    decide("vote", name, "inform", "-m", "vword", "--read", "message:rword", "--not-checked", "nword")
    decide("check", name, "--premise", "pword", "--report", "0", "-c", "kword x")
    decide("check", name, "--not-applicable", "mword")
    challenge = decide("challenge", name, "lword").id
    decide("answer", name, challenge, "reject", "-m", "aword")
    decided = decide(
        "bind", name, "reject", "dword", "--rationale", "tword", "--dissent", "eword", "--read", "src/app.py",
        "--governs", ":(glob)gword/*",
    )  # fmt: skip
    assert decided.exit_code == 0, decided.stderr

    for kind, words in said.items():
        for word in words:
            found = json.loads(decide("search", word.upper(), "--json").stdout)["records"]
            assert [(record["name"], record["match"]["type"]) for record in found] == [(name, kind)], word


def test_a_hit_is_two_lines(decide: Decide, record: str) -> None:
    """The record as list has it, then the entry, who says it, and an excerpt."""
    vote = decide("vote", record, "inform", "-m", "the premise\nis false", "--as", "bot").id

    assert decide("search", "IS", "premise").stdout == (
        f"{record}  open        Add load_dataset to the engine?\n"
        f"    {vote[:8]} vote by bot: the premise is false\n"
    )


def test_the_newest_come_first_and_what_is_left_out_is_said(decide: Decide, log: None) -> None:
    """At most so many records, and only those that are chosen."""
    names = [decide("ask", f"Word {number}?").id for number in range(3)][::-1]
    decide("bind", names[0], "reject", "no", "--read", "src/app.py")
    two = decide("search", "word", "-n", "2")

    assert [line.split()[0] for line in two.stdout.splitlines()[::2]] == names[:2]
    assert two.stderr == "DR-001 and older left out (--limit 0 shows all)\n"
    assert decide("search", "word", "--status", "decided").stdout.startswith(names[0])
    assert decide("search", "word", "--status", "decided").stdout.count("\n") == 2


def test_nothing_found_is_no_error(decide: Decide, refuses: Refuses, record: str) -> None:
    """It is said on standard error; a search for no word is a mistake."""
    assert decide("search", "nowhere") == (0, "", "nothing found\n")
    assert json.loads(decide("search", "nowhere", "--json").stdout)["records"] == []
    assert refuses(2, "search", "--", "++", "-").startswith("error: no word to search for: ++ -\n")
    refuses(2, "search")


def test_what_is_found_is_untrusted(decide: Decide, record: str) -> None:
    """Escapes are spelled out, on the terminal and for programs."""
    decide("vote", record, "inform", "-m", "red \x1b[31mword \u202e")

    assert "\x1b" not in decide("search", "word").stdout
    assert "\u202e" not in decide("search", "word").stdout


def test_a_damaged_record_is_found_by_what_is_readable(decide: Decide, record: str, by_hand: ByHand) -> None:
    """It is listed as damaged; where there is not even a question nothing fails."""
    vote = decide("vote", record, "inform", "-m", "findme").id
    by_hand(f"decisions/DR-0xxx/{record}/vote-{{id}}.yaml", "garbage\n")
    by_hand("decisions/DR-0xxx/DR-002-00000000/x", "findme\n")

    done = decide("search", "findme")
    assert (done.exit_code, done.stdout.split()[:2], done.stdout.count("\n")) == (0, [record, "damaged"], 2)
    assert vote[:8] in done.stdout
