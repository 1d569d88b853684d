"""The report as the learner reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report import code_frame, parts
from grader.report.style import FILE, Style

RULE = "=" * 60

SETTLED = "The change under “Fix this first” settles this."
"""What stands in the place of hints where a change that was tried makes a check pass."""


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
    lines += ["", *rule, closing(report, style), *rule]
    if told := explanation(report, style, shown):
        lines += ["", *told]
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
    yield from several(shown, style, levels, verbose=verbose, settled=settled(report))
    if not verbose:
        yield from waiting(report, style)


def several(
    checks: Iterable[CheckResult],
    style: Style,
    levels: Mapping[str, int],
    *,
    verbose: bool = False,
    settled: Collection[str] = (),
) -> Iterator[str]:
    """The lines on these checks. The same error at the same line is explained once.

    Those that are ``settled`` by the change that is told below have no hints.
    """
    explained: set[tuple[int, str]] = set()
    for check in checks:
        shown = replace(check, hints=()) if check.id in settled else check
        lines = one_check(shown, style, verbose=verbose, hint_level=levels.get(check.id, 1))
        if check.id in settled:
            yield from (*lines, f"   {SETTLED}")
            continue
        if check.status is Status.FAIL and check.line is not None and check.hints:
            key = check.line, check.hints[0]
            if key in explained:
                yield from (next(lines), f"   {check.place}, as above.")
                continue
            explained.add(key)
        yield from lines


def settled(report: Report) -> tuple[str, ...]:
    """The failing checks of which it is known that a change settles them."""
    return report.explanation.settled if report.explanation is not None else ()


def passing(report: Report, style: Style) -> str:
    """How many checks pass."""
    return f"{style.marks[Status.PASS]} {report.score} of {report.max_score} checks pass"


def waiting(report: Report, style: Style) -> Iterator[str]:
    """How many checks wait for what."""
    yield from (f"{style.marks[Status.NOT_RUN]} {line}" for line in parts.waiting(report))


def explanation(report: Report, style: Style, levels: Mapping[str, int]) -> list[str]:
    """What to fix before anything else, and what is known of it; empty if nothing fails."""
    first = report.first_to_fix
    return list(code_frame.lines(report, style, levels.get(first.id, 1))) if first else []


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


def unread(
    report: Report, problem: CheckResult, style: Style, *, verbose: bool = False
) -> Iterator[str]:
    """Why the file could not be read. All checks wait for that, so they get no lines."""
    yield from one_check(problem, style, verbose=verbose)
    yield f"{style.marks[Status.NOT_RUN]} All {report.max_score} checks wait until this is fixed."


def _circumstances(report: Report) -> Iterator[str]:
    """How the file was run: isolation tier, engine, seed, what was left to MAX, version."""
    if report.isolation is None:
        yield "How it ran: the file was not run."
    else:
        yield (
            f"How it ran: {report.isolation}, engine {report.engine}. "
            f"--seed {report.seed} draws the same inputs again."
        )
    yield from (f"Engine: {line}" for line in report.left)
    yield parts.VERSION


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
