"""Two sides in two clones say what comes to their minds, and the fold is held against a model."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gitdecide.entries.conversation import folded, state
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Close, FollowUp, LedgerMove, Turn
from gitdecide.rules import judge
from gitdecide.rules.context import Context
from tests.entries.playing import NEW, Model, Told
from tests.entries.story import file
from tests.entries.talk import Talk

SIDES = ("ada", "dave")
STATES = ("open", "claimed", "proposed", "agreed", "parked", "escalated")
CLONES = st.sampled_from([0, 1])


class TwoClones(RuleBasedStateMachine):
    """Each clone is the set of its files, and a sync is their union, as in the log."""

    def __init__(self) -> None:
        super().__init__()
        self.story = Talk()
        self.files = [{each.blob: each for each in self.story.files} for _ in range(2)]
        self.models = [Model(*SIDES) for _ in range(2)]

    @rule(
        clone=CLONES,
        side=st.sampled_from([*SIDES, SIDES[1]]),
        key=st.sampled_from(["i-01", "i-01", "i-02", "i-03", "i-04", "i-77"]),
        to=st.sampled_from(STATES),
        reasoned=st.booleans(),
    )
    def move(self, clone: int, side: str, key: str, to: str, *, reasoned: bool) -> None:
        """A move, legal or not."""
        ledger = LedgerMove(issue=key, state=to, reason="so" if reasoned else None)  # type: ignore[arg-type]
        self._say(clone, side, key, to, reasoned=reasoned, ledger=(ledger,))

    @rule(side=st.sampled_from(SIDES))
    def add(self, side: str) -> None:
        """A new issue, by the id that the program gives; one side speaks from one clone then."""
        clone = SIDES.index(side)
        conversation = folded(self._record(clone))
        assert conversation
        (key,) = conversation.ledgers.new_ids(side, 1)
        assert key == self.models[clone].next_issue(side)
        self._say(clone, side, key, NEW, ledger=(LedgerMove(issue=key, title="more", state="open"),))

    @rule(clone=CLONES, side=st.sampled_from(SIDES))
    def talk(self, clone: int, side: str) -> None:
        """A turn that leaves the ledger out."""
        self._say(clone, side, None, "open")

    @rule(clone=CLONES, side=st.sampled_from(SIDES), chance=st.integers(0, 11))
    def close(self, clone: int, side: str, chance: int) -> None:
        """The end, now and then."""
        if not chance:
            said = self.story.make(Close, actor=side, after=self._record(clone).heads)
            self._tell(clone, said, Told("", side, None, "close", False, frozenset()))

    @rule()
    def sync(self) -> None:
        """Both know what either knows, and come to the same."""
        for one, other in ((0, 1), (1, 0)):
            self.files[one].update(self.files[other])
            self.models[one].hear(self.models[other].told.values())
        assert folded(self._record(0)) == folded(self._record(1))

    @invariant()
    def both_are_as_the_model_says(self) -> None:
        """Each clone's ledgers, and whether it is closed."""
        for clone, model in enumerate(self.models):
            conversation = folded(self._record(clone))
            assert conversation
            copies = zip(SIDES, conversation.ledgers.copies, strict=True)
            stand = {side: {key: issue.state for key, issue in copy.items()} for side, copy in copies}
            assert stand == model.states()
            assert (state(self._record(clone)) == "closed") == model.closed

    def _say(
        self,
        clone: int,
        side: str,
        key: str | None,
        to: str,
        *,
        reasoned: bool = False,
        ledger: tuple[LedgerMove, ...] = (),
    ) -> None:
        words = f"word {len(self.story.files)} {len(self.models[clone].told)} {clone}"
        after = self._record(clone).heads
        turn = self.story.make(Turn, actor=side, after=after, verb="COUNTER", headline=words, ledger=ledger)
        self._tell(clone, turn, Told("", side, key, to, reasoned, frozenset()))

    def _tell(self, clone: int, entry: FollowUp, told: Told) -> None:
        """Say it where the rules allow it; they must allow what the model allows."""
        model = self.models[clone]
        refused = judge(entry, self._record(clone), Context("agent"))
        assert bool(refused) != model.allows(told), refused
        if not refused:
            written = file(entry)
            self.files[clone][written.blob] = written
            model.hear([told._replace(id=written.blob, known=frozenset(model.told))])

    def _record(self, clone: int) -> DecisionRecord:
        record = DecisionRecord.read(self.story.name, self.files[clone].values())
        assert not record.damages
        return record


TestTwoClones = TwoClones.TestCase
TestTwoClones.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
