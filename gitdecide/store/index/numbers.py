"""What can be counted in an index. Records that are damaged count nowhere but among the damaged."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from sqlite3 import Connection
from typing import Any, Final, NamedTuple

from gitdecide.store.index.schema import name

SOUND: Final = "record IN (SELECT id FROM record WHERE status != 'damaged')"
COUNTS: Final = f"verified IS NOT NULL AND {SOUND}"


class Pin(NamedTuple):
    """A path that a record's entries read, as it then was."""

    path: str
    blob: str | None
    commit: str | None
    worktree: bool


def numbers(fast: timedelta) -> Callable[[Connection], dict[str, Any]]:
    """Everything that can be counted without looking at HEAD; `fast` is how soon an answer is suspect."""
    return lambda db: {
        "records": dict(db.execute("SELECT status, count(*) FROM record GROUP BY status ORDER BY 2 DESC, 1")),
        "votes": {
            **_verified(db),
            "by_actor": _voting(db, "actor"),
            "by_model": _voting(db, "how"),
            "echoes": db.execute(
                "SELECT coalesce(sum(voices_lost), 0) FROM record WHERE status != 'damaged'"
            ).fetchone()[0],
        },
        "checks": _checks(db),
        "answers": _answers(db, fast),
    }


def pins(db: Connection) -> list[tuple[str, Pin]]:
    """What was read of the repository's files, with the name of the record; the newest record first."""
    asked = f"SELECT record, path, blob, pinned, worktree FROM reading WHERE blob IS NOT NULL AND {SOUND}"  # noqa: S608
    rows = db.execute(f"{asked} ORDER BY record DESC, path")
    return [(str(name(key)), Pin(path, blob, commit, bool(tree))) for key, path, blob, commit, tree in rows]


def _verified(db: Connection) -> dict[str, int]:
    asked = f"SELECT coalesce(sum(verified), 0), count(*) FROM entry WHERE type = 'vote' AND {COUNTS}"  # noqa: S608
    verified, votes = db.execute(asked).fetchone()
    return {"verified": verified, "unverified": votes - verified}


def _voting(db: Connection, column: str) -> dict[str, dict[str, int]]:
    """Votes verified and not, by who gave them or with which model; those without a model are left out."""
    asked = (
        f"SELECT {column}, sum(verified), count(*) FROM entry"  # noqa: S608 - a column of ours
        f" WHERE type = 'vote' AND {column} IS NOT NULL AND {COUNTS} GROUP BY 1 ORDER BY 3 DESC, 1"
    )
    return {
        who: {"verified": verified, "unverified": votes - verified}
        for who, verified, votes in db.execute(asked)
    }


def _checks(db: Connection) -> dict[str, dict[str, int]]:
    """How often each result came out, by whether the command ran here or was reported."""
    asked = (
        "SELECT word, sum(how = 'ran'), sum(how = 'reported') FROM entry"  # noqa: S608
        f" WHERE type = 'check' AND {COUNTS} GROUP BY 1 ORDER BY count(*) DESC, 1"
    )
    return {result: {"ran": ran, "reported": reported} for result, ran, reported in db.execute(asked)}


def _answers(db: Connection, fast: timedelta) -> dict[str, Any]:
    """How long challenges waited for answers, and the answers that came suspiciously soon."""
    sql = f"SELECT record, challenge, answer, actor, seconds FROM answer WHERE {SOUND} ORDER BY seconds"  # noqa: S608
    rows = db.execute(sql).fetchall()
    challenges = f"SELECT count(*) FROM entry WHERE type = 'challenge' AND {COUNTS}"  # noqa: S608
    (asked,) = db.execute(challenges).fetchone()
    seconds = [row[4] for row in rows]
    return {
        "challenges": asked,
        "unanswered": asked - len({(row[0], row[1]) for row in rows}),
        "answers": len(rows),
        "median_seconds": _median(seconds),
        "fast": [
            {
                "record": str(name(key)),
                "challenge": challenge,
                "answer": answer,
                "actor": actor,
                "seconds": took,
            }
            for key, challenge, answer, actor, took in rows
            if took <= fast.total_seconds()
        ],
    }


def _median(ordered: Sequence[float]) -> float | None:
    middle = len(ordered) // 2
    if not ordered:
        return None
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
