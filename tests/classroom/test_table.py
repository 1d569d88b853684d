"""The class list, the points and the tables, without grading anything."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from grader.base.files import Unusable
from grader.classroom import roster, table
from grader.classroom.layout import Student
from grader.report import points

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Step 05 (99)
    Points Possible,,,,,31
"Lovelace, Ada Augusta",12,S-1,ada,A,
"Müller-Lüdenscheidt, Jörg",13,S-2,jm,A,
"Babbage, Charles",14,S-3,cb,A,
"Student, Test",15,,,A,
"""
MOODLE = """Identifier;Full name;Email address;Status
Participant 77;Ada Lovelace;ada@example.org;
Participant 78;Ada Lovelace;ada2@example.org;
"""


def saved(tmp_path: Path, text: str, encoding: str = "utf-8") -> roster.Roster:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding=encoding)
    return roster.read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_a_canvas_export_finds_students_by_number_and_by_name(
    tmp_path: Path, encoding: str
) -> None:
    students = [
        Student("lovelaceadaaugusta", "12"),
        Student("mullerludenscheidtjorg"),
        Student("stranger", "999"),
    ]
    found = roster.people(students, saved(tmp_path, CANVAS, encoding))
    assert [(each.name, each.student, each.listed) for each in found] == [
        ("Lovelace, Ada Augusta", students[0], True),
        ("Müller-Lüdenscheidt, Jörg", students[1], True),
        ("Babbage, Charles", None, True),
        ("stranger", students[2], False),
    ]


def test_two_people_of_one_name_are_told_apart_by_moodles_number(tmp_path: Path) -> None:
    students = [Student("Ada Lovelace", "78"), Student("Ada Lovelace", "77")]
    found = roster.people(students, saved(tmp_path, MOODLE))
    assert [(each.name, each.student) for each in found] == [
        ("Ada Lovelace (Participant 77)", students[1]),
        ("Ada Lovelace (Participant 78)", students[0]),
    ]


def test_two_of_one_name_without_a_roster_have_the_platforms_number_or_a_count() -> None:
    students = [Student("Ada", "7"), Student("Ada", "8"), Student("Bob", "1"), Student("Bob")]
    names = [each.name for each in roster.people(students, None)]
    assert names == ["Ada (7)", "Ada (8)", "Bob", "Bob (2)"]


ODD = {
    "Canvas posts by hand": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Step 05 (99)\n,,,,,Manual Posting\n"
        '    Points Possible,,,,,10\n"Lovelace, Ada",101,S1,ada,A,\n',
        ["Lovelace, Ada"],
    ),
    "Canvas with two columns of names": (
        "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section\n"
        "    Points Possible,,,,,\nLovelace,Ada,101,S1,ada,A\n",
        ["Ada Lovelace"],
    ),
    "Excel says the separator": ("sep=;\r\nName;Mail\r\nAda;a@x.org\r\n", ["Ada"]),
    "a comma in a quoted title": ('"Name, full";ID\nAda;1\n', ["Ada"]),
    "lines of an old Mac": ("Name,ID\rAda,101\rBob,2\r", ["Ada", "Bob"]),
    "a line break in a cell": ('Name,ID\n"Ada\nLovelace",101\n', ["Ada Lovelace"]),
    "an odd line separator in a cell": ("Name,ID\nAda\u2028L,101\n", ["Ada L"]),
    "someone twice": ("Name,ID\nAda,101\nBob,2\nAda,101\n", ["Ada", "Bob"]),
    "an empty name": ("Name,ID,Mail\n,101,a@x.org\n", ["101"]),
    "two columns of one title": ("Name,Name,ID\nAda,other,101\n", ["Ada"]),
    "a number as Excel's text": ('Name;ID\nAda;="101"\n', ["Ada"]),
    "lines that are too short and too long": ("Name,ID\nBob\nAda,101,5,6\n", ["Bob", "Ada"]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_rosters(tmp_path: Path, name: str) -> None:
    text, names = ODD[name]
    (tmp_path / "roster.csv").write_bytes(text.encode())
    found = roster.people([Student("ada", "101")], roster.read(tmp_path / "roster.csv"))
    assert [each.name for each in found] == names
    assert [each.student is not None for each in found].count(True) == 1


@pytest.mark.parametrize(
    ("status", "late"),
    [
        ("Submitted for grading - 1 day 2 hours late", True),
        ("Submitted for grading12 mins late - Graded", True),
        ("Submitted for grading - ", False),
        ("No submission - Assignment is overdue by: 3 days", False),
    ],
)
def test_moodles_status_says_who_is_late(tmp_path: Path, status: str, late: bool) -> None:
    found = saved(tmp_path, f"Identifier,Full name,Status\nParticipant 7,Ada,{status}\n")
    assert [each.late for each in roster.people([Student("Ada", "7")], found)] == [late]


def test_a_short_line_has_all_columns(tmp_path: Path) -> None:
    found = saved(tmp_path, "Name,ID,Step 05 (9)\nAda,1\n")
    assert found.rows == ({"Name": "Ada", "ID": "1", "Step 05 (9)": ""},)


def test_what_stands_twice_is_told(tmp_path: Path) -> None:
    found = saved(tmp_path, "Name,ID\nAda,1\nAda,1\n")
    assert found.notes == ("Ada: appears twice in the roster",)


def test_in_a_list_without_a_header_the_first_line_is_a_row(tmp_path: Path) -> None:
    found = saved(tmp_path, "Ada Lovelace\nBob Smith\n")
    students = [Student("Ada Lovelace"), Student("Bob Smith")]
    assert [each.student for each in roster.people(students, found)] == students
    (bob, _) = roster.people(students[:0], found), None
    assert [each.name for each in bob] == ["Bob Smith"]


def test_a_section_is_no_student_and_a_score_no_number(tmp_path: Path) -> None:
    found = saved(tmp_path, "Student,ID,Section,Step 01 (5)\nAda,101,b,77\n")
    strangers = [Student("b"), Student("x", "77")]
    assert [each.student for each in roster.people(strangers, found)] == [None, *strangers]


def test_a_repository_downloaded_from_github(tmp_path: Path) -> None:
    found = saved(
        tmp_path, "identifier,github_username,github_id,name\na@x.org,ada-l,1,\nb@x.org,bob,2,\n"
    )
    students = [Student("attention-1-ada-l-main"), Student("attention-1-bob-master")]
    assert [each.student for each in roster.people(students, found)] == students


LIST = "identifier,github_username\nAda L.,ada-l\nBob,bob\nBen,a-bob\n"


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        # The assignment's name is what most begin with.
        (["attention-1-ada-l", "attention-1-bob"], ["attention-1-ada-l", "attention-1-bob", None]),
        # A whole name is surer than a part of one.
        (
            ["attention-bob", "attention-a-bob", "attention-ada-l"],
            ["attention-ada-l", "attention-bob", "attention-a-bob"],
        ),
        # Who handed in nothing gets nothing from others.
        (["attention-ada-l", "attention-eve", "mallory-bob"], ["attention-ada-l", None, None]),
        (["mallory-bob"], [None, None, None]),
        (["bob-bob", "ada-l"], ["ada-l", None, None]),
        # Two claim one row: nobody has it.
        (["bob ", "bob", "ada-l"], ["ada-l", None, None]),
        (
            ["attention-bob", "attention-bob-main", "attention-ada-l"],
            ["attention-ada-l"] + [None] * 2,
        ),
        # The surer claim has it.
        (["bob", "attention-bob", "attention-ada-l"], ["attention-ada-l", "bob", None]),
    ],
)
def test_a_row_is_its_owners(tmp_path: Path, keys: list[str], rows: list[str | None]) -> None:
    found = roster.matched([Student(key) for key in keys], saved(tmp_path, LIST))
    assert [each.student and each.student.key for each in found.people if each.listed] == rows
    shown = {each.student.key for each in found.people if each.student}
    assert shown == set(keys)
    disputed = [key for key in keys if sum("bob" in other for other in keys) > 1 and "bob" in key]
    assert bool(found.notes) == (rows[1] is None and len(disputed) > 1)


HEADERS = {
    "Last Name,First Name,SID,Email\nLovelace,Ada,S70000,ada@x.org\nHopper,Grace,S70041,gh@x.org\n",
    "Nachname;Vorname;Matrikelnummer\nLovelace;Ada;70000\nHopper;Grace;70041\n",
    "sid;surname;given name;mail\n70000;Lovelace;Ada;ada@x.org\n70041;Hopper;Grace;gh@x.org\n",
    "Name;Vorname;Matr.-Nr.\nLovelace;Ada;70000\nHopper;Grace;70041\n",
    "Student Name\tStudent Number\nAda Lovelace\tS70000\nGrace Hopper\tS70041\n",
    'Name,ID number,E-mail\n"Lovelace, Ada",S70000,a@x.org\n"Hopper, Grace",S70041,g@x.org\n',
}


@pytest.mark.parametrize("text", sorted(HEADERS))
def test_headers_and_names_as_people_write_them(tmp_path: Path, text: str) -> None:
    ada = ["Lovelace_Ada_S70000", "ada lovelace", "LOVELACE, Ada", "70000", "Ada-Lovelace (70000)"]
    grace = ["hopper, grace", "Hopper, Grace (S70041)", "s70041", "grace_hopper", "Grace S70041"]
    for one, other in zip(ada, grace, strict=True):
        students = [Student(one), Student(other)]
        found = roster.matched(students, saved(tmp_path, text))
        assert [each.student for each in found.people] == students, (one, other)
    for stranger in ("Ada Hopper", "Lovelace_Grace_S70000", "Grace", "Lovelace S70041", "7"):
        found = roster.matched([Student(stranger)], saved(tmp_path, text))
        assert not found.fits, stranger


@pytest.mark.parametrize("text", ["", "\n\n", '"open\n', "a\0b,c\n"])
def test_a_roster_that_is_no_table(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unusable, match="roster"):
        saved(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[s99]\n", "no step 's99'"),
        ("[s05]\nscales = 2\n", "Did you mean scale"),
        ("[s05]\nscale = -1\n", "whole or half"),
        ("[s05]\nscale = 1.25\n", "whole or half"),
        ("[s05]\nscale = inf\n", "whole or half"),
        ('[s05]\n"*" = 0\n', "no check has any points"),
        ("[s05]\nlate = 2\n", "from 0 to 1"),
        ("[s05]\npass = 0\n", "no check has any points"),
        ("[s05]\npass = 5\nscale = 1\n", "all or nothing"),
        ("s05 = 3\n", "table"),
        ("[s05\n", "not a TOML file"),
    ],
)
def test_points_that_cannot_be_meant(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "points.toml"
    path.write_text(text)
    with pytest.raises(Unusable, match=says):
        points.read(path)


def test_points_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "points.toml"
    path.write_text('[s05]\n"*" = 2\nscale = 7\n')
    given = points.read(path)
    assert [given.of(*each) for each in (("s05", "scale"), ("s05", "mask"), ("s07", "mask"))] == [
        7,
        2,
        0,
    ]


HOSTILE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "  =cmd|' /C calc'!A0",
    'a "quoted", cell',
    "two\nlines",
    "plain",
    "",
]


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_no_separator_of_a_spreadsheet_uncovers_a_formula(delimiter: str) -> None:
    cells: list[table.Cell] = [
        "Ada;=1+1",
        'x";"=1',
        "a\t@b",
        "a\n=1",
        "a;\t +1",
        "a; b",
        "-",
        7,
        None,
    ]
    text = table.render(["name", "x;=2"], [["Ada", cell] for cell in cells])
    assert all(line[0] == line[-1] == '"' for line in text.split("\r\n")[:-1])
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        for cell in row:
            assert not cell.strip(' \t"').startswith(table.FORMULA) or cell == "-", row
    assert [row[1] for row in csv.reader(io.StringIO(text))][6:] == ["a; b", "-", "7", ""]


def test_a_table_survives_its_readers_and_holds_no_formula() -> None:
    text = table.render(["name", "points"], [(cell, -1) for cell in HOSTILE])
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [row[1] for row in rows[1:]] == ["-1"] * len(HOSTILE)
    for row, cell in zip(rows[1:], HOSTILE, strict=True):
        assert row[0].removeprefix("'") == cell
        assert not row[0].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert text.count("\r\n") == len(HOSTILE) + 1
