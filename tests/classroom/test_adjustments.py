"""Points and bonus by hand, and the best of several hand-ins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.base.files import Unusable
from grader.classroom import platforms
from grader.classroom.adjustments import Adjustment, earlier, read_adjustments
from grader.classroom.collect import Answer
from grader.classroom.gradebook import Row, as_csv
from grader.report.points import Points
from tests.classroom.test_platforms import EACH_ONE, book, person, read, report


def test_bonus_other_points_and_what_late_costs(tmp_path: Path) -> None:
    names = ("Ada", "Bob", "Gone", "Error")
    given = book(*map(person, names))
    path = tmp_path / "adjust.csv"
    path.write_text(
        "Student,Step,Bonus,Points\nada,s05,1.5,\nBob,,,7\nGone,s05,,2\nerror,s05,1,3\n"
    )
    found = read_adjustments(path, given.people, ["s05"])
    late = replace(given.row(given.people[0], "s05"), answer=Answer("x.py", "d", late=True))
    rows = {
        key: replace(row, adjusted=found[key])
        for key, row in {**given.rows, ("Ada", "s05"): late}.items()
    }
    given = replace(given, rows=rows, points=Points(EACH_ONE.weights, {"s05": 0.5}))
    assert [given.score(given.row(one, "s05")) for one in given.people] == [3.5, 7, 2, 4]
    assert [row["Step 05: Title"] for row in read(platforms.canvas(given))[1:]] == [
        *("3.5", "7", "2", "4")
    ]


def test_the_best_of_several_hand_ins_counts(tmp_path: Path) -> None:
    given = book(*map(person, ("=Ada", "Bob", "Gone", "Error")))
    reports = {
        "=Ada": report(3),
        "Bob": report(3),
        "Gone": report(1),
        "Error": None,
    }  # who handed in nothing had no better one
    rows = {
        (name, "s05"): Row(Answer("x.py", "d") if told else None, told)
        for name, told in reports.items()
    }
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "gradebook.csv").write_text(
        as_csv(replace(given, rows=rows)), encoding="utf-8"
    )
    most = {"s05": 4.0}
    points = earlier(tmp_path / "first", given.people, most)
    assert points == {("=Ada", "s05"): 3, ("Bob", "s05"): 3, ("Gone", "s05"): 1}
    best = {
        key: replace(row, adjusted=Adjustment(least=points.get(key, 2), before="first"))
        for key, row in given.rows.items()
    }
    given = replace(given, rows=best)
    assert [given.score(given.row(one, "s05")) for one in given.people] == [4, 3, 1, None]
    assert [given.note(given.row(one, "s05")) for one in given.people] == [
        *("", "best of: first", "best of: first", "")
    ]
    assert [row["Step 05: Title"] for row in read(platforms.canvas(given))[1:]] == [
        *("4", "3", "1", "")
    ]
    with pytest.raises(Unusable, match="s05 has 4 points there, and 100 here"):
        earlier(tmp_path / "first", given.people, {"s05": 100})
    with pytest.raises(Unusable, match="cannot be read"):
        earlier(tmp_path / "nothing", given.people, most)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,bonus\nAda,1\n", "first line should be"),
        ("student,bonus\nZoe,1\n", "nobody is called 'Zoe'"),
        ("student,step,bonus\nAda,s06,1\n", "none of the steps s05"),
        ("student,bonus\nAda,much\n", "not a number"),
        ("student,points\nAda,nan\n", "not a number"),
    ],
)
def test_adjustments_that_cannot_be_meant(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "adjust.csv").write_text(text)
    with pytest.raises(Unusable, match=says):
        read_adjustments(tmp_path / "adjust.csv", [person("Ada")], ["s05"])
