"""Two logs made one: the union of their trees, in a commit that adds nothing of its own."""

from typing import Final

from gitdecide.errors import Damaged
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.objects import TREE_MODE, Objects, Signature, TreeEntry
from gitdecide.git.raw import read_signature
from gitdecide.git.run import Git

NOBODY: Final = Signature("git-decide", "git-decide@actor.invalid", 0, 0)

DEEPEST: Final = 16
"""Folders within folders: no log of ours has as many, and a history made to exhaust us may."""


def merge(git: Git, objects: Objects, published: str, own: str | None, message: str) -> str:
    """The commit of a log that has all of two: one of them where it contains the other, else a new one.

    Its first parent is the published side. Signed where git would sign. Raises Damaged for a path that has
    two contents, and git's own error when nobody knows who commits.
    """
    if own is None or contains(git, published, own):
        return published
    if contains(git, own, published):
        return own
    tree = union(objects, objects.commit(published).tree, objects.commit(own).tree)
    author = read_signature(git.run("var", "GIT_AUTHOR_IDENT").stdout.removesuffix(b"\n"))
    return objects.add_commit(tree, [published, own], author, message)


def joined(git: Git, objects: Objects, own: str | None, theirs: str) -> str:
    """A commit that has all of two logs, to judge by: no ref leads to it. Raises Damaged as `merge` does."""
    if own is None or contains(git, theirs, own):
        return theirs
    if contains(git, own, theirs):
        return own
    tree = union(objects, objects.commit(own).tree, objects.commit(theirs).tree)
    return objects.add_commit(tree, [own, theirs], NOBODY, "judge by both\n", NOBODY, sign=False)


def contains(git: Git, whole: str, part: str) -> bool:
    """True when a commit is another one, or descends from it."""
    if whole == part:
        return True
    asked = ("merge-base", "--is-ancestor", part, whole)
    return git.run(*asked, environ=PLAIN_OBJECTS, ok=(0, 1)).code == 0


def union(objects: Objects, one: str, other: str) -> str:
    """The tree that holds every file of two trees. Raises Damaged for one path with two contents.

    Only folders that differ are read.
    """
    return _union(objects, one, other, "")


def _union(objects: Objects, one: str, other: str, path: str) -> str:
    if one == other:
        return one
    if path.count("/") > DEEPEST:
        raise Damaged(f"no folder of a log lies so deep: {path}")
    ours, theirs = objects.tree(one), objects.tree(other)
    grown = theirs | ours
    for name in ours.keys() & theirs.keys():
        mine, yours = ours[name], theirs[name]
        if mine != yours:
            if not (mine.is_tree and yours.is_tree):
                raise Damaged(f"one path has two contents in the logs: {path}{name}")
            below = _union(objects, mine.id, yours.id, f"{path}{name}/")
            grown[name] = TreeEntry(TREE_MODE, below)
    return objects.add_tree(grown)
