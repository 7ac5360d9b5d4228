"""The statistics of a log as text."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

from gitdecide.output import STATUS_COLORS, Label, Line

MOST: Final = 10
"""How many of a kind are named; the rest is counted."""


def lines(counts: Mapping[str, Any], stale: Mapping[str, Any] | None) -> Iterator[Line]:
    """Records, votes, checks, answers and evidence, each with what stands out in it."""
    yield from _records(counts["records"])
    yield from _votes(counts["votes"])
    yield from _checks(counts["checks"])
    yield from _answers(counts["answers"])
    if stale is not None:
        yield from _evidence(stale)


def _records(records: Mapping[str, int]) -> Iterator[Line]:
    yield [Label("bold", "records"), f"  {sum(records.values())}"]
    for status, count in records.items():
        yield ["    ", Label(STATUS_COLORS.get(status, "dim"), status), f"  {count}"]


def _votes(votes: Mapping[str, Any]) -> Iterator[Line]:
    yield [Label("bold", "votes"), f"  {_split(votes)}"]
    for word, by in (("by", "by_actor"), ("model", "by_model")):
        for who, split in list(votes[by].items())[:MOST]:
            yield [f"    {word} ", Label("name", who), f"  {_split(split)}"]
        if len(votes[by]) > MOST:
            yield f"    and {len(votes[by]) - MOST} more"
    if votes["echoes"]:
        yield [
            Label("notice", "    echoes"),
            f"  {votes['echoes']}: same model, stance and reading as another",
        ]


def _split(split: Mapping[str, int]) -> str:
    return f"{split['verified']} verified, {split['unverified']} not"


def _checks(checks: Mapping[str, Mapping[str, int]]) -> Iterator[Line]:
    yield [Label("bold", "checks"), f"  {sum(sum(by.values()) for by in checks.values())}"]
    for result, by in checks.items():
        yield f"    {result}  {by['ran']} ran, {by['reported']} reported"


def _answers(answers: Mapping[str, Any]) -> Iterator[Line]:
    yield [Label("bold", "challenges"), f"  {answers['challenges']}, {answers['unanswered']} unanswered"]
    if answers["median_seconds"] is not None:
        yield f"    answered after {_span(answers['median_seconds'])} (median of {answers['answers']})"
    for fast in answers["fast"][:MOST]:
        after = f"{_span(fast['seconds'])} after the challenge {fast['challenge'][:8]}"
        yield [
            Label("notice", "    fast"), f"  {fast['record']} {after}, by ", Label("name", fast["actor"]),
        ]  # fmt: skip
    if len(answers["fast"]) > MOST:
        yield f"    and {len(answers['fast']) - MOST} more that were fast"


def _evidence(stale: Mapping[str, Any]) -> Iterator[Line]:
    states = ("fresh", "changed", "gone", "uncommitted")
    words = (f"{stale[state]} {'not committed' if state == 'uncommitted' else state}" for state in states)
    yield [Label("bold", "evidence"), f"  {', '.join(words)}"]
    for name in stale["records"][:MOST]:
        yield [Label("notice", "    stale"), "  ", Label("name", name)]
    if len(stale["records"]) > MOST:
        yield f"    and {len(stale['records']) - MOST} more records"


def _span(seconds: float) -> str:
    """A time that passed, in the largest unit that fits; none for a clock that went back."""
    rest = timedelta(seconds=max(0, round(seconds)))
    if rest.days:
        return f"{rest.days} d {rest.seconds // 3600} h"
    hours, minutes = divmod(rest.seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest.seconds % 60} s"
