"""The pages that are made of the program's own help: the reference, and the man page."""

import re
from collections.abc import Iterator
from typing import Final

import click

from gitdecide import __version__
from gitdecide.cli import SECTIONS, root

Verb = tuple[str, click.Command]

WIDTH: Final = 100

EXITS: Final = {
    "0": "done",
    "1": "refused by a rule; with check --exit-code, a premise that does not hold",
    "2": "the words of the command line, or of a file given with -F, are off",
    "3": "cannot: no repository, no log, nothing or several things of that name, nobody to speak as",
    "4": "the log is damaged where it was read",
    "70": "a bug in git-decide",
    "130": "interrupted",
    "141": "standard output was closed",
}
VARIABLES: Final = {
    "GIT_DECIDE_ACTOR": "who speaks, where --as does not say it",
    "CLAUDECODE, CODEX_SANDBOX, CURSOR_AGENT, GEMINI_CLI": "set by agents in what they start: the agent"
    " speaks, and no command accepts a human's name",
    "GIT_DECIDE_AGENT": "set by any other agent to the actor that speaks for it, with the same effect",
    "GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_DIR, GIT_PAGER": "as in git",
    "NO_COLOR": "no colour, also on a terminal",
}
SETTINGS: Final = {
    "decide.ref": "the ref that holds the log (refs/decisions/log)",
    "decide.actor": "who speaks, where neither --as nor GIT_DECIDE_ACTOR says it",
    "decide.autosync": "false keeps git push from sharing the log (true)",
    "decide.NAME.trust": "how far an actor is trusted here, as git decide trust gives it (1)",
    "advice.decide": "false leaves hints out",
}


TABLES: Final = {"exit codes": EXITS, "environment variables": VARIABLES, "settings": SETTINGS}


def verbs() -> Iterator[Verb]:
    """Every verb and the verbs below it, each with what one types for it."""
    yield "git decide", root
    for verb in root.list_commands(click.Context(root)):
        command = root.get_command(click.Context(root), verb)
        assert command is not None
        yield f"git decide {verb}", command
        if isinstance(command, click.Group):
            yield from ((f"git decide {verb} {name}", below) for name, below in command.commands.items())


def context(typed: str, command: click.Command, width: int = WIDTH) -> click.Context:
    """The context in which a command describes itself."""
    return click.Context(
        command,
        info_name=typed,
        terminal_width=width,
        max_content_width=width,
        help_option_names=["-h", "--help"],
    )


def reference() -> str:
    """docs/reference.md: what -h prints for every verb, and the tables that it has no room for."""
    parts = [
        "# Reference",
        "This page is generated: each section shows what `git decide VERB -h` prints.",
        *(f"## {typed}\n\n```text\n{context(typed, command).get_help()}\n```" for typed, command in verbs()),
        *(f"## {title.capitalize()}\n\n{_table(title, rows)}" for title, rows in TABLES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _table(title: str, rows: dict[str, str]) -> str:
    return "\n".join(
        [f"| {title} | meaning |", "|---|---|", *(f"| `{tag}` | {text} |" for tag, text in rows.items())]
    )


def man_page() -> str:
    """docs/git-decide.1: the same help in the man macros, for `git decide --help`."""
    return "\n".join(line for line in _man_lines() if line) + "\n"


def _man_lines() -> Iterator[str]:
    help_text = (root.help or "").split("\n\n")
    yield '.\\" Generated from the help of the program: python -m tests.docs.snapshots'
    yield f'.TH GIT-DECIDE 1 "" "git-decide {__version__}" "Git Manual"'
    yield from (".SH NAME", f"git\\-decide \\- {_roff(help_text[0][:1].lower() + help_text[0][1:])}")
    yield from (".SH SYNOPSIS", ".B git decide", ".I VERB", r"[\fIOPTION\fR]... [\fIARGUMENT\fR]...")
    yield ".SH DESCRIPTION"
    yield _roff(" ".join(" ".join(help_text[1:]).split()))
    yield from _paragraphs(["Without signatures a name is a claim."])
    yield from (".PP", r"\fBgit decide\fR \fIVERB\fR \fB\-h\fR explains one verb.")
    yield ".SH COMMANDS"
    for section, entries in SECTIONS.items():
        yield f".SS {_roff(section)}"
        yield from (line for verb, summary in entries.items() for line in _tagged(verb, summary))
    for typed, command in list(verbs())[1:]:
        yield from _man_verb(typed, command)
    for title, rows in TABLES.items():
        yield f".SH {title.upper()}"
        yield from (line for tag, text in rows.items() for line in _tagged(tag, text))
    yield from (".SH SEE ALSO", ".BR git (1),", ".BR git\\-config (1),", ".BR git\\-log (1)")


def _man_verb(typed: str, command: click.Command) -> Iterator[str]:
    ctx = context(typed, command)
    yield f".SH {_roff(typed.upper())}"
    usage = " ".join(command.collect_usage_pieces(ctx))
    yield rf"\fB{_roff(typed)}\fR {_roff(usage)}"
    yield from _paragraphs((command.help or "").split("\n\n"))
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
        if record:
            yield from _tagged(*record)
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from _tagged(name, below.get_short_help_str(WIDTH))


def _tagged(tag: str, text: str) -> Iterator[str]:
    yield from (".TP", rf"\fB{_roff(tag)}\fR", _roff(" ".join(text.split())))


def _paragraphs(texts: list[str]) -> Iterator[str]:
    for text in texts:
        yield from (".PP", _roff(" ".join(text.split())))


def _roff(text: str) -> str:
    """Text that means itself to roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("…", "...")
    return re.sub(r"(?m)^\.", r"\\&.", escaped)
