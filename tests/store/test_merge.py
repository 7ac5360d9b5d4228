"""The union of logs, by its laws, and the commits that hold it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitdecide.errors import Damaged
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.objects import FILE_MODE, Objects, TreeEntry
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.additions import Rewritten, additions, differences
from gitdecide.store.log import Log
from gitdecide.store.merge import contains, merge, union
from tests.conftest import run_git

NAMES = st.sampled_from(["a", "b", "c-1", "c.2", "é", "a\nb", 'q"'])
FILES = st.frozensets(st.lists(NAMES, min_size=1, max_size=4).map("/".join).map("f/{}.yaml".format))
"""Paths of files whose contents are their paths, so that one path has one content."""

OpenLog = Callable[..., Log]


@pytest.fixture(scope="module", params=["plumbing", "libgit2"])
def objects(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Objects]:
    """A repository that all examples share, both ways."""
    path = tmp_path_factory.mktemp("merge")
    run_git(path, "init", "-q")
    git = Git(path, os.environ)
    with Plumbing(git) if request.param == "plumbing" else LibGit2(git, Repository.discover(git)) as objects:
        yield objects


def tree(objects: Objects, files: frozenset[str]) -> str:
    blobs = {path: objects.add_blob(path.encode()) for path in files}
    return layout.add_files(objects, {}, blobs)


@settings(max_examples=25, deadline=None)
@given(logs=st.lists(FILES, min_size=3, max_size=3))
def test_merging_is_the_union_of_sets(objects: Objects, logs: list[frozenset[str]]) -> None:
    """In any order and grouping, and merged with itself, a log holds what all of them held."""
    one, two, three = (tree(objects, files) for files in logs)

    assert union(objects, one, one) == one
    assert union(objects, one, two) == union(objects, two, one)
    left = union(objects, union(objects, one, two), three)
    assert left == union(objects, one, union(objects, two, three))
    assert left == union(objects, left, two) == tree(objects, frozenset().union(*logs))


@pytest.mark.parametrize(
    ("one", "two", "path"),
    [
        ({"f/a": b"1"}, {"f/a": b"2"}, "f/a"),
        ({"f/a": b"1"}, {"f/a/b": b"1"}, "f/a"),
        ({"f/" + "d/" * 20 + "a": b"1"}, {"f/" + "d/" * 20 + "b": b"2"}, "so deep: f/d/"),
    ],
)
def test_one_path_has_one_content(
    objects: Objects, one: dict[str, bytes], two: dict[str, bytes], path: str
) -> None:
    """Anything else is no log of ours: the path is named."""
    trees = [
        layout.add_files(objects, {}, {file: objects.add_blob(data) for file, data in files.items()})
        for files in (one, two)
    ]

    with pytest.raises(Damaged, match=path):
        union(objects, *trees)


def test_a_mode_is_part_of_a_content(objects: Objects) -> None:
    """A file that became executable was changed."""
    blob = objects.add_blob(b"x")
    trees = [objects.add_tree({"a": TreeEntry(mode, blob)}) for mode in (FILE_MODE, 0o100755)]

    with pytest.raises(Damaged, match="two contents in the logs: a"):
        union(objects, *trees)


@pytest.fixture(params=["plumbing", "libgit2"])
def fork(
    request: pytest.FixtureRequest, open_log: OpenLog, repo: Path, plant: Callable[..., str]
) -> tuple[Log, str, str, str]:
    """A log, a commit of it, and two commits that were made on that apart."""
    log = open_log(repo, request.param)
    log.start()
    base = plant(log, {"decisions/a": b"1"})
    one = plant(log, {"decisions/b": b"2"})
    log.git.run("update-ref", log.ref, base)
    return log, base, one, plant(log, {"decisions/c": b"3"})


def test_a_log_that_contains_the_other_is_the_merge(fork: tuple[Log, str, str, str]) -> None:
    """Without a commit of its own, whichever side it is."""
    log, base, one, two = fork

    assert merge(log.git, log.objects, one, base, "m") == one
    assert merge(log.git, log.objects, base, one, "m") == one
    assert merge(log.git, log.objects, one, None, "m") == merge(log.git, log.objects, one, one, "m") == one
    assert contains(log.git, two, base)
    assert not contains(log.git, base, two)


def test_a_merge_has_the_published_side_first(fork: tuple[Log, str, str, str]) -> None:
    """And the files of both, and nothing else."""
    log, base, one, two = fork

    commit = log.objects.commit(merge(log.git, log.objects, one, two, "why"))

    assert (commit.parents, commit.message, commit.author.name) == ((one, two), "why", "Ada")
    assert differences(log.git, base, commit.id) == (["decisions/b", "decisions/c"], [])


def test_a_log_absorbs_another_under_its_lock(
    fork: tuple[Log, str, str, str], plant: Callable[..., str]
) -> None:
    """Whatever was appended meanwhile stays."""
    log, _, one, two = fork
    late = plant(log, {"decisions/d": b"4"})

    tip = log.absorb(one, "merge")

    assert log.tip() == tip
    assert log.objects.commit(tip).parents == (one, late)
    assert contains(log.git, tip, two)
    assert log.absorb(one, "merge") == tip


def test_additions_are_told_commit_by_commit(fork: tuple[Log, str, str, str]) -> None:
    """The oldest first, without what is known; a merge tells what each side lacked."""
    log, base, one, two = fork
    merged = merge(log.git, log.objects, one, two, "m")

    told = [(file.commit, file.path) for file in additions(log.git, merged, [base])]

    assert set(told[:2]) == {(one, "decisions/b"), (two, "decisions/c")}
    assert sorted(told[2:]) == [(merged, "decisions/b"), (merged, "decisions/c")]
    assert list(additions(log.git, merged, [merged])) == []
    assert [file.path for file in additions(log.git, base, [])] == ["format/1", "decisions/a"]


def test_a_commit_that_changes_its_parent_is_named(fork: tuple[Log, str, str, str]) -> None:
    """Ways that replace objects do not hide it."""
    log, base, one, _ = fork
    empty = log.objects.add_tree({})
    wiped = log.objects.add_commit(empty, [one], log.objects.commit(one).author, "wiped")
    log.git.run("replace", wiped, base)

    with pytest.raises(Rewritten) as raised:
        list(additions(log.git, wiped, [base]))

    assert raised.value.commit == wiped
    assert "removes decisions/a" in raised.value.message


def test_thousands_of_entries_are_merged(objects: Objects) -> None:
    """A wide log costs what differs, and comes out whole."""
    sides = [
        frozenset(f"decisions/DR-0xxx/{side}-{number}/vote.yaml" for number in range(1000)) for side in "ab"
    ]
    blob = objects.add_blob(b"x")
    one, two = (layout.add_files(objects, {}, dict.fromkeys(side, blob)) for side in sides)

    whole = union(objects, one, two)

    assert whole == layout.add_files(objects, {}, dict.fromkeys(sides[0] | sides[1], blob))
