"""What can be said of the log, and of what this repository keeps beside it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from gitdecide.audit.proof import Proof, leads
from gitdecide.audit.roots import root_id
from gitdecide.errors import Damaged, DecideError
from gitdecide.git import refs
from gitdecide.git.changes import PLAIN_OBJECTS
from gitdecide.git.run import Git, GitError
from gitdecide.store import layout
from gitdecide.store.additions import truncated
from gitdecide.store.index.file import FILE
from gitdecide.store.log import NoLog
from gitdecide.work.doctor.point import WHOLE, Patient, Point, count

FRESH: Final = 60
"""Seconds that a lock file may be old while somebody may still be at work."""


def log(patient: Patient) -> Point:
    """Whether the log is there, all of it, in a format that we write."""
    ours = patient.log()
    try:
        tip = ours.snapshot().commit
    except NoLog as error:
        raise _absent(patient.git, ours.ref, error) from error
    except DecideError as error:
        raise _damaged(patient, error) from error
    if truncated(patient.objects, patient.repository().common_dir):
        raise Damaged(f"{ours.ref} is cut short: this clone is shallow", hint="git decide sync")
    try:
        commits = commit_count(patient.git, tip)
    except GitError as error:
        raise Damaged(f"{ours.ref} is damaged: {error.message}", hint=WHOLE) from error
    layout.check_writable(patient.objects, tip, ours.ref)
    return Point.ok(f"{ours.ref} at {tip[:12]}, {count(commits, 'commit')}, format {layout.FORMAT}")


def _absent(git: Git, ref: str, error: NoLog) -> NoLog:
    if ref != layout.DEFAULT_REF and refs.exists(git, layout.DEFAULT_REF):
        branch = ref.removeprefix("refs/heads/")
        brings = f"git branch {branch}" if branch != ref else f"git update-ref {ref}"
        hint = f"{brings} {layout.DEFAULT_REF} brings the log there"
        return NoLog(f"{ref} does not exist, and there is a log at {layout.DEFAULT_REF}", hint=hint)
    return error


def _damaged(patient: Patient, error: DecideError) -> DecideError:
    """What cannot be read is no log, unless its history began as one."""
    tip = patient.log().tip()
    if tip and leads(patient.git, root_id(len(tip)), tip):
        return Damaged(error.message, hint=WHOLE)
    return error


def commit_count(git: Git, tip: str, *without: str) -> int:
    """How many commits lead to a tip, without those that lead to others. Raises GitError."""
    asked = ("rev-list", "--count", tip, *(f"^{commit}" for commit in without), "--")
    return int(git.run(*asked, environ=PLAIN_OBJECTS).stdout)


def proof(patient: Patient) -> Point:
    """How far the log was proved whole; nothing is proved here."""
    tip = patient.log().tip()
    if not tip:
        return Point.ok("nothing to prove")
    by = patient.log().view(tip).judged_by
    proved = Proof.read(patient.repository().common_dir, patient.git, tip, by).tip
    if not proved:
        return Point.advice("this clone has not proved the log whole", WHOLE)
    behind = commit_count(patient.git, tip, proved)
    if behind:
        return Point.advice(f"{count(behind, 'commit')} came after what was proved whole", WHOLE)
    return Point.ok(f"proved whole up to {tip[:12]}")


def index(patient: Patient) -> Point:
    """Whether the index is there, can be read and brought up to date; nothing depends on it."""
    file = patient.repository().common_dir / FILE
    try:
        about = file.stat()  # since Python 3.14 `exists` says no of a folder that may not be looked into
    except FileNotFoundError:
        return Point.ok("none yet: the first command that needs it builds it")
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=1)) as database:
            tip = database.execute("SELECT tip FROM state").fetchone()
    except sqlite3.Error as error:
        return Point.advice(f"{file} cannot be read, and is done without: {error}", _rebuild(file))
    if not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        return Point.advice(f"{file} cannot be written, and may be behind", "give leave to write there")
    behind = "" if tip == (patient.log().tip(),) else ", behind the log: the next command catches up"
    written = datetime.fromtimestamp(about.st_mtime, UTC)
    return Point.ok(f"{file}, {about.st_size // 1024} KiB, written {written:%Y-%m-%d %H:%M} UTC{behind}")


def _rebuild(file: Path) -> str:
    if file.is_dir():
        return "move this folder away: the index is then built anew"
    return "git decide list builds it anew, where it may write and nobody holds the file"


def locks(patient: Patient) -> Point:
    """Lock files that keep the log from moving: of who writes just now, or of a git that died."""
    now = patient.now().timestamp()
    found = sorted(_locks(patient.repository().common_dir, patient.log().ref))
    ages = {file: max(0, round(now - file.stat().st_mtime)) for file in found if file.exists()}
    if not ages:
        return Point.ok("no lock file is in the way")
    says = ", ".join(f"{file} ({_age(age)} old)" for file, age in ages.items())
    if max(ages.values()) < FRESH:
        return Point.advice(f"somebody writes just now: {says}", "git decide doctor, a minute later")
    do = "make sure that no git runs here any more, then take the file away by hand"
    return Point.wrong(f"a git that died left its lock behind: {says}", do)


def _locks(common_dir: Path, ref: str) -> Iterator[Path]:
    names = (f"{ref}.lock", "packed-refs.lock", "config.lock", "reftable/tables.list.lock")
    yield from (common_dir / name for name in dict.fromkeys(names) if (common_dir / name).exists())
    for folder in (layout.REMOTES, layout.SEEN):
        yield from (common_dir / folder).rglob("*.lock")


def _age(seconds: int) -> str:
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"
