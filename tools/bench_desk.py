"""Measures the desk: from a save in the page's editor to the finished report in the page.

Needs Playwright and Chromium, as the tests do.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.base import course
from grader.base.blanks import make_answer
from tools.measured import Impossible

PAUSE_S = 1.5
"""Seconds between saves, as in ``bench watch``."""
LIMIT_MS = 60_000
SCALE = "attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))"
EDITOR = "#desk-editor .cm-content"
FOLDERS = (
    "book",
    "checks",
    "docs",
    "gpt2",
    "grader",
    "solutions",
    "steps",
    "tools",
    "requirements",
)

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


def main(saves: int) -> None:
    """Print the median and the 95th percentile for a right and for a wrong file."""
    for name, found in measure(saves).items():
        print(f"desk, {name}, {len(found)} saves:")
        _tell("from the save to the report in the page", [one["first"][0] for one in found])
        _tell("of which the grading", [1000 * one["first"][1] for one in found])
        _tell("until what each line gave is there too", [one["whole"] for one in found])


def measure(saves: int) -> dict[str, list[dict[str, Any]]]:
    """What ``SAVE`` tells of each save: half of them of the solution, half of a wrong file.

    Raises:
        Impossible: Playwright or a browser is missing.
    """
    if importlib.util.find_spec("playwright") is None or chromium() is None:
        raise Impossible("It needs Chromium, and Playwright: ./pixiw run -e test bench desk")
    import playwright.sync_api as api

    with tempfile.TemporaryDirectory() as folder, api.sync_playwright() as playwright:
        root = Path(folder)
        copy(root)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        found = dict(_measure(root, browser, saves))
        browser.close()
    return found


def copy(root: Path) -> None:
    """Put a course with a desk into ``root``."""
    for name in FOLDERS:
        shutil.copytree(course.HOME / name, root / name)
    for name in ("course.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
        shutil.copy(course.HOME / name, root)


def begin(root: Path) -> subprocess.Popen[str]:
    """Start the desk of the course in ``root``; :func:`address` says where it is."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "grader", "desk", "s05", "--no-browser", "--port", "0"]
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)


def chromium() -> str | None:
    """The browser, if there is one."""
    names = ("chromium", "chromium-browser", "chrome")
    return next(filter(None, map(shutil.which, names)), None)


def _measure(root: Path, browser: Any, saves: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    desk = begin(root)
    try:
        page = browser.new_page()
        page.set_default_timeout(LIMIT_MS)
        page.goto(address(desk))
        page.wait_for_selector(".desk-verdict", state="attached")
        right = make_answer((root / "solutions/solution_05.py").read_text(encoding="utf-8"))
        wrong = right.replace(SCALE, "pass")
        for name, text in (("solution of step 05", right), ("the same without the scale", wrong)):
            page.locator(EDITOR).press("Control+a")
            page.keyboard.insert_text(text)
            found = []
            for number in range(saves // 2):
                page.keyboard.press("Control+End")
                page.keyboard.insert_text(f"# {number}\n")
                time.sleep(PAUSE_S)
                found.append(page.evaluate(SAVE))
            yield name, found
    finally:
        desk.kill()
        desk.wait()


def address(desk: subprocess.Popen[str]) -> str:
    """The address that the desk prints."""
    said = ""
    for line in desk.stdout or ():
        said += line
        if found := re.search(r"http\S+", line):
            return found[0]
    sys.exit(f"The desk did not start:\n{said}")


def _tell(what: str, milliseconds: list[float]) -> None:
    each = sorted(milliseconds)
    late = each[int(0.95 * (len(each) - 1))]
    median = statistics.median(each)
    print(f"   {what}: median {median:.0f} ms, 95th percentile {late:.0f} ms")
