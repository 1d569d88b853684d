"""docs/stable.md names what the programs have."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest

from grader import pipeline
from grader.base import course
from grader.base.model import CheckResult, Diagnosis, Kind, Report, Status, Verdict
from grader.classroom.gradebook import as_csv
from grader.isolation.tiers import TIERS
from grader.report import as_json
from tests.classroom.test_platforms import book, person

pytestmark = pytest.mark.any_python

PAGE = (course.ROOT / "docs" / "stable.md").read_text(encoding="utf-8")
CHECK = CheckResult("scale", Kind.SOURCE, Status.PASS, "Scaled")
WHOLE = Report("s05", "T", "f.py", Verdict.FAIL, (CHECK,), (Diagnosis("no-scale", "No", 3),))


def row(first: str) -> list[str]:
    """The names in the row of a table that begins with ``first``."""
    found = re.search(rf"^\| {re.escape(first)} \|(.*)\|$", PAGE, re.MULTILINE)
    assert found is not None, first
    return re.findall(r"`([^`]+)`", found[1])


def test_a_report_has_the_fields_of_the_page() -> None:
    found = as_json.as_dict(WHOLE)
    assert list(found) == row("report")
    for name in ("checks", "diagnosis"):
        several = found[name]
        assert isinstance(several, list)
        assert list(several[0]) == row(f"each of `{name}`")


def test_words_for_outcomes_are_those_of_the_page() -> None:
    for name, words in {
        "`verdict` is": Verdict,
        "`status` is": Status,
        "`kind` is": Kind,
        "`isolation` is": TIERS,
    }.items():
        told = re.search(rf"{name} ([^;.]+)[;.]", PAGE)
        assert told is not None
        assert set(re.findall(r"`(\w+)`", told[1])) - {"null"} == {str(word) for word in words}


@pytest.mark.parametrize("policy", ["", "policy.toml"])
def test_a_gradebook_has_the_columns_of_the_page(policy: str) -> None:
    table = PAGE.partition("| columns | |")[2].partition("\n\n")[0].splitlines()
    rows = [line.split("|")[1] for line in table[1:] if policy or "--policy" not in line]
    listed = re.findall(r"`([^`]+)`", "".join(rows[1:]))
    given = replace(book(person("Ada")), policy=policy, roster=True)
    header = next(csv.reader(io.StringIO(as_csv(given).removeprefix("\ufeff"), newline="")))
    assert header == listed


def test_an_unreadable_file_has_the_same_fields() -> None:
    assert list(as_json.as_dict(pipeline.unreadable(course.find("s05"), "x"))) == row("report")
