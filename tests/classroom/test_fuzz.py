"""Hand-ins, names, rosters and programs that nobody thought of: everyone still has a row.

Without more, these are the same few cases each time, so that no change is refused for a case that
has nothing to do with it. ``GRADER_FUZZ=20000`` tries so many others of each kind, and
``GRADER_FUZZ_SEED`` repeats a run. A failure prints the seed.

Longer than 300 lines, because most of it draws what each kind of hand-in can be.
"""

from __future__ import annotations

import io
import json
import os
import random
import struct
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from grader import frameworks
from grader.base import course
from grader.base.files import Unusable
from grader.classroom import gradescope, roster, similarity, zip_reader
from grader.classroom.collect import collect
from grader.classroom.file_tree import shown
from grader.classroom.layout import ZIP, Student, is_junk, place, student_of
from grader.grading.judge import each_finding
from grader.rubric import load
from grader.source import SourceProblem, certain, notebook, parse

CASES = int(os.environ.get("GRADER_FUZZ", "60"))
USUAL_SEED = 14
SEED = int(
    os.environ.get("GRADER_FUZZ_SEED")
    or (random.randrange(1 << 32) if "GRADER_FUZZ" in os.environ else USUAL_SEED)
)
TOGETHER = 30
"""Students of one class, each of them a case."""
DEPTH = 2
"""Archives within an archive."""
STEP = course.find("s05")
SOLUTION = STEP.solution.read_bytes()
LIMITS = {
    "deadline": None,
    "database": None,
    "print_blob": True,
    "suppress_health_check": list(HealthCheck),
}
many = settings(max_examples=CASES, **LIMITS)  # type: ignore[arg-type]
few = settings(
    max_examples=max(1, CASES // TOGETHER),
    phases=[Phase.generate],  # to shrink a class takes minutes
    **LIMITS,  # type: ignore[arg-type]
)

PIECES = (
    *("step_05", "Step 5", "step", ".py", ".PY", ".txt", ".zip", ".ipynb", "_LATE", "_12_34_", "5"),
    *(
        "_assignsubmission_file_",
        "_attempt_2026-01-02-03-04-05_",
        " - Jan 2, 2026 304 AM",
        "12-3 - ",
    ),
    *("ada", "Ö", "\U0001f600", "\u202e", " ", "-", "copy", "(1)", "submission_1", "steps", "\x7f"),
    *("\u2066", "\u2069", "\u200b", ".", "..", ". ", "CON", "NUL.py", "aux", "COM1", "LPT1.txt"),
)
FROM_ELSEWHERE = (
    "/etc/",
    "//server/share/",
    "C:\\",
    "C:/",
    "..\\",
    "../",
    "./",
    "\\",
    "a\0b",
    "~/",
)
"""What a name in an archive may begin with, made on another system or to harm this one."""
names = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text(
        st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20
    ),
)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
members = st.one_of(paths, st.tuples(st.sampled_from(FROM_ELSEWHERE), paths).map("".join))


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """A program: the solution with some changes, a heap of one operation, or anything."""
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return draw(st.binary(max_size=200))
    if kind == 1:
        text = bytearray(SOLUTION)
        for _ in range(draw(st.integers(1, 5))):
            at = draw(st.integers(0, len(text) - 1))
            text[at : at + draw(st.integers(0, 40))] = draw(st.binary(max_size=8))
        return bytes(text)
    if kind == 2:
        lines = SOLUTION.splitlines(keepends=True)
        order = draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=60))
        return b"".join(lines[each] for each in order)
    piece = draw(
        st.sampled_from([b"a = a + a\n", b"(", b"-", b"0x" + b"f" * 9, b"[x for x in ", b"f'{"])
    )
    return b"a = 1\n" + piece * draw(st.integers(1, 3000))


@st.composite
def archives(draw: st.DrawFn, depth: int = 0) -> bytes:
    """A zip file with odd names and methods, links and archives in it, perhaps damaged."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in draw(st.lists(members, max_size=5, unique=True)):
            entry = zipfile.ZipInfo("x")
            entry.filename = name  # whole: a new entry would end its name at a zero byte
            entry.compress_type = draw(st.sampled_from([0, 8, 12, 14]))
            entry.external_attr = draw(st.sampled_from([0, 0o120777 << 16, 0o40755 << 16]))
            inside = depth < DEPTH and draw(st.integers(0, 4)) == 0
            made.writestr(entry, draw(archives(depth + 1) if inside else sources()))
    whole = bytearray(data.getvalue())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(whole) - 1))
        width = draw(st.sampled_from([1, 2, 4]))
        whole[at : at + width] = draw(st.binary(min_size=width, max_size=width))
    return bytes(whole[: draw(st.integers(0, len(whole)))] if draw(st.booleans()) else whole)


def link(folder: Path, to: Path, number: int) -> None:
    """Sometimes an answer is a link: to another one, to itself, to a folder, or to nothing."""
    path = folder / "step_05.py"
    targets = (to, path, folder, folder / "nothing", Path("/etc/passwd"), Path("/dev/zero"))
    with suppress(FileExistsError):
        if number % 8 < len(targets):
            path.symlink_to(targets[number % 8])
        elif number % 8 == len(targets):
            path.hardlink_to(to)


@seed(SEED)
@few
@given(
    st.lists(
        st.tuples(names, st.one_of(sources(), archives())), min_size=TOGETHER, max_size=TOGETHER
    )
)
def test_everyone_in_a_class_has_a_row_or_is_named(class_: list[tuple[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        where, spool = Path(folder, "in"), Path(folder, "spool")
        (where / "honest").mkdir(parents=True)
        spool.mkdir()
        (where / "honest" / "step_05.py").write_bytes(SOLUTION)
        for number, (name, data) in enumerate(class_):
            text = name.encode("utf-8", "ignore")[:150].decode("utf-8", "ignore")
            inside = where / f"s{number}"
            inside.mkdir()
            (inside / f"x{text}").write_bytes(data)
            (where / f"t{number}{text}").write_bytes(data)
            link(inside, where / "honest" / "step_05.py", number)
        there = {each.name for each in where.iterdir() if not is_junk(each.name)}
        found = collect(where, ["s05"], spool)
        said = " ".join(found.skipped)
        keys = {student.key for student in found.students}
        assert {"honest", *(f"s{number}" for number in range(len(class_)))} <= keys, f"seed {SEED}"
        for name in there:
            known = student_of(
                (name, "") if (where / name).is_dir() or ZIP.search(name) else (name,)
            )
            assert known[0].key in keys if known else shown(name) in said, f"seed {SEED}"
        answers = {student.key: one for (student, _), one in found.answers.items()}
        assert (spool / answers["honest"].digest).read_bytes() == SOLUTION
        everyone = roster.matched(found.students, None).people
        assert len({person.name for person in everyone}) == len(found.students)


@seed(SEED)
@many
@given(archives())
def test_an_archive_is_read_or_refused(data: bytes) -> None:
    try:
        found = zip_reader.of_bytes(data, "x.zip", 1000)
    except SourceProblem:
        return
    for member in found.members:
        try:
            assert len(found.read(member)) <= 1 << 18
        except SourceProblem:
            continue


@seed(SEED)
@many
@given(st.lists(names, min_size=1, max_size=4), names)
def test_a_name_is_read(parts: list[str], prefix: str) -> None:
    place(tuple(parts), prefix)
    student_of(tuple(parts), prefix)


@seed(SEED)
@many
@given(st.text(), st.binary(max_size=300))
def test_lists_and_notebooks_of_any_content_are_read(text: str, data: bytes) -> None:
    gradescope.submitters(text)
    try:
        notebook.program(data, "x", "s05")
    except SourceProblem:
        return


numbers = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9))
values = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["cells", "source", "cell_type", "x"]), inner, max_size=4),
    ),
    max_leaves=12,
)
code = st.one_of(
    values,
    st.lists(st.text(max_size=9), max_size=4),
    st.sampled_from(["%%grade s05\n", "%%grade\n", "!ls\n", "x = 1\n", "x" * (1 << 20)]),
)
book_cells = st.one_of(
    values,
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "raw", 7])}, optional={"source": code}
    ),
)
notebooks = st.one_of(
    values,
    st.fixed_dictionaries(
        {}, optional={"cells": st.lists(book_cells, max_size=6), "nbformat": values}
    ),
    st.integers(0, 20_000).map(lambda many: {"cells": [{"cell_type": "code"}] * many}),
).map(lambda book: json.dumps(book).encode("utf-8", "surrogatepass"))


@seed(SEED)
@many
@given(notebooks)
def test_a_notebook_of_any_cells_is_read(data: bytes) -> None:
    try:
        notebook.program(data, "x", "s05")
    except SourceProblem:
        return


HEADS = ("Name", "Student", "Email", "SID", "Last Name", "First Name", "ID", "Section", "Points")
cells = st.one_of(
    names, st.sampled_from([*HEADS, "ada", "Ada Lovelace", '"', ";", ",", "Two\nlines", "=1+1"])
)
quoted = st.builds(lambda cell: '"' + cell.replace('"', '""') + '"', cells)


@st.composite
def rosters(draw: st.DrawFn) -> bytes:
    """A table in any of the usual encodings, or what is none: wide, doubled, a spreadsheet."""
    kind = draw(st.integers(0, 19))
    if kind == 0:
        return draw(archives())  # a spreadsheet that was renamed
    if kind == 1:
        return draw(st.binary(max_size=300))
    lines = draw(st.lists(st.lists(st.one_of(cells, quoted), min_size=1, max_size=5), max_size=6))
    if kind == 2:  # thousands of columns, the same again and again
        lines = [line * (10_000 // len(line)) for line in lines]
    mark = draw(st.sampled_from([",", ";", "\t", "|"]))
    text = draw(st.sampled_from(["\n", "\r\n", "\r"])).join(map(mark.join, lines))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"]))
    return text.encode(encoding, "ignore")


@seed(SEED)
@many
@given(rosters(), st.lists(names, max_size=6))
def test_a_roster_is_read_or_refused_and_nobody_is_lost(data: bytes, keys: list[str]) -> None:
    students = [Student(key) for key in dict.fromkeys(keys)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "roster.csv")
        path.write_bytes(data)
        try:
            given_list = roster.read(path)
        except Unusable:
            return
    found = roster.matched(students, given_list)
    shown = [person.student for person in found.people if person.student]
    assert sorted(student.key for student in shown) == sorted(student.key for student in students)
    assert len({person.name for person in found.people}) == len(found.people)


@seed(SEED)
@many
@given(sources())
def test_a_program_is_read_or_refused(data: bytes) -> None:
    similarity.shape(data)
    try:
        source = parse(data, "step_05.py", frameworks.current().spellings())
    except SourceProblem:
        return
    assert [finding for _, finding in each_finding(load.rubric(STEP), source)]
    certain(source)


def test_sizes_that_no_archive_has() -> None:
    for size in (0xFFFFFFFF, 0xFFFFFFFE, 1 << 31):
        data = bytearray(zipped := _one_file())
        at = zipped.index(b"PK\x01\x02")
        for field in (20, 24, 42):
            struct.pack_into("<I", data, at + field, size)
        found = zip_reader.of_bytes(bytes(data), "x.zip", 10)
        with pytest.raises(SourceProblem):
            found.read(found.members[0])


def _one_file() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr("step_05.py", b"x = 1\n")
    return data.getvalue()
