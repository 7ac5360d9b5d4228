"""What all views of a review say in the same words."""

import re
from collections.abc import Iterator
from typing import Final

from gitdecide.render.review.facts import Objection, Premise, Reading, Review, Ruling, Subject, Voice

SHOWN_DIGITS: Final = 8
OUTCOMES: Final = {"adopt": "adopted", "reject": "rejected", "defer": "deferred"}
STANCES: Final = {
    "support": "supports it",
    "support_unverified": "supports it, unread",
    "oppose": "opposes it",
    "inform": "informs",
    "abstain": "abstains",
}
VERDICTS: Final = {
    "damaged": "damaged",
    "refused": "refused",
    "unlinked": "names no decision",
    "waived": "waived",
    "passes": "passes",
    "no code": "changes no code",
}
TAGS: Final = {
    "finding": "refused",
    "conflict": "conflict",
    "unanswered": "unanswered challenge",
    "opposition": "unanswered opposition",
    "fast": "fast accept",
    "echo": "echo votes",
    "unverified": "unverified vote",
    "stale": "stale evidence",
    "unread": "unread code",
    "check": "weak check",
    "recheck": "premise changed",
    "despite": "over a failing check",
    "dissent": "dissent",
    "unconfirmed": "not confirmed",
    "review-by": "past its review",
    "does-not-count": "does not count",
    "directive": "unchallenged directive",
}
"""What a note is called in a word or two."""

_IMPORTED: Final = " [imported]"
_IDS = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")


def headline(review: Review) -> str:
    """The verdict."""
    damaged, refused, all_ = review.count("damaged"), review.count("refused"), len(review.commits)
    if damaged:
        return f"Damaged: {_of(damaged, all_)} cannot be judged"
    if review.unmerged and review.unmerged.faults:
        return "Damaged: the log beside ours has entries that count for nothing"
    if refused:
        return f"Refused: {_of(refused, all_)} may not go in"
    if review.broken:
        return f"Premise gone: {_some(len(review.broken), 'decision')} no longer rest on what was checked"
    if not all_:
        return "Nothing to review"
    unlinked = review.count("unlinked")
    if unlinked == all_:
        return f"No decision: {_some(all_, 'commit')} that name none"
    return f"Passes: {_some(all_, 'commit')}"


def summary(review: Review) -> str:
    """How the commits came out, in one sentence."""
    by = f"the policy of {review.policy[:12]}" if review.policy else "the default policy"
    counts = (
        (review.count("refused"), "refused"),
        (review.count("damaged"), "not to be judged"),
        (review.count("passes"), "resting on a decision that passes"),
        (review.count("waived"), "waived in so many words"),
        (review.count("unlinked"), "changing code without a decision"),
        (review.count("no code"), "changing no code"),
    )
    said = ", ".join(f"{number} {word}" for number, word in counts if number)
    judged = f"{_some(len(review.commits), 'commit')} judged by {by}"
    return f"{judged}: {said}." if said else f"{judged}."


def ranked(subjects: tuple[Subject, ...]) -> list[Subject]:
    """What is refused first, then what has something against it, then the rest."""
    return sorted(subjects, key=lambda each: (not each.refused, not each.loud))


def short(text: str) -> str:
    """A sentence with its ids cut to what people need to tell them apart."""
    return _IDS.sub(lambda found: found[0][:SHOWN_DIGITS], text)


def when(at: str) -> str:
    """When something was said, to the minute, by the clock of whoever said it."""
    return at[:16].replace("T", " ")


def first_line(text: str) -> str:
    """The title of a question."""
    return text.strip().partition("\n")[0]


def tags(subject: Subject) -> list[str]:
    """What to look at, in a word or two each."""
    return list(dict.fromkeys(TAGS[note.kind] for note in subject.notes))


def read(reading: Reading) -> str:
    """Something that was read, with what became of it."""
    return f"{reading.what} ({reading.state})" if reading.state else reading.what


def rechecked(review: Review) -> str | None:
    """How many checks were run again, and how many were kept from it; None where nobody asked for it."""
    if not review.rechecked:
        return None
    rulings = [ruling for subject in review.decisions for ruling in subject.rulings]
    checks = {check.id: check for ruling in rulings for check in ruling.checks}.values()
    ran = sum(check.again is not None for check in checks)
    kept = sum(check.kept for check in checks)
    said = f"{_some(ran, 'check')} run again on the head of this range"
    why = f"; {kept} not, since the base's policy (recheck.allow) does not permit it" if kept else ""
    return f"{said}{why}."


def who(said: Ruling | Voice | Premise) -> str:
    """Whose word it is, and who imported it."""
    return said.actor if said.quoted is None else f"{said.quoted} [imported by {said.actor}]"


def then(ruling: Ruling) -> str:
    """What goes with the outcome of a decision that does not stand."""
    return "" if ruling.live else ", once," if ruling.quoted is None else ", elsewhere,"


def result(check: Premise) -> str:
    """How a check ended."""
    code = "" if check.exit_code is None else f" (exit {check.exit_code})"
    return f"{check.result}{code}{_IMPORTED * (check.quoted is not None)}"


def circumstances(check: Premise) -> str:
    """Who ran a check, when, where, and what came since."""
    how = "run" if check.source == "ran" else "said" if check.quoted is not None else "reported"
    at = f" at {check.commit[:SHOWN_DIGITS]}" if check.commit else ""
    dirty = ", with changes that nobody had committed" if check.clean is False else ""
    since = {None: "", 0: ", the head of this range"}.get(check.behind, f", {check.behind} commits ago")
    if check.behind == 1:
        since = ", 1 commit ago"
    return f"{how} by {who(check)} on {when(check.at)}{at}{since if check.commit else ''}{dirty}"


def again(check: Premise) -> str | None:
    """What came of running a check again; None where nobody asked for it."""
    if check.kept:
        return "not run again: the base's policy (recheck.allow) does not permit it"
    if check.again is None:
        return None
    code = "" if check.again.exit_code is None else f" (exit {check.again.exit_code})"
    note = f": {check.again.note}" if check.again.note else ""
    same = ", as before" if check.again.result == check.result else f", and was {check.result}"
    return f"run again at {check.again.commit[:SHOWN_DIGITS]}: {check.again.result}{code}{same}{note}"


def answers(objection: Objection) -> Iterator[str]:
    """What became of a challenge."""
    for answer in objection.answers:
        yield f"{answer.actor}: {answer.outcome}, {duration(answer.seconds)} later"
    if not objection.answers:
        yield "nobody answered"


def duration(seconds: int) -> str:
    """A time that passed, in the largest unit that fits."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def voice(vote: Voice) -> str:
    """Who voted how."""
    model = f" ({vote.model})" if vote.model else ""
    return f"{who(vote)}{model} {STANCES[vote.stance]}"


def evidence(subject: Subject) -> str:
    """How many spoke after reading something, for a cell."""
    votes = [vote for vote in subject.votes if vote.quoted is None]
    readers = {vote.actor for vote in votes if vote.read}
    readers |= {ruling.actor for ruling in subject.rulings if ruling.read and ruling.quoted is None}
    without = len({vote.actor for vote in votes if not vote.read} - readers)
    said = ", ".join(sorted(readers)) or "nobody"
    return f"{said}; {without} read nothing" if without else said


def premises(subject: Subject) -> str:
    """How the checks of the decisions came out, for a cell."""
    results = [f"{check.again.result} now" if check.again
               else f"{check.result}{_IMPORTED * (check.quoted is not None)}"
               for ruling in subject.rulings for check in ruling.checks]  # fmt: skip
    return ", ".join(dict.fromkeys(results)) or "none"


def _of(some: int, all_: int) -> str:
    return f"{some} of {_some(all_, 'commit')}"


def _some(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"
