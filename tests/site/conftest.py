"""One story and one site of it for all tests here: to tell it takes a few seconds."""

from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ConfigLevel

from tests.site import browser
from tests.site.fixture import Story, tell


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The repository with everything in it."""
    place = tmp_path_factory.mktemp("story")
    for level in (ConfigLevel.GLOBAL, ConfigLevel.XDG, ConfigLevel.SYSTEM):
        pygit2.settings.search_path[level] = str(place)
    return tell(place / "repo", place / "home")


@pytest.fixture(scope="session")
def site(story: Story) -> Path:
    """The folder of its site."""
    folder = story.folder.parent / "site"
    story.say("site", str(folder))
    return folder


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    """A browser that all tests share."""
    if browser.program() is None:
        pytest.skip("there is no chromium on the PATH")
    with browser.opened(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(chromium: browser.Browser) -> browser.Browser:
    """The browser, wide and light, and as if it had heard nothing yet."""
    chromium.look(width=1200)
    chromium.complaints.clear()
    chromium.asked.clear()
    return chromium
