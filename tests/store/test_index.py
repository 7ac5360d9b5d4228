"""The index against the log itself."""

import io
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Question
from gitdecide.git.plumbing import Plumbing
from gitdecide.output import Bar
from gitdecide.render import in_brief
from gitdecide.store.index import filling, reading
from gitdecide.store.index.file import Index
from gitdecide.store.index.questions import Filter, expression, found, listed
from gitdecide.store.index.rows import Rows
from gitdecide.store.index.schema import SCHEMA, name, number
from gitdecide.store.log import Log
from tests.conftest import GitRunner

Open = Callable[..., Index]
Ask = Callable[..., RecordName]
Plant = Callable[[Log, Mapping[str, bytes]], str]

ADDED: frozenset[str] = frozenset({"mode", "actors", "latest", "review_by"})
"""What `list --json` says on top of `show --json`."""


@pytest.fixture
def open_index(repo: Path) -> Open:
    """The index of a log, where commands keep it."""
    return lambda log, judgement="": Index(
        log, repo / ".git", lambda: Plumbing(log.git), lambda: Bar(io.StringIO()), judgement
    )


def by_log(log: Log) -> list[dict[str, Any]]:
    """What the log itself says of every record, newest first."""
    snapshot = log.snapshot()
    return [in_brief(record) for record in snapshot.records(snapshot.names())]


def by_index(index: Index) -> list[dict[str, Any]]:
    """What the index says of the same."""
    briefs, _ = index.ask(listed(Filter(), 0))
    return [{key: value for key, value in brief.data.items() if key not in ADDED} for brief in briefs]


def names(index: Index, words: str) -> list[str]:
    """The records in which words are found."""
    return [match.brief.name for match in index.ask(found(expression(words), Filter(), 0))[0]]


def test_keys_have_the_order_of_names() -> None:
    """A record's key leads back to its name, and keys sort as names do."""
    listed = [RecordName(7, "00000000"), RecordName(7, "ffffffff"), RecordName(8, "00000000")]
    listed += [RecordName(999_999, "ffffffff")]

    assert [name(number(each)) for each in listed] == listed
    assert sorted(map(number, listed)) == list(map(number, listed))
    assert number(listed[-1]) < 2**63


def test_the_index_says_what_the_log_says_after_every_step(
    store: Log, open_index: Open, ask: Ask, vote: Callable[..., str], plant: Plant, repo: Path, git: GitRunner
) -> None:
    """Whatever moves the log: growth, damage, an edit, a way back, a merge, another log altogether."""
    dice = random.Random(7)
    index = open_index(store)
    tips = [store.head()]
    orphan = git(repo, "commit-tree", "-m", "x", f"{tips[0]}^{{tree}}")
    steps: list[str] = []

    def grow() -> None:
        ask(store, dice.randint(1, 4), f"Question {len(steps)}?")

    def speak() -> None:
        sound = [each for each in store.snapshot().names() if not store.snapshot().record(each).damages]
        if sound:
            vote(store, dice.choice(sound), f"reason {len(steps)}")

    def damage() -> None:
        folder = dice.choice([each.path for each in store.snapshot().names()] or ["decisions/DR-0xxx/x"])
        plant(store, {f"{folder}/{dice.choice(('vote', 'x'))}-{'1' * 40}.yaml": b"type: vote\n"})

    def edit() -> None:
        for each in list(store.snapshot().names())[:1]:
            files = store.objects.subtree(store.head(), each.path) or {}
            plant(store, {f"{each.path}/{min(files)}": b"edited\n"})

    def strange() -> None:
        plant(
            store, {dice.choice(("decisions/DR-0xxx/DR-002-00000000", "decisions/DR-1xxx", "x")): b"file\n"}
        )

    def back() -> None:
        git(repo, "update-ref", store.ref, dice.choice(tips))

    def foreign() -> None:
        git(repo, "update-ref", store.ref, orphan)

    def join() -> None:
        store.absorb(dice.choice([tip for tip in tips if tip != store.head()]), "merge")

    for step in [grow, speak, *dice.choices([grow, speak, damage, edit, strange, back, foreign, join], k=40)]:
        try:
            step()
        except Exception as error:  # noqa: BLE001 - two logs that cannot be one: the log is as it was
            steps.append(f"{step.__name__}: {error}")
        steps.append(step.__name__)
        tips.append(store.head())
        assert by_index(index) == by_log(store), steps

    assert {step.partition(":")[0] for step in steps} >= {"grow", "speak", "damage", "edit", "back", "join"}


def test_what_is_kept_grows_with_the_schema(store: Log, open_index: Open, ask: Ask) -> None:
    """Whoever changes the facts of a record raises SCHEMA: an index that lacks them must not be believed."""
    ask(store, 1)
    facts = open_index(store).ask(listed(Filter(), 0))[0][0].data

    assert (SCHEMA, sorted(facts)) == (
        2,
        [
            "actors", "conflicts", "damages", "job", "latest", "live", "mode", "name", "question",
            "review_by", "status",
        ],
    )  # fmt: skip


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[RecordName]:
    """The records that were read for an index."""
    names: list[RecordName] = []
    real = Rows.add

    def add(rows: Rows, record: DecisionRecord) -> None:
        names.append(record.name)
        real(rows, record)

    monkeypatch.setattr(Rows, "add", add)
    return names


def test_only_what_changed_is_read_again(
    store: Log, open_index: Open, ask: Ask, vote: Callable[..., str], reads: list[RecordName]
) -> None:
    """One vote among three records costs one record; nothing new costs none."""
    records = [ask(store, each) for each in (1, 2, 3)]
    index = open_index(store)
    by_index(index)
    by_index(index)
    vote(store, records[1])
    by_index(index)

    assert reads == [*records, records[1]]


@pytest.mark.parametrize("fault", [None, "at once", "later"])
def test_a_helper_changes_nothing(
    store: Log, open_index: Open, ask: Ask, monkeypatch: pytest.MonkeyPatch, fault: str | None
) -> None:
    """Two processes read what one would have, also when the second one dies on the way."""
    for each in (1, 2, 3, 4, 5, 6):
        ask(store, each)
    here, real = os.getpid(), Rows.add

    def add(rows: Rows, record: DecisionRecord) -> None:
        helping = os.getpid() != here
        assert fault is None or not helping or (fault == "later" and record.name.number < 3), (
            "the helper dies"
        )
        assert helping or fault or record.name.number % 2, "this one was the helper's"
        real(rows, record)

    monkeypatch.setattr(filling, "MANY", 1)
    monkeypatch.setattr(reading, "BATCH", 1)
    monkeypatch.setattr(reading, "_can_help", lambda: True)
    monkeypatch.setattr(reading, "WORTH_HELP", 2)
    monkeypatch.setattr(Rows, "add", add)

    expected = [str(each) for each in store.snapshot().names()]
    assert [brief["name"] for brief in by_index(open_index(store))] == expected


def test_another_judgement_makes_it_anew(
    store: Log, open_index: Open, ask: Ask, reads: list[RecordName]
) -> None:
    """What was judged otherwise is not believed, in either direction."""
    ask(store, 1)
    for judgement in ("", "keys", "keys", ""):
        by_index(open_index(store, judgement))

    assert len(reads) == 3


def test_what_is_missing_is_looked_for_again(
    store: Log, open_index: Open, ask: Ask, vote: Callable[..., str], repo: Path
) -> None:
    """An object that comes back heals its record though no commit says so."""
    record = ask(store, 1)
    blob = vote(store, record)
    store.objects.close()
    file = repo / ".git" / "objects" / blob[:2] / blob[2:]
    data = file.read_bytes()
    file.unlink()
    index = open_index(store)
    assert [brief["status"] for brief in by_index(index)] == ["damaged"]

    file.write_bytes(data)

    assert [brief["status"] for brief in by_index(index)] == ["open"]


WORDS = {
    "load_dataset": "has LOAD_DATASET in it",
    "LÖSUNG": "die lösung",
    "losung": "die Lösung",
    "据集": "加载数据集吗",
    "データ": "このデータは",
    "검색": "검색을 한다",
    '"the premise"': "is the  premise false",
    "prem*": "premises",
    '"the prem"*': "see the premises",
    "a/b.py": "src/a/b.py",
    "c++ engine": "the engine in C++",
    "Ａ１": "Ａ１",
}


def test_words_are_found(store: Log, open_index: Open, plant: Plant, said: Callable[..., Any]) -> None:
    """In any case and accent, within text that has no blanks, as phrases and as beginnings."""
    found_in = {}
    for place, text in enumerate(WORDS.values(), 1):
        question = document.dump(Question(**said(), number=place, question=text, mode="decide"))
        key = document.identify(question, "sha1")
        record = RecordName.of(place, key)
        plant(store, {f"{record.path}/question-{key}.yaml": question})
        found_in[text] = str(record)
    index = open_index(store)

    for typed, text in WORDS.items():
        assert found_in[text] in names(index, typed), typed
        assert len(names(index, typed)) <= 3, typed


HOSTILE = (
    'x" OR "y',
    "NEAR(a b)", "said:x", "^x", "x AND", "(x", "x)", "{a b}: c", "-x", "x + y", "'; DROP TABLE x;--",
    'a"b"c', '"open', "%", "\ud800x", "x" * 100_000, " ".join(f"w{n}" for n in range(2000)),
    "\x02x\x03", "x\0y",
)  # fmt: skip


def test_nothing_typed_is_taken_for_syntax(store: Log, open_index: Open, ask: Ask) -> None:
    """Whatever it is, it is words: no error, and the same log afterwards."""
    ask(store, 1, "a question")
    index = open_index(store)

    for typed in HOSTILE:
        if asked := expression(typed):
            assert index.ask(found(asked, Filter(), 0)) == ([], None), typed
    assert [expression(typed) for typed in ("", "++ --", '"" *')] == ["", "", ""]
    assert len(by_index(index)) == 1


def test_no_phrase_reaches_from_one_entry_into_the_next(
    store: Log, open_index: Open, ask: Ask, vote: Callable[..., str]
) -> None:
    """Words of several entries find their record; a phrase is in one, and that one is named."""
    record = ask(store, 1, "first")
    entry = vote(store, record, "second third\nfourth")
    index = open_index(store)

    (match,), _ = index.ask(found(expression('"third fourth"'), Filter(), 0))
    assert (match.type, match.id, match.actor) == ("vote", entry, "Ada")
    assert match.excerpt == ("second ", "third fourth", "")
    assert names(index, "first fourth") == [str(record)]
    assert names(index, '"Ada second"') == []


def test_excerpts_are_short(store: Log, open_index: Open, ask: Ask) -> None:
    """A line around the find, marked where it is cut, without what stands in for blanks in the index."""
    ask(store, 1, f"{'before ' * 50} 数据集\x02 {'after ' * 50}".replace("\x02", ""))

    (match,), _ = open_index(store).ask(found(expression("据"), Filter(), 0))
    before, find, after = match.excerpt

    assert (before[0], before[-1], find, after[0], after[-1]) == ("…", "数", "据", "集", "…")
    assert len(before) + len(find) + len(after) < 140
