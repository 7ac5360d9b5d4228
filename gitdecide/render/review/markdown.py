"""A review as one comment of a pull request: bounded, the same bytes for the same facts, and inert.

It begins with a hidden marker that holds a digest of the rest, so that whoever posts it finds the comment
again, and sees whether it says anything new.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from gitdecide.output import Line
from gitdecide.render.comment import code, fenced, in_html, inline, units
from gitdecide.render.review import words
from gitdecide.render.review.facts import (
    Commit,
    Finding,
    Objection,
    Premise,
    Reading,
    Review,
    Ruling,
    Subject,
    Voice,
)

LIMIT: Final = 65_536
"""UTF-16 code units that a comment holds on GitHub; the other hosts take more."""

MARKER: Final = "<!-- git-decide review sha256:{digest} -->"
MOST: Final = 8
"""How many votes, readings or paths of one decision are named; the rest is counted."""

_ROOM: Final = LIMIT - 2_500
"""What entries may fill: the rest is for headings, and for what was left out."""

_OUTPUT: Final = 800
"""Units of a check's output."""

_PATCHES: Final = 9_000
"""Units of all patches that are proposed for one decision."""

_SHARES: Final = {"refused": 0.35, "rows": 0.6, "governing": 0.7, "details": 0.95, "commits": 1.0}
"""How far each kind of entries may fill the comment, the ones after those before."""


class Page:
    """What fits into one comment: entries go in whole, or not at all."""

    def __init__(self) -> None:
        self.used = 0
        self.left: list[str] = []
        """What was left out."""

    def fill(self, share: float, entries: Iterable[str], what: str) -> list[str]:
        """The entries that fit, in order; the others are counted."""
        kept, out = [], 0
        for entry in entries:
            size = units(entry) + 1
            if self.used + size > _ROOM * share:
                out += 1
            else:
                self.used += size
                kept.append(entry)
        if out:
            self.left.append(f"{out} {what}")
        return kept


def lines(review: Review) -> Iterator[Line]:
    """The comment."""
    body = "\n".join(_body(review))
    digest = hashlib.sha256(body.encode()).hexdigest()
    yield MARKER.format(digest=digest)
    yield from body.split("\n")


def _body(review: Review) -> Iterator[str]:
    page, ranked = Page(), words.ranked(review.decisions)
    refused = page.fill(_SHARES["refused"], _refusals(review.commits), "reasons for a refusal")
    rows = page.fill(_SHARES["rows"], map(_row, ranked), "decisions in the table")
    governing = page.fill(
        _SHARES["governing"], map(_governing, words.ranked(review.governing)), "that govern and are not named"
    )
    details = page.fill(_SHARES["details"], map(_details, ranked), "decisions in full")
    commits = page.fill(_SHARES["commits"], map(_commit, review.commits), "commits in the list")
    yield f"## {inline(words.headline(review))}"
    yield ""
    yield inline(words.summary(review), 1000)
    yield from _unmerged(review)
    if rechecked := words.rechecked(review):
        yield from ("", inline(rechecked))
    yield from _table("### Why", ("Commit", "It is refused because", "What helps"), refused)
    columns = ("Decision", "What was decided", "Who read what it is about", "Premise", "Look at")
    yield from _table("### What the code rests on", columns, rows)
    yield from details and ("", "### Each of them", "", *details)
    if governing:
        yield from ("", "### Decided about these files, and named by no commit", "", *governing)
    if commits:
        yield from ("", "<details>", f"<summary>{len(commits)} commits</summary>")
        yield from _table("", ("Commit", "Subject", "Verdict", "Names"), commits)
        yield from ("", "</details>")
    yield from _left(page, review)


def _left(page: Page, review: Review) -> Iterator[str]:
    command = code(f"git decide review {review.range}")
    yield ""
    if page.left:
        left = ", ".join(page.left)
        yield f"**Left out, since a comment holds only so much:** {left}. {command} shows all."
        yield ""
    yield f"<sub>Names are claims unless signatures are asked for. In full: {command}</sub>"


def _unmerged(review: Review) -> Iterator[str]:
    if review.unmerged:
        yield from (
            "",
            f"Judged together with a log that is not merged yet: {inline(review.unmerged.said, 600)}.",
        )
        for fault in review.unmerged.faults[:MOST]:
            yield f"- counts for nothing: {inline(words.short(fault))}"


def _table(heading: str, columns: Sequence[str], rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield from ("", heading) if heading else ()
        yield from ("", f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}", *rows)


def _refusals(commits: Iterable[Commit]) -> Iterator[str]:
    for commit in commits:
        for finding in commit.findings:
            yield _cells(
                f"{code(commit.id[:12])} {inline(words.first_line(commit.subject), 80)}",
                f"**{finding.code}** {inline(words.short(finding.message), 400)}",
                _helps(finding),
            )


def _helps(finding: Finding) -> str:
    return inline(words.short(finding.hint), 300) if finding.hint else ""


def _row(subject: Subject) -> str:
    title = inline(words.first_line(subject.question), 120, alone=True)
    return _cells(
        f"{code(subject.name)}{' (unmerged)' * subject.unmerged} {title}",
        "<br>".join(_decided(ruling, 160) for ruling in subject.rulings[:3]) or inline(subject.became),
        inline(words.evidence(subject), 160),
        inline(words.premises(subject), 80),
        ", ".join(_tag(tag) for tag in words.tags(subject)) or "nothing",
    )


def _tag(tag: str) -> str:
    return f"**{tag}**" if tag == "refused" else tag


def _decided(ruling: Ruling, most: int) -> str:
    return f"{words.OUTCOMES[ruling.outcome]}{words.then(ruling).rstrip(',')}: {inline(ruling.text, most)}"


def _governing(subject: Subject) -> str:
    said = "; ".join(_decided(ruling, 160) for ruling in subject.rulings[:3]) or inline(subject.became)
    title = inline(words.first_line(subject.question), 120)
    tags = f" ({', '.join(words.tags(subject))})" if subject.notes else ""
    return f"- {code(subject.name)} {title}<br>{said}{tags}<br>Governs {_codes(subject.paths)}"


def _commit(commit: Commit) -> str:
    names = commit.waiver if commit.verdict == "waived" else ", ".join(commit.names)
    return _cells(
        code(commit.id[:12]),
        inline(words.first_line(commit.subject), 80),
        words.VERDICTS[commit.verdict],
        inline(names or "", 120),
    )


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _details(subject: Subject) -> str:
    return "\n".join(_detail_lines(subject))


def _detail_lines(subject: Subject) -> Iterator[str]:
    told = [note for note in subject.notes if note.kind != "finding"]
    title = words.first_line(subject.question)
    if told:
        yield f"**{subject.name}** {inline(title, 160)} ({inline(subject.became)})"
        yield ""
        yield from _some(told, lambda note: f"- **{words.TAGS[note.kind]}:** {_sentence(note.text)}", 24)
        yield from ("", "<details>", f"<summary>What {subject.name} rests on</summary>")
    else:
        yield "<details>"
        yield f"<summary><b>{subject.name}</b> {in_html(title, 160)} ({in_html(subject.became)})</summary>"
    for ruling in subject.rulings:
        yield from ("", *_ruling(ruling))
    if subject.paths:
        yield from (
            "",
            f"Changes {_codes(subject.paths)} in {_codes([each[:12] for each in subject.linked_by])}.",
        )
    if subject.votes:
        yield from ("", "| Vote | Read | Reason |", "| --- | --- | --- |")
        yield from map(_vote, subject.votes[:MOST])
        yield from ("", *_more(len(subject.votes) - MOST, "votes"))
    for ruling in subject.rulings:
        for check in ruling.checks[:MOST]:
            yield from ("", *_check(check))
    if subject.objections:
        yield ""
        yield from _some(subject.objections, _objection, MOST)
    yield from _proposals(subject)
    if subject.successors:
        yield from ("", f"Superseded by {inline('; '.join(subject.successors), 600)}.")
    yield from ("", "</details>", "")


def _ruling(ruling: Ruling) -> Iterator[str]:
    who = f"by {inline(words.who(ruling))} on {words.when(ruling.at)}"
    outcome = words.OUTCOMES[ruling.outcome].capitalize()
    yield f"**{outcome}**{words.then(ruling)} {who}: {inline(ruling.text, 600)}"
    yield from (f"<br>{inline(line, 400)}" for line in ruling.provenance[:MOST])
    if ruling.rationale:
        yield f"<br>Why: {inline(ruling.rationale, 600)}"
    if ruling.read:
        yield f"<br>Read by whoever decided: {_read(ruling.read)}"
    if ruling.review_by:
        yield f"<br>To be looked at again by {ruling.review_by}"


def _vote(vote: Voice) -> str:
    unlooked = f"<br>did not look at {inline(', '.join(vote.not_checked))}" if vote.not_checked else ""
    return _cells(
        inline(words.voice(vote)),
        f"{_read(vote.read) or '**nothing**'}{unlooked}",
        inline(vote.reason, alone=True),
    )


def _read(read: Sequence[Reading]) -> str:
    said = [f"{code(each.what, 120)}{_state(each)}" for each in read[:MOST]]
    return ", ".join([*said, *_more(len(read) - MOST, "things")])


def _state(reading: Reading) -> str:
    if reading.state is None:
        return ""
    return f" (**{reading.state}**)" if reading.stale else f" ({reading.state})"


def _check(check: Premise) -> Iterator[str]:
    asked = inline(check.premise, 300) if check.premise else "no premise is worded"
    yield f"**Premise {words.result(check)}:** {asked}"
    yield f"<br>{code(check.command, 300)}" if check.command else f"<br>{inline(check.note or '')}"
    yield f"<br>{inline(words.circumstances(check))}"
    if again := words.again(check):
        yield f"<br>**{inline(again)}**"
    if check.output and check.result != "holds":
        tail = check.output.rstrip("\n").split("\n")[-10:]
        block, left = fenced("\n".join(tail), most=_OUTPUT)
        size = f", {check.output_bytes} bytes" if check.output_bytes else ""
        yield from ("", f"Its last output{size}:{' (shortened)' * bool(left)}", "", *block)


def _objection(objection: Objection) -> str:
    what = f"{objection.severity} conflict" if objection.severity else "challenge"
    having = f", who read {_read(objection.read)}" if objection.read else ", who read nothing"
    became = inline("; ".join(words.answers(objection)))
    return f"- {what} by {inline(objection.actor)}{having}: “{inline(objection.claim)}” ({became})"


def _proposals(subject: Subject) -> Iterator[str]:
    if not subject.proposals:
        return
    yield from ("", "**Proposed changes**")
    each = _PATCHES // min(len(subject.proposals), MOST)
    for proposed in subject.proposals[:MOST]:
        title = f": {inline(proposed.title)}" if proposed.title else ""
        yield from (
            "",
            f"Branch {code(proposed.branch)} on {code(proposed.base[:12])}, by {inline(proposed.actor)}"
            + title,
        )
        if proposed.patch is None:
            yield from ("", "The log lacks its patch.")
            continue
        block, left = fenced(proposed.patch, "diff", each)
        yield from ("", "<details>", "<summary>Its patch</summary>", "", *block, "")
        if left:
            whole = code(f"git decide proposal diff {proposed.id[:12]}")
            yield from (f"{left} lines more are left out: {whole} shows all.", "")
        yield "</details>"
    yield from ("", *_more(len(subject.proposals) - MOST, "proposals"))


def _sentence(text: str) -> str:
    return inline(words.short(text), 500)


def _codes(texts: Sequence[str]) -> str:
    said = [code(text, 120) for text in texts[:MOST]]
    return ", ".join([*said, *_more(len(texts) - MOST, "")]).strip()


def _more(number: int, what: str) -> list[str]:
    return [f"and {number} more {what}".rstrip()] if number > 0 else []


def _some(things: Sequence[object], told: Callable[..., str], most: int) -> Iterator[str]:
    yield from map(told, things[:most])
    yield from (f"- {rest}" for rest in _more(len(things) - most, ""))
