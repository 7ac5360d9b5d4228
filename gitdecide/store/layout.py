"""Where things lie in the tree of the log, and the commit that every log begins with."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from gitdecide.entries.names import RecordName, actor_path_name, entry_file
from gitdecide.errors import DecideError
from gitdecide.git.objects import FILE_MODE, TREE_MODE, Objects, Signature, Tree, TreeEntry

if TYPE_CHECKING:
    from gitdecide.entries.types import Entry

DEFAULT_REF: Final = "refs/decisions/log"
REMOTES: Final = "refs/decisions-remotes"
SEEN: Final = "refs/decisions-seen"
PROBE: Final = "refs/decisions/probe-"
"""Begins the names of refs by which a remote is asked, for a moment, whether it would take a log."""

FORMAT: Final = "1"

_ROOT_AUTHOR: Final = Signature("git-decide", "git-decide@actor.invalid", 1_767_225_600, 0)
_ROOT_MESSAGE: Final = "Start the log\n"
_FORMAT_TEXT: Final = b"The log of git-decide, format 1: entries are added, never changed.\n"


def root_commit(objects: Objects) -> str:
    """The id of the commit that every log begins with: the same bytes everywhere, unsigned."""
    format_file = Tree({FORMAT: TreeEntry(FILE_MODE, objects.add_blob(_FORMAT_TEXT))})
    tree = objects.add_tree({"format": TreeEntry(TREE_MODE, objects.add_tree(format_file))})
    return objects.add_commit(tree, [], _ROOT_AUTHOR, _ROOT_MESSAGE, _ROOT_AUTHOR, sign=False)


def check_readable(objects: Objects, commit: str, ref: str) -> Tree:
    """The formats of the log at this commit. Raises DecideError where there is no log."""
    formats = objects.subtree(commit, "format")
    if formats is None or FORMAT not in formats:
        raise DecideError(f"{ref} is not a log of git-decide")
    return formats


def check_writable(objects: Objects, commit: str, ref: str) -> None:
    """Raise DecideError unless the log at this commit is of the format that we write."""
    formats = check_readable(objects, commit, ref)
    if newer := sorted(set(formats) - {FORMAT}):
        raise DecideError(
            f"{ref} has format {', '.join(newer)}, and this git-decide writes format {FORMAT}",
            hint="install a newer git-decide to write; reading still works",
        )


def entry_path(record: RecordName | None, entry: "Entry", entry_id: str) -> str:
    """The path of an entry in the log's tree."""
    from gitdecide.entries.types import Actor, Question, type_name

    if isinstance(entry, Actor):
        folder = f"actors/{actor_path_name(entry.name)}"
    elif isinstance(entry, Question):
        folder = RecordName.of(entry.number, entry_id).path
    elif record is None:
        raise ValueError(f"a {type_name(entry)} is filed in a record")
    else:
        folder = record.path
    return f"{folder}/{entry_file(type_name(entry), entry_id)}"


def patch_path(record: RecordName, patch_id: str) -> str:
    """The path of a proposal's patch, beside its entry."""
    return f"{record.path}/{patch_id}.patch"


def add_files(objects: Objects, tree: Tree, files: Mapping[str, str]) -> str:
    """The id of a tree with these blobs added at their paths; only the folders on the way are rewritten."""
    grown = dict(tree)
    below: dict[str, dict[str, str]] = {}
    for path, blob in files.items():
        folder, slash, rest = path.partition("/")
        if slash:
            below.setdefault(folder, {})[rest] = blob
        else:
            grown[path] = TreeEntry(FILE_MODE, blob)
    for folder, inner in below.items():
        there = grown.get(folder)
        inside = objects.tree(there.id) if there and there.is_tree else {}
        grown[folder] = TreeEntry(TREE_MODE, add_files(objects, inside, inner))
    return objects.add_tree(grown)
