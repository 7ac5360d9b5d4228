"""Where the repository is, and of what kind."""

from pathlib import Path
from typing import Final, NamedTuple, Self

from gitdecide.git.run import Git, GitError

NO_WORK_TREE: Final = 128


class Repository(NamedTuple):
    """The folders of one repository as one working directory sees them."""

    git_dir: Path
    """Of this worktree: holds HEAD and the index."""
    common_dir: Path
    """Shared by all worktrees: holds objects, refs and configuration."""
    top: Path | None
    """The root of the worktree; None in a bare repository and inside a git directory."""
    prefix: str
    """The path of the working directory below `top`: empty, or ending in a slash."""
    object_format: str
    """`sha1` or `sha256`."""

    @property
    def id_length(self) -> int:
        """How many hex digits a full object id has."""
        return 64 if self.object_format == "sha256" else 40

    @property
    def zero_id(self) -> str:
        """The id that stands for no object."""
        return "0" * self.id_length

    @classmethod
    def discover(cls, git: Git) -> Self:
        """The repository that git finds from its folder. Raises GitError where there is none."""
        # The object format between the answers tells them apart: folders may hold line ends.
        mark = "--show-object-format"
        asked = (mark, "--git-dir", mark, "--git-common-dir", mark, "--show-prefix", mark, "--show-toplevel")
        # Without a worktree git answers all but the last question, and then fails.
        done = git.run("rev-parse", "--path-format=absolute", *asked, ok=(0, NO_WORK_TREE))
        if not done.stdout:
            raise GitError(("rev-parse",), done.code, done.stderr)
        answers = done.stdout.decode("utf-8", "surrogateescape")
        object_format = answers.partition("\n")[0]
        git_dir, common_dir, prefix, top = f"\n{answers}".split(f"\n{object_format}\n")[1:]
        return cls(
            git_dir=Path(git_dir),
            common_dir=Path(common_dir),
            top=Path(top.removesuffix("\n")) if top else None,
            prefix=prefix,
            object_format=object_format,
        )
