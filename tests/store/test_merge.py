"""The union of logs, by its laws, and the commits that hold it."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitdecide.errors import Damaged
from gitdecide.git.libgit2 import LibGit2
from gitdecide.git.objects import FILE_MODE, Objects, Signature, TreeEntry
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.store import layout
from gitdecide.store.additions import differences
from gitdecide.store.log import Log
from gitdecide.store.merge import contains, merge, union
from tests.conftest import run_git

NAMES = st.sampled_from(["a", "b", "c-1", "c.2", "é", "a\nb", 'q"'])
FILES = st.frozensets(st.lists(NAMES, min_size=1, max_size=4).map("/".join).map("f/{}.yaml".format))
"""Paths of files whose contents are their paths, so that one path has one content."""

PATHS = st.one_of(
    st.sampled_from(["format/2", "notes.txt"]),
    st.builds(
        "{}/{}".format,
        st.sampled_from(
            ["actors/Ada", "decisions/DR-0xxx/DR-001-aaaaaaaa", "decisions/DR-1xxx/DR-001-aaaaaaaa"]
        ),
        st.sampled_from(
            ["vote-.yaml", f"vote-{'a' * 40}.yaml", "question-b.yaml", "\udcff", "-", " ", "a\tb"]
        ),
    ),
)
"""Paths of logs, most of them damaged."""

LOGS = st.dictionaries(PATHS, st.sampled_from(["", "1"])).map(lambda log: {"format/1": "git-decide"} | log)
"""Contents by path: what any hand may have made."""

OpenLog = Callable[..., Log]


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository that all examples share."""
    path = tmp_path_factory.mktemp("merge")
    run_git(path, "init", "-q")
    return Git(path, os.environ)


@pytest.fixture(scope="module", params=["plumbing", "libgit2"])
def objects(request: pytest.FixtureRequest, git: Git) -> Iterator[Objects]:
    """That repository, both ways."""
    with Plumbing(git) if request.param == "plumbing" else LibGit2(git, Repository.discover(git)) as objects:
        yield objects


def tree(objects: Objects, files: frozenset[str]) -> str:
    blobs = {path: objects.add_blob(path.encode()) for path in files}
    return layout.add_files(objects, {}, blobs)


def stored(objects: Objects, log: Mapping[str, str]) -> str:
    """The tree of a log."""
    blobs = {path: objects.add_blob(content.encode()) for path, content in log.items()}
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


@settings(max_examples=25, deadline=None)
@given(one=LOGS, two=LOGS)
def test_two_logs_that_cannot_be_one_cannot_in_either_order(
    objects: Objects, one: Mapping[str, str], two: Mapping[str, str]
) -> None:
    """Where one path has two contents it is refused both ways; else each has all of both."""
    trees = [stored(objects, log) for log in (one, two)]
    if any(two.get(path, content) != content for path, content in one.items()):
        for pair in (trees, trees[::-1]):
            with pytest.raises(Damaged, match="one path has two contents"):
                union(objects, *pair)
    else:
        assert union(objects, *trees) == union(objects, *trees[::-1]) == stored(objects, {**one, **two})


@settings(max_examples=6, deadline=None)
@given(logs=st.lists(LOGS, min_size=3, max_size=3), unrelated=st.booleans(), data=st.data())
def test_commits_of_logs_obey_the_same_laws(
    git: Git, objects: Objects, logs: list[Mapping[str, str]], unrelated: bool, data: st.DataObject
) -> None:
    """By their trees; whoever has all already gets no new commit. Also logs that share no commit."""
    whole: dict[str, str] = {}
    for log in logs:
        whole = {**log, **whole}
    logs = [{path: whole[path] for path in log} for log in logs]
    who = Signature("Ada", "ada@example.com", 1, 0)
    root = [] if unrelated else [objects.add_commit(stored(objects, {}), [], who, "root", who)]
    tips = [objects.add_commit(stored(objects, log), root, who, str(log), who) for log in logs]

    def merged(*commits: str) -> str:
        return reduce(lambda one, two: merge(git, objects, one, two, "m"), commits)

    one, two, three = tips
    left = merged(one, two, three)
    for commit in (merged(*data.draw(st.permutations(tips))), merged(one, merged(two, three))):
        assert objects.commit(commit).tree == objects.commit(left).tree == stored(objects, whole)
    for tip in (one, two, three, left):
        assert merged(tip, tip) == tip
        assert merged(left, tip) == merged(tip, left) == left


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


def test_thousands_of_entries_are_merged(objects: Objects) -> None:
    """A wide log costs what differs, and comes out whole."""
    sides = [
        frozenset(f"decisions/DR-0xxx/{side}-{number}/vote.yaml" for number in range(1000)) for side in "ab"
    ]
    blob = objects.add_blob(b"x")
    one, two = (layout.add_files(objects, {}, dict.fromkeys(side, blob)) for side in sides)

    whole = union(objects, one, two)

    assert whole == layout.add_files(objects, {}, dict.fromkeys(sides[0] | sides[1], blob))
