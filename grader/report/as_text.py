"""The report as the learner reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grader.base import sanitize
from grader.base.model import CheckResult, Report, Status, Tried, Verdict
from grader.report import parts
from grader.report.style import FILE, Style

RULE = "=" * 60

MARKED = ("- ", "+ ")
"""What precedes a learner's line and one to write in its place."""
MOST_SHOWN = 200
"""Characters of a learner's line."""


def render(
    report: Report,
    style: Style = FILE,
    *,
    verbose: bool = False,
    brief: bool = False,
    hint_level: int = 1,
    levels: Mapping[str, int] | None = None,
) -> str:
    """The whole report as text, not wrapped and not coloured.

    It ends in what to do next, which a terminal then shows. ``verbose`` adds the original error
    texts, how the file was run, and each check that waits; ``brief`` leaves out what passed.
    ``hint_level`` is how many of each check's hints are shown, at least one; ``levels`` may raise
    it for some checks, by id.
    """
    shown = dict.fromkeys((check.id for check in report.checks), hint_level)
    shown |= {name: max(hint_level, level) for name, level in (levels or {}).items()}
    lines = [f"Running tests for Step {report.step.removeprefix('s')}: {report.title}...", ""]
    lines.append("Results:")
    if report.problem is not None:
        lines += unread(report, report.problem, style, verbose=verbose)
    else:
        lines += _results(report, style, shown, verbose=verbose, brief=brief)
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:"]
        lines += [f"  | {line}" for line in report.output.splitlines()]
    if verbose:
        lines += ["", *_circumstances(report)]
    rule = [] if style.words else [RULE]
    lines += ["", *rule, closing(report, style), *rule, *_guidance(report, style, shown)]
    return style.text("\n".join(lines) + "\n")


def _results(
    report: Report, style: Style, levels: Mapping[str, int], *, verbose: bool, brief: bool
) -> Iterator[str]:
    """The checks in their order; those that wait come last, counted."""
    if brief and report.score:
        yield passing(report, style)
    shown = [
        check
        for check in report.checks
        if (verbose or check.waits_for is None) and not (brief and check.status is Status.PASS)
    ]
    yield from several(shown, style, levels, verbose=verbose)
    if not verbose:
        yield from waiting(report, style)


def several(
    checks: Iterable[CheckResult],
    style: Style,
    levels: Mapping[str, int],
    *,
    verbose: bool = False,
) -> Iterator[str]:
    """The lines on these checks. The same error at the same line is explained once."""
    explained: set[tuple[int, str]] = set()
    for check in checks:
        lines = one_check(check, style, verbose=verbose, hint_level=levels.get(check.id, 1))
        if check.status is Status.FAIL and check.line is not None and check.hints:
            key = check.line, check.hints[0]
            if key in explained:
                yield from (next(lines), f"   {check.place}, as above.")
                continue
            explained.add(key)
        yield from lines


def passing(report: Report, style: Style) -> str:
    """How many checks pass."""
    return f"{style.marks[Status.PASS]} {report.score} of {report.max_score} checks pass"


def waiting(report: Report, style: Style) -> Iterator[str]:
    """How many checks wait for what."""
    yield from (f"{style.marks[Status.NOT_RUN]} {line}" for line in parts.waiting(report))


def _guidance(report: Report, style: Style, levels: Mapping[str, int]) -> Iterator[str]:
    """What happened, and the check to fix first; nothing where the list has only that."""
    if told := happened(report):
        yield from ("", *told)
    if report.problem is None and report.first_to_fix is not None:
        yield from ("", *fix_first(report.first_to_fix, style, levels))
    if report.tried is not None:
        yield from ("", *tried(report.tried, style))


def fix_first(check: CheckResult, style: Style, levels: Mapping[str, int]) -> Iterator[str]:
    """The check to fix before any other, with as many hints as asked for."""
    yield "Fix this first:"
    yield from one_check(check, style, hint_level=levels.get(check.id, 1))


def one_check(
    check: CheckResult, style: Style, *, verbose: bool = False, hint_level: int = 1
) -> Iterator[str]:
    """The lines on one check: its sentence, where, why, and as many hints as asked for."""
    yield f"{style.marks[check.status]} {check.message}"
    if check.line is not None and check.status is Status.FAIL:
        yield f"   {check.place}: {check.text}" if check.text else f"   {check.place}"
    if check.note:
        label = "Note: " if check.status is Status.PASS else ""
        yield from (f"   {label}{line}" for line in check.note.splitlines())
    if check.status in (Status.FAIL, Status.ERROR):
        for hint in parts.hints(check, hint_level):
            first, *more = hint.split("\n")
            yield f"   Hint: {first}"
            yield from (f"         {line}" for line in more)
    if verbose and check.detail:
        yield from (f"   | {line}" for line in check.detail.splitlines())


def achieved(change: Tried) -> str:
    """What a change that was tried achieves."""
    if change.right is not None:
        return "right in the first {} of {} trials".format(*change.right)
    return "passes" if change.passes else "gets you past this check"


def tried(change: Tried, style: Style) -> Iterator[str]:
    """The last hint: a change of the learner's lines, and what it achieves."""
    yield f"Tried on your file: {achieved(change)}"
    words = {"- ": "Your line: ", "+ ": "Instead: "} if style.words else {}
    code = [line[2:].expandtabs(4) for line in change.lines if line[:2] in MARKED]
    indent = min((len(line) - len(line.lstrip()) for line in code if line.strip()), default=0)
    for line in change.lines:
        mark = line[:2] if line[:2] in MARKED else ""
        text = line[2:].expandtabs(4)[indent:] if mark else line
        yield f"   {words.get(mark, mark)}{sanitize.line(text, MOST_SHOWN)}"


def unread(
    report: Report, problem: CheckResult, style: Style, *, verbose: bool = False
) -> Iterator[str]:
    """Why the file could not be read. All checks wait for that, so they get no lines."""
    yield from one_check(problem, style, verbose=verbose)
    yield f"{style.marks[Status.NOT_RUN]} All {report.max_score} checks wait until this is fixed."


def happened(report: Report) -> list[str]:
    """The mistake that explains the numbers, and where they leave the path; empty if unknown."""
    lines = []
    for one in report.diagnosis:
        lines.append(f"   {one.message}")
        lines += [f"   Lesson: {one.lesson}"] if one.lesson else []
    lines += [f"   {line}" for line in (report.trace.told if report.trace else ())]
    return ["What happened:", *lines] if lines else []


def _circumstances(report: Report) -> Iterator[str]:
    """How the file was run: isolation tier, engine, seed, what the engine left to MAX."""
    if report.isolation is None:
        yield "How it ran: the file was not run."
    else:
        yield (
            f"How it ran: {report.isolation}, engine {report.engine}. "
            f"--seed {report.seed} draws the same inputs again."
        )
    yield from (f"Engine: {line}" for line in report.left)


def closing(report: Report, style: Style) -> str:
    """The last line: the outcome."""
    emoji = style.unicode and not style.words
    match report.verdict:
        case Verdict.PASS:
            return (
                f"{'🎉 ' if emoji else ''}All checks passed! Your implementation matches "
                "the solution."
            )
        case Verdict.ERROR:
            return (
                f"{'⛔ ' if emoji else ''}The grader could not finish. This is not your "
                "mistake, and it costs you nothing."
            )
    return f"{'⚠️ ' if emoji else ''}Some checks failed. Review the hints above and try again."
