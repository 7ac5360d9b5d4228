"""The evidence record: each line is taken or refused for itself."""

import json
from typing import Any

import pytest

from gitdecide.formats.evidence_jsonl import read
from gitdecide.formats.foreign import Follower, ForeignRecord, Unreadable


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


QUESTION = line(id="d1", type="question", question="Add it?", job="j", context=["c"])
VOTE = {
    "id": "d2",
    "type": "vote",
    "qid": "d1",
    "agent": "bob",
    "stance": "inform",
    "reason": "r",
    "read": ["a.py"],
}


def test_every_kind_of_line_is_read() -> None:
    """As the published description has them, whatever ends the lines."""
    question, vote, check, decision = read(
        b"\r\n".join(
            [
                QUESTION,
                b"",
                line(**VOTE, verified=True),
                line(id="d4", type="check", qid="d1", command="true", exit_code=1, note="n"),
                line(id="d5", type="decision", qid="d1", decider="staff", decision="reject: no", check="d4"),
            ]
        )
    )  # fmt: skip

    assert isinstance(question, ForeignRecord)
    assert (question.topic, question.job, question.context, question.line) == ("Add it?", "j", ("c",), 1)
    assert isinstance(vote, Follower)
    assert (vote.by, vote.fields["stance"], vote.line) == ("bob", "inform", 3)
    assert isinstance(check, Follower)
    assert (check.fields["result"], check.fields["source"]) == ("fails", "reported")
    assert isinstance(decision, Follower)
    assert (decision.fields["outcome"], decision.fields["decision"], decision.check) == ("reject", "no", "d4")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (QUESTION[:20], "not JSON: "),
        (b"[1]", "not an object, but a list"),
        (b"7", "not an object, but a int"),
        (b'{"type": "question", "question": NaN}', "NaN is not JSON"),
        (b'{"type": "question", "question": "a", "question": "b"}', "the key 'question' stands twice"),
        (b"```json", "not JSON: a fence of Markdown"),
        (line(id="d1", type="question", question="x" * 2_000_000), "larger than 1024 KiB"),
        (line(id="d1", type="question"), "Object missing required field `question`"),
        (line(type="question", question="x"), "Object missing required field `id`"),
        (line(id="d1", type="question", question=" "), "question: is blank"),
        (
            line(id="d1", question="x"),
            "type: one of question, vote, check, decision is needed, and it is missing",
        ),
        (line(id="d1", type="mood"), "type: one of question, vote, check, decision is needed, not 'mood'"),
        (line(**{**VOTE, "stance": "sure"}), "stance: Invalid enum value 'sure'"),
        (line(**{**VOTE, "read": "a.py"}), "read: Expected `array`, got `str`"),
        (line(**{**VOTE, "read": [""]}), "read[0]: is blank"),
        (line(id="d1", type="check", qid="d1", command="x", exit_code=256), "exit_code: "),
        (b"\xff", "not UTF-8"),
        (QUESTION + QUESTION, "not JSON: Extra data"),
    ],
)
def test_a_bad_line_is_refused_and_its_neighbours_are_not(data: bytes, reason: str) -> None:
    """Wherever it stands, and with its number."""
    before, bad, after = read(b"\n".join([QUESTION, data, line(**VOTE)]))

    assert isinstance(bad, Unreadable)
    assert bad.message.startswith(reason)
    assert bad.line == 2
    assert isinstance(before, ForeignRecord)
    assert isinstance(after, Follower)


@pytest.mark.parametrize("data", [b"", b"\n\n", b" \r\n"])
def test_a_file_of_blanks_holds_nothing(data: bytes) -> None:
    """Which is no fault."""
    assert read(data) == []


@pytest.mark.parametrize(
    "text", ["a.py", "a.py:10-40", "message:m1", "ticket:T-1", "https://x.test/", "entry:abcd", "commit:abc"]
)
def test_a_reading_comes_out_as_it_came_in(text: str) -> None:
    """Also one that points into a log or a repository that is not this one."""
    from gitdecide.entries.evidence import describe

    (vote,) = read(line(**{**VOTE, "read": [text]}))

    assert isinstance(vote, Follower)
    assert [describe(each) for each in vote.fields["read"]] == [text]
