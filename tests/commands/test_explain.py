import json

import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide


@pytest.mark.parametrize("code", ["R3", "r3"])
def test_a_rule_is_explained(decide: Decide, code: str) -> None:
    """The code, the sentence that must hold, and what belongs to it; also outside of any repository."""
    text = decide("explain", code).stdout

    assert text.startswith("R3: ")
    assert "--no-code" in text


def test_all_rules_are_explained(decide: Decide) -> None:
    """Without a code every rule, each once, with a blank line between them; --json by code."""
    rules = json.loads(decide("explain", "--json").stdout)
    text = decide("explain").stdout

    assert rules["version"] == 1
    assert {"R1", "R2", "R3", "R4", "R5", "R7"} <= set(rules["rules"])
    assert text == "\n\n".join(rules["rules"].values()) + "\n"


def test_an_unknown_rule_is_not_found(refuses: Refuses) -> None:
    """The rules that there are are listed."""
    assert refuses(3, "explain", "R99").startswith("error: no rule R99\nhint: the rules are R1, R2")
