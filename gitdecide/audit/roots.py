"""The id of the commit that every log begins with, without storing anything."""

import hashlib
from collections.abc import Sequence
from typing import cast

from gitdecide.git.objects import Objects, Signature, Tree
from gitdecide.git.raw import write_commit, write_tree
from gitdecide.store import layout


def root_id(id_length: int) -> str:
    """The id of that commit in a repository whose ids have so many hex digits."""
    return layout.root_commit(cast("Objects", _Ids("sha1" if id_length == 40 else "sha256")))


class _Ids:
    """Says what id an object would have, and forgets it."""

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm

    def add_blob(self, data: bytes) -> str:
        return self._id("blob", data)

    def add_tree(self, tree: Tree) -> str:
        return self._id("tree", write_tree(tree))

    def add_commit(
        self,
        tree: str,
        parents: Sequence[str],
        author: Signature,
        message: str,
        committer: Signature,
        *,
        sign: bool,  # noqa: ARG002 - the root never is
    ) -> str:
        return self._id("commit", write_commit(tree, parents, author, committer, message))

    def _id(self, kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        return hashlib.new(self._algorithm, whole, usedforsecurity=False).hexdigest()
