"""One contract for every way to git objects, in every kind of repository."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitdecide.errors import DecideError
from gitdecide.git.libgit2 import CannotOpen, LibGit2
from gitdecide.git.objects import FILE_MODE, TREE_MODE, MissingObject, Objects, Signature, Tree, TreeEntry
from gitdecide.git.plumbing import Plumbing
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git

GitRunner = Callable[..., str]

ADA = Signature("Ada", "ada@example.com", 1_700_000_000, 120)
BOB = Signature("Bob", "bob@example.com", 1_700_000_001, -210)

quick = settings(
    max_examples=30,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Place(NamedTuple):
    """A folder to stand in, and how to run git there."""

    path: Path
    git: GitRunner

    def says(self, *args: str, stdin: str | None = None) -> str:
        return self.git(self.path, *args, stdin=stdin)


def filled(git: GitRunner, path: Path, *options: str) -> Path:
    """A repository with two commits and a tag."""
    path.mkdir(parents=True)
    git(path, "init", "-q", *options)
    (path / "sub dir").mkdir()
    (path / "sub dir" / "ü.txt").write_text("hello\n")
    (path / "a.txt").write_text("one\n")
    git(path, "add", ".")
    git(path, "commit", "-qm", "first")
    (path / "a.txt").write_text("two\n")
    git(path, "commit", "-qam", "second")
    git(path, "tag", "-am", "a tag", "v1")
    return path


def clone(git: GitRunner, base: Path, *options: str) -> Path:
    origin = filled(git, base / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(base, "clone", "-q", *options, f"file://{origin}", "clone")
    return base / "clone"


def packed(git: GitRunner, base: Path) -> Path:
    path = filled(git, base / "packed")
    git(path, "gc", "-q", "--prune=now")
    return path


def worktree(git: GitRunner, base: Path) -> Path:
    git(filled(git, base / "main"), "worktree", "add", "-q", "../linked")
    return base / "linked"


def submodule(git: GitRunner, base: Path) -> Path:
    inner = filled(git, base / "inner")
    outer = filled(git, base / "outer")
    git(outer, "submodule", "--quiet", "add", str(inner), "inner")
    return outer / "inner"


def worktree_config(git: GitRunner, base: Path) -> Path:
    path = filled(git, base / "configured")
    git(path, "config", "extensions.worktreeConfig", "true")
    git(path, "config", "--worktree", "decide.x", "y")
    return path


KINDS: dict[str, Callable[[GitRunner, Path], Path]] = {
    "plain": lambda git, base: filled(git, base / "plain"),
    "bare": lambda git, base: clone(git, base, "--bare"),
    "worktree": worktree,
    "submodule": submodule,
    "packed": packed,
    "shallow": lambda git, base: clone(git, base, "--depth=1"),
    "alternate": lambda git, base: clone(git, base, "--shared", f"--reference={base / 'origin'}"),
    "worktree config": worktree_config,
    "odd path": lambda git, base: filled(git, base / "spaces and ümläuts"),
    "latin-1 path": lambda git, base: filled(git, base / os.fsdecode(b"\xfc")),
    "line end in path": lambda git, base: filled(git, base / "two\nlines"),
    "partial": lambda git, base: clone(git, base, "--filter=blob:none", "--no-checkout"),
    "sha256": lambda git, base: filled(git, base / "long", "--object-format=sha256"),
}
PAIRS = [
    (kind, way) for kind in KINDS for way in ("plumbing", "libgit2") if (kind, way) != ("sha256", "libgit2")
]


@pytest.fixture(scope="session")
def built() -> dict[str, Path]:
    """Repositories that exist already: tests only add to them."""
    return {}


@pytest.fixture
def place_of(
    built: dict[str, Path], git: GitRunner, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Place]:
    def build(kind: str) -> Place:
        if kind not in built:
            built[kind] = KINDS[kind](git, tmp_path_factory.mktemp("kind"))
        return Place(built[kind], git)

    return build


def opened(way: str, path: Path) -> Objects:
    git = Git(path, os.environ)
    return Plumbing(git) if way == "plumbing" else LibGit2(git, Repository.discover(git))


@pytest.fixture(params=PAIRS, ids=" ".join)
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    chosen: tuple[str, str] = request.param
    return chosen


@pytest.fixture
def place(pair: tuple[str, str], place_of: Callable[[str], Place]) -> Place:
    return place_of(pair[0])


@pytest.fixture
def objects(pair: tuple[str, str], place: Place) -> Iterator[Objects]:
    with opened(pair[1], place.path) as objects:
        yield objects


@pytest.fixture
def both(place_of: Callable[[str], Place]) -> Iterator[tuple[Objects, Objects]]:
    """Plumbing and libgit2 on one repository."""
    path = place_of("plain").path
    with opened("plumbing", path) as plumbing, opened("libgit2", path) as libgit2:
        yield plumbing, libgit2


def test_revisions_resolve_as_git_resolves_them(place: Place, objects: Objects) -> None:
    """A ref, an id, a peeled tag and a path name what `git rev-parse` says."""
    head = place.says("rev-parse", "HEAD")
    for revision in (
        "HEAD",
        "v1",
        "v1^{}",
        "HEAD^{tree}",
        "HEAD:sub dir",
        "HEAD:sub dir/ü.txt",
        head,
        head[:9],
    ):
        assert objects.resolve(revision) == place.says("rev-parse", revision)


@pytest.mark.parametrize(
    "revision",
    [
        "",
        "nothing",
        "--batch-all-objects",
        "HEAD\n",
        "HEAD\0",
        "\udcff",
        "HEAD:nothing",
        "f" * 40,
        "HEAD blob 3",
    ],
)
def test_text_that_names_nothing_resolves_to_none(revision: str, objects: Objects) -> None:
    """Text that names no object is no object: no option, no error, no end of the conversation."""
    assert objects.resolve(revision) is None
    assert objects.kind(revision) is None
    assert objects.resolve("HEAD") is not None


def test_kinds_are_told(place: Place, objects: Objects) -> None:
    """Every kind of object is known by its id."""
    revisions = {"HEAD": "commit", "HEAD^{tree}": "tree", "HEAD:a.txt": "blob", "v1": "tag"}
    assert {name: objects.kind(place.says("rev-parse", name)) for name in revisions} == revisions


def test_what_git_committed_is_read(place: Place, objects: Objects) -> None:
    """Commit, trees and blobs come back as git shows them."""
    head = objects.commit(place.says("rev-parse", "HEAD"))
    seconds, name, email = place.says("log", "-1", "--format=%at%n%an%n%ae").splitlines()
    assert head.author == Signature(name, email, int(seconds), 0) == head.committer
    assert head.message == "second\n"
    assert head.tree == place.says("rev-parse", "HEAD^{tree}")
    top = objects.tree(head.tree)
    assert list(top) == ["a.txt", "sub dir"]
    assert (top["a.txt"].mode, top["sub dir"].is_tree, top["a.txt"].is_tree) == (FILE_MODE, True, False)
    assert objects.blob(top["a.txt"].id) == b"two\n"
    assert (
        objects.subtree(head.tree, "sub dir")
        == objects.tree(top["sub dir"].id)
        == objects.subtree(head.id, "sub dir")
    )
    assert [objects.subtree(head.tree, path) for path in ("a.txt", "nothing", "x\ny")] == [None] * 3


def test_a_shallow_history_ends_without_an_error(place_of: Callable[[str], Place]) -> None:
    """A commit at the edge keeps its parents' ids, and they are missing."""
    for way in ("plumbing", "libgit2"):
        with opened(way, place_of("shallow").path) as objects:
            head = objects.resolve("HEAD")
            assert head is not None
            (parent,) = objects.commit(head).parents
            with pytest.raises(MissingObject, match=parent):
                objects.commit(parent)


def test_a_missing_object_is_damage_and_is_named(objects: Objects, place: Place) -> None:
    """What is not there, of another kind, or not a full id, is reported by its id, in exit code 4."""
    blob, commit = place.says("rev-parse", "HEAD:a.txt"), place.says("rev-parse", "HEAD")
    reads: list[tuple[Callable[[str], object], str]] = [
        (objects.blob, commit),
        (objects.tree, commit),
        (objects.commit, blob),
    ]
    for read, other in reads:
        for oid in (other, "0" * len(blob), blob[:8], "", "HEAD"):
            with pytest.raises(MissingObject, match=f"{oid}$") as missing:
                read(oid)
            assert missing.value.exit == 4
    assert objects.blob(blob) == b"two\n"


def test_what_is_added_is_git_s(place: Place, objects: Objects) -> None:
    """A blob, a tree and a commit that were added are git's at once, and sound."""
    blob = objects.add_blob(b"an entry\n")
    tree = objects.add_tree({"entry.yaml": TreeEntry(FILE_MODE, blob)})
    root = objects.add_commit(tree, (), ADA, "root\n", BOB)
    commit = objects.add_commit(
        objects.add_tree({"x": TreeEntry(TREE_MODE, tree)}), (root, root), ADA, "next", BOB
    )
    assert place.says("show", f"{commit}:x/entry.yaml") == "an entry"
    assert place.says("log", "--format=%an %ad %cn %cd %s", "--date=iso", commit).splitlines() == [
        "Ada 2023-11-15 00:13:20 +0200 Bob 2023-11-14 18:43:21 -0330 next",
        "Ada 2023-11-15 00:13:20 +0200 Bob 2023-11-14 18:43:21 -0330 root",
    ]
    place.says("fsck", "--strict", "--no-dangling", "--connectivity-only", commit)
    assert objects.commit(commit).parents == (root,)
    assert objects.add_tree({}) == place.says("mktree", stdin="")


def test_what_others_add_later_is_found(place: Place, objects: Objects) -> None:
    """Objects and refs written by another git after opening are there, loose and packed."""
    assert objects.resolve("refs/later/one") is None
    blob = place.says("hash-object", "-w", "--stdin", stdin=f"later {objects!r}")
    assert objects.blob(blob) == f"later {objects!r}".encode()
    commit = place.says("commit-tree", "-p", "HEAD", "-m", f"later {objects!r}", "HEAD^{tree}")
    place.says("update-ref", "refs/later/one", commit)
    place.says("repack", "-adq")
    place.says("pack-refs", "--all")
    assert objects.resolve("refs/later/one") == commit
    assert objects.commit(commit).id == commit
    place.says("update-ref", "-d", "refs/later/one")
    assert objects.resolve("refs/later/one") is None


def test_an_id_stands_for_its_own_bytes(place: Place, objects: Objects) -> None:
    """`git replace` does not change what an id reads as."""
    one, two = (place.says("hash-object", "-w", "--stdin", stdin=text) for text in ("one", "two"))
    place.says("replace", "-f", one, two)
    assert objects.blob(one) == b"one"
    place.says("replace", "-d", one)


def test_prefixes_name_all_that_start_so(place: Place, objects: Objects) -> None:
    """Every object with a prefix is listed; text that is no prefix lists nothing."""
    head = place.says("rev-parse", "HEAD")
    assert head in objects.disambiguate(head[:4])
    assert objects.disambiguate(head.upper()) == [head]
    assert (
        objects.disambiguate(head[:3]) == objects.disambiguate("--all") == objects.disambiguate("zzzz") == []
    )


def test_many_blobs_come_in_order_while_others_are_read(objects: Objects) -> None:
    """Large contents do not block the pipes, and reading something else in between mixes nothing up."""
    data = [b"%d\n" % number * (200_000 if number % 50 == 0 else 1) for number in range(0, 250, 10)]
    tree = objects.add_tree({})
    ids = [objects.add_blob(each) for each in data] * 12
    for number, content in enumerate(objects.blobs(ids)):
        assert content == data[number % len(data)]
        assert objects.tree(tree) == {}
        if number == 270:
            break
    missing = objects.blobs([ids[0], "0" * len(tree), ids[1]])
    assert next(missing) == data[0]
    with pytest.raises(MissingObject):
        next(missing)
    assert objects.blob(ids[2]) == data[2]


def test_the_committer_is_the_user(place: Place, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a committer git's own identity is taken, environment first."""
    tree = objects.add_tree({})
    committer = objects.commit(objects.add_commit(tree, (), ADA, "x")).committer
    assert committer[:2] == ("Ada", "ada@example.com")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Çelik, Jr.")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@12 +0100")
    named = objects.commit(objects.add_commit(tree, (), ADA, "x"))
    assert named.committer.name.startswith("Çelik, Jr")
    assert named.committer[2:] == (12, 60)


def test_nobody_commits_without_an_identity(objects: Objects, sealed: Path) -> None:
    """Where git would ask who you are, so do we, with git's advice."""
    (sealed / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    with pytest.raises(DecideError, match=r"no (name|email) was given") as refused:
        objects.add_commit(objects.add_tree({}), (), ADA, "x")
    assert refused.value.exit == 3
    assert 'git config --global user.email "you@example.com"' in (refused.value.hint or "")


def test_messages_are_utf_8_whatever_git_is_told(place: Place, objects: Objects, sealed: Path) -> None:
    """i18n.commitEncoding changes neither the bytes nor the header of a commit."""
    with (sealed / ".gitconfig").open("a") as config:
        config.write("[i18n]\n\tcommitEncoding = ISO-8859-1\n")
    commit = objects.add_commit(objects.add_tree({}), (), ADA, "Grüße", BOB)
    raw = place.says("cat-file", "commit", commit)
    assert "encoding" not in raw
    assert raw.endswith("\n\nGrüße")


def test_a_message_in_another_encoding_is_read(place: Place, objects: Objects) -> None:
    """The encoding that a commit declares is honoured."""
    commit = place.says(
        "-c", "i18n.commitEncoding=ISO-8859-1", "commit-tree", "-F", str(latin(place)), "HEAD^{tree}"
    )
    assert objects.commit(commit).message == "Grüße\n"


def latin(place: Place) -> Path:
    path = place.path.parent / "latin.txt"
    path.write_bytes("Grüße\n".encode("latin-1"))
    return path


@pytest.mark.parametrize("message", ["a\0b", "a\ud800b", "a\ufffeb", "\ufdd0", "\U0001ffff"])
def test_text_that_git_would_change_is_refused(message: str, both: tuple[Objects, Objects]) -> None:
    """A character that git cannot keep is named, rather than written as something else."""
    for objects in both:
        with pytest.raises(DecideError, match=r"U\+[0-9A-F]{4,5}$"):
            objects.add_commit(objects.add_tree({}), (), ADA, message, BOB)


@pytest.mark.parametrize("name", ["", "a/b", "a\0b"])
def test_impossible_names_are_a_mistake_of_the_caller(name: str, both: tuple[Objects, Objects]) -> None:
    """No tree holds an entry without a name, or with a slash in it."""
    for objects in both:
        with pytest.raises(ValueError, match="no name"):
            objects.add_tree({name: TreeEntry(FILE_MODE, "0" * 40)})


@pytest.mark.parametrize("way", ["plumbing", "libgit2"])
def test_a_partial_clone_fetches_what_it_lacks(way: str, git: GitRunner, tmp_path: Path) -> None:
    """A blob that was left with the remote is fetched when it is read."""
    path = clone(git, tmp_path, "--filter=blob:none", "--no-checkout")
    lacking = git(path, "rev-list", "--objects", "--missing=print", "HEAD").split("?")[1:]
    assert len(lacking) == 3
    with opened(way, path) as objects:
        assert [objects.blob(oid.strip()) for oid in sorted(lacking)] == sorted(
            [b"two\n", b"hello\n", b"one\n"], key=blob_id
        )


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data)).hexdigest()


def test_what_libgit2_does_not_know_is_said_so(
    place_of: Callable[[str], Place], repo: Path, git: GitRunner
) -> None:
    """A repository that only git can open raises CannotOpen, so that plumbing takes over."""
    with pytest.raises(CannotOpen) as refused:
        opened("libgit2", place_of("sha256").path)
    assert refused.value.exit == 3
    found = Repository.discover(Git(repo, os.environ))
    git(repo, "config", "core.repositoryFormatVersion", "1")
    git(repo, "config", "extensions.refStorage", "tomorrow")
    with pytest.raises(CannotOpen, match="refstorage"):
        LibGit2(Git(repo, os.environ), found)


names = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {b"/"[0], 0} & set(name)
) | st.sampled_from(
    [b"\xfcml\xe4ut", b"tab\there", b"line\nend", b'"quoted"', b"-x", b"a", b"a.", b"a0", b"\xff", b" "]
)
trees = st.dictionaries(
    names.map(lambda name: name.decode("utf-8", "surrogateescape")), st.sampled_from("fxlt"), max_size=6
)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cn"], exclude_characters="\0"), max_size=40
)
messages = texts | st.sampled_from(
    ["", "\n", "# not a comment\n", "trailing  \n\n\n", "\n\nleading", "-F -\n--amend", "a\r\nb", "\ufeffbom"]
)
signatures = st.builds(
    Signature, texts | st.just("Jürgen, «Ö» <x>."), texts, st.integers(0, 2**33), st.integers(-720, 840)
)


@quick
@given(data=st.binary(max_size=300))
def test_blobs_round_trip(both: tuple[Objects, Objects], data: bytes) -> None:
    """Any bytes have one id both ways and come back."""
    ids = {objects.add_blob(data) for objects in both}
    assert len(ids) == 1
    oid = ids.pop()
    assert [objects.blob(oid) for objects in both] == [data, data]


@quick
@given(kinds=trees)
def test_trees_round_trip(both: tuple[Objects, Objects], kinds: dict[str, str]) -> None:
    """Any bytes that can be a name have one id both ways, git's order, and come back."""
    plumbing, libgit2 = both
    blob, folder = plumbing.add_blob(b""), libgit2.add_tree({})
    entries = {"f": (FILE_MODE, blob), "x": (0o100755, blob), "l": (0o120000, blob), "t": (TREE_MODE, folder)}
    tree: Tree = {name: TreeEntry(*entries[kind]) for name, kind in kinds.items()}
    oid = plumbing.add_tree(tree)
    assert libgit2.add_tree(tree) == oid
    assert plumbing.tree(oid) == libgit2.tree(oid) == tree
    assert list(plumbing.tree(oid)) == list(libgit2.tree(oid))


@quick
@given(author=signatures, committer=signatures, message=messages)
def test_commits_round_trip(
    both: tuple[Objects, Objects], author: Signature, committer: Signature, message: str
) -> None:
    """Any message is kept to the byte and any name as git keeps it, with one id both ways."""
    tree = both[1].add_tree({})
    written = [outcome(objects, tree, author, committer, message) for objects in both]
    assert written[0] == written[1]
    if not written[0].startswith("refused"):
        commits = [objects.commit(written[0]) for objects in both]
        assert commits[0] == commits[1]
        assert commits[0].message == message
        assert commits[0].author[2:] == author[2:]


def outcome(objects: Objects, tree: str, author: Signature, committer: Signature, message: str) -> str:
    try:
        return objects.add_commit(tree, (), author, message, committer)
    except DecideError as error:
        return f"refused: {error.message}"
