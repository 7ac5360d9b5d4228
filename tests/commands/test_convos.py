"""`git decide convos`"""

import json

from tests.conftest import Decide


def test_conversations_are_listed_newest_first(decide: Decide, record: str) -> None:
    """With mode, state and objective; a question that asks nobody is none."""
    first = decide("ask", "Which mesh\nformat?", "--with", "dave").id
    second = decide("ask", "Which?", "--with", "dave", "--mode", "build").id
    debate = decide("ask", "Whether?", "--mode", "debate").id
    assert decide("turn", debate, "proposition", "yes").exit_code == 0
    assert decide("close", first, "-m", "enough").exit_code == 0

    assert decide("convos").stdout == (
        f"{debate}  debate     open       Whether?\n"
        f"{second}  build      open       Which?\n"
        f"{first}  decide     closed     Which mesh\n"
    )
    assert json.loads(decide("convos", "--json").stdout)["convos"][2] == {
        "name": first,
        "mode": "decide",
        "state": "closed",
        "participants": ["Ada", "dave"],
        "objective": "Which mesh\nformat?",
    }


def test_a_long_list_is_cut_and_says_so(decide: Decide, log: None) -> None:
    """As that of all records."""
    for _ in range(2):
        decide("ask", "Which?", "--with", "dave")
    cut, whole = decide("convos", "--limit", "1"), decide("convos", "--limit", "0")

    assert len(cut.stdout.splitlines()) == 1
    assert cut.stderr == "older ones left out (--limit 0 shows all)\n"
    assert len(whole.stdout.splitlines()) == 2
    assert whole.stderr == ""


def test_no_conversation_is_no_fault(decide: Decide, record: str) -> None:
    """An empty list is empty."""
    assert decide("convos") == (0, "", "")
