"""A headless chromium, spoken to over a pipe in the DevTools protocol (https://chromedevtools.github.io)."""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
PATIENCE: Final = 120.0
"""Seconds to wait for an answer: a browser on a busy machine may take long to begin."""

FLAGS: Final = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-default-browser-check", "--disable-dev-shm-usage", "--disable-extensions", "--mute-audio",
)  # fmt: skip


def program() -> str | None:
    """The browser of this machine, None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class NoAnswer(AssertionError):
    """The browser refuses what it was asked; while a page gives way to the next one it refuses all."""


class Browser:
    """One page of one browser, and everything that it said and asked for."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._ids = itertools.count(1)
        self._rest = b""
        self._session: str | None = None
        self.complaints: list[str] = []
        """What went to the console, exceptions and refused loads."""
        self.asked: list[str] = []
        """The address of everything that was loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method of the protocol."""
        number = next(self._ids)
        asked = {"id": number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._write, json.dumps(asked).encode() + b"\0")
        while (said := self._next()).get("id") != number:
            self._note(said)
        if "error" in said:
            raise NoAnswer(f"{method}: {said['error']}")
        return said["result"]

    def open(self, url: str) -> None:
        """Load a page, and wait until its scripts have run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        page = json.dumps(url.partition("#")[0])
        self.wait(f"document.readyState === 'complete' && location.href.split('#')[0] === {page}")

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        until = time.monotonic() + PATIENCE
        while not self._true(expression):
            assert time.monotonic() < until, f"never true: {expression}"
            time.sleep(0.02)

    def _true(self, expression: str) -> bool:
        try:
            return bool(self.value(expression))
        except NoAnswer:
            return False

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())), **more,
            )  # fmt: skip

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def look(self, *, width: int, height: int = 900, dark: bool = False, media: str = "screen") -> None:
        """Be a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """Write what the window shows, or the whole page, as a PNG file."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(told["data"]))

    def _note(self, said: dict[str, Any]) -> None:
        params = said.get("params", {})
        match said.get("method"):
            case "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])
            case "Runtime.consoleAPICalled":
                self.complaints.append(json.dumps(params["args"]))
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], PATIENCE)
            data = os.read(self._read, 1 << 16) if ready else b""
            assert data, "the browser says nothing more"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told


@contextmanager
def opened(profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own; it ends with the block."""
    ours_in, its_out = os.pipe()
    its_in, ours_out = os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (its_in, its_out)]
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    home = {"HOME": str(profile), "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile)}
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    pid = os.posix_spawn(
        str(program()),
        [str(program()), *FLAGS, *root, f"--user-data-dir={profile}", "about:blank"],
        {**os.environ, **home},
        file_actions=[*quiet, (os.POSIX_SPAWN_DUP2, ends[0], 3), (os.POSIX_SPAWN_DUP2, ends[1], 4)],
        setpgroup=0,
    )
    for end in (*ends, its_in, its_out):
        os.close(end)
    try:
        yield Browser(ours_in, ours_out)
    finally:
        os.close(ours_out)
        os.close(ours_in)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
