"""The report as GitHub Actions' workflow commands: an annotation at the line of each ❌."""

from __future__ import annotations

from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report.parts import fault, said


def render(report: Report) -> str:
    """One command on each line. GitHub shows the first ten errors of a workflow's step."""
    checks = ((report.problem,) if report.problem else ()) + report.checks
    lines = [_error(report, check) for check in checks if check.status is Status.FAIL]
    lines += [_command("notice", one.message, title=report.step) for one in report.diagnosis]
    if report.verdict is Verdict.ERROR:
        lines.append(_command("error", fault(report), title=report.step))
    score = f"{report.score} of {report.max_score} checks passed"
    lines.append(_command("notice", score, title=f"{report.step}: {report.title}"))
    return "\n".join(lines) + "\n"


def _error(report: Report, check: CheckResult) -> str:
    text = "\n".join((check.message, *said(check)))
    known = [check.line, *(one.line for one in report.diagnosis)]
    # The lines of a notebook's cell are not those of its file; the text names them.
    line = "1" if report.file.endswith(".ipynb") else str(next(filter(None, known), 1))
    return _command("error", text, file=report.file, line=line, title=f"{report.step} {check.id}")


def _command(name: str, message: str, **properties: str) -> str:
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(message)}"


def _data(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
