"""The report as a piece of a web page: the sentences of the text, without scripts or ids.

Every text in it is escaped, whoever wrote it. Colours are those that both a light and a dark page
can have, because the page is somebody else's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape

from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report import as_text, parts
from grader.report.style import FILE, MARKS

STYLE = (
    ".grader{line-height:1.5;max-width:60rem}.grader p{margin:.3rem 0}"
    ".grader.grader ul{list-style:none;margin:.5rem 0;padding:0}"
    ".grader li{border-left:4px solid #7d8590;margin:.5rem 0;padding:0 0 0 .7rem}"
    ".grader .fail{border-color:#d1242f}.grader .pass{border-color:#1a7f37}"
    ".grader .error{border-color:#bf8700}"
    ".grader pre{background:rgba(127,127,127,.13);margin:.3rem 0;overflow-x:auto;"
    "padding:.3rem .6rem}"
    ".grader pre,.grader code{font-family:ui-monospace,monospace;font-size:.92em}"
    ".grader figure{margin:1rem 0}.grader img{height:auto;max-width:100%}"
    ".grader summary{cursor:pointer;margin:.5rem 0}"
)
"""A class twice counts more than the page's own rules for its lists and tables."""
MOST_OPEN = 4
"""More failing checks than that are folded."""
SPOKEN = {"pass": "passed", "fail": "failed", "not_run": "not run", "error": "error"}


def render(report: Report, levels: Mapping[str, int], picture: str = "") -> str:
    """The report; first what to do, then everything else.

    ``levels`` has the number of hints to show, by check. ``picture`` is HTML of ours.
    """
    body = "\n".join(_parts(report, levels, picture))
    return f'<style>{STYLE}</style>\n<div class="grader">\n{body}\n</div>\n'


def _parts(report: Report, levels: Mapping[str, int], picture: str) -> Iterator[str]:
    yield f"<p><strong>Step {report.step.removeprefix('s')}: {escape(report.title)}</strong></p>"
    yield f"<p>{escape(_closing(report))}</p>"
    yield from (paragraph(f"Note: {note}") for note in report.notes)
    if told := as_text.explanation(report, FILE, levels):
        yield explanation(told)
    yield picture
    yield from _others(report, levels)
    if report.output:
        yield "<p>Your program printed:</p>"
        yield f"<pre>{escape(report.output)}</pre>"
    yield f"<p><small>{parts.VERSION}</small></p>"


def _closing(report: Report) -> str:
    """The outcome; the hints are below it, not above."""
    if report.verdict in (Verdict.PASS, Verdict.ERROR):
        return as_text.closing(report, FILE)
    if report.problem is not None:
        return "⚠️ No check was run."
    return f"⚠️ Some checks failed: {report.score} of {report.max_score} pass."


def _others(report: Report, levels: Mapping[str, int]) -> Iterator[str]:
    """The checks; those that pass are folded."""
    if report.problem is not None:
        yield paragraph(f"All {report.max_score} checks wait until this is fixed.")
        return
    wrong = (Status.FAIL, Status.ERROR)
    failing = [one for one in report.checks if one.status in wrong]
    if failing:
        opened = "" if len(failing) > MOST_OPEN else " open"
        verb = "fails" if len(failing) == 1 else "fail"
        yield f"<details{opened}><summary>{len(failing)} {verb}</summary>"
        yield checks(failing, levels, as_text.settled(report))
        yield "</details>"
    waits = [one for one in report.checks if one.status is Status.NOT_RUN and not one.waits_for]
    yield checks(waits, levels)
    yield from (paragraph(f"{MARKS['not_run']} {line}") for line in parts.waiting(report))
    passed = [one for one in report.checks if one.status is Status.PASS]
    if passed:
        verb = "passes" if len(passed) == 1 else "pass"
        yield f"<details><summary>{len(passed)} {verb}</summary>"
        yield checks(passed, levels)
        yield "</details>"


def checks(
    every: Iterable[CheckResult], levels: Mapping[str, int], settled: Collection[str] = ()
) -> str:
    """A list of checks, each with its sentence, where, why and its hints; empty for none."""
    items = []
    for one in every:
        said = "".join(_check(one, levels.get(one.id, 1), settled=one.id in settled))
        items.append(f'<li class="{one.status.value}">{said}</li>')
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _check(check: CheckResult, level: int, *, settled: bool) -> Iterator[str]:
    name = check.status.value
    mark = f'<span role="img" aria-label="{SPOKEN[name]}">{MARKS[name]}</span>'
    yield f"<p>{mark} {escape(check.message)}</p>"
    if check.line is not None and check.status is Status.FAIL:
        code = f"<code>{escape(check.text)}</code>" if check.text else ""
        yield f"<p>{check.place}: {code}</p>" if code else f"<p>{check.place}</p>"
    if check.note:
        label = "Note: " if check.status is Status.PASS else ""
        yield paragraph(label + check.note)
    if settled:
        yield paragraph(as_text.SETTLED)
    elif check.status in (Status.FAIL, Status.ERROR):
        yield from (paragraph(f"Hint: {hint}") for hint in parts.hints(check, level))


def explanation(lines: Sequence[str]) -> str:
    """The lines of the explanation, as they stand in a terminal."""
    return f'<pre tabindex="0">{escape(chr(10).join(lines))}</pre>'


def paragraph(text: str) -> str:
    """A text as a paragraph with its line ends and indents."""
    lines = (line.replace("  ", "\u00a0 ") for line in text.splitlines())
    return f"<p>{'<br>'.join(escape(line) for line in lines)}</p>"
