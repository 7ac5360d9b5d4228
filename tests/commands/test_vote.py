import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide


@pytest.mark.parametrize("stance", ["support", "oppose", "inform", "abstain"])
def test_a_vote_with_reading_keeps_its_stance(decide: Decide, record: str, shown: Shown, stance: str) -> None:
    """What was read is stored with the vote, and what was not looked at as well."""
    more = ("--not-checked", "tests", "--not-checked", "CI", "--confidence", "0.25", "--model", "m-1")
    decide("vote", record, stance, "-m", "why", "--read", "ticket:ABC-1", *more)

    vote = shown(record)["entries"][-1]
    assert (vote["stance"], vote["read"]) == (stance, [{"ticket": "ABC-1"}])
    assert (vote["not_checked"], vote["confidence"], vote["model"]) == (["tests", "CI"], 0.25, "m-1")


def test_support_that_read_nothing_is_stored_as_what_it_is(decide: Decide, record: str, shown: Shown) -> None:
    """R1: a bare yes is a vote, and never a verified one."""
    assert decide("vote", record, "support", "-m", "sounds right").exit_code == 0

    assert shown(record)["entries"][-1]["stance"] == "support_unverified"


def test_a_vote_replaces_the_earlier_votes_of_its_actor(decide: Decide, record: str, shown: Shown) -> None:
    """One actor is one voice, the last."""
    decide("vote", record, "oppose", "-m", "at first", "--as", "bob")
    decide("vote", record, "inform", "-m", "then", "--as", "bob")
    decide("vote", record, "abstain", "-m", "no view")

    assert shown(record)["tally"] == {"inform": 1, "abstain": 1}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("maybe", "-m", "x"), "invalid value for 'STANCE': 'maybe' is not one of"),
        (("support",), "missing option '-m' / '--reason'"),
        (("support", "-m", ""), "reason: is blank"),
        (("support", "-m", " \n"), "reason: is blank"),
        (("support", "-m", "x", "--confidence", "1.5"), "invalid value for '--confidence': 1.5"),
        (("support", "-m", "x", "--confidence", "nan"), "invalid value for '--confidence': 'nan'"),
        (("support", "-m", "x", "--model", " "), "model: is blank"),
        (("support", "-m", "x", "--read", "message: "), "not something that can be read: message: "),
        (("support", "-m", "\udcff"), "text that is not Unicode"),
        (("support", "-m", "x" * 300_000), "the entry is larger than 256 KiB"),
    ],
)
def test_a_malformed_vote_is_a_usage_error(
    refuses: Refuses, record: str, words: tuple[str, ...], problem: str
) -> None:
    """What no vote can say is refused in one line, and the log stays as it was."""
    assert refuses(2, "vote", record, *words).startswith(f"error: {problem}")


def test_a_secret_is_refused(refuses: Refuses, record: str) -> None:
    """The log never forgets, so that it is never told."""
    token = "ghp" + "_" + "a1B2" * 9
    said = refuses(1, "vote", record, "inform", "-m", f"use {token}")

    assert said == "error: the text holds a GitHub token, and the log never forgets\n"
