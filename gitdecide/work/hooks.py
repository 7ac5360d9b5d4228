"""The hooks folder that git uses: our shims in it, and whatever was there before."""

import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from gitdecide.errors import DecideError
from gitdecide.git.repository import Repository
from gitdecide.git.run import Git
from gitdecide.work.managers import Manager, managing
from gitdecide.work.shims import KEPT, MADE, Folder, shim, there

CLIENT: Final = ("pre-commit", "commit-msg", "pre-push")
SERVER: Final = ("pre-receive",)

PATIENCE: Final = 60.0
"""Seconds that a probed hook may take."""


class State(NamedTuple):
    """Whether git would call our hook of one name, and how, or why not."""

    hook: str
    path: Path
    calls: bool
    says: str


class Hooks:
    """The hooks of one repository; the shims carry the absolute path of the program that installs them."""

    def __init__(self, git: Git, repository: Repository) -> None:
        self.repository = repository
        self.top = repository.top or repository.git_dir
        self.git = Git(self.top, git.environ)
        self.names: Sequence[str] = CLIENT if repository.top else SERVER
        self.folder = Folder(
            Path(self.git.text("rev-parse", "--path-format=absolute", "--git-path", "hooks"))
        )

    def install(self, *, force: bool = False) -> list[str]:
        """Put our shims where git looks for them, and return the names of those that changed.

        Raises DecideError, with nothing written, where git would not call them or the folder is not ours.
        """
        if manager := self._manager:
            if all(self._called_by(manager, name) for name in self.names):
                return []
            raise DecideError(
                f"{manager.name} keeps the hooks here: {self.folder.path}{self._setting}",
                hint=manager.advice(self.names),
            )
        self._check_folder(force=force)
        texts = {name: shim(name, self.git.environ) for name in self.names}
        made = self.folder.made(self.names) or not self.folder.path.exists()
        self.folder.path.mkdir(parents=True, exist_ok=True)
        return [name for name in self.names if self.folder.put(name, texts[name] + f"\n{MADE}\n" * made)]

    def uninstall(self) -> list[str]:
        """Take our shims away, put back what they kept, and return the names of what changed.

        They go from git's own place, too: the setting that names another may be younger than they are.
        """
        folders = dict.fromkeys((self.folder, Folder(self.repository.common_dir / "hooks")))
        changed = [name for folder in folders for name in folder.take_back(self.names)]
        return list(dict.fromkeys(changed))

    def states(self) -> Iterator[State]:
        """What git would call, hook by hook: ours are started, and nobody else's."""
        for name in self.names:
            if manager := self._manager:
                calls = self._called_by(manager, name)
                says = f"{manager.name} runs the hooks, and {'calls' if calls else 'does not call'} ours"
            else:
                problem = self._problem(name)
                calls, says = problem is None, problem or "git calls it"
            yield State(name, self.folder.path / name, calls, says)

    @cached_property
    def setting(self) -> str | None:
        """The setting that says where git looks for hooks, and where it stands."""
        asked = self.git.run("config", "--show-origin", "--get", "core.hooksPath", ok=(0, 1))
        origin, _, value = asked.stdout.decode("utf-8", "surrogateescape").strip().partition("\t")
        return f"core.hooksPath = {value} in {origin.removeprefix('file:')}" if origin else None

    @property
    def _setting(self) -> str:
        return f" ({self.setting})" if self.setting else ""

    @cached_property
    def _manager(self) -> Manager | None:
        return managing(self.top, self.folder.path, self.names)

    def _called_by(self, manager: Manager, name: str) -> bool:
        # pre-commit calls what stood in its place before under this name.
        return manager.calls(self.top, self.folder.path, name) or self.folder.ours(f"{name}.legacy")

    def _check_folder(self, *, force: bool) -> None:
        folder = self.folder.path
        if there(folder) and not folder.is_dir():
            raise DecideError(f"git looks for hooks where no folder is: {folder}{self._setting}")
        inside = {self.repository.common_dir.resolve(), self.top.resolve()}
        if not force and not inside.intersection((real := folder.resolve()).parents):
            raise DecideError(
                f"git looks for hooks outside of this repository: {real}{self._setting}",
                hint="git decide hooks install --force writes there, for all that use it",
            )
        for name in self.names:
            if not self.folder.ours(name) and there(folder / name) and there(folder / (name + KEPT)):
                raise DecideError(
                    f"two hooks want to be kept, {name} and {name}{KEPT}: {folder}",
                    hint="take one of them away, then git decide hooks install",
                )

    def _problem(self, name: str) -> str | None:
        """Why git would not call our hook, or could not; None when it was started and answered."""
        path = self.folder.path / name
        if not self.folder.ours(name):
            return "is not ours" if there(path) else "is not installed"
        if not path.stat().st_mode & 0o111:
            return "may not be executed, and git passes it over"
        try:
            probe = [str(path), "--decide-probe"]
            done = subprocess.run(
                probe,
                cwd=self.top,
                env=dict(self.git.environ),
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"cannot be started: {error}"
        said = done.stderr.decode("utf-8", "replace").partition("\n")[0].removeprefix("error: ")
        return f"cannot judge: {said or 'its program failed'}" if done.returncode else None
