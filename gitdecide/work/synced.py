"""What a sync did, and what is wrong after it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gitdecide.entries.names import RecordName
from gitdecide.entries.record import Damage
from gitdecide.work.remotes import Denied


class Trouble(NamedTuple):
    """What is wrong after a sync, and the files that it is about."""

    message: str
    files: Sequence[str] = ()
    hint: str | None = None


class Synced(NamedTuple):
    """What a sync did: files of the log, and what is wrong with some of them."""

    remote: str
    tip: str
    came: list[str]
    went: list[str]
    lost: list[str] | None
    """Files that the remote had lost, when its history was rewritten."""
    damages: list[Damage]
    contested: list[RecordName]
    denied: Denied | None
    """Why the remote did not take what we have."""

    @property
    def news(self) -> list[str]:
        """What went to and fro, in a line each; nothing where both sides had all."""
        ways = (("from", count(self.came)), ("to", count(self.went)))
        return [f"{way} {self.remote}: {moved}" for way, moved in ways if moved.entries]

    @property
    def troubles(self) -> Iterator[Trouble]:
        """What is wrong: losses, damages, a refusal."""
        if self.lost is not None:
            rewritten = f"the history of {self.remote} was rewritten, and lost {_files(self.lost)}"
            yield Trouble(rewritten, self.lost)
        if self.damages:
            files = [f"{damage.file}: {damage.reason}" for damage in self.damages]
            yield Trouble(f"what came has {len(files)} fault{'s' * (len(files) != 1)}", files)
        if self.denied:
            yield Trouble(self.denied.message, hint=self.denied.hint)

    @property
    def as_data(self) -> Mapping[str, Any]:
        """For programs."""
        return {
            "remote": self.remote,
            "tip": self.tip,
            "came": count(self.came)._asdict(),
            "went": count(self.went)._asdict(),
            "lost": self.lost,
            "damages": [damage._asdict() for damage in self.damages],
            "contested": [str(name) for name in self.contested],
            "denied": self.denied.message if self.denied else None,
        }


class Count(NamedTuple):
    """How many entries, in how many records."""

    entries: int
    records: int

    def __str__(self) -> str:
        entries = f"{self.entries} {'entry' if self.entries == 1 else 'entries'}"
        return f"{entries} in {self.records} record{'s' * (self.records != 1)}" if self.records else entries


def count(files: Iterable[str]) -> Count:
    """The entries among files of the log, and their records."""
    entries = [file for file in files if file.endswith(".yaml")]
    folders = {file.rpartition("/")[0] for file in entries}
    return Count(len(entries), sum(folder.startswith("decisions/") for folder in folders))


def _files(files: Sequence[str]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"
