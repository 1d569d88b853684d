"""Each format for machines, against its published schema, whatever a learner's texts hold."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from grader import pipeline
from grader.base import course
from grader.base.model import CheckResult, Diagnosis, Kind, Report, Status, Verdict
from grader.report import as_check50, as_classroom50, as_github, as_gradescope, as_junit
from grader.report.points import Points
from tests.marks import todays

ROOT = course.ROOT
STEP = course.find("s05")
NOW = "2026-01-02T03:04:05Z"
NASTY = "<b>&amp;]]>\x00\x1b[2J\n::error::forged\r%0A::\ud800\ufffe,é"
POINTS = Points({"s05": {"bad": 7, "*": 2}})


def nasty(text: str = NASTY) -> Report:
    """A report with every status, and the same text wherever a learner's may be."""
    checks = (
        CheckResult("good", Kind.SOURCE, Status.PASS, "Good", note=text),
        CheckResult("bad", Kind.RUNTIME, Status.FAIL, text, (text,), 42, text, text, text),
        CheckResult("later", Kind.RUNTIME, Status.NOT_RUN, "Later", note=text),
    )
    diagnosis = (Diagnosis("missing-scale", text, 42),)
    return Report(
        *("s05", "Title", "steps/step_05.py", Verdict.FAIL, checks, diagnosis),
        output=text,
        notes=(text,),
        duration_s=1.5,
    )


def failed_grader() -> Report:
    report = nasty()
    checks = tuple(replace(check, status=Status.ERROR) for check in report.checks)
    return replace(report, verdict=Verdict.ERROR, checks=checks, diagnosis=())


REPORTS = {
    "nasty": nasty(),
    "unreadable": pipeline.unreadable(STEP, f"{NASTY} is a folder", "Name a file."),
    "failed grader": failed_grader(),
}


@pytest.fixture(params=list(REPORTS))
def report(request: pytest.FixtureRequest) -> Report:
    return REPORTS[request.param]


def read(text: str) -> Any:
    text.encode("utf-8")
    return json.loads(text)


# ---- JUnit ------------------------------------------------------------------------------------

DATA = ROOT / "tests" / "data"
JUNIT = xmlschema.XMLSchema(str(DATA / "junit.xsd"))
GRADESCOPE, CHECK50, CLASSROOM50 = (
    json.loads((DATA / f"{name}-schema.json").read_text(encoding="utf-8"))
    for name in ("gradescope", "check50", "classroom50")
)


def test_junit_is_valid(report: Report) -> None:
    """That it is complete, a reader says: see ``test_exports_readers``."""
    JUNIT.validate(io.BytesIO(as_junit.render(report).encode("utf-8")))


@given(st.text())
def test_junit_holds_any_text(text: str) -> None:
    JUNIT.validate(io.BytesIO(as_junit.render_all([(text, nasty(text))]).encode("utf-8")))


# ---- Gradescope -------------------------------------------------------------------------------


def test_gradescope(report: Report) -> None:
    found = read(as_gradescope.render(report, POINTS))
    jsonschema.validate(found, GRADESCOPE)
    if report.verdict is Verdict.ERROR:
        assert "score" not in found
        assert "tests" not in found
    else:
        assert found["score"] == sum(test["score"] for test in found["tests"])
        assert found["score"] == POINTS.score(report)


# ---- check50 ----------------------------------------------------------------------------------


def test_check50(report: Report) -> None:
    found = read(as_check50.render(report))
    jsonschema.validate(found, CHECK50)
    for result in found["results"]:
        assert (result["cause"] is None) == (result["passed"] is True)


# ---- Classroom 50 -----------------------------------------------------------------------------

RUNNER = {
    "CLASSROOM": "cs",
    "ASSIGNMENT": "attention",
    "ASSIGNMENT_TYPE": "group",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2026-01-01T00-00-00Z-abc",
    "COMMIT_URL": "https://github.com/o/r/commit/abc",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/x",
    "REVIEW_URL": "https://github.com/o/r/compare/a...b",
}


@pytest.mark.parametrize("given", [RUNNER, {}, {"GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc"}])
def test_classroom50(report: Report, given: dict[str, str]) -> None:
    found = read(as_classroom50.render(report, given, NOW, POINTS))
    jsonschema.validate(found, CLASSROOM50)
    for total in ("score", "max-score"):
        assert found[total] == sum(test[total] for test in found["tests"])
    if given is RUNNER:
        assert (found["classroom"], found["owner"]) == ("cs", "ada")
        assert found["review"] == RUNNER["REVIEW_URL"]


# ---- GitHub Actions ---------------------------------------------------------------------------

COMMAND = re.compile(r"::(error|notice) ([^:]*)::(.*)")


def unescaped(text: str) -> str:
    """What GitHub's runner makes of a value."""
    for code, letter in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, letter)
    return text


def test_github_has_one_command_a_line_and_no_text_makes_another(report: Report) -> None:
    text = as_github.render(report)
    text.encode("utf-8")
    errors = []
    for line in text.removesuffix("\n").split("\n"):
        match = COMMAND.fullmatch(line)
        assert match, line
        given = dict(pair.split("=", 1) for pair in match[2].split(","))
        if match[1] == "error" and "file" in given:
            errors.append((given["file"], int(given["line"]), unescaped(match[3])))
    failed = [check for check in report.checks if check.status is Status.FAIL]
    failed = ([report.problem] if report.problem else []) + failed
    assert len(errors) == len(failed)
    for (file, number, said), check in zip(errors, failed, strict=True):
        assert (file, number) == (report.file, check.line or 1)
        assert said.startswith(check.message.replace("\ud800", "?"))


# ---- the command ------------------------------------------------------------------------------


def test_the_command_gives_each_format_and_its_exit_status(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from grader.cli import cli

    broken = tmp_path / "step_05.py"
    broken.write_text("def (\n")
    points = tmp_path / "points.toml"
    points.write_text("[s05]\noutput = 5\n")
    forms = (("classroom50", 0), ("gradescope", 1), ("junit", 1), ("github", 1))
    for form, status in todays(2, forms):
        arguments = ["grade", "s05", "--file", str(broken), "--format", form]
        done = CliRunner().invoke(cli, [*arguments, "--points", str(points)])
        assert done.exit_code == status, done.output
        if form == "classroom50":
            found = json.loads(done.stdout)
            jsonschema.validate(found, CLASSROOM50)
            assert found["max-score"] == 35
        elif form == "gradescope":
            jsonschema.validate(json.loads(done.stdout), GRADESCOPE)
        elif form == "junit":
            JUNIT.validate(io.BytesIO(done.stdout.encode()))
