"""What several verbs take on their command line, and how -F stands in for it."""

import math
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from click.core import ParameterSource

from gitdecide.app import App
from gitdecide.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

C = TypeVar("C", bound=Callable[..., Any])


class Number(click.FloatRange):
    """A number within bounds: nan is within none, though it compares as if it were."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises click's usage error."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid number", param, ctx)
        return number


def day(text: str) -> str:
    """A day of the calendar, in the one form that the log takes. Raises click's usage error."""
    with suppress(ValueError):
        if date.fromisoformat(text).isoformat() == text:
            return text
    raise click.BadParameter(f"{text!r} is not a day, such as 2026-10-19")


NO_FIELDS: Final = frozenset(
    {"name", "speaker", "as_json", "file", "dry_run", "timeout", "no_output", "by_result", "shell"}
    | {"body_file", "from_ledger"}
)
"""What -F cannot set: it holds what an entry says, not how the command behaves."""

ROLES: Final = ("proponent", "opponent", "arbitrator", "participant")
"""What a participant speaks as in a debate."""

_FILE: Final = "gitdecide.file"

pass_app = click.make_pass_decorator(App)


def complete_record(ctx: click.Context, param: click.Parameter, typed: str) -> "list[CompletionItem]":
    """The records whose names begin so, for shells; none where there is no log, and no word about it."""
    from click.shell_completion import CompletionItem

    from gitdecide.work.completing import names

    app = ctx.ensure_object(App)
    app.log.arrivals = None  # a key that is pressed moves no ref
    return [CompletionItem(name, help=question) for name, question in names(app.log, app.index, typed)]


record_argument = click.argument("name", metavar="DR", shell_complete=complete_record)
json_option = click.option("--json", "as_json", is_flag=True, help="Print for programs")
read_option = click.option(
    "--read",
    multiple=True,
    metavar="WHAT",
    help="What you read: PATH, PATH:10-40, PATH@REV, message:ID, https://…",
)
confidence_option = click.option("--confidence", type=Number(0, 1), metavar="0..1", help="How sure you are")


_SETTLED_OPTIONS: Final = (
    click.option(
        "--settled",
        type=click.Choice(["user-directed", "user-approved"]),
        help="A person's examined choice, and how it was made",
    ),
    click.option("--over", metavar="ALTERNATIVE", help="The option, challenge or turn that was not chosen"),
    click.option("--because", metavar="REASON", help="Why the person chose, on one line"),
    click.option("--by", metavar="HUMAN", help="The person that an agent records it for"),
    click.option("--said", metavar="QUOTE", help="What that person said"),
)


class Writing(click.Command):
    """A verb that writes an entry: it takes --as, --json and -F."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param, click.Option) and param.multiple:
                param.help = f"{param.help}; repeatable"
        self.params += [
            click.Option(
                ["--as", "speaker"],
                metavar="NAME",
                help="Speak as this actor",
                expose_value=False,
                callback=_speak_as,
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="Print for programs"),
            click.Option(
                ["-F", "--file", "file"],
                metavar="FILE",
                is_eager=True,
                expose_value=False,
                callback=_fill_from_file,
                help="Take what is said from a YAML or JSON file, - for standard input",
            ),
        ]

    @property
    def fields(self) -> dict[str, click.Parameter]:
        """What -F may set, by the names that entries use."""
        return {param.name: param for param in self.params if param.name and param.name not in NO_FIELDS}

    def accept(self, fields: dict[str, Any]) -> dict[str, Any]:
        """What a file says, as the command line would; verbs whose fields have two forms override this."""
        return fields


def decision_options(command: C, *, required: bool = True) -> C:
    """What bind and supersede say about a decision."""
    for option in reversed(
        [
            click.argument(
                "outcome",
                type=click.Choice(["adopt", "reject", "defer"]),
                metavar="OUTCOME",
                required=required,
            ),
            click.argument("decision", metavar="TEXT", required=required),
            read_option,
            click.option(
                "--check", "checks", multiple=True, metavar="ID|last", help="The check that it rests on"
            ),
            click.option("--code/--no-code", "changes_code", default=None, help="Whether it changes code"),
            click.option("--despite", metavar="WHY", help="Why to adopt over a check that fails"),
            click.option("--rationale", metavar="TEXT", help="Why this was decided"),
            confidence_option,
            click.option("--dissent", metavar="TEXT", help="What was said against it"),
            click.option(
                "--answers", multiple=True, metavar="ID", help="A challenge or opposing vote that it answers"
            ),
            click.option("--governs", multiple=True, metavar="PATH", help="A path that it rules over"),
            click.option(
                "--review-by", type=day, metavar="DAY", help="The day to look at it again, YYYY-MM-DD"
            ),
            *_SETTLED_OPTIONS,
            click.option("--dry-run", is_flag=True, help="Say what would happen, and write nothing"),
        ]
    ):
        command = option(command)
    return command


STATUSES: Final = (
    "damaged", "blocked", "contested", "decided", "superseded", "imported", "closed", "open",
)  # fmt: skip
MODES: Final = ("decide", "build", "review", "debate", "consensus")
"""As entries.record.Status and entries.types.Mode have them, which take longer to load."""


def limit_option(default: int) -> Callable[[C], C]:
    """How much to list: at most a number that every counter takes, also that of git."""
    return click.option(
        "-n",
        "--limit",
        type=click.IntRange(0, 2**31 - 1),
        default=default,
        show_default=bool(default),
        metavar="N",
        help="How many at most; 0 is all",
    )


def filter_options(command: C) -> C:
    """The options that choose among records; `App.chosen` takes them."""
    for option in reversed(
        [
            click.option(
                "--status",
                "statuses",
                type=click.Choice(STATUSES),
                multiple=True,
                help="Those with this status; repeatable",
            ),
            click.option("--job", metavar="NAME", help="Those of a job"),
            click.option("--actor", metavar="NAME", help="Those in which an actor spoke or was asked to"),
            click.option("--mode", type=click.Choice(MODES), help="Those of a mode"),
            click.option(
                "--path", metavar="PATH", help="Those that govern or read a path, or something below it"
            ),
            click.option("--since", metavar="WHEN", help="Those in which something was said since"),
            click.option(
                "--due",
                is_flag=False,
                flag_value="today",
                metavar="[DAY]",
                help="Those whose decision is to be looked at again by a day, or by now",
            ),
            limit_option(50),
        ]
    ):
        command = option(command)
    return command


def typed(*names: str) -> bool:
    """True when the command line itself says one of these."""
    source = click.get_current_context().get_parameter_source
    return any(source(name) is ParameterSource.COMMANDLINE for name in names)


def said_with_file() -> bool:
    """True when -F was given."""
    return bool(click.get_current_context().meta.get(_FILE))


def _speak_as(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(App).speaker = value


def _fill_from_file(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Make what a file says the default of everything that the command line does not say."""
    if value is None or not isinstance(ctx.command, Writing):
        return
    known = ctx.command.fields
    called = {_word(option): name for name, param in known.items() for option in param.opts}
    given = _read(ctx.ensure_object(App), value)
    fields = {called.get(_word(key), key): text for key, text in given.items()}
    value = _called(value)
    for key in fields:
        if key not in known:
            raise UsageError(
                f"{value}: {key!a} cannot be set here", hint=f"it takes {', '.join(sorted(known))}"
            )
    ctx.meta[_FILE] = value
    parameters = {parameter.name: parameter for parameter in ctx.command.params}
    ctx.default_map = {
        key: _fitting(value, key, parameters[key], given) for key, given in ctx.command.accept(fields).items()
    }


def _fitting(file: str, key: str, param: click.Parameter, given: Any) -> Any:
    """A value of the shape that a parameter takes: one text, or a list of them."""
    many = param.multiple or param.nargs != 1
    values = given if isinstance(given, list) else [given]
    if any(not isinstance(value, str) for value in values) or (isinstance(given, list) and not many):
        raise UsageError(f"{file}: {key} takes {'a list of texts' if many else 'one text'}")
    return values if many else given


def _word(name: str) -> str:
    """An option or a field without its dashes: `--not-checked` is `not_checked`."""
    return name.lstrip("-").replace("-", "_")


def _called(file: str) -> str:
    return "standard input" if file == "-" else file


def _read(app: App, file: str) -> dict[str, Any]:
    from gitdecide.entries import document

    try:
        if file == "-":
            data = sys.stdin.buffer.read(document.MAX_BYTES + 1) if sys.stdin else b""
        else:
            with Path(app.cwd, file).open("rb") as stream:
                data = stream.read(document.MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    try:
        fields = document.parse_options(data)
    except document.DocumentError as error:
        raise UsageError(f"{_called(file)}: {error.message}") from None
    if not isinstance(fields, dict):
        raise UsageError(f"{_called(file)}: not a mapping of names to values")
    return fields
