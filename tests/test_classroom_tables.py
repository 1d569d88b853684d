"""The class list, the points and the tables, without grading anything."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from grader import points
from grader.classroom import roster, table
from grader.classroom.layout import Student
from grader.files import Unusable

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
        ("Ada Lovelace", students[1]),
        ("Ada Lovelace (2)", students[0]),
    ]


def test_a_github_name_is_found_behind_the_assignments(tmp_path: Path) -> None:
    found = roster.people(
        [Student("attention-1-ada-l")],
        saved(tmp_path, "identifier,github_username\nAda L.,ada-l\nBob,bob\n"),
    )
    assert [(each.name, each.student is not None) for each in found] == [
        ("Ada L.", True),
        ("Bob", False),
    ]


@pytest.mark.parametrize("text", ["", "\n\n", '"open\n', "a\0b,c\n"])
def test_a_roster_that_is_no_table(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unusable, match="roster"):
        saved(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[s99]\n", "no step 's99'"),
        ("[s05]\nscales = 2\n", "Did you mean scale"),
        ("[s05]\nscale = -1\n", "whole numbers"),
        ("[s05]\nscale = 1.5\n", "whole numbers"),
        ("s05 = 3\n", "table"),
        ("[s05\n", "no TOML"),
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
        1,
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


def test_a_table_survives_its_readers_and_holds_no_formula() -> None:
    text = table.render(["name", "points"], [(cell, -1) for cell in HOSTILE])
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert [row[1] for row in rows[1:]] == ["-1"] * len(HOSTILE)
    for row, cell in zip(rows[1:], HOSTILE, strict=True):
        assert row[0].removeprefix("'") == cell
        assert not row[0].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert text.count("\r\n") == len(HOSTILE) + 1
