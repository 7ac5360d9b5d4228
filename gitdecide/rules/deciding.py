"""R2, R3 and R5: what a decision rests on."""

from collections.abc import Iterator

from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Check, Decision, Outcome, Stance, Vote
from gitdecide.rules.context import Context, Refusal


def backing_stances(outcome: Outcome) -> tuple[Stance, ...]:
    """The stances that back an outcome: opposition backs a rejection."""
    return ("support", "inform", "oppose") if outcome == "reject" else ("support", "inform")


def backing_votes(outcome: Outcome, record: DecisionRecord) -> list[Filed[Vote]]:
    """The standing verified votes that back an outcome."""
    stances = backing_stances(outcome)
    return [vote for vote in record.votes if vote.entry.verified and vote.entry.stance in stances]


def decision_rests_on_reading(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R2: a decision binds on a verified vote that backs it, or on what the decider read.

    Support and inform back every outcome; opposition backs a rejection as well.
    A vote that read nothing informs, and carries nothing.
    Under `verified: code` in the policy, neither does one that read only messages and tickets.
    """
    if decision.imported:
        return
    backing = {vote.id: vote.entry for vote in backing_votes(decision.outcome, record)}
    for vote_id in decision.backed_by:
        if vote_id not in backing:
            yield Refusal("R2", f"{vote_id} is no standing verified vote that backs {decision.outcome}")
    read = [*decision.read, *(evidence for vote in backing.values() for evidence in vote.read)]
    hint = f"git decide vote {record.name} inform -m REASON --read PATH, or decide with --read PATH"
    if not read:
        missing = f"no verified vote backs {decision.outcome}, and the decider names nothing read"
        yield Refusal("R2", f"nothing that was read carries this decision: {missing}", hint)
    elif context.verified == "code" and all(evidence.talk for evidence in read):
        yield Refusal("R2", "only messages and tickets carry this decision, and the policy wants more", hint)


def code_changing_decision_names_a_check(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R3: a decision that changes code names a check of its record that came before it.

    The check has an exit code that answers its premise: not_applicable and inconclusive do not count.
    A reported check counts, and is always shown as reported.
    adopt is taken to change code unless --no-code says otherwise; reject and defer are not, unless --code.
    """
    if decision.imported or not decision.changes_code:
        return
    named = [check for check_id, check in record.of(Check) if check_id in decision.checks]
    if any(check.conclusive for check in named):
        return
    problem = "names no premise check" if not named else "names only checks that answer nothing"
    yield Refusal(
        "R3",
        f"{record.name} would change code, and the decision {problem}",
        f"git decide check {record.name} -- COMMAND, then decide with --check last (or --no-code)",
    )


def adoption_over_a_failing_check_says_why(
    decision: Decision, record: DecisionRecord, context: Context
) -> Iterator[Refusal]:
    """R5: adopting over a check that fails needs --despite WHY, which is shown for ever.

    A check fails until the same command is run again and holds; where it ran, a report does not clear it.
    """
    if decision.imported or decision.outcome != "adopt" or decision.despite:
        return
    from textwrap import shorten  # slow to load, and hardly ever needed

    for check in record.standing_failures():
        yield Refusal(
            "R5",
            f"a check fails: {shorten(check.entry.command_line, 60)}"
            f" (exit {check.entry.exit_code}, {check.id})",
            'adopt with --despite "WHY", or run the check again once it holds',
        )
