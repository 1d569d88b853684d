"""Sixty-one people, graded from the downloads of each platform with a roster of its own.

The names of files and columns are those of the platforms' public documents, and of the code of
Canvas, Moodle and nbgrader.

Longer than 300 lines, because the downloads of all platforms have the same people in them.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.base import course
from grader.cli import cli
from tests.graded import variants
from tests.marks import sampled

STEP = course.find("s01")
RIGHT = STEP.solution.read_bytes()
WRONG = variants.sample(variants.of("s01", right=False), 1)[0].source
BROKEN = b"def (\n"
PROGRAMS = {"right": RIGHT, "wrong": WRONG, "broken": BROKEN, "notebook": RIGHT, "zipped": RIGHT}
VERDICTS = {"right": "pass", "wrong": "fail", "broken": "fail", "notebook": "pass",
            "zipped": "pass", "document": "missing", "nothing": "missing"}  # fmt: skip
KINDS = ("right", "wrong", "right", "broken", "notebook", "right", "zipped", "document", "nothing")

NAMES = """
Ada Lovelace, Grace Hopper, Alan Turing, Bob O'Hara, Zoë Müller-Lüdenscheidt, Łukasz Żak, Jo Li
José García Márquez, Anna-Lena von der Heide, Nguyễn Thị Minh, Chloé Dubois, Chloé Durand, Lin Wu
Thomas James, James Thomas, Thomas Jameson, Ana Ana, María José Pérez, Peter van den Berg, Li Jo
Søren Østergård, Þóra Jónsdóttir, İpek Yılmaz, Ivan Ivanov, Ivana Ivanova, Kim Lee, Lee Min-Kim
Noël D'Arcy-Smith, Óscar Núñez, Pía Núñez, Renée Fleming, René Flemming, Xi Zhang, Xin Zhang
Xing Zhang, Ben Adams, Benjamin Adams, Adam Benson, Abigail Ng, Wolfgang Goethe, Amélie Straße
Ole Å, Eve Smith, Eva Smith, Evan Smith, Mary Ann Evans, Mary Evans, George Eliot, Dee Dee
Rosa Luxemburg, Emmy Noether, Sofja Kowalewskaja, Émilie du Châtelet, Hypatia of Alexandria
Mary Somerville, Maryam Mirzakhani, Katherine Johnson, Dorothy Vaughan, Mae Jemison, Sally Ride
Annie Easley
"""


@dataclass(frozen=True)
class Human:
    """Someone in the class: ``kind`` is what they handed in."""

    number: int
    first: str
    last: str
    kind: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def login(self) -> str:
        letters = "".join(letter for letter in self.last if letter.isascii() and letter.isalpha())
        return f"{letters.lower() or 'x'}{self.number}"

    @property
    def sid(self) -> str:
        return f"S{70000 + self.number}"

    @property
    def mail(self) -> str:
        return f"{self.login}@example.org"

    @property
    def late(self) -> bool:
        return self.number % 10 == 1

    @property
    def file(self) -> str:
        endings = {"notebook": "step_01.ipynb", "zipped": "work.zip", "document": "answer.docx"}
        return endings.get(self.kind, "step_01.py")

    @property
    def content(self) -> bytes:
        if self.kind == "notebook":
            return notebook(PROGRAMS[self.kind])
        if self.kind == "zipped":
            return packed({"answer/steps/step_01.py": RIGHT, "__MACOSX/answer/._step_01.py": b"x"})
        return PROGRAMS.get(self.kind, b"PK\x03\x04 a document")

    def handed(self, prefix: str) -> dict[str, bytes]:
        """The file in a folder, or after a prefix."""
        return {} if self.kind == "nothing" else {prefix + self.file: self.content}


def notebook(program: bytes) -> bytes:
    lines = program.decode().splitlines(keepends=True)
    cells = [{"cell_type": "markdown", "source": ["# Step 1"]},
             {"cell_type": "code", "source": ["%load_ext autoreload"]},
             {"cell_type": "code", "source": lines[:9]},
             {"cell_type": "code", "source": lines[9:]}]  # fmt: skip
    return json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}).encode()


def packed(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def humans() -> list[Human]:
    found = []
    for number, name in enumerate(NAMES.strip().replace("\n", ", ").split(", ")):
        first, _, last = name.partition(" ")
        found.append(Human(number, first, last, KINDS[number % len(KINDS)]))
    return found


CLASS = humans()
Files = dict[str, bytes]


def canvas(each: Human) -> tuple[Files, list[str]]:
    name = "".join(letter for letter in (each.last + each.first).lower() if letter.isalnum())
    late = "_LATE" if each.late else ""
    files = each.handed(f"submissions/{name}{late}_{each.number + 100}_{each.number + 9000}_")
    if each.kind == "nothing":
        files[f"submissions/{name}_{each.number + 100}_text.html"] = b"<p>Sorry</p>"
    row = [f"{each.last}, {each.first}", str(each.number + 100), each.sid, each.login, "A", ""]
    return files, row


def moodle(each: Human, folder: str) -> tuple[Files, list[str]]:
    files = each.handed(f"{each.name}_{each.number + 400}_assignsubmission_file{folder}")
    late = "Submitted for grading - 2 hours late" if each.late else "Submitted for grading"
    return files, [f"Participant {each.number + 400}", each.name, each.mail, late, "", "10.00"]


def gradescope(each: Human) -> tuple[Files, list[str]]:
    files = each.handed(f"assignment_12_export/submission_{each.number + 500}/")
    lines = [f"submission_{each.number + 500}:", "  :submitters:", f'  - :name: "{each.name}"',
             f"    :sid: {each.sid}", f"    :email: {each.mail}", "  :score: 0.0"]  # fmt: skip
    list_ = "\n".join(lines).encode() + b"\n" if files else b""
    files["assignment_12_export/submission_metadata.yml"] = list_
    return files, [each.first, each.last, each.sid, each.mail, "Section A"]


def blackboard(each: Human) -> tuple[Files, list[str]]:
    begin = f"Step 01_{each.login}_attempt_2026-01-"
    files = each.handed(f"{begin}03-03-04-05_")
    files[f"{begin}03-03-04-05.txt"] = f"Name: {each.name} ({each.login})\n".encode()
    if each.kind == "right":
        files[f"{begin}02-03-04-05_step_01.py"] = BROKEN  # an earlier attempt
    return files, [each.last, each.first, each.login, each.sid, "", "Yes"]


def brightspace(each: Human, middle: str) -> tuple[Files, list[str]]:
    begin = f"{each.number + 10}-{each.number + 70} - {each.name}"
    files = each.handed(f"{begin}{middle.format('Jan 12, 2026 304 PM')}")
    if each.kind == "right":
        files[f"{begin}{middle.format('Jan 12, 2026 1104 AM')}step_01.py"] = BROKEN
    row = [f"#{each.sid}", f"#{each.login}", each.last, each.first, each.mail, "#"]
    return files | {"index.html": b"<html></html>"}, row


def github(each: Human) -> tuple[Files, list[str]]:
    top = f"attention-submissions/attention-{each.login}/"
    files = each.handed(f"{top}steps/")
    files |= {f"{top}README.md": b"#", f"{top}.github/workflows/grade.yml": b"on: push"}
    return files, [each.name, each.login, str(each.number + 7000), ""]


def folders(each: Human) -> tuple[Files, list[str]]:
    files = each.handed(f"{each.last}, {each.first} ({each.sid})/")
    return files, [each.last, each.first, each.sid]


def zips(each: Human) -> tuple[Files, list[str]]:
    name = f"{each.last}_{each.first}_{each.sid}"
    inside = {"right": "my work/", "broken": "a/b/c/"}.get(each.kind, "")
    files = {f"{name}.zip": packed(each.handed(inside))}
    if each.kind == "zipped":  # an archive in an archive stays closed
        files = {f"{name}.zip": each.content}
    return files, [each.sid, each.last, each.first, each.mail]


def flat(each: Human) -> tuple[Files, list[str]]:
    if each.kind == "zipped":
        return {f"{each.first}_{each.last}.zip": each.content}, [each.name, each.mail]
    if each.kind == "document":
        return {f"{each.name} step 1.docx": each.content}, [each.name, each.mail]
    files = each.handed(f"{each.first}_{each.last}_" if each.number % 2 else f"{each.login}_")
    return files, [each.name, each.mail]


def nbgrader(each: Human) -> tuple[Files, list[str]]:
    return each.handed(f"submitted/{each.login}/ps1/"), [each.login, each.first, each.last, ""]


@dataclass(frozen=True)
class Layout:
    """How a platform packs what one person handed in, and that person's row in its roster."""

    of: Callable[[Human], tuple[Files, list[str]]]
    header: str
    separator: str = ","
    encoding: str = "utf-8"
    first: str = ""
    told_late: bool = False


WORKSHEET = "Identifier,Full name,Email address,Status,Grade,Maximum Grade"
CLASSLIST = "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator"
LAYOUTS = {
    "canvas": Layout(canvas, "Student,ID,SIS User ID,SIS Login ID,Section,Step 01 (99)",
                     first="    Points Possible,,,,,10", told_late=True),
    "moodle, folders": Layout(lambda each: moodle(each, "_/"), WORKSHEET, told_late=True),
    "moodle 4.1, folders": Layout(lambda each: moodle(each, "/"), WORKSHEET, told_late=True),
    "moodle, flat": Layout(lambda each: moodle(each, "_"), WORKSHEET, told_late=True),
    "gradescope": Layout(gradescope, "First Name,Last Name,SID,Email,Sections"),
    "blackboard": Layout(blackboard, "Last Name,First Name,Username,Student ID,Last Access,"
                         "Availability", "\t", "utf-16"),
    "brightspace, folders": Layout(lambda each: brightspace(each, " - {}/"), CLASSLIST),
    "brightspace, flat": Layout(lambda each: brightspace(each, "- {} - "), CLASSLIST),
    "github": Layout(github, "identifier,github_username,github_id,name"),
    "folders": Layout(folders, "Nachname,Vorname,Matrikelnummer", ";", "utf-8-sig"),
    "zips": Layout(zips, "sid,surname,given name,mail", ";"),
    "flat": Layout(flat, "Student Name,E-mail"),
    "nbgrader": Layout(nbgrader, "id,first_name,last_name,email"),
}  # fmt: skip


def rostered(layout: Layout, people: list[Human], path: Path) -> Path:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=layout.separator)
    writer.writerow(layout.header.split(","))
    if layout.first:
        writer.writerow(layout.first.split(","))
    writer.writerows(layout.of(each)[1] for each in people)
    path.write_text(text.getvalue(), encoding=layout.encoding, newline="")
    return path


def download(layout: Layout, path: Path) -> Path:
    files: Files = {}
    for each in CLASS:
        for name, data in layout.of(each)[0].items():
            files[name] = files.get(name, b"") + data if name.endswith(".yml") else data
    path.write_bytes(packed(files))
    return path


def run(folder: Path, layout: Layout, people: list[Human], *more: str) -> Result:
    given = str(download(layout, folder / "download.zip"))
    roster = str(rostered(layout, people, folder / "roster.csv"))
    arguments = ["class", given, "--step", "s01", "--out", str(folder / "out"), "--roster", roster]
    return CliRunner().invoke(cli, [*arguments, *more])


@pytest.fixture(scope="module")
def results(confining: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The results of the first run: what is equal is graded once."""
    folder = tmp_path_factory.mktemp("first")
    yield folder / "results"
    shutil.rmtree(folder)


def begin_with(results: Path, out: Path) -> None:
    """Let a run begin with what an earlier one graded, if this process has one."""
    if results.exists():
        shutil.copytree(results, out / "results")


def test_there_are_sixty_one() -> None:
    assert len(CLASS) == len({each.name for each in CLASS}) == 61
    assert {each.kind for each in CLASS} == set(KINDS)


@pytest.mark.parametrize("name", sampled(4, LAYOUTS))
def test_everyone_is_found_and_graded_rightly(tmp_path: Path, results: Path, name: str) -> None:
    begin_with(results, tmp_path / "out")
    done = run(tmp_path, LAYOUTS[name], CLASS, "--for", "feedback")
    assert done.exit_code == 0, done.output
    if not results.exists():
        shutil.copytree(tmp_path / "out" / "results", results)
    text = (tmp_path / "out" / "gradebook.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert [row["s01 verdict"] for row in rows] == [VERDICTS[each.kind] for each in CLASS]
    assert {row["on roster"] for row in rows} == {"yes"}
    for row, each in zip(rows, CLASS, strict=True):
        assert set(each.name.split()) <= set(row["student"].replace(",", "").split())
        if each.kind == "document":
            assert "not a Python file: " in row["s01 first problem"]
    if LAYOUTS[name].told_late:
        handed_in = [each for each in CLASS if each.kind != "nothing"]
        told = {row["student"] for row in rows if row["s01 late"]}
        assert len(told) == sum(each.late for each in handed_in)
    assert "Left out" not in done.output
    assert "Not on the roster" not in done.output
    assert "The roster's columns: " in done.output


def test_feedback_is_for_everyone_whom_the_platform_would_find(
    tmp_path: Path, results: Path
) -> None:
    begin_with(results, tmp_path / "out")
    done = run(tmp_path, LAYOUTS["canvas"], CLASS, "--for", "feedback")
    assert done.exit_code == 0
    graded = [each for each in CLASS if each.kind in PROGRAMS]
    with zipfile.ZipFile(tmp_path / "out" / "feedback_s01.zip") as archive:
        assert len(archive.namelist()) == len(graded)
        for each, name in zip(graded, archive.namelist(), strict=True):
            assert f"_{each.number + 100}_{each.number + 9000}_s01-report.txt" in name
            first = archive.read(name).decode().splitlines()[0]
            points = {"pass": "100", "fail": ""}[VERDICTS[each.kind]]
            assert first.startswith(f"{each.last}, {each.first}, s01: {points}")


def test_the_best_of_several_hand_ins(tmp_path: Path, results: Path) -> None:
    given = {"first": {"ada": RIGHT, "bob": WRONG, "cy": BROKEN},
             "second": {"ada": BROKEN, "bob": RIGHT, "dee": WRONG}}  # fmt: skip
    for name, files in given.items():
        begin_with(results, tmp_path / name)
        where = tmp_path / f"{name}.zip"
        where.write_bytes(packed({f"{who}/step_01.py": data for who, data in files.items()}))
        (tmp_path / "roster.csv").write_text("Name\nada\nbob\ncy\ndee\n")
        arguments = ["class", str(where), "--step", "s01", "--out", str(tmp_path / name)]
        more = ["--best-of", str(tmp_path / "first")] if name == "second" else []
        roster = ["--roster", str(tmp_path / "roster.csv")]
        done = CliRunner().invoke(cli, [*arguments, *roster, *more])
        assert done.exit_code == 0, done.output
    rows = {}
    for name in given:
        text = (tmp_path / name / "gradebook.csv").read_text(encoding="utf-8-sig")
        rows[name] = {row["student"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    first, best = rows["first"], rows["second"]
    assert [row["s01 note"] for row in best.values()] == ["best of: first", "", "", ""]
    assert best["ada"]["s01 points"] == best["bob"]["s01 points"] == "100"
    assert best["ada"]["s01 verdict"] == "fail"
    assert first["cy"]["s01 points"] == best["cy"]["s01 points"] == "0"
    assert 0 < float(best["dee"]["s01 points"]) < 100


def test_the_roster_of_another_class_is_refused_in_one_sentence(tmp_path: Path) -> None:
    others = [
        Human(each.number + 200, f"{each.last}x", f"{each.first}y", each.kind) for each in CLASS
    ]
    done = run(tmp_path, LAYOUTS["folders"], others, "--trust-submissions")  # nothing is run
    assert done.exit_code == 2
    assert not (tmp_path / "out" / "gradebook.csv").exists()
    said = done.output.splitlines()
    there = sum(each.kind != "nothing" for each in CLASS)
    assert said[-1] == (
        f"Error: Only 0 of the {there} who handed something in are on the roster. Its columns were "
        "read as name: Nachname, Vorname; number: Matrikelnummer. If it is the right one, pass "
        "--any-roster."
    )
    assert sum("roster" in line for line in said) == 2
