"""A solution, line by line: the code, the shape that a line gave, and what that value is called."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

from book.sources import raw
from grader import sandbox
from grader.base.blanks import make_answer, regions
from grader.base.model import Margin, Step, Verdict
from grader.explain.trace.follow import Start
from grader.pipeline import Follow, Options, grade

SEED = 1
"""Of the trials that the shapes come from; any gives the same page as long as it stays."""


class NotFollowed(Exception):
    """A solution does not pass or its values were not seen: then the course is at fault."""


def pages(steps: Iterable[Step]) -> Iterator[tuple[Step, str]]:
    """The page of each step's solution, as Markdown.

    Raises:
        NotFollowed: with the step.
    """
    with sandbox.preforked() as start, tempfile.TemporaryDirectory() as folder:
        for step in steps:
            source = step.solution.read_text(encoding="utf-8")
            margin = _followed(step, make_answer(source), Path(folder), start)
            yield step, _page(step, source, margin)


def _followed(step: Step, answer: str, folder: Path, start: Start) -> dict[int, Margin]:
    """What each line of the answer gave, in a trial of the grader."""
    path = folder / step.stub.name
    path.write_text(answer, encoding="utf-8")
    report = grade(step, path, Options(seed=SEED, follow=Follow.ALWAYS), start)
    if report.verdict is not Verdict.PASS:
        raise NotFollowed(f"The solution of {step.id} gets the verdict {report.verdict.value!r}.")
    return {} if report.trace is None else {one.line: one for one in report.trace.margin}


def _page(step: Step, source: str, margin: Mapping[int, Margin]) -> str:
    opening = (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[1:2]
    lesson = f"[lesson of step {step.number}](/steps/{step.lesson.stem}.md)"
    shapes = (
        "The last column has the shape that a line gave in one of the grader's trials, and what "
        "the lesson calls that value. "
        if margin
        else ""
    )
    return (
        f"# Solution {step.number}: {step.title}\n\n{''.join(opening)}\n\n"
        f"This is `solutions/{step.solution.name}`, the reference for the {lesson}. {shapes}"
        f"A bar marks the lines that you write.\n\n{raw(_table(source, margin))}"
    )


def _table(source: str, margin: Mapping[int, Margin]) -> str:
    numbered = list(enumerate(zip(_lines(source), _coloured(source), strict=True), start=1))
    rows = "\n".join(
        _row(number, coloured, own, _told(margin, number))
        for number, ((_, own), coloured) in numbered
    )
    gave = "<th>What it gave</th>" if margin else ""
    head = f"<thead><tr><th>Line</th><th>Code</th>{gave}</tr></thead>"
    return f'<table class="lines">\n{head}\n<tbody>\n{rows}\n</tbody>\n</table>'


def _row(number: int, code: str, own: bool, told: str) -> str:
    kind = ' class="own"' if own else ""
    first = f'<th scope="row" id="line-{number}">{number}</th>'
    return f"<tr{kind}>{first}<td><code>{code}</code></td>{told}</tr>"


def _told(margin: Mapping[int, Margin], number: int) -> str:
    """The last cell of a row: what the line gave. There is none where no line gave anything."""
    if number not in margin:
        return "<td></td>" if margin else ""
    one = margin[number]
    return f"<td><code>{escape(one.shape)}</code> {_named(one.name)}</td>"


def _named(name: str) -> str:
    """What the lesson calls a value; what it writes as code is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(name))


def _lines(source: str) -> Iterator[tuple[str, bool]]:
    """The lines of the answer, and whether a line belongs to a blank."""
    blanks = {line: one for one in regions(source) for line in range(one.start, one.end + 1)}
    for number, line in enumerate(source.splitlines(), start=1):
        if number not in blanks:
            yield line, False
        elif blanks[number].start == number:
            yield from ((written, True) for written in blanks[number].solution)


def _coloured(source: str) -> list[str]:
    """The lines of the answer as HTML, each whole in itself."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    made: str = highlight(make_answer(source).rstrip("\n"), lexer, HtmlFormatter(nowrap=True))
    return made.rstrip("\n").split("\n")
