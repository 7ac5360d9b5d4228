"""Premise checks: what is to run, what ran, and what its exit code answers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gitdecide.entries.types import Check, Command, Result
from gitdecide.errors import UsageError
from gitdecide.git.objects import Objects
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git

UNRUNNABLE = frozenset({126, 127})
"""What a shell exits with when a command could not run (POSIX, "Exit Status for Commands")."""


class Plan(NamedTuple):
    """A check before it has run."""

    command: Command | None
    premise: str | None = None
    holds_on: tuple[int, ...] = ()
    fails_on: tuple[int, ...] = ()
    note: str | None = None

    def result(self, exit_code: int | None) -> Result:
        """What an exit code answers: 0 holds, 1 fails, unless the plan says otherwise."""
        holds, fails = set(self.holds_on), set(self.fails_on)
        if exit_code in (holds or {0} - fails or {1} - fails):
            return "holds"
        return "fails" if exit_code in (fails or {1} - holds or {0} - holds) else "inconclusive"

    def unrun(self, exit_code: int | None, not_applicable: str | None) -> dict[str, Any] | None:
        """The fields of a check that is not run here, None for one that is.

        Raises UsageError for a check without a command, and for two answers.
        """
        if not_applicable is not None:
            if exit_code is not None:
                raise UsageError("either --report or --not-applicable")
            return self.not_applicable(not_applicable)
        if not self.command:
            raise UsageError("a check needs a command", hint="git decide check DR -- COMMAND")
        return None if exit_code is None else self.reported(exit_code)

    def not_applicable(self, why: str) -> dict[str, Any]:
        """The fields of a check that no command can make. Raises UsageError when one is given."""
        if self.command:
            raise UsageError("--not-applicable takes no command")
        note = "; ".join(filter(None, (why, self.note)))
        return {"premise": self.premise, "result": "not_applicable", "source": "reported", "note": note}

    def reported(self, exit_code: int) -> dict[str, Any]:
        """The fields of a check that ran elsewhere."""
        return {
            **self._asdict(),
            "exit_code": exit_code,
            "result": "inconclusive" if exit_code in UNRUNNABLE else self.result(exit_code),
            "source": "reported",
        }

    def ran(
        self, git: Git, repository: Repository, objects: Objects, timeout: float | None, *, keep_output: bool
    ) -> dict[str, Any]:
        """Run the command here, and return the fields of the check; `timeout` in seconds."""
        from gitdecide.work import command

        before = _state(git, repository, objects)
        outcome = command.run(self.command or (), cwd=git.cwd, environ=git.foreign_environ(), timeout=timeout)
        kept = {
            "output": outcome.output or None,
            "output_sha256": outcome.output_sha256,
            "output_bytes": outcome.output_bytes,
        }
        return {
            **self.reported(outcome.exit_code if outcome.exit_code is not None else min(UNRUNNABLE)),
            "exit_code": outcome.exit_code,
            "source": "ran",
            "note": "; ".join(filter(None, (outcome.note, self.note))) or None,
            "duration_ms": outcome.duration_ms,
            **before,
            **(kept if keep_output else {}),
        }


def summary(check: Check) -> str:
    """How a check ended, in one line."""
    code = "" if check.exit_code is None else f" (exit {check.exit_code})"
    return f"{check.result}{code}{f': {check.note}' if check.note else ''}"


def planned(command: Sequence[str], shell: str | None, **what: Any) -> Plan:
    """A plan from what was typed. Raises UsageError for two commands, and for codes that cannot count."""
    if command and shell is not None:
        raise UsageError("either a command after --, or -c TEXT")
    plan = Plan(shell if shell is not None else tuple(command) or None, **what)
    if both := set(plan.holds_on) & set(plan.fails_on):
        raise UsageError(f"exit code {min(both)} cannot both hold and fail")
    if unusable := UNRUNNABLE & {*plan.holds_on, *plan.fails_on}:
        raise UsageError(f"exit code {min(unusable)} says that the command could not run")
    return plan


def _state(git: Git, repository: Repository, objects: Objects) -> dict[str, Any]:
    """Where a check runs: the commit, whether the working tree is just that, and the folder."""
    if repository.top is None:
        return {"commit": objects.resolve("HEAD^{commit}")}
    changed = git.run("--no-optional-locks", "status", "--porcelain", "-z").stdout
    return {
        "commit": objects.resolve("HEAD^{commit}"),
        "clean": not changed,
        "cwd": repository.prefix.rstrip("/") or None,
    }
