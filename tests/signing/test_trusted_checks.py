"""Trust tier 2: checks are rerun unasked when they are signed with the key that trust was given by."""

import pytest

from tests.signing.conftest import Signing


@pytest.fixture
def elsewhere(ada: Signing) -> Signing:
    """The same without a policy that asks for signatures, with a signed check that it did not run itself."""
    ada.policy("signed: false\n")
    ada.ok("check", "DR-1", "--", "true")
    forget(ada)
    return ada


def forget(place: Signing) -> None:
    """Make it another clone, which ran nothing itself."""
    (place.path / ".git" / "decide" / "ran").unlink()


def test_a_signed_check_of_who_is_trusted_runs(elsewhere: Signing) -> None:
    """And before that it does not."""
    assert elsewhere("recheck", "DR-1").exit_code == 1

    said = elsewhere("trust", "Ada", "2")

    assert f"by the key {' '.join(elsewhere.keys.public('ada').split()[:2])}" in said.stderr
    assert "holds, as before: true" in elsewhere.ok("recheck", "DR-1")


def test_what_is_not_signed_by_them_does_not(elsewhere: Signing) -> None:
    """Without a signature, with another key, or by another name, its command is shown."""
    elsewhere.ok("trust", "Ada", "2")
    for key, words in ((None, ("echo", "a")), ("mallory", ("echo", "b"))):
        elsewhere.sign(key)
        elsewhere.ok("check", "DR-1", "--", *words)
    elsewhere.sign("ada")
    elsewhere.ok("check", "DR-1", "--as", "bob", "--", "echo", "c")
    forget(elsewhere)

    said = elsewhere("recheck", "DR-1")

    assert said.exit_code == 1
    assert said.stdout.count("\n") == 1
    assert [line.rpartition(": ")[2] for line in said.stderr.splitlines() if "not run" in line] == [
        "echo a", "echo b", "echo c",
    ]  # fmt: skip


def test_a_key_that_came_later_is_not_trusted(elsewhere: Signing) -> None:
    """Whoever may push could give somebody a first key; and taking trust away takes the key along."""
    elsewhere.ok("trust", "bob", "2")
    elsewhere.ok("actor", "add", "bob", "--key", elsewhere.keys.public("mallory"))
    elsewhere.sign("mallory")
    elsewhere.ok("check", "DR-1", "--as", "bob", "--", "echo", "b")
    forget(elsewhere)
    assert "echo b" not in elsewhere("recheck", "DR-1").stdout

    elsewhere.ok("trust", "bob", "2")
    assert "echo b" in elsewhere("recheck", "DR-1").stdout

    forget(elsewhere)
    elsewhere.ok("trust", "bob", "1")
    elsewhere.ok("trust", "bob", "1")
    assert "trust" not in elsewhere.git("config", "--local", "--list")
    assert "echo b" not in elsewhere("recheck", "DR-1").stdout
