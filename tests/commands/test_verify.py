import json
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from gitdecide.git import changes
from tests.commands.conftest import ByHand, assert_one_fault
from tests.conftest import Clock, Decide, GitRunner


class Records(NamedTuple):
    """Full names of a record whose decision passes the gate, and of one that is undecided."""

    adopted: str
    undecided: str


@pytest.fixture
def records(decide: Decide, log: None) -> Records:
    """Both records, in the log of `repo`."""
    adopted, undecided = decide("ask", "One?").id, decide("ask", "Two?").id
    decide("check", adopted, "--report", "0", "-c", "true")
    assert decide("bind", adopted, "adopt", "yes", "--read", "src/app.py", "--check", "last").exit_code == 0
    return Records(adopted, undecided)


def commit(repo: Path, git: GitRunner, line: str = "", path: str = "src/app.py") -> str:
    """Change a file in a commit whose message ends so; the commit's id."""
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    with (repo / path).open("a") as file:
        file.write("more = 1\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", f"subject\n\n{line}")
    return git(repo, "rev-parse", "HEAD")


def policy(repo: Path, git: GitRunner, text: str = "require: linked\n") -> str:
    """Commit a policy; the commit's id."""
    (repo / ".gitdecide.yaml").write_text(text)
    git(repo, "add", ".gitdecide.yaml")
    git(repo, "commit", "-qm", "policy")
    return git(repo, "rev-parse", "HEAD")


def refused(decide: Decide, *args: str, cwd: Path | None = None) -> dict[str, str]:
    """What verify refuses: the codes by commit."""
    done = decide("verify", "--json", *args, cwd=cwd)
    found = json.loads(done.stdout)["findings"]
    assert done.exit_code == bool(found), done
    return {finding["commit"]: finding["code"] for finding in found}


def test_every_commit_of_a_range_is_judged(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """A finding names its commit, the paths and what mends it; what passes is counted."""
    base = policy(repo, git)
    good = commit(repo, git, f"Decision: {records.adopted}")
    bad = commit(repo, git, f"Decision: {records.undecided}")
    none = commit(repo, git, "nothing")
    commit(repo, git, path="docs/a.md")

    done = decide("verify", f"{base}..HEAD")

    assert done.exit_code == 1
    assert done.stdout == (
        f"refused [G2]: {bad[:12]}: {records.undecided} is not decided (src/app.py)\n"
        f"refused [G8]: {none[:12]}: the commit changes code and names no decision (src/app.py)\n"
    )
    assert f"git decide bind {records.undecided} " in done.stderr
    judged = f"by the policy of {base[:12]}"
    said = f"4 commits judged {judged}: 1 changes code and names no decision, 2 refused\n"
    assert done.stderr.endswith(said)
    assert decide("verify", f"{base}..{good}") == (0, "", f"1 commit judged {judged}: all pass\n")


def test_what_passes_without_a_decision_is_counted(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """No refusal is no all-clear: the end says by whose policy, and how much names no decision."""
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git)
    commit(repo, git)
    commit(repo, git, "Decision: none (a typo)")
    commit(repo, git, path="docs/a.md")
    commit(repo, git, f"Decision: {records.adopted}")

    done = decide("verify", f"{base}..")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == (
        "5 commits judged by the default policy: 2 change code and name no decision, 1 waived\n"
    )
    numbers = {"commits": 5, "unlinked": 2, "waived": 1, "refused": 0}
    told = json.loads(decide("verify", f"{base}..", "--json").stdout)
    assert told == {"version": 1, "base": base, "policy": None, **numbers, "findings": []}

    base = policy(repo, git)
    bad = commit(repo, git, f"Decision: {records.undecided}, DR-99")
    told = json.loads(decide("verify", f"{base}..", "--json").stdout)
    assert [finding["commit"] for finding in told.pop("findings")] == [bad, bad]
    numbers = {"commits": 1, "unlinked": 0, "waived": 0, "refused": 1}
    assert told == {"version": 1, "base": base, "policy": base, **numbers}


def test_a_range_is_what_git_takes_for_one(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """Two dots, three dots, an open end, one commit, everything, and from a folder below."""
    base = policy(repo, git)
    git(repo, "branch", "old")
    git(repo, "switch", "-qc", "side")
    side = commit(repo, git, path="src/side.py")
    git(repo, "switch", "-q", "main")
    one, two = commit(repo, git), commit(repo, git)

    assert set(refused(decide, "old..main")) == set(refused(decide, "old..")) == {one, two}
    assert set(refused(decide, "main...side")) == {one, two, side}
    assert set(refused(decide, "main^!")) == {two}
    assert set(refused(decide, f"{base}..HEAD^")) == {one}
    assert set(refused(decide, "old..", cwd=repo / "src")) == {one, two}
    assert refused(decide, "main") == {}, "the first commit has no policy before it"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("nope", "error: bad revision 'nope'"),
        ("--all", "error: bad revision '--all'"),
        ("--output=x", "error: bad revision '--output=x'"),
        ("src", "error: bad revision 'src'"),
        ("main..nope", "error: bad revision 'main..nope'"),
        ("", "error: bad revision ''"),
        ("HEAD:src/app.py", "error: not a range of commits: HEAD:src/app.py"),
        ("HEAD^{tree}", "error: not a range of commits: HEAD^{tree}"),
        ("^HEAD", "error: not a range of commits: ^HEAD"),
    ],
)
def test_what_is_no_range_is_not_judged(repo: Path, decide: Decide, log: None, typed: str, said: str) -> None:
    """Git's words, or ours where git would find nothing to list and say nothing."""
    done = decide("verify", "--", typed)

    assert_one_fault(done, 3)
    assert done.stderr.startswith(said + "\n")
    assert not (repo / "x").exists()


def test_a_branch_cannot_weaken_its_own_gate(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """The policy is that of the target, for two dots and three; a change of it counts for what follows."""
    policy(repo, git)
    git(repo, "switch", "-qc", "feature")
    policy(repo, git, "require: when-linked\ncode: [nothing]\n")
    bad = commit(repo, git)

    assert bad in refused(decide, "main..feature")
    assert bad in refused(decide, "main...feature")
    assert refused(decide, "feature^!") == refused(decide, "feature~1..feature") == {}


def test_a_policy_that_cannot_be_read_does_not_stop_its_repair(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """The defaults are in force, as in the hooks, and it is said."""
    base = policy(repo, git, "require: [\n")
    policy(repo, git)
    commit(repo, git, f"Decision: {records.undecided}")

    done = decide("verify", f"{base}..")

    assert done.exit_code == 1
    assert "; the defaults are in force\n" in done.stderr
    assert (
        "2 commits judged by the default policy: 1 changes code and names no decision, 1 refused\n"
        in done.stderr
    )
    assert done.stdout.count("refused [") == 1


@pytest.mark.parametrize("text", ["require: linked\nfoo: 1\n", "require: linked\ncode: [':(bogus)x']\n"])
def test_a_policy_that_cannot_be_read_is_no_pass(
    repo: Path, git: GitRunner, decide: Decide, records: Records, text: str
) -> None:
    """One fault in the file does not switch the gate off for code, nor where there is nothing to judge."""
    base = policy(repo, git, text)
    commit(repo, git)

    for typed in (f"{base}..", f"{base}..{base}"):
        done = decide("verify", "--json", typed)
        assert_one_fault(done, 3)
        assert done.stderr.startswith("error: .gitdecide.yaml: line 2: ")
        assert f"hint: {base[:12]} has this policy" in done.stderr
    policy(repo, git, "require: linked\n")
    assert refused(decide, f"{base}..") == {}


def test_merges_are_judged_by_what_differs_from_every_parent(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """A clean merge changes nothing of its own; one that adds code does, and so does a root."""
    base = policy(repo, git)
    git(repo, "switch", "-qc", "side")
    commit(repo, git, f"Decision: {records.adopted}", "src/side.py")
    git(repo, "switch", "-q", "main")
    commit(repo, git, f"Decision: {records.adopted}")
    git(repo, "merge", "-q", "--no-ff", "-m", "clean", "side")
    assert refused(decide, f"{base}..") == {}

    git(repo, "switch", "-q", "--orphan", "root")
    root = commit(repo, git, path="src/root.py")
    git(repo, "switch", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "--no-commit", "--allow-unrelated-histories", "root")
    (repo / "src" / "evil.py").write_text("e = 1\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "evil merge")
    evil = git(repo, "rev-parse", "HEAD")

    assert refused(decide, f"{base}..") == {root: "G8", evil: "G8"}


def test_without_a_range_what_the_upstream_lacks_is_judged(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """And where nothing is left to judge it says how to judge the rest."""
    policy(repo, git)
    git(repo, "init", "-q", "--bare", "../server")
    git(repo, "remote", "add", "origin", "../server")
    commit(repo, git)
    git(repo, "push", "-qu", "origin", "main")

    done = decide("verify")
    assert (done.exit_code, done.stdout) == (0, "")
    said = f"0 commits judged by the policy of {git(repo, 'rev-parse', '@{upstream}')[:12]}\n"
    assert done.stderr.startswith(f"{said}hint: git decide verify RANGE ")

    bad = commit(repo, git)
    assert set(refused(decide)) == {bad}


def test_without_an_upstream_what_no_remote_has_is_judged(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """By the policy of the remote's default branch where the two part, whatever other branches hold."""
    git(repo, "init", "-q", "--bare", "../server")
    git(repo, "remote", "add", "origin", "../server")
    git(repo, "push", "-q", "origin", "main:a-branch-without-policy")
    policy(repo, git)
    git(repo, "push", "-q", "origin", "main")
    git(repo, "fetch", "-q")
    git(repo, "remote", "set-head", "origin", "main")
    git(repo, "switch", "-qc", "topic")
    policy(repo, git, "require: when-linked\n")
    bad = commit(repo, git)

    assert bad in refused(decide)


def test_messages_count_however_they_are_kept(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """In another encoding, and with trailers that a squash has buried."""
    base = policy(repo, git)
    git(repo, "config", "i18n.commitEncoding", "ISO-8859-1")
    (repo / "src" / "app.py").write_text("x = 2\n")
    message = f"größer\n\nDecision: {records.undecided}\n".encode("latin-1")
    subprocess.run(["git", "commit", "-qaF", "-"], cwd=repo, input=message, check=True)
    latin = git(repo, "rev-parse", "HEAD")
    git(repo, "config", "--unset", "i18n.commitEncoding")
    buried = commit(
        repo,
        git,
        f"* one\n    Decision: {records.adopted}\n\n* two\n\nDecision: {records.undecided}\n---",
    )

    assert refused(decide, f"{base}..") == {latin: "G2", buried: "G2"}


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_name_that_git_quotes_is_code_all_the_same(
    repo: Path, git: GitRunner, decide: Decide, records: Records, locale: str
) -> None:
    """Every odd name is seen, and named readably; no control character reaches the terminal."""
    base = policy(repo, git, "code: ['src/**']\nrequire: linked\n")
    names = ["größe.py", "a b.py", "tab\tx.py", '"q".py', "back\\slash.py", "x b/y.py", "new\nline.py"]
    ids = [commit(repo, git, path=f"src/{name}") for name in names]
    git(repo, "mv", "src/a b.py", "src/größer.py")
    git(repo, "commit", "-qm", "renamed")

    done = decide("verify", f"{base}..", LC_ALL=locale, GIT_LITERAL_PATHSPECS="1")

    shown = ["größe.py", "a b.py", "tab\tx.py", '"q".py', "back\\slash.py", "x b/y.py", "new\\nline.py"]
    lines = done.stdout.splitlines()
    assert [line.partition(": ")[2] for line in lines[:-1]] == [
        f"{oid[:12]}: the commit changes code and names no decision (src/{name})"
        for oid, name in zip(ids, shown, strict=True)
    ]
    assert lines[-1].endswith("(src/a b.py, src/größer.py)")


def test_paths_that_are_no_utf8_stay_apart_for_programs(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """Every path of the code is listed as git quotes it, and no text is what JSON readers stumble over."""
    base = policy(repo, git)
    for name in ("src/\udce9.py", "src/\udce8.py", "src/\\351.py"):
        commit(repo, git, path=name)

    text = decide("verify", f"{base}..", "--json").stdout

    assert "\\ud" not in text
    found = json.loads(text)["findings"]
    assert [finding["paths"] for finding in found] == [
        ['"src/\\351.py"'],
        ['"src/\\350.py"'],
        ["src/\\351.py"],
    ]


def test_replaced_commits_are_judged_as_they_are(
    repo: Path, git: GitRunner, decide: Decide, records: Records
) -> None:
    """A ref of refs/replace hides nothing."""
    base = policy(repo, git)
    bad = commit(repo, git)
    good = commit(repo, git, f"Decision: {records.adopted}")
    git(repo, "replace", "--graft", good, base)
    git(repo, "replace", bad, base)

    assert refused(decide, f"{base}..") == {bad: "G8"}


@pytest.fixture
def shallow(repo: Path, git: GitRunner, records: Records) -> Path:
    """A clone of one commit each of main and of a branch with three, the last of which is linked."""
    git(repo, "switch", "-qc", "feat")
    for line in ("Decision: DR-2", "Decision: DR-99", f"Decision: {records.adopted}"):
        commit(repo, git, line)
    ci = repo.parent / "ci"
    git(repo.parent, "init", "-q", "ci")
    git(ci, "remote", "add", "origin", repo.as_uri())
    git(ci, "fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    git(ci, "fetch", "-q", "--depth=1", "origin", "feat")
    git(ci, "checkout", "-q", "FETCH_HEAD")
    git(ci, "fetch", "-q", "--depth=2147483646", "origin", "refs/decisions/log:refs/decisions/log")
    return ci


def test_a_shallow_clone_is_not_green(repo: Path, git: GitRunner, decide: Decide, shallow: Path) -> None:
    """It says that the history is cut off, and the command that it names repairs that."""
    git(shallow, "fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main", "feat")
    done = decide("verify", "origin/main..HEAD", cwd=shallow)
    assert_one_fault(done, 4)
    assert done.stderr.startswith("error: the history is cut off: ")
    assert done.stderr.splitlines()[-1] == "hint: git fetch --unshallow origin"

    git(shallow, *done.stderr.splitlines()[-1].removeprefix("hint: git ").split(), "-q")
    assert sorted(refused(decide, "origin/main..HEAD", cwd=shallow).values()) == ["G1", "G2"]


def test_a_range_within_a_shallow_clone_is_judged(
    repo: Path, git: GitRunner, decide: Decide, shallow: Path
) -> None:
    """What is cut off below the range is nobody's loss; a target cut off before the two meet is."""
    git(shallow, "fetch", "-q", "--depth=3", "origin", "feat")
    assert list(refused(decide, "HEAD~2..HEAD", cwd=shallow).values()) == ["G1"]

    git(shallow, "fetch", "-q", "--unshallow", "origin", "feat")
    git(repo, "switch", "-q", "main")
    commit(repo, git, path="docs/b.md")
    git(shallow, "fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/far")
    assert decide("verify", "origin/far..HEAD", cwd=shallow).exit_code == 4


def test_nothing_to_judge_in_a_shallow_clone_is_not_green(
    git: GitRunner, decide: Decide, shallow: Path
) -> None:
    """The tip is published, and what lies below it is not seen; the commands that it names show that."""
    done = decide("verify", cwd=shallow)
    assert_one_fault(done, 4)
    assert done.stderr.startswith("error: nothing to judge: ")
    mend = done.stderr.splitlines()[-1]
    assert mend == "hint: git fetch --unshallow origin, then git decide verify origin/BRANCH..HEAD"

    git(shallow, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert decide("verify", cwd=shallow).stderr.endswith("git decide verify origin/main..HEAD\n")
    git(shallow, "fetch", "-q", "--unshallow", "origin")
    assert sorted(refused(decide, "origin/main..HEAD", cwd=shallow).values()) == ["G1", "G2"]


def test_a_log_that_is_cut_off_is_not_trusted(
    git: GitRunner, repo: Path, decide: Decide, records: Records
) -> None:
    """The command that it names repairs it."""
    part = repo.parent / "part"
    commit(repo, git, f"Decision: {records.adopted}")
    git(repo.parent, "clone", "-q", str(repo), "part")
    git(part, "fetch", "-q", "--depth=1", repo.as_uri(), "refs/decisions/log:refs/decisions/log")
    git(part, "remote", "set-url", "origin", repo.as_uri())

    done = decide("verify", "HEAD~1..", cwd=part)

    assert_one_fault(done, 4)
    assert done.stderr.splitlines()[-1] == "hint: git fetch --unshallow origin refs/decisions/log"
    git(part, "fetch", "-q", "--unshallow", "origin", "refs/decisions/log")
    assert decide("verify", "HEAD~1..", cwd=part).exit_code == 0


def test_a_missing_log_is_no_pass(repo: Path, git: GitRunner, decide: Decide) -> None:
    """Commits link what is not here: it says how to get it, without a line that could lose entries."""
    commit(repo, git, "Decision: DR-001-3f2a91c0")

    done = decide("verify", "HEAD~1..")

    assert_one_fault(done, 4)
    assert done.stderr.splitlines()[-1] == "hint: git decide sync"


def test_without_a_log_what_links_nothing_passes(repo: Path, git: GitRunner, decide: Decide) -> None:
    """A repository that has not begun is judged by its policy, which asks for nothing."""
    commit(repo, git)

    assert decide("verify", "HEAD~1..").exit_code == 0


def test_a_damaged_record_is_no_verdict(
    repo: Path, git: GitRunner, decide: Decide, records: Records, by_hand: ByHand
) -> None:
    """Exit 4, and the record is named."""
    by_hand(f"decisions/DR-0xxx/{records.adopted}/vote-{{id}}.yaml", "type: vote\n")
    commit(repo, git, f"Decision: {records.adopted}")

    done = decide("verify", "HEAD~1..")

    assert_one_fault(done, 4)
    assert records.adopted in done.stderr


def test_a_bare_repository_is_judged(repo: Path, git: GitRunner, decide: Decide, records: Records) -> None:
    """A server has no working tree, and the same verdict."""
    base = policy(repo, git)
    bad = commit(repo, git)
    git(repo.parent, "clone", "-q", "--mirror", str(repo), "bare")

    assert set(refused(decide, f"{base}..main", cwd=repo.parent / "bare")) == {bad}


def test_more_commits_than_one_look_takes(
    repo: Path, git: GitRunner, decide: Decide, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long history is judged to its end, and no commit twice."""
    monkeypatch.setattr(changes, "BATCH", 2)
    base = policy(repo, git)
    ids = [commit(repo, git) for _ in range(5)]

    assert list(refused(decide, f"{base}..")) == ids


def test_a_hint_is_given_once(repo: Path, git: GitRunner, decide: Decide, records: Records) -> None:
    """However many commits need the same."""
    base = policy(repo, git)
    for _ in range(3):
        commit(repo, git)

    assert decide("verify", f"{base}..").stderr.count("hint: ") == 1


def test_a_decision_past_its_review_is_warned_of(
    repo: Path, git: GitRunner, decide: Decide, records: Records, clock: Clock
) -> None:
    """On standard error, once, and the commits pass all the same."""
    again = ("adopt", "yes", "-m", "dated", "--read", "src/app.py", "--review-by", "2026-10-20")
    decision = decide("supersede", records.adopted, *again).id
    base = git(repo, "rev-parse", "HEAD")
    commit(repo, git, f"Decision: {records.adopted}")
    commit(repo, git, f"Decision: {records.adopted}")
    warning = f"warning: {records.adopted}: the decision {decision} was to be reviewed by 2026-10-20\n"
    assert warning not in decide("verify", f"{base}..HEAD").stderr
    clock.pass_(days=2)

    done, data = decide("verify", f"{base}..HEAD"), decide("verify", "--json", f"{base}..HEAD")

    assert (done.exit_code, done.stdout, done.stderr.count(warning)) == (0, "", 1)
    assert (data.exit_code, data.stderr) == (0, warning)
