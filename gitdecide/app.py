"""What a command works with: built once, each part when it is first asked for.

This module alone reads the environment and the clock.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gitdecide import output
from gitdecide.errors import DecideError

if TYPE_CHECKING:
    from gitdecide.entries.names import RecordName
    from gitdecide.entries.record import DecisionRecord
    from gitdecide.entries.types import Decision, Evidence, FollowUp
    from gitdecide.git.bulk import Way
    from gitdecide.git.objects import Objects
    from gitdecide.git.repository import Repository
    from gitdecide.git.run import Git
    from gitdecide.policy import Policy
    from gitdecide.store.index.file import Index
    from gitdecide.store.index.questions import Filter
    from gitdecide.store.log import Log
    from gitdecide.store.snapshot import Snapshot
    from gitdecide.work.freshness import Freshness
    from gitdecide.work.judging import Judge
    from gitdecide.work.writer import Said, Speaker, Writer

F = TypeVar("F", bound="FollowUp")

_OF_OTHER_THINGS: Final = re.compile(
    rb"(?!.*signed)(?:(?:code|require|verified|fast_accept|recheck):[^\\]*|[ \t#-][^\\]*)?"
)
"""A line of a policy that says nothing of signatures, and is no slip for one that does."""


class App:
    """One run of the program in one folder."""

    def __init__(self, environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> None:
        self.environ = os.environ if environ is None else environ
        self._cwd = cwd
        self.speaker: str | None = None
        """The name given with --as."""

    @cached_property
    def cwd(self) -> Path:
        """The folder that the command runs in. Raises DecideError when it is gone."""
        try:
            return self._cwd or Path.cwd()
        except OSError as error:
            raise DecideError(f"cannot read the current folder: {error.strerror}") from error

    @cached_property
    def out(self) -> "output.Output":
        """Where everything is said."""
        plain = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb"
        return output.standard(color=False if plain else None, hints=self._hints)

    @cached_property
    def git(self) -> "Git":
        """The user's git, in this folder."""
        from gitdecide.git.run import Git

        return Git(self.cwd, self.environ)

    @cached_property
    def repository(self) -> "Repository":
        """Raises git's own error outside of any repository."""
        from gitdecide.git.repository import Repository

        return Repository.discover(self.git)

    @cached_property
    def objects(self) -> "Objects":
        """The way to objects that is the quickest for one command."""
        from gitdecide.git.plumbing import Plumbing

        return Plumbing(self.git)

    @cached_property
    def bulk(self) -> "Way":
        """The way to objects that is the quickest for very many of them; those of the log are all here."""
        from gitdecide.git.bulk import complete, promisor, way

        if promisor(self.git) and (tip := self.log.tip()):
            complete(self.git, tip)
        return way(self.git, self.repository, self.objects)

    @cached_property
    def log(self) -> "Log":
        """The log of this repository, whether it exists yet or not."""
        from gitdecide.git.refs import is_full_name
        from gitdecide.store.layout import DEFAULT_REF
        from gitdecide.store.log import Log

        ref = self.git.config("decide.ref") or DEFAULT_REF
        if ref != DEFAULT_REF and not is_full_name(self.git, ref):
            hint = f"git config decide.ref refs/heads/{ref}"
            raise DecideError(f"decide.ref is not the full name of a ref: {ref}", hint=hint)
        log = Log(self.git, lambda: self.repository, self.objects, ref)
        log.arrivals = self._follow
        log.signed = lambda: self._signed
        return log

    @cached_property
    def index(self) -> "Index":
        """The index of the log, which answers what needs many records."""
        from gitdecide.store.index.file import Index

        judgement = self.log.snapshot().judged_by if self._signed else ""
        place = self.repository.common_dir
        return Index(self.log, place, self._new_way, self.out.bar, judgement, self.out.hint)

    def _new_way(self) -> "Objects":
        """A way to very many objects that nobody else uses; `bulk` has fetched them where that takes it."""
        from gitdecide.git.bulk import way
        from gitdecide.git.plumbing import Plumbing

        self.bulk  # noqa: B018
        return way(self.git, self.repository, Plumbing(self.git)).objects

    def chosen(self, **typed: Any) -> "Filter":
        """What `filter_options` mean. Raises UsageError for no time, NotFound for a path outside."""
        from gitdecide.work.choosing import Chooser

        return Chooser(self.git, self.repository, self.index, self.now()).chosen(**typed)

    @cached_property
    def agent(self) -> str | None:
        """The agent environment that this runs in, as the actor that stands for it."""
        from gitdecide.work.identity import agent_environment

        return agent_environment(self.environ)

    @cached_property
    def writer(self) -> "Writer":
        """Appends as whoever speaks. Raises git's own error where nobody is known."""
        from gitdecide.work.identity import speaker
        from gitdecide.work.writer import Writer

        log = self.log
        return Writer(log, speaker(self.git, self.speaker), self.agent, lambda: self.policy("HEAD"), self.now)

    def whoami(self) -> "Speaker":
        """Who would speak here, also where there is no log yet."""
        return self.writer.speaker(self.log.snapshot() if self.log.tip() else None)

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)

    def today(self) -> str:
        """The day, in UTC."""
        return f"{self.now():%Y-%m-%d}"

    def name(self, typed: str | None) -> "RecordName":
        """The record that is meant; without a name the branch's, else HEAD's, else the newest.

        Raises UsageError, NotFound, NoLog.
        """
        from gitdecide.work import naming

        snapshot = self.log.snapshot()
        return naming.usual(self.git, snapshot) if typed is None else naming.meant(self.git, snapshot, typed)

    def record(self, typed: str | None) -> "DecisionRecord":
        """The record that is meant, as it is now. Raises as `name` does."""
        name = self.name(typed)
        return self.log.snapshot().record(name)

    def evidence(self, typed: Iterable[str], name: str | None = None) -> tuple["Evidence", ...]:
        """What was read, pinned, for an entry of a record. Raises NotFound for what nobody can have read."""
        from gitdecide.work.reading import Reader, entry_reference, pin_all

        def entry(reference: str) -> str:
            return entry_reference(self.log.snapshot(), reference, self.name(name) if name else None)

        return pin_all(Reader(self.git, self.repository, self.objects, entry), typed)

    def governed(self, typed: Iterable[str]) -> tuple[str, ...]:
        """What a decision rules over, from the top of the tree. Raises NotFound for what lies outside."""
        from gitdecide.work.reading import governed

        return tuple(dict.fromkeys(governed(self.repository, path) for path in typed))

    def freshness(self, record: "DecisionRecord") -> Mapping["Evidence", "Freshness"]:
        """What became of the paths that a record's entries read, by what HEAD has."""
        from gitdecide.work.freshness import freshness
        from gitdecide.work.reading import at_top

        return freshness(record, lambda: at_top(self.git, self.repository), self.objects)

    @cached_property
    def _signed(self) -> bool:
        """Whether HEAD's policy asks for signatures; what plainly does not is not parsed."""
        blob = self.objects.resolve("HEAD:.gitdecide.yaml")
        text = self.objects.blob(blob) if blob and self.objects.kind(blob) == "blob" else b""
        return not all(map(_OF_OTHER_THINGS.fullmatch, text.split(b"\n"))) and self._heads_policy.signed

    @cached_property
    def _heads_policy(self) -> "Policy":
        return self._policy("HEAD")

    def policy(self, base: str | None) -> "Policy":
        """The policy of a commit, the defaults without one; one that cannot be read is only warned of.

        The defaults are then in force, and signatures are looked at all the same.
        """
        return self._heads_policy if base == "HEAD" else self._policy(base)

    def _policy(
        self, base: str | None, git: "Git | None" = None, judged: Sequence[str] | None = None
    ) -> "Policy":
        """For judging with a `git` that tries it. Raises PolicyError over commits that do not all mend it."""
        from gitdecide import policy

        try:
            rules = policy.read(self.objects, base, git)
        except policy.PolicyError as error:
            if judged is not None and not policy.mended(self.objects, base, judged):
                error.hint = f"{str(base)[:12]} has this policy: only what mends {policy.FILE} may pass"
                raise
            self.out.warning(f"{error.message}; the defaults are in force")
            rules = policy.Policy(signed=True)  # which a slip of the pen must not switch off
        return rules

    def view(self, commit: str, own: str | None) -> "Snapshot":
        """The log at a commit that is about to join our own, judged by HEAD's policy."""
        if not self._signed:
            return self.log.view(commit)
        from gitdecide.store.signatures import signed

        return signed(self.git, self.objects, commit, own)

    def judge(self, base: str | None, log: str | None, judged: Sequence[str] | None = None) -> "Judge":
        """The gate, by the policy of a commit and a commit of the log; None is no policy, and no log.

        `judged` are the tips of what is judged. Raises PolicyError for a policy that cannot be read, unless
        they all change it: it must not stop its own repair. Without tips it is only warned of.
        """
        from gitdecide.store.layout import DEFAULT_REF
        from gitdecide.store.snapshot import Snapshot
        from gitdecide.work.judging import Judge
        from gitdecide.work.reading import at_top

        top = at_top(self.git, self.repository)
        rules = self._policy(base, top, judged)
        ref = self.git.config("decide.ref") or DEFAULT_REF
        snapshot = None
        if log and rules.signed:
            from gitdecide.store.signatures import signed

            snapshot = signed(self.git, self.objects, log, self.objects.resolve(f"{ref}^{{commit}}"))
        elif log:
            snapshot = Snapshot(self.objects, log)
        return Judge(top, self.objects, snapshot, rules, ref)

    def say(self, typed: str, make: "Callable[[DecisionRecord], F]", *, as_json: bool) -> "Said[F]":
        """Append to a record, and print the new entry's id. Raises what Writer.append raises."""
        said = self.writer.append(typed, make)
        if as_json:
            self.out.json({"name": str(said.record), "id": said.id})
        else:
            self.out.fact(said.id)
        return said

    def decide(
        self,
        typed: str,
        make: "Callable[[DecisionRecord], Decision]",
        *,
        typed_checks: Sequence[str],
        dry_run: bool,
        as_json: bool,
    ) -> None:
        """Append a decision, or with `dry_run` say that it would bind. Raises as `say` does."""
        from gitdecide.entries.types import Check

        if dry_run:
            said = self.writer.rehearse(typed, make)
            self.out.note(f"would bind: {said.entry.outcome}: {said.entry.decision}")
            if as_json:
                self.out.json({"name": str(said.record), "id": None})
        else:
            said = self.say(typed, make, as_json=as_json)
            self.warn(said)
            if said.entry.supersedes and self.log.snapshot().record(said.record).contested:
                self.out.warning(f"{said.record} is still contested: more than one decision stands")
                self.out.hint(f"git decide show {said.record}")
        if "last" in typed_checks:
            self.out.note(f"the last check is {said.before.of(Check)[-1].id}")

    def warn(self, said: "Said[F]") -> None:
        """Say at once what stands against a record's evidence since the entry that was just said."""
        from gitdecide.rules.warnings import warnings

        fast, today = self.policy("HEAD").fast, self.today()
        known = set(warnings(said.before, fast, today))
        for warning in warnings(self.log.snapshot().record(said.record), fast, today):
            if warning not in known:
                self.out.warning(warning)

    def page(self) -> None:
        """Show the facts that follow through git's pager, when they go to a terminal."""
        if self.out.stdout.isatty():
            self.out.page(self.git.text("var", "GIT_PAGER"), self.environ)

    def close(self) -> None:
        """End what was started, and send what was printed. Raises CannotWrite, BrokenPipeError."""
        if "objects" in self.__dict__:
            self.objects.close()
        if "bulk" in self.__dict__:
            self.bulk.objects.close()
        self.out.close()

    def abandon(self) -> None:
        """End what was started, whatever becomes of what was printed."""
        with suppress(OSError, DecideError):
            self.close()
        self.out.abandon()

    def _follow(self) -> None:
        """Move the log on to what plain `git fetch` brought from the remote that it is shared with."""
        if not self.git.config_names("remote"):
            return
        from gitdecide.work import fetched
        from gitdecide.work.remotes import Remote, choose

        with suppress(DecideError):
            remote = Remote(self.git, choose(self.git), self.log.ref)
            if left := fetched.follow(self.log, remote, self.repository):
                self.out.hint(left)

    def _hints(self) -> bool:
        try:
            return self.git.config_bool("advice.decide", default=True)
        except DecideError:
            return True
