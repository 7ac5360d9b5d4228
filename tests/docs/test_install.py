"""What an installation holds: the program, its types, and the man page that `git decide --help` opens."""

import os
import shutil
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from tests.docs.snapshots import ROOT

MAN = "share/man/man1/git-decide.1"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_is_complete(wheel: zipfile.ZipFile) -> None:
    """It has every module and the mark of a typed package, and not the tests."""
    names = set(wheel.namelist())

    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "gitdecide").rglob("*.py")}
    assert modules | {"gitdecide/py.typed"} <= names
    assert not [name for name in names if name.startswith("tests")]


def test_the_wheel_asks_for_no_tool_of_developers(wheel: zipfile.ZipFile) -> None:
    """Whoever only uses the program gets what the program imports, and nothing else."""
    metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    required = message_from_string(wheel.read(metadata).decode()).get_all("Requires-Dist", [])

    names = {each.split(">")[0] for each in required if "extra ==" not in each}

    assert names == {"click", "jinja2", "msgspec", "pygit2", "pyyaml"}


@pytest.fixture
def installed(wheel: zipfile.ZipFile, tmp_path: Path) -> dict[str, str]:
    """An environment in which program and man page lie as pip puts them, the program being a stand-in."""
    name = next(name for name in wheel.namelist() if name.endswith(f".data/data/{MAN}"))
    page = tmp_path / MAN
    page.parent.mkdir(parents=True)
    page.write_bytes(wheel.read(name))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git-decide").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "git-decide").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "MANPAGER": "cat",
        "MANWIDTH": "80",
    }


@pytest.mark.skipif(not shutil.which("man"), reason="there is no man here")
def test_help_opens_the_man_page(installed: dict[str, str]) -> None:
    """`git decide --help` is answered by git, with the man page of the program first on the PATH."""
    environ = {key: value for key, value in installed.items() if key != "MANPATH"}

    shown = subprocess.run(
        ["git", "decide", "--help"], env=environ, check=True, capture_output=True, text=True
    )

    assert "git-decide - keep the decisions of a repository" in " ".join(shown.stdout.split())
    assert "git decide bind [OPTIONS]" in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    "lint",
    [
        pytest.param(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"], id="groff"),
        pytest.param(["mandoc", "-Tlint", "-Wwarning"], id="mandoc"),
    ],
)
def test_the_man_page_is_clean(lint: list[str]) -> None:
    """No reader of man pages has a complaint."""
    if not shutil.which(lint[0]):
        pytest.skip(f"there is no {lint[0]} here")

    done = subprocess.run(
        [*lint, str(ROOT / "docs" / "git-decide.1")], capture_output=True, text=True, check=False
    )

    complaints = (done.stdout if lint[0] == "mandoc" else done.stderr).splitlines()
    undated = "missing date"  # the page carries the version instead
    assert [line for line in complaints if undated not in line] == []
