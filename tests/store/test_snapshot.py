from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Actor, Question, Vote
from gitdecide.errors import NotFound, UsageError
from gitdecide.store.log import Log

Ask = Callable[..., RecordName]
Say = Callable[..., str]


def test_names_come_highest_number_first(store: Log, ask: Ask) -> None:
    """Numbers order names across folders of a thousand, and suffixes order equal numbers, highest first."""
    asked = [ask(store, number) for number in (7, 999, 12_345, 1000, 8)]
    twin = ask(store, 7, "Add it twice?")

    sevens = sorted([asked[0], twin], reverse=True)
    assert list(store.snapshot().names()) == [asked[2], asked[3], asked[1], asked[4], *sevens]


def test_what_is_no_record_has_no_name(store: Log, ask: Ask, plant: Say) -> None:
    """Files and folders that we would not have made are not records."""
    name = ask(store, 7)
    strange = [
        "DR-0xxx/DR-8", "DR-0xxx/DR-000", "DR-0xxx/DR-0010",
        "DR-1xxx/DR-007", "DR-xxx/DR-009", "DR-²xxx/DR-2000",
    ]  # fmt: skip
    plant(store, {f"decisions/{path}-aaaaaaaa/file": b"strange\n" for path in strange})
    plant(store, {"decisions/README": b"strange\n"})

    assert list(store.snapshot().names()) == [name]


def test_a_snapshot_does_not_move(store: Log, ask: Ask) -> None:
    """What is appended later is not in a snapshot taken before."""
    name = ask(store, 1)
    before = store.snapshot()
    later = ask(store, 2)

    assert list(before.names()) == [name]
    assert not before.has(later)
    assert store.snapshot().has(later)


def test_records_come_in_the_order_in_which_they_are_asked_for(store: Log, ask: Ask, vote: Say) -> None:
    """Many records read at once are the same as each read alone, however many files they have."""
    names = [ask(store, number) for number in (1, 2, 3)]
    for _ in range(3):
        vote(store, names[1])
    snapshot = store.snapshot()

    records = list(snapshot.records([names[2], names[1], names[0]]))

    assert [record.name for record in records] == [names[2], names[1], names[0]]
    assert [record.entries for record in records] == [
        snapshot.record(record.name).entries for record in records
    ]
    assert [len(record.entries) for record in records] == [1, 4, 1]


def test_reading_records_asks_for_no_more_than_is_taken(
    store: Log, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of the newest does not read the whole log."""
    for number in range(1, 4):
        ask(store, number)
    snapshot = store.snapshot()
    read: list[str] = []
    blobs = store.objects.blobs
    monkeypatch.setattr(store.objects, "blobs", lambda ids: blobs(noted(ids, read)))
    names = snapshot.names()

    next(snapshot.records([next(names)]))

    assert len(read) == 1
    assert len(list(names)) == 2


def noted(ids: Iterable[str], read: list[str]) -> Iterator[str]:
    """The same ids, each noted when it is taken."""
    for entry_id in ids:
        read.append(entry_id)
        yield entry_id


@pytest.mark.parametrize(
    "typed",
    ["DR-7", "dr-7", "DR-07", "DR-007", "DR-000007", "{name}", "DR-7-{suffix:.1}", "DR-007-{suffix:.4}"],
)
def test_a_record_is_found_by_its_number_and_by_any_part_of_its_suffix(
    store: Log, ask: Ask, typed: str
) -> None:
    """People type as little of a name as they like."""
    ask(store, 70)
    name = ask(store, 7)
    ask(store, 1007)

    assert store.snapshot().resolve(typed.format(name=name, suffix=name.suffix)) == name


def test_a_record_is_found_by_the_beginning_of_any_of_its_entries(store: Log, ask: Ask, vote: Say) -> None:
    """Four or more hex digits of a question or of what follows it name its record, in either case."""
    name = ask(store, 7)
    other = ask(store, 8)
    vote_id = vote(store, name)
    snapshot = store.snapshot()

    for entry_id in (vote_id, snapshot.record(name).question.id):
        for typed in (entry_id, entry_id[:12], entry_id[:12].upper()):
            assert snapshot.resolve(typed) == name
    assert snapshot.resolve(snapshot.record(other).question.id) == other
    assert list(snapshot.entries(vote_id[:12])) == [(name, vote_id)]


@pytest.mark.parametrize(
    "typed", ["", "DR", "DR-", "7", "DR-7-", "DR-7-xyz", "DR-1234567", "abc", "HEAD", "a b"]
)
def test_text_that_is_no_name_is_a_fault_of_usage(store: Log, typed: str) -> None:
    """What cannot name a record is told apart from a name of nothing."""
    with pytest.raises(UsageError, match="not the name of a decision record"):
        store.snapshot().resolve(typed)


@pytest.mark.parametrize("typed", ["DR-8", "DR-007-0000", "DR-0", "ffffff"])
def test_a_name_of_nothing_is_not_found(store: Log, ask: Ask, typed: str) -> None:
    """A well-formed name without a record says so, and how to see what there is."""
    ask(store, 7)
    with pytest.raises(NotFound, match=f"no decision record {typed}") as error:
        store.snapshot().resolve(typed)
    assert error.value.hint == "git decide list shows them all"


def test_a_number_given_twice_is_ambiguous_and_full_names_still_work(store: Log, ask: Ask) -> None:
    """Two clones may both have given a number: nothing is guessed, both names are listed."""
    first, second = sorted([ask(store, 7, "From one?"), ask(store, 7, "From two?")])
    snapshot = store.snapshot()

    with pytest.raises(NotFound) as error:
        snapshot.resolve("DR-7")

    assert error.value.message == f"DR-7 is ambiguous: {first}, {second}"
    assert error.value.hint == "full names always work"
    assert [snapshot.resolve(str(name)) for name in (first, second)] == [first, second]


def test_a_prefix_of_entries_of_several_records_is_ambiguous(
    store: Log, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry prefix that two records share names neither."""
    snapshot = store.snapshot()
    names = sorted(ask(store, number) for number in (1, 2))
    snapshot = store.snapshot()
    ids = [snapshot.record(name).question.id for name in names]
    monkeypatch.setattr(store.objects, "disambiguate", lambda _: ids)

    with pytest.raises(NotFound, match=f"abcd is ambiguous: {names[0]}, {names[1]}"):
        snapshot.resolve("abcd")


def test_an_id_of_anything_but_a_filed_entry_names_no_record(
    store: Log, ask: Ask, vote: Say, said: Callable[..., dict[str, Any]], plant: Say
) -> None:
    """Commits, trees, blobs of code, entries never filed and entries in a foreign folder are nobody's."""
    name = ask(store, 7)
    question = store.snapshot().record(name).question.id
    loose = Vote(**said(), qid=question, after=(question,), stance="inform", reason="never filed")
    orphan = Vote(**said(), qid="a" * 40, after=("a" * 40,), stance="inform", reason="of no question")
    unasked = document.dump(Question(**said(), number=9, question="Never filed?", mode="decide"))
    moved = document.dump(Vote(**said(), qid=question, after=(question,), stance="inform", reason="moved"))
    moved_id = store.objects.add_blob(moved)
    other = ask(store, 8)
    plant(store, {f"{other.path}/vote-{moved_id}.yaml": moved})
    actor = store.objects.add_blob(document.dump(Actor(**said(), name="Bob", kind="human")))
    foreign = [
        store.objects.resolve("HEAD"), store.objects.resolve("HEAD^{tree}"),
        store.objects.resolve("HEAD:src/app.py"), store.objects.resolve(store.ref),
        store.objects.add_blob(document.dump(loose)), store.objects.add_blob(document.dump(orphan)),
        store.objects.add_blob(unasked), moved_id, actor,
    ]  # fmt: skip

    for foreign_id in foreign:
        assert list(store.snapshot().entries(str(foreign_id))) == []


def test_a_prefix_counts_the_entries_of_the_log_alone(
    store: Log, ask: Ask, vote: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit, a tree or a blob of code with the same first digits does not make a prefix ambiguous."""
    name = ask(store, 7)
    vote_id = vote(store, name)
    alike = [store.objects.resolve(revision) for revision in ("HEAD", "HEAD^{tree}", "HEAD:src/app.py")]
    monkeypatch.setattr(store.objects, "disambiguate", lambda _: [*alike, vote_id])

    assert store.snapshot().resolve("abcd") == name


def test_the_highest_number_leaves_damaged_records_out(store: Log, ask: Ask, plant: Say) -> None:
    """A record made up by hand cannot use up the numbers."""
    assert store.snapshot().highest_number() == 0
    ask(store, 7)
    ask(store, 41)
    plant(store, {"decisions/DR-999xxx/DR-999999-aaaaaaaa/note": b"x\n"})

    assert store.snapshot().highest_number() == 41


def test_a_missing_object_is_damage_and_not_an_empty_record(store: Log, ask: Ask) -> None:
    """An entry whose bytes are gone damages its own record, and stops nobody else's reading."""
    other = ask(store, 8)
    name = ask(store, 7)
    question = store.snapshot().record(name).question.id
    (store.git.cwd / ".git" / "objects" / question[:2] / question[2:]).unlink()
    store.objects.close()

    missing, sound = store.snapshot().records([name, other])
    assert (missing.damages[-1].reason, missing.status) == ("its content is missing here", "damaged")
    assert (sound.damages, sound.status) == ((), "open")


def test_an_actor_is_what_its_heads_say(store: Log, say: Say, said: Callable[..., dict[str, Any]]) -> None:
    """A later entry about an actor replaces what it comes after."""
    assert store.snapshot().actor("Bob") is None
    first = say(store, None, Actor(**said(), name="Bob", kind="agent"))
    after = (first,)
    second = say(store, None, Actor(**said(), name="Bob", kind="human", after=after, email="bob@example.com"))

    bob = store.snapshot().actor("Bob")

    assert bob is not None
    assert [head.id for head in bob.heads] == [second]
    assert (bob.kind, bob.latest.email) == ("human", "bob@example.com")


def test_disagreeing_heads_make_an_agent_until_somebody_settles_it(
    store: Log, say: Say, said: Callable[..., dict[str, Any]]
) -> None:
    """Two clones that said different things of an actor: it is not believed to be a person."""
    heads = [say(store, None, Actor(**said(), name="Bob", kind=kind)) for kind in ("human", "agent", "human")]
    bob = store.snapshot().actor("Bob")
    assert bob
    assert (bob.kind, len(bob.heads)) == ("agent", 3)

    say(store, None, Actor(**said(), name="Bob", kind="human", after=tuple(sorted(heads))))

    bob = store.snapshot().actor("Bob")
    assert bob
    assert (bob.kind, len(bob.heads)) == ("human", 1)


def test_a_damaged_file_does_not_take_the_actor_along(
    store: Log, say: Say, said: Callable[..., dict[str, Any]], plant: Say
) -> None:
    """What is wrong in an actor's folder is named, never counts, and leaves the rest readable."""
    say(store, None, Actor(**said(), name="Bob", kind="agent"))
    eve = document.dump(Actor(**said(), name="Eve", kind="human"))
    eve_id = store.objects.add_blob(eve)
    edited = document.dump(Actor(**said(), name="Bob", kind="human"))
    wrong = [f"actor-{eve_id}.yaml", f"actor-{'a' * 40}.yaml", "note", "folder/note"]
    plant(
        store,
        {f"actors/Bob/{name}": data for name, data in zip(wrong, (eve, edited, b"x\n", b"x\n"), strict=True)},
    )

    bob = store.snapshot().actor("Bob")

    assert bob
    assert (bob.kind, len(bob.heads)) == ("agent", 1)
    assert {damage.file: damage.reason for damage in bob.damages} == {
        f"actors/Bob/actor-{eve_id}.yaml": "is not an entry of this actor",
        f"actors/Bob/actor-{'a' * 40}.yaml": "was edited or misnamed",
        "actors/Bob/note": "was edited or misnamed",
        "actors/Bob/folder": "was edited or misnamed",
    }
    assert store.snapshot().actor("Eve") is None


def test_actors_come_by_name_and_damaged_folders_with_them(
    store: Log, say: Say, said: Callable[..., dict[str, Any]], plant: Say
) -> None:
    """Every actor is listed; of a folder without a sound entry only the damage, and nobody human."""
    for name in ("zoe", "Ünal", "Bob"):
        say(store, None, Actor(**said(), name=name, kind="human"))
    plant(store, {"actors/broken/note": b"x\n"})

    actors = list(store.snapshot().actors())

    assert [known.latest.name if known.heads else None for known in actors] == ["Ünal", "Bob", None, "zoe"]
    assert [known.kind for known in actors] == ["human", "human", "agent", "human"]
    assert [len(known.damages) for known in actors] == [0, 0, 1, 0]
