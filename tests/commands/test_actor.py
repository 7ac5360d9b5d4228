"""Who may speak as whom."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import ByHand, Refuses
from tests.conftest import AGENT_MARKS, Decide, GitRunner

AGENTS: dict[str, str] = dict(zip(AGENT_MARKS, ("claude-code", "codex", "cursor", "gemini-cli"), strict=True))
VOTE = ("vote", "DR-1", "inform", "-m", "why")


def kinds(decide: Decide) -> dict[str, str]:
    """What the log says of every actor."""
    return {
        actor["name"]: actor["kind"]
        for actor in json.loads(decide("actor", "list", "--json").stdout)["actors"]
    }


def whoami(decide: Decide, **environ: Any) -> dict[str, Any]:
    said = json.loads(decide("actor", "whoami", "--json", **environ).stdout)
    assert said.pop("version") == 1
    return dict(said)


def test_the_git_identity_is_a_person(decide: Decide, record: str) -> None:
    """Without a name and outside of agents, git's author speaks, and is registered as a human."""
    assert whoami(decide) == {"name": "Ada", "kind": "human", "email": "ada@example.com", "key": None}
    assert kinds(decide) == {"Ada": "human"}
    assert decide("actor", "list").stdout == "Ada  human  ada@example.com\n"


def test_whoami_needs_no_log(decide: Decide) -> None:
    """Who would speak can be asked before there is a log."""
    done = decide("actor", "whoami")

    assert (done.exit_code, done.stdout) == (0, "Ada  human  ada@example.com\n")


@pytest.mark.parametrize(("mark", "name"), AGENTS.items())
def test_in_an_agent_environment_the_agent_speaks(decide: Decide, record: str, mark: str, name: str) -> None:
    """Each known mark makes its agent the default actor."""
    environ: dict[str, Any] = {mark: "1"}
    said = {"name": name, "kind": "agent", "email": f"{name}@actor.invalid", "key": None}
    assert whoami(decide, **environ) == said
    assert decide(*VOTE, **environ).exit_code == 0
    assert kinds(decide) == {"Ada": "human", name: "agent"}


def test_names_come_in_the_order_of_how_near_they_were_said(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """--as is stronger than GIT_DECIDE_ACTOR, that than decide.actor, that than the agent environment."""
    git(repo, "config", "decide.actor", "configured")
    assert whoami(decide, CLAUDECODE="1")["name"] == "configured"
    assert whoami(decide, GIT_DECIDE_ACTOR="named", CLAUDECODE="1")["name"] == "named"
    decide(*VOTE, "--as", "said", GIT_DECIDE_ACTOR="named", CLAUDECODE="1")

    assert kinds(decide) == {"Ada": "human", "said": "agent"}


def test_a_name_is_registered_with_its_first_entry(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """Whoever is spoken for is an agent, registered once, in the commit of the first entry."""
    decide(*VOTE, "--as", "bob")
    first = git(repo, "show", "--format=", "--name-only", "refs/decisions/log").splitlines()
    decide(*VOTE, "--as", "bob")
    second = git(repo, "show", "--format=", "--name-only", "refs/decisions/log").splitlines()

    assert [path.split("/")[0] for path in first] == ["actors", "decisions"]
    assert [path.split("/")[0] for path in second] == ["decisions"]
    assert kinds(decide)["bob"] == "agent"


def test_a_person_makes_an_actor_a_human(decide: Decide, record: str) -> None:
    """What `actor add --human` says settles the kind; what is left out later stays as it was."""
    decide(*VOTE, "--as", "bob")
    first = decide("actor", "add", "bob", "--human", "--email", "bob@example.com")
    decide("actor", "add", "bob", "--display-name", "Bob")

    assert (len(first.id), first.stderr) == (40, "")
    assert decide("actor", "list").stdout == "Ada  human  ada@example.com\nbob  human  bob@example.com\n"


def test_the_first_word_about_oneself_keeps_the_kind(
    decide: Decide, log: None, repo: Path, git: GitRunner
) -> None:
    """An `actor add` of the git identity leaves it a human, and the entry registers it."""
    decide("actor", "add", "Ada", "--display-name", "Ada L.")

    assert kinds(decide) == {"Ada": "human"}
    assert len(git(repo, "show", "--format=", "--name-only", "refs/decisions/log").splitlines()) == 1


def test_actor_add_answers_programs(decide: Decide, log: None) -> None:
    """--json gives the id of the entry."""
    said = json.loads(decide("actor", "add", "bot", "--json").stdout)

    assert (said["version"], len(said["id"])) == (1, 40)


@pytest.mark.parametrize("mark", AGENT_MARKS)
@pytest.mark.parametrize("name", ["Ada", "bob"])
def test_an_agent_does_not_speak_as_a_person(
    decide: Decide, refuses: Refuses, record: str, mark: str, name: str
) -> None:
    """R7: inside an agent environment no human's name is accepted, however it is given."""
    decide("actor", "add", "bob", "--human")
    environ: dict[str, Any] = {mark: "1"}
    said = refuses(1, *VOTE, "--as", name, **environ)
    assert said.startswith(
        f"refused [R7]: inside {AGENTS[mark]} nobody speaks as {name}, who is a human\nhint: "
    )
    assert refuses(1, *VOTE, GIT_DECIDE_ACTOR=name, **environ) == said


def test_the_git_identity_is_protected_before_it_spoke(refuses: Refuses, log: None) -> None:
    """R7: its name is a person's, though the log does not know it and though the author is set otherwise."""
    environs: list[dict[str, Any]] = [
        {},
        {"GIT_AUTHOR_NAME": "x"},
        {"GIT_AUTHOR_NAME": "x", "GIT_COMMITTER_NAME": "y"},
    ]
    for environ in environs:
        said = refuses(1, "ask", "Why?", "--as", "Ada", CLAUDECODE="1", **environ)
        assert said.startswith("refused [R7]: ")


def test_a_name_in_decide_actor_is_no_way_around(
    refuses: Refuses, record: str, repo: Path, git: GitRunner
) -> None:
    """R7 holds for the configured name as for any."""
    git(repo, "config", "decide.actor", "Ada")

    assert refuses(1, *VOTE, CODEX_SANDBOX="seatbelt").startswith("refused [R7]: ")


@pytest.mark.parametrize(
    "words", [("bot", "--human"), ("claude-code", "--human"), ("Ada",), ("Ada", "--agent")]
)
def test_an_agent_makes_nobody_a_human_and_no_human_an_agent(
    refuses: Refuses, record: str, words: tuple[str, ...]
) -> None:
    """R7: inside an agent environment no kind of a person is changed, under any name."""
    for speaker in ((), ("--as", "other-bot")):
        assert refuses(1, "actor", "add", *words, *speaker, CLAUDECODE="1").startswith("refused [R7]: ")


def test_a_file_is_no_way_to_become_human(refuses: Refuses, record: str) -> None:
    """R7 holds for what -F says, and -F cannot name the speaker."""
    assert refuses(1, "actor", "add", "bot", "-F", "-", stdin=b"human: yes\n", CLAUDECODE="1").startswith(
        "refused [R7]: "
    )
    for key in ("actor", "speaker", "as"):
        said = refuses(2, *VOTE, "-F", "-", stdin=f"{key}: Ada\n".encode(), CLAUDECODE="1")
        assert said.startswith(f"error: standard input: '{key}' cannot be set here\nhint: it takes ")


def test_only_a_person_makes_a_human(refuses: Refuses, record: str) -> None:
    """R7: outside of agents too, whoever is spoken for stays an agent."""
    assert refuses(1, "actor", "add", "bot", "--human", "--as", "bot").startswith(
        "refused [R7]: bot is an agent"
    )


def test_where_actor_heads_disagree_the_agent_wins(
    decide: Decide, record: str, repo: Path, git: GitRunner
) -> None:
    """Two clones that said different things of one actor make it an agent until a person settles it."""
    base = git(repo, "rev-parse", "refs/decisions/log")
    decide("actor", "add", "bob", "--human")
    human = git(repo, "rev-parse", "refs/decisions/log")
    git(repo, "update-ref", "refs/decisions/log", base)
    decide("actor", "add", "bob", "--agent")
    merged = git(repo, "merge-tree", "--write-tree", "refs/decisions/log", human)
    commit = git(repo, "commit-tree", "-m", "merge", "-p", "refs/decisions/log", "-p", human, merged)
    git(repo, "update-ref", "refs/decisions/log", commit)

    assert kinds(decide)["bob"] == "agent"
    decide("actor", "add", "bob", "--human")
    assert kinds(decide)["bob"] == "human"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "is blank"),
        ("  ", "is blank"),
        (" bob", "begins or ends with a blank"),
        ("a" * 101, "is longer than 100 characters"),
        ("a<b", "has control characters, line breaks or angle brackets"),
        ("a\nb", "has control characters, line breaks or angle brackets"),
        ("\x1b[2J", "has control characters, line breaks or angle brackets"),
        ("a\u2028b", "has control characters, line breaks or angle brackets"),
        ("\udcff", "is not UTF-8"),
    ],
)
def test_a_name_that_no_actor_can_have(refuses: Refuses, record: str, name: str, problem: str) -> None:
    """Names are one line that can be told apart, in --as and in actor add alike."""
    for words in ((*VOTE, "--as", name), ("actor", "add", name)):
        said = refuses(2, *words)
        assert said == f"error: the actor's name {name!a} {problem}\n"


@pytest.mark.parametrize(
    "name", ["a" * 100, "ü" * 100, ".hidden", "a/../b", "a b@c", "-x", "Zoë \U0001f600", "%41"]
)
def test_names_may_hold_what_paths_do_not(decide: Decide, record: str, name: str) -> None:
    """Any other name is an actor, found again under exactly that name."""
    assert decide(*VOTE, f"--as={name}").exit_code == 0
    assert kinds(decide) == {"Ada": "human", name: "agent"}


def test_decomposed_names_are_composed(decide: Decide, record: str) -> None:
    """Two spellings of one name in Unicode are one actor."""
    decide(*VOTE, "--as", "Zoe\u0308")
    decide(*VOTE, "--as", "Zo\u00eb")

    assert kinds(decide) == {"Ada": "human", "Zo\u00eb": "agent"}


def test_git_author_variables_count(decide: Decide, log: None) -> None:
    """The git identity is git's, variables and all."""
    decide("ask", "Why?", GIT_AUTHOR_NAME="Bob", GIT_AUTHOR_EMAIL="bob@example.com")

    assert decide("actor", "list").stdout == "Bob  human  bob@example.com\n"


@pytest.mark.parametrize("words", [("ask", "Why?"), ("ask", "Why?", "--as", "bot"), ("actor", "add", "bot")])
def test_without_an_identity_git_has_the_word(
    refuses: Refuses, log: None, sealed: Path, words: tuple[str, ...]
) -> None:
    """No identity: git's own message and advice, exit 3, and nothing is written."""
    (sealed / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    said = refuses(3, *words)

    assert said.startswith(
        "error: no email was given and auto-detection is disabled\nhint: git config --global "
    )


@pytest.mark.parametrize(
    ("config", "exit_code", "said"),
    [
        ("name = A <b> c\n\temail = a@b", 0, "A b c  human  a@b"),
        ('name = "  "\n\temail = a@b', 3, "error: name consists only of disallowed characters"),
        ('name = Ada\n\temail = ""', 0, "Ada  human  Ada@actor.invalid"),
        ('name = "a\\tb"\n\temail = a@b', 3, "error: the git identity 'a\\tb' has control characters"),
        (f"name = {'a' * 101}\n\temail = a@b", 3, f"error: the git identity '{'a' * 101}' is longer"),
        ("name = Zoe\u0308\n\temail = a@b", 0, "Zo\u00eb  human  a@b"),
        ("useConfigOnly = true\n\tname = Ada", 3, "error: no email was given and auto-detection is disabled"),
    ],
)
def test_odd_identities_are_cleaned_as_git_does_or_refused(
    decide: Decide, log: None, sealed: Path, config: str, exit_code: int, said: str
) -> None:
    """What git makes of a name is the name; what no actor can be called is refused in one line."""
    (sealed / ".gitconfig").write_text(f"[user]\n\t{config}\n")
    done = decide("actor", "whoami")

    assert done.exit_code == exit_code
    assert (done.stdout + done.stderr).startswith(said)


def test_the_name_of_a_cleaned_identity_is_protected_too(refuses: Refuses, log: None, sealed: Path) -> None:
    """R7: what git takes off a name does not make it another's."""
    (sealed / ".gitconfig").write_text("[user]\n\tname = A <b> c.\n\temail = a@b\n")

    assert refuses(1, "ask", "Why?", "--as", "A b c", CLAUDECODE="1").startswith("refused [R7]: ")


def test_a_failed_signature_ends_the_command(
    refuses: Refuses, record: str, repo: Path, git: GitRunner
) -> None:
    """Where git signs and cannot, nothing is written."""
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "gpg.program", "false")

    for words in (VOTE, ("ask", "Why?"), ("actor", "add", "bot"), ("check", "DR-1", "-c", "true")):
        assert refuses(3, *words).startswith("error: signing failed: gpg failed to sign the data")


def test_a_damaged_actor_entry_is_named(decide: Decide, record: str, by_hand: ByHand) -> None:
    """A file that is no actor's is said to be damaged, and the others are listed."""
    file = by_hand("actors/Ada/actor-{id}.yaml", "type: actor\n")
    done = decide("actor", "list")

    assert (done.exit_code, done.stdout) == (0, "Ada  human  ada@example.com\n")
    assert done.stderr.startswith(f"warning: damaged: {file}: ")


def test_a_damaged_actor_is_no_way_round(
    decide: Decide, record: str, by_hand: ByHand, repo: Path, git: GitRunner
) -> None:
    """R7: of a name whose file is damaged an agent cannot say that it is no human's; a person goes on."""
    assert decide("actor", "add", "zed", "--human").exit_code == 0
    by_hand("actors/zed/actor-{id}.yaml", "type: [")
    words = ("vote", record, "abstain", "-m", "x", "--as", "zed")

    assert decide(*words, CLAUDECODE="1").exit_code == 1
    assert decide(*words).exit_code == 0
