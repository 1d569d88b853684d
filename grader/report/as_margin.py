"""A learner's program with what each line computed: its shape, and whether the reference has it."""

from __future__ import annotations

import ast
import html
from collections.abc import Iterator
from dataclasses import replace

from grader.base import sanitize
from grader.base.model import Margin, Trace
from grader.report.style import Style

MARKS = {"right": "✓", "left": "✗", "follows": "↓", "unknown": "·", "first": "▶", "fold": "…"}
ASCII = {"right": "+", "left": "x", "follows": "v", "unknown": ".", "first": ">", "fold": "..."}
WORDS = {
    "right": "right:",
    "left": "wrong from here:",
    "follows": "follows from that:",
    "unknown": "not compared:",
    "first": "",
    "fold": "not shown:",
}

NOTHING = "No line of this program computed numbers to follow."
LEGEND = (
    "{right} same as the reference   {first} {left} differs from here\n"
    "{follows} only follows from it     {unknown} not compared"
)


def text(source: str, trace: Trace, style: Style) -> str:
    """What is told; the program, numbered; below each line that computed numbers, what they are.

    Functions are folded in which nothing goes wrong.
    """
    marks = WORDS if style.words else MARKS if style.unicode else ASCII
    told = [*trace.told, *([] if trace.margin else [NOTHING])]
    legend = [] if style.words else ["", LEGEND.format(**marks)]
    return style.text(
        "\n".join([*told, *[""][: len(told)], *_lines(source, trace, marks), *legend]) + "\n"
    )


def page(source: str, trace: Trace, title: str) -> str:
    """The same as a self-contained web page, with every line."""
    name = html.escape(title)
    head = f'<html lang="en"><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
    return f"<!doctype html>\n{head}\n<h1>{name}</h1>{table(source, trace)}\n</html>\n"


def table(source: str, trace: Trace) -> str:
    """What it says, as a piece of a page: the sentences, then the lines."""
    by_line = {one.line: one for one in marked(trace)}
    rows = []
    for number, line in enumerate(source.splitlines(), 1):
        one = by_line.get(number)
        mark, note = (one.mark, f"{MARKS[one.mark]} {_note(one)}") if one else ("", "")
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


def marked(trace: Trace) -> list[Margin]:
    """The margin; wrong lines are ``follows`` but for the first that is run."""
    wrong = [one.line for one in trace.margin if one.mark == "left"]
    after = [line for line in wrong if line >= (trace.line or 0)]
    first = min(after or wrong, default=0)
    return [
        replace(one, mark="follows") if one.mark == "left" and one.line != first else one
        for one in trace.margin
    ]


def _lines(source: str, trace: Trace, marks: dict[str, str]) -> Iterator[str]:
    """The program; marks stand in front, and words, for a screen reader, at the note."""
    by_line = {one.line: one for one in marked(trace)}
    every, gone = source.splitlines(), _folded(source, trace)
    width, words = len(str(len(every))), marks is WORDS
    for number, line in enumerate(every, 1):
        if number in gone:
            if number - 1 not in gone:
                count = next(n for n in range(number, len(every) + 2) if n not in gone) - number
                yield f"  {'':{width}}  {marks['fold']} {count} lines"
            continue
        one = by_line.get(number)
        first = marks["first"] if one and one.mark == "left" else ""
        yield f"{first:1} {number:>{width}}  {_clean(line)}".rstrip()
        if one is not None:
            indent = " " * (len(line) - len(line.lstrip()))
            mark, said = ("", f"{marks[one.mark]} ") if words else (marks[one.mark], "")
            yield f"{mark:1} {'':{width}}  {indent}{said}{_note(one)}"


def _folded(source: str, trace: Trace) -> set[int]:
    """What is not shown: lines without a note, outside the function where it goes wrong first."""
    every = set(range(1, len(source.splitlines()) + 1))
    first = next((one.line for one in marked(trace) if one.mark == "left"), None)
    try:
        nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError):
        return set()
    around = [range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in nodes]
    within = min((one for one in around if first in one), key=len, default=None)
    if within is None:
        return set()
    follows = {one.line for one in marked(trace) if one.mark == "follows"}
    touched = [one for one in around if follows & set(one)]
    noted = {one.line for one in marked(trace) if any(one.line in other for other in touched)}
    gone = every - set(within) - noted - {one[0] for one in touched}
    return {line for line in gone if {line - 1, line + 1} & gone}


def _clean(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return indent + sanitize.line(line.strip(), 400) if line.strip() else ""


def _note(one: Margin) -> str:
    return " ".join(filter(None, (one.shape, one.name)))
