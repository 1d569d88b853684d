"""Whom a name means: a file's, a row's, or that in an option; and what is said of it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader import pipeline
from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Verdict
from grader.classroom import page, platforms, roster, store
from grader.classroom.adjustments import read_adjustments
from grader.classroom.gradebook import as_csv
from grader.classroom.layout import Student
from grader.classroom.planning import Request, planned
from grader.classroom.roster import Person, by_name
from grader.cli import cli
from tests.classroom.test_collect import answers, collected, made
from tests.classroom.test_platforms import book, read
from tests.classroom.test_table import saved
from tests.classroom.test_zip_reader import zipped

REGISTRAR = (
    "Nachname;Vorname;Matrikelnummer\nLovelace;Ada;70000\nMaier;Anna-Lena;70001\nLi;Jo;70002\n"
    "Maier;Lena;70003\nHopper;Grace;70004\n"
)
TEAMS = ("Team A-Ada Lovelace", "Team A-Anna-Lena Maier", "Team B-2-Li, Jo", "Default group-Eve E")


def test_moodles_teams_are_found_in_a_registrars_list(tmp_path: Path) -> None:
    students = [Student(key, str(12345 + number)) for number, key in enumerate(TEAMS)]
    found = roster.matched(students, saved(tmp_path, REGISTRAR))
    assert [each.student for each in found.people] == [*students[:3], None, None, students[3]]
    assert found.fits
    assert not found.notes


def test_a_hyphen_in_a_name_is_no_team(tmp_path: Path) -> None:
    students = [Student("Grace Hopper", "1"), Student("Jo Li", "2"), Student("Eve-Lena Maier", "3")]
    found = roster.matched(students, saved(tmp_path, REGISTRAR))
    assert [each.student for each in found.people] == [
        *(None, None, students[1], None, students[0], students[2])
    ]


@pytest.mark.parametrize(
    "row", ['"Student, Test",15,,,A,', '"Student, test ",15,,,A,', "Test Student,15,,,A,"]
)
def test_canvas_test_student_is_nobody(tmp_path: Path, row: str) -> None:
    given = f'Student,ID,SIS User ID,SIS Login ID,Section,X\n"Student, Testa",14,,,A,\n{row}\n'
    files = (
        "studenttest_LATE_15_9_step_05.py",
        "studenttest_15_text.html",
        "testa_14_8_step_05.py",
    )
    zipped(tmp_path / "in.zip", [(name, b"x = 1\n") for name in files])
    found = collected(tmp_path / "in.zip", tmp_path / "spool")
    people = roster.matched(found.students, saved(tmp_path, given)).people
    assert [(each.name, each.student) for each in people] == [
        ("Student, Testa", Student("testa", "14"))
    ]
    assert [line.partition(":")[0] for line in found.skipped] == sorted(files[:2])
    assert "Canvas' Test Student" in found.skipped[0]


def test_what_is_left_out_says_whose_archive_it_was_in(tmp_path: Path) -> None:
    (tmp_path / "in" / "submission_9").mkdir(parents=True)
    zipped(tmp_path / "in" / "submission_9" / "work.zip", [("../x.py", b""), ("step_05.py", b"x")])
    (tmp_path / "in" / "submission_8").mkdir()
    (tmp_path / "in" / "submission_metadata.yml").write_text(
        "submission_9:\n  :submitters:\n  - :name: Ada L\n"
        "submission_8:\n  :submitters:\n  - :name: Bo\n"
    )
    found = collected(tmp_path / "in", tmp_path / "spool")
    assert found.skipped == (
        "Ada L: submission_9/work.zip: ../x.py: the name points outside the archive",
    )
    assert answers(found)["Ada L"].digest


NAMES = ("İpek Yılmaz", "Müller, Jörg", "Łukasz Żak", "Kaya Yilmaz", "Kaya Yılmaz", "Søren Ærø")
PEOPLE = [Person(name, Student(str(n)), columns={"Name": name}) for n, name in enumerate(NAMES)]


@pytest.mark.parametrize(
    ("called", "whom"),
    [
        *(("Ipek Yilmaz", [0]), ("ipek yılmaz", [0]), ("Yilmaz, Ipek", [0])),
        *(("Joerg Mueller", [1]), ("Jorg Muller", [1]), ("Lukasz Zak", [2]), ("Soren Aro", [5])),
        *(("Kaya Yilmaz", [3]), ("Kaya Yılmaz", [4]), ("Kaya Yìlmaz", [3]), ("Yilmaz", [])),
    ],
)
def test_letters_that_a_keyboard_lacks(called: str, whom: list[int]) -> None:
    assert by_name(PEOPLE)(called) == [PEOPLE[number] for number in whom]


def test_people_are_called_as_the_gradebook_or_the_roster_does() -> None:
    header = ("Student", "ID", "SIS Login ID", "Email")
    rows = (
        ("Lovelace, Ada", "100", "lovelace0", "ada@example.org"),
        ("Thomas, James", "101", "jt", "jt@example.org"),
        ("James, Thomas", "102", "tj", "tj@example.org"),
        ("Li", "103", "li", "li@example.org"),
        ("Li", "104", "li2", "li2@example.org"),
    )
    people = [Person(row[0], None, columns=dict(zip(header, row, strict=True))) for row in rows]
    called = by_name(people)
    for name in ("Lovelace, Ada", "ada lovelace", "lovelace0", "ada@example.org", "100"):
        assert called(name) == [people[0]], name
    assert called("James, Thomas") == [people[2]]  # as the gradebook, and not as another's name
    assert called("Li") == people[3:]
    assert called("nobody") == []
    full = [Person(name, None, columns={"Full name": name}) for name in ("Ada Lovelace", "Bo Li")]
    assert by_name(full)("Lovelace, Ada") == [full[0]]


@pytest.mark.parametrize(
    ("who", "says"),
    [
        ("Li", r"several people are called 'Li': Li \(103\), Li \(104\)\. Write the name as in"),
        ("Lii (103)", r"nobody is called 'Lii \(103\)'\. Did you mean Li \(103\)"),
        ("Quentin", r"nobody is called 'Quentin'\. Write the name as in gradebook"),
    ],
)
def test_an_adjustment_names_who_may_be_meant(tmp_path: Path, who: str, says: str) -> None:
    given = saved(tmp_path, "Student,ID\nLi,103\nLi,104\nYılmaz,105\n")
    people = roster.matched([], given).people
    (tmp_path / "adjust.csv").write_text(f"student,bonus\n{who},1\n")
    with pytest.raises(Unusable, match=says):
        read_adjustments(tmp_path / "adjust.csv", people, ["s05"])


def test_a_bonus_for_who_handed_in_nothing_is_the_same_in_every_export(tmp_path: Path) -> None:
    columns = {"ID": "1", "Identifier": "Participant 7", "Maximum Grade": "4", "Step 05 (99)": ""}
    given = book(*(Person(name, Student(name), columns=columns) for name in ("Ada", "Bo", "Cy")))
    (tmp_path / "extra.csv").write_text("student,bonus\nCy,1.5\nAda,-1\n")
    by_hand = read_adjustments(tmp_path / "extra.csv", given.people, ["s05"])
    rows = {
        key: replace(row, adjusted=by_hand.get(key, row.adjusted))
        for key, row in given.rows.items()
    }
    given = replace(given, rows=rows)
    line = read(as_csv(given).removeprefix("\ufeff"))[2]
    assert line["s05 points"] == "1.5"
    assert line["s05 note"] == "bonus +1.5 (extra.csv)"
    assert read(platforms.canvas(given))[3]["Step 05 (99)"] == "1.5"
    assert read(platforms.roster(given))[2]["Step 05 (99)"] == "1.5"
    assert read(platforms.moodle(given, "s05"))[2]["Grade"] == "1.50"
    assert page.render(given).count("1.5") >= 3
    assert given.note(given.row(given.people[0], "s05")) == "bonus -1 (extra.csv)"


def test_options_that_name_people_say_whom_and_leave_a_trace(tmp_path: Path) -> None:
    names = ("Li (1)", "Li (2)", "Yılmaz", "Zoë")
    files = [(f"Li_{n}_assignsubmission_file_/step_01.py", b"def (\n") for n in (1, 2)]
    files += [(f"{name}/step_01.py", b"def (\n# 3") for name in names[2:3]]
    zipped(tmp_path / "in.zip", files)  # type: ignore[arg-type]
    (tmp_path / "adjust.csv").write_text("student,points,bonus\nYilmaz,7,2\nZoe,,1\n")
    (tmp_path / "list.csv").write_text("Name,ID\nLi,1\nLi,2\nYılmaz,3\nZoë,4\n", encoding="utf-8")

    def run(*more: str) -> tuple[int, str, dict[str, str]]:
        place = [str(tmp_path / "in.zip"), "--out", str(tmp_path / "out"), "--step", "s01"]
        place += ["--roster", str(tmp_path / "list.csv"), "--workers", "1", "--trust-submissions"]
        done = CliRunner().invoke(cli, ["class", *place, *more])
        text = (tmp_path / "out" / "gradebook.csv").read_text(encoding="utf-8-sig")
        rows = csv.DictReader(io.StringIO(text, newline=""))
        return done.exit_code, done.output, {row["student"]: row["s01 note"] for row in rows}

    code, said, notes = run("--adjust", str(tmp_path / "adjust.csv"))
    assert code == 0, said
    assert "adjust.csv: Yılmaz ('Yilmaz'), Zoë ('Zoe')." in said
    note = "points set to 7, bonus +2 (adjust.csv)"
    assert notes == dict(zip(names, ["", "", note, "bonus +1 (adjust.csv)"], strict=True))
    code, said, notes = run("--again", "Yilmaz", "--again", "Li (2)")
    assert "--again: Yılmaz ('Yilmaz'), Li (2)." in said
    assert [notes[name] for name in names[2:]] == ["graded again", ""]
    code, said, _ = run("--again", "Li")
    assert code == 2
    assert "--again: several people are called 'Li': Li (1), Li (2)." in said
    code, said, _ = run("--again", "Yilmas")
    assert code == 2
    assert "nobody called 'Yilmas' has handed something in. Did you mean Yılmaz?" in said


def test_timeouts_that_are_graded_again_are_named(tmp_path: Path) -> None:
    made(tmp_path / "in", "ada/step_05.py", "bob/step_05.py")
    (tmp_path / "out").mkdir()
    keep = store.Store(tmp_path / "out" / "results")
    request = Request(tmp_path / "in", (course.find("s05"),), tmp_path / "out")
    with planned(request, keep) as plan:
        for verdict, name in zip((Verdict.TIMEOUT, Verdict.FAIL), plan.names.values(), strict=True):
            keep.save(name, replace(pipeline.unreadable(request.steps[0], ""), verdict=verdict))
    with planned(replace(request, again=("timeouts",)), keep) as plan:
        assert plan.meant == ("--again timeouts: ada.",)
        assert len(plan.open) == 1
        assert plan.again == frozenset(plan.open)
