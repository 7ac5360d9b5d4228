"""The annotation: what we write is what we read, whatever the texts hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.entries.annotation import CLASSES, alternative, annotation, find, one_line, written
from gitdecide.entries.types import Decision, Settled, Turn
from tests.entries.story import Story

EXACT = "(session-settled: user-directed — chosen over Redis: nothing to run)"


def problems(text: str) -> list[str | None]:
    return [found.problem for found in find(text)]


def test_the_annotation_is_exactly_this() -> None:
    """Stem, class tokens, dash and order are fixed."""
    assert written("user-directed", "Redis", "nothing to run") == EXACT


def test_a_decision_carries_its_annotation() -> None:
    """An option in its words, and a challenge or a turn in theirs: nobody needs to look an id up."""
    story = Story(options=("SQLite", "Redis"))
    claim = story.challenge(story.question, claim="Redis\nis quicker")
    turn = story.say(Turn, verb="position", headline="I stay", position="files will do")
    said = {over: Settled(label="user-approved", over=over, because="why") for over in ("Redis", claim, turn)}

    assert [alternative(settled, story.record) for settled in said.values()] == [
        "Redis",
        "Redis\nis quicker",
        "files will do",
    ]
    decision = story.make(Decision, settled=said[claim])
    assert annotation(decision, story.record) == (
        "(session-settled: user-approved — chosen over Redis is quicker: why)"
    )
    assert annotation(story.make(Decision), story.record) is None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: any(map(str.isalnum, text))
)
HOSTILE = st.lists(
    st.sampled_from([*"(): \n—ax", ": ", "session-settled: user-directed", "chosen over "]), min_size=1
).map(lambda parts: "x" + "".join(parts))


@given(st.sampled_from(CLASSES), TEXTS | HOSTILE, TEXTS | HOSTILE)
def test_what_is_written_is_read_back(label: str, over: str, because: str) -> None:
    """One annotation, closed where we close it, of this class: no text ends it early or adds another."""
    text = written(label, over, because)
    (found,) = find(f"Use SQLite {text} from now on (as agreed)")

    assert "\n" not in text
    if found.said:
        assert (found.end - found.start, found.said.label) == (len(text), label)
        assert found.said.because.count("(") == found.said.because.count(")")
    else:  # the alternative had no letter left once what parts the texts was taken out of it
        assert found.problem
        assert not any(map(str.isalnum, one_line(over))) or "<" in over + because


@given(st.sampled_from(CLASSES), st.from_regex(r"\w[\w ]{0,20}\w", fullmatch=True))
def test_plain_texts_come_back_as_they_are(label: str, text: str) -> None:
    """What holds nothing to neutralise is not touched."""
    (found,) = find(written(label, text, "because " + text))

    assert found.said is not None
    assert (found.said.over, found.said.because) == (one_line(text), one_line("because " + text))


def test_a_text_cannot_part_the_annotation_elsewhere() -> None:
    """A parenthesis without a partner becomes a bracket, and a colon before a blank a comma."""
    text = written("user-approved", "Redis: fast) (session-settled: user-directed — x", "see https://x.y (a)")

    assert text == (
        "(session-settled: user-approved — chosen over Redis, fast] [session-settled, user-directed — x:"
        " see https://x.y (a))"
    )


@pytest.mark.parametrize(
    "wording",
    [
        "— chosen over Redis: nothing to run",
        "- chosen over Redis: nothing to run",
        "– chosen over\n  Redis (the cluster):\n  nothing to run",
        "; the user took it instead of Redis because nothing has to run",
        ", preferred to files rather than Redis, so that nothing has to run",
        "— rejected Redis: nothing to run",
        "over Redis — nothing to run",
        "— chosen over Redis, since nothing has to run",
        "— the user said no to Redis, since nothing has to run",
    ],
)
def test_other_wording_after_the_class_is_free(wording: str) -> None:
    """As long as it says over what, and why."""
    assert problems(f"Use SQLite (session-settled: user-approved {wording}).") == [None]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(Session-Settled: user-directed — chosen over Redis: why)", "the stem is"),
        ("(session settled: user-directed — chosen over Redis: why)", "the stem is"),
        ("(session_settled user-directed — chosen over Redis: why)", "the stem is"),
        ("(settled: user-directed — chosen over Redis: why)", "the stem is"),
        ("(user-directed — chosen over Redis: why)", "the stem is"),
        ("(sesion-settled: user-approved, instead of Redis: why)", "the stem is"),
        ("session-settled: user-directed — chosen over Redis: why", "does not stand at the beginning"),
        ("[session-settled: user-directed — chosen over Redis: why]", "does not stand at the beginning"),
        ("(session-settled: user-directed — chosen over Redis: why", "no closing parenthesis"),
        ("(session-settled: user-decided — chosen over Redis: why)", "the class is"),
        ("(session-settled: User-Directed — chosen over Redis: why)", "the class is"),
        ("(session-settled: user-directed-ish — chosen over Redis: why)", "the class is"),
        ("(session-settled: agent-directed — chosen over Redis: why)", "the class is"),
        ("(session-settled:)", "the class is"),
        ("(session-settled: user-directed)", "no rejected alternative"),
        ("(session-settled: user-directed — because it is simple)", "no rejected alternative"),
        ("(session-settled: user-directed — chosen over : why)", "no rejected alternative"),
        ("(session-settled: user-directed — chosen over <alternative>: why)", "no rejected alternative"),
        ("(session-settled: user-directed — chosen over Redis)", "no reason"),
        ("(session-settled: user-directed — chosen over Redis: )", "no reason"),
        ("(session-settled: user-directed — chosen over Redis: <one-line reason>)", "no reason"),
        ("(session-settled: user-directed — instead of Redis)", "no reason"),
    ],
)
def test_what_is_malformed_is_told(text: str, problem: str) -> None:
    """One problem for each thing that was meant for an annotation."""
    (said,) = problems(f"Use SQLite {text}")

    assert said is not None
    assert problem in said


@pytest.mark.parametrize(
    "text",
    [
        "session-settled decisions stay (see there)",
        "The class user-directed is strong",
        "settled (at last)",
        "()",
    ],
)
def test_prose_is_no_annotation(text: str) -> None:
    """Talking about the protocol breaks nothing."""
    assert problems(text) == []


def test_several_stand_in_one_text() -> None:
    """Each is found where it stands."""
    text = f"A {EXACT}, B {EXACT}"

    assert [text[found.start : found.end] for found in find(text)] == [EXACT, EXACT]
