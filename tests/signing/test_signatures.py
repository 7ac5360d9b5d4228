"""What counts where the policy asks for signatures: the same in show, gate, verify, pre-receive and fsck."""

import os
import re
import subprocess
from collections.abc import Callable

import pytest

from gitdecide.git.run import Git
from tests.conftest import run_git
from tests.signing.conftest import LOG, Signing

FAULT = "its commit is not signed, and Ada has a key"


@pytest.fixture
def apart(ada: Signing) -> Callable[[Callable[[], object], Callable[[], object]], str]:
    """Do two things on the log as it is, neither knowing of the other, and merge; the merge is signed."""

    def done(one: Callable[[], object], other: Callable[[], object]) -> str:
        base = ada.tip
        one()
        first = ada.tip
        ada.git("update-ref", LOG, base)
        other()
        merge(ada, first, ada.tip)
        return ada.tip

    return done


def merge(signing: Signing, published: str, own: str) -> None:
    """The union of logs, as sync makes it."""
    from gitdecide.git.plumbing import Plumbing
    from gitdecide.store.merge import merge as merged

    with Plumbing(Git(signing.path, os.environ)) as objects:
        commit = merged(objects.git, objects, published, own, "merge")
    signing.git("update-ref", LOG, commit)


def test_a_signed_entry_counts(ada: Signing) -> None:
    """What the actor's key signed is an entry like any other, and show says that signatures were checked."""
    ada.vote()
    shown = ada("show", "DR-1").stdout

    assert "votes: 1 support" in shown
    assert "Signatures were checked" in shown
    assert (ada.uncounted(), ada.findings()) == ([], [])


@pytest.mark.parametrize("key", [None, "mallory"])
def test_an_unsigned_or_foreign_entry_does_not_count(ada: Signing, key: str | None) -> None:
    """It is shown with a warning and is a finding of its commit and path; the record lives on behind it."""
    forged = ada.unasked(*ada.voting("forged"), key=key)
    commit = ada.tip
    with_key = f"its commit is signed with {ada.keys.fingerprint('mallory')}, which is no key of Ada"
    why = with_key if key else FAULT

    shown = ada.shown()
    assert (ada.uncounted(), shown["tally"], shown["status"]) == ([forged], {}, "open")
    assert shown["warnings"] == [f"the vote {forged} by Ada does not count: {why}"]
    [finding] = ada.findings()
    assert (finding["kind"], finding["commit"], finding["message"]) == ("signature", commit, why)
    assert finding["path"].endswith(f"/vote-{forged}.yaml")
    assert ada("fsck").exit_code == 4
    ada.sign("ada")
    good = ada.vote("signed")
    assert (ada.uncounted(), ada.shown()["tally"]) == ([forged], {"support": 1})
    assert [entry["after"] for entry in ada.shown()["entries"] if entry["id"] == good] == [[forged]]
    assert len(ada.findings()) == 1


def test_a_writer_is_told_before_it_writes_what_would_not_count(ada: Signing) -> None:
    """An actor with a key, where git would not sign: exit 3 and the setting to change, nothing written."""
    ada.sign(None)
    before = ada.tip
    done = ada(*ada.voting())

    assert done.exit_code == 3
    assert done.stderr == (
        "error: entries of Ada need a signature, and git would not sign here\n"
        "hint: git config commit.gpgsign true\n"
    )
    assert ada.tip == before


def test_what_another_key_signs_is_not_written(ada: Signing) -> None:
    """Who signs with a key that is not the actor's hears so at once: exit 3, and nothing was written."""
    ada.sign("mallory")
    before = ada.tip
    for words in (
        ada.voting(),
        ("ask", "Another?"),
        ("actor", "add", "Ada", "--key", ada.keys.public("mallory")),
    ):
        done = ada(*words)

        assert (done.exit_code, done.stdout, ada.tip) == (3, "", before), words
        said = f"its commit is signed with {ada.keys.fingerprint('mallory')}, which is no key of Ada"
        assert done.stderr.startswith(f"error: the entry would not count: {said}\nhint: user.signingkey ")
    ada.ok("vote", "DR-1", "inform", "-m", "x", "--as", "bob")


def test_what_provably_came_before_the_first_key_needs_no_signature(ada: Signing) -> None:
    """The question was asked unsigned, before Ada had a key: it counts."""
    assert ada.findings() == []
    assert ada.shown()["status"] == "open"


def test_what_was_made_beside_the_first_key_needs_a_signature(ada: Signing) -> None:
    """Of what no ancestry puts before the key nobody can say that it came before."""
    tip, first = ada.tip, ada.git("rev-parse", f"{LOG}~1")
    ada.git("update-ref", LOG, first)
    forged = ada.unasked(*ada.voting("beside"))
    merge(ada, tip, ada.tip)

    assert ada.uncounted() == [forged]
    assert [finding["kind"] for finding in ada.findings()] == ["signature"]


def test_others_who_have_no_key_need_none(ada: Signing) -> None:
    """An actor without a key is a claim as before, signed or not."""
    ada.sign(None)
    ada.vote("mine", "--as", "bob")

    assert (ada.uncounted(), ada.findings()) == ([], [])


def test_a_forged_decision_does_not_bind_and_its_successor_can(ada: Signing) -> None:
    """The gate stays shut on it; the record is open, and takes the real decision afterwards."""
    ada.ok("check", "DR-1", "--", "true")
    bind = ("bind", "DR-1", "adopt", "add it", "--read", "path:src/app.py", "--check", "last")
    forged = ada.unasked(*bind)
    linked = link(ada)

    assert (ada.uncounted(), ada.shown()["status"]) == ([forged], "open")
    done = ada("verify", linked)
    assert (done.exit_code, done.stdout.startswith("refused [G2]: ")) == (1, True), done
    ada.sign("ada")
    ada.ok(*bind)
    assert ada.shown()["status"] == "decided"
    assert ada("verify", linked).exit_code == 0


def link(ada: Signing) -> str:
    """A code commit linked to DR-1; the range that holds it."""
    base = ada.git("rev-parse", "HEAD")
    (ada.path / "src" / "app.py").write_text("x = 2\n")
    name = ada.ok("list", "--json").partition('"name": "')[2].partition('"')[0]
    ada.git("commit", "-qan", "--no-gpg-sign", "-m", "code", "-m", f"Decision: {name}")
    return f"{base}..HEAD"


def test_what_rests_on_a_forged_check_does_not_count_either(ada: Signing) -> None:
    """A real decision that names a forged check binds nothing, and the record is not spoiled for ever."""
    forged = ada.unasked("check", "DR-1", "--", "true")
    ada.policy("signed: false\n")
    ada.sign("ada")
    bind = ("bind", "DR-1", "adopt", "add it", "--read", "path:src/app.py", "--check", "last")
    resting = ada.ok(*bind)
    ada.policy()

    assert (ada.uncounted(), ada.shown()["status"]) == ([forged, resting], "open")
    assert f"{resting} by Ada does not count: it rests on what does not count: breaks R3" in str(ada.shown())
    assert ada(*bind).stderr.endswith(
        f"has no check\nhint: git decide check {ada.shown()['name']} -- COMMAND\n"
    )
    ada.ok("check", "DR-1", "--", "true")
    ada.ok(*bind)
    assert ada.shown()["status"] == "decided"


def test_a_forged_question_damages_its_own_record_alone(ada: Signing) -> None:
    """Nobody asked it: exit 4 and a reason; other records go on, and the list shows both."""
    name = ada.unasked("ask", "Give Mallory the keys?")
    done = ada("show", name)

    assert done.exit_code == 4
    assert "warning: damaged: question-" in done.stderr
    assert FAULT in done.stderr
    ada.sign("ada")
    ada.vote()
    assert ada("list").stdout.count("DR-00") == 2
    assert ada.shown()["status"] == "open"


def test_an_entry_that_somebody_adds_again_keeps_its_signature(ada: Signing) -> None:
    """A forger cannot hide a signed entry behind an unsigned commit that adds the same file."""
    base = ada.tip
    ada.vote()
    signed = ada.tip
    tree = ada.git("rev-parse", f"{signed}^{{tree}}")
    again = ada.git("-c", "commit.gpgsign=false", "commit-tree", "-p", base, "-m", "again", tree)
    for tips in ((again, signed), (signed, again)):
        both = ada.git("commit-tree", "-p", tips[0], "-p", tips[1], "-m", "merge", tree)
        ada.git("update-ref", LOG, both)
        assert ada.uncounted() == []


def test_a_signature_stands_for_no_other_commit(ada: Signing) -> None:
    """A signed commit that was rewritten carries a signature that is not valid."""
    vote = ada.vote()
    raw = ada.git("cat-file", "commit", LOG)
    forged = run_git(ada.path, "hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{raw} rewritten\n")
    ada.git("update-ref", LOG, forged)

    assert ada.uncounted() == [vote]
    assert ada.findings()[0]["message"] == "the signature of its commit is not valid, and Ada has a key"


def test_a_key_is_changed_by_the_key_before(ada: Signing) -> None:
    """After a change signed with the old key both sign: what the old one signed still counts."""
    ada.vote("with the old")
    ada.ok("actor", "add", "Ada", "--key", ada.keys.public("ada-new"))
    ada.sign("ada-new")
    ada.vote("with the new")

    assert (ada.uncounted(), ada.findings()) == ([], [])
    assert ada.keys.fingerprint("ada-new") in ada.ok("actor", "list")


@pytest.mark.parametrize("signer", [None, "mallory"])
def test_a_forger_gives_nobody_another_key(ada: Signing, signer: str | None) -> None:
    """A key set without the old one does not count, nor what it signs; the actor stays as it was."""
    ada.unasked("actor", "add", "Ada", "--key", ada.keys.public("mallory"), "--agent", key=signer)
    forged = ada.unasked(*ada.voting("forged"), key="mallory")

    assert ada.uncounted() == [forged]
    assert [finding["kind"] for finding in ada.findings()] == ["signature", "signature"]
    listed = ada("actor", "list")
    assert f"Ada  human  ada@example.com  {ada.keys.fingerprint('ada')}" in listed.stdout
    assert "warning: does not count: actors/Ada/actor-" in listed.stderr
    ada.sign("ada")
    ada.ok("actor", "add", "Ada", "--icon", "A")
    assert len(ada.findings()) == 2
    assert ada.keys.fingerprint("ada") in ada.ok("actor", "whoami")


def test_a_name_without_a_key_says_nothing_of_one_that_has_it(ada: Signing) -> None:
    """An unsigned entry by a newcomer about bob does not count; what Ada, who has a key, says of him does."""
    ada.ok("actor", "add", "bob", "--key", ada.keys.public("ada-new"))
    ada.unasked("actor", "add", "bob", "--icon", "X", "--as", "eve")
    assert len(ada.findings()) == 1
    ada.sign("ada")
    ada.ok("actor", "add", "bob", "--model", "m")

    assert len(ada.findings()) == 1


def test_a_first_key_that_is_said_by_somebody_with_a_key_is_signed(ada: Signing) -> None:
    """Nobody gives an actor its first key in Ada's name."""
    ada.unasked("actor", "add", "bob", "--key", ada.keys.public("mallory"))

    assert "bob" not in ada.ok("actor", "list")
    assert [finding["path"].split("/")[1] for finding in ada.findings()] == ["bob"]


def test_first_keys_that_two_clones_set_apart_both_stand(ada: Signing, apart: Callable[..., str]) -> None:
    """What either signs counts once they are merged; it is a fault until each key has given the other."""
    ada.policy("signed: false\n")

    def by(key: str) -> Callable[[], None]:
        def speak() -> None:
            ada.sign(key)
            ada.ok("actor", "add", "bob", "--key", ada.keys.public(key), "--as", "bob")
            ada.vote(key, "--as", "bob")

        return speak

    apart(by("ada-new"), by("mallory"))
    ada.policy()
    said = f"the first keys of bob were set apart, and do not vouch for each other: {_both(ada)}"
    assert (ada.uncounted(), [finding["message"] for finding in ada.findings()]) == ([], [said])
    assert f"warning: {said}\n" in ada("show", "DR-1").stderr
    assert f"warning: {said}\n" in ada("actor", "list").stderr

    for key, other in (("mallory", "mallory"), ("mallory", "ada-new"), ("ada-new", "ada-new")):
        ada.sign(key)
        ada.ok("actor", "add", "bob", "--key", ada.keys.public(other), "--as", "bob")
        assert [finding["message"] for finding in ada.findings()] == [said], "none of the two alone is enough"
    ada.ok("actor", "add", "bob", "--key", ada.keys.public("mallory"), "--as", "bob")

    assert (ada.uncounted(), ada.findings()) == ([], [])
    assert ada("actor", "list").stderr == ""


def _both(ada: Signing) -> str:
    return ", ".join(sorted(ada.keys.fingerprint(key) for key in ("ada-new", "mallory")))


def test_openpgp_keys_are_known_by_their_fingerprint(ada: Signing) -> None:
    """A key that gpg signs with counts by its fingerprint, spelled as gpg prints it."""
    spaced = " ".join(ada.keys.openpgp[place : place + 4] for place in range(0, 40, 4)).lower()
    ada.ok("actor", "add", "Ada", "--key", spaced)
    ada.git("config", "gpg.format", "openpgp")
    ada.git("config", "user.signingkey", ada.keys.openpgp)
    ada.vote()

    assert (ada.uncounted(), ada.findings()) == ([], [])
    assert ada.keys.openpgp in ada.ok("actor", "list")


def test_a_public_key_that_gpg_does_not_have_is_not_verified(
    ada: Signing, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The entry does not count, and the reason names the key that is to be imported."""
    ada.ok("actor", "add", "Ada", "--key", ada.keys.openpgp)
    ada.git("config", "gpg.format", "openpgp")
    ada.git("config", "user.signingkey", ada.keys.openpgp)
    vote = ada.vote()
    empty = tmp_path_factory.mktemp("g")
    empty.chmod(0o700)
    done = ada("show", "DR-1", GNUPGHOME=str(empty))

    assert f"the vote {vote} by Ada does not count" in done.stdout
    assert f"{ada.keys.openpgp[-16:]}, and git does not have that key here to verify it" in done.stdout


def test_certificates_are_known_by_the_fingerprint_that_git_tells(
    ada: Signing, script: Callable[[str], str]
) -> None:
    """With gpg.x509.program an S/MIME signature counts as its fingerprint says."""
    print_ = "0123456789ABCDEF0123456789ABCDEF01234567"
    program = script(
        "case \" $* \" in *' --verify '*)\n"
        f"echo '[GNUPG:] GOODSIG {print_} /CN=Ada'; echo '[GNUPG:] VALIDSIG {print_} 2026'\n"
        "echo '[GNUPG:] TRUST_FULLY'; exit 0;; esac\n"
        "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2\n"
        "printf -- '-----BEGIN SIGNED MESSAGE-----\\nx\\n-----END SIGNED MESSAGE-----\\n'"
    )
    ada.ok("actor", "add", "Ada", "--key", print_)
    ada.git("config", "gpg.x509.program", program)
    ada.git("config", "gpg.format", "x509")
    ada.vote()

    assert (ada.uncounted(), ada.findings()) == ([], [])


@pytest.mark.parametrize("command", [("show", "DR-1"), ("fsck",), ("list",)])
def test_without_a_program_that_verifies_nothing_passes(ada: Signing, command: tuple[str, ...]) -> None:
    """Exit 4 and one line: the answer is never that of a log without signatures."""
    ada.vote()
    ada.git("config", "gpg.ssh.program", "/nonexistent/ssh-keygen")
    done = ada(*command)

    assert (done.exit_code, done.stdout) == (4, "")
    said = r"error: the policy asks for signatures, and git cannot verify them: cannot (run|exec) '?/nonexist"
    assert re.match(said, done.stderr)


def test_the_gate_fails_closed_without_a_program_that_verifies(ada: Signing) -> None:
    """The gate ends with exit 4 rather than with an answer."""
    ada.vote()
    linked = link(ada)
    ada.git("config", "gpg.ssh.program", "/nonexistent/ssh-keygen")

    assert ada("verify", linked).exit_code == 4


def test_a_policy_that_asks_later_judges_what_was_proved_before(ada: Signing) -> None:
    """What is kept of fsck is proved anew when signatures are asked for, and when a key changes."""
    ada.policy("signed: false\n")
    ada.sign(None)
    ada.vote()
    assert ada.findings() == []
    ada.policy()

    assert [finding["message"] for finding in ada.findings()] == [FAULT]
    ada.policy("signed: false\n")
    assert ada.findings() == []


def test_the_judgement_has_a_name_that_changes_with_the_keys(ada: Signing) -> None:
    """Caches of records hold as long as `judged_by` is the same; it is empty where nothing is asked."""
    first = judged_by(ada)
    ada.vote()
    assert judged_by(ada) == first != ""
    ada.ok("actor", "add", "Ada", "--key", ada.keys.public("ada-new"))
    assert judged_by(ada) not in (first, "")
    ada.policy("signed: false\n")
    assert judged_by(ada) == ""


def judged_by(signing: Signing) -> str:
    from gitdecide.app import App

    app = App(os.environ, signing.path)
    try:
        return app.log.snapshot().judged_by
    finally:
        app.close()


@pytest.mark.parametrize("words", [("show", "DR-1"), ("list",), ("vote", "DR-1", "inform", "-m", "x")])
def test_without_the_policy_no_process_is_started_for_it(
    ada: Signing, processes: Callable[..., list[str]], words: tuple[str, ...]
) -> None:
    """A log with keys costs what one without costs, until the policy asks."""
    ada.sign(None)
    ada.policy("signed: false\n")
    without = processes(ada, *words)
    assert not [line for line in without if "--full-history" in line or "allowedSigners" in line]
    ada.policy()
    ada.sign("ada")
    asked = processes(ada, *words)
    assert [line for line in asked if "--full-history" in line]


def test_one_record_costs_one_walk_and_one_verification(
    ada: Signing, processes: Callable[..., list[str]]
) -> None:
    """However many entries it has, and however many other records there are."""
    for number in range(3):
        ada.vote(f"vote {number}")
    started = processes(ada, "show", "DR-1")

    assert sum("--full-history" in line for line in started) == 1, started
    assert sum("allowedSigners" in line for line in started) == 1, started


def test_a_log_whose_actors_have_no_keys_costs_nothing(
    ada: Signing, processes: Callable[..., list[str]]
) -> None:
    """The policy alone starts nothing: only a key makes a signature owed."""
    ada.git("update-ref", LOG, f"{LOG}~1")
    started = processes(ada, "show", "DR-1")

    assert not [line for line in started if "--full-history" in line or "allowedSigners" in line]


@pytest.fixture
def server(ada: Signing) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Push to a bare repository with the hook of a server, whose policy asks for signatures."""
    home = ada.path.parent / "server.git"
    run_git(ada.path, "clone", "-q", "--bare", ".", str(home))
    run_git(home, "fetch", "-q", str(ada.path), f"{LOG}:{LOG}")
    assert ada._decide("hooks", "install", cwd=home).exit_code == 0
    ada.git("remote", "add", "origin", str(home))

    def push(*refs: str) -> subprocess.CompletedProcess[str]:
        words = ["git", "push", "-q", "--no-verify", "origin", *(refs or [LOG])]
        return subprocess.run(words, cwd=ada.path, capture_output=True, text=True, check=False)

    return push


def test_a_server_refuses_what_is_not_signed(
    ada: Signing, server: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The policy of its default branch: a signed entry passes, a forged one is refused by its path."""
    ada.vote()
    assert server().returncode == 0
    forged = ada.unasked(*ada.voting("forged"))
    pushed = server()

    assert pushed.returncode != 0
    assert f"refused [signature]: {FAULT}: decisions/" in pushed.stderr
    assert f"vote-{forged}.yaml" in pushed.stderr


@pytest.mark.parametrize("slip", ["signd: true\n", "signed: treu\n", "code: [.\nsigned: true\n"])
def test_a_slip_in_the_policy_switches_no_signature_off(
    ada: Signing, server: Callable[..., subprocess.CompletedProcess[str]], slip: str
) -> None:
    """Neither for readers nor on a server: what cannot be read may have asked for them."""
    ada.policy(slip)
    made = server("HEAD")
    assert made.returncode == 0, made.stderr
    forged = ada.unasked(*ada.voting("forged"))
    pushed = server()
    ada.policy(slip)

    assert (pushed.returncode, "refused [signature]: " in pushed.stderr) == (1, True), pushed
    assert ada.uncounted() == [forged]


def test_a_server_takes_no_first_key_beside_one_that_it_knows(
    ada: Signing, server: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Given apart it is refused, until the key that the server knows vouches for it."""
    known = ada.tip
    ada.git("update-ref", LOG, f"{LOG}~1")
    ada.unasked("actor", "add", "Ada", "--key", ada.keys.public("ada-new"), key="ada-new")
    merge(ada, known, ada.tip)
    refused = server()
    assert (refused.returncode, "refused [signature]: " in refused.stderr) == (1, True), refused
    ada.sign("ada")
    ada.ok("actor", "add", "Ada", "--key", ada.keys.public("ada-new"))
    pushed = server()

    assert pushed.returncode == 0, pushed.stderr


def test_sync_names_what_came_unsigned(
    ada: Signing, server: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """It is merged and named with exit 4, and does not count."""
    base = ada.tip
    forged = ada.unasked(*ada.voting("forged"))
    home = ada.path.parent / "server.git"
    run_git(home, "fetch", "-q", str(ada.path), f"+{LOG}:{LOG}")
    ada.git("update-ref", LOG, base)
    ada.git("config", "--unset-all", "remote.origin.fetch")
    done = ada("sync")

    assert done.exit_code == 4
    assert f"vote-{forged}.yaml" in done.stderr
    assert ada.uncounted() == [forged]


@pytest.mark.parametrize("said", ["actor add Ada --key", "vote DR-1 abstain -m unsigned"])
def test_sync_names_what_a_forger_put_beside_the_first_key(
    ada: Signing, server: Callable[..., subprocess.CompletedProcess[str]], said: str
) -> None:
    """Branched off before the key was given: it is merged and named with exit 4, with or without a key."""
    known = ada.tip
    ada.git("update-ref", LOG, f"{LOG}~1")
    key = [ada.keys.public("mallory")] if said.endswith("--key") else []
    forged = ada.unasked(*said.split(), *key, key="mallory")
    home = ada.path.parent / "server.git"
    run_git(home, "fetch", "-q", str(ada.path), f"+{LOG}:{LOG}")
    ada.git("update-ref", LOG, known)
    ada.git("config", "--unset-all", "remote.origin.fetch")
    ada.sign("ada")
    done = ada("sync")

    assert done.exit_code == 4
    assert f"-{forged}.yaml: its commit is signed with {ada.keys.fingerprint('mallory')}" in done.stderr


def test_ancestry_is_seen_through_merges(ada: Signing, apart: Callable[..., str]) -> None:
    """What a merge brought before a first key needs no signature, and a key given before it gives another."""
    ada.policy("signed: false\n")
    ada.sign(None)
    apart(lambda: ada.vote("one", "--as", "bob"), lambda: ada.ok("ask", "Another?", "--as", "bob"))
    ada.sign("ada")
    ada.ok("actor", "add", "bob", "--key", ada.keys.public("ada"))
    apart(lambda: ada.vote("two", "--as", "bob"), lambda: ada.ok("ask", "A third?"))
    ada.ok("actor", "add", "bob", "--key", ada.keys.public("ada-new"))
    ada.sign("ada-new")
    ada.vote("three", "--as", "bob")
    ada.policy()

    assert (ada.uncounted(), ada.findings()) == ([], [])
