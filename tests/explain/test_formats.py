"""Every format draws the same explanation, of many failing programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from html import unescape
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.base.model import Explanation, Report, Step, Verdict
from grader.explain.repair import suggest
from grader.learner.attempt import Attempt
from grader.learner.desk import view_model
from grader.learner.progress import StepProgress
from grader.learner.watch.screen import report_text
from grader.notebook import page
from grader.pipeline import Follow, Options, grade
from grader.report import as_gradescope, as_html, as_json, as_text, code_frame
from grader.report.style import FILE, Style, paint
from grader.sandbox import WorkerPool
from tests.graded import mistakes, variants
from tests.marks import todays
from tests.mutate import mutants, plain

STEPS = course.steps()
COUNT, FEWER = 20, {"s06": 9, "s10": 12, "s11": 12, "s12": 8}
"""Programs of a step: fewer where each takes long."""
MUTANTS = 2
"""Of them made by machine; of the others as many are variants as mistakes of the corpus."""
BUDGET_S = 0.2
"""For a search; what it finds does not matter here."""
SAID = re.compile(r"Fix this first:.*", re.DOTALL)
STYLES = [
    Style(width=width, unicode=u, words=w)
    for width in (80, 40)
    for u, w in [(True, False), (False, False), (True, True)]
]
MARKS = {
    (True, False): {"right": "✓", "wrong": "✗", "error": "← the error", "change": "← here"},
    (False, False): {"right": "+", "wrong": "x", "error": "<- the error", "change": "<- here"},
    (True, True): {
        "right": "right:",
        "wrong": "wrong:",
        "error": "raises the error",
        "change": "change this",
    },
}
"""By ``unicode`` and ``words``."""


def programs(step: str) -> Iterator[str]:
    half = (FEWER.get(step, COUNT) - MUTANTS) // 2
    wrong = [one for one in variants.of(step, right=False) if not one.fresh]
    yield from (one.source.decode() for one in variants.sample(wrong, half))
    yield from (one.source for one in variants.sample(mistakes.of(step), half))
    right = plain(make_answer(course.find(step).solution.read_text(encoding="utf-8")))
    yield from (one.source for one in islice(mutants(right, Random(5)), MUTANTS))


def drawn(step: Step, report: Report) -> Iterator[tuple[str, str]]:
    """What the formats without a style of their own show of the explanation."""
    attempt = Attempt(report, StepProgress())
    html, answer = as_html.render(report, {}), page.report(step, attempt, loaded=True)
    yield "text", as_text.render(report)
    yield "HTML", _pre(html)
    yield "notebook", _pre(answer.html)
    yield "notebook's text", answer.text
    yield "Gradescope", json.loads(as_gradescope.render(report))["output"]


def desk(step: Step, report: Report) -> str:
    """The block that the desk gets in its parts, as it is read from top to bottom."""
    attempt = Attempt(report, StepProgress())
    block = view_model.report(step, STEPS, attempt, {}, whole=True)["explanation"]
    rows = (number + code + fact for number, _, code, fact in block["frame"])
    return bare("".join([block["head"], block["place"], *rows, *block["told"]]))


def bare(text: str) -> str:
    """Without white space and without the bar between a line and its number."""
    return re.sub(r"[\s│]", "", text)


def _pre(html: str) -> str:
    """The explanation in a page."""
    return unescape(html.partition('<pre tabindex="0">')[2].partition("</pre>")[0])


def parts(one: Explanation, report: Report, style: Style) -> Iterator[str]:
    """What must be there beside the frame."""
    yield one.cause
    if one.line is not None:
        yield f"{report.file}, after line {one.line}" if one.after else f"{report.file}:{one.line}"
    yield from (*one.facts, one.said, f"Lesson: {one.lesson}" if one.lesson else "")
    if one.change is not None and not one.shown:
        yield code_frame.what(one.change)
    old, new = ("Your line:", "Instead:") if style.words else ("-", "+")
    for change in one.change.changes if one.change is not None and one.shown else ():
        yield from (old + line for line in change.old)
        yield from (new + line for line in change.new)


def squeezed(text: str) -> str:
    """Without white space, which is where lines are broken."""
    return "".join(text.split())


def lacking(one: Explanation, report: Report, block: str, style: Style) -> Iterator[str]:
    """What of an explanation is not in a block."""
    whole = squeezed(block)
    for part in parts(one, report, style):
        if squeezed(style.text(part)) not in whole:
            yield part
    rows = framed(block)
    marks = MARKS[style.unicode, style.words]
    for line, row in zip(one.frame, rows, strict=True):
        code = squeezed(style.text(line.text.partition("  #")[0]))[:12]
        mark = marks.get(line.mark, "")
        if code not in squeezed(row) or style.text(mark) not in row:
            yield f"{line} in {row!r}"


def framed(block: str) -> list[str]:
    """The rows of the frame, each with what stands below it."""
    rows: list[str] = []
    for line in block.splitlines():
        found = re.match(r" +(\d*) +[│|:?] (.*)", line)
        if found and (found[1] or re.search("‹ here|<here|\\? here", line)):
            rows.append(found[2])
        elif found and rows:
            rows[-1] += f" {found[2]}"
    return rows


@pytest.mark.whole
@pytest.mark.parametrize("step", todays(4, STEPS), ids=lambda step: step.id)
def test_every_format_draws_the_same_explanation(
    step: Step, workers: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggest, "BUDGET_S", BUDGET_S)

    def graded(number: int, source: str) -> Report:
        path = tmp_path / f"{number}.py"
        path.write_text(source, encoding="utf-8")
        report = grade(step, path, Options(seed=3, follow=Follow.FAILING), workers.start)
        return replace(report, file=f"steps/{step.stub.name}")

    sources = list(programs(step.id))
    with ThreadPoolExecutor(2) as threads:
        reports = list(threads.map(graded, range(len(sources)), sources))
    failing = [one for one in reports if one.verdict is Verdict.FAIL]
    wrong = [said for report in failing for said in apart(step, report)]
    assert not wrong, "\n\n".join(wrong)
    assert len(failing) >= 0.9 * len(sources)


def apart(step: Step, report: Report) -> Iterator[str]:
    """How the formats differ from the explanation, and from each other."""
    one = report.explanation
    assert one is not None
    if json.loads(as_json.render(report))["explanation"] != json.loads(json.dumps(asdict(one))):
        yield "JSON"
    lines = list(code_frame.lines(report, FILE))
    for name, text in drawn(step, report):
        told = SAID.search(text)
        found = told[0].splitlines()[: len(lines)] if told else []
        if found != lines:
            yield f"{name}: {found}"
    if (shows := desk(step, report)) != bare("".join(lines)):
        yield f"desk: {shows}"
    for style in STYLES:
        for name, text in (
            ("text", as_text.render(report, style)),
            ("watch", report_text(report, style, {}, 10)),
        ):
            for block in (text, paint(text, style)):
                said = SAID.search(block)
                for part in lacking(one, report, said[0] if said else "", style):
                    yield f"{name}, {style}: {part}\n{said and said[0]}"
