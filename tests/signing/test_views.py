"""What does not count for want of a signature, in the views that people read: shown, and marked so."""

from pathlib import Path

from tests.signing.conftest import Signing

WHY = "its commit is not signed, and Ada has a key"


def test_a_page_says_what_does_not_count(ada: Signing, tmp_path: Path) -> None:
    """It stands in the timeline with the reason, is no vote, and no actor's page counts it as one."""
    forged = ada.unasked(*ada.voting("forged"), key=None)

    assert ada("site", str(tmp_path / "site")).exit_code == 0

    page = next((tmp_path / "site" / "record").glob("DR-001-*.html")).read_text()
    entry = page.partition(f'id="e-{forged}"')[2].partition("</li>")[0]
    assert '<span class="mark">does not count</span>' in entry
    assert WHY in entry
    assert 'id="votes"' not in page
    assert "uncounted vote" in next((tmp_path / "site" / "actor").glob("ada-*.html")).read_text()


def test_a_review_says_what_does_not_count(ada: Signing) -> None:
    """Beside what stands against the decision that a commit links."""
    forged = ada.unasked(*ada.voting("forged"), key=None)
    (ada.path / "src").mkdir(exist_ok=True)
    (ada.path / "src" / "new.py").write_text("x = 1\n")
    base = ada.git("rev-parse", "HEAD")
    ada.git("add", "-A")
    ada.git("commit", "-qm", "Add\n\nDecision: DR-1")

    said = ada("review", f"{base}..HEAD").stdout

    assert f"does not count: the vote {forged[:8]} by Ada does not count: {WHY}" in said
