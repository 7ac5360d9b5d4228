"""The pages are complete, and agree with each other and with the code."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

from gitdecide import errors, policy
from gitdecide.cli import SECTIONS
from gitdecide.entries import document
from gitdecide.entries.types import TYPES, Imported, LedgerMove, Participant, RecordEntry, Settled
from gitdecide.gate import GATE
from gitdecide.rules import explanations
from gitdecide.work.identity import AGENTS
from tests.conftest import Decide
from tests.docs import reference
from tests.docs.snapshots import ROOT

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "changelog.d").glob("*.md")),
]


def prose(page: Path) -> list[str]:
    """The lines of a page outside of its code, comments and tables."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [line for line in text.splitlines() if not line.startswith("|")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_line_of_prose_is_one_sentence(page: Path) -> None:
    """So that a change of one sentence is a change of one line."""
    lines = [re.sub(r"^ *([*-]|[0-9]+\.) ", "", line) for line in prose(page)]

    assert [line for line in lines if re.search(r"[.!?] +[A-Z`*\[]", line)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file, and a heading in it where it names one."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", "\n".join(prose(page))):
        file = page.parent / target if target else page
        assert file.is_file(), target
        headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE) if anchor else []
        assert not anchor or anchor in {
            re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings
        }


def test_every_recipe_is_listed_by_theme() -> None:
    """What the list at the top of the how-to leaves out is not found."""
    lines = prose(ROOT / "docs" / "how-to.md")
    recipes = {line.removeprefix("## ") for line in lines if line.startswith("## ")}

    assert recipes == {
        text for line in lines if line.startswith("* ") for text in re.findall(r"\[([^]]*)\]\(#", line)
    }


def test_the_readme_has_two_commands() -> None:
    """One sets up and ends in the demonstration, one runs the tests: the gate takes both from there."""
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )

    set_up, test = "".join(blocks).splitlines()

    assert set_up.endswith(" && git decide demo")
    assert test.split()[0] == "pytest"


def test_the_gate_is_a_program_of_sound_bash() -> None:
    """Nothing but a fresh machine can show that it passes; this much shows everywhere."""
    gate = ROOT / ".ci" / "run"

    assert gate.stat().st_mode & 0o100
    subprocess.run(["bash", "-n", str(gate)], check=True)
    assert ".ci/run" in (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")


def test_every_rule_has_its_section() -> None:
    """docs/rules.md explains each rule with the program's own words."""
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")

    sections = re.findall(r"^## (R\d+):.*?\$ git decide explain (R\d+)$", text, re.MULTILINE | re.DOTALL)

    assert sections == [(code, code) for code in explanations()]


def test_every_layer_is_in_the_architecture() -> None:
    """What stands in the package has its row among the layers, and what has a row stands there."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    files = [path for path in (ROOT / "gitdecide").iterdir() if not path.name.startswith("_")]

    rows = re.findall(r"^\| `([a-z]+(?:/|\.py))` \|", text, re.MULTILINE)

    code = {f"{path.name}/" if path.is_dir() else path.name for path in files if path.suffix in ("", ".py")}
    assert sorted(rows) == sorted(code)


def test_the_log_format_names_every_field_of_every_entry() -> None:
    """The table has the fields in the order of the schema, with a ? where one may be left out."""
    text = (ROOT / "docs" / "log-format.md").read_text("utf-8")

    for name, kind in TYPES.items():
        common = {"type", "actor", "at", *(("qid", "after") if kind in get_args(RecordEntry) else ())}
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |")).split("|")[2]
        assert re.sub(r" \(.*?\)", "", row).strip() == ", ".join(fields(kind, common)), name
    for inner in (Participant, Settled, LedgerMove, Imported):
        assert ", ".join(fields(inner, set())) in text, inner.__name__


def fields(kind: type[msgspec.Struct], but: set[str]) -> list[str]:
    """The fields of an entry as the page writes them."""
    every = [field for field in msgspec.structs.fields(kind) if field.encode_name not in but]
    return [field.encode_name + ("" if field.required else "?") for field in every]


def test_the_tables_of_the_reference_are_complete() -> None:
    """Every exit code, and every variable that marks an agent, is explained."""
    codes = [value for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)]

    assert sorted(map(str, codes)) == sorted(reference.EXITS)
    assert ", ".join(AGENTS) in reference.VARIABLES


def test_every_verb_is_in_the_reference() -> None:
    """Help that is nowhere to be read is no help."""
    text = (ROOT / "docs" / "reference.md").read_text("utf-8")

    for verb in (verb for verbs in SECTIONS.values() for verb in verbs):
        assert f"\n## git decide {verb}\n" in text


@pytest.fixture
def schema() -> Any:
    return json.loads((ROOT / "docs" / "schema" / "entries.json").read_text("utf-8"))


def test_what_is_written_fits_the_schema(
    decide: Decide, record: str, git: Any, repo: Path, schema: Any
) -> None:
    """The published schema takes what the program stores, and refuses what it would not."""
    decide("vote", record, "support", "-m", "no", "--read", "src/app.py:1", "--confidence", "0.5")
    decide("check", record, "--premise", "x is 1", "--", "grep", "-q", "x = 1", "src/app.py")
    assert decide("bind", record, "adopt", "keep it", "--check", "last", "--governs", "src").exit_code == 0
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    files = git(repo, "ls-tree", "-r", "--format=%(objectname)", "refs/decisions/log", "actors", "decisions")
    stored = [document.load((git(repo, "cat-file", "blob", blob) + "\n").encode()) for blob in files.split()]

    assert len(stored) == 5
    for entry in map(msgspec.to_builtins, stored):
        validator.validate(json.loads(json.dumps(entry)))
        assert not validator.is_valid(entry | {"at": "yesterday"})


def test_the_gate_is_explained() -> None:
    """docs/gate.md lists what the gate asks in the program's own words."""
    text = (ROOT / "docs" / "gate.md").read_text("utf-8")

    assert all(f"| {code} | {asked} |" in text for code, asked in GATE.items())


def test_the_policy_on_the_page_is_the_one_in_force() -> None:
    """The defaults that docs/gate.md shows are those that hold without a file."""
    text = (ROOT / "docs" / "gate.md").read_text("utf-8")

    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    assert policy.parse(shown.encode()) == policy.Policy()
