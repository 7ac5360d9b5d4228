"""A pull request of twelve commits in which everything stands that a review may have to tell."""

import json
from pathlib import Path
from typing import NamedTuple

from tests.conftest import Clock, Decide, GitRunner


class PullRequest(NamedTuple):
    """The repository, the range, and the records by what is the matter with them."""

    repo: Path
    base: str
    head: str
    names: dict[str, str]
    commits: dict[str, str]
    """By the same words: the commit that links it."""

    @property
    def range(self) -> str:
        return f"{self.base}..{self.head}"


def commit(repo: Path, git: GitRunner, path: str, message: str) -> str:
    """Change a file in a commit of this message; the commit's id."""
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    with (repo / path).open("a") as file:
        file.write("more = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", message)
    return git(repo, "rev-parse", "HEAD")


def adopted(decide: Decide, question: str, *more: str, premise: str = "x is set") -> str:
    """A record that passes the gate."""
    name = decide("ask", question).id
    decide("check", name, "--premise", premise, "--", "grep", "-q", "x = 1", "src/app.py")
    done = decide("bind", name, "adopt", f"yes: {question}", "--read", "src/app.py", "--check", "last", *more)
    assert done.exit_code == 0, done.stderr
    return name


def twelve_commits(repo: Path, git: GitRunner, decide: Decide, clock: Clock) -> PullRequest:
    """The whole of it; the log of `repo` must be there."""
    (repo / ".gitdecide.yaml").write_text("require: linked\n")
    for path in ("src/loader.py", "src/engine.py", "src/cache.py"):
        (repo / path).write_text("x = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "policy")
    names = _records(repo, git, decide, clock)
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "switch", "-qc", "topic")
    commits = {
        "sound": commit(repo, git, "src/loader.py", f"Load in batches\n\nDecision: {names['sound']}"),
        "G1": commit(repo, git, "src/a.py", "Name what nobody knows\n\nDecision: DR-999"),
        "G8": commit(repo, git, "src/b.py", "Name nothing"),
        "waived": commit(repo, git, "src/c.py", "Mend a typo\n\nDecision: none (a typo)"),
        "docs": commit(repo, git, "docs/a.md", "Write it down"),
    }
    for word in ("G2", "G3", "G4", "G5", "G6", "G7", "doubtful"):
        path = "src/engine.py" if word == "doubtful" else f"src/{word.lower()}.py"
        commits[word] = commit(repo, git, path, f"Change for {word}\n\nDecision: {names[word]}")
    return PullRequest(repo, base, git(repo, "rev-parse", "HEAD"), names, commits)


def _records(repo: Path, git: GitRunner, decide: Decide, clock: Clock) -> dict[str, str]:
    names = {"sound": adopted(decide, "Load rows in batches?")}
    names["G2"] = decide("ask", "Compress the cache?").id
    names["G3"] = _contested(repo, git, decide)
    names["G4"] = adopted(decide, "Keep the cache in memory?")
    names["successor"] = decide("ask", "Keep the cache on disk?").id
    head = decision(decide, names["G4"])
    decide("check", names["successor"], "--report", "0", "-c", "df -h")
    replaced = decide(
        *("supersede", names["successor"], "adopt", "on disk", "-m", "memory is full", "--check", "last"),
        *("--replaces", f"{names['G4']}:{head}", "--read", "src/app.py"),
    )
    assert replaced.exit_code == 0, replaced.stderr
    names["G5"] = decide("ask", "Add load_dataset to the engine?").id
    decide("bind", names["G5"], "reject", "the user's code is wrong", "--read", "src/app.py")
    names["G6"] = decide("ask", "Rename the flag?").id
    decide("bind", names["G6"], "adopt", "rename it", "--no-code", "--read", "src/app.py")
    names["G7"] = adopted(decide, "Trust the cache header?")
    conflict = ("conflict", names["G7"], "--as", "erin", "--read", "src/cache.py")
    done = decide(*conflict, "--severity", "invalidating", "-m", "the header is forged in tests")
    assert done.exit_code == 0, done.stderr
    names["governing"] = adopted(decide, "Keep b.py free of imports?", "--governs", "src/b.py")
    names["doubtful"] = _doubtful(repo, git, decide, clock)
    return names


def _contested(repo: Path, git: GitRunner, decide: Decide) -> str:
    """Two clones decide apart, and then share."""
    name = decide("ask", "Retry on timeouts?").id
    decide("check", name, "--report", "0", "-c", "true")
    before = git(repo, "rev-parse", "refs/decisions/log")
    decide("bind", name, "adopt", "retry twice", "--read", "src/app.py", "--check", "last")
    ours = git(repo, "rev-parse", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", before)
    decide("bind", name, "adopt", "never retry", "--read", "src/app.py", "--check", "last")
    theirs = git(repo, "rev-parse", "refs/decisions/log")
    tree = git(repo, "merge-tree", "--write-tree", ours, theirs)
    merged = git(repo, "commit-tree", tree, "-p", ours, "-p", theirs, "-m", "Merge")
    git(repo, "update-ref", "refs/decisions/log", merged)
    return name


def decision(decide: Decide, name: str) -> str:
    """The id of a record's one live decision."""
    return str(json.loads(decide("show", name, "--json").stdout)["live"][0])


def _doubtful(repo: Path, git: GitRunner, decide: Decide, clock: Clock) -> str:
    """Passes the gate, with a good deal against it."""
    name = decide("ask", "Cache every dataset?").id
    voices = ("--model", "parrot-1", "--read", "src/engine.py", "-m", "it is fast")
    for actor in ("bot-1", "bot-2"):
        decide("vote", name, "support", "--as", actor, *voices)
    decide("vote", name, "support", "--as", "carol", "-m", "sounds right")
    decide("vote", name, "oppose", "--as", "dave", "--read", "src/cache.py", "-m", "it doubles the memory")
    first = decide("challenge", name, "nobody measured it", "--as", "erin", "--read", "src/cache.py").id
    clock.pass_(seconds=34)
    assert decide("answer", name, first, "accept", "-m", "fine").exit_code == 0
    assert decide("challenge", name, "what of the tests?", "--as", "frank", "--read", "src/app.py").id
    premise = ("--premise", "the engine sets x")
    decide("check", name, *premise, "--", "grep", "-q", "x = 1", "src/engine.py")
    bound = decide("bind", name, "adopt", "cache them all", "--read", "src/engine.py", "--check", "last")
    assert bound.exit_code == 0, bound.stderr
    decide("trust", "gus", "3")
    with (repo / "src/cache.py").open("a") as file:
        file.write("limit = 10\n")
    (repo / "patch").write_text(git(repo, "diff") + "\n")
    git(repo, "checkout", "-q", "src/cache.py")
    proposed = decide("propose", name, "--as", "gus", "--patch", "patch", "--title", "Bound the cache")
    assert proposed.exit_code == 0, proposed.stderr
    (repo / "patch").unlink()
    git(repo, "rm", "-q", "src/app.py")
    git(repo, "commit", "-qm", "Move on\n\nDecision: none (the base moves)")
    (repo / "src/app.py").write_text("x = 1\ny = 2\n")
    commit(repo, git, "src/cache.py", "Change the cache\n\nDecision: none (the base moves)")
    return name
