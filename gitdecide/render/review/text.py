"""A review as text."""

from collections.abc import Iterator

from gitdecide.entries.annotation import one_line
from gitdecide.output import STATUS_COLORS, Label, Line
from gitdecide.render.review import words
from gitdecide.render.review.facts import Commit, Premise, Review, Subject


def lines(review: Review) -> Iterator[Line]:
    """The verdict, each commit, each decision, and what governs without being named."""
    yield Label(
        "bad" if review.count("refused", "damaged") or review.broken else "bold", words.headline(review)
    )
    yield words.summary(review)
    if rechecked := words.rechecked(review):
        yield rechecked
    if review.unmerged:
        yield review.unmerged.said
        yield from (f"counts for nothing: {fault}" for fault in review.unmerged.faults)
    if review.commits:
        yield ""
    for commit in review.commits:
        yield from _commit(commit)
    for subject in words.ranked(review.decisions):
        yield ""
        yield from _subject(subject)
    if review.governing:
        yield ""
        yield Label("bold", "These govern what changes, and no commit names them:")
    for subject in words.ranked(review.governing):
        yield from _subject(subject)


def _commit(commit: Commit) -> Iterator[Line]:
    bad = commit.verdict in ("refused", "damaged")
    said = commit.waiver if commit.verdict == "waived" else ", ".join(commit.names)
    yield [
        Label("dim", commit.id[:12]), " ", Label("bad" if bad else "good", words.VERDICTS[commit.verdict]),
        f"  {words.first_line(commit.subject)}", f"  ({said})" if said else "",
    ]  # fmt: skip
    for finding in commit.findings:
        yield ["    ", Label("bad", f"refused [{finding.code}]: "), finding.message]
        if finding.hint:
            yield ["        ", Label("notice", "hint: "), finding.hint]


def _subject(subject: Subject) -> Iterator[Line]:
    title = words.first_line(subject.question)
    color = STATUS_COLORS.get(subject.status, "dim")
    state = Label(color, subject.became)
    yield [Label("name", subject.name), "  ", state, f"  {title}", "  [unmerged]" * subject.unmerged]
    if subject.linked_by:
        yield f"    linked by: {', '.join(each[:12] for each in subject.linked_by)}"
    if subject.paths:
        yield f"    {'changes' if subject.linked_by else 'governs'}: {', '.join(subject.paths)}"
    for note in subject.notes:
        yield ["    ", Label("notice", f"{words.TAGS[note.kind]}: "), words.short(one_line(note.text))]
    for ruling in subject.rulings:
        outcome = f"{words.OUTCOMES[ruling.outcome]}{words.then(ruling)}"
        yield f"    {outcome} by {words.who(ruling)} on {words.when(ruling.at)}: {one_line(ruling.text)}"
        yield from (f"        {line}" for line in ruling.provenance)
        if ruling.read:
            yield f"        read: {', '.join(map(words.read, ruling.read))}"
        for check in ruling.checks:
            yield from _check(check)
    for vote in subject.votes:
        read = ", ".join(map(words.read, vote.read)) or "nothing"
        yield f"    {words.voice(vote)}, read {read}: {one_line(vote.reason)}"
        if vote.not_checked:
            yield f"        did not look at: {', '.join(vote.not_checked)}"
    for objection in subject.objections:
        what = f"{objection.severity} conflict" if objection.severity else "challenge"
        yield f"    {what} by {objection.actor}: {one_line(objection.claim)}"
        yield from (f"        {answer}" for answer in words.answers(objection))
    for proposed in subject.proposals:
        title = f": {one_line(proposed.title)}" if proposed.title else ""
        yield f"    proposed by {proposed.actor} on the branch {proposed.branch}{title}"
        yield f"        git decide proposal diff {proposed.id[: words.SHOWN_DIGITS]}"
    for successor in subject.successors:
        yield f"    superseded by {successor}"


def _check(check: Premise) -> Iterator[Line]:
    asked = f": {one_line(check.premise)}" if check.premise else ""
    yield f"        check {words.result(check)}{asked}"
    yield f"            {check.command or check.note or ''}"
    yield f"            {words.circumstances(check)}"
    if again := words.again(check):
        yield f"            {again}"
