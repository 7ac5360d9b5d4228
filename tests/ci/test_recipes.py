"""The recipes are sound YAML, and let nothing of an event into a program."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

CI = Path(__file__).parents[2] / "hooks" / "ci"
RECIPES = sorted(CI.glob("*.yml"))


def steps(recipe: Path) -> list[dict[str, Any]]:
    """The steps of an action, or of all jobs of a workflow."""
    data = yaml.safe_load(recipe.read_text())
    if "runs" in data:
        return list(data["runs"]["steps"])
    return [step for job in data.get("jobs", {}).values() for step in job["steps"]]


def strings(value: Any) -> Iterator[str]:
    """Every text in a document."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(each)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_is_yaml(recipe: Path) -> None:
    """And the scripts that it names are there."""
    data = yaml.safe_load(recipe.read_text())

    named = {script for text in strings(data) for script in re.findall(r"[a-z]+\.(?:sh|py)\b", text)}
    assert named <= {path.name for path in CI.iterdir()}


@pytest.mark.parametrize("recipe", [CI / "action.yml", CI / "github.yml", CI / "forgejo.yml"], ids=str)
def test_no_expression_stands_in_a_program(recipe: Path) -> None:
    """What an event says comes in by the environment alone."""
    assert steps(recipe)
    for step in steps(recipe):
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("recipe", [CI / "action.yml", CI / "forgejo.yml"], ids=str)
def test_only_the_comment_has_the_token(recipe: Path) -> None:
    """What installs and judges is given none."""
    holders = [
        step["name"] for step in steps(recipe) if re.search("token", str(step.get("env")), re.IGNORECASE)
    ]

    assert holders == ["Comment"]


def test_the_actions_inputs_are_the_ones_it_uses() -> None:
    """Each is described, and none is left over."""
    text = (CI / "action.yml").read_text()
    inputs = yaml.safe_load(text)["inputs"]

    assert set(re.findall(r"\binputs\.([a-z-]+)", text)) == set(inputs)
    assert all(each["description"] for each in inputs.values())


@pytest.mark.parametrize("recipe", [CI / "action.yml", CI / "gitlab-ci.yml", CI / "forgejo.yml"], ids=str)
def test_no_file_of_the_checkout_is_imported(recipe: Path) -> None:
    """Python runs isolated: else a pull request's `venv.py` would be the one that it finds."""
    started = re.findall(r"\bpython3?(?= -)(.*)", recipe.read_text())

    assert len(started) >= 2
    assert all(words.startswith(" -I ") for words in started)
