"""Builds the site: writes Sphinx's sources from the course, runs Sphinx, swaps the result in."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from book import explorer, heatmaps, pages, solutions

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
SECTIONS = "sections.json"
"""For each step, the headings of its lesson and the ids of their sections."""

UNUSED = ("_sources", ".buildinfo", "objects.inv", "_static/pygments.css", "_static/basic.css")
"""What Sphinx writes and no page of the book loads."""


SETTINGS = {
    "project": "Build GPT-2's attention",
    "extensions": ["myst_parser", "book.extension"],
    "html_theme": "theme",
    "html_theme_path": [str(HERE)],
    "html_copy_source": False,
    "html_permalinks_icon": "#",
    "html_title": "Build GPT-2's attention",
    "html_use_index": False,
    "html_domain_indices": False,
    "myst_heading_anchors": 3,
    "smartquotes": False,
    "language": "en",
}
"""What Sphinx would have in its ``conf.py``."""


class BookProblem(Exception):
    """A page cannot be made, in a sentence or a few."""


def build(output: Path) -> None:
    """Write the whole site to ``output``, which is replaced only when the new site is complete.

    Raises:
        BookProblem: a source is missing or malformed, or ``output`` is no folder of ours.
    """
    if output.exists() and any(output.iterdir()) and not (output / SECTIONS).is_file():
        raise BookProblem(f"{output} has other files in it. Name an empty folder.")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".book-", dir=output.parent) as folder:
        work = Path(folder)
        source, site = work / "source", work / "site"
        try:
            headings = pages.write(source)
        except (OSError, KeyError, solutions.NotFollowed) as problem:
            raise BookProblem(str(problem)) from problem
        _sphinx(source, site, work / "doctrees", headings)
        (site / "_static" / "model.js").write_text(explorer.script(), encoding="utf-8")
        heatmaps.write(site / "_static" / "heatmaps.css")
        _swap(site, output, work / "old")


def _sphinx(source: Path, site: Path, doctrees: Path, headings: Mapping[str, list[str]]) -> None:
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError

    warnings = io.StringIO()
    try:
        app = Sphinx(
            str(source),
            None,
            str(site),
            str(doctrees),
            "html",
            confoverrides=SETTINGS,
            status=None,
            warning=warnings,
            freshenv=True,
        )
        app.build(force_all=True)
    except SphinxError as problem:
        raise BookProblem(str(problem)) from problem
    if found := warnings.getvalue().strip():
        raise BookProblem(f"Sphinx complains:\n{found}")
    ids = json.dumps(_ids(app, headings), ensure_ascii=False, indent=1, sort_keys=True)
    (site / SECTIONS).write_text(ids + "\n", encoding="utf-8")
    for name in UNUSED:
        _remove(site / name)


def _ids(app: Sphinx, headings: Mapping[str, list[str]]) -> dict[str, dict[str, str]]:
    """The id of each heading of each lesson, by the step's id and the heading as it is written."""
    from docutils import nodes

    found: dict[str, dict[str, str]] = {}
    for step, written in headings.items():
        tree = app.env.get_doctree(f"steps/step_{step.removeprefix('s')}")
        top = next(iter(tree.findall(nodes.section)))
        sections = [one for one in top.children if isinstance(one, nodes.section)]
        found[step] = {
            heading: one["ids"][0] for heading, one in zip(written, sections, strict=True)
        }
    return found


def _swap(site: Path, output: Path, old: Path) -> None:
    """Put the finished site where the old one is."""
    if output.exists():
        output.rename(old)
    site.rename(output)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
