import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

HERE: Final = Path(__file__).parent
LOG: Final = "refs/decisions/log"
PATIENCE: Final = 120
"""Seconds without a word from any writer, after which they count as hanging."""

PAUSE: Final = 0.1
"""Seconds between two looks at whether all are done."""

StrPath = str | Path

Git = Callable[..., str]
Decide = Callable[..., Any]


@pytest.fixture
def linked(repo: Path, git: Git) -> Path:
    """A linked worktree of `repo`."""
    git(repo, "worktree", "add", "-q", "../linked")
    return repo.parent / "linked"


@pytest.fixture
def records(decide: Decide, log: None) -> list[str]:
    """Eight open records."""
    return [decide("ask", f"Which way {number}?").id for number in range(8)]


class Writer(NamedTuple):
    """A process that writes, and the files for what it says."""

    process: subprocess.Popen[bytes]
    stdout: Path
    stderr: Path


class Crowd:
    """Processes that write at the same time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.writers: list[Writer] = []

    def start(self, command: Sequence[StrPath], cwd: Path, stdin: str = "") -> None:
        """One more Python; all that it reads is there at once."""
        asked, said, wrong = (self.folder / f"{name}-{len(self.writers)}" for name in ("in", "out", "err"))
        asked.write_text(stdin)
        with asked.open("rb") as lines, said.open("wb") as stdout, wrong.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, *command], cwd=cwd, stdin=lines, stdout=stdout, stderr=stderr
            )
        self.writers.append(Writer(process, said, wrong))

    def wait(self, meanwhile: Callable[[], object]) -> list[str]:
        """The lines that all of them printed; fails the test unless all succeeded."""
        heard, since = self._heard(), time.monotonic()
        while any(writer.process.poll() is None for writer in self.writers):
            meanwhile()
            with suppress(subprocess.TimeoutExpired):
                self.writers[-1].process.wait(PAUSE)
            if heard != (heard := self._heard()):
                since = time.monotonic()
            if time.monotonic() > since + PATIENCE:
                break
        for writer in self.writers:
            assert writer.process.poll() == 0, writer.stderr.read_text()
        return [line for writer in self.writers for line in writer.stdout.read_text().splitlines()]

    def _heard(self) -> int:
        """How much all of them have said by now: it grows for as long as nobody hangs."""
        return sum(writer.stdout.stat().st_size for writer in self.writers)

    def end(self) -> None:
        """Leave nobody behind."""
        for writer in self.writers:
            writer.process.kill()
            writer.process.wait()


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[Crowd]:
    crowd = Crowd(tmp_path)
    yield crowd
    crowd.end()


def filed(git: Git, repo: Path, kind: str = "vote") -> list[str]:
    """The ids of the entries of one type in the log, sorted."""
    files = git(repo, "ls-tree", "-r", "--name-only", f"{LOG}:decisions").splitlines()
    names = [file.rpartition("/")[2] for file in files]
    return sorted(name[len(kind) + 1 : -5] for name in names if name.startswith(f"{kind}-"))


def left_over(repo: Path) -> list[Path]:
    """Locks and temporary files in the git directory."""
    return [path for pattern in ("*.lock", "*tmp_*", "*.new") for path in (repo / ".git").rglob(pattern)]


def assert_only_grown(git: Git, repo: Path) -> None:
    """Every commit keeps all files of the one before it, git finds no fault, and nothing lies around."""
    assert git(repo, "log", "--format=", "--raw", "--no-renames", "-m", "--diff-filter=a", LOG) == ""
    assert git(repo, "rev-list", "--merges", LOG) == ""
    assert git(repo, "fsck", "--strict", "--no-dangling") == ""
    assert left_over(repo) == []


def votes(number: int, count: int, records: Sequence[str]) -> str:
    """The command lines of one writer."""
    return "\n".join(
        json.dumps(
            ["vote", records[turn % len(records)], "inform", "-m", f"turn {turn}", "--as", f"a{number}"]
        )
        for turn in range(count)
    )


def test_sixteen_writers_lose_nothing(
    crowd: Crowd, records: list[str], repo: Path, linked: Path, git: Git
) -> None:
    """50 votes each, half of them from a linked worktree, while git packs the refs: 800 votes are there."""
    for number in range(16):
        crowd.start([HERE / "writer.py"], (repo, linked)[number % 2], votes(number, 50, records))

    said = crowd.wait(meanwhile=lambda: git(repo, "pack-refs", "--all"))

    assert len(said) == 800
    assert filed(git, repo) == sorted(said)
    assert git(repo, "rev-list", "--count", LOG) == str(1 + len(records) + 800)
    assert_only_grown(git, repo)


def test_the_swap_alone_loses_nothing(
    crowd: Crowd, records: list[str], repo: Path, linked: Path, git: Git
) -> None:
    """On a file system without locks, writers that were overtaken try again until they are in."""
    for number in range(6):
        place = (repo, linked)[number % 2]
        crowd.start([HERE / "writer.py", "--swap-alone"], place, votes(number, 8, records[:1]))

    said = crowd.wait(meanwhile=lambda: git(repo, "pack-refs", "--all"))

    assert len(said) == 48
    assert filed(git, repo) == sorted(said)
    assert_only_grown(git, repo)


def test_forty_voters_in_two_worktrees_are_all_heard(
    crowd: Crowd, records: list[str], repo: Path, linked: Path, git: Git
) -> None:
    """Each a program of its own, all at once, while git packs the refs: who was told an id is in the log."""
    for number in range(20):
        for place, who, stance in ((repo, "a", "support"), (linked, "b", "oppose")):
            voter = ["vote", records[0], stance, "-m", "so", "--as", f"{who}{number}@example.com"]
            crowd.start(["-m", "gitdecide", *voter], place)

    said = crowd.wait(meanwhile=lambda: git(repo, "pack-refs", "--all"))

    assert len(said) == 40
    assert filed(git, repo) == sorted(said)
    assert_only_grown(git, repo)


def test_programs_that_ask_vote_and_check_at_once_all_get_in(
    crowd: Crowd, records: list[str], repo: Path, linked: Path, git: Git
) -> None:
    """The program itself, started many times at once: numbers are given once, every entry is filed."""
    for number in range(5):
        place = (repo, linked)[number % 2]
        for args in (
            ["ask", f"And what of {number}?"],
            ["vote", records[0], "oppose", "-m", "no", "--as", f"b{number}@example.com"],
            ["check", records[1], "--", "git", "rev-parse", "HEAD"],
        ):
            crowd.start(["-m", "gitdecide", *args], place)

    said = crowd.wait(meanwhile=lambda: git(repo, "pack-refs", "--all"))

    names = sorted(line for line in said if line.startswith("DR-"))
    assert [name.split("-")[1] for name in names] == ["009", "010", "011", "012", "013"]
    assert len(filed(git, repo, "question")) == 13
    assert sorted(filed(git, repo, "vote") + filed(git, repo, "check")) == sorted(set(said) - set(names))
    assert_only_grown(git, repo)


def test_killed_writers_leave_a_sound_log(
    decide: Decide, records: list[str], repo: Path, linked: Path, git: Git, tmp_path: Path
) -> None:
    """Of 200 writers killed at random moments, those that said success are in the log."""
    output = tmp_path / "said"
    output.mkdir()
    command: list[StrPath] = [sys.executable, HERE / "victims.py", "7", records[0], output, repo, linked]
    subprocess.run(command, cwd=repo, check=True, capture_output=True, timeout=PATIENCE)

    said = [path.read_text() for path in output.iterdir() if path.stat().st_size]
    assert 4 < len(said) < 204, "some are to be killed at work, and some not"
    last = decide("vote", records[0], "support", "-m", "still here").id
    assert {*(text.removesuffix("\n") for text in said), last} <= set(filed(git, repo))
    shown = decide("show", records[0], "--json")
    assert (shown.exit_code, json.loads(shown.stdout)["damages"]) == (0, [])
    assert_only_grown(git, repo)
