"""The file of the index in every bad state: the answers are the log's own, and nobody hears of it."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gitdecide.store.index import file as index_file
from gitdecide.store.index.file import FILE
from tests.conftest import Decide, GitRunner, run_program

Break = Callable[[Path], object]


def overwritten(file: Path) -> None:
    """The pages that hold what is listed are gone."""
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)


def with_sql(sql: str) -> Break:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file, isolation_level=None)) as db:
            db.executescript(sql)

    return change


def stale_wal(file: Path) -> None:
    """What another database, or an older state of this one, left behind."""
    other = file.with_name("other")
    with closing(sqlite3.connect(other, isolation_level=None)) as db:
        db.executescript(
            "PRAGMA journal_mode = WAL; CREATE TABLE record (id); INSERT INTO record VALUES (1);"
        )
        for end in ("-wal", "-shm"):
            shutil.copy(f"{other}{end}", f"{file}{end}")


def hot_journal(file: Path) -> None:
    file.with_name(f"{file.name}-journal").write_bytes(b"\xd9\xd5\x05\xf9 \xa1c\xd7" + b"\xff" * 2000)


def folder(file: Path) -> None:
    file.unlink()
    (file / "x").mkdir(parents=True)


def link(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere/at/all")


def no_folder(file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.write_text("a file\n")


BROKEN: dict[str, Break] = {
    "garbage": lambda file: file.write_bytes(b"garbage" * 1000),
    "empty": lambda file: file.write_bytes(b""),
    "cut short": lambda file: file.write_bytes(file.read_bytes()[:5000]),
    "overwritten": overwritten,
    "a folder": folder,
    "in no folder": no_folder,
    "gone": lambda file: shutil.rmtree(file.parent),
    "a link to nowhere": link,
    "older": with_sql("PRAGMA user_version = 0; DROP TABLE state;"),
    "newer": with_sql("PRAGMA user_version = 99; DROP TABLE record; CREATE TABLE record (other);"),
    "of another program": with_sql("UPDATE state SET key = '9.9.9 '; UPDATE record SET status = 'open';"),
    "of a commit that is gone": with_sql(f"UPDATE state SET tip = '{'1' * 40}'; DELETE FROM record;"),
    "of no state": with_sql("DELETE FROM state; DELETE FROM record;"),
    "without a table": with_sql("DROP TABLE record;"),
    "without words": with_sql("DROP TABLE words;"),
    "with other facts": with_sql("UPDATE record SET facts = 'no JSON';"),
    "a stale wal": stale_wal,
    "a stale journal": hot_journal,
}


@pytest.fixture
def file(decide: Decide, record: str, repo: Path) -> Path:
    """The index of a log with one open and one decided record."""
    decide("bind", decide("ask", "Decided?").id, "reject", "never", "--read", "src/app.py")
    assert decide("list").exit_code == 0
    return repo / ".git" / FILE


def test_whatever_became_of_the_file_the_answers_are_the_same(decide: Decide, file: Path) -> None:
    """Damaged, foreign, older, newer or gone: it is made anew without a word, or done without."""
    asked = (("list", "--json"), ("search", "never"), ("show", "DR-2"))
    expected = {words: decide(*words) for words in asked}
    for why, break_ in BROKEN.items():
        if not file.is_file() and file.is_dir():
            shutil.rmtree(file)
        elif file.parent.is_file():
            file.parent.unlink()
        file.unlink(missing_ok=True)
        decide("list")
        assert file.is_file(), why
        break_(file)
        for words in asked:
            assert decide(*words) == expected[words], (why, words)


def test_who_has_the_file_is_not_waited_for(
    decide: Decide, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locked by somebody who does not let go, it is done without."""
    monkeypatch.setattr(index_file, "PATIENCE", 0.1)
    expected = decide("list")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        assert decide("list") == expected
        assert decide("list", "--status", "decided").stdout == expected.stdout.splitlines(keepends=True)[0]
        assert time.monotonic() - began < 8


def test_reading_very_many_for_want_of_a_file_is_said_once(
    decide: Decide, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hint on standard error, and none where few are read or the file serves."""
    assert decide("list", "--path", "src").stderr == ""
    shutil.rmtree(file.parent)
    file.parent.write_text("a file\n")
    assert decide("list", "--path", "src").stderr == ""
    monkeypatch.setattr("gitdecide.store.index.filling.MANY", 2)

    said = decide("list", "--path", "src").stderr

    assert said == "hint: all 2 records were read for want of an index: git decide doctor says why\n"


def test_a_file_of_somebody_else_is_left_alone(
    decide: Decide, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither believed nor replaced."""
    expected = decide("list")
    with_sql("UPDATE record SET status = 'closed';")(file)
    before = file.read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)

    assert decide("list") == expected
    assert file.read_bytes() == before


def test_a_repository_that_takes_no_file_is_read_all_the_same(
    decide: Decide, file: Path, repo: Path, powerless: list[str]
) -> None:
    """With a file that is behind, and with none; nothing is written, nothing is said."""
    decide("ask", "Newer?")
    command = [*powerless, sys.executable, "-m", "gitdecide", "list"]
    places = (file, file.parent)
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        behind = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False)
    finally:
        for place in places:
            place.chmod(0o755)

    assert (behind.stderr, behind.stdout) == ("", decide("list").stdout)


def test_a_commit_never_looks_at_the_index(decide: Decide, file: Path, repo: Path, git: GitRunner) -> None:
    """The gate reads the log: hooks pass and refuse as before with garbage in the file, which stays."""
    assert run_program("hooks", "install", cwd=repo).exit_code == 0
    decide("link", "DR-1")
    file.write_bytes(b"garbage")
    (repo / "src" / "app.py").write_text("x = 2\n")
    refused = subprocess.run(
        ["git", "commit", "-qam", "x"], cwd=repo, capture_output=True, text=True, check=False
    )

    assert (refused.returncode, "DR-001" in refused.stderr) == (1, True)
    git(repo, "commit", "-qnam", "x")
    assert file.read_bytes() == b"garbage"


def test_readers_of_a_cold_index_do_not_harm_each_other(decide: Decide, file: Path, repo: Path) -> None:
    """Four at once, and all say the same; the file is whole afterwards."""
    expected = decide("list").stdout
    shutil.rmtree(file.parent)
    command = [sys.executable, "-m", "gitdecide", "list"]
    running = [
        subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]

    assert [process.communicate() for process in running] == [(expected, "")] * 4
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
