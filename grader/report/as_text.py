"""The report as the learner reads it."""

from __future__ import annotations

from collections.abc import Iterator

from grader.model import CheckResult, Report, Status, Verdict

RULE = "=" * 60
MARKS = {Status.PASS: "✅", Status.FAIL: "❌", Status.NOT_RUN: "➖", Status.ERROR: "⛔"}
PLAIN_MARKS = {
    Status.PASS: "[pass]",
    Status.FAIL: "[FAIL]",
    Status.NOT_RUN: "[not run]",
    Status.ERROR: "[error]",
}


def render(
    report: Report, *, unicode: bool = True, verbose: bool = False, hint_level: int = 1
) -> str:
    """The whole report as text.

    ``unicode`` False uses ASCII marks. ``verbose`` adds the original error texts.
    ``hint_level`` is how many of each check's hints are shown, at least one.
    """
    lines = [f"Running tests for Step {report.step.removeprefix('s')}: {report.title}...", ""]
    lines.append("Results:")
    for check in ((report.problem,) if report.problem else ()) + report.checks:
        lines += _check(check, unicode=unicode, verbose=verbose, hint_level=hint_level)
    lines += _diagnosis(report)
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:"]
        lines += [f"  | {line}" for line in report.output.splitlines()]
    lines += ["", RULE, _closing(report, unicode=unicode), RULE]
    text = "\n".join(lines) + "\n"
    return text if unicode else text.encode("ascii", "replace").decode("ascii")


def _check(check: CheckResult, *, unicode: bool, verbose: bool, hint_level: int) -> Iterator[str]:
    mark = (MARKS if unicode else PLAIN_MARKS)[check.status]
    yield f"{mark} {check.message}"
    if check.line is not None and check.status is Status.FAIL:
        yield f"   Line {check.line}: {check.text}" if check.text else f"   Line {check.line}"
    if check.note:
        label = "Note: " if check.status is Status.PASS else ""
        yield from (f"   {label}{line}" for line in check.note.splitlines())
    if check.status is Status.FAIL:
        yield from (f"   Hint: {hint}" for hint in check.hints[: max(1, hint_level)])
    if verbose and check.detail:
        yield from (f"   | {line}" for line in check.detail.splitlines())


def _diagnosis(report: Report) -> Iterator[str]:
    if not report.diagnosis:
        return
    yield ""
    yield "What happened:"
    for one in report.diagnosis:
        yield f"   {one.message}"
        if one.lesson:
            yield f"   Lesson: {one.lesson}"


def _closing(report: Report, *, unicode: bool) -> str:
    match report.verdict:
        case Verdict.PASS:
            return (
                f"{'🎉 ' if unicode else ''}All checks passed! Your implementation matches "
                "the solution."
            )
        case Verdict.ERROR:
            return (
                f"{'⛔ ' if unicode else ''}The grader could not finish. This is not your "
                "mistake, and it costs you nothing."
            )
    return f"{'⚠️ ' if unicode else ''}Some checks failed. Review the hints above and try again."
