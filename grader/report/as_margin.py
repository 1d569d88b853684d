"""A learner's program with what each line computed: its shape, and whether the reference has it."""

from __future__ import annotations

import html
from collections.abc import Iterator

from grader.base import sanitize
from grader.base.model import Margin, Trace
from grader.report.style import Style

MARKS = {"right": "✓", "left": "✗", "unknown": "·"}
ASCII = {"right": "+", "left": "x", "unknown": "."}
WORDS = {"right": "right:", "left": "wrong from here:", "unknown": "not compared:"}

NOTHING = "No line of this program computed numbers to follow."
LEGEND = "{right} the reference has it too   {left} leaves the path   {unknown} not known"


def text(source: str, trace: Trace, style: Style) -> str:
    """The program, numbered; below each line that computed numbers, what they are."""
    marks = WORDS if style.words else MARKS if style.unicode else ASCII
    lines = [f"{number}  {line}" for number, line in _lines(source, trace, marks)]
    legend = [] if style.words else ["", LEGEND.format(**marks)]
    return style.text("\n".join([*lines, *legend, *_told(trace)]) + "\n")


def page(source: str, trace: Trace, title: str) -> str:
    """The same as a self-contained web page."""
    name = html.escape(title)
    head = f'<html lang="en"><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
    return f"<!doctype html>\n{head}\n<h1>{name}</h1>{table(source, trace)}\n</html>\n"


def table(source: str, trace: Trace) -> str:
    """What it says, as a piece of a page: the sentences, then the lines."""
    by_line = {one.line: one for one in trace.margin}
    rows = []
    for number, line in enumerate(source.splitlines(), 1):
        one = by_line.get(number)
        mark, note = (one.mark, _note(one, MARKS)) if one is not None else ("", "")
        code = html.escape(_clean(line))
        rows.append(
            f'<tr class="{mark}"><th scope="row">{number}</th><td><code>{code}</code></td>'
            f"<td>{html.escape(note)}</td></tr>"
        )
    told = "".join(f"<p>{html.escape(line)}</p>" for line in trace.told)
    body = "\n".join(rows)
    names = "<tr><th>Line</th><th>Your program</th><th>What it computed</th></tr>"
    return f"{told}\n<table>\n{names}\n{body}\n</table>"


STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui;margin:1rem auto;max-width:70rem;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}"
    "td,th{padding:0 .6rem;text-align:left;vertical-align:top}"
    "code{white-space:pre-wrap;font:0.9rem/1.5 ui-monospace,monospace}"
    ".right td:last-child{color:light-dark(#11663a,#6fd39b)}"
    ".left{background:light-dark(#fde2e0,#5c1f1b)}.left td:last-child{font-weight:600}"
)


def _lines(source: str, trace: Trace, marks: dict[str, str]) -> Iterator[tuple[str, str]]:
    by_line = {one.line: one for one in trace.margin}
    every = source.splitlines()
    width = len(str(len(every)))
    for number, line in enumerate(every, 1):
        yield f"{number:>{width}}", _clean(line)
        if number in by_line:
            indent = " " * (len(line) - len(line.lstrip()))
            yield " " * width, f"{indent}{_note(by_line[number], marks)}"


def _clean(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return indent + sanitize.line(line.strip(), 400) if line.strip() else ""


def _note(one: Margin, marks: dict[str, str]) -> str:
    return " ".join(filter(None, (marks[one.mark], one.shape, one.name)))


def _told(trace: Trace) -> Iterator[str]:
    if not trace.margin:
        yield from ("", NOTHING)
    if trace.told:
        yield ""
        yield from trace.told
