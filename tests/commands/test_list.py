import json

import pytest

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import Decide


@pytest.fixture
def names(decide: Decide, log: None) -> list[str]:
    """Three records, the last one decided, newest first."""
    asked = [decide("ask", f"Question {number}?\nmore").id for number in range(3)]
    decide("bind", asked[2], "reject", "no", "--read", "src/app.py")
    return asked[::-1]


def test_records_are_listed_newest_first(decide: Decide, names: list[str]) -> None:
    """One line each: name, status, the first line of the question."""
    assert decide("list").stdout == (
        f"{names[0]}  decided     Question 2?\n{names[1]}  open        Question 1?\n"
        f"{names[2]}  open        Question 0?\n"
    )


def test_what_is_left_out_is_said(decide: Decide, names: list[str]) -> None:
    """--limit keeps the newest, and standard error says that there are more; 0 is all."""
    two = decide("list", "--limit", "2")

    assert [line.split()[0] for line in two.stdout.splitlines()] == names[:2]
    assert "DR-001" in two.stderr or "1 older" in two.stderr
    assert "left out (--limit 0 shows all)" in two.stderr
    assert decide("list", "--limit", "0").stderr == ""
    assert len(decide("list", "--limit", "0").stdout.splitlines()) == 3


def test_lists_answer_programs(decide: Decide, names: list[str]) -> None:
    """--json: name, status, question and live decisions of each."""
    said = json.loads(decide("list", "--json").stdout)

    assert said["version"] == 1
    assert [record["name"] for record in said["records"]] == names
    assert [record["status"] for record in said["records"]] == ["decided", "open", "open"]
    assert said["records"][1]["question"] == "Question 1?\nmore"


def test_an_empty_log_is_an_empty_list(decide: Decide, log: None) -> None:
    """Nothing asked is no error."""
    assert decide("list")[:2] == (0, "")
    assert json.loads(decide("list", "--json").stdout) == {"version": 1, "records": []}


def test_a_damaged_record_does_not_stop_the_list(decide: Decide, names: list[str], by_hand: ByHand) -> None:
    """The record is listed as damaged, and named with file and reason; the others follow."""
    file = by_hand(f"decisions/DR-0xxx/{names[1]}/vote-{{id}}.yaml", "status: no\nstatus: yes\n")
    done = decide("list")

    assert done.exit_code == 4
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        [names[0], "decided"], [names[1], "damaged"], [names[2], "open"],
    ]  # fmt: skip
    reason = "line 2: the key 'status' stands twice"
    assert done.stderr == f"warning: {names[1]} is damaged: {file.rsplit('/', 1)[1]}: {reason}\n"
    assert json.loads(decide("list", "--json").stdout)["records"][1]["damages"][0]["reason"] == reason


@pytest.mark.parametrize("limit", ["-1", "x"])
def test_a_limit_is_a_number(refuses: Refuses, log: None, limit: str) -> None:
    """Anything else is a usage error."""
    assert refuses(2, "list", "--limit", limit).startswith("error: invalid value for '-n' / '--limit': ")
