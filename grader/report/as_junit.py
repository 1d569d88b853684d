"""Reports as JUnit XML, in the form that Jenkins and GitLab read.

A case is named by its check's id, which is the same whether it passes or fails, so that a
server can follow it from run to run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from grader import __version__
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report.parts import fault, said

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot contain, not even escaped."""


def render(report: Report) -> str:
    """One report: a suite with a case for each check."""
    return render_all([("", report)])


def render_all(reports: Sequence[tuple[str, Report]]) -> str:
    """A suite for each report, named after the student if there is a name."""
    root = Xml.Element("testsuites")
    for student, report in reports:
        root.append(_suite(student, report))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, "unicode") + "\n"


def _suite(student: str, report: Report) -> Xml.Element:
    checks = ((report.problem,) if report.problem else ()) + report.checks
    statuses = [check.status for check in checks]
    suite = Xml.Element(
        "testsuite",
        name=_text(f"{student}: {report.title}" if student else report.title),
        tests=str(len(checks)),
        failures=str(statuses.count(Status.FAIL)),
        errors=str(statuses.count(Status.ERROR)),
        skipped=str(statuses.count(Status.NOT_RUN)),
    )
    if report.duration_s:
        suite.set("time", f"{report.duration_s:.3f}")
    properties = Xml.SubElement(suite, "properties")
    Xml.SubElement(properties, "property", name="grader", value=__version__)
    prefix = f"{student}.{report.step}" if student else report.step
    suite.extend(_case(check, prefix) for check in checks)
    if report.output:
        Xml.SubElement(suite, "system-out").text = _text(report.output)
    if report.verdict is Verdict.ERROR:
        Xml.SubElement(suite, "system-err").text = _text(fault(report))
    return suite


def _case(check: CheckResult, prefix: str) -> Xml.Element:
    case = Xml.Element(
        "testcase", classname=_text(f"{prefix}.{check.kind.value}"), name=_text(check.id)
    )
    if check.status is Status.NOT_RUN:
        Xml.SubElement(case, "skipped").text = _text(check.note or "")
    elif check.status in (Status.FAIL, Status.ERROR):
        name = "failure" if check.status is Status.FAIL else "error"
        found = Xml.SubElement(case, name, type=check.id, message=_text(check.message))
        found.text = _text("\n".join(said(check)))
    return case


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
