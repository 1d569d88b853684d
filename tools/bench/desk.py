"""The desk: from a save in the page's editor to the finished report in the page."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import click

from tools.bench.processes import SAVES, Impossible, spread
from tools.desk import EDITOR, SAVE, SCALE, answer, chromium, opened

PAUSE_S = 1.5
"""Seconds between saves: nobody saves faster for long, and the next worker is ready by then."""


@click.command()
@SAVES
def main(saves: int) -> None:
    """From a save in the page's editor to the report; in the environment `test`."""
    for name, found in measure(saves).items():
        print(f"desk, {name}, {len(found)} saves:")
        spread(
            "   from the save to the report in the page", [one["first"][0] / 1e3 for one in found]
        )
        spread("   of which the grading", [one["first"][1] for one in found])
        spread("   until what each line gave is there too", [one["whole"] / 1e3 for one in found])


def measure(saves: int) -> dict[str, list[dict[str, Any]]]:
    """What ``SAVE`` tells of each save: half of them of the solution, half of a wrong file.

    Raises:
        Impossible: Playwright or a browser is missing.
    """
    if importlib.util.find_spec("playwright") is None or chromium() is None:
        raise Impossible("It needs Chromium, and Playwright: ./pixiw run -e test bench desk")
    right = answer()
    texts = {
        "solution of step 05": right,
        "the same without the scale": right.replace(SCALE, "pass"),
    }
    with opened() as page:
        return {name: [*_saved(page, text, saves // 2)] for name, text in texts.items()}


def _saved(page: Any, text: str, saves: int) -> Any:
    page.locator(EDITOR).press("Control+a")
    page.keyboard.insert_text(text)
    for number in range(saves):
        page.keyboard.press("Control+End")
        page.keyboard.insert_text(f"# {number}\n")
        time.sleep(PAUSE_S)
        yield page.evaluate(SAVE)
