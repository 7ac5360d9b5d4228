"""Git objects as plain values, and what every way to them can do."""

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Final, NamedTuple, Protocol, Self

from gitdecide.errors import Damaged

TREE_MODE: Final = 0o40000
COMMIT_MODE: Final = 0o160000
FILE_MODE: Final = 0o100644


class TreeEntry(NamedTuple):
    """What one name in a tree stands for."""

    mode: int
    id: str

    @property
    def is_tree(self) -> bool:
        """True for a folder."""
        return self.mode == TREE_MODE

    @property
    def is_blob(self) -> bool:
        """True for a file or a link; a commit of another repository is in no object store of ours."""
        return self.mode not in (TREE_MODE, COMMIT_MODE)


Tree = dict[str, TreeEntry]
"""Entries by name; bytes that are not UTF-8 are kept as lone surrogates."""


class Signature(NamedTuple):
    """Who did something, and when: seconds since 1970, offset from UTC in minutes."""

    name: str
    email: str
    seconds: int
    offset: int


class Commit(NamedTuple):
    """A commit without its signature."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


class MissingObject(Damaged):
    """An object that should be there is not, or is of another kind."""

    def __init__(self, kind: str, oid: str) -> None:
        super().__init__(f"missing {kind}: {oid}")
        self.id = oid


class Objects(Protocol):
    """A way to the objects of one repository; for one thread, and closed after use."""

    def resolve(self, revision: str) -> str | None:
        """The id of what a revision names (`main`, `x^{tree}`, `x:path`), None when that is nothing."""

    def kind(self, oid: str) -> str | None:
        """`blob`, `tree`, `commit` or `tag`; None when there is no such object."""

    def blob(self, oid: str) -> bytes:
        """The content of a blob. Raises MissingObject."""

    def blobs(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The contents of many blobs, in order. Raises MissingObject at the first that is missing."""

    def tree(self, oid: str) -> Tree:
        """The entries of a tree, in git's order. Raises MissingObject."""

    def subtree(self, tree: str, path: str) -> Tree | None:
        """The tree at a path below a tree, or below a commit's; None when there is none."""

    def subtrees(self, tree: str, paths: Iterable[str]) -> Iterator[Tree | None]:
        """The trees at many paths, in order, as `subtree` finds them."""

    def commit(self, oid: str) -> Commit:
        """A commit. Raises MissingObject."""

    def disambiguate(self, prefix: str) -> list[str]:
        """The ids of all objects that start with a prefix of four or more hex digits, sorted."""

    def add_blob(self, data: bytes) -> str:
        """Store a blob."""

    def add_tree(self, tree: Tree) -> str:
        """Store a tree; its entries need not be there yet. Raises ValueError for an impossible name."""

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
        """Store a commit, the message byte for byte as UTF-8.

        Without a committer it is the user, by git's own rules. Signed where git would sign, unless `sign`
        is False. Raises DecideError when nobody knows who commits, or a text has no place in a commit.
        """

    def close(self) -> None:
        """End what runs for this; it can be used again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
