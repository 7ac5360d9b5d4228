"""`git decide close`"""

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide


def test_a_close_says_once_more_what_the_detectors_saw(decide: Decide, log: None, shown: Shown) -> None:
    """The record is closed, and its id is the only fact."""
    name = decide("ask", "Which?", "--with", "dave").id
    decide("turn", name, "ACCEPT", "yes", "--as", "dave")
    closed = decide("close", name, "-m", "no time")

    assert closed.id == shown(name)["entries"][-1]["id"]
    assert closed.stderr.startswith("degenerate: dave accepted or conceded on 100% of its turns")
    assert (shown(name)["status"], shown(name)["conversation"]["state"]) == ("closed", "closed")


def test_a_closed_conversation_takes_nothing_more(decide: Decide, log: None, refuses: Refuses) -> None:
    """No turn of either side, and no other close."""
    name = decide("ask", "Which?", "--with", "dave").id
    assert decide("close", name, "-m", "no time", "--as", "dave").exit_code == 0

    for side in ("Ada", "dave"):
        refused = refuses(1, "turn", name, "BRIEF", "hello", "--as", side)
        assert refused.startswith(f"refused [R6]: {name} is closed, and takes no more turns\nhint: ")
    assert "is closed already" in refuses(1, "close", name, "-m", "again")


def test_an_agent_that_takes_no_part_closes_nothing(decide: Decide, log: None, refuses: Refuses) -> None:
    """A person may, and anybody may close a question that asks nobody."""
    name, alone = decide("ask", "Which?", "--with", "dave").id, decide("ask", "Whether?").id

    assert "carol takes no part" in refuses(1, "close", name, "-m", "enough", "--as", "carol")
    assert decide("close", alone, "-m", "enough", "--as", "carol").exit_code == 0


def test_a_close_says_why(refuses: Refuses, record: str) -> None:
    """The reason is needed."""
    assert "-m" in refuses(2, "close", record)
