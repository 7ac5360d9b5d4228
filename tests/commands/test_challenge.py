import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide


def test_a_challenge_aims_at_the_question_and_then_at_the_decision(
    decide: Decide, record: str, shown: Shown
) -> None:
    """Without --target it objects to the live decision, and before there is one to the question."""
    decide("challenge", record, "wrong question", "--read", "src/app.py")
    bound = decide("bind", record, "reject", "no", "--read", "src/app.py").id
    decide("challenge", record, "wrong answer")

    question, first, _, second = shown(record)["entries"]
    assert (first["target"], second["target"]) == (question["id"], bound)
    assert first["read"][0]["path"] == "src/app.py"


def test_an_answer_names_its_challenge(decide: Decide, record: str, shown: Shown) -> None:
    """An answer says accept or reject, why, and what was read."""
    challenge = decide("challenge", record, "not so").id
    decide("answer", record, challenge[:6].upper(), "accept", "-m", "right", "--read", "pr:12")

    answer = shown(record)["entries"][-1]
    assert (answer["to"], answer["outcome"]) == (challenge, "accept")
    assert (answer["reason"], answer["read"]) == ("right", [{"pr": "12"}])


def test_only_challenges_are_answered(decide: Decide, refuses: Refuses, record: str) -> None:
    """R4: an answer to anything else is refused."""
    vote = decide("vote", record, "inform", "-m", "x").id
    said = refuses(1, "answer", record, vote, "accept", "-m", "x")

    assert said == f"refused [R4]: expected a challenge, not the vote {vote}\n"


@pytest.mark.parametrize("target", ["0000", "abc", "nonsense", ""])
def test_a_target_is_an_entry_of_the_record(refuses: Refuses, record: str, target: str) -> None:
    """A name of nothing is said to be one."""
    said = refuses(3, "challenge", record, "not so", "--target", target)

    few = "" if len(target) > 3 else ": an id needs 4 digits or more"
    assert said.splitlines()[0] == f"error: {target or 'nothing'} is no entry of {record}{few}"


def test_an_entry_of_another_record_is_no_target(decide: Decide, refuses: Refuses, record: str) -> None:
    """What is filed elsewhere cannot be challenged here."""
    other = decide("ask", "Other?").id
    vote = decide("vote", other, "inform", "-m", "x").id

    assert f"is no entry of {record}" in refuses(3, "challenge", record, "x", "--target", vote)
