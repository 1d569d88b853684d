"""The report as the learner reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.base.model import LEVELS, CheckResult, Report, Status, Verdict
from grader.report.style import FILE, Style

RULE = "=" * 60


def render(
    report: Report,
    style: Style = FILE,
    *,
    verbose: bool = False,
    hint_level: int = 1,
    levels: Mapping[str, int] | None = None,
) -> str:
    """The whole report as text, not wrapped and not coloured.

    ``verbose`` adds the original error texts and how the file was run. ``hint_level`` is how
    many of each check's hints are shown, at least one; ``levels`` may raise it for some checks,
    by id.
    """
    lines = [f"Running tests for Step {report.step.removeprefix('s')}: {report.title}...", ""]
    lines.append("Results:")
    if report.problem is not None:
        lines += unread(report, report.problem, style, verbose=verbose)
    for check in () if report.problem else report.checks:
        level = max(hint_level, (levels or {}).get(check.id, 1))
        lines += one_check(check, style, verbose=verbose, hint_level=level)
    lines += _diagnosis(report)
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:"]
        lines += [f"  | {line}" for line in report.output.splitlines()]
    if verbose:
        lines += ["", *_circumstances(report)]
    rule = [] if style.words else [RULE]
    lines += ["", *rule, closing(report, style), *rule]
    return style.text("\n".join(lines) + "\n")


def one_check(
    check: CheckResult, style: Style, *, verbose: bool = False, hint_level: int = 1
) -> Iterator[str]:
    """The lines on one check: its sentence, where, why, and as many hints as asked for."""
    yield f"{style.marks[check.status]} {check.message}"
    if check.line is not None and check.status is Status.FAIL:
        yield f"   Line {check.line}: {check.text}" if check.text else f"   Line {check.line}"
    if check.note:
        label = "Note: " if check.status is Status.PASS else ""
        yield from (f"   {label}{line}" for line in check.note.splitlines())
    if check.status in (Status.FAIL, Status.ERROR):
        shown = check.hints if hint_level >= LEVELS else check.hints[: max(1, hint_level)]
        for hint in shown:
            first, *more = hint.split("\n")
            yield f"   Hint: {first}"
            yield from (f"         {line}" for line in more)
    if verbose and check.detail:
        yield from (f"   | {line}" for line in check.detail.splitlines())


def unread(
    report: Report, problem: CheckResult, style: Style, *, verbose: bool = False
) -> Iterator[str]:
    """Why the file could not be read. All checks wait for that, so they get no lines."""
    yield from one_check(problem, style, verbose=verbose)
    yield f"{style.marks[Status.NOT_RUN]} All {report.max_score} checks wait until this is fixed."


def _diagnosis(report: Report) -> Iterator[str]:
    followed = report.trace.told if report.trace else ()
    if not report.diagnosis and not followed:
        return
    yield ""
    yield "What happened:"
    for one in report.diagnosis:
        yield f"   {one.message}"
        if one.lesson:
            yield f"   Lesson: {one.lesson}"
    yield from (f"   {line}" for line in followed)


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
