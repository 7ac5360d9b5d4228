"""The comment of a review, from facts alone: its limit, its order, and what it leaves out."""

from gitdecide.render.comment import units
from gitdecide.render.review import markdown
from gitdecide.render.review.facts import Commit, Finding, Note, Premise, Proposed, Review, Ruling, Subject

ID = "ab" * 20
AT = "2026-10-19T09:14:03.482913Z"


def subject(
    number: int, *, notes: tuple[Note, ...] = (), patch: str | None = None, output: str = ""
) -> Subject:
    """A decision with a long title, and perhaps output and a patch."""
    check = Premise(
        id=ID, actor="ada", at=AT, premise="p", command="make test", result="inconclusive",
        exit_code=2, source="ran", commit=ID, clean=True, behind=3, note=None, output=output or None,
        output_bytes=len(output) or None,
    )  # fmt: skip
    ruling = Ruling(
        id=ID, actor="ada", at=AT, outcome="adopt", text="yes " * 200, live=True, provenance=(),
        rationale=None, review_by=None, read=(), checks=(check,),
    )  # fmt: skip
    proposal = Proposed(id=ID, actor="gus", title=None, branch="decide/1", base=ID, patch=patch)
    return Subject(
        name=f"DR-{number:03d}-3f2a91c0", status="decided", became="adopted",
        question="\U0001f600 a long title | " * 60, linked_by=(ID,), paths=("src/a.py",), rulings=(ruling,),
        votes=(), objections=(), proposals=(proposal,) if patch else (), notes=notes, successors=(),
        unmerged=False,
    )  # fmt: skip


def review(decisions: tuple[Subject, ...], findings: int = 0) -> Review:
    """One commit that links them all, with so many findings."""
    found = tuple(
        Finding(code="G2", message=f"DR-{number} is not decided", hint="h") for number in range(findings)
    )
    commit = Commit(
        id=ID, subject="All", verdict="refused" if found else "passes", paths=("src/a.py",), names=(),
        waiver=None, findings=found,
    )  # fmt: skip
    return Review(base=ID, head=ID, policy=None, commits=(commit,), decisions=decisions, governing=())


def comment(given: Review) -> str:
    """The comment as it is printed."""
    return "\n".join(map(str, markdown.lines(given))) + "\n"


def test_the_limit_holds() -> None:
    """Four hundred decisions with long titles and much output: whole entries, and what was left out."""
    output = "".join(f"{number} {'x' * 120}\n" for number in range(100))
    patch = "".join(f"+line {number} ```\n" for number in range(2000))
    decisions = tuple(subject(number, patch=patch, output=output) for number in range(400))

    said = comment(review(decisions, findings=400))

    assert 50_000 < units(said) < markdown.LIMIT
    assert said.count("**G2**") > 50
    assert said.count("\n<details") == said.count("\n</details>")
    assert all(line.endswith("|") for line in said.split("\n") if line.startswith("| "))
    for what in ("reasons for a refusal", "decisions in the table", "decisions in full"):
        assert what in said.partition("**Left out, since a comment holds only so much:**")[2]
    assert "`git decide review abababababab..abababababab` shows all" in said
    assert "lines more are left out: `git decide proposal diff abababababab` shows all" in said


def test_what_fits_is_all_there() -> None:
    """And nothing is said of leaving out."""
    said = comment(review((subject(1),)))

    assert "Left out" not in said
    assert "DR-001-3f2a91c0" in said


def test_what_is_refused_comes_first() -> None:
    """Then what has something against it, then the rest, each in the order of the commits."""
    refused = Note(kind="finding", text="the gate refuses it")
    stale = Note(kind="stale", text="src/a.py is gone")
    given = (subject(1), subject(2, notes=(stale,)), subject(3, notes=(refused,)), subject(4))

    said = comment(review(given))

    rows = [line[3:9] for line in said.split("\n") if line.startswith("| `DR-")]
    assert rows == ["DR-003", "DR-002", "DR-001", "DR-004"]


def test_a_patch_cannot_end_its_fence() -> None:
    """Whatever runs of ticks it holds."""
    said = comment(review((subject(1, patch="+````\n+</details>\n+<!-- git-decide review -->\n"),)))

    assert "\n`````diff\n+````\n" in said
    assert said.count("<!-- git-decide") == 1


def test_output_of_a_check_that_answers_nothing_is_shown() -> None:
    """Its end, bounded."""
    said = comment(review((subject(1, output="first\n" + "noise\n" * 50 + "No such file\n"),)))

    assert "No such file" in said
    assert "first" not in said
