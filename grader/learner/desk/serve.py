"""Starts the desk, and ends it."""

from __future__ import annotations

import asyncio
import html
import os
import sys
import threading
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.learner.desk import address, book
from grader.learner.desk.guard import Guard
from grader.learner.desk.hub import Hub
from grader.learner.desk.routes import application
from grader.learner.desk.session import Desk
from grader.learner.web.server import Server, listen

if TYPE_CHECKING:
    import socket

    from grader.base.model import Step
    from grader.pipeline import Options

OPENER = ".grader/desk.html"
"""A page that opens the desk. The browser is given this file, since its arguments are public."""


@dataclass(frozen=True)
class Settings:
    """How to serve. ``book`` is the folder of a built book, by default the course's own."""

    port: int | None = None
    browser: bool = True
    public: str = ""
    book: Path | None = None
    poll: bool | None = None


def serve(step: Step, steps: Sequence[Step], options: Options, settings: Settings) -> None:
    """Serve the book and the steps until Ctrl-C or a signal ends it.

    Raises:
        Unusable: there is no book, or the port cannot be used.
    """
    folder = settings.book or book.ready(step.root)
    listening = listen(settings.port, address.PORT)
    public = address.public(settings.public) if settings.public else ""
    place = address.Address(listening.getsockname()[1], public, address.key(step.root))
    opener = step.root / OPENER
    try:
        with listening:
            asyncio.run(_serve(step, steps, options, settings, folder, place, listening))
    finally:
        opener.unlink(missing_ok=True)


async def _serve(
    step: Step,
    steps: Sequence[Step],
    options: Options,
    settings: Settings,
    folder: Path,
    place: address.Address,
    listening: socket.socket,
) -> None:
    hub = Hub()
    desk = Desk(steps, book.sections(folder), options, hub, poll=settings.poll)
    guard = Guard(application(desk, hub, folder), place, book.page_of(folder, step.number))
    server = Server(guard, hub.close)
    print(
        f"Step {step.number}: {step.title}\n   {place.opening}\nCtrl-C ends the desk.", flush=True
    )
    if settings.browser and _has_browser():
        _open(step.root / OPENER, place.opening)
    try:
        await server.serve(sockets=[listening])
    finally:
        await asyncio.to_thread(desk.close)


def _has_browser() -> bool:
    """Whether a browser with windows can be opened here."""
    if sys.platform == "linux" and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    with suppress(webbrowser.Error):
        return not isinstance(webbrowser.get(), webbrowser.GenericBrowser) or bool(
            os.environ.get("BROWSER")
        )
    return False


def _open(opener: Path, opening: str) -> None:
    """Open ``opening`` through a file that only this user can read."""
    there = html.escape(opening)
    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={there}">'
    with suppress(OSError):
        opener.unlink(missing_ok=True)
        handle = os.open(opener, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        # With some browsers, this call returns only when the window is closed.
        threading.Thread(target=webbrowser.open, args=(opener.as_uri(),), daemon=True).start()
