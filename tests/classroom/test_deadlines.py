"""Due dates: the worked examples of docs/teaching.md, and who tells what time."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader import pipeline
from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Report, Status, Verdict
from grader.classroom import feedback, planning, platforms, rows, store
from grader.classroom.deadlines import Deadlines
from grader.classroom.gradebook import Gradebook, as_csv
from grader.classroom.planning import Request
from grader.report import policy
from grader.report.points import Points
from tests.classroom.test_collect import made
from tests.classroom.test_table import saved

GUIDE = (course.ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("## Due dates\n")[2].partition("\n## ")[0]
EXAMPLES = re.findall(r"```toml\n((?:[^`].*\n|\n)+)```\n\n((?:\|.*\n)+)", SECTION)


def right(step: str) -> Report:
    given = pipeline.unreadable(course.find(step), "")
    checks = tuple(replace(check, status=Status.PASS) for check in given.checks)
    return replace(given, verdict=Verdict.PASS, checks=checks, problem=None)


def graded(
    tmp_path: Path, given: policy.Policy, steps: tuple[str, ...], **more: object
) -> Gradebook:
    """The gradebook of what is in ``in``, as if all of it were right."""
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    chosen = tuple(map(course.find, steps))
    request = Request(tmp_path / "in", chosen, out, policy=given, **more)  # type: ignore[arg-type]
    with planning.planned(request, store.Store(out / "results")) as plan:
        for (step, _), name in plan.names.items():
            plan.kept[name] = right(step)
        return rows.gradebook(request, plan)


def written(tmp_path: Path, text: str) -> policy.Policy:
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    return policy.read(tmp_path / "policy.toml")


def lines(book: Gradebook) -> list[dict[str, str]]:
    text = as_csv(book).removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_guide_has_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize(("text", "table"), EXAMPLES)
def test_a_worked_example(tmp_path: Path, text: str, table: str) -> None:
    told = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    for person, step, times, *_ in told:
        for when in times.replace("*", "").split(", "):
            stamp = re.sub(r"[ :]", "-", when)
            name = f"Work_{person}_attempt_{stamp}_step_{step[1:]}.py"
            made(tmp_path / "in", name)
    steps = tuple(sorted({each[1] for each in told}))
    book = graded(tmp_path, written(tmp_path, text), steps)
    found = {line["student"]: line for line in lines(book)}
    for person, step, times, days, free, points in told:
        line = found[person]
        counted = re.search(r"\*(.*)\*", times)
        assert line[f"{step} handed in"].startswith(counted[1] if counted else times)
        assert line[f"{step} days late"] == days
        assert line[f"{step} free days"] == free
        assert line[f"{step} points"] == points
        assert bool(line[f"{step} late"]) == (days != "0")
        if days != "0":
            assert f"{days} day" in line[f"{step} note"]


UTC_ = 'time_zone = "UTC"\n'
RULE = 'time_zone = "Europe/Berlin"\n[s05]\ndue = 2027-01-15T23:59:59\nper_day = 0.1\n'
MOODLE = "Identifier,Full name,Status,Last modified (submission)\nParticipant 7,Ada,,{}\n"
YML = (
    b"submission_9:\n  :submitters:\n  - :name: Ada\n"
    b"  :created_at: 2027-01-16 23:30:00.123456789 Z\n"
)
TOLD: dict[str, tuple[dict[str, bytes], str]] = {
    "blackboard": ({"Step 05_ada_attempt_2027-01-17-00-30-00_step_05.py": b""}, ""),
    "brightspace": ({"1-2 - Ada - Jan 17, 2027 1230 AM/step_05.py": b""}, ""),
    "ilias": ({"Lovelace_Ada_ada_12/20270117003000_step_05.py": b""}, ""),
    "gradescope": ({"submission_9/step_05.py": b"", "submission_metadata.yml": YML}, ""),
    "sakai": (
        {
            "Lovelace, Ada(ada)/timestamp.txt": b"20270116233000000\n",
            "Lovelace, Ada(ada)/Submission attachment(s)/step_05.py": b"",
        },
        "",
    ),
    "nbgrader": (
        {
            "ada/ps1/timestamp.txt": b"2027-01-16 18:30:00.948203 America/New_York",
            "ada/ps1/step_05.py": b"",
        },
        "",
    ),
    "nbgrader, utc": (
        {"ada/ps1/timestamp.txt": b"2027-01-16 23:30:00 UTC", "ada/ps1/step_05.py": b""},
        "",
    ),
    "moodle": (
        {"Ada_7_assignsubmission_file_/step_05.py": b""},
        MOODLE.format('"Sunday, 17 January 2027, 12:30 AM"'),
    ),
    "gradescope, list": (
        {"ada/step_05.py": b""},
        "Name,Submission Time\nada,2027-01-16 15:30:00 -0800\n",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_a_platform_tells_when(tmp_path: Path, name: str) -> None:
    files, table = TOLD[name]
    for file, data in {**files, "zoe/step_05.py": b""}.items():
        path = made(tmp_path / "in", file) / file
        if data:
            path.write_bytes(data)
    more = {"roster": saved(tmp_path, table), "any_roster": True} if table else {}
    book = graded(tmp_path, written(tmp_path, RULE), ("s05",), **more)
    (ada,) = (book.row(person, "s05") for person in book.people if person.name != "zoe")
    assert ada.lateness is not None
    assert ada.lateness.when is not None
    assert ada.lateness.when.astimezone(UTC) == datetime(2027, 1, 16, 23, 30, tzinfo=UTC)
    assert ada.lateness.days == 2  # in Berlin
    assert book.score(ada) == 80
    (zoe,) = (book.row(person, "s05") for person in book.people if person.name == "zoe")
    assert book.score(zoe) == 100
    assert "no time is known of 1 answer to s05" in platforms.remarks(book, ())[0]


def test_what_a_student_can_write_is_no_time_beside_what_the_platform_says(tmp_path: Path) -> None:
    made(
        tmp_path / "in",
        "adaa_LATE_12_34_20270101000000_step_05.py",
        "beno_13_35_work/timestamp.txt",
        "1-2 - Cy - Jan 17, 2027 1230 AM/20270101000000_step_05.py",
        "1-2 - Cy - Jan 17, 2027 1230 AM/timestamp.txt",
    )
    late = Points({}, {"s05": 0.5})
    book = graded(tmp_path, written(tmp_path, RULE), ("s05",), points=late)
    row = {person.name: book.row(person, "s05") for person in book.people}
    assert book.score(row["adaa"]) == 50
    assert "by how much is not known" in book.note(row["adaa"])
    assert book.score(row["Cy"]) == 80


def test_free_days_of_steps_that_were_graded_before_are_gone(tmp_path: Path) -> None:
    text = 'time_zone = "UTC"\nfree_days = 3\nearlier = ["first"]\n'
    text += "".join(f"[s0{n}]\ndue = 2027-01-0{n}\nper_day = 0.2\n" for n in (5, 7))
    made(tmp_path / "in", "Work_=ada_attempt_2027-01-07-12-00-00_step_05.py")
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "gradebook.csv").write_text("student\n")
    book = graded(tmp_path, written(tmp_path, text), ("s05",))
    (tmp_path / "first" / "gradebook.csv").write_text(as_csv(book), encoding="utf-8")
    assert lines(book)[0]["s05 note"] == "2 days late, 2 of them free: no points lost"
    assert graded(tmp_path, written(tmp_path, text), ("s05",)).rows == book.rows
    made(tmp_path / "in", "Work_=ada_attempt_2027-01-09-12-00-00_step_07.py")
    line = lines(graded(tmp_path, written(tmp_path, text), ("s07",)))[0]
    assert (line["s07 points"], line["s07 free days"]) == ("80", "1")
    with pytest.raises(Unusable, match=r"nowhere.*cannot be read"):
        graded(tmp_path, written(tmp_path, text.replace("first", "nowhere")), ("s05",))


def test_what_a_policy_does_not_settle_is_said(tmp_path: Path) -> None:
    given = written(tmp_path, RULE + "[s05.extensions]\nQuentin = 2\n")
    assert Deadlines(given, [], ["s05", "s07"], listed=False).notes == [
        "policy.toml says nothing about s07.",
        "policy.toml, s05: nobody is called 'Quentin'. Write the name as in gradebook.csv.",
    ]


def test_an_extension_is_for_somebody_and_the_report_says_what_it_cost(tmp_path: Path) -> None:
    made(tmp_path / "in", "Work_yılmaz_attempt_2027-01-17-12-00-00_step_05.py", "bob/step_05.py")
    text = RULE + "[s05.extensions]\nYilmaz = 1\nQuentin = 2\n"
    listed = {"roster": saved(tmp_path, "Name\nyılmaz\nbob\n")}
    with pytest.raises(Unusable, match=r"policy\.toml, s05: nobody is called 'Quentin'"):
        graded(tmp_path, written(tmp_path, text), ("s05",), **listed)
    book = graded(tmp_path, written(tmp_path, text), ("s05",))  # who hands in later is not known
    person = book.people[-1]
    assert book.score(book.row(person, "s05")) == 90
    told = feedback.told(book, person.name, right("s05")).splitlines()[0]
    assert told == "yılmaz, s05: 90 of 100 points (1 day late: -10 %)"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[s05", "Expected ']'"),
        ("[s05]\ndue = 2027-01-15\n", "required field `time_zone`"),
        ('time_zone = "Mars/Olympus"\n', "time_zone 'Mars/Olympus' is not known"),
        ('time_zone = "../etc/passwd"\n', "time_zone '../etc/passwd' is not known"),
        (UTC_ + "[s99]\n", "no step 's99'"),
        (UTC_ + "free = 3\n", "unknown field `free`"),
        (UTC_ + "free_days = -1\n", r"`int` >= 0 - at `\$.free_days`"),
        (UTC_ + 'earlier = "x"\n', r"`array`, got `str` - at `\$.earlier`"),
        (UTC_ + "[s05]\ndate = 2027-01-15\n", r"\[s05\]: .*unknown field `date`"),
        (UTC_ + "[s05]\nper_day = 0.1\n", r"\[s05\] lacks due"),
        (UTC_ + '[s05]\ndue = "soon"\n', "due should be a time"),
        (UTC_ + "[s05]\ndue = 12:00:00\n", "due should be a time"),
        (UTC_ + "[s05]\ndue = 2027-01-15\nper_day = 10\n", r"<= 1.0 - at `\$.per_day`"),
        (UTC_ + '[s05]\ndue = 2027-01-15\ngrace = "a bit"\n', r"got `str` - at `\$.grace`"),
        (UTC_ + '[s05]\ndue = 2027-01-15\ncount = "best"\n', r"'best' - at `\$.count`"),
        (UTC_ + "[s05]\ndue = 2027-01-15\nextensions = 3\n", r"at `\$.extensions`"),
        (UTC_ + "[s05]\ndue = 2027-01-15\n[s05.extensions]\na = true\n", "a should be a time"),
        (UTC_ + "[s05]\nsubmissions = true\n", r"got `bool` - at `\$.submissions`"),
    ],
)
def test_policies_that_cannot_be_meant(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(Unusable, match=says):
        written(tmp_path, text)


@pytest.mark.parametrize(
    ("due", "same"),
    [
        *(("2027-01-15T23:59:59", True), ("2027-01-15 23:59:59", True), ("2027-01-15", True)),
        *(("2027-01-15T23:59:59+01:00", True), ("2027-01-15T23:59:59Z", False)),
    ],
)
def test_a_time_is_written_in_any_way_of_toml(tmp_path: Path, due: str, same: bool) -> None:
    rule = written(tmp_path, f'time_zone = "Europe/Berlin"\n[s05]\ndue = {due}\n').rules["s05"]
    assert (rule.due.astimezone(UTC) == datetime(2027, 1, 15, 22, 59, 59, tzinfo=UTC)) == same
