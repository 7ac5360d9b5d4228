"""Rules that explain themselves."""

import re
from pathlib import Path

import pytest

from gitdecide.rules import RULES, explanations


@pytest.mark.parametrize("rule", [rule for _, rule in RULES], ids=lambda rule: rule.__name__)
def test_a_rule_begins_with_its_code(rule: object) -> None:
    """Its docstring is what `explain` prints: the code and one sentence, then what more there is to say."""
    first = (rule.__doc__ or "").split("\n\n")[0]

    assert re.match(r"R[0-9]+: [a-zA-Z][^\n]+\.$", first), first


def test_every_code_is_explained_once() -> None:
    """The functions that hold one rule are explained together, in their order."""
    texts = explanations()

    assert set(texts) == {(rule.__doc__ or "").partition(":")[0] for _, rule in RULES}
    assert all(text.startswith(f"{code}: ") and text.count(f"{code}: ") == 1 for code, text in texts.items())
    for code, text in texts.items():
        for _, rule in RULES:
            said = " ".join((rule.__doc__ or "").split())
            if said.startswith(f"{code}: "):
                assert said.removeprefix(f"{code}: ").lower() in " ".join(text.split()).lower()


@pytest.mark.parametrize("code", explanations())
def test_every_rule_has_its_tests(code: str) -> None:
    """A module of this folder says by its first line that it tests the rule."""
    first = [path.read_text().split("\n")[0] for path in Path(__file__).parent.glob("test_*.py")]

    assert any(re.search(rf"\b{code}\b", line) for line in first)


def test_no_rule_is_listed_twice() -> None:
    """A refusal is said once."""
    rules = [rule for _, rule in RULES]

    assert len(set(rules)) == len(rules)
