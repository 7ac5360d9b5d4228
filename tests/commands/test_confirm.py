import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide

LABEL = ("--settled", "user-approved", "--over", "Redis", "--because", "nothing to run")
RECORDED = (*LABEL, "--by", "Ada", "--said", "take SQLite")
READ = ("--no-code", "--read", "src/app.py")


@pytest.fixture
def store(decide: Decide, log: None) -> str:
    return decide("ask", "Which store?", "--option", "SQLite", "--option", "Redis").id


def recorded(decide: Decide, store: str) -> str:
    return decide("bind", store, "adopt", "SQLite", *READ, *RECORDED, CLAUDECODE="1").id


def test_the_label_shows_whom_it_awaits_until_then(decide: Decide, store: str, shown: Shown) -> None:
    """A person confirms what was recorded for them, once and for every reader."""
    decision = recorded(decide, store)
    assert "not confirmed by Ada" in decide("show", store).stdout

    confirmed = decide("confirm", store).id

    assert "not confirmed" not in decide("show", store).stdout
    entry = shown(store)["entries"][-1]
    assert (entry["id"], entry["type"], entry["decision"]) == (confirmed, "confirm", decision)
    assert decide("fsck").exit_code == 0


def test_nobody_else_confirms(decide: Decide, refuses: Refuses, store: str) -> None:
    """Not another person, not an agent, and nobody inside an agent environment."""
    recorded(decide, store)
    decide("actor", "add", "grace", "--human")

    for words in (("--as", "grace"), ("--as", "bot")):
        assert refuses(1, "confirm", store, *words).startswith("refused [R7]: ")
    assert refuses(1, "confirm", store, CLAUDECODE="1").startswith("refused [R7]: ")
    assert refuses(1, "confirm", store, "--as", "Ada", GEMINI_CLI="1").startswith("refused [R7]: ")


def test_an_older_decision_is_confirmed_by_its_id(decide: Decide, store: str) -> None:
    """Also one that was superseded: its label stays on it."""
    decision = recorded(decide, store)
    decide("supersede", store, "adopt", "files", *READ, "-m", "simpler")

    assert decide("confirm", store).exit_code == 1
    assert decide("confirm", store, "--decision", decision[:7]).id
    assert "not confirmed" not in decide("show", store).stdout


def test_there_must_be_something_to_confirm(decide: Decide, refuses: Refuses, store: str) -> None:
    """An undecided record, a decision without a label, and one's own choice."""
    assert "has no settled decision" in refuses(1, "confirm", store)
    decide("bind", store, "adopt", "SQLite", *READ, *LABEL)
    assert "nothing to confirm" in refuses(1, "confirm", store)
    assert refuses(3, "confirm", store, "--decision", "0000")
