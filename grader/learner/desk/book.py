"""The book: built if it is older than its sources, and served with the desk beside each lesson."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from grader.base import course
from grader.base.files import Unusable
from grader.learner.desk.guard import KEY, NONCE

if TYPE_CHECKING:
    from starlette.types import Scope

BUILT = "build/book"
SECTIONS = "sections.json"
"""The last file that the build writes: step id, heading, id on the page."""
SOURCES = ("README.md", "book", "checks", "docs", "gpt2", "solutions", "steps")
IGNORED = (".py", ".pyc")
"""Extensions of files in ``steps`` that do not belong to the book: what learners write."""
AT_DESK = '<meta name="desk" content="">'
"""Tells a page that a desk serves it, so its explorer can read any text."""
DESK = (
    '<meta name="desk-key" content="{key}"><link rel="stylesheet" href="{up}_desk/desk.css">'
    '<script type="module" src="{up}_desk/desk.js" nonce="{nonce}"></script>'
)

PATIENCE_S = 900.0
"""Limit for building the book, which takes a minute."""


class NoBook(Unusable):
    """There is no book to serve, and it could not be built."""


def ready(root: Path) -> Path:
    """Return the folder of the book, building it if it is missing or older than its sources.

    Raises:
        NoBook: this course has none, or the first build failed, as printed above.
    """
    built = root / BUILT
    made = _time(built / SECTIONS)
    if made and _newest(root) <= made:
        return built
    if not (root / "book").is_dir():
        raise NoBook("This course has no book. --book DIR serves one that is built.", 2)
    print("Building the book, which takes a minute the first time ...", flush=True)
    environment = {**os.environ, "PYTHONPATH": os.fspath(course.HOME)}
    command = [sys.executable, "-m", "book"]
    try:
        done = subprocess.run(command, cwd=root, env=environment, check=False, timeout=PATIENCE_S)
        failed = done.returncode != 0
    except subprocess.TimeoutExpired:
        print(f"It was not ready within {PATIENCE_S / 60:.0f} minutes.", flush=True)
        failed = True
    if not (built / SECTIONS).is_file():
        raise NoBook("The book could not be built; the reason is above.", 3)
    if failed:
        print("The book could not be built again; the one from before is served.", flush=True)
    return built


def _newest(root: Path) -> float:
    """Return when a source of the book was last changed."""
    return max((_time(path) for path in _sources(root)), default=0.0)


def _sources(root: Path) -> Iterator[Path]:
    for name in SOURCES:
        place = root / name
        for path in place.rglob("*") if place.is_dir() else (place,):
            if not (name == "steps" and path.suffix in IGNORED) and "__pycache__" not in path.parts:
                yield path


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime if path.is_file() else 0.0
    except OSError:
        return 0.0


def sections(book: Path) -> Mapping[str, Mapping[str, str]]:
    """Return the id of each section on its page, by step and heading; empty if unknown."""
    try:
        found: Any = json.loads((book / SECTIONS).read_text(encoding="utf-8"))
        return {step: dict(ids) for step, ids in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def page_of(book: Path, number: str) -> str:
    """Return the path of a step's page within the book; the first page if the step has none."""
    page = f"steps/step_{number}.html"
    return page if (book / page).is_file() else "index.html"


class Files(StaticFiles):
    """The files of a folder. A path that cannot be a file's name counts as missing."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        try:
            return await super().get_response(path, scope)
        except (OSError, ValueError):
            raise HTTPException(404) from None

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Find the file at ``path``; None if there is none."""
        try:
            return super().lookup_path(path)
        except (OSError, ValueError):
            return "", None


class Book(Files):
    """The files of the book. A page that belongs to a step loads the desk as well."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file; for a folder, its first page."""
        full, found = self.lookup_path(path)
        if found is not None and Path(full).is_dir():
            here = scope["path"].rsplit("/", 1)[-1]
            return RedirectResponse(URL(f"{here}/index.html" if here else "index.html"))
        return await super().get_response(path, scope)

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return the file; a page learns that it is at a desk, and a lesson loads the desk."""
        if not os.fspath(full_path).endswith(".html"):
            return super().file_response(full_path, stat_result, scope, status_code)
        page = Path(full_path).read_text(encoding="utf-8")
        head = AT_DESK
        if re.search(r"<body[^>]*\sdata-step=", page):
            up = "../" * (scope["path"].count("/") - 1)
            head += DESK.format(up=up, nonce=scope[NONCE], key=html.escape(scope[KEY]))
        return HTMLResponse(page.replace("</head>", f"{head}</head>", 1), status_code)
