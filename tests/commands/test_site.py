"""`git decide site`: which files it writes, keeps, removes and never touches."""

import fcntl
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from gitdecide.work.site.folder import LIST, Folder
from tests.conftest import Clock, Decide, GitRunner


@pytest.fixture
def site(decide: Decide, record: str, tmp_path: Path) -> Path:
    """A site of one record."""
    folder = tmp_path / "site"
    assert decide("site", str(folder)).exit_code == 0
    return folder


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def marks(folder: Path) -> dict[str, tuple[int, int]]:
    """What changes whenever a file is written."""
    return {
        name: ((folder / name).stat().st_ino, (folder / name).stat().st_mtime_ns) for name in content(folder)
    }


def test_a_record_becomes_a_page(site: Path, record: str) -> None:
    """The pages are there under their names, and nothing else is."""
    html = (site / "record" / f"{record}.html").read_text()

    assert "Add load_dataset to the engine?" in html
    names = {name for name in content(site) if not name.startswith("actor/")}
    assert names == {
        "index.html", "actors.html", "files.html", "style.css", "script.js", "data.js", "built.js",
        LIST, f"record/{record}.html",
    }  # fmt: skip
    assert sorted(content(site)) == sorted([LIST, *(site / LIST).read_text().splitlines()[1:]])


def test_what_was_imported_is_quoted(decide: Decide, site: Path, repo: Path) -> None:
    """The word of whoever said it there, and no vote or check of the importer's."""
    lines = (
        {"id": "d1", "type": "question", "question": "Add it?"},
        {"id": "d2", "type": "vote", "qid": "d1", "agent": "bob", "stance": "support", "reason": "sure"},
        {"id": "d3", "type": "check", "qid": "d1", "command": "true", "exit_code": 0, "note": "fine"},
        {"id": "d4", "type": "decision", "qid": "d1", "decider": "eve", "decision": "it", "check": "d3"},
    )
    (repo / "old.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    name = json.loads(decide("import", "jsonl", "old.jsonl", "--json").stdout)["files"][0]["record"]

    assert decide("site", str(site)).exit_code == 0

    page = (site / "record" / f"{name}.html").read_text()
    bylines = re.findall(r'<p class="byline"><bdi>(.*?)</bdi> \[imported by <a', page)
    assert [line for line in bylines if line in ("bob", "eve")] == ["eve", "bob", "eve"]
    assert 'id="votes"' not in page
    assert "replaced by a later vote" not in page
    actor = next((site / "actor").glob("ada-*.html")).read_text()
    assert "imported vote" in actor


def test_a_pipe_in_the_place_of_a_page_is_replaced(decide: Decide, site: Path) -> None:
    """It is not waited for."""
    (site / "index.html").unlink()
    os.mkfifo(site / "index.html")

    assert decide("site", str(site)).exit_code == 0
    assert (site / "index.html").is_file()


def test_building_again_touches_nothing(decide: Decide, site: Path, clock: Clock) -> None:
    """The same log gives the same bytes at any time, and a file that says them already is left alone."""
    before = marks(site)
    clock.pass_(days=400)

    again = decide("site", str(site), "--json")

    assert marks(site) == before
    assert json.loads(again.stdout) == {
        "version": 1,
        "files": len(before) - 1,
        "written": 0,
        "kept": len(before) - 1,
        "removed": 0,
        "damaged": [],
    }


def test_another_clone_builds_the_same_bytes(
    decide: Decide, site: Path, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """Nothing of the machine, the folder or the time is in a page."""
    git(tmp_path, "clone", "-q", str(repo), "other")
    git(tmp_path / "other", "fetch", "-q", "origin", "refs/decisions/*:refs/decisions/*")

    assert decide("site", "../elsewhere", cwd=tmp_path / "other").exit_code == 0

    assert content(tmp_path / "elsewhere") == content(site)


def test_one_new_entry_changes_its_pages_alone(decide: Decide, site: Path, record: str) -> None:
    """Pages of other records, and what does not depend on it, stay as they are."""
    other = decide("ask", "Which licence?").id
    decide("site", str(site))
    before = marks(site)

    decide("vote", record, "inform", "-m", "no hurry", "--as", "staff")
    decide("site", str(site))

    changed = {name for name, mark in marks(site).items() if before.get(name) != mark}
    assert f"record/{record}.html" in changed
    assert f"record/{other}.html" not in changed
    assert {"style.css", "script.js", "files.html"}.isdisjoint(changed)


def test_pages_that_are_gone_are_removed_and_files_of_others_stay(
    decide: Decide, site: Path, record: str, git: GitRunner, repo: Path
) -> None:
    """A log that was cut back takes its pages along; CNAME and a note among the pages are not ours."""
    (site / "CNAME").write_text("example.com\n")
    (site / "record" / "note.txt").write_text("mine\n")
    tip = git(repo, "rev-parse", "refs/decisions/log")
    name = decide("ask", "Which licence?").id
    decide("site", str(site))
    assert (site / "record" / f"{name}.html").exists()

    git(repo, "update-ref", "refs/decisions/log", tip)
    done = decide("site", str(site))

    assert "1 removed" in done.stdout
    assert not (site / "record" / f"{name}.html").exists()
    assert (site / "CNAME").read_text() == "example.com\n"
    assert (site / "record" / "note.txt").read_text() == "mine\n"


def test_a_folder_of_something_else_is_refused(decide: Decide, record: str, repo: Path) -> None:
    """Nothing is written where files lie that no build of ours put there."""
    before = content(repo / "src")

    refused = decide("site", "src")

    assert refused.exit_code == 3
    assert "the folder is not empty, and holds no site of git-decide" in refused.stderr
    assert "hint: name a new or an empty folder" in refused.stderr
    assert content(repo / "src") == before


def test_the_worktree_of_a_branch_for_pages_counts_as_empty(
    decide: Decide, record: str, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """A branch that a host serves pages from is checked out beside; its .git is no file of a site."""
    empty = git(repo, "commit-tree", "-m", "pages", git(repo, "mktree", stdin=""))
    git(repo, "branch", "pages", empty)
    git(repo, "worktree", "add", "-q", str(tmp_path / "pages"), "pages")

    assert decide("site", str(tmp_path / "pages")).exit_code == 0

    assert (tmp_path / "pages" / "index.html").exists()
    assert (tmp_path / "pages" / ".git").is_file()


def test_a_file_of_others_with_the_name_of_a_page_is_kept(decide: Decide, site: Path) -> None:
    """It is named and left as it is, and the next build goes on once it is out of the way."""
    name = decide("ask", "Which licence?").id
    mine = site / "record" / f"{name}.html"
    mine.write_text("mine\n")

    refused = decide("site", str(site))

    assert refused.exit_code == 3
    assert f"a file that is not of the site has the name of a page: {mine}" in refused.stderr
    assert mine.read_text() == "mine\n"
    mine.unlink()
    assert decide("site", str(site)).exit_code == 0
    assert mine.exists()


def test_a_link_among_the_pages_leads_nowhere(decide: Decide, site: Path, tmp_path: Path) -> None:
    """Pages are not written through a link that somebody put in place of a folder."""
    outside = tmp_path / "outside"
    (site / "record").rename(outside)
    (site / "record").symlink_to(outside)
    before = marks(outside)

    refused = decide("site", str(site))

    assert refused.exit_code == 3
    assert "a link stands where pages should lie" in refused.stderr
    assert marks(outside) == before


def test_a_forged_list_removes_nothing_outside(decide: Decide, site: Path, tmp_path: Path) -> None:
    """The list of our files may come with a branch of others: only names of pages count in it."""
    for name in ("outside.html", "site/CNAME", "site/record.html"):
        (tmp_path / name).write_text("mine\n")
    with (site / LIST).open("a") as stream:
        stream.write("../outside.html\nCNAME\nrecord/../record.html\n/etc/passwd\n")

    assert decide("site", str(site)).exit_code == 0

    assert [(tmp_path / name).read_text() for name in ("outside.html", "site/CNAME", "site/record.html")] == [
        "mine\n"
    ] * 3
    assert ".." not in (site / LIST).read_text()


def test_a_list_that_a_newer_program_wrote_is_left_alone(decide: Decide, site: Path) -> None:
    """Nobody removes what a newer git-decide keeps track of in its own way."""
    (site / LIST).write_text("git-decide site 2\n")

    refused = decide("site", str(site))

    assert refused.exit_code == 3
    assert "not a list of a site that this git-decide knows" in refused.stderr


@pytest.mark.parametrize("writes", [0, 2, 7])
def test_a_killed_build_leaves_whole_pages_and_the_next_one_finishes(
    decide: Decide, record: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """Wherever it ends, every page is an old or a new one, and what it left behind is known as ours."""
    folder = tmp_path / "site"
    decide("site", str(folder))
    old = content(folder)
    decide("ask", "Which licence?")
    decide("vote", record, "inform", "-m", "no hurry", "--as", "staff")
    put, left = Folder._put, iter(range(writes))

    def dying(self: Folder, target: Path, data: bytes) -> None:
        if next(left, None) is None:
            (self.path / ".git-decide-site.new").write_bytes(data[:10])
            raise KeyboardInterrupt
        put(self, target, data)

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "_put", dying)
        assert decide("site", str(folder)).exit_code == 130
    between = content(folder)
    assert decide("site", str(folder)).exit_code == 0
    new = content(folder)

    between.pop(".git-decide-site.new")
    between.pop(LIST)
    assert all(data in (old.get(name), new.get(name)) for name, data in between.items())
    fresh = tmp_path / "fresh"
    decide("site", str(fresh))
    assert new == content(fresh)


def test_two_builds_do_not_meet(decide: Decide, site: Path) -> None:
    """While one writes, the other says so and goes."""
    handle = os.open(site, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        refused = decide("site", str(site))
    finally:
        os.close(handle)

    assert refused.exit_code == 3
    assert f"another git-decide is writing there: {site}" in refused.stderr


def test_a_folder_that_cannot_be_written_says_why(decide: Decide, record: str, tmp_path: Path) -> None:
    """A file in the way is named, with what the system says."""
    (tmp_path / "file").write_text("")

    for folder in ("file", "file/below"):
        refused = decide("site", str(tmp_path / folder))
        assert refused.exit_code == 3
        assert refused.stderr.startswith(f"error: cannot write the site: {tmp_path / 'file'}")


def test_a_damaged_record_has_a_page_that_says_so(
    decide: Decide, site: Path, record: str, repo: Path, git: GitRunner
) -> None:
    """One bad file stops no other page; the exit code is that of damage."""
    other = decide("ask", "Which licence?").id
    blob = git(repo, "hash-object", "-w", "--stdin", stdin="type: <b>vote</b>\n")
    add(repo, git, f"decisions/DR-0xxx/{record}/vote-{blob}.yaml", blob)

    done = decide("site", str(site))

    assert done.exit_code == 4
    assert f"warning: {record} is damaged" in done.stderr
    html = (site / "record" / f"{record}.html").read_text()
    assert "Damaged:" in html
    assert f"vote-{blob}.yaml" in html
    assert (site / "record" / f"{other}.html").exists()
    assert '"damaged"' in (site / "data.js").read_text()


def add(repo: Path, git: GitRunner, path: str, blob: str) -> None:
    """Put a file into the log, past the program."""
    environ = {**os.environ, "GIT_INDEX_FILE": str(repo / ".git" / "forged")}
    tip = git(repo, "rev-parse", "refs/decisions/log")
    for words in (["read-tree", tip], ["update-index", "--add", "--cacheinfo", f"100644,{blob},{path}"]):
        subprocess.run(["git", *words], cwd=repo, env=environ, check=True)
    done = subprocess.run(
        ["git", "write-tree"], cwd=repo, env=environ, check=True, capture_output=True, text=True
    )
    forged = git(repo, "commit-tree", "-p", tip, "-m", "forged", done.stdout.strip())
    git(repo, "update-ref", "refs/decisions/log", forged)


def test_a_contested_record_shows_what_stands(
    decide: Decide, site: Path, record: str, repo: Path, git: GitRunner
) -> None:
    """Two decisions made apart are both on the page, and it says that they stand against each other."""
    tip = git(repo, "rev-parse", "refs/decisions/log")
    decide("bind", record, "adopt", "add it", "--no-code", "--read", "src/app.py")
    ours = git(repo, "rev-parse", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", tip)
    decide("bind", record, "reject", "leave it", "--read", "src/app.py")
    git(repo, "update-ref", "refs/decisions-remotes/origin/log", ours)
    git(repo, "init", "-q", "--bare", str(repo.parent / "remote"))
    git(repo, "push", "-q", str(repo.parent / "remote"), f"{ours}:refs/decisions/log")
    git(repo, "remote", "add", "origin", str(repo.parent / "remote"))
    assert decide("sync").exit_code == 0

    decide("site", str(site))

    html = (site / "record" / f"{record}.html").read_text()
    assert "2 decisions stand against each other" in html
    assert html.count('class="ruling') == 2


def test_an_empty_log_and_a_branch_without_commits_make_a_site(
    git: GitRunner, decide: Decide, tmp_path: Path
) -> None:
    """There is a first page from the beginning; what was read cannot be compared yet, and it says so."""
    bare = tmp_path / "young"
    bare.mkdir()
    git(bare, "init", "-q")
    decide("init", "--no-hooks", cwd=bare)

    assert decide("site", "../pages", cwd=bare).exit_code == 0

    html = (tmp_path / "pages" / "index.html").read_text()
    assert "0 records" in html
    assert "nothing that was read could be compared" in html


def test_a_bare_repository_makes_the_same_site(
    decide: Decide, site: Path, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """A server builds pages as well as a clone does."""
    git(tmp_path, "clone", "-q", "--mirror", str(repo), "server")

    assert decide("site", str(tmp_path / "served"), cwd=tmp_path / "server").exit_code == 0

    assert content(tmp_path / "served") == content(site)


def test_a_site_has_the_title_that_it_is_given(decide: Decide, record: str, tmp_path: Path) -> None:
    """It stands on every page, as text."""
    decide("site", str(tmp_path / "pages"), "--title", "<b>Ours</b>")

    html = (tmp_path / "pages" / "index.html").read_text()
    assert "<h1>&lt;b&gt;Ours&lt;/b&gt;</h1>" in html


def test_without_a_log_there_is_no_site(decide: Decide, tmp_path: Path) -> None:
    """Nothing is made, not even the folder."""
    refused = decide("site", str(tmp_path / "pages"))

    assert refused.exit_code == 3
    assert "no decision log here" in refused.stderr
    assert not (tmp_path / "pages").exists()


def test_a_shallow_clone_says_what_may_be_missing(
    decide: Decide, record: str, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """Commits that link records may lie behind where the history ends."""
    git(repo, "commit", "-q", "--allow-empty", "-m", f"Decision: {record}")
    git(tmp_path, "clone", "-q", "--depth=1", repo.as_uri(), "cut")
    git(tmp_path / "cut", "fetch", "-q", "origin", "refs/decisions/*:refs/decisions/*")

    done = decide("site", str(tmp_path / "pages"), cwd=tmp_path / "cut")

    assert done.exit_code == 0
    assert "warning: this clone is shallow" in done.stderr
    assert "hint: git fetch --unshallow origin" in done.stderr


def test_a_path_that_is_no_text_is_governed_all_the_same(
    decide: Decide, log: None, repo: Path, git: GitRunner, tmp_path: Path
) -> None:
    """A file whose name is not UTF-8 has a page, with who read it and what governs it."""
    Path(os.fsdecode(os.fsencode(repo) + b"/src/caf\xe9.py")).write_text("x = 1\n")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "odd")
    name = decide("ask", "Which?", "--governs", "src").id
    decide("vote", name, "inform", "-m", "read it", "--read", os.fsdecode(b"src/caf\xe9.py"))

    assert decide("site", str(tmp_path / "pages")).exit_code == 0

    (page,) = (tmp_path / "pages" / "file").glob("src-caf-*.html")
    assert "read by Ada, governs it by src" in page.read_text("utf-8")
