"""Writing records for other tools, and taking them in again."""

import json
from pathlib import Path

import jsonschema
import pytest

from tests.commands.conftest import Refuses
from tests.conftest import Decide, GitRunner
from tests.render.json_adr_schema import SCHEMA

TITLES = (
    "キャッシュ戦略",
    "ログ戦略",
    "Использовать Redis",
    "Redis",
    "🚀",
    "Café",
    "Cafe\u0301",
    "長" * 300,
    "redis",
)


@pytest.fixture
def records(decide: Decide, log: None) -> list[str]:
    """Records of every state, with texts that could break a page."""
    first = decide(
        "ask", "Add it? #", "--context", "a\n# b\n```\nopen", "--context", "<!-- c", "--option", "x <b>"
    ).id
    decide("vote", first, "inform", "-m", "read it\n## so", "--read", "src/app.py")
    decide("check", first, "--premise", "x is 1", "--", "grep", "-q", "x = 1", "src/app.py")
    decide("bind", first, "adopt", 'do "it"', "--check", "last", "--rationale", "why\n\n## not")
    second = decide("ask", "1. Numbered").id
    decide("bind", second, "reject", "no, because y", "--read", "src/app.py")
    decide("supersede", second, "adopt", "simple", "-m", "changed", "--no-code", "--read", "src/app.py")
    third = decide("ask", "Открыто").id
    return [first, second, third]


@pytest.fixture
def other(decide: Decide, tmp_path: Path, git: GitRunner) -> Path:
    """Another repository, with a log that is begun."""
    path = tmp_path / "other"
    path.mkdir()
    git(path, "init", "-q")
    decide("init", "--no-hooks", cwd=path)
    return path


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.iterdir()) if not file.name.startswith(".")]


@pytest.mark.parametrize("form", ["json", "jsonl", "madr"])
def test_what_was_exported_comes_back(
    form: str, records: list[str], decide: Decide, repo: Path, other: Path
) -> None:
    """Exported, imported into another log and exported again, it is the same byte for byte."""
    assert decide("export", form, "-o", "out").stderr == "3 written, 0 as they were\n"

    taken = decide("import", form, str(repo / "out"), cwd=other)

    assert taken.exit_code == 0, taken
    assert decide("export", form, "-o", "out", cwd=other).exit_code == 0
    assert contents(other / "out") == contents(repo / "out")
    assert decide("fsck", cwd=other).exit_code == 0


def test_one_text_of_evidence_records_comes_back(records: list[str], decide: Decide, other: Path) -> None:
    """The ids count on over all records."""
    text = decide("export", "jsonl").stdout
    (other / "all.jsonl").write_text(text)

    decide("import", "jsonl", "all.jsonl", cwd=other)

    assert decide("export", "jsonl", cwd=other).stdout == text


def test_a_page_of_madr_says_what_a_decision_rests_on(records: list[str], decide: Decide) -> None:
    """Its state, what was chosen, the check as its confirmation, and who voted after reading what."""
    page = decide("export", "madr", records[1]).stdout

    assert page.startswith(
        '---\nstatus: accepted\ndate: "2026-10-19"\ndecision-makers:\n  - Ada\n---\n\n# 1\\. Numbered\n'
    )
    assert 'Chosen option: "simple", because changed' in page
    first = decide("export", "madr", records[0]).stdout
    assert "### Confirmation\n\n* holds (exit 0): grep -q 'x = 1' src/app.py\n" in first
    assert "* inform by Ada: read it ## so (read: src/app.py)\n" in first


def test_json_adr_fits_its_schema(records: list[str], decide: Decide, repo: Path) -> None:
    """As one text and as files, by what the makers of the format publish."""
    decide("export", "json-adr", "-o", "out")

    whole = json.loads(decide("export", "json-adr").stdout)

    for document in (whole, *map(json.loads, contents(repo / "out"))):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert [(adr["number"], adr["status"]) for adr in whole["adrs"]] == [
        (1, "accepted"), (2, "accepted"), (3, "proposed"),
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["json", "markdown", "yaml"])
def test_other_formats_are_those_of_show(form: str, records: list[str], decide: Decide) -> None:
    """The same renderers over many records."""
    shown = [decide("show", name, "--format", form).stdout for name in records]

    exported = decide("export", form).stdout

    if form == "json":
        assert json.loads(exported) == list(map(json.loads, shown))
    else:
        assert exported == ("" if form == "yaml" else "\n").join(shown)


@pytest.mark.parametrize("form", ["madr", "markdown"])
def test_file_names_suit_every_disk(form: str, log: None, decide: Decide, repo: Path) -> None:
    """Never empty, unlike each other where case is folded, not too long, and cut between characters."""
    for title in TITLES:
        decide("ask", title)

    decide("export", form, "-o", "out")

    names = [file.name for file in (repo / "out").iterdir() if not file.name.startswith(".")]
    assert len({name.casefold() for name in names}) == len(TITLES)
    assert all(5 < len(name.encode()) <= 255 for name in names)
    assert not any(set(name) & set('<>:"/\\|?*#% ') for name in names)
    long = next(file for file in (repo / "out").iterdir() if "長" in file.name)
    assert "長" * 300 in long.read_text()


def test_only_what_changed_is_written_again(records: list[str], decide: Decide, repo: Path) -> None:
    """A file that is as it should be keeps its time."""
    decide("export", "madr", "-o", "out")
    before = {file: file.stat().st_mtime_ns for file in (repo / "out").iterdir()}
    assert decide("export", "madr", "-o", "out").stderr == "0 written, 3 as they were\n"
    assert {file: file.stat().st_mtime_ns for file in (repo / "out").iterdir()} == before
    decide("bind", records[2], "adopt", "yes", "--no-code", "--read", "src/app.py")

    assert decide("export", "madr", "-o", "out").stderr == "1 written, 2 as they were\n"


def test_a_file_that_is_not_ours_is_kept(
    records: list[str], decide: Decide, repo: Path, refuses: Refuses
) -> None:
    """Nothing is written at all, unless forced."""
    decide("export", "madr", "-o", "out")
    file = next(file for file in (repo / "out").iterdir() if file.name.startswith("0001"))
    file.write_text("mine")
    decide("bind", records[2], "adopt", "yes", "--no-code", "--read", "src/app.py")
    before = contents(repo / "out")

    assert "is not as we wrote it" in refuses(3, "export", "madr", "-o", "out")
    assert contents(repo / "out") == before
    assert decide("export", "madr", "-o", "out", "--force").exit_code == 0
    assert file.read_text() != "mine"


def test_a_file_a_record_needs_a_folder(records: list[str], refuses: Refuses) -> None:
    """Several pages with front matter are no page."""
    assert "--output DIR" in refuses(2, "export", "madr")


def test_links_between_exported_records_hold(decide: Decide, repo: Path, log: None, other: Path) -> None:
    """They lead to the names that the files had before, and the records are tied again elsewhere."""
    (repo / "adr").mkdir()
    (repo / "adr/0001-use-a.md").write_text("# Use A\n\nStatus: superseded by [2](0002-use-b.md)\n")
    (repo / "adr/0002-use-b.md").write_text("# Use B\n\nStatus: accepted\n")
    decide("import", "madr", "adr")
    decide("export", "madr", "-o", "out")

    told = decide("import", "madr", str(repo / "out"), cwd=other).stdout

    assert "superseded by 0002-use-b.md: DR-002-" in told
    assert "DR-001" in decide("list", "--status", "superseded", cwd=other).stdout


def test_more_information_stands_once(decide: Decide, repo: Path, log: None) -> None:
    """What a decision of ours rests on joins what the imported record said there."""
    (repo / "0001-a.md").write_text("# A\n\nStatus: accepted\n\n## More Information\n\nLater.\n\n## Z\n\nz\n")
    name = decide("import", "madr", "0001-a.md").stdout.partition(" is ")[2].partition(";")[0]
    decide("bind", name, "adopt", "A stays", "--no-code", "--read", "0001-a.md")

    page = decide("export", "madr", name).stdout

    assert page.count("## More Information") == 1
    assert page.index("## Z") < page.index("Later.\n\n* git-decide: ")
