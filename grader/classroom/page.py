"""The teacher's page: one self-contained HTML file that needs no network.

All text that is not ours goes through ``markup.text``. If some slips through, the page's content
security policy allows no script but its own.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from grader.base import sanitize
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.classroom import hardest_checks, markup
from grader.classroom.gradebook import MISSING, Gradebook, Row, first_of
from grader.classroom.roster import Person
from grader.isolation.tiers import CONFINED_SEES, TIERS
from grader.report.figures import failure, svg
from grader.report.parts import VERSION, waiting

HERE = Path(__file__).parent
MARKS = {"pass": "✓", "fail": "✗", "timeout": "…", "error": "!", MISSING: "–"}
WORDS = {"pass": "passed", "fail": "failed", "timeout": "took too long", "error": "grader error"}
MOST_CODE = 60_000
"""Characters of one program on the page."""
STATUS_WORDS = {Status.FAIL: "failed", Status.NOT_RUN: "not run", Status.ERROR: "grader error"}


def render(book: Gradebook) -> str:
    """Render the page on a class: its hardest checks, then everyone."""
    sections = [hardest_checks.checks(book), hardest_checks.mistakes(book, names=True)]
    sections += [_students(book), _similar(book), _left_out(book), _reports(book)]
    skip = '<a class="skip" href="#students">Skip to the students</a>\n'
    summary = f"{_summary(book)} {_isolation(book)}".strip()
    return _whole(book, "Class report", skip, summary, _contents(book), "".join(sections))


def wall(book: Gradebook) -> str:
    """Render it without names and without text from any program, to show to the class."""
    sections = [hardest_checks.checks(book, own=True), hardest_checks.mistakes(book, names=False)]
    return _whole(book, "What the class struggles with", "", _summary(book), "", "".join(sections))


def _whole(book: Gradebook, title: str, skip: str, summary: str, contents: str, body: str) -> str:
    script = (HERE / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    steps = ", ".join(f"{step}: {title}" for step, title in book.titles.items())
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}, {markup.text(', '.join(book.titles))}</title>\n"
        f"<style>\n{(HERE / 'page.css').read_text(encoding='utf-8')}{svg.style()}</style>\n"
        f"</head>\n<body>\n{skip}"
        f'<header>\n<h1>{title}</h1>\n<p class="soft">{markup.text(steps)}</p>\n'
        f"<p>{summary}</p>\n{contents}</header>\n<main>\n{body}</main>\n"
        f'<footer><p class="soft">{VERSION}</p></footer>\n'
        f'<p class="sr" id="said" role="status"></p>\n<script>{script}</script>\n</body>\n</html>\n'
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def _summary(book: Gradebook) -> str:
    parts = []
    for step in book.titles:
        count = Counter(book.row(person, step).verdict for person in book.people)
        said = ", ".join(f"{count[v]} {WORDS.get(v, v)}" for v in MARKS if count[v])
        parts.append(f"{markup.text(step)}: {said}")
    return f"{len(book.people)} people. {'. '.join(parts)}."


def _isolation(book: Gradebook) -> str:
    """Say how many programs ran in which tier."""
    reports = (row.report for row in book.rows.values())
    count = Counter(report.isolation for report in reports if report and report.isolation)
    said = ", ".join(f"{count[tier]} {tier}" for tier in TIERS if count[tier])
    sees = f" {CONFINED_SEES}" if count["confined"] else ""
    return f"Isolation: {said}.{sees}" if said else ""


def _contents(book: Gradebook) -> str:
    names = [("checks", "Checks"), ("mistakes", "Mistakes"), ("students", "Students")]
    names += [("similar", "Equal answers")] if book.similar or book.nearly else []
    names += [("left-out", "Left out")] if book.skipped or book.unlisted() else []
    names += [("reports", "Reports")]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in names)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'


# ---- students ---------------------------------------------------------------------------------


def _students(book: Gradebook) -> str:
    heads = [("Student", False)]
    for step in book.titles:
        heads += [(step, False), (f"{step} points", True)]
    heads += [("Total", True)] if len(book.titles) > 1 else []
    heads += [("First to fix", False)]
    options = "".join(f'<option value="{v}">{WORDS.get(v, v)}</option>' for v in MARKS)
    tools = (
        '<p class="tools" hidden><label>Search <input type="search" id="search"></label>'
        f'<label>Show <select id="only"><option value="">everyone</option>{options}</select>'
        "</label></p>\n"
    )
    rows = (_student(book, person, index) for index, person in enumerate(book.people))
    return markup.section(
        "students", "Students", tools + markup.table("class", "One row each", heads, rows)
    )


def _student(book: Gradebook, person: Person, index: int) -> str:
    rows = [book.row(person, step) for step in book.titles]
    cells = [f'<th scope="row"><a href="#p{index}">{markup.text(person.name)}</a></th>']
    for step, row in zip(book.titles, rows, strict=True):
        cells.append(f"<td>{_verdict(row)}</td>{markup.number(book.score(row), book.most[step])}")
    if len(rows) > 1:
        scores = [book.score(row) for row in rows]
        known = [score for score in scores if score is not None]
        total = sum(known) if len(known) == len(scores) else None
        cells.append(markup.number(total, sum(book.most.values())))
    said = "; ".join(filter(None, map(_first, rows)))
    verdicts = " ".join(row.verdict for row in rows)
    return f'<tr data-verdicts="{verdicts}">{"".join(cells)}<td>{markup.text(said)}</td></tr>\n'


def _verdict(row: Row) -> str:
    late = ' <span class="late">late</span>' if row.answer and row.answer.late else ""
    word = WORDS.get(row.verdict, row.verdict)
    mark = f'<span aria-hidden="true">{MARKS[row.verdict]}</span>'
    return f'<span class="verdict {row.verdict}">{mark} {word}</span>{late}'


def _first(row: Row) -> str:
    """Return the mistake's message, or the first failing check."""
    if row.report is not None and row.report.diagnosis:
        return row.report.diagnosis[0].message
    return first_of(row)


# ---- the class as a whole ---------------------------------------------------------------------


def _similar(book: Gradebook) -> str:
    if not book.similar and not book.nearly:
        return ""
    index = {person.name: number for number, person in enumerate(book.people)}
    items = []
    for group in book.similar:
        what = f", equal to {group.what}" if group.what else ""
        same = "the same file" if group.same_bytes else "equal except for names and layout"
        people = hardest_checks.links(book, (index[name] for name in group.people))
        items.append(f"<li>{markup.text(group.step)}, {same}{what}: {people}</li>\n")
    for pair in book.nearly:
        people = hardest_checks.links(book, (index[name] for name in pair.people))
        share = f"{100 * pair.share:.0f} % of what is their own is the same"
        items.append(f"<li>{markup.text(pair.step)}, {share}: {people}</li>\n")
    note = (
        '<p class="soft">Only a reason to look: short tasks have few different right answers.</p>\n'
    )
    return markup.section("similar", "Equal answers", f"{note}<ul>\n{''.join(items)}</ul>\n")


def _left_out(book: Gradebook) -> str:
    strangers = [f"{person.name} is not on the roster" for person in book.unlisted()]
    items = "".join(f"<li>{markup.text(each)}</li>\n" for each in [*strangers, *book.skipped])
    return (
        markup.section("left-out", "Left out, or unknown", f"<ul>\n{items}</ul>\n") if items else ""
    )


# ---- one report -------------------------------------------------------------------------------


def _reports(book: Gradebook) -> str:
    people = (_person(book, person, index) for index, person in enumerate(book.people))
    tools = (
        '<p class="tools" hidden><button type="button" id="open-all">Open all</button>\n'
        '<button type="button" id="close-all">Close all</button>\n'
        '<span class="soft">The reports that are open are printed.</span></p>\n'
    )
    return markup.section("reports", "Reports", tools + "".join(people))


def _person(book: Gradebook, person: Person, index: int) -> str:
    parts, brief = [], []
    for number, (step, title) in enumerate(book.titles.items()):
        row = book.row(person, step)
        score = book.grade(row)
        points = (
            f' <span class="soft">{score} / {book.most[step]}</span>' if score is not None else ""
        )
        brief.append(_verdict(row) + points)
        parts.append(f"<h3>{markup.text(step)}: {markup.text(title)}</h3>\n")
        said = "".join(_said(row, book.note(row), f"p{index}-{number}"))
        code = "".join(_code(row, f"{person.name}, {step}"))
        parts.append(f'<div class="pair">\n<div>{said}</div>\n{code}</div>\n')
    return (
        f'<details class="person" id="p{index}"><summary>{markup.text(person.name)} '
        f"{' '.join(brief)}</summary>\n<div>\n{''.join(parts)}</div></details>\n"
    )


def _said(row: Row, note: str, name: str) -> Iterator[str]:
    """Yield where a program was found, and its report."""
    if row.answer:
        yield f'<p class="soft"><code>{markup.text(row.answer.origin)}</code></p>\n'
    if note:
        yield f'<p class="soft">{markup.text(note)}</p>\n'
    if row.report:
        yield from _report(row.report, name)
    elif row.answer:
        yield f"<p>{markup.text(row.answer.problem)}</p>\n"
    else:
        yield "<p>Nothing was handed in.</p>\n"


def _code(row: Row, name: str) -> Iterator[str]:
    """Return the program beside its report, marking the lines that the report names."""
    if not row.code:
        return
    lines = sanitize.block(row.code, MOST_CODE).expandtabs(4).removesuffix("\n").split("\n")
    named = _named(row.report) if row.report else frozenset()
    numbers = "\n".join(str(number) for number in range(1, len(lines) + 1))
    code = "\n".join(
        f"<mark>{markup.text(line)}</mark>" if number in named else markup.text(line)
        for number, line in enumerate(lines, 1)
    )
    yield (
        f'<div class="code" tabindex="0" role="region" aria-label="Program of {markup.text(name)}">'
        f'<pre aria-hidden="true">{numbers}</pre><pre>{code}</pre></div>\n'
    )


def _named(report: Report) -> frozenset[int]:
    """Return the lines that a report mentions."""
    checks = (check for check in report.checks if check.status is not Status.PASS)
    problem = (report.problem,) if report.problem else ()
    return frozenset(one.line for one in (*report.diagnosis, *problem, *checks) if one.line)


def _report(report: Report, name: str) -> Iterator[str]:
    ran = "It was not run." if report.verdict is not Verdict.ERROR else ""
    ran = f"Isolation: {markup.text(report.isolation)}." if report.isolation else ran
    score = f"{report.score} of {report.max_score} checks passed."
    yield f'<p>{score} <span class="soft">{ran}</span></p>\n'
    for one in report.diagnosis:
        line = f" (line {one.line})" if one.line else ""
        yield f"<p><strong>{markup.text(one.message)}</strong>{line}</p>\n"
    checks = ((report.problem,) if report.problem else ()) + report.checks
    shown = [check for check in checks if check.status in (Status.FAIL, Status.ERROR)]
    if shown:
        yield f'<ul class="checks">\n{"".join(map(_check, shown))}</ul>\n'
    for line in waiting(report):
        yield f'<p class="soft">{markup.text(line)}</p>\n'
    if report.excerpt is not None:
        yield failure.as_html(report.excerpt, name)
    for note in report.notes:
        yield f'<p class="soft">Note: {markup.text(note)}</p>\n'
    if report.output:
        yield f"<p>The program printed:</p>\n<pre>{markup.text(report.output)}</pre>\n"


def _check(check: CheckResult) -> str:
    word = STATUS_WORDS[check.status]
    mark = f'<span aria-hidden="true" class="{check.status.value}">✗</span>'
    lines = [f'{mark} <span class="sr">{word}: </span>{markup.text(check.message)}']
    if check.line:
        code = f": <code>{markup.text(check.text)}</code>" if check.text else ""
        lines.append(f"<p>{check.place}{code}</p>")
    lines += [f"<p>{markup.text(line)}</p>" for line in (check.note or "").splitlines()]
    lines += [f'<p class="soft">Hint: {markup.text(hint)}</p>' for hint in check.hints[:1]]
    return f"<li>{''.join(lines)}</li>\n"
