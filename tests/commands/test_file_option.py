"""-F: what is said comes from a file, and no shell has to be quoted for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.conftest import Refuses, Shown
from tests.conftest import Decide

BENT = [
    "no", "on", "NO", "y", "1.10", "0012", "0089", "10:30", "1_000", "2024-01-15", "~", "null", "=", "<<",
    "1e3", "0x1F", ".5", ".inf", "- dash", "key: value", "a # b", "#\ufe0f\u20e3 keycap", "@handle", "`x`",
    "%TAG", "!!tag", "&anchor", "*alias", "|", ">", "{a: b}", "[a]", "---", "...", "'", '"', "\\", "\\n",
    "$(date)", "$HOME", "a  b", "  leading", "trailing  ", "\ttab", "two\nlines", "line end\n",
    "\n\nblank first", "a\u2028b", "a\u0085b", "\U0001f600", "\ufeffbom", "\u202etxet", "e\u0301", "a\rb",
    "a\x1b[2Jb", "a\x7fb", "a\x00b", "x: |\n  y",
]  # fmt: skip
"""Words that YAML, shells and terminals bend; NUL has no place on a command line."""


@pytest.fixture
def reasons(decide: Decide, shown: Shown, record: str) -> Callable[[], list[str]]:
    """What every vote of the record says."""
    return lambda: [entry["reason"] for entry in shown(record)["entries"] if entry["type"] == "vote"]


def test_words_come_back_as_they_were_typed(decide: Decide, record: str, shown: Shown) -> None:
    """From the command line, through storage, to --json: the same text, whatever it looks like."""
    words = [word for word in BENT if "\0" not in word]
    name = decide("ask", *(part for word in words for part in ("--context", word)), "--", "-?").id

    question = shown(name)["entries"][0]
    assert (question["question"], question["context"]) == ("-?", words)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_words_come_back_as_a_file_has_them(decide: Decide, record: str, shown: Shown, form: str) -> None:
    """From JSON and from YAML's quotes, through storage, to --json."""
    text = json.dumps({"question": "no", "context": BENT, "options": ["1.10", "on"]})
    if form == "yaml":  # JSON's strings are YAML's, but for the escaped halves of a character
        text = "# options\n" + json.dumps(json.loads(text), ensure_ascii=False)
        text = text.translate({ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\ufeff"})
    question = shown(decide("ask", "-F", "-", stdin=text.encode()).id)["entries"][0]

    assert (question["question"], question["context"]) == ("no", BENT)
    assert question["options"] == ["1.10", "on"]


def test_plain_words_of_yaml_are_text(decide: Decide, record: str, shown: Shown) -> None:
    """Nothing is guessed: what stands there is what is said."""
    lines = ["no", "1.10", "0012", "10:30", "2024-01-15", "~", "null", "1e3", "0x1F", "="]
    text = "question: NO\ncontext:\n" + "".join(f"- {line}\n" for line in lines)
    question = shown(decide("ask", "-F", "-", stdin=text.encode()).id)["entries"][0]

    assert (question["question"], question["context"]) == ("NO", lines)


def test_a_file_is_found_from_where_one_stands(
    decide: Decide, record: str, repo: Path, reasons: Callable[[], list[str]]
) -> None:
    """FILE is a path from the current folder."""
    (repo / "src" / "said.yaml").write_text(
        "stance: inform\nreason: |\n  two\n  lines\nread: [src/app.py, app.py]\n"
    )
    done = decide("vote", record, "-F", "said.yaml", cwd=repo / "src")

    assert done.stderr.startswith("error: nobody can have read src/app.py")
    (repo / "src" / "said.yaml").write_text("stance: inform\nreason: |\n  two\n  lines\nread: [app.py]\n")
    assert decide("vote", record, "-F", "said.yaml", cwd=repo / "src").exit_code == 0
    assert reasons() == ["two\nlines\n"]


def test_the_command_line_wins(decide: Decide, record: str, shown: Shown) -> None:
    """What is typed takes the place of what the file says, value by value."""
    text = b"stance: oppose\nreason: from the file\nread: ['pr:1', 'pr:2']\nconfidence: 0.5\n"
    decide("vote", record, "inform", "-F", "-", "--read", "pr:3", stdin=text)

    vote = shown(record)["entries"][-1]
    assert (vote["stance"], vote["reason"], vote["read"]) == ("inform", "from the file", [{"pr": "3"}])
    assert vote["confidence"] == 0.5


WRITERS = {
    ("ask",): {
        "question": "Why?", "job": "j", "context": ["c"], "options": ["o"], "governs": ["g"], "links": ["l"],
    },
    ("vote", "DR-1"): {"stance": "oppose", "reason": "r", "not_checked": ["CI"], "model": "m"},
    ("challenge", "DR-1"): {"claim": "not so"},
    ("actor", "add", "bot"): {
        "display_name": "Bot", "email": "b@x", "icon": "!", "key": "0" * 40, "model": "m",
    },
    ("bind", "DR-1"): {
        "outcome": "adopt", "decision": "d", "changes_code": False, "rationale": "r", "dissent": "e",
    },
    ("check", "DR-1"): {
        "command": ["true", "-x"], "exit_code": 0, "premise": "p", "note": "n", "holds_on": [0, 2],
    },
    ("check", "DR-001"): {"command": "exit 1", "exit_code": 1, "fails_on": [1]},
}  # fmt: skip


@pytest.mark.parametrize(("words", "fields"), WRITERS.items(), ids=map("-".join, WRITERS))
@pytest.mark.usefixtures("log")
def test_every_writer_takes_a_file(
    decide: Decide, git: Callable[..., str], repo: Path, words: tuple[str, ...], fields: dict[str, object]
) -> None:
    """All that a writer says can come from JSON, under the names that entries use."""
    decide("ask", "First?")
    read = {"read": ["src/app.py"]} if words[0] == "bind" else {}
    done = decide(*words, "-F", "-", stdin=json.dumps({**fields, **read}).encode())

    assert done.exit_code == 0, done.stderr
    entry = git(repo, "show", "refs/decisions/log")
    for key, value in fields.items():
        for word in value if isinstance(value, list) else [value]:
            assert key in entry
            assert (str(word).lower() if isinstance(word, bool) else str(word)) in entry


def test_answers_and_changes_take_a_file_too(decide: Decide, record: str, shown: Shown) -> None:
    """The id of what is answered, and the reason of a change."""
    challenge = decide("challenge", record, "not so").id
    text = json.dumps({"to": challenge[:8], "outcome": "reject", "reason": "it is"})
    assert decide("answer", record, "-F", "-", stdin=text.encode()).exit_code == 0
    decide("bind", record, "reject", "no", "--read", "src/app.py")
    text = json.dumps(
        {
            "read": ["src/app.py"],
            "outcome": "defer",
            "decision": "later",
            "reason": "time",
            "answers": [challenge],
        }
    )
    assert decide("supersede", record, "-F", "-", stdin=text.encode()).exit_code == 0

    assert [entry["type"] for entry in shown(record)["entries"]][2:] == ["answer", "decision", "decision"]
    assert shown(record)["entries"][-1]["reason"] == "time"


UNSAYABLE = [
    "actor", "at", "qid", "after", "source", "result", "commit", "clean", "output", "output_sha256",
    "output_bytes", "imported", "duration_ms", "cwd", "repeats", "name", "type", "timeout", "no_output",
    "by_result", "shell", "as_json", "file", "dry_run", "nonsense",
]  # fmt: skip


@pytest.mark.parametrize("key", UNSAYABLE)
def test_what_a_file_may_not_say(refuses: Refuses, key: str) -> None:
    """Who, when, and what only a run can know are not said by a file; unknown keys are errors."""
    for words in (("check", "DR-1", "-c", "true"), ("bind", "DR-1", "adopt", "x")):
        said = refuses(2, *words, "-F", "-", stdin=f"{key}: x\n".encode())
        assert said.startswith(f"error: standard input: '{key}' cannot be set here\nhint: it takes ")


def test_a_check_in_a_file_is_reported(
    decide: Decide, refuses: Refuses, record: str, shown: Shown, repo: Path
) -> None:
    """A command that a file names is never run."""
    text = {"command": ["touch", "ran"], "exit_code": 0}
    decide("check", record, "-F", "-", stdin=json.dumps(text).encode())

    check = shown(record)["entries"][-1]
    assert (check["source"], check["result"], check["command"]) == ("reported", "holds", ["touch", "ran"])
    said = refuses(2, "check", record, "-F", "-", stdin=b"command: touch ran\n")
    assert said == "error: a check given with -F is reported: it needs exit_code, or not_applicable\n"
    assert not (repo / "ran").exists()


def test_a_check_that_is_typed_runs_with_the_words_of_a_file(
    decide: Decide, record: str, shown: Shown
) -> None:
    """A premise that is hard to quote comes from the file, the command from the command line."""
    for typed, command in ((("--", "true"), ["true"]), (("-c", "true"), "true")):
        decide("check", record, "-F", "-", *typed, stdin=b'premise: "it\'s $so"\ncommand: exit 1\n')

        check = shown(record)["entries"][-1]
        assert (check["source"], check["result"], check["command"]) == ("ran", "holds", command)
        assert check["premise"] == "it's $so"


def test_a_file_can_say_that_no_command_applies(decide: Decide, record: str, shown: Shown) -> None:
    """not_applicable is there to be said honestly, by a file as well."""
    decide("check", record, "-F", "-", stdin=b"not_applicable: no CI at all\npremise: CI passes\n")

    check = shown(record)["entries"][-1]
    assert (check["result"], check["note"]) == ("not_applicable", "no CI at all")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"reason:\n\t- x\n", "line 2: found character that cannot start any token"),
        (b"reason: a\nreason: b\n", "line 2: the key 'reason' stands twice"),
        (b'{"reason": "a", "reason": "b"}', "the key 'reason' stands twice"),
        (b"reason: &a x\n", "line 1: anchors are not allowed"),
        (b"stance: inform\nreason: *a\n", "line 2: aliases are not allowed"),
        (b"reason: !!python/object:os.system x\n", "line 1: tags are not allowed"),
        (b"reason: !x y\n", "line 1: tags are not allowed"),
        (b"%YAML 1.1\n---\nreason: x\n", "line 1: directives are not allowed"),
        (b"reason: a\n---\nreason: b\n", "line 2: several documents"),
        (b"stance: x\nreason: a\0b\n", "line 2: raw control character U+0000"),
        (b"reason: a\x1b[2Jb\n", "line 1: raw control character U+001B"),
        (b"reason: \xed\xa0\x80\n", "line 1: not UTF-8: byte 0xed"),
        (b"a: b\nreason: \xff\n", "line 2: not UTF-8: byte 0xff"),
        (b'{"reason": "\\ud800"}', "half of a surrogate pair is not text"),
        (b"reason: " + b"x" * 10_000_000, "larger than 256 KiB"),
        (b"reason: " + b"[" * 40 + b"]" * 40, "line 1: deeper than 16 levels"),
        (b'{"reason": ' + b"[" * 4000 + b"]" * 4000 + b"}", "deeper than 16 levels"),
        (b"", "empty"),
        (b"- a\n", "not a mapping of names to values"),
        (b"reason\n", "not a mapping of names to values"),
        (b"reason: [a, b]\n", "reason takes one text"),
        (b"reason: {a: b}\n", "reason takes one text"),
        (b"read: {path: x}\n", "read takes a list of texts"),
        (b"read: [[x]]\n", "read takes a list of texts"),
        (b"{reason: x", "line "),
    ],
)  # fmt: skip
def test_what_is_not_strict_is_named_with_its_line(
    refuses: Refuses, repo: Path, text: bytes, problem: str
) -> None:
    """A file that is not strict YAML or JSON is a usage error: file, line, reason."""
    (repo / "said.yaml").write_bytes(text)
    words = ("vote", "DR-1", "inform", "-m", "x")

    assert refuses(2, *words, "-F", "said.yaml").startswith(f"error: said.yaml: {problem}")
    assert refuses(2, *words, "-F", "-", stdin=text).startswith(f"error: standard input: {problem}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"confidence: high\n", "invalid value for '--confidence': 'high' is not a valid number"),
        (b"confidence: .nan\n", "invalid value for '--confidence': '.nan' is not a valid number"),
        (b"stance: maybe\n", "invalid value for 'STANCE': 'maybe' is not one of"),
        (b"model: ''\n", "model: is blank"),
    ],
)
def test_values_of_a_file_are_judged_as_if_typed(
    refuses: Refuses, record: str, text: bytes, problem: str
) -> None:
    """What the command line would not take, a file does not bring in."""
    more = ("-m", "x") if b"stance" in text else ("inform", "-m", "x")

    assert refuses(2, "vote", record, *more, "-F", "-", stdin=text).startswith(f"error: {problem}")


@pytest.mark.parametrize(("file", "why"), [("gone", "No such file or directory"), ("src", "Is a directory")])
def test_a_file_that_cannot_be_read(refuses: Refuses, file: str, why: str) -> None:
    """A missing file is said to be missing."""
    assert (
        refuses(2, "vote", "DR-1", "inform", "-m", "x", "-F", file) == f"error: cannot read {file}: {why}\n"
    )


def test_options_can_be_named_as_they_are_typed(decide: Decide, log: None, shown: Shown) -> None:
    """`option` and `options`, `not-checked` and `not_checked`: the help says one, the entries the other."""
    name = decide("ask", "-F", "-", stdin=b"question: One?\noption: [a, b]\nlink: https://example.com/x\n").id
    decide("vote", name, "-F", "-", stdin=b"stance: inform\nreason: x\nnot-checked: tests\n")

    question, vote = shown(name)["entries"]
    assert (question["options"], question["links"]) == (["a", "b"], ["https://example.com/x"])
    assert vote["not_checked"] == ["tests"]
