"""What a notebook shows: HTML for a page, and the same as text."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

from grader.base import course, sanitize
from grader.base.blanks import make_answer
from grader.base.model import LEVELS, Status, Verdict
from grader.learner import hints, lesson, program_diff, progress
from grader.learner.navigation import following
from grader.learner.tasks import task
from grader.notebook.messages import Answer
from grader.report import as_html, as_margin, as_text, code_frame, parts
from grader.report.figures import failure, svg
from grader.report.figures.heatmap import spoken
from grader.report.figures.layout import SMALL
from grader.report.style import FILE

if TYPE_CHECKING:
    from grader.base.model import CheckResult, Excerpt, Report, Step
    from grader.learner.attempt import Attempt

TRACE_STYLE = (
    ".grader.grader table{border-collapse:collapse;display:table;margin:.5rem 0;"
    "table-layout:auto;width:100%}"
    ".grader.grader tbody tr{background:none}"
    ".grader.grader td,.grader.grader th{border:0;max-width:none;padding:0 .6rem;"
    "text-align:left;vertical-align:top;white-space:nowrap}"
    ".grader.grader td code{background:none;padding:0;white-space:pre-wrap}"
    ".grader.grader tr.left{background:rgba(209,36,47,.18)}.grader .left td{font-weight:600}"
)
FEW = 8
"""A difference from the reference of at most this many lines is shown after a pass."""
MOST_SHOWN = 200
"""Characters of a learner's line."""
NOT_LOADED = "The cell was not run in the notebook, so its names are not defined there yet."


def report(step: Step, found: Attempt, *, loaded: bool) -> Answer:
    """The report on a cell, with the picture, and after a pass what comes next."""
    seen = found.report
    levels = hints.shown(found.known)
    html = as_html.render(seen, levels, _picture(seen.excerpt) if seen.excerpt else "")
    text = as_text.render(seen, levels=levels)
    after = []
    if seen.verdict is Verdict.PASS:
        after = _after_pass(step, found)
    elif seen.verdict is Verdict.ERROR:
        after = [f"What is wrong on this machine, and how to fix it: {task('doctor')}"]
    elif not loaded:
        after = [NOT_LOADED]
    if found.note:
        after.insert(0, found.note)
    return Answer(html + _closing(after), "\n".join([text, *after]), loaded)


def hint(step: Step, found: Attempt, check_id: str | None) -> Answer:
    """The hints of one check, as many as were asked for; by default of the first that fails."""
    seen = found.report
    if seen.verdict is Verdict.PASS:
        return words(f"Step {step.number} passes, so there is nothing to hint at.\n")
    check = _sought(seen, check_id)
    if check is None:
        return words("Nothing fails, but the run did not end well. Run the cell again.\n")
    level = hints.shown(found.known).get(check.id, 1)
    lines = list(as_text.one_check(check, FILE, hint_level=level))
    pieces = [as_html.checks([check], {check.id: level})]
    change = seen.explanation.change if seen.explanation is not None else None
    if change is not None and not (change.passes or check_id in (None, change.check)):
        change = None
    if change is not None and parts.used_up(check, level):
        told = list(code_frame.changed(change, seen, FILE))
        lines += ["", *told]
        pieces.append(as_html.explanation(told))
    more = _more(step, check, level, tried=change is not None)
    return Answer(_framed("".join(pieces)) + _closing(more), "\n".join([*lines, "", *more]))


def _sought(seen: Report, check_id: str | None) -> CheckResult | None:
    if seen.problem is not None:
        return seen.problem
    wanted = (one for one in seen.checks if check_id in (None, one.id))
    return next((one for one in wanted if check_id or one.status is Status.FAIL), None)


def _more(step: Step, check: CheckResult, level: int, *, tried: bool) -> list[str]:
    """Where there is more help."""
    if check.status is not Status.FAIL:
        return []
    if level < LEVELS and level < len(check.hints):
        return ["Another hint: %hint"]
    if not parts.used_up(check, level):
        return ["We tried a change on your cell: %hint"]
    if tried:
        return [f"The reference: {step.solution.relative_to(step.root).as_posix()}"]
    return ["Small changes to your cell were tried, but none helped."]


def trace(seen: Report, source: str) -> Answer:
    """The cell with what each line computed."""
    if seen.trace is None:
        return words("Nothing can be followed yet. Fix what the report shows first.\n")
    table = as_margin.table(source, seen.trace)
    return Answer(_framed(table, TRACE_STYLE), as_margin.text(source, seen.trace, FILE))


def words(text: str) -> Answer:
    """A sentence or two."""
    return Answer(_framed(as_html.paragraph(text)), text)


def _framed(body: str, style: str = "") -> str:
    return f'<style>{as_html.STYLE}{style}</style>\n<div class="grader">{body}</div>'


def _closing(lines: list[str]) -> str:
    """What follows a report. A line that is indented belongs to the one above."""
    said = "".join(as_html.paragraph(line) for line in lines if line.strip())
    return f'\n<div class="grader">{said}</div>' if said else ""


def _picture(excerpt: Excerpt) -> str:
    """The first wrong numbers, as an image: nothing around it can change how it looks."""
    figure = failure.figure(excerpt)
    data = b64encode(svg.document(figure, SMALL).encode()).decode()
    caption = f"{figure.title}. {figure.text}"
    return (
        f'<figure><img alt="{escape(spoken(figure))}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _after_pass(step: Step, found: Attempt) -> list[str]:
    """A question, how the cell differs from the reference, and what comes next."""
    lines = []
    if asked := lesson.questions(step):
        question, _ = asked[found.known.attempts % len(asked)]
        lines += [f"Check yourself: {question}", 'The answer is in the lesson, "Check yourself".']
    changed = _changed(step, found.cell or b"")
    if not changed:
        lines.append("Apart from comments and layout, your code is identical to the reference.")
    elif len(changed) <= FEW:
        lines.append(f"Yours (-) and the reference (+) differ in {_lines(len(changed))}:")
        lines += [f"   {line}" for line in changed]
    else:
        where = step.solution.relative_to(step.root).as_posix()
        lines.append(f"Yours and the reference, {where}, differ in {_lines(len(changed))}.")
    after = following(step, course.steps(step.root), progress.read(step.root)[0])
    if after is not None:
        begin = task(f"notebook {after.id}")
        lines.append(f"Next is step {after.number}: {after.title}. {begin}")
    return lines


def _lines(number: int) -> str:
    return f"{number} line{'' if number == 1 else 's'}"


def _changed(step: Step, cell: bytes) -> list[str]:
    reference = make_answer(step.solution.read_text(encoding="utf-8"))
    found = program_diff.difference(cell.decode("utf-8", "replace"), reference, 0)
    return [sanitize.line(line, MOST_SHOWN) for line in found if line[:1] in "+-"]
