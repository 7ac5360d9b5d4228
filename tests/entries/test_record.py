"""A decision record, as its folder has it."""

import random
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitdecide.entries.document import dump, identify
from gitdecide.entries.names import RecordName, entry_file
from gitdecide.entries.record import DecisionRecord, File, Filed
from gitdecide.entries.types import Close, Confirm, Decision, Evidence, Imported, Unknown, Vote
from gitdecide.errors import Damaged, NotFound
from gitdecide.rules.warnings import warnings
from tests.entries.story import READ, Story, file, foreign
from tests.entries.strategies import examples

OTHER = (Evidence(message="msg1625"),)
IMPORTED = Imported(format="madr", path="docs/0001.md", blob="a" * 40)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Votes, checks and decisions of three actors, each after any of the steps before it."""
    story = Story()
    said = [story.question]
    old: list[str] = []
    for _ in range(draw(st.integers(0, 12))):
        after = draw(st.lists(st.sampled_from(said), min_size=1, max_size=3, unique=True))
        actor = draw(st.sampled_from(["ada", "bob", "eve"]))
        step = draw(st.sampled_from(["vote", "check", "decide"]))
        stance = draw(st.sampled_from(["support", "oppose"]))
        if step == "vote":
            said.append(story.vote(actor, stance, after=after, model="m", read=READ))
        elif step == "check":
            said.append(story.check(draw(st.integers(0, 2)), actor=actor, after=after))
        else:
            replaced = draw(st.lists(st.sampled_from(old), max_size=2, unique=True)) if old else []
            old.append(story.decide(actor=actor, after=after, supersedes=tuple(replaced)))
            said.append(old[-1])
    return story


def status(story: Story) -> str:
    return story.record.status


def ids(filed: Iterable[Filed[Any]]) -> list[str]:
    return [entry.id for entry in filed]


# --- order


@examples(100)
@given(stories(), st.randoms(use_true_random=False))
def test_a_record_does_not_depend_on_the_order_of_its_files(story: Story, shuffle: random.Random) -> None:
    """Folders have no order of their own: every reader finds the same record."""
    files = list(story.files)
    shuffle.shuffle(files)
    one, other = story.record, DecisionRecord.read(story.name, files)

    assert one.entries == other.entries
    assert len(one.entries) == len(files)
    assert not one.damages
    for fact in ("heads", "votes", "tally", "echoes", "live", "contested", "status"):
        assert getattr(one, fact) == getattr(other, fact), fact
    assert one.standing_failures() == other.standing_failures()


@examples(100)
@given(stories())
def test_entries_stand_after_all_that_they_come_after(story: Story) -> None:
    """Whatever the clocks said; entries that could stand in either order are ordered by id."""
    record = story.record
    place = {entry_id: index for index, (entry_id, _) in enumerate(record.entries)}

    for entry_id, entry in record.entries:
        assert all(place[earlier] < place[entry_id] for earlier in getattr(entry, "after", ()))
    for (one, _), (other, _) in zip(record.entries, record.entries[1:], strict=False):
        assert one < other or one in record.past(other)


@examples(100)
@given(stories())
def test_the_past_is_what_after_reaches(story: Story) -> None:
    """The past of an entry is that of all it comes after, and they themselves; heads are in nobody's past."""
    record = story.record
    pasts = {entry_id: record.past(entry_id) for entry_id, _ in record.entries}

    for entry_id, entry in record.entries:
        after = set(getattr(entry, "after", ()))
        assert pasts[entry_id] == after.union(*(pasts[earlier] for earlier in after))
        assert set(ids(record.before(entry_id).entries)) == pasts[entry_id]
    assert list(record.heads) == sorted(set(pasts) - set().union(*pasts.values()))


def test_clocks_order_nothing() -> None:
    """What an entry comes after was said before it, by whichever clock."""
    story = Story()
    story.now = story.now.replace(year=2036)
    first = story.vote("ada")
    story.now = story.now.replace(year=2006)
    second = story.vote("bob")

    assert ids(story.record.entries) == [story.question, first, second]


# --- votes


@examples(100)
@given(stories())
def test_a_vote_stands_until_its_actor_votes_after_it(story: Story) -> None:
    """Whoever has not seen a vote does not replace it."""
    record = story.record
    votes = record.of(Vote)

    assert record.votes == [
        vote
        for vote in votes
        if not any(
            later.entry.actor == vote.entry.actor and vote.id in record.past(later.id) for later in votes
        )
    ]


def test_votes_made_apart_all_stand_and_are_one_voice() -> None:
    """An actor in two clones is still one actor."""
    story = Story()
    first = story.vote("ada", "support", after=[story.question])
    second = story.vote("ada", "support", after=[story.question])
    story.vote("bob", "oppose")

    assert set(ids(story.record.votes)) >= {first, second}
    assert story.record.tally == {"support": 1, "oppose": 1}


def test_a_later_vote_replaces_both_sides() -> None:
    """Once it has seen them; nobody else's vote does."""
    story = Story()
    story.vote("ada", "support", after=[story.question])
    story.vote("ada", "inform", after=[story.question])
    kept = story.vote("bob", "oppose")
    last = story.vote("ada", "abstain")

    assert ids(story.record.votes) == [kept, last]
    assert story.record.tally == {"abstain": 1, "oppose": 1}


def test_votes_that_echo_are_one_voice() -> None:
    """The same model after the same reading has been asked once, whatever its names and HEAD were."""
    story = Story()
    story.vote("a1", model="m")
    moved = tuple(Evidence(path=read.path, blob=read.blob, commit="d" * 40) for read in READ)
    story.vote("a2", model="m", read=moved)

    assert [[vote.entry.actor for vote in group] for group in story.record.echoes] == [["a1", "a2"]]
    assert story.record.tally == {"support": 1}
    assert [line for line in warnings(story.record) if "echo" in line] == [
        "votes echo and count once: a1, a2 (m) read the same"
    ]


@pytest.mark.parametrize(
    ("actor", "stance", "fields"),
    [
        ("a2", "support", {"model": "n"}),
        ("a2", "support", {"model": None}),
        ("a2", "oppose", {"model": "m"}),
        ("a2", "support", {"model": "m", "read": OTHER}),
        ("a2", "support", {"model": "m", "read": (*READ, *OTHER)}),
        ("a2", "support", {"model": "m", "read": (Evidence(path="src/engine.py", blob="f" * 40),)}),
        ("a2", "support_unverified", {"model": "m", "read": ()}),
    ],
)
def test_votes_of_another_model_or_reading_do_not_echo(
    actor: str, stance: str, fields: dict[str, Any]
) -> None:
    """Nor do those that say something else, or read another version of the file."""
    story = Story()
    story.vote("a1", model="m")
    story.vote(actor, stance, **fields)

    assert story.record.echoes == []
    assert sum(story.record.tally.values()) == 2


def test_an_echo_of_a_vote_that_is_no_voice_is_heard() -> None:
    """Of votes made apart the last is the actor's voice; what echoes the other one is not lost."""
    for seconds in range(4):  # which of two votes made apart is last depends on their ids
        story = Story()
        story.wait(seconds=seconds)
        story.vote("a1", "support", model="m", after=[story.question])
        story.vote("a1", "oppose", model="m", after=[story.question])
        story.vote("a2", "support", model="m", after=[story.question])

        assert story.record.tally["support"] == 1


# --- checks


def test_a_failure_stands_until_its_command_holds() -> None:
    """Run again later; another command, and a run that answers nothing, leave it standing."""
    story = Story()
    failed = story.check(1)
    story.check(0, command=("other",))
    story.check(2)
    assert ids(story.record.standing_failures()) == [failed]

    again = story.check(1)
    assert ids(story.record.standing_failures()) == [again]

    story.check(0)
    assert story.record.standing_failures() == []


def test_a_run_made_apart_does_not_clear_a_failure() -> None:
    """It may have come before; what nobody knows is not counted in favour."""
    for seconds in range(4):
        story = Story()
        story.wait(seconds=seconds)
        failed = story.check(1, after=[story.question])
        story.check(0, after=[story.question])

        assert ids(story.record.standing_failures()) == [failed]


def test_a_report_does_not_clear_what_ran() -> None:
    """It clears another report; and a run clears both."""
    story = Story()
    reported = story.check(1, source="reported")
    failed = story.check(1, command=("other",))
    story.check(0, command=("other",), source="reported")
    assert ids(story.record.standing_failures()) == [reported, failed]

    story.check(0, source="reported")
    assert ids(story.record.standing_failures()) == [failed]

    story.check(0, command=("other",))
    assert story.record.standing_failures() == []


# --- status


def test_a_question_alone_is_open() -> None:
    """Until somebody decides."""
    story = Story()
    story.vote()

    assert status(story) == "open"
    assert story.record.live == []


def test_a_decision_that_nothing_replaced_is_live() -> None:
    """The record is decided, before and after it is replaced by a later one."""
    story = Story()
    first = story.decide()
    assert (status(story), ids(story.record.live)) == ("decided", [first])

    second = story.decide(supersedes=(first,))
    assert (status(story), ids(story.record.live)) == ("decided", [second])
    assert story.record.replacements == {first: [second]}


def test_two_decisions_made_apart_contest_the_record() -> None:
    """Until one decision replaces both."""
    story = Story()
    one = story.decide(after=[story.question])
    other = story.decide(after=[story.question])
    assert status(story) == "contested"

    story.decide(supersedes=(one,))
    assert status(story) == "contested"

    story.decide(supersedes=(other, *ids(story.record.live)[-1:]))
    assert len(story.record.live) == 1
    assert status(story) == "decided"


def test_a_decision_of_another_record_can_replace_ours() -> None:
    """The note that it leaves is enough: a record is read from its own folder."""
    story = Story()
    story.replaced(story.decide(), by=foreign())

    assert status(story) == "superseded"
    assert story.record.successors == [foreign()]


def test_two_records_that_replace_one_decision_contest_it() -> None:
    """Whichever records the two stand in, until a decision here replaces them both."""
    story = Story()
    old = story.decide()
    story.replaced(old, by=foreign(number=8), after=[old])
    story.replaced(old, by=foreign(number=9), after=[old])
    assert status(story) == "contested"

    story.decide(supersedes=(foreign(number=8), foreign(number=9)))
    assert status(story) == "decided"


def test_a_decision_replaced_here_and_elsewhere_is_contested() -> None:
    """Also when the replacement here was replaced in turn; settled once ours replaces the other."""
    story = Story()
    old = story.decide()
    story.replaced(old, by=foreign(), after=[old])
    new = story.decide(supersedes=(old,), after=[old])
    assert status(story) == "contested"

    newer = story.decide(supersedes=(new,))
    assert status(story) == "contested"

    story.decide(supersedes=(newer, foreign()))
    assert status(story) == "decided"


def test_what_replaces_nothing_here_changes_no_status() -> None:
    """A note about a decision that is not here, and a decision of another record that ours replaced."""
    story = Story()
    story.replaced("d" * 40, by=foreign())
    assert status(story) == "open"

    story.decide(supersedes=(foreign(),), imported=IMPORTED)
    assert status(story) == "imported"


def test_an_imported_decision_is_never_live() -> None:
    """Until it is bound anew; a question that was imported without one is imported too."""
    story = Story(imported=IMPORTED)
    assert status(story) == "imported"

    story.say(Close)
    story.decide(imported=IMPORTED)
    assert (status(story), story.record.live) == ("imported", [])

    story.decide()
    assert status(story) == "decided"


def test_a_closed_record_is_closed_until_it_is_decided() -> None:
    """The end of a conversation is not a decision."""
    story = Story()
    story.say(Close)
    assert status(story) == "closed"

    story.decide()
    assert status(story) == "decided"


def conflict(story: Story, target: str, **fields: Any) -> str:
    return story.challenge(target, **{"severity": "invalidating", "actor": "eve", **fields})


def test_an_invalidating_conflict_blocks_its_decision() -> None:
    """Before all else but damage: a contested record is blocked as well."""
    story = Story()
    decision = story.decide(after=[story.question])
    story.decide(after=[story.question])
    found = conflict(story, decision)

    assert status(story) == "blocked"
    assert ids(story.record.blocking) == [found]


@pytest.mark.parametrize("fields", [{"severity": "suboptimal"}, {"severity": None}, {"read": ()}])
def test_lesser_objections_block_nothing(fields: dict[str, Any]) -> None:
    """A call-out, a challenge, and a conflict that read nothing."""
    story = Story()
    conflict(story, story.decide(), **fields)

    assert status(story) == "decided"


@pytest.mark.parametrize(
    ("fields", "becomes"),
    [
        ({"actor": "ada", "outcome": "reject", "read": READ}, "decided"),
        ({"actor": "eve", "outcome": "reject", "read": READ}, "blocked"),
        ({"actor": "ada", "outcome": "reject"}, "blocked"),
        ({"actor": "ada", "outcome": "accept", "read": READ}, "blocked"),
    ],
)
def test_a_conflict_is_rejected_by_somebody_else_who_read(fields: dict[str, Any], becomes: str) -> None:
    """Not by its author, not unread, and not by accepting it."""
    story = Story()
    story.answer(conflict(story, story.decide()), **fields)

    assert status(story) == becomes


def test_a_conflict_ends_with_its_decision() -> None:
    """What replaced the decision is not blocked."""
    story = Story()
    decision = story.decide()
    conflict(story, decision)
    story.decide(supersedes=(decision,))

    assert status(story) == "decided"


@examples(60)
@given(stories())
def test_a_record_without_its_question_has_a_status(story: Story) -> None:
    """Nothing that is asked of it raises but the question itself."""
    entries = {key: entry for key, entry in story.record.entries if key != story.question}
    record = DecisionRecord(story.name, entries)

    assert record.status in ("open", "decided", "contested")
    list(warnings(record))
    with pytest.raises(Damaged, match=r"has no question$"):
        _ = record.question


# --- finding


def test_an_entry_is_found_by_the_beginning_of_its_id() -> None:
    """Four digits or more, in any case; none and several are both said."""
    entry = Story().make(Vote)
    ids = ["abcd1" + "0" * 35, "abcd2" + "0" * 35, "1234a" + "0" * 35]
    record = DecisionRecord(RecordName(7, "a" * 8), dict.fromkeys(ids, entry))

    assert record.find("1234") == ids[2]
    assert record.find("ABCD1") == ids[0]
    for prefix, problem in [
        ("abcd", "ambiguous"),
        ("123", "no entry"),
        ("ffff", "no entry"),
        ("", "no entry"),
    ]:
        with pytest.raises(NotFound, match=problem):
            record.find(prefix)


# --- damage


def damages(story: Story, *files: File) -> list[tuple[str, str]]:
    record = DecisionRecord.read(story.name, [*story.files, *files])
    assert record.status == ("damaged" if record.damages else "open")
    return [(damage.file.partition("-")[0], damage.reason) for damage in record.damages]


def test_a_whole_record_has_no_damage() -> None:
    """Whatever is in it, an entry of a newer type and a patch included."""
    story = Story()
    vote = story.vote()
    omen = b"type: omen\nactor: ada\nat: now\nqid: %b\nafter:\n  - %b\n" % (
        story.question.encode(),
        vote.encode(),
    )
    newer = File(entry_file("omen", identify(omen, "sha1")), identify(omen, "sha1"), omen)
    patch = File(f"{'d' * 40}.patch", "d" * 40, b"diff")

    assert damages(story, newer, patch) == []
    record = DecisionRecord.read(story.name, [*story.files, newer, patch])
    assert isinstance(record[newer.blob], Unknown)
    assert record.heads == (newer.blob,)


def test_an_edited_entry_is_found() -> None:
    """Its bytes have another id than its name says."""
    story = Story()
    said = file(story.make(Vote, stance="oppose"))
    edited = (said.data or b"").replace(b"oppose", b"inform")

    found = damages(story, said._replace(blob=identify(edited, "sha1"), data=edited))

    assert found == [("vote", f"was edited or misnamed: its content is {identify(edited, 'sha1')}")]


def test_an_edited_question_is_found() -> None:
    """The record then has none, and takes nothing."""
    story = Story()
    question = story.files.pop()
    edited = (question.data or b"").replace(b"load", b"drop")

    found = damages(story, question._replace(blob=identify(edited, "sha1"), data=edited))

    assert [reason.split(":")[0] for _, reason in found] == [
        "has no question of this name",
        "was edited or misnamed",
    ]


def test_an_entry_of_another_record_is_found() -> None:
    """It names the question that it was said of."""
    story, other = Story(), Story(question="Another?")

    assert damages(story, file(other.make(Vote))) == [("vote", f"belongs to the question {other.question}")]


def test_a_second_question_is_found() -> None:
    """Even of the same number."""
    story, other = Story(), Story(question="Another?")

    assert damages(story, *other.files) == [("question", "is a question of another record")]


def test_a_folder_must_be_named_for_its_question() -> None:
    """By number and suffix both."""
    story = Story()
    for name in (RecordName(8, story.name.suffix), RecordName(7, "0" * 8)):
        record = DecisionRecord.read(name, story.files)

        assert (record.damages[0].reason, record.status) == ("has no question of this name", "damaged")


def test_a_folder_without_a_question_is_damaged() -> None:
    """An empty one too."""
    story = Story()
    story.vote()

    assert DecisionRecord.read(story.name, []).status == "damaged"
    record = DecisionRecord.read(story.name, story.files[1:])
    assert record.status == "damaged"
    assert "has no question of this name" in [damage.reason for damage in record.damages]


def test_an_actor_is_not_filed_in_a_record() -> None:
    """Actors have folders of their own."""
    from gitdecide.entries.types import Actor

    actor = Actor(actor="ada", at="2026-10-19T09:14:03.482913Z", name="ada", kind="human")

    assert damages(Story(), file(actor)) == [("actor", "does not belong in a decision record")]


def test_a_name_must_say_the_type() -> None:
    """What looks like a decision in a listing is one."""
    story = Story()
    said = file(story.make(Vote))

    assert damages(story, said._replace(name=entry_file("decision", said.blob))) == [
        ("decision", "is a vote by its content")
    ]


@pytest.mark.parametrize(
    "name", ["README.md", ".yaml", "vote.yaml", f"{'e' * 40}.patch", f"vote-{'d' * 39}.yaml", f"{'d' * 40}"]
)
def test_other_files_are_found(name: str) -> None:
    """A patch under another name too."""
    found = damages(Story(), File(name, "d" * 40, b"type: vote\n"))

    assert [reason for _, reason in found] == ["not the name of an entry"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"type: vote\ntype: vote\n", "line 2: the key 'type' stands twice"),
        (b"\xff\n", "line 1: not UTF-8: byte 0xff"),
        (b"", "empty"),
        (b"a\n", "not a mapping"),
        (b"type: vote\nactor: ada\n", "object missing required field `at`"),
    ],
)
def test_a_file_that_is_no_entry_is_found(data: bytes, reason: str) -> None:
    """With the reason that its reader gives."""
    entry_id = identify(data, "sha1")

    assert damages(Story(), File(entry_file("vote", entry_id), entry_id, data)) == [("vote", reason)]


def test_what_an_entry_comes_after_is_there() -> None:
    """And it comes after something."""
    story = Story()

    assert damages(story, file(story.make(Vote, after=["d" * 40]))) == [
        ("vote", f"comes after {'d' * 40}, which is not here")
    ]
    assert damages(story, file(story.make(Vote, after=[]))) == [("vote", "comes after nothing")]


def test_files_that_imitate_a_cycle_hold_nobody_up() -> None:
    """Ids come from content, so a cycle needs a false name, and a false name is damage."""
    story = Story()
    one, two = "1" * 40, "2" * 40
    cycle = [
        File(entry_file("confirm", entry_id), blob, dump(story.make(Confirm, decision=after, after=[after])))
        for entry_id, after, blob in [(one, two, "3" * 40), (two, one, "4" * 40)]
    ]

    assert len(damages(story, *cycle)) == 2
    record = DecisionRecord.read(story.name, [*story.files, *cycle])
    assert ids(record.entries) == [story.question]


def test_entries_that_come_after_each_other_hold_nobody_up() -> None:
    """Where the ids themselves are false, no reader loops, and nothing of the circle counts."""
    story = Story()
    one, two, after = "1" * 40, "2" * 40, "3" * 40
    entries = {
        **dict(story.record.entries),
        one: story.make(Vote, after=[two]),
        two: story.make(Vote, after=[one, two]),
        after: story.make(Decision, after=[two]),
    }
    record = DecisionRecord(story.name, entries)

    assert ids(record.entries) == [story.question]
    assert (record.votes, record.live, record.status) == ([], [], "open")


def test_one_bad_file_hides_no_other() -> None:
    """What can be read is shown, in its order, with what is wrong beside it."""
    story = Story()
    vote = story.vote()
    record = DecisionRecord.read(story.name, [*story.files, File("x", "d" * 40, b"")])

    assert ids(record.entries) == [story.question, vote]
    assert record.sources[vote] == story.files[1].data
    assert record.status == "damaged"


# --- size


def chain(length: int) -> Story:
    """A long record: everybody votes twice, checks and challenges, one after the other."""
    story = Story()
    for index in range(length // 4):
        story.vote(f"a{index // 2}", model="m")
        story.check(index % 2, command=("grep", str(index)))
        story.answer(story.challenge(story.question))
    story.decide()
    return story


def work(length: int) -> int:
    """How many lines of Python run when a long record is read and asked everything."""
    story = chain(length)
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        record = story.record
        facts = (record.heads, record.votes, record.tally, record.echoes, record.status, record.live)
        assert facts
        assert record.past(*record.heads)
        record.standing_failures()
        list(warnings(record))
    finally:
        sys.settrace(before)
    return count


def test_work_grows_with_the_record_and_not_with_its_square() -> None:
    """Four times as many entries are four times the work, counted in lines that ran."""
    assert work(1600) < 6 * work(400)


def test_what_does_not_belong_here_never_counts() -> None:
    """A decision, a vote and a question of another record are damage, and no part of this one."""
    mine, other = Story(7), Story(8)
    other.vote()
    other.decide()
    record = DecisionRecord.read(mine.name, [*mine.files, *other.files])

    assert record.question.id == mine.question
    assert (record.live, record.votes, record.tally) == ([], [], {})
    assert len(record.damages) == len(record.strays) == 3
    assert record.status == "damaged"


def test_a_check_turned_round_clears_no_failure() -> None:
    """Exit 1 read as holding answers another question than the one that failed."""
    story = Story()
    story.check(1, command=("grep", "x"))
    story.check(1, command=("grep", "x"), result="holds", holds_on=(1,))
    assert len(story.record.standing_failures()) == 1

    story.check(0, command=("grep", "x"))
    assert story.record.standing_failures() == []
