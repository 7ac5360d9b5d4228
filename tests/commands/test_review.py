"""What a review tells of a pull request, in every view."""

import html
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.commands.review_world import PullRequest, adopted, commit, twelve_commits
from tests.conftest import Clock, Decide, GitRunner


@pytest.fixture
def twelve(repo: Path, git: GitRunner, decide: Decide, clock: Clock, log: None) -> PullRequest:
    """The pull request in which everything stands that a review may have to tell."""
    return twelve_commits(repo, git, decide, clock)


def reviewed(decide: Decide, *args: str, code: int) -> dict[str, Any]:
    """A review for programs, which ends with this exit code."""
    done = decide("review", "--json", *args)
    assert done.exit_code == code, done
    return dict(json.loads(done.stdout))


def test_a_review_tells_everything(twelve: PullRequest, decide: Decide) -> None:
    """Of each commit the verdict, and of each decision what stands against it: in every view."""
    data = reviewed(decide, twelve.range, code=1)
    comment = decide("review", twelve.range, "--format", "markdown")

    assert data["version"] == 1
    found = {each["id"]: [finding["code"] for finding in each["findings"]] for each in data["commits"]}
    for word, commit_id in twelve.commits.items():
        assert found[commit_id] == ([word] if word.startswith("G") else [])
    kinds = {each["name"]: {note["kind"] for note in each["notes"]} for each in data["decisions"]}
    assert kinds[twelve.names["doubtful"]] == {
        "fast", "unanswered", "opposition", "unverified", "echo", "stale",
    }  # fmt: skip
    assert "conflict" in kinds[twelve.names["G7"]]
    assert "unread" in kinds[twelve.names["sound"]]
    assert [each["name"] for each in data["governing"]] == [twelve.names["governing"]]
    assert data["governing"][0]["paths"] == ["src/b.py"]
    assert comment.exit_code == 1
    for said in (
        "## Refused: 8 of 12 commits may not go in",
        "**G1** no decision record DR-999",
        f"**G2** {twelve.names['G2']} is not decided",
        f"**G3** {twelve.names['G3']} is contested",
        f"**G4** {twelve.names['G4']} is superseded by {twelve.names['successor']}",
        f"**G5** {twelve.names['G5']} rejects this",
        f"**G6** {twelve.names['G6']} has no premise check that ran",
        f"**G7** {twelve.names['G7']} is blocked by the conflict",
        "**G8** the commit changes code and names no decision",
        "Ada answered a challenge 34 s after erin made it",
        "nobody answered this challenge: frank, who read src/app.py, says “what of the tests?”",
        "bot-1 and bot-2 are the same model, read the same and say the same: one voice, not 2",
        "carol supports it and read nothing: that vote does not count",
        "dave, who read src/cache.py, opposed it, and the decision does not answer",
        "src/cache.py changed since (1 commit): it is no longer what dave and erin read",
        "erin, who read src/cache.py, says that evidence stands against it",
        "nobody who spoke here read what is changed: src/loader.py",
        "`src/engine.py` (changed by these commits)",
        f"`{twelve.names['governing']}` Keep b.py free of imports?",
        f"Superseded by {twelve.names['successor']} (adopted: on disk)",
        "+limit = 10",
        "Branch `decide/DR-010/1`",
    ):
        assert said in comment.stdout, said
    text = decide("review", twelve.range).stdout
    page = decide("review", twelve.range, "--format", "html").stdout
    read = Page(page)
    for subject in (*data["decisions"], *data["governing"]):
        for note in subject["notes"]:
            shown = re.sub(r"([0-9a-f]{8})[0-9a-f]{32}", r"\1", note["text"])
            assert shown in text
            assert shown in read.text
    assert not re.search('(?:src|href)="[^#]', page)
    assert "script" not in read.elements


class Page(HTMLParser):
    """The elements of a page, its attributes, and the text that it shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def one(repo: Path, git: GitRunner, decide: Decide, log: None) -> tuple[str, str]:
    """A record that passes, and the range of the one commit that links it."""
    name = adopted(decide, "One?")
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git, "src/new.py", f"Add\n\nDecision: {name}")
    return name, f"{base}..HEAD"


def test_the_same_facts_are_the_same_bytes(
    repo: Path, git: GitRunner, decide: Decide, clock: Clock, one: tuple[str, str]
) -> None:
    """Whenever they are reviewed, and wherever HEAD is; what is new changes the digest."""
    range_ = f"{one[1].partition('..')[0]}..topic"
    git(repo, "branch", "topic")
    first = decide("review", range_, "--format", "markdown").stdout
    clock.pass_(days=400)
    git(repo, "reset", "-q", "--hard", "HEAD^")
    again = decide("review", range_, "--format", "markdown").stdout
    decide("vote", one[0], "inform", "-m", "looked again", "--read", "src/app.py")
    later = decide("review", range_, "--format", "markdown").stdout

    assert re.fullmatch(r"<!-- git-decide review sha256:[0-9a-f]{64} -->", first.split("\n")[0])
    assert first.split("\n")[1].startswith("## ")
    assert again == first
    assert later.split("\n")[0] != first.split("\n")[0]


def test_without_a_range_it_is_verifys(
    repo: Path, git: GitRunner, decide: Decide, one: tuple[str, str]
) -> None:
    """The commits that no remote has."""
    git(repo, "update-ref", "refs/remotes/origin/main", one[1].partition("..")[0])

    assert [each["subject"] for each in reviewed(decide, code=0)["commits"]] == ["Add"]


def test_nothing_to_review(decide: Decide, one: tuple[str, str]) -> None:
    """An empty range is no error."""
    done = decide("review", "HEAD..HEAD", "--format", "markdown")

    assert done.exit_code == 0
    assert "## Nothing to review" in done.stdout


def test_a_damaged_record_is_told_and_fails(
    repo: Path, git: GitRunner, decide: Decide, one: tuple[str, str]
) -> None:
    """The reviewer sees why nobody can judge; exit code 4."""
    git(repo, "update-ref", "-d", "refs/decisions/log")

    done = decide("review", one[1], "--format", "markdown")

    assert done.exit_code == 4
    assert "## Damaged: 1 of 1 commit cannot be judged" in done.stdout
    assert "there is no decision log here" in done.stdout


def test_a_log_beside_ours(repo: Path, git: GitRunner, decide: Decide, one: tuple[str, str]) -> None:
    """What a fork decided counts for its review, and is shown as unmerged."""
    git(repo, "update-ref", "refs/fork/log", "refs/decisions/log")
    git(repo, "update-ref", "-d", "refs/decisions/log")
    git(repo, "update-ref", "-d", "refs/decisions-seen/origin")

    data = reviewed(decide, one[1], "--log", "refs/fork/log", code=0)

    assert data["unmerged"]["records"] == [one[0]]
    assert data["decisions"][0]["unmerged"]
    assert "(unmerged)" in decide("review", one[1], "--log", "refs/fork/log", "--format", "markdown").stdout


def test_checks_are_run_again_on_request(
    repo: Path, git: GitRunner, decide: Decide, one: tuple[str, str]
) -> None:
    """Only what the base's policy permits, at the head, and the log stays as it is."""
    (repo / "src" / "app.py").write_text("y = 1\n")
    (repo / ".gitdecide.yaml").write_text('recheck: {allow: ["touch *"]}\n')
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "Break the premise")
    before = git(repo, "for-each-ref")

    calm = reviewed(decide, one[1], code=0)
    again = reviewed(decide, one[1], "--recheck", code=1)
    comment = decide("review", one[1], "--recheck", "--format", "markdown").stdout

    assert not calm["rechecked"]
    assert calm["decisions"][0]["rulings"][0]["checks"][0]["again"] is None
    check = again["decisions"][0]["rulings"][0]["checks"][0]
    assert (check["result"], check["again"]["result"]) == ("holds", "fails")
    assert "## Premise gone: 1 decision" in comment
    assert "run again now, its premise answers fails, exit 1, and was holds" in comment
    assert git(repo, "for-each-ref") == before


def test_what_the_base_does_not_permit_is_not_run(
    repo: Path, git: GitRunner, decide: Decide, log: None
) -> None:
    """Whatever the branch says that may run."""
    name = decide("ask", "Touch it?").id
    decide("check", name, "--report", "0", "--", "touch", "owned")
    decide("bind", name, "adopt", "yes", "--read", "src/app.py", "--check", "last")
    base = git(repo, "rev-parse", "HEAD")
    (repo / ".gitdecide.yaml").write_text('recheck: {allow: ["touch *"]}\n')
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", f"Permit it\n\nDecision: {name}")

    data = reviewed(decide, f"{base}..HEAD", "--recheck", code=0)
    text, comment, page = (
        decide("review", f"{base}..HEAD", "--recheck", "--format", view).stdout
        for view in ("text", "markdown", "html")
    )

    check = data["decisions"][0]["rulings"][0]["checks"][0]
    assert (check["again"], check["kept"]) == (None, True)
    for said in (text, comment, html.unescape(page)):
        assert "0 checks run again on the head of this range; 1 not" in said
        assert "not run again: the base's policy (recheck.allow) does not permit it" in said


@pytest.mark.parametrize(
    ("specs", "governs"),
    [
        (["src"], True),
        (["src/new.py"], True),
        (["src/*.py"], True),
        (["s*w.py"], True),
        ([":(glob)src/**"], True),
        (["src/[a-n]ew.py"], True),
        (["src/ne"], False),
        (["docs", "*.md"], False),
        ([":(glob)*.py"], False),
        (["src", ":(exclude)src/new.py"], False),
        ([":(nonsense)src"], False),
    ],
)
def test_what_governs_is_found_as_git_matches(
    decide: Decide, one: tuple[str, str], specs: list[str], governs: bool
) -> None:
    """Whatever kind of pathspec a decision rules by; one that git cannot read governs nothing."""
    governing = adopted(decide, "Ruled?", *(word for spec in specs for word in ("--governs", spec)))

    found = reviewed(decide, one[1], code=0)["governing"]

    assert [(each["name"], each["paths"]) for each in found] == [(governing, ["src/new.py"])] * governs


def test_merges_are_judged_as_verify_does(
    repo: Path, git: GitRunner, decide: Decide, one: tuple[str, str]
) -> None:
    """A merge queue's branch: the merge changes nothing of its own, and the commits in it are told."""
    git(repo, "branch", "-q", "topic")
    git(repo, "reset", "-q", "--hard", one[1].partition("..")[0])
    commit(repo, git, "docs/a.md", "Elsewhere")
    git(repo, "switch", "-qc", "gh-readonly-queue/main/pr-1")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "topic")

    data = reviewed(decide, "main..HEAD", code=0)

    assert [each["verdict"] for each in data["commits"]] == ["passes", "no code"]


def test_what_was_decided_in_spite_of_something(
    repo: Path, git: GitRunner, decide: Decide, log: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing check, dissent, a day that is over, a choice that nobody confirmed: each is told."""
    name = decide("ask", "Use sqlite?", "--option", "sqlite", "--option", "files").id
    (repo / "src" / "app.py").write_text("y = 1\n")
    decide("check", name, "--premise", "x is set", "--", "grep", "-q", "x", "src/app.py")
    bound = decide(
        *("bind", name, "adopt", "sqlite", "--as", "bot", "--read", "src/app.py", "--check", "last"),
        *("--despite", "we will set it", "--dissent", "files are simpler", "--review-by", "2026-10-20"),
        *(
            "--settled",
            "user-approved",
            "--over",
            "files",
            "--because",
            "speed",
            "--by",
            "Ada",
            "--said",
            "ok",
        ),
    )
    assert bound.exit_code == 0, bound.stderr
    base = git(repo, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2027-01-01T00:00:00Z")
    commit(repo, git, "src/new.py", f"Add\n\nDecision: {name}")

    data = reviewed(decide, f"{base}..HEAD", code=0)

    notes = {note["kind"]: note["text"] for note in data["decisions"][0]["notes"]}
    assert notes["check"] == "its premise does not hold: “x is set”"
    assert notes["despite"] == "bot adopted it over a check that fails: “we will set it”"
    assert notes["dissent"] == "said against it: “files are simpler”"
    assert notes["review-by"] == "it was to be looked at again by 2026-10-20"
    assert notes["unconfirmed"] == "it is said to be Ada's choice, and Ada has not confirmed it"


def test_a_directive_that_nobody_challenged(repo: Path, git: GitRunner, decide: Decide, log: None) -> None:
    """It is asserted, and the reviewer is told so."""
    name = decide("ask", "Use sqlite", "--directive").id
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git, "src/new.py", f"Add\n\nDecision: {name}")

    data = reviewed(decide, f"{base}..HEAD", code=1)

    assert [note["kind"] for note in data["decisions"][0]["notes"]] == ["finding", "directive"]


def test_a_rejection_that_lifts_nothing_is_told(
    repo: Path, git: GitRunner, decide: Decide, log: None
) -> None:
    """A reviewer who sees it rejected must know why it still blocks."""
    name = adopted(decide, "Trust it?")
    conflict = decide(
        *("conflict", name, "--severity", "invalidating", "-m", "forged"),
        *("--read", "src/app.py", "--as", "erin"),
    ).id
    rejected = decide("answer", name, conflict, "reject", "-m", "no").id
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git, "src/new.py", f"Add\n\nDecision: {name}")

    said = decide("review", f"{base}..HEAD").stdout

    why = "it names nothing that was read"
    assert (
        f"conflict: the rejection {rejected[:8]} leaves the conflict {conflict[:8]} standing: {why}" in said
    )


def imported(repo: Path, git: GitRunner, decide: Decide) -> tuple[str, str]:
    """What others voted, ran and decided elsewhere, and the range of a commit that links it."""
    lines = (
        {"id": "d1", "type": "question", "question": "Add it?"},
        {"id": "d2", "type": "vote", "qid": "d1", "agent": "bob", "stance": "support", "reason": "sure"},
        {"id": "d3", "type": "check", "qid": "d1", "command": "true", "exit_code": 0, "note": "fine"},
        {"id": "d4", "type": "decision", "qid": "d1", "decider": "eve", "decision": "it", "check": "d3"},
    )
    (repo / "old.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    name = json.loads(decide("import", "jsonl", "old.jsonl", "--json").stdout)["files"][0]["record"]
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git, "src/new.py", f"Add\n\nDecision: {name}")
    return name, f"{base}..HEAD"


def test_what_was_imported_is_quoted(repo: Path, git: GitRunner, decide: Decide, log: None) -> None:
    """It is the word of whoever said it there, is marked, and counts for nothing."""
    _, commits = imported(repo, git, decide)

    comment, text, page = (
        decide("review", commits, "--format", view).stdout for view in ("markdown", "text", "html")
    )
    subject = reviewed(decide, commits, code=1)["decisions"][0]

    assert [(vote["actor"], vote["quoted"]) for vote in subject["votes"]] == [("Ada", "bob")]
    assert [note["kind"] for note in subject["notes"]] == ["finding", "check"]
    for said in (text, page):
        assert "bob [imported by Ada] supports it" in said
        assert "adopted, elsewhere, by eve [imported by Ada]" in said.replace("Adopted", "adopted")
        assert "holds (exit 0) [imported]" in said
    assert r"bob \[imported by Ada\] supports it" in comment
    assert r"| nobody | holds \[imported\] |" in comment


HOSTILE = (
    "\x1b]0;t\x07 \x1b[2J a\rb \u202e a | b ` ```` @some-team #12 fixes #12 <img src=x onerror=alert(1)> "
    "</script></details> [x](javascript:alert(1))\n## Approved\n--> {{ 7*7 }} {% raw %} "
    "<!-- git-decide review sha256:00 -->"
)


def test_hostile_text_is_inert_in_every_view(
    repo: Path, git: GitRunner, decide: Decide, clock: Clock, log: None
) -> None:
    """It shows as text, in whole rows, and neither marker nor page can be broken."""
    name = decide("ask", HOSTILE, "--job", "x").id
    decide("vote", name, "inform", "-m", HOSTILE, "--read", "src/app.py", "--as", "@some-team | `x` [y](z)")
    decide("challenge", name, HOSTILE, "--as", "#12 *x*", "--read", "message:<b>@some-team")
    decide("check", name, "--premise", HOSTILE, "-c", f"printf %s {shlex.quote(HOSTILE)}")
    bound = decide("bind", name, "adopt", HOSTILE, "--read", "src/app.py", "--check", "last")
    assert bound.exit_code == 0, bound.stderr
    base = git(repo, "rev-parse", "HEAD")
    path = "src/a | b`<img src=x>@some-team #12.py"
    (repo / path.rpartition("/")[0]).mkdir(exist_ok=True)
    subject = "@some-team fixes #12 <b> | \u202e [x](javascript:alert(1))"
    commit(repo, git, path, f"{subject}\n\nDecision: {name}")

    comment, text, page, data = (
        decide("review", f"{base}..HEAD", *view)
        for view in (["--format", "markdown"], [], ["--format", "html"], ["--json"])
    )

    for done in (comment, text, page, data):
        assert done.exit_code == 0, done
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", done.stdout)
    assert json.loads(data.stdout)["decisions"][0]["question"] == HOSTILE
    lines = comment.stdout.split("\n")
    assert [line for line in lines if "<!-- git-decide" in line] == lines[:1]
    assert [line for line in lines if line.startswith("## ")] == ["## Passes: 1 commit"]
    assert len([line for line in lines if line.startswith(f"| `{name}`")]) == 1
    assert "{{ 7" in comment.stdout
    assert "49" not in re.sub("[0-9a-f]{8,}", "", comment.stdout)
    spans = r"<code>.*?</code>|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)"
    bare = re.sub(spans, "", comment.stdout.replace(r"\`", ""), flags=re.DOTALL)
    assert not re.search(r"@\w|(?<![&#])#\d|\]\(", bare)
    ours = {"details", "summary", "b", "br", "sub", "code"}
    assert set(re.findall(r"<\/?([a-z]+)", bare)) <= ours
    read = Page(page.stdout)
    assert "<img src=x onerror=alert(1)>" in read.text
    assert "{{ 7*7 }}" in read.text
    assert not read.elements & {"img", "script"}
    assert "onerror" not in read.attributes
