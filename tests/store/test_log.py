from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from gitdecide.entries.names import RecordName
from gitdecide.entries.types import Question, Vote
from gitdecide.errors import CANNOT, REFUSED, DecideError
from gitdecide.git import refs
from gitdecide.git.objects import Signature
from gitdecide.render import story
from gitdecide.store import log as store_log
from gitdecide.store.log import Addition, HoldsSecret, Log, NoLog
from gitdecide.store.snapshot import Snapshot

Ask = Callable[..., RecordName]
Git = Callable[..., str]
Say = Callable[..., str]
Said = Callable[..., dict[str, Any]]

WHO = Signature("researcher-1", "researcher-1@actor.invalid", 1_790_000_000, 0)
TOKEN = "ghp_" + "a1B2" * 10


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long appends meant to wait; nobody does."""
    waited: list[float] = []
    monkeypatch.setattr(store_log, "pause", waited.append)
    return waited


def test_without_a_log_there_is_nothing_to_read_or_to_add_to(
    repo: Path, open_log: Callable[..., Log], pauses: list[float]
) -> None:
    """Reading and writing both say that the log was never begun, and how to begin it."""
    log = open_log(repo)
    for use in (
        log.snapshot,
        lambda: log.append(lambda _: pytest.fail("composed")),
        lambda: log.story(None, 0),
    ):
        with pytest.raises(NoLog, match=r"no decision log here: refs/decisions/log does not exist") as error:
            use()
        assert (error.value.exit, error.value.hint) == (CANNOT, "git decide init")
    assert log.tip() is None
    assert pauses == []


def test_a_log_begins_once(store: Log, open_log: Callable[..., Log]) -> None:
    """Beginning a log again changes nothing."""
    tip = store.tip()
    assert open_log(store.git.cwd).start() is False
    assert store.tip() == tip


def test_a_newer_log_is_read_and_not_written(store: Log, ask: Ask, plant: Say) -> None:
    """Somebody with a newer program wrote: we show what we can, and add nothing."""
    name = ask(store, 1)
    tip = plant(store, {"format/2": b"two\n"})
    for write in (store.start, lambda: ask(store, 2)):
        with pytest.raises(DecideError, match="has format 2, and this git-decide writes format 1"):
            write()
    assert store.tip() == tip
    assert store.snapshot().resolve("DR-1") == name


def test_a_secret_never_enters_the_log(store: Log, said: Said, say: Say) -> None:
    """A recognisable token is refused wherever it stands, before anything of it is stored."""
    tip = store.tip()
    objects = store.git.text("count-objects")
    question = Question(
        **said(), number=1, question="Which key?", mode="decide", context=(f"ours is {TOKEN}",)
    )

    with pytest.raises(
        HoldsSecret, match="the text holds a GitHub token, and the log never forgets"
    ) as error:
        say(store, None, question)

    assert error.value.exit == REFUSED
    assert store.tip() == tip
    assert store.git.text("count-objects") == objects


def test_a_lost_race_is_composed_anew(
    store: Log, ask: Ask, vote: Say, said: Said, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    """Whoever is overtaken sees the record again, with what the faster one wrote, and comes after that."""
    name = ask(store, 1)
    rival: list[str] = []

    def compose(snapshot: Snapshot) -> Addition:
        record = snapshot.record(name)
        if len(rival) < 2:
            with monkeypatch.context() as unlocked:
                unlocked.setattr(refs, "lock", lambda _: nullcontext())
                rival.append(vote(store, name, f"faster {len(rival)}"))
        entry = Vote(**said(), qid=record.question.id, after=record.heads, stance="inform", reason="slower")
        return Addition([(name, entry)], WHO, story.message(name, entry))

    (vote_id,) = store.append(compose)

    record = store.snapshot().record(name)
    assert [entry_id for entry_id, _ in record.entries][1:] == [*rival, vote_id]
    assert record[vote_id].after == (rival[1],)  # type: ignore[union-attr]
    assert [pause < store_log.LONGEST_PAUSE for pause in pauses] == [True, True]


def test_a_held_ref_is_tried_again(store: Log, ask: Ask, monkeypatch: pytest.MonkeyPatch, git: Git) -> None:
    """Another git holds the ref for a moment: the append waits and goes on."""
    git(store.git.cwd, "config", "core.filesRefLockTimeout", "0")
    lock = store.git.cwd / ".git" / "refs" / "decisions" / "log.lock"
    lock.touch()
    monkeypatch.setattr(store_log, "pause", lambda _: lock.unlink())

    name = ask(store, 1)

    assert store.snapshot().has(name)


def test_a_stale_lock_ends_in_the_words_of_git(
    store: Log, ask: Ask, monkeypatch: pytest.MonkeyPatch, git: Git, pauses: list[float]
) -> None:
    """A lock that does not go away is named as git names it, after several attempts, with exit 3."""
    git(store.git.cwd, "config", "core.filesRefLockTimeout", "0")
    monkeypatch.setattr(store_log, "ATTEMPTS", 3)
    tip = store.tip()
    lock = store.git.cwd / ".git" / "refs" / "decisions" / "log.lock"
    lock.touch()

    with pytest.raises(
        refs.LockedRef, match=r"cannot lock ref 'refs/decisions/log'.*log\.lock': File exists"
    ) as error:
        ask(store, 1)

    assert error.value.exit == CANNOT
    assert len(pauses) == 2
    assert store.tip() == tip


def test_what_compose_raises_leaves_the_log_as_it_was(store: Log) -> None:
    """A refusal reaches the caller, and the lock is free again."""
    tip = store.tip()

    def refuse(_: Snapshot) -> Addition:
        raise DecideError("refused")

    for _ in range(2):
        with pytest.raises(DecideError, match="refused"):
            store.append(refuse)
    assert store.tip() == tip


def test_both_ways_to_objects_make_the_same_log(
    repo: Path, git: Git, open_log: Callable[..., Log], say: Say, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same entries by the same people at the same time have the same commit ids, however written."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1790000000 +0200")
    git(repo.parent, "clone", "-q", "repo", "other")
    logs = [open_log(repo, "plumbing"), open_log(repo.parent / "other", "libgit2")]
    question = Question(**said(), number=7, question="Großes — 決定?", mode="decide")
    qid = logs[0].identify(question)
    vote = Vote(**said(), qid=qid, after=(qid,), stance="inform", reason="two\nlines")

    for log in logs:
        assert log.start()
        assert say(log, None, question) == qid
        say(log, RecordName.of(7, qid), vote)

    assert logs[0].tip() == logs[1].tip()
    assert len(logs[1].snapshot().record(RecordName.of(7, qid)).entries) == 2


def test_several_entries_enter_in_one_commit(store: Log, said: Said, git: Git) -> None:
    """What belongs together is never seen apart, and ids come back in the order of the entries."""
    questions = [Question(**said(), number=number, question="Add it?", mode="decide") for number in (1, 2)]
    before = store.tip()

    ids = store.append(lambda _: Addition([(None, entry) for entry in questions], WHO, "two questions\n"))

    assert ids == [store.identify(entry) for entry in questions]
    assert git(store.git.cwd, "rev-parse", f"{store.ref}^") == before
    assert [name.number for name in store.snapshot().names()] == [2, 1]


def test_the_author_speaks_and_the_committer_is_gits(
    store: Log, said: Said, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit is by the actor, at the entry's time, and committed by whom git would name."""
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Carol")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "carol@example.com")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1700000000 +0530")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Nobody")
    question = Question(**said(), number=1, question="Add it?", mode="decide")

    store.append(lambda _: Addition([(None, question)], WHO, "asked\n"))

    assert git(
        store.git.cwd, "log", "-1", "--format=%an <%ae> %ad%n%cn <%ce> %cd", "--date=raw", store.ref
    ).splitlines() == [
        "researcher-1 <researcher-1@actor.invalid> 1790000000 +0000",
        "Carol <carol@example.com> 1700000000 +0530",
    ]


def test_every_append_stands_in_the_reflog(store: Log, ask: Ask, vote: Say, git: Git) -> None:
    """The ref has a reflog whatever the configuration, with the subject of each commit."""
    git(store.git.cwd, "config", "core.logAllRefUpdates", "false")
    vote(store, ask(store, 1))

    assert git(store.git.cwd, "reflog", "show", "--format=%gs", store.ref).splitlines() == [
        "decide: DR-001 vote: inform by Ada",
        "decide: question: Add it? by Ada",
        "decide: start the log",
    ]


def test_tidying_up_cannot_make_an_append_fail(store: Log, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git says of its maintenance is no part of an append that is done."""
    monkeypatch.setattr(store, "_append", lambda compose: (compose(store.snapshot()), "00" + "a" * 38))
    ran: list[tuple[str, ...]] = []

    def fail(*args: str, **_: object) -> None:
        ran.append(args)
        raise DecideError("no maintenance today")

    monkeypatch.setattr(store.git, "run", fail)

    assert store.append(lambda _: ["id"]) == ["id"]  # type: ignore[arg-type,return-value]
    assert ran == [("maintenance", "run", "--auto", "--quiet")]
