"""The pages that are generated, and the sessions in those that are not: `python -m tests.docs.snapshots`.

Run it after a change of help, entry types or output, and look at what changed before you keep it.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.docs import console, layers, reference, schema

ROOT: Final = Path(__file__).parents[2]

GENERATED: Final[dict[str, Callable[[], str]]] = {
    "docs/reference.md": reference.reference,
    "docs/git-decide.1": reference.man_page,
    "docs/schema/entries.json": schema.schema,
    "docs/architecture.md": layers.architecture,
}


def pages() -> list[str]:
    """The pages that hold a console session, from the top of the project."""
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [str(page.relative_to(ROOT)) for page in candidates if "```console" in page.read_text("utf-8")]


def renewed() -> Iterator[tuple[str, str]]:
    """Every page that is generated or holds a session, with its text as it should be."""
    yield from ((name, generate()) for name, generate in GENERATED.items())
    for name in pages():
        page = (ROOT / name).read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder:
            yield name, console.rewritten(page, console.play(page, Path(folder)))


def main() -> None:
    """Write what is not up to date, and say so."""
    for name, text in renewed():
        path = ROOT / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"renewed {name}")  # noqa: T201 - a program for the terminal


if __name__ == "__main__":
    main()
