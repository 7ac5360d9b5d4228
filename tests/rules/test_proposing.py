"""R9: who may propose changes on this machine."""

import pytest

from gitdecide.entries.types import Proposal, Vote
from gitdecide.rules import judge
from gitdecide.rules.context import Context
from tests.entries.story import Story
from tests.rules.judging import DESTRUCTIVE


def proposed(story: Story) -> Proposal:
    made = story.make(Proposal, actor="dave", base="c" * 40, branch="decide/DR-007/1", patch="b" * 40)
    assert isinstance(made, Proposal)
    return made


@pytest.mark.parametrize(("trust", "refused"), [(1, True), (2, True), (3, False), (None, False)])
def test_a_proposal_needs_tier_three(trust: int | None, refused: bool) -> None:
    """R9: where nobody asks about trust, as in an audit, it refuses nothing."""
    story = Story()

    said = judge(proposed(story), story.record, Context("agent", trust=trust))

    assert [refusal.code for refusal in said] == (["R9"] if refused else [])
    for refusal in said:
        assert 'git decide trust "dave" 3' in str(refusal.hint)
        assert not DESTRUCTIVE.search(str(refusal.hint))


def test_talking_needs_no_trust() -> None:
    """R9 is for proposals alone."""
    story = Story()

    assert judge(story.make(Vote), story.record, Context("agent", trust=1)) == []
