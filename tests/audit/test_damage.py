"""Every kind of damage is found, and named once: by kind, commit, path and reason."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from gitdecide.entries import document
from gitdecide.entries.names import RecordName
from gitdecide.entries.record import DecisionRecord
from gitdecide.entries.types import Check, Decision, Entry, Evidence, Proposal, Question, Replaced, Vote
from gitdecide.rules import explanations
from gitdecide.store import layout
from tests.audit.forging import File, Forge
from tests.conftest import run_git


class Wanted(NamedTuple):
    """What the audit has to say of a commit."""

    commit: str
    kind: str
    path: str
    said: str
    fatal: bool = False


Damage = Callable[[Forge], Iterator[Wanted]]
DAMAGES: Final[dict[str, Damage]] = {}

PAGE: Final = Path(__file__).parents[2] / "docs" / "log-format.md"
"""Explains every kind of fault that is not the code of a rule."""

SHUFFLED: Final = "0123456789abcdef0123456789abcdef01234567"
"""An id of nothing."""


def damage(spoil: Damage) -> Damage:
    DAMAGES[spoil.__name__] = spoil
    return spoil


def of(record: DecisionRecord, kind: type[Entry]) -> str:
    """The path of a record's first entry of a type."""
    found = record.of(kind)[0]
    return layout.entry_path(record.name, found.entry, found.id)


def first_path(files: dict[str, bytes]) -> str:
    """The first path of what a commit added."""
    return next(iter(files))


def changed(commit: str, path: str, said: str) -> Wanted:
    return Wanted(commit, "changed", path, said, fatal=True)


# A history that did not only grow.


@damage
def edited(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Vote)
    yield changed(forge.commit({path: b"type: vote\n"}), path, "was changed")


@damage
def removed(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Check)
    yield changed(forge.commit({path: None}), path, "was removed")


@damage
def removed_and_put_back(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(1)
    path = of(record, Check)
    yield changed(forge.commit({path: None}), path, "was removed")
    forge.commit({path: document.dump(record.of(Check)[0].entry)}, author="staff")


@damage
def renamed(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Check)
    new = path.replace("check-", "vote-")
    data = forge.objects.blob(forge.record(1).of(Check)[0].id)
    yield changed(forge.commit({path: None, new: data}), path, f"was moved to {new}")


@damage
def moved_to_another_record(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Check)
    new = f"{forge.record(2).name.path}/{path.rpartition('/')[2]}"
    data = forge.objects.blob(forge.record(1).of(Check)[0].id)
    yield changed(forge.commit({path: None, new: data}), path, f"was moved to {new}")


@damage
def a_record_moved(forge: Forge) -> Iterator[Wanted]:
    paths = [of(forge.record(2), kind) for kind in (Question, Vote)]
    moved = {path.replace("DR-002", "DR-004"): forge.objects.blob(path[-45:-5]) for path in paths}
    commit = forge.commit({**dict.fromkeys(paths), **moved})
    for path, new in zip(paths, moved, strict=True):
        yield changed(commit, path, f"was moved to {new}")


@damage
def made_executable(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Vote)
    data = forge.objects.blob(path[-45:-5])
    yield changed(forge.commit({path: File("100755", data)}), path, "was made executable")


@damage
def made_a_symbolic_link(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Vote)
    yield changed(forge.commit({path: File("120000", b"/etc/passwd")}), path, "was made a symbolic link")


@damage
def made_a_submodule(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Vote)
    yield changed(forge.commit({path: File("160000", forge.tip.encode())}), path, "was made a submodule")


@damage
def made_a_folder(forge: Forge) -> Iterator[Wanted]:
    path = of(forge.record(1), Vote)
    commit = forge.commit({path: None, f"{path}/inner.yaml": b"x\n", f"{path}/other.yaml": b"y\n"})
    yield changed(commit, path, "a folder took its place")


@damage
def the_format_rewritten(forge: Forge) -> Iterator[Wanted]:
    yield changed(forge.commit({"format/1": b"mine\n"}), "format/1", "was changed")


@damage
def removed_on_a_side_that_was_merged(forge: Forge) -> Iterator[Wanted]:
    base, path = forge.tip, of(forge.record(1), Check)
    side = forge.commit({path: None}, on=base)
    ours = forge.commit(forge.files(forge.record(2), forge.vote(forge.record(2))))
    forge.union(ours, side)
    yield changed(side, path, "was removed")


# Merges that are no unions.


def two_sides(forge: Forge) -> tuple[str, str, dict[str, bytes], dict[str, bytes]]:
    """Two commits that add a vote each, to records of their own."""
    base = forge.tip
    ours, theirs = (forge.files(forge.record(number), forge.vote(forge.record(number))) for number in (2, 3))
    return forge.commit(ours, on=base), forge.commit(theirs, on=base), ours, theirs


@damage
def a_merge_that_drops(forge: Forge) -> Iterator[Wanted]:
    ours, theirs, _, lost = two_sides(forge)
    merge = forge.commit({}, on=ours, merging=[theirs])
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, merge)
    yield Wanted(merge, "merge", first_path(lost), "the merge drops it", fatal=True)


@damage
def a_merge_that_drops_what_both_have(forge: Forge) -> Iterator[Wanted]:
    ours, theirs, _, added = two_sides(forge)
    path = of(forge.record(1), Check)
    merge = forge.commit({**added, path: None}, on=ours, merging=[theirs])
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, merge)
    yield Wanted(merge, "merge", path, "the merge drops it", fatal=True)


@damage
def a_merge_that_adds(forge: Forge) -> Iterator[Wanted]:
    ours, theirs, _, added = two_sides(forge)
    own = forge.files(forge.record(1), forge.vote(forge.record(1)))
    merge = forge.commit({**added, **own}, on=ours, merging=[theirs])
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, merge)
    yield Wanted(merge, "merge", first_path(own), "the merge adds it, and none of its parents has it")


@damage
def a_merge_that_adds_nonsense(forge: Forge) -> Iterator[Wanted]:
    ours, theirs, _, added = two_sides(forge)
    own = {f"{forge.record(1).name.path}/vote-{SHUFFLED}.yaml": b"x\n"}
    merge = forge.commit({**added, **own}, on=ours, merging=[theirs])
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, merge)
    yield Wanted(merge, "merge", first_path(own), "the merge adds it")


@damage
def a_merge_that_changes(forge: Forge) -> Iterator[Wanted]:
    ours, theirs, _, added = two_sides(forge)
    merge = forge.commit(dict.fromkeys(added, b"other\n"), on=ours, merging=[theirs])
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, merge)
    yield Wanted(merge, "merge", first_path(added), "the merge changes it", fatal=True)


# Commits that are not as ours.


@damage
def another_root(forge: Forge) -> Iterator[Wanted]:
    entry = forge.question(7)
    root = forge.commit({"format/1": b"other\n", **forge.files(None, entry)}, on="")
    run_git(forge.repo, "update-ref", layout.DEFAULT_REF, root)
    yield Wanted(root, "root", "", "every log begins with the commit ")


@damage
def a_forged_author(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(record, forge.vote(record, actor="staff"))
    yield Wanted(
        forge.commit(files), "author", first_path(files), "is said by staff, and its commit is by Ada"
    )


# Files that are not what they claim.


def planted(forge: Forge, name: str, data: bytes | File) -> tuple[str, str]:
    """A file in the folder of DR-002: the commit, and the path; {id} in its name is the blob's."""
    inner = data.data if isinstance(data, File) else data
    path = f"{forge.record(2).name.path}/{name.format(id=forge.id(inner))}"
    return forge.commit({path: data}), path


@damage
def not_yaml(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "vote-{id}.yaml", b"{ this is: [not yaml\n")
    yield Wanted(commit, "schema", path, "line 1: ")


@damage
def not_strict(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "vote-{id}.yaml", b"type: &a vote\nreason: *a\n")
    yield Wanted(commit, "schema", path, "line 1: anchors are not allowed")


@damage
def not_of_the_schema(forge: Forge) -> Iterator[Wanted]:
    vote = document.dump(forge.vote(forge.record(2))).replace(b"stance: inform", b"stance: maybe")
    commit, path = planted(forge, "vote-{id}.yaml", vote)
    yield Wanted(commit, "schema", path, "stance: ")


@damage
def of_another_type(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "check-{id}.yaml", document.dump(forge.vote(forge.record(2))))
    yield Wanted(commit, "schema", path, "is a vote by its content")


@damage
def of_another_id(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, f"vote-{SHUFFLED}.yaml", document.dump(forge.vote(forge.record(2))))
    yield Wanted(commit, "name", path, "was edited or misnamed: its content is ")


@damage
def of_no_entry(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "README.md", b"read me\n")
    yield Wanted(commit, "name", path, "not the name of an entry")


@damage
def names_that_imitate_a_cycle(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    ids = [SHUFFLED, SHUFFLED[::-1]]
    files = {
        f"{record.name.path}/vote-{own}.yaml": document.dump(forge.vote(record, after=(other,)))
        for own, other in zip(ids, reversed(ids), strict=True)
    }
    commit = forge.commit(files)
    for path in files:
        yield Wanted(commit, "name", path, "was edited or misnamed")


@damage
def a_patch_of_another_name(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, f"{SHUFFLED}.patch", b"diff\n")
    yield Wanted(commit, "name", path, "not the name of an entry")


@damage
def a_symbolic_link(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "vote-{id}.yaml", File("120000", b"/etc/passwd"))
    yield Wanted(commit, "place", path, "is a symbolic link, and not an ordinary file")


@damage
def an_executable(forge: Forge) -> Iterator[Wanted]:
    vote = document.dump(forge.vote(forge.record(2)))
    commit, path = planted(forge, "vote-{id}.yaml", File("100755", vote))
    yield Wanted(commit, "place", path, "is executable, and not an ordinary file")


@damage
def a_submodule(forge: Forge) -> Iterator[Wanted]:
    path = f"{forge.record(2).name.path}/vote-{forge.tip}.yaml"
    commit = forge.commit({path: File("160000", forge.tip.encode())})
    yield Wanted(commit, "place", path, "is a submodule, and not an ordinary file")


# Files in wrong places.


@damage
def beside_the_folders(forge: Forge) -> Iterator[Wanted]:
    yield Wanted(forge.commit({"README": b"x\n"}), "place", "README", "is no place for an entry")


@damage
def below_a_record(forge: Forge) -> Iterator[Wanted]:
    path = f"{forge.record(2).name.path}/more/vote-{SHUFFLED}.yaml"
    yield Wanted(forge.commit({path: b"x\n"}), "place", path, "is no place for an entry")


@damage
def in_another_bucket(forge: Forge) -> Iterator[Wanted]:
    (path, data), = forge.files(None, forge.question(7)).items()  # fmt: skip
    path = path.replace("DR-0xxx", "DR-1xxx")
    yield Wanted(forge.commit({path: data}), "place", path, "is no place for an entry")


@damage
def under_another_number(forge: Forge) -> Iterator[Wanted]:
    (path, data), = forge.files(None, forge.question(7)).items()  # fmt: skip
    path = path.replace("DR-007", "DR-008")
    yield Wanted(forge.commit({path: data}), "question", path, "is a question of another record")


@damage
def under_another_suffix(forge: Forge) -> Iterator[Wanted]:
    question = forge.question(7)
    path = forge.file("decisions/DR-0xxx/DR-007-00000000", question)
    commit = forge.commit({path: document.dump(question)})
    yield Wanted(commit, "question", path, "is a question of another record")


@damage
def without_a_question(forge: Forge) -> Iterator[Wanted]:
    folder = "decisions/DR-0xxx/DR-007-00000000"
    vote = forge.vote(forge.record(2))
    commit = forge.commit({forge.file(folder, vote): document.dump(vote)})
    yield Wanted(commit, "question", folder, "has no question of this name")


@damage
def a_second_question(forge: Forge) -> Iterator[Wanted]:
    question = forge.question(2)
    path = forge.file(forge.record(2).name.path, question)
    commit = forge.commit({path: document.dump(question)})
    yield Wanted(commit, "question", path, "is a question of another record", fatal=True)


@damage
def a_second_question_that_is_not_what_it_says(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, f"question-{SHUFFLED}.yaml", b"x\n")
    yield Wanted(commit, "name", path, "was edited or misnamed", fatal=True)


@damage
def two_questions_that_are_both_elsewhere(forge: Forge) -> Iterator[Wanted]:
    questions = [forge.question(7), forge.question(8)]
    paths = [forge.file("decisions/DR-0xxx/DR-007-00000000", question) for question in questions]
    files = dict(zip(paths, map(document.dump, questions), strict=True))
    commit = forge.commit(files)
    for path in paths:
        yield Wanted(commit, "question", path, "is a question of another record", fatal=True)


@damage
def copied_to_another_record(forge: Forge) -> Iterator[Wanted]:
    vote = forge.record(3).of(Vote)[0].entry
    path = forge.file(forge.record(2).name.path, vote)
    commit = forge.commit({path: document.dump(vote)})
    yield Wanted(commit, "place", path, f"belongs to the question {vote.qid}")


@damage
def an_actor_in_a_record(forge: Forge) -> Iterator[Wanted]:
    commit, path = planted(forge, "actor-{id}.yaml", document.dump(forge.actor("bot")))
    yield Wanted(commit, "place", path, "does not belong in a decision record")


@damage
def an_actor_in_the_folder_of_another(forge: Forge) -> Iterator[Wanted]:
    actor = forge.actor("bot")
    path = forge.file("actors/staff", actor)
    yield Wanted(forge.commit({path: document.dump(actor)}), "place", path, "is not an entry of this actor")


@damage
def an_actor_under_another_id(forge: Forge) -> Iterator[Wanted]:
    path = f"actors/bot/actor-{SHUFFLED}.yaml"
    commit = forge.commit({path: document.dump(forge.actor("bot"))})
    yield Wanted(commit, "name", path, "was edited or misnamed")


@damage
def an_actor_that_is_not_yaml(forge: Forge) -> Iterator[Wanted]:
    path = f"actors/bot/actor-{forge.id(b'[')}.yaml"
    yield Wanted(forge.commit({path: b"["}), "schema", path, "line 1: ")


# Entries that say they come after what they cannot, or name what is not there.


@damage
def after_nothing(forge: Forge) -> Iterator[Wanted]:
    files = forge.files(forge.record(2), forge.vote(forge.record(2), after=()))
    yield Wanted(forge.commit(files), "reference", first_path(files), "comes after nothing")


@damage
def after_what_is_not_there(forge: Forge) -> Iterator[Wanted]:
    files = forge.files(forge.record(2), forge.vote(forge.record(2), after=(SHUFFLED,)))
    yield Wanted(
        forge.commit(files), "reference", first_path(files), f"comes after {SHUFFLED}, which is not here"
    )


@damage
def after_what_a_concurrent_branch_added(forge: Forge) -> Iterator[Wanted]:
    base, record = forge.tip, forge.record(2)
    early = forge.vote(record)
    first = forge.commit(forge.files(record, early), on=base)
    late = forge.files(record, forge.vote(record, after=(forge.id(early),)))
    second = forge.commit(late, on=base)
    forge.union(first, second)
    yield Wanted(second, "order", first_path(late), f"comes after {forge.id(early)}, which was not there")


@damage
def after_less_than_was_there(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(record, forge.vote(record, after=(record.question.id,)))
    said = f"does not come after {record.heads[0]}, which was there"
    yield Wanted(forge.commit(files), "order", first_path(files), said)


@damage
def after_more_than_the_heads(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(record, forge.vote(record, after=(record.question.id, *record.heads)))
    yield Wanted(forge.commit(files), "order", first_path(files), "which others came after")


@damage
def an_actor_that_ignores_what_was_said_of_it(forge: Forge) -> Iterator[Wanted]:
    files = forge.files(None, forge.actor("staff"))
    yield Wanted(forge.commit(files), "order", first_path(files), "does not come after ")


@damage
def a_check_younger_than_its_decision(forge: Forge) -> Iterator[Wanted]:
    base, record = forge.tip, forge.record(2)
    check = forge.check(record)
    files = forge.files(
        record, forge.decision(record, outcome="adopt", changes_code=True, checks=(forge.id(check),))
    )
    decided = forge.commit(files, on=base)
    forge.union(decided, forge.commit(forge.files(record, check), on=base))
    yield Wanted(
        decided, "R4", first_path(files), f"has no entry {forge.id(check)} that came before this one"
    )


@damage
def a_check_added_after_its_decision(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    check = forge.check(record)
    decision = forge.decision(record, outcome="adopt", changes_code=True, checks=(forge.id(check),))
    decided, checked = forge.files(record, decision), forge.files(record, check)
    yield Wanted(forge.commit(decided), "R4", first_path(decided), f"has no entry {forge.id(check)} ")
    yield Wanted(
        forge.commit(checked), "order", first_path(checked), f"does not come after {forge.id(decision)}"
    )


@damage
def a_supersession_that_does_not_descend(forge: Forge) -> Iterator[Wanted]:
    base, record = forge.tip, forge.record(2)
    old = forge.decision(record)
    new = forge.files(record, forge.decision(record, supersedes=(forge.id(old),)))
    first, second = forge.commit(forge.files(record, old), on=base), forge.commit(new, on=base)
    forge.union(first, second)
    yield Wanted(second, "R4", first_path(new), f"there is no decision {forge.id(old)} to supersede")


@damage
def a_foreign_supersession_that_does_not_descend(forge: Forge) -> Iterator[Wanted]:
    base, ours, theirs = forge.tip, forge.record(2), forge.record(3)
    old = forge.decision(theirs)
    reference = f"{theirs.name}:{forge.id(old)}"
    decision = forge.decision(ours, supersedes=(reference,))
    note = forge.said(Replaced, theirs, decision=forge.id(old), by=f"{ours.name}:{forge.id(decision)}")
    files = {**forge.files(ours, decision), **forge.files(theirs, note)}
    first, second = forge.commit(forge.files(theirs, old), on=base), forge.commit(files, on=base)
    forge.union(first, second)
    yield Wanted(second, "R4", first_path(files), f"there is no decision {reference} to supersede")
    yield Wanted(second, "R4", list(files)[1], f"has no entry {forge.id(old)} that came before")


@damage
def a_replacement_that_nobody_decided(forge: Forge) -> Iterator[Wanted]:
    record, by = forge.record(1), f"{forge.record(2).name}:{SHUFFLED}"
    note = forge.said(Replaced, record, decision=record.of(Decision)[0].id, by=by)
    files = forge.files(record, note)
    yield Wanted(
        forge.commit(files), "reference", first_path(files), f"is replaced by {by}, which does not say so"
    )


@damage
def a_replacement_that_is_not_noted(forge: Forge) -> Iterator[Wanted]:
    old, record = forge.record(1), forge.record(2)
    reference = f"{old.name}:{old.of(Decision)[0].id}"
    files = forge.files(record, forge.decision(record, supersedes=(reference,)))
    yield Wanted(forge.commit(files), "reference", first_path(files), f"replaces {reference}, and no entry ")


@damage
def an_entry_read_before_it_was_there(forge: Forge) -> Iterator[Wanted]:
    base, record = forge.tip, forge.record(2)
    other = forge.vote(forge.record(3))
    reference = f"{forge.record(3).name}:{forge.id(other)}"
    files = forge.files(record, forge.vote(record, read=(Evidence(entry=reference),)))
    read = forge.commit(files, on=base)
    forge.union(read, forge.commit(forge.files(forge.record(3), other), on=base))
    yield Wanted(read, "reference", first_path(files), f"read {reference}, which was not there")


@damage
def a_proposal_without_its_patch(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(
        record, forge.said(Proposal, record, base=forge.tip, branch="decide/x", patch=SHUFFLED)
    )
    yield Wanted(
        forge.commit(files),
        "reference",
        first_path(files),
        f"proposes the patch {SHUFFLED}, which is not there",
    )


# Entries that the rules would have refused.


@damage
def a_decision_without_a_verified_vote(forge: Forge) -> Iterator[Wanted]:
    question = forge.question(7)
    record = RecordName.of(7, forge.id(question))
    forge.commit(forge.files(None, question))
    files = forge.files(record, forge.decision(forge.record(7), read=()))
    yield Wanted(forge.commit(files), "R2", first_path(files), "nothing that was read carries this decision")


@damage
def a_decision_backed_by_a_later_vote(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    vote = forge.vote(record)
    files = forge.files(record, forge.decision(record, backed_by=(forge.id(vote),)))
    base = forge.tip
    decided = forge.commit(files, on=base)
    forge.union(decided, forge.commit(forge.files(record, vote), on=base))
    yield Wanted(decided, "R4", first_path(files), f"has no entry {forge.id(vote)} that came before this one")


@damage
def a_decision_that_changes_code_unchecked(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(record, forge.decision(record, outcome="adopt", changes_code=True))
    yield Wanted(forge.commit(files), "R3", first_path(files), "the decision names no premise check")


@damage
def a_second_decision(forge: Forge) -> Iterator[Wanted]:
    files = forge.files(forge.record(1), forge.decision(forge.record(1)))
    yield Wanted(forge.commit(files), "R4", first_path(files), "is decided already")


@damage
def adopted_over_a_failing_check(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    check = forge.check(record, exit_code=1, result="fails")
    forge.commit(forge.files(record, check))
    files = forge.files(record, forge.decision(forge.record(2), outcome="adopt"))
    yield Wanted(forge.commit(files), "R5", first_path(files), "a check fails: true")


@damage
def support_that_read_nothing(forge: Forge) -> Iterator[Wanted]:
    record = forge.record(2)
    files = forge.files(record, forge.vote(record, stance="support", read=()))
    yield Wanted(forge.commit(files), "R1", first_path(files), "support that read nothing")


@damage
def refused_in_two_histories(forge: Forge) -> Iterator[Wanted]:
    base, record = forge.tip, forge.record(2)
    files = forge.files(record, forge.vote(record, stance="support", read=()))
    sides = [forge.commit(files, on=base), forge.commit(files, on=forge.commit({}, on=base))]
    forge.union(*sides)
    listed = run_git(forge.repo, "rev-list", "--topo-order", "--reverse", forge.tip).split()
    yield Wanted(min(sides, key=listed.index), "R1", first_path(files), "support that read nothing")


@damage
def an_agent_that_makes_itself_a_human(forge: Forge) -> Iterator[Wanted]:
    known = next(iter(forge.objects.subtree(forge.tip, "actors/staff") or {}))[6:-5]
    files = forge.files(None, forge.actor("staff", actor="staff", kind="human", after=(known,)))
    commit = forge.commit(files, author="staff")
    yield Wanted(
        commit, "R7", first_path(files), "staff is an agent, and only a person makes an actor a human"
    )


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_named_once(forge: Forge, name: str) -> None:
    """By a whole audit, and by one that begins where the log was sound; nothing else is found."""
    sound = forge.tip
    wanted = sorted(DAMAGES[name](forge))
    found = forge.findings()

    assert sorted((finding.commit, finding.kind, finding.path, finding.fatal) for finding in found) == [
        (want.commit, want.kind, want.path, want.fatal) for want in wanted
    ], found
    for want in wanted:
        assert want.kind in explanations() or f"\n| `{want.kind}` |" in PAGE.read_text("utf-8")
        (finding,) = (one for one in found if (one.commit, one.path) == (want.commit, want.path))
        assert want.said in finding.message
    assert sorted(forge.findings([sound])) == sorted(found)


def test_there_are_enough_kinds_of_damage() -> None:
    """A kind that is defined and not run would be a hole."""
    assert len(DAMAGES) >= 60
