"""The layers of the package: what may import, print, look at the clock or read the environment where."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import gitdecide

LAYERS: Final = (
    "errors", "output", "entries", "git", "policy", "rules", "render", "formats", "store",
    "audit", "gate", "work", "app", "commands mcp", "cli", "__main__",
)  # fmt: skip
"""A module imports from its own folder and from what stands before it; two names in one text are peers."""

PURE: Final = ("rules", "render", "formats")
HEAVY: Final = ("yaml", "msgspec", "sqlite3", "jinja2", "pygit2")
LIGHT: Final = ("cli", "app", "output", "errors", "commands")
"""What every start of the program loads, or the help of one verb."""

ENVIRONMENT: Final = {"os.environ", "os.environb", "os.getenv", "os.getenvb"}
CLOCK: Final = {
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "time.time",
    "time.time_ns",
}
STREAMS: Final = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
PRINTING: Final = {"print", "click.echo", "click.secho"}


class Module(NamedTuple):
    """One file of the package: `commands.vote`, its place on disk, and its syntax."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def layer(self) -> str:
        return self.name.partition(".")[0]


class Import(NamedTuple):
    """What a line imports, and whether importing the module alone runs it."""

    line: int
    target: str
    at_start: bool


def modules(root: Path) -> dict[str, Module]:
    """Every module of a package, by its name below the package; the package itself is the empty name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix("__init__").rstrip(".")
        found[name] = Module(name, path, ast.parse(path.read_text("utf-8")))
    return found


def imports(module: Module, package: dict[str, Module]) -> Iterator[Import]:
    """Every import of a module, wherever it stands; our own modules by their name in `package`."""
    for node, at_start in _import_nodes(module.tree, at_start=True):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            source = _source(module, node)
            inner = [f"{source}.{alias.name}" for alias in node.names]
            targets = [name if name.removeprefix("gitdecide.") in package else source for name in inner]
        yield from (Import(node.lineno, target, at_start) for target in dict.fromkeys(targets))


def _import_nodes(node: ast.AST, *, at_start: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, at_start
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield from _import_nodes(child, at_start=at_start and not later and not typing)


def _source(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = ["gitdecide", *module.name.split(".")]
    is_package = module.path.name == "__init__.py"
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


def ours(target: str) -> str | None:
    """The name of one of our modules below the package, None for a foreign one."""
    package, _, name = target.partition(".")
    return name if package == "gitdecide" else None


def rank(layer: str) -> int:
    return next((place for place, names in enumerate(LAYERS) if layer in names.split()), -1)


def findings(root: Path) -> list[str]:
    """Every place that breaks a rule of the layers, as `file:line: what is wrong`."""
    package = modules(root)
    found = []
    for module in package.values():
        if module.name and rank(module.layer) < 0:
            found.append(f"{module.path}:1: {module.layer} has no place among the layers")
        lines = [*_arrows(module, package), *_words(module)]
        found += [f"{module.path}:{line}: {problem}" for line, problem in sorted(set(lines))]
    return found


def _arrows(module: Module, package: dict[str, Module]) -> Iterator[tuple[int, str]]:
    for line, target, at_start in imports(module, package):
        foreign = target.partition(".")[0]
        if foreign == "pygit2" and module.name != "git.libgit2":
            yield line, "only git/libgit2.py imports pygit2"
        if foreign == "importlib" and module.name != "cli":
            yield line, "only cli.py imports by name, where no test can follow"
        name = ours(target)
        if name is None:
            heavy = {foreign} & set(HEAVY) if at_start and module.layer in LIGHT else set()
            yield from ((line, f"{word} is loaded at every start") for word in heavy)
        elif name:
            yield from ((line, problem) for problem in _problems(module, name))
            if at_start and module.layer in LIGHT:
                yield from ((line, f"{way} is loaded at every start") for way in _heavy_way(name, package))


def _problems(module: Module, name: str) -> Iterator[str]:
    """Why one of our modules may not import another."""
    layer = name.partition(".")[0]
    if module.layer in PURE and layer in ("git", "store"):
        yield f"{module.layer} is pure: it imports nothing of {layer}"
    if layer == module.layer == "commands" and name not in ("commands", "commands.options"):
        yield f"commands never import each other: {name}"
    if layer != module.layer and module.name and rank(layer) >= rank(module.layer):
        yield f"{module.name} stands before {name}"
    if not module.name:
        yield f"the package itself imports nothing: {name}"


def _heavy_way(name: str, package: dict[str, Module], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Ways from a module to a heavy one by the imports that loading it runs."""
    if name in seen or name not in package:
        return
    for found in imports(package[name], package):
        foreign = found.target.partition(".")[0]
        if found.at_start and foreign in HEAVY:
            yield f"{foreign}, by {name},"
        elif found.at_start and (below := ours(found.target)):
            yield from _heavy_way(below, package, seen | {name})


def _words(module: Module) -> Iterator[tuple[int, str]]:
    """Uses of the environment, the clock and the streams where they are not allowed."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if _misplaced(f"{node.module}.{alias.name}", module.name):
                    yield node.lineno, f"{node.module}.{alias.name} is imported under a name that hides it"
        elif isinstance(node, ast.Attribute | ast.Name):
            word = ast.unparse(node)
            if problem := _misplaced(word, module.name):
                yield node.lineno, f"{problem}: {word}"


def _misplaced(word: str, module: str) -> str | None:
    """Why a word has no place in a module, None where it has."""
    if module != "app" and word in ENVIRONMENT:
        return "only app.py reads the environment"
    if module != "app" and CLOCK & {word, word.removeprefix("datetime.")}:
        return "only app.py looks at the clock"
    return "only output.py writes" if module != "output" and word in STREAMS | PRINTING else None


def test_no_module_reaches_to_its_right() -> None:
    """The package keeps the order of its layers, and does each thing in its one place."""
    assert findings(Path(gitdecide.__file__).parent) == []


FORBIDDEN: Final = [
    ("entries/names.py", "from gitdecide.git import run", "entries.names stands before git.run"),
    ("errors.py", "def f():\n    import gitdecide.output", "errors stands before output"),
    ("store/log.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gitdecide.work import x",
     "store.log stands before work"),
    ("rules/voting.py", "from gitdecide.git.run import Git", "rules is pure: it imports nothing of git"),
    ("render/text.py", "from gitdecide.store import log", "render is pure: it imports nothing of store"),
    ("git/run.py", "from .. import app", "git.run stands before app"),
    ("git/run.py", "def f():\n    import pygit2", "only git/libgit2.py imports pygit2"),
    ("work/hooks.py", "import importlib", "only cli.py imports by name, where no test can follow"),
    ("work/hooks.py", "import os\nos.environ['HOME']", "only app.py reads the environment: os.environ"),
    ("work/hooks.py", "from os import environ", "os.environ is imported under a name that hides it"),
    ("work/hooks.py", "import datetime\nx = datetime.datetime.now()",
     "only app.py looks at the clock: datetime.datetime.now"),
    ("work/hooks.py", "import time\nclock = time.time", "only app.py looks at the clock: time.time"),
    ("work/hooks.py", "print('x')", "only output.py writes: print"),
    ("work/hooks.py", "import sys\nsys.stderr.write('x')", "only output.py writes: sys.stderr"),
    ("commands/vote.py", "from gitdecide.commands.ask import command",
     "commands never import each other: commands.ask"),
    ("mcp.py", "from gitdecide.commands import ask", "mcp stands before commands.ask"),
    ("commands/vote.py", "from gitdecide import mcp", "commands.vote stands before mcp"),
    ("commands/vote.py", "import yaml.cyaml", "yaml is loaded at every start"),
    ("app.py", "from gitdecide.entries import document",
     "yaml, by entries.document, is loaded at every start"),
    ("__init__.py", "from gitdecide import errors", "the package itself imports nothing: errors"),
    ("helpers.py", "", "helpers has no place among the layers"),
]  # fmt: skip


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package that keeps the rules."""
    root = tmp_path / "gitdecide"
    files = {
        "__init__.py": "__version__ = '1'",
        "errors.py": "",
        "output.py": "import sys\nsys.stdout.write('x')",
        "entries/__init__.py": "",
        "entries/document.py": "import yaml\nfrom gitdecide import errors",
        "git/run.py": "import subprocess, time\ntime.monotonic()",
        "git/libgit2.py": "import pygit2\nfrom gitdecide.git import run",
        "rules/voting.py": "from ..entries.document import dump",
        "store/log.py": "from gitdecide.git.libgit2 import Libgit2\nfrom gitdecide.rules import voting",
        "app.py": "import os\nfrom datetime import datetime\nos.environ, datetime.now()\n"
        "def log():\n    from gitdecide.store.log import Log",
        "commands/options.py": "from gitdecide.app import App",
        "commands/ask.py": "from gitdecide.commands.options import option",
        "commands/vote.py": "from gitdecide.commands import options\ndef f():\n    import yaml",
        "mcp.py": "from gitdecide.app import App",
        "cli.py": "import importlib\nfrom gitdecide import __version__, app",
        "__main__.py": "from gitdecide.cli import main",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_package_that_keeps_the_rules_has_no_findings(package: Path) -> None:
    """What the rules allow is not found fault with."""
    assert findings(package) == []


@pytest.mark.parametrize(("file", "text", "problem"), FORBIDDEN)
def test_a_forbidden_arrow_is_caught(package: Path, file: str, text: str, problem: str) -> None:
    """Each rule fails on the one line that breaks it, wherever the line stands."""
    (package / file).parent.mkdir(exist_ok=True)
    (package / file).write_text(text)

    found = findings(package)

    assert any(line.startswith(f"{package / file}:") and line.endswith(problem) for line in found), found
