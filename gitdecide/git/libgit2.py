"""Git objects through libgit2: the quickest way where many are read or written in one process."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitdecide.errors import DecideError
from gitdecide.git.objects import Commit, Objects, Signature, Tree
from gitdecide.git.plumbing import BATCH, Plumbing
from gitdecide.git.raw import cleaned, read_commit, read_signature, read_tree, write_commit, write_tree
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git

KINDS: Final = {
    ObjectType.BLOB: "blob",
    ObjectType.TREE: "tree",
    ObjectType.COMMIT: "commit",
    ObjectType.TAG: "tag",
}
GIT_WRITES: Final = ("core.sharedrepository", "core.fsync", "core.fsyncmethod", "core.fsyncobjectfiles")
"""Settings about written files that libgit2 does not follow: with one of them, git writes."""


class CannotOpen(DecideError):
    """libgit2 does not know this kind of repository; git does."""


class LibGit2(Objects):
    """Reads packs and writes objects in this process, and asks git for whatever it does not find there.

    Loose objects are git's: libgit2 1.9 never comes back from one that is cut short
    (https://github.com/libgit2/libgit2/issues/7342). What git alone knows, such as alternates, promisors,
    quarantines and the grammar of revisions, is not imitated either.
    """

    def __init__(self, git: Git, repository: Repository) -> None:
        # Whether this repository may be trusted is git's to say, and it did when it was found.
        pygit2.settings.owner_validation = False
        try:
            self._repo = pygit2.Repository(str(repository.git_dir), RepositoryOpenFlag.NO_SEARCH)
            self._writer = self._repo.odb
        except (pygit2.GitError, ValueError) as error:
            raise CannotOpen(f"libgit2 cannot open this repository: {error}") from error
        self._packs = pygit2.Odb()
        self._packs.add_backend(pygit2.OdbBackendPack(str(repository.common_dir / "objects")), 1)
        self._id_length = repository.id_length
        self.git = git
        self.plumbing = Plumbing(git)
        settings = any(git.config(key) is not None for key in GIT_WRITES)
        self._git_writes = settings or "GIT_OBJECT_DIRECTORY" in git.environ

    def resolve(self, revision: str) -> str | None:
        """The id of what a revision names, None when that is nothing."""
        return self.plumbing.resolve(revision)

    def kind(self, oid: str) -> str | None:
        """`blob`, `tree`, `commit` or `tag`; None when there is no such object."""
        try:
            return KINDS[self._packs.read_header(self._full(oid))[0]]
        except (KeyError, pygit2.GitError):
            return self.plumbing.kind(oid)

    def blob(self, oid: str) -> bytes:
        """The content of a blob. Raises MissingObject."""
        data = self._read(oid, ObjectType.BLOB)
        return self.plumbing.blob(oid) if data is None else data

    def blobs(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The contents of many blobs, in order. Raises MissingObject at the first that is missing."""
        rest = iter(ids)
        while batch := list(islice(rest, BATCH)):
            found = [self._read(oid, ObjectType.BLOB) for oid in batch]
            others = self.plumbing.blobs(
                [oid for oid, data in zip(batch, found, strict=True) if data is None]
            )
            for data in found:
                yield next(others) if data is None else data

    def tree(self, oid: str) -> Tree:
        """The entries of a tree, in git's order. Raises MissingObject."""
        data = self._read(oid, ObjectType.TREE)
        return self.plumbing.tree(oid) if data is None else read_tree(data, self._id_length)

    def subtree(self, tree: str, path: str) -> Tree | None:
        """The tree at a path below a tree, or below a commit's; None when there is none."""
        return self.plumbing.subtree(tree, path)

    def subtrees(self, tree: str, paths: Iterable[str]) -> Iterator[Tree | None]:
        """The trees at many paths, in order, as `subtree` finds them."""
        return self.plumbing.subtrees(tree, paths)

    def commit(self, oid: str) -> Commit:
        """A commit. Raises MissingObject."""
        data = self._read(oid, ObjectType.COMMIT)
        return self.plumbing.commit(oid) if data is None else read_commit(oid, data)

    def disambiguate(self, prefix: str) -> list[str]:
        """The ids of all objects that start with a prefix of four or more hex digits, sorted."""
        return self.plumbing.disambiguate(prefix)

    def add_blob(self, data: bytes) -> str:
        """Store a blob."""
        return self.plumbing.add_blob(data) if self._git_writes else self._write(ObjectType.BLOB, data)

    def add_tree(self, tree: Tree) -> str:
        """Store a tree; its entries need not be there yet. Raises ValueError for an impossible name."""
        if self._git_writes:
            return self.plumbing.add_tree(tree)
        return self._write(ObjectType.TREE, write_tree(tree))

    def add_commit(
        self,
        tree: str,
        parents: Sequence[str],
        author: Signature,
        message: str,
        committer: Signature | None = None,
        *,
        sign: bool = True,
    ) -> str:
        """Store a commit, signed where git would sign. Raises DecideError when git refuses."""
        if self._git_writes or (sign and self.git.config_bool("commit.gpgsign", default=False)):
            return self.plumbing.add_commit(tree, parents, author, message, committer, sign=sign)
        by = cleaned(author)
        who = cleaned(committer) if committer else self._user()
        return self._write(ObjectType.COMMIT, write_commit(tree, parents, by, who, message))

    def close(self) -> None:
        """End what runs for this; it can be used again."""
        self.plumbing.close()
        self._repo.free()

    def _user(self) -> Signature:
        return read_signature(self.git.run("var", "GIT_COMMITTER_IDENT").stdout.removesuffix(b"\n"))

    def _read(self, oid: str, kind: ObjectType) -> bytes | None:
        try:
            found, data = self._packs.read(self._full(oid))
        except (KeyError, pygit2.GitError):
            return None
        return data if found == kind else None

    def _full(self, oid: str) -> str:
        # libgit2 takes the beginning of an id for the id.
        if len(oid) != self._id_length or not oid.isalnum():
            raise KeyError(oid)
        return oid

    def _write(self, kind: ObjectType, data: bytes) -> str:
        try:
            return str(self._writer.write(kind, data))
        except (OSError, pygit2.GitError) as error:
            raise DecideError(f"cannot write to the repository: {error}") from error
