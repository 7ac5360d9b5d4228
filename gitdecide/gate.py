"""May this commit go in? One pure function for every hook, for verify and for CI."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gitdecide.entries.record import DecisionRecord, Filed
from gitdecide.entries.types import Check, Decision
from gitdecide.policy import Policy

MOST_PATHS: Final = 3
"""How many paths a finding names."""

GATE: Final = {
    "G1": "A linked decision is known, and its name means one record.",
    "G2": "A linked record is decided, and not only imported.",
    "G3": "A linked record is not contested.",
    "G4": "A linked decision is not superseded.",
    "G5": "A linked decision adopts: it is no rejection or deferral.",
    "G6": "A linked decision names a premise check that ran and answered.",
    "G7": "A linked decision is not blocked by a conflict.",
    "G8": "Under `require: linked` a commit that changes code names a decision, or says why none.",
}
"""What the gate asks of a commit that changes code, by the codes of its findings."""

ALWAYS: Final = ("G1", "G8")
"""What cannot arise after a commit was made, and refuses everywhere."""


class Change(NamedTuple):
    """What is judged: the code that changes, and the decisions that are said to govern it."""

    code: Sequence[str]
    """The paths that count as code, as git spells them."""
    names: Sequence[str]
    """The linked decisions as they were typed."""
    waiver: str | None = None
    commit: str | None = None
    """None for the commit that is being made."""


class Finding(NamedTuple):
    """Why a change may not go in."""

    code: str
    message: str
    hint: str | None
    commit: str | None

    @property
    def line(self) -> str:
        """The message, after the commit that it is about."""
        return f"{self.commit[:12]}: {self.message}" if self.commit else self.message

    @property
    def lasting(self) -> bool:
        """True for what refuses everywhere, false for what may have arisen since the commit was made."""
        return self.code in ALWAYS


Resolved = Mapping[str, "DecisionRecord | str"]
"""Linked names to their records, or to why a name means none."""


def judge(change: Change, records: Resolved, policy: Policy) -> list[Finding]:
    """The findings against a change; none when it changes no code."""
    if not change.code:
        return []
    where = f" ({shown(change.code)})"
    findings = []
    for name in change.names:
        record = records[name]
        for code, problem, hint in against(record):
            findings.append(Finding(code, problem + where, hint, change.commit))
    if policy.require == "linked" and not change.names and change.waiver is None:
        hint = "git decide link DR, or a line in the message: Decision: DR-007-3f2a91c0"
        findings.append(
            Finding("G8", f"the commit changes code and names no decision{where}", hint, change.commit)
        )
    return findings


def shown(paths: Sequence[str]) -> str:
    """The first few of some paths, and how many more there are."""
    more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
    return ", ".join(paths[:MOST_PATHS]) + more


def against(record: DecisionRecord | str) -> Iterator[tuple[str, str, str | None]]:
    """What stands against a linked decision: the code, why, and a hint; the first of its states."""
    if isinstance(record, str):
        yield "G1", record, "git decide list shows the decision records"
        return
    short = str(record.name)
    live = record.live
    match record.status:
        case "open" | "closed" | "imported":
            only = "is only imported" if record.status == "imported" else "is not decided"
            bind = f"git decide bind {short} adopt TEXT --read PATH --check last"
            yield "G2", f"{short} {only}", f"git decide check {short} -- COMMAND, then {bind}"
        case "contested":
            heads = "".join(f" --replaces {decision.id}" for decision in live)
            yield "G3", f"{short} is contested", f"git decide supersede {short} OUTCOME TEXT -m REASON{heads}"
        case "superseded":
            by = ", ".join(
                sorted({key for keys in record.replacements.values() for key in keys if ":" in key})
            )
            yield "G4", f"{short} is superseded by {by}", "link the decision that replaced it"
        case "blocked":
            conflict = record.blocking[0]
            way = f"git decide answer {short} {conflict.id[:8]} reject -m WHY --read PATH"
            mend = f"supersede the decision, or whoever else read why it holds says so: {way}"
            yield "G7", f"{short} is blocked by the conflict {conflict.id}", mend
        case "decided":
            yield from _unfit(live[0], record)


def _unfit(decision: Filed[Decision], record: DecisionRecord) -> Iterator[tuple[str, str, str | None]]:
    name = str(record.name)
    if decision.entry.outcome != "adopt":
        word = "rejects" if decision.entry.outcome == "reject" else "defers"
        yield "G5", f"{name} {word} this", f"link another decision, or read this one: git decide show {name}"
    elif not any(_conclusive(record, check) for check in decision.entry.checks):
        mend = f"git decide check {name} -- COMMAND, then git decide supersede {name} adopt … --check last"
        yield "G6", f"{name} has no premise check that ran", mend


def _conclusive(record: DecisionRecord, check_id: str) -> bool:
    return check_id in record and isinstance(check := record[check_id], Check) and check.conclusive
