"""Whose file is it? Layouts of the platforms, and folders of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.collect import Answer, Collected, collect
from grader.classroom.layout import Student, place, student_of

CODE = b"x = 1\n"
AT = "_attempt_2026-01-02-03-04-05_"


@pytest.mark.parametrize(
    ("path", "student", "step", "late"),
    [
        ("ada/step_05.py", Student("ada"), "5", False),
        ("ada/steps/step_05.py", Student("ada"), "5", False),
        ("ada/Step5 (2).PY", Student("ada"), "5", False),
        ("ada/Copy of step_05.py", Student("ada"), "5", False),
        ("ada/step_05.py.txt", Student("ada"), "5", False),
        ("ada/attention.py", Student("ada"), "", False),
        ("ada/lovelace_step_05.py", Student("ada"), "5", False),
        ("ada/test_step_05.py", Student("ada"), "", False),
        ("ada.py", Student("ada"), "", False),
        ("ada_step_11.py", Student("ada"), "11", False),
        ("lovelaceada_12_345_step_05-2.py", Student("lovelaceada", "12"), "5", False),
        ("lovelaceada_LATE_12_345_step_05.py", Student("lovelaceada", "12"), "5", True),
        ("anon_X7k2f_345_step_05-1.py", Student("anon_X7k2f"), "5", False),
        ("LATE_anon_X7k2f_345_07_step_05.py", Student("anon_X7k2f"), "5", True),
        ("Default group_assignsubmission_file/step_05.py", Student("Default group"), "5", False),
        ("lovelaceada_12_345_work.zip/step_05.py", Student("lovelaceada", "12"), "5", False),
        ("Ada L_77_assignsubmission_file_/step_05.py", Student("Ada L", "77"), "5", False),
        ("Ada L_77_assignsubmission_file/a/step_05.py", Student("Ada L", "77"), "5", False),
        ("Ada L_77_assignsubmission_file_step_05.py", Student("Ada L", "77"), "5", False),
        ("att-ada/steps/step_05.py", Student("ada"), "5", False),
        # What the platform writes comes first; the rest is a name that somebody chose.
        (f"Step 05_eve{AT}x_ada{AT}step_05.py", Student("eve"), "5", False),
        (f"Step 05_a_lovelace{AT}step_05.py", Student("a_lovelace"), "5", False),
        (f"step_05_a_lovelace{AT}step_05.py", Student("a_lovelace"), "5", False),
        (f"Week_1 Step 05: heads_a_b_c{AT}step_05.py", Student("a_b_c"), "5", False),
        (f"Homework_1_ada{AT}step_05.py", Student("ada"), "5", False),
        (f"Homework_a_lovelace{AT}step_05.py", Student("a_lovelace"), "5", False),
        (f"Step 05_eve{AT}101_9001_step_05.py", Student("eve"), "5", False),
        (f"Step 05_eve{AT}Ada_77_assignsubmission_file_step_05.py", Student("eve"), "5", False),
        (f"evee_12_34_x_ada{AT}step_05.py", Student("evee", "12"), "5", False),
        ("evee_12_34_Ada_77_assignsubmission_file_step_05.py", Student("evee", "12"), "5", False),
        (f"Eve_9_assignsubmission_file_x_ada{AT}step_05.py", Student("Eve", "9"), "5", False),
        (
            "12-34 - Eve - Jan 2, 2026 304 AM - x_77_assignsubmission_file_step_05.py",
            Student("Eve", "Brightspace 12"),
            "5",
            False,
        ),
        ("ada/step_05.txt", Student("ada"), "5", False),
        ("ada_Step5 (2).TXT", Student("ada"), "5", False),
        ("lovelaceada_12_345_step_05-1.txt", Student("lovelaceada", "12"), "5", False),
        ("ada/step_05 (final) (2).py", Student("ada"), "5", False),
        ("ada/20260116235900_step_05.py", Student("ada"), "5", False),
    ],
)
def test_names_of_the_platforms(path: str, student: Student, step: str, late: bool) -> None:
    placed = place(tuple(path.split("/")), "att-")
    assert placed is not None
    assert (placed.student, placed.step, placed.late) == (student, step, late)


def test_a_text_in_the_place_of_a_file_is_the_students_all_the_same() -> None:
    for name in ("lovelaceada_LATE_12_text.html", "lovelaceada_12_link.html"):
        assert place((name,)) is None
        known = student_of((name,))
        assert known is not None
        assert known[0] == Student("lovelaceada", "12")


@pytest.mark.parametrize(
    "path",
    [
        *("step_05.py", "ada/notes.md", "ada/.git/step_05.py", "x/.py", "ada.txt"),
        *(
            "ada/step_05_notes.txt",
            "ada/notes on step 5.txt",
            "Step 05_ada_attempt_2026-01-02-03-04-05.txt",
        ),
    ],
)
def test_no_answer_of_anybody(path: str) -> None:
    assert place(tuple(path.split("/"))) is None


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_any_name_is_read_without_an_error(parts: list[str]) -> None:
    place(tuple(parts))
    student_of(tuple(parts))


def made(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CODE + os.fsencode(name))
    return folder


def collected(where: Path, spool: Path, *steps: str) -> Collected:
    spool.mkdir(exist_ok=True)
    return collect(where, steps or ("s05",), spool)


def answers(found: Collected) -> dict[str, Answer]:
    return {student.key: answer for (student, _), answer in found.answers.items()}


def test_a_folder_of_folders_and_files(tmp_path: Path) -> None:
    where = made(
        tmp_path / "in",
        "ada/step_05.py",
        "bob.py",
        "cy/essay.docx",
        "README.md",
        "dan/attention.py",
    )
    (where / "eve").mkdir()
    found = collected(where, tmp_path / "spool")
    assert [each.key for each in found.students] == ["ada", "bob", "cy", "dan", "eve"]
    got = answers(found)
    assert {name: each.origin for name, each in got.items() if not each.instead} == {
        "ada": "ada/step_05.py",
        "bob": "bob.py",
        "dan": "dan/attention.py",
    }
    assert got["cy"].problem == "not a Python file: cy/essay.docx"
    digest = answers(found)["bob"].digest
    assert (tmp_path / "spool" / digest).read_bytes() == CODE + b"bob.py"
    assert found.skipped == ("README.md: the name contains no student's name",)


def test_with_several_steps_a_file_must_say_which(tmp_path: Path) -> None:
    where = made(tmp_path / "in", "ada.py", "bob/step_05.py", "bob/tools.py", "cy/step_09.py")
    found = collected(where, tmp_path / "spool", "s05", "s07")
    assert [(who.key, step) for (who, step), each in found.answers.items() if each.digest] == [
        ("bob", "s05")
    ]
    said = {(who.key, step): each.problem for (who, step), each in found.answers.items()}
    assert said["ada", "s05"] == "no step number in the name: ada.py"
    assert said["bob", "s07"] == "no step number in the name: bob/tools.py"
    assert said["cy", "s05"] == "another step: cy/step_09.py"


def test_the_folder_of_the_results_is_no_student(tmp_path: Path) -> None:
    where = made(tmp_path / "in", "ada/step_05.py", "grades/results/step_05.py", "bob.py")
    spool = where / "grades" / ".submissions"
    spool.mkdir()
    for out in (where / "grades", where / "ada" / ".." / "grades"):
        found = collect(where, ["s05"], spool, out)
        assert [each.key for each in found.students] == ["ada", "bob"]


def test_the_newest_copy_is_the_answer_and_the_others_are_named(tmp_path: Path) -> None:
    where = made(
        tmp_path / "in",
        "ada/step_05.py",
        "ada/step_05 (2).py",
        "ada/old/step_05-9.py",
        "ada/step_05_test.py",
        "ada/ada_step_05 (7).py",
        "bob/checks/step_05.py",
        "bob/steps/step_05.py",
        "cy/a.py",
        "cy/b.py",
    )
    found = answers(collected(where, tmp_path / "spool"))
    assert found["ada"].origin == "ada/step_05 (2).py"
    assert "ada/step_05.py" in found["ada"].note
    assert found["bob"].origin == "bob/steps/step_05.py"
    assert found["cy"].problem == "None of cy/a.py, cy/b.py is named step_05.py"


def test_several_steps_at_once_and_canvas_in_a_wrapper(tmp_path: Path) -> None:
    where = made(
        tmp_path / "in",
        "submissions/lovelaceada_1_10_step_05.py",
        "submissions/lovelaceada_LATE_1_11_step_07-1.py",
        "submissions/babbage_2_12_step_07.py",
    )
    found = collected(where, tmp_path / "spool", "s05", "s07")
    got = {(who.key, step): one.late for (who, step), one in found.answers.items() if one.digest}
    assert got == {
        ("lovelaceada", "s05"): False,
        ("lovelaceada", "s07"): True,
        ("babbage", "s07"): False,
    }


@pytest.mark.parametrize("folder", ["in", "in/Step 05"])
def test_blackboards_receipts_say_the_user_name_and_no_file_takes_a_row(
    tmp_path: Path, folder: str
) -> None:
    above, where = f"{folder}/".removeprefix("in/"), tmp_path / folder
    title = "Step 05 attention_"
    names = ("st_ada", "st_eve", "a_b")
    made(where, *(f"{title}{who}{AT}step_05.py" for who in names))
    made(where, f"{title}st_eve{AT}x_st_ada_attempt_2027-01-02-03-04-05_step_05.py")
    for who in names:
        receipt = where / f"{title}{who}{AT.removesuffix('_')}.txt"
        receipt.write_text(f"Nombre: Somebody (else) ({who})\nName: Ada (st_ada)\n")
    found = collected(tmp_path / "in", tmp_path / "spool")
    assert [each.key for each in found.students] == sorted(names)
    got = answers(found)
    assert got["st_ada"].origin == f"{above}{title}st_ada{AT}step_05.py"
    assert not got["st_ada"].note
    assert "x_st_ada" in got["st_eve"].origin + got["st_eve"].note


def test_links_and_what_cannot_be_read_cost_one_row(tmp_path: Path) -> None:
    where = made(tmp_path / "in", "ada/step_05.py")
    for name in ("link", "pipe", "folder", "large"):
        (where / name).mkdir()
    (where / "link" / "step_05.py").symlink_to("/etc/passwd")
    os.mkfifo(where / "pipe" / "step_05.py")
    (where / "large" / "step_05.py").write_bytes(b"#" * ((1 << 20) + 1))
    (where / "linked").symlink_to(where / "ada")
    found = answers(collected(where, tmp_path / "spool"))
    assert not found["ada"].problem
    assert "symbolic link" in found["link"].problem
    assert "regular file" in found["pipe"].problem
    assert "larger" in found["large"].problem
    assert "linked" not in found


def test_names_in_an_old_encoding_stay_apart(tmp_path: Path) -> None:
    where = tmp_path / "in"
    where.mkdir()
    for raw in (b"J\xf6rg", b"J\xfcrg"):
        made(where, os.fsdecode(raw) + "/step_05.py")
    found = collected(where, tmp_path / "spool")
    assert len(found.answers) == 2
    assert all(each.origin == "J\ufffdrg/step_05.py" for each in found.answers.values())
