"""The tools: each is a verb, and takes what the verb takes on the command line."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import click

from gitdecide.errors import UsageError

READING: Final = ("show", "list", "search", "why", "brief")
DECIDING: Final = ("bind", "supersede")
VERBS: Final = ("ask", "vote", "check", "challenge", "answer", *DECIDING, "turn", *READING, "conflict")

TEXTS: Final = ("show", "brief")
"""What answers with a text for readers, and not with facts for programs."""

NOT_OFFERED: Final = {"as", "json", "file", "exit_code", "no_output", "body_file"}
"""How a command behaves in a shell, and who speaks: that is for whoever starts the server to say."""

LEFT_OUT: Final[Mapping[str, tuple[str, ...]]] = {
    "ask": ("role", "link"),
    "search": ("job", "actor", "mode", "since", "due"),
    "brief": ("format",),
}
"""What is seldom wanted of a tool: a client reads the whole list before it can begin."""

CALLED: Final = {"name": "dr", "to": "challenge", "words": "word"}
"""What arguments are called that have another name in the program."""

KINDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


class Property(NamedTuple):
    """What a tool takes under one name."""

    param: click.Parameter

    @property
    def option(self) -> str | None:
        """The option in its long form where it has one, None for an argument."""
        return None if isinstance(self.param, click.Argument) else max(self.param.opts, key=len)

    @property
    def name(self) -> str:
        """The name of the option, with underscores, or of the argument."""
        if self.option and self.option.startswith("--"):
            return self.option.removeprefix("--").replace("-", "_")
        return CALLED.get(str(self.param.name), str(self.param.name))

    @property
    def many(self) -> bool:
        """True for a list."""
        return self.param.multiple or self.param.nargs != 1

    @property
    def kind(self) -> str:
        """The type of a value, in the words of JSON Schema."""
        if getattr(self.param, "is_flag", False):
            return "boolean"
        number = "number" if isinstance(self.param.type, click.FloatRange) else "string"
        return "integer" if isinstance(self.param.type, click.IntRange) else number

    @property
    def schema(self) -> dict[str, Any]:
        """The value as JSON Schema."""
        value: dict[str, Any] = {"type": self.kind}
        if isinstance(self.param.type, click.Choice):
            value["enum"] = list(self.param.type.choices)
        if self.many:
            value = {"type": "array", "items": value}
        told = getattr(self.param, "help", None)
        return {**value, "description": told} if told else value

    def words(self, given: Any) -> list[str]:
        """A value as the command line says it. Raises UsageError for one of another type."""
        values = given if self.many else [given]
        if not isinstance(values, list) or not all(self._fits(value) for value in values):
            raise UsageError(f"{self.name} takes {'a list of ' if self.many else ''}{self.kind}")
        if self.kind == "boolean":
            return [word for value in values for word in self._flag(value)]
        texts = [value if isinstance(value, str) else repr(value) for value in values]
        if any("\0" in text for text in texts):
            raise UsageError(f"{self.name} holds a zero byte")
        if self.option is None:
            return texts
        if self.option.startswith("--"):
            return [f"{self.option}={text}" for text in texts]
        return [word for text in texts for word in (self.option, text)]

    def _fits(self, value: Any) -> bool:
        return isinstance(value, KINDS[self.kind]) and isinstance(value, bool) == (self.kind == "boolean")

    def _flag(self, value: bool) -> list[str]:
        return self.param.opts[-1:] if value else self.param.secondary_opts[-1:]


class Tool(NamedTuple):
    """A verb, and what it takes."""

    verb: str
    summary: str
    properties: tuple[Property, ...]

    @property
    def reads(self) -> bool:
        """True for one that adds nothing to the log."""
        return self.verb in READING

    @property
    def schema(self) -> dict[str, Any]:
        """What it takes, as JSON Schema."""
        return {
            "type": "object",
            "properties": {each.name: each.schema for each in self.properties},
            "required": [each.name for each in self.properties if each.param.required],
        }

    def words(self, given: Mapping[str, Any]) -> list[str]:
        """The command line that says the same. Raises UsageError for what the schema does not take."""
        known = {each.name: each for each in self.properties}
        if unknown := sorted(set(given) - set(known)):
            raise UsageError(f"{self.verb} takes no {unknown[0]!a}", hint=f"it takes {', '.join(known)}")
        options = list[str]()
        arguments = list[str]()
        left_out = ""
        for name, each in known.items():
            value = given.get(name)
            is_argument = each.option is None
            if value is None and each.param.required:
                raise UsageError(f"{self.verb} needs {name}")
            if value is None:
                left_out = left_out or (name if is_argument else "")
                continue
            if is_argument and left_out:
                raise UsageError(f"{name} without {left_out}")
            (arguments if is_argument else options).extend(each.words(value))
        form = [] if self.verb in TEXTS else ["--json"]
        return [self.verb, *form, *options, "--", *arguments]


def tools(find: Callable[[str], click.Command], *, deciding: bool) -> dict[str, Tool]:
    """The tools by name, of the verbs that `find` finds; without `deciding` none that decides."""
    return {verb: _tool(verb, find(verb)) for verb in VERBS if deciding or verb not in DECIDING}


def _tool(verb: str, command: click.Command) -> Tool:
    left_out = (*NOT_OFFERED, *LEFT_OUT.get(verb, ()))
    offered = tuple(each for each in map(Property, command.params) if each.name not in left_out)
    return Tool(verb, " ".join((command.help or "").split()), offered)
