"""Git objects through the user's git: the quickest way for a command that reads and writes few."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from gitdecide.errors import DecideError
from gitdecide.git.objects import Commit, MissingObject, Objects, Signature, Tree
from gitdecide.git.pipe import Pipe
from gitdecide.git.raw import cleaned, encoded, in_order, read_commit, read_tree, zone
from gitdecide.git.run import Git, GitError

KINDS: Final = (b"blob", b"tree", b"commit", b"tag")
HEX: Final = frozenset("0123456789abcdef")
SIGNING: Final = 60.0
"""Seconds that a signer gets: enough for a person who types a passphrase, and others wait meanwhile."""

BATCH: Final = 100
"""How many objects are asked for before the first is read."""

Answer = tuple[str, str, bytes] | None


class SigningFailed(DecideError):
    """Git would sign here, and cannot: nothing is written unsigned."""

    def __init__(self, error: DecideError) -> None:
        said = error.stderr.decode("utf-8", "replace").splitlines() if isinstance(error, GitError) else []
        causes = [line.partition(": ")[2] for line in said if line.startswith(("fatal: ", "error: "))]
        hint = "commit.gpgsign, gpg.format, gpg.program and user.signingkey say how git signs"
        super().__init__(f"signing failed: {(causes or [error.message])[0]}", hint=hint)


class Plumbing(Objects):
    """One cat-file for all that is read, one mktree for all trees, one process for any other object."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.timeout = SIGNING
        """Seconds that a signer gets."""
        self._reader: Pipe | None = None
        self._trees: Pipe | None = None

    def resolve(self, revision: str) -> str | None:
        """The id of what a revision names, None when that is nothing."""
        answer = self._ask(revision)
        return answer[0] if answer else None

    def kind(self, oid: str) -> str | None:
        """`blob`, `tree`, `commit` or `tag`; None when there is no such object."""
        answer = self._ask(oid)
        return answer[1] if answer else None

    def blob(self, oid: str) -> bytes:
        """The content of a blob. Raises MissingObject."""
        return _content(self._ask(oid), "blob", oid)

    def blobs(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The contents of many blobs, in order. Raises MissingObject at the first that is missing."""
        return (_content(answer, "blob", oid) for oid, answer in self._ask_many(ids))

    def tree(self, oid: str) -> Tree:
        """The entries of a tree, in git's order. Raises MissingObject."""
        return read_tree(_content(self._ask(oid), "tree", oid), len(oid))

    def subtree(self, tree: str, path: str) -> Tree | None:
        """The tree at a path below a tree, or below a commit's; None when there is none."""
        return next(self.subtrees(tree, [path]))

    def subtrees(self, tree: str, paths: Iterable[str]) -> Iterator[Tree | None]:
        """The trees at many paths, in order, as `subtree` finds them."""
        for _, answer in self._ask_many(f"{tree}:{path}" for path in paths):
            yield read_tree(answer[2], len(answer[0])) if answer and answer[1] == "tree" else None

    def commit(self, oid: str) -> Commit:
        """A commit. Raises MissingObject."""
        return read_commit(oid, _content(self._ask(oid), "commit", oid))

    def disambiguate(self, prefix: str) -> list[str]:
        """The ids of all objects that start with a prefix of four or more hex digits, sorted."""
        if len(prefix) < 4 or not HEX.issuperset(prefix.lower()):
            return []
        return sorted(set(self.git.text("rev-parse", f"--disambiguate={prefix.lower()}").split()))

    def add_blob(self, data: bytes) -> str:
        """Store a blob."""
        return self.git.run("hash-object", "-w", "--stdin", stdin=data).stdout.decode().strip()

    def add_tree(self, tree: Tree) -> str:
        """Store a tree; its entries need not be there yet. Raises ValueError for an impossible name."""
        lines = [_line(name, entry.mode, entry.id) for name, entry in in_order(tree)]
        if self._trees is None:
            self._trees = Pipe(self.git, "mktree", "--batch", "-z", "--missing")
        try:
            self._trees.send(b"".join([*lines, b"\0"]))
            return self._trees.line().decode()
        except BaseException:
            self.close()
            raise

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
        environ = _identity("AUTHOR", author) | (_identity("COMMITTER", committer) if committer else {})
        signed = ["-S"] if sign and self.git.config_bool("commit.gpgsign", default=False) else []
        onto = [word for parent in dict.fromkeys(parents) for word in ("-p", parent)]
        command = ("-c", "i18n.commitEncoding=UTF-8", "commit-tree", *signed, *onto, "-F", "-", tree)
        try:
            done = self.git.run(*command, stdin=encoded(message), environ=environ, timeout=self.timeout)
        except DecideError as error:
            if signed:
                self.git.run("var", "GIT_COMMITTER_IDENT", environ=environ)  # which fails by itself
                raise SigningFailed(error) from error
            raise
        return done.stdout.split()[-1].decode()  # an ssh signer may have said something before

    def close(self) -> None:
        """End what runs for this; it can be used again."""
        for pipe in (self._reader, self._trees):
            if pipe:
                pipe.close()
        self._reader = self._trees = None

    def _ask(self, name: str) -> Answer:
        return next(self._ask_all((name,)))

    def _ask_many(self, names: Iterable[str]) -> Iterator[tuple[str, Answer]]:
        """Each name with its answer."""
        rest = iter(names)
        # Every answer is read before the first is given away: whoever gets it may ask something else.
        while batch := list(islice(rest, BATCH)):
            yield from zip(batch, self._ask_all(batch), strict=True)

    def _ask_all(self, names: Sequence[str]) -> Iterator[Answer]:
        asked = "".join(f"{name}\n" for name in names if askable(name))
        if self._reader is None:
            # An id stands for the bytes it was made from, whatever refs/replace says.
            self._reader = Pipe(self.git, "cat-file", "--batch", environ={"GIT_NO_REPLACE_OBJECTS": "1"})
        try:
            self._reader.send(asked.encode("utf-8", "surrogateescape"))
            return iter([_answer(self._reader) if askable(name) else None for name in names])
        except BaseException:
            self.close()
            raise


def askable(name: str) -> bool:
    """True for text that fits a line of cat-file: what holds a line end or NUL names nothing."""
    return "\n" not in name and "\0" not in name


def _answer(reader: Pipe) -> Answer:
    words = reader.line().rsplit(b" ", 2)
    if len(words) < 3 or words[1] not in KINDS or not words[2].isdigit():
        return None
    return words[0].decode(), words[1].decode(), reader.exactly(int(words[2]) + 1)[:-1]


def _content(answer: Answer, kind: str, oid: str) -> bytes:
    if answer is None or answer[:2] != (oid, kind):
        raise MissingObject(kind, oid)
    return answer[2]


def _line(name: bytes, mode: int, oid: str) -> bytes:
    kind = {0o40000: "tree", 0o160000: "commit"}.get(mode, "blob")
    return f"{mode:o} {kind} {oid}\t".encode() + name + b"\0"


def _identity(role: str, signature: Signature) -> dict[str, str | bytes]:
    """Names as bytes: git wants UTF-8 whatever the locale is."""
    who = cleaned(signature)
    return {
        f"GIT_{role}_NAME": encoded(who.name),
        f"GIT_{role}_EMAIL": encoded(who.email),
        f"GIT_{role}_DATE": f"@{who.seconds} {zone(who.offset)}",
    }
