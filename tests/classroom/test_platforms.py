"""What the learning platforms import."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace

import pytest

from grader import pipeline
from grader.base import course
from grader.base.files import Unusable
from grader.base.model import CheckResult, Kind, Report, Status, Verdict
from grader.classroom import exports, grade_columns, platforms
from grader.classroom.collect import Answer
from grader.classroom.gradebook import Gradebook, Row, as_csv
from grader.classroom.layout import Student
from grader.classroom.roster import Person
from grader.report.points import Points

STEP = course.find("s05")
EACH_ONE = Points({"s05": {"*": 1}})


def report(passed: int) -> Report:
    checks = tuple(
        CheckResult(str(i), Kind.RUNTIME, Status.PASS if i < passed else Status.FAIL, f"Check {i}")
        for i in range(4)
    )
    verdict = Verdict.PASS if passed == 4 else Verdict.FAIL
    return Report("s05", "Title", "steps/step_05.py", verdict, checks)


def book(*people: Person) -> Gradebook:
    """The first has all points, the second half, the third nothing, the fourth a grader error."""
    error = pipeline.unreadable(STEP, "x")
    error = Report(**{**error.__dict__, "verdict": Verdict.ERROR, "problem": None})
    reports = [report(4), report(2), None, error]
    rows = {
        (person.name, "s05"): Row(Answer("x.py", "d"), told) if told else Row(None, None)
        for person, told in zip(people, reports, strict=False)
    }
    return Gradebook({"s05": "Title"}, {"s05": []}, people, rows, EACH_ONE, {"s05": 4})


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def person(name: str, **columns: str) -> Person:
    return Person(
        name, Student(name, "7"), columns={k.replace("_", " "): v for k, v in columns.items()}
    )


def canvas_takes(header: list[str]) -> bool:
    """Whether Canvas' importer would take the header for one (lib/gradebook_importer.rb)."""
    if len(header) <= 3 or "Student" not in header[0] or "ID" not in header[1]:
        return False
    count = 3
    if "SIS Login ID" in header[2]:
        count = 4
    elif "SIS User ID" in header[2] and "SIS Login ID" in header[3]:
        count = 6 if "Root Account" in header[4] else 5
    return "Section" in header[count - 1]


def test_canvas_gets_its_own_columns_back_and_no_grade_where_there_is_none() -> None:
    rows = {"SIS_User_ID": "S1", "SIS_Login_ID": "ada", "Section": "A", "Step_05_(99)": "3"}
    names = ("Lovelace, Ada", "Babbage, C", "Gone, G", "Error, E")
    people = [person(name, Student=name, ID="12", **rows) for name in names]
    found = read(platforms.canvas(book(*people)))
    assert canvas_takes(list(found[0]))
    assert list(found[0]) == [
        *("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Step 05 (99)")
    ]
    assert found[0]["Student"].strip() == "Points Possible"
    assert found[0]["Step 05 (99)"] == "4"
    assert [row["Step 05 (99)"] for row in found[1:]] == ["4", "2", "", ""]
    assert found[1]["SIS User ID"] == "S1"


def test_canvas_without_a_roster_has_the_number_from_the_file_name() -> None:
    found = read(platforms.canvas(book(person("lovelaceada"))))
    assert canvas_takes(list(found[0]))
    assert found[1] == {"Student": "lovelaceada", "ID": "7", "Section": "", "Step 05: Title": "4"}


def test_canvas_keeps_the_points_that_its_assignment_has() -> None:
    columns = {"ID": "12", "Step_05_Current_Score": "", "Step_05_quiz_(7)": "", "S5_(8)": ""}
    given = book(*(person(name, **columns, **{"Step_05:_Title_(99)": ""}) for name in "abcd"))
    given = replace(given, possible={"Step 05: Title (99)": "10.00"})
    found = read(platforms.canvas(given))
    assert list(found[0])[-1] == "Step 05: Title (99)"
    assert [row["Step 05: Title (99)"] for row in found] == ["10.00", "10.00", "5.00", "", ""]


@pytest.mark.parametrize(
    ("form", "columns", "right"),
    [
        ("canvas", ("Step 05 reading quiz (7)", "Step 05 (99)"), "Step 05 (99)"),
        ("canvas", ("S5 (8)", "step_05: masks (9)"), "step_05: masks (9)"),
        ("canvas", ("Step 05: Title (98)", "Step 05: title (99)"), "Step 05: title (99)"),
        ("roster", ("Step 05 quiz", "Step 05 homework"), "Step 05 homework"),
        ("roster", ("Step 05 A [Total Pts: 2] |1", "s05 B [Total Pts: 3] |2"), None),
    ],
)
def test_two_columns_that_fit_are_an_error_with_both_names(
    form: str, columns: tuple[str, str], right: str | None
) -> None:
    right = right or columns[0]
    given = book(Person("Ada", None, columns=dict.fromkeys(("Student", *columns), "")))
    with pytest.raises(Unusable) as problem:
        exports.files(given, (form,), lambda form, _: form)
    assert all(repr(column) in str(problem.value) for column in columns)
    assert "--column 's05=" in str(problem.value)
    named = replace(given, columns=grade_columns.chosen([right], ["s05"], ["Student", *columns]))
    assert platforms.remarks(named, (form,))[0] == f"{form}.csv: s05 goes into {right!r}."
    assert right in read(getattr(platforms, form)(named))[0]


@pytest.mark.parametrize(
    "given", ["Step 05 (99)", "s05=Step 05 (99)", "5 = step 05 (99)", "step_05.py=99", "(99)"]
)
def test_a_column_is_named_in_any_way(given: str) -> None:
    columns = ("Student", "Step 05 reading quiz (7)", "Step 05 (99)", "x=y (3)")
    assert grade_columns.chosen([given], ["s05"], columns) == {"s05": "Step 05 (99)"}
    assert grade_columns.chosen(["x=y"], ["s05"], columns) == {"s05": "x=y (3)"}
    blackboard = ("Username", "Step 05 [Total Pts: 2] |12", "Step 05 quiz [Total Pts: 2] |2")
    assert grade_columns.chosen(["|12"], ["s05"], blackboard) == {"s05": blackboard[1]}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["Step 05"], "'Step 05 reading quiz (7)' or 'Step 05 (99)'"),
        (["Step 05 exam"], "no column 'Step 05 exam'. It has .*'Step 05 reading quiz"),
        (["s09=Step 05 (99)"], "for which step"),
        (["s05=99", "s05=7"], "two columns"),
    ],
)
def test_columns_that_cannot_be_meant(given: list[str], says: str) -> None:
    with pytest.raises(Unusable, match=re.escape(says) if "." not in says else says):
        grade_columns.chosen(given, ["s05"], ("Step 05 reading quiz (7)", "Step 05 (99)"))
    with pytest.raises(Unusable, match="for which step"):
        grade_columns.chosen(["Step 05 (99)"], ["s05", "s07"], ("Step 05 (99)",))
    with pytest.raises(Unusable, match="Add --roster"):
        grade_columns.chosen(["99"], ["s05"], ())


@pytest.mark.parametrize("sis", [(), ("SIS_User_ID",), ("SIS_Login_ID",), ("Root_Account",)])
def test_canvas_takes_the_header_whatever_the_roster_has(sis: tuple[str, ...]) -> None:
    columns = dict.fromkeys(("ID", *sis), "1")
    if "Root_Account" in sis:
        columns |= {"SIS_User_ID": "1"}
    assert canvas_takes(list(read(platforms.canvas(book(person("a", **columns))))[0]))


def test_what_the_platforms_would_not_take_is_said() -> None:
    german = person("Ada", Identifikation="Participant 7", Bewertung="")
    assert "no column 'Identifier'" in platforms.remarks(book(german), ("moodle",))[0]
    assert "the points are not scaled" in platforms.remarks(book(person("Ada")), ("moodle",))[0]
    said = platforms.remarks(book(Person("Ada", None)), ("canvas",))
    assert "new assignment, 'Step 05: Title'" in said[0]
    assert "no ID" in said[1]
    known = book(person("Ada", ID="1", **{"Step_05_(9)": ""}))
    assert platforms.remarks(known, ("canvas",)) == ["canvas.csv: s05 goes into 'Step 05 (9)'."]


@pytest.mark.parametrize(
    ("title", "given", "column", "grades"),
    [
        ("Step 05 Points Grade <Numeric MaxPoints:10>", "3", None, ["10.00", "5.00", "3", "3"]),
        ("Step 05 [Total Pts: 2 Score] |12345", "", None, ["2.00", "1.00", "", ""]),
        ("s05", "", None, ["4", "2", "", ""]),
        ("Step 15 Points Grade", "9", "Step 05 Points Grade", ["4", "2", "", ""]),
    ],
)
def test_a_roster_comes_back_with_the_grades_in_it(
    title: str, given: str, column: str | None, grades: list[str]
) -> None:
    end = "End-of-Line Indicator"
    people = [
        Person(name, Student(name), columns={"OrgDefinedId": "#7", title: given, end: "#"})
        for name in ("Ada", "Ben", "Cem", "Dee")
    ]
    found = read(platforms.roster(book(*people)))
    where = column or title
    assert [row[where] for row in found] == grades
    assert {row["OrgDefinedId"] for row in found} == {"#7"}
    assert list(found[0])[-1] == end
    assert column is None or {row[title] for row in found} == {given}
    assert repr(where) in platforms.remarks(book(*people), ("roster",))[0]


def test_without_a_roster_its_table_has_the_names() -> None:
    found = read(platforms.roster(book(person("Ada"))))
    assert found == [{"Student": "Ada", "Step 05 Points Grade": "4"}]


def test_moodles_worksheet_is_filled_in_its_own_scale() -> None:
    columns = {
        "Identifier": "Participant 7",
        "Full_name": "Ada",
        "Grade": "",
        "Maximum_Grade": "10,00",
    }
    people = [person(str(i), **columns, Last_modified="x") for i in range(4)]
    found = read(platforms.moodle(book(*people), "s05"))
    assert [row["Grade"] for row in found] == ["10.00", "5.00", "", ""]
    assert found[1]["Feedback comments"] == "2 of 4 checks passed. Check 2"
    assert found[0]["Last modified"] == "x"


def returned_to_canvas(name: str) -> tuple[str, str] | None:
    """The numbers of person and file (``Assignment#infer_comment_context_from_filename``)."""
    parts = name.rpartition("/")[2].split("_")
    numbers = [part for part in parts if re.fullmatch(r"[0-9]+", part)][:2]
    if len(numbers) < 2 or parts[-1].startswith("link") or name.startswith("._"):
        return None
    return numbers[0], numbers[1]


def returned_to_moodle(name: str) -> tuple[str, str] | None:
    """The participant's number and the file (``assignfeedback_file_zip_importer``)."""
    parts = name.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdecimal() and info[2:4] == ["assignfeedback", "file"]:
            return info[1], "/".join([*info[4:], *parts]).lstrip("/")
    return None


HANDED_IN = {
    "submissions/lovelaceada_101_9001_step_05-1.py": ("101", "9001"),
    "o'harabob_LATE_102_9002_work.zip/step_05.py": ("102", "9002"),
    "anon_X7k2f_9003_step_05.py": None,
    "download/Ada L_77_assignsubmission_file_/step_05.py": ("77", "s05-report.txt"),
    "O'Hara, Bob_78_assignsubmission_file_step_05.py": ("78", "s05-report.txt"),
    "Eve_76_assignsubmission_file_101_9001_step_05.py": ("76", "s05-report.txt"),
    "ada/step_05.py": ("79", "s05-report.txt"),
}


def test_feedback_comes_back_to_whom_it_is_for() -> None:
    people = [person(f"P_{n}") for n in range(len(HANDED_IN))]
    people[-1] = person("Żak_/Ł", Identifier="Participant 79")
    people.append(person("nobody knows"))
    places = [*HANDED_IN, "nobody/step_05.py"]
    rows = {
        (each.name, "s05"): Row(Answer(place, "d"), report(2))
        for each, place in zip(people, places, strict=True)
    }
    given = replace(book(), people=tuple(people), rows=rows)
    files = exports.files(given, ("feedback",), lambda form, _: form)
    data = files["feedback_s05.zip"]
    assert isinstance(data, bytes)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert next(iter(texts.values())).startswith("P_0, s05: 2 of 4 points\n")
    back = [returned_to_moodle(name) or returned_to_canvas(name) for name in texts]
    assert back == list(HANDED_IN.values())
    assert list(texts)[2] == "anon_X7k2f_9003_s05-report.txt"
    assert platforms.remarks(given, ("feedback",)) == [
        "feedback_s05.zip: 1 of 8 reports are not in it. Neither Canvas nor Moodle would know "
        "whose they are; --for text writes all."
    ]
    assert set(exports.names(("feedback",), ["s05"])) <= set(files)


def test_moodle_without_a_roster_names_the_participant() -> None:
    found = read(platforms.moodle(book(person("Ada")), "s05"))
    assert found[0]["Identifier"] == "Participant 7"
    assert set(platforms.NEEDED) <= set(found[0])


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x", "\tx"])
def test_no_table_holds_a_formula(name: str) -> None:
    given = book(person(name, Student=name, ID=name), Person("other", None))
    for text in (as_csv(given), platforms.canvas(given), platforms.moodle(given, "s05")):
        for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row)
