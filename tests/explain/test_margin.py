"""The margin: a program's lines with what each of them gave, as text and as a page."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from grader.base import course
from grader.base.model import Report, Trace
from grader.pipeline import Follow, Options, grade
from grader.report import as_margin
from grader.report.style import FILE, Style
from grader.sandbox import WorkerPool
from tests.graded import variants

NAME = "s05/wrong/mask_subtracted"


@pytest.fixture(scope="module")
def report(workers: WorkerPool) -> Report:
    with variants.as_file(variants.find(NAME)) as path:
        return grade(course.find("s05"), path, Options(seed=3, follow=Follow.ALWAYS), workers.start)


def trace_of(report: Report) -> Trace:
    assert report.trace is not None
    return report.trace


@pytest.mark.parametrize("style", [FILE, Style(unicode=False), Style(words=True)])
def test_the_margin_shows_the_wrong_function_and_what_its_lines_gave(
    style: Style, report: Report
) -> None:
    source, trace = variants.find(NAME).source.decode(), trace_of(report)
    shown = as_margin.text(source, trace, style)
    for line in source.partition("def _attn")[2].partition("    def ")[0].splitlines():
        assert style.text(line.strip()) in shown
    marks = (
        as_margin.WORDS if style.words else as_margin.MARKS if style.unicode else as_margin.ASCII
    )
    for kind in ("right", "left", "follows"):
        assert re.search(rf"(?m)^ *{re.escape(marks[kind])} +\[", shown), kind
    assert shown.count(f"{marks['left']} ") - (not style.words) == 1, "the rest only follows"
    if not style.unicode:
        shown.encode("ascii")


class Loads(HTMLParser):
    """What a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "link", "iframe") or any(
            n in ("src", "href") for n, _ in attrs
        ):
            self.found.append(tag)


def test_the_page_shows_every_line(report: Report) -> None:
    source, trace = variants.find(NAME).source.decode(), trace_of(report)
    shown = unescape(as_margin.table(source, trace))
    assert all(line.strip() in shown for line in source.splitlines())


def test_the_page_runs_nothing_that_stands_in_a_program(report: Report) -> None:
    trace = trace_of(report)
    page = as_margin.page("x = '<script>alert(1)</script><img src=y>'\n", trace, "<b>")
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert "&lt;script&gt;" in page
