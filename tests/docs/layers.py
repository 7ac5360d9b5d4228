"""The table of layers in docs/architecture.md, whose last column is read from the imports."""

import re
from pathlib import Path
from typing import Final

import gitdecide
from tests.test_layers import imports, modules, ours, rank

PAGE: Final = Path(__file__).parents[2] / "docs" / "architecture.md"

_ROW = re.compile(r"^\| `([a-z]+)(/|\.py)` \| (.*?) \|.*\|$", re.MULTILINE)


def architecture() -> str:
    """The page, with what each layer imports of ours in its row."""
    package = modules(Path(gitdecide.__file__).parent)
    below: dict[str, set[str]] = {}
    for module in package.values():
        named = {(ours(found.target) or "").partition(".")[0] for found in imports(module, package)}
        below.setdefault(module.layer, set()).update(named - {"", module.layer})

    def row(match: re.Match[str]) -> str:
        names = sorted(below.get(match[1], ()), key=rank)
        return f"| `{match[1]}{match[2]}` | {match[3]} | {', '.join(names) or 'nothing'} |"

    return _ROW.sub(row, PAGE.read_text("utf-8"))
