"""Which lines of a commit message name decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.git.messages import Linked, cut, linked, rewording

NAME = "DR-007-3f2a91c0"
OTHER = "DR-012-b81e0c55"

LINKS = {
    f"Subject\n\nDecision: {NAME}\n": (NAME,),
    f"Subject\nDecision: {NAME}": (NAME,),
    f"\n\nSubject\n\nDecision: {NAME}\n": (NAME,),
    f"Subject\n\n    one\n\n \tDecision:{NAME} \r\n": (NAME,),
    f"Subject\n\nDECISION : {NAME}\n": (NAME,),
    f"Subject\n\nDecision: {NAME}, {OTHER}\n": (NAME, OTHER),
    f"Subject\n\nDecision: {NAME},,{NAME}\nDecision: {OTHER}\n": (NAME, OTHER),
    f"Subject\n\nDecision: {NAME}\n\n* two\n\nDecision: {OTHER}\n\n---------\n\nBy: P\n": (NAME, OTHER),
    f"Title\n\nHeader\n------\nprose\n\nDecision: {NAME}\n": (NAME,),
    "Subject\n\nDecision: dr-7\n": ("dr-7",),
    "Subject\n\nDecision: DR-7 and more\n": ("DR-7 and more",),
    f"Subject\n\nDecision: {NAME}, we think\n": (NAME, "we think"),
    f"Decision: {NAME}\n": (),
    f"Decision: {NAME}\n\nThe subject is no link\n": (),
    f"Subject\n\nThe Decision: {NAME}\n": (),
    f"Subject\n\n> Decision: {NAME}\n": (),
    f"Subject\n\n; Decision: {NAME}\n": (),
    f"Subject\n\nDecisions: {NAME}\n": (),
    "Subject\n\nDecision: we go on\nDecision:\nDecision: DR-x\nDecision: D-99\n": (),
    "": (),
}  # fmt: skip


@pytest.mark.parametrize("message", LINKS)
def test_a_line_counts_by_what_it_says(message: str) -> None:
    """Names count anywhere below the subject, on a line of their own; other prose does not."""
    assert linked(message) == Linked(LINKS[message])


WAIVERS = {
    "Subject\n\nDecision: none (a typo)\n": "a typo",
    "Subject\n\ndecision: NONE ( generated (by make) )\n": "generated (by make)",
    "Subject\n\nDecision: none\n": None,
    "Subject\n\nDecision: none ()\n": None,
    "Subject\n\nDecision: none (a) b\n": None,
    "Decision: none (a typo)\n": None,
}


@pytest.mark.parametrize("message", WAIVERS)
def test_a_waiver_says_why(message: str) -> None:
    """`none` counts with its reason only."""
    assert linked(message) == Linked((), WAIVERS[message])


def test_a_waiver_does_not_undo_a_name() -> None:
    """Both stand in the answer, and the name is judged."""
    assert linked(f"S\n\nDecision: none (x)\nDecision: {NAME}\n") == Linked((NAME,), "x")


@given(st.text())
def test_any_text_is_a_message(text: str) -> None:
    """Nothing that can be written into a message stops the parser, and each name comes once."""
    names = linked(text).names

    assert len(names) == len(set(names))
    assert all(name == name.strip() and name for name in names)


@pytest.mark.parametrize("comment", ["#", ";", "//", "# ", "dnl -"])
def test_what_is_below_the_scissors_is_cut(comment: str) -> None:
    """Git's own line ends the message, and tells what its comments begin with."""
    scissors = f"{comment} ------------------------ >8 ------------------------"

    assert cut(f"S\n\nbody\n{scissors}\nDecision: {NAME}\n") == ("S\n\nbody\n", comment)
    assert cut(f"S\n{scissors}\r\nx") == ("S\n", comment)
    assert cut(f"S\n> {scissors}\nbody\n{scissors}\nx", comment) == (f"S\n> {scissors}\nbody\n", comment)
    for text in (
        f"S\n{scissors} x\n",
        f"S\nx{scissors[1:]}-\n",
        f"S\n{scissors[len(comment) + 1 :]}\n",
        "S\n",
    ):
        assert cut(text) == (text, None)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("fixup! x\n", True),
        ("\nsquash! x", True),
        ("amend! x\n\nx", True),
        ("fixup!x", False),
        ("x\nfixup! x", False),
    ],
)
def test_commits_for_autosquash_are_known(message: str, answer: bool) -> None:
    """By the word that git puts before their subject."""
    assert rewording(message) is answer
