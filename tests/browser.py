"""The browser of the tests that look at pages. Whatever imports this skips without one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from grader.base.course import ROOT
from tests import ran
from tools.desk import browser, chromium

api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

MARKS = [
    pytest.mark.any_python,
    pytest.mark.whole,
    pytest.mark.skipif(chromium() is None, reason="no Chromium here"),
]
PATIENCE_MS = 90_000
"""On a busy machine a report may take half a minute."""


@contextmanager
def opened(*arguments: str) -> Iterator[Any]:
    """Chromium, with these arguments too."""
    with browser("--disable-gpu", *arguments) as chrome:
        yield chrome


class Visit:
    """A browser of one person, and what its windows complained about."""

    def __init__(self, chrome: Any, harmless: tuple[str, ...] = (), **settings: Any) -> None:
        self.context = chrome.new_context(**settings)
        self.context.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self._harmless = harmless

    def blank(self) -> Any:
        """A window without a page."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._said)
        return page

    def _said(self, message: Any) -> None:
        harmless = any(words in message.text for words in self._harmless)
        if message.type in ("error", "warning") and not harmless:
            self.complaints.append(message.text)

    def end(self) -> None:
        """Close all windows; none may have complained."""
        self.context.close()
        assert self.complaints == []


def shut_out(page: Any, **options: Any) -> list[str]:
    """What keeps somebody from using the page, as axe finds it."""
    asked = {"resultTypes": ["violations"], **options}
    return [
        f"{one['id']}: {one['nodes'][0]['target']} and {len(one['nodes']) - 1} more"
        for one in axe.Axe().run(page, options=asked).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its name in Python
        pass


@contextmanager
def served(folder: Path, handler: type[SimpleHTTPRequestHandler] = Quiet) -> Iterator[int]:
    """The port at which a folder is served."""
    given = partial(handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), given) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def computed(given: Any, *command: str) -> Any:
    """What a process of Python in the course makes of JSON."""
    more = {"typed": json.dumps(given), "timeout_s": 240, "PYTHONPATH": str(ROOT)}
    return json.loads(ran.said(*command, **more))
