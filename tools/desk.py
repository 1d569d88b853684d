"""The desk in a browser, for ``bench desk`` and for the film of README.md.

Needs Playwright and Chromium, as the tests do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.base import course
from grader.base.blanks import make_answer

LIMIT_MS = 60_000
SCALE = "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))"
"""The line of step 05's solution that is made wrong."""
EDITOR = "#desk-editor .cm-content"
COPIED = (
    *("book", "checks", "docs", "gpt2", "grader", "requirements", "solutions", "steps", "tools"),
    *("course.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"),
)
"""What a course with a desk is made of."""
SAVE = """() => new Promise((done) => {
    const told = {};
    const started = performance.now();
    const hear = ({detail}) => requestAnimationFrame(() => {
        told.first ??= [performance.now() - started, detail.seconds];
        if (!detail.whole) return;
        document.removeEventListener("desk:report", hear);
        done({first: told.first, whole: performance.now() - started});
    });
    document.addEventListener("desk:report", hear);
    document.querySelector("#desk-editor .cm-content").dispatchEvent(new KeyboardEvent("keydown",
        {key: "s", code: "KeyS", keyCode: 83, ctrlKey: true, bubbles: true, cancelable: true}));
})"""
"""Saves by the key that a learner presses; milliseconds until the report is drawn, of which the
grading itself, and until its trace is there too."""


def chromium() -> str | None:
    """The browser, if there is one."""
    names = ("chromium", "chromium-browser", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def browser(*arguments: str) -> Iterator[Any]:
    """Chromium, as Playwright drives it."""
    import playwright.sync_api as api

    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium(), timeout=LIMIT_MS, args=["--no-sandbox", *arguments]
        )
        yield started
        started.close()


def answer() -> str:
    """The solution of step 05 as a learner would have written it."""
    return make_answer((course.ROOT / "solutions/solution_05.py").read_text(encoding="utf-8"))


def copy(names: Sequence[str], root: Path) -> None:
    """Copy these parts of the course to ``root``."""
    for path in map(course.HOME.joinpath, names):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, root / path.name)


@contextmanager
def opened(text: str = "", **settings: Any) -> Iterator[Any]:
    """The page of step 05 at the desk of a copy of the course; ``text`` is the learner's file."""
    with tempfile.TemporaryDirectory() as folder, browser() as chrome:
        root = Path(folder)
        copy(COPIED, root)
        if text:
            (root / "steps/step_05.py").write_text(text, encoding="utf-8")
        with _serving(root) as address:
            page = chrome.new_page(**settings)
            page.set_default_timeout(LIMIT_MS)
            page.goto(address)
            page.wait_for_selector(".desk-verdict", state="attached")
            yield page


@contextmanager
def _serving(root: Path) -> Iterator[str]:
    """The address of the desk of the course in ``root``."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "grader", "desk", "s05", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True
    ) as desk:
        try:
            said = ""
            for line in desk.stdout or ():
                said += line
                if found := re.search(r"http\S+", line):
                    yield found[0]
                    return
            sys.exit(f"The desk did not start:\n{said}")
        finally:
            desk.terminate()
