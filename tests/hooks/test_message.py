"""The decision in a commit message: found where people and git put it, and added where nobody did."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Done
from tests.hooks.conftest import Place, Records, passed, refused

Editor = Callable[[str], dict[str, str]]


def test_the_branchs_decision_is_added_once(place: Place, records: Records) -> None:
    """A code commit on a linked branch names its decision, and amending it adds nothing."""
    place.link(records.adopted)
    place.stage()
    passed(place.commit("code", "Signed-off-by: Ada <ada@example.com>"))
    once = f"code\n\nSigned-off-by: Ada <ada@example.com>\nDecision: {records.adopted}"
    assert place.message() == once

    for _ in range(2):
        passed(place.git("commit", "-q", "--amend", "--no-edit"))
        assert place.message() == once
    place.stage("src/app.py", "x = 3\n")
    passed(place.git("commit", "-q", "--amend", "--no-edit"))
    assert place.message() == once


def test_documents_get_no_trailer(place: Place, records: Records) -> None:
    """A commit that changes no code says nothing about decisions."""
    place.link(records.adopted)
    place.stage("README.md", "a\n")

    passed(place.commit("docs"))
    assert place.message() == "docs"


def test_what_is_typed_counts_beside_the_branchs_link(place: Place, records: Records) -> None:
    """Both decisions must pass, short names are understood, and nothing is said twice."""
    place.link(records.adopted)
    place.stage()
    refused(place.commit("code", f"Decision: {records.unchecked}"), "G6", records.unchecked)
    refused(place.commit("code", "Decision: DR-999"), "G1", "DR-999")
    twice = place.commit("code", f"Decision: DR-3, {records.unchecked}")
    assert twice.stderr.count("refused [G6]") == 1

    passed(place.commit("code", f"Decision: {records.also}"))
    assert place.trailers() == [f"Decision: {records.also}", f"Decision: {records.adopted}"]
    place.stage("src/app.py", "x = 3\n")
    passed(place.commit("code", "Decision: dr-1", "the end"))
    assert [line for line in place.message().split("\n") if "ecision" in line] == ["Decision: dr-1"]


def test_prose_about_a_decision_is_no_link(place: Place) -> None:
    """Only a name, or a waiver with its reason, counts."""
    place.policy()
    place.stage()
    refused(place.commit("code", "Decision: we go on"), "G8")
    refused(place.commit("Decision: DR-001", "the subject is no link"), "G8")
    refused(place.commit("code", "Decision: none"), "G8")

    passed(place.commit("code", "Decision: none (a typo)"))


def test_a_verbose_commit_is_judged_by_its_message(place: Place, records: Records, editor: Editor) -> None:
    """Neither the diff below the scissors nor a line that git drops counts, whatever comments begin with."""
    place.policy()
    place.do("config", "commit.verbose", "true")
    place.do("config", "core.commentChar", ";")
    place.stage("notes.txt", "a\n\nDecision: D-99\nDecision: DR-1\n")
    place.stage()

    def write(text: str) -> dict[str, str]:
        return editor(f'printf \'{text}\' | cat - "$1" >"$1.new" && mv "$1.new" "$1"')

    subject = "Subject\\n\\nBody\\n"
    refused(place.git("commit", "-q", **write(subject)), "G8")
    refused(place.git("commit", "-q", **write(f"{subject}\\n; Decision: {records.adopted}\\n")), "G8")
    trailer = f"\\nDecision: {records.adopted}\\n"
    passed(place.git("commit", "-q", **write(f"{subject}\\n# not a comment here\\n{trailer}")))
    assert place.message() == f"Subject\n\nBody\n\n# not a comment here\n\nDecision: {records.adopted}"


COMMENTS = {
    "plain": {},
    "verbose": {"commit.verbose": "true"},
    "semicolon": {"core.commentChar": ";"},
    "verbose semicolon": {"core.commentChar": ";", "commit.verbose": "true"},
    "auto": {"core.commentChar": "auto"},
    "string": {"core.commentString": "//"},
    "verbose string": {"core.commentString": "# ", "commit.verbose": "true"},
    "string, then semicolon": {"core.commentString": "//", "core.commentChar": ";"},
    "scissors": {"commit.cleanup": "scissors"},
    "verbatim": {"commit.cleanup": "verbatim"},
    "no status": {"commit.status": "false"},
}


@pytest.mark.parametrize("way", COMMENTS)
def test_the_trailer_joins_those_of_the_user(
    place: Place, records: Records, editor: Editor, way: str
) -> None:
    """Comments and diffs of git stand below it, and none of them enters the message through it."""
    place.link(records.adopted)
    for key, value in COMMENTS[way].items():
        place.do("config", key, value)
    place.stage("src/app.py", "x = 'Decision: DR-999'\n")
    script = 'printf \'Subject\\n\\nReviewed-by: Bob <b@example.com>\\n\' | cat - "$1" >"$1.new"'

    passed(place.git("commit", "-q", **editor(f'{script} && mv "$1.new" "$1"')))

    kept = [line for line in place.message().split("\n") if not line.startswith("#")]
    assert (
        "\n".join(kept).rstrip()
        == f"Subject\n\nReviewed-by: Bob <b@example.com>\nDecision: {records.adopted}"
    )


def test_a_comment_character_that_git_chose_is_understood(place: Place, records: Records) -> None:
    """Under `auto` git avoids what the message begins its lines with."""
    place.link(records.adopted)
    place.do("config", "core.commentChar", "auto")
    place.stage()

    passed(place.git("commit", "-qem", "#12 mend", "-m", "Reviewed-by: B <b@example.com>", GIT_EDITOR="true"))
    assert place.message() == f"#12 mend\n\nReviewed-by: B <b@example.com>\nDecision: {records.adopted}"


UNTOUCHED = {
    "plain": {},
    "verbose": {"commit.verbose": "true"},
    "auto": {"core.commentChar": "auto"},
    "string": {"core.commentString": "//"},
    "template": {"commit.template": "template.txt"},
    "verbose template": {"commit.template": "template.txt", "commit.verbose": "true"},
}


@pytest.mark.parametrize(
    ("way", "editing"), [*((way, "true") for way in UNTOUCHED), ("plain", ":"), ("verbose template", ":")]
)
def test_an_untouched_editor_makes_no_commit(place: Place, records: Records, way: str, editing: str) -> None:
    """A message that is empty, or still the template, gets no trailer: git gives up, as it should."""
    place.link(records.adopted)
    place.write("template.txt", "Why:\n\n# say why\nSigned-off-by: me\n")
    for key, value in UNTOUCHED[way].items():
        place.do("config", key, value)
    place.stage()

    done = place.git("commit", GIT_EDITOR=editing)

    assert done.exit_code != 0
    assert place.message() == "base"
    assert "abort" in done.stderr.lower() + done.stdout.lower()


def test_a_template_that_was_filled_in_gets_its_trailer(
    place: Place, records: Records, editor: Editor
) -> None:
    """Where a template is set, a message that somebody wrote is like any other."""
    place.link(records.adopted)
    place.write("template.txt", "Why:\n# say why\n")
    place.do("config", "commit.template", "template.txt")
    place.stage()

    passed(place.git("commit", "-q", **editor("sed -i 's/Why:/Why: because/' \"$1\"")))
    assert place.message() == f"Why: because\n\nDecision: {records.adopted}"


@pytest.mark.parametrize("subject", ["#12 mend it", "feat: x: y", "Decision: go", "-x --- fixup! y"])
def test_any_subject_stays_the_subject(place: Place, records: Records, subject: str) -> None:
    """The trailer never takes the place of the first line, whatever that looks like."""
    place.link(records.adopted)
    place.stage()

    passed(place.git("commit", "-q", f"--message={subject}"))
    assert place.message() == f"{subject}\n\nDecision: {records.adopted}"


def test_nobodys_trailer_configuration_is_in_force(place: Place, records: Records) -> None:
    """The line is written as we write it, and other trailers are left alone."""
    place.link(records.adopted)
    for setting in ("trailer.separators =#", "trailer.where start", "trailer.ifexists replace"):
        place.do("config", *setting.split(" ", 1))
    place.do("config", "trailer.decision.key", "Entscheid: ")
    place.do("config", "trailer.extra.command", "echo owned")
    place.stage()

    passed(place.commit("code\n\n---\nbelow a line of dashes", "Reviewed-by: Bob <b@example.com>"))
    assert place.message().endswith(f"\n\nReviewed-by: Bob <b@example.com>\nDecision: {records.adopted}")


FORGED = [
    "Feat\n\n* one\n\nDecision: {adopted}\n\n* two\n\nDecision: {second}\n",
    "Feat\n\ntext\n\nDecision: {second}\n\n---------\n\nCo-authored-by: P <p@example.com>\n",
    "Title\n\nHeader\n------\nprose\n\nDecision: {second}\n",
    "Squashed\n\n    one\n\n    Decision: {second}\n",
    "List\n\nDecision: {adopted}, {second}\n",
]


@pytest.mark.parametrize("message", FORGED)
def test_a_line_counts_wherever_it_stands(
    place: Place, records: Records, decide: Callable[..., object], message: str
) -> None:
    """Squash merges and forges bury trailers; the commit hooks, pre-push and verify all find them."""
    place.policy()
    place.stage()
    good = message.format(adopted=records.adopted, second=records.also)
    bad = message.format(adopted=records.adopted, second=records.unchecked)

    refused(place.git("commit", "-qF", "-", stdin=bad), "G6", records.unchecked)
    passed(place.git("commit", "-qF", "-", stdin=good))
    assert place.message() == good.rstrip()


def test_a_squash_merge_keeps_its_links(place: Place, records: Records) -> None:
    """What git indents counts; the branch's own link is not added to what is about others."""
    place.policy()
    place.do("switch", "-qc", "feature")
    place.stage()
    passed(place.commit("one", f"Decision: {records.adopted}"))
    place.stage("src/b.py")
    passed(place.commit("two", f"Decision: {records.also}"))
    place.do("switch", "-q", "main")
    place.link(records.adopted)
    place.do("merge", "-q", "--squash", "feature")

    passed(place.git("commit", "-q", "--no-edit"))
    assert place.message().count("Decision: ") == 2


@pytest.mark.parametrize("text", ["\x1b]0;t\x07\u202e", "$(touch owned)`touch owned`%s%n\\n\\c"])
def test_text_in_a_message_stays_text(place: Place, records: Records, text: str) -> None:
    """Nothing in a message is run or reaches the terminal raw, and the message keeps it."""
    place.link(records.adopted)
    place.stage()
    done = place.commit("code", f"Decision: DR-9{text}")
    refused(done, "G1")
    assert not set(done.stderr) & {"\x1b", "\x07", "\u202e"}

    passed(place.commit(f"code {text}", f"body {text}"))
    assert place.message() == f"code {text}\n\nbody {text}\n\nDecision: {records.adopted}"
    assert not (place.path / "owned").exists()


KEPT_LINES = {
    "another comment": (["-c", "core.commentChar=;", "commit"], True),
    "verbose": (["-c", "core.commentChar=;", "commit", "-v"], True),
    "scissors": (["commit", "--cleanup=scissors"], True),
    "scissors, no editor": (["commit", "--cleanup=scissors"], False),
    "verbatim": (["commit", "--cleanup", "verbatim"], True),
    "whitespace": (["commit", "--clean=whitespace"], True),
    "no editor": (["commit"], False),
}


@pytest.mark.parametrize("way", KEPT_LINES)
@pytest.mark.parametrize("policy", ["require: linked\n", "require: when-linked\n"])
def test_a_subject_that_looks_like_a_comment_is_the_subject(
    place: Place, records: Records, editor: Editor, policy: str, way: str
) -> None:
    """Where git keeps it, the decision below it counts: a good one passes and a bad one does not."""
    place.policy(policy)
    place.stage()
    args, edits = KEPT_LINES[way]

    def commit(text: str) -> Done:
        if edits:
            return place.git(*args, "-q", **editor(f'printf \'{text}\' | cat - "$1" >n && mv n "$1"'))
        return place.git(*args, "-q", "-F", "-", stdin=text.replace("\\n", "\n"))

    refused(commit("#12 mend\\n\\nDecision: DR-999\\n"), "G1", "DR-999")
    passed(commit(f"#12 mend\\n\\nDecision: {records.adopted}\\n"))
    assert place.message().startswith(f"#12 mend\n\nDecision: {records.adopted}")


def test_the_subject_below_a_comment_is_no_link(place: Place, records: Records, editor: Editor) -> None:
    """Git drops the comment, and the line that looked like a link becomes the subject."""
    place.policy()
    place.stage()
    text = f"# a comment\\n\\nDecision: {records.adopted}\\n"

    done = place.git("commit", "-q", **editor(f'printf \'{text}\' | cat - "$1" >n && mv n "$1"'))

    refused(done, "G8")


def test_comments_that_are_stripped_without_an_editor_are_no_subject(place: Place, records: Records) -> None:
    """`--cleanup=strip` drops them from what `-m` says, too."""
    place.policy()
    place.stage()

    refused(place.git("commit", "-qm", "# c", "-m", f"Decision: {records.adopted}", "--cleanup=strip"), "G8")


SCISSORS = "# ------------------------ >8 ------------------------"


@pytest.mark.parametrize("setting", ["core.eol=lf", "commit.cleanup=scissors", "commit.verbose=true"])
def test_scissors_cut_only_where_git_cuts(place: Place, records: Records, setting: str) -> None:
    """Without an editor what is below the line counts as git keeps it: only `commit.verbose` cuts it."""
    place.policy()
    place.stage()
    form = f"s\n\n{SCISSORS}\nDecision: {{}}\n"
    args = ("-c", setting, "commit", "-qF", "-")
    cuts = setting == "commit.verbose=true"

    refused(place.git(*args, stdin=form.format("DR-999")), "G8" if cuts else "G1")
    good = place.git(*args, stdin=form.format(records.adopted))

    if cuts:
        refused(good, "G8")
    else:
        passed(good)
        assert place.message() == form.format(records.adopted).rstrip()


def test_scissors_that_somebody_typed_cut_nothing(place: Place, editor: Editor) -> None:
    """In an editor they are one more comment, unless the diff or `--cleanup=scissors` was asked for."""
    place.stage()
    text = f"s\\n\\n{SCISSORS}\\nDecision: DR-999\\n"

    done = place.git("commit", "-q", **editor(f'printf \'{text}\' | cat - "$1" >n && mv n "$1"'))

    refused(done, "G1", "DR-999")


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="command lines cannot be seen here")
@pytest.mark.parametrize("args", ["-t tp", "-at tp", "-ttp", "--template=tp", "--templ tp"])
def test_an_untouched_template_of_one_command_makes_no_commit(
    place: Place, records: Records, args: str
) -> None:
    """`git commit -t FILE` is known like the setting, from any folder."""
    place.link(records.adopted)
    place.write("src/tp", "Why:\n")
    place.stage()

    done = place.git("-C", "src", "commit", *args.split(), GIT_EDITOR="true")

    assert done.exit_code != 0
    assert place.message() == "base"


def test_a_merge_is_helped_by_a_line_in_its_message(place: Place, records: Records) -> None:
    """The branch's link does not count for it, and the hint does not say so."""
    place.policy()
    place.link(records.adopted)
    place.do("branch", "other")
    for branch, text in (("main", "x = 3\n"), ("other", "x = 4\n")):
        place.do("switch", "-q", branch)
        place.stage("src/app.py", text)
        place.do("commit", "-qnm", branch)
    place.git("merge", "-q", "main")
    place.stage("src/app.py", "x = 5\n")
    place.link(records.adopted)

    done = place.git("commit", "-qm", "merged")

    refused(done, "G8")
    assert "git decide link" not in done.stderr
    assert "hint: a line in the message: Decision: " in done.stderr
    passed(place.commit("merged", f"Decision: {records.adopted}"))
