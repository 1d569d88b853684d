"""What the book adds to Sphinx: the contents, what a page says of itself, and wide tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sphinx.writers.html5 import HTML5Translator

from book.pages import chapters
from grader.base import course

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


MARKS = {"❌": "no", "✅": "yes", "➖": "wait", "⚠️": "warn", "🎉": "done"}
"""The signs of a report. Not every machine has a font with them, so they are also pictures."""


class Translator(HTML5Translator):
    """Sphinx's HTML, with each table in a box that scrolls when the screen is narrow."""

    def visit_table(self, node: nodes.table) -> None:
        """Open the box."""
        self.body.append('<div class="wide">')
        super().visit_table(node)

    def depart_table(self, node: nodes.table) -> None:
        """Close the box."""
        super().depart_table(node)
        self.body.append("</div>")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.set_translator("html", Translator)
    app.connect("html-page-context", _context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _context(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _tree: nodes.document
) -> None:
    context["chapters"] = [
        (chapter.caption, [(name, _title(app, name)) for name in chapter.names])
        for chapter in chapters()
    ]
    steps = {f"steps/{step.lesson.stem}": step for step in course.steps()}
    step = steps.get(pagename)
    context["step"] = None if step is None else step.id
    context["solution"] = None if step is None else f"solutions/{step.solution.stem}"
    body = context["body"] = _marked(context.get("body", ""))
    for kind in ("explorer", "live", "hm"):
        context[kind] = f'class="{kind}"' in body
    context["script_files"] = []
    context["css_files"] = []


def _marked(body: str) -> str:
    """The page with a picture over each sign of a report, and a title that never breaks GPT-2."""
    name = '<span class="whole">GPT-2</span>'
    body = re.sub("<h1>.*?</h1>", lambda title: title[0].replace("GPT-2", name), body)
    parts = re.split(r"(<[^>]*>)", body)
    for sign, name in MARKS.items():
        picture = f'<span class="mark {name}">{sign}</span>'
        parts[::2] = (text.replace(sign, picture) for text in parts[::2])
    return "".join(parts)


def _title(app: Sphinx, name: str) -> str:
    """A page's title as the contents have it: without what the caption says."""
    return re.sub(r"^(?:Step|Solution) (\d+):", r"\1", app.env.titles[name].astext())
