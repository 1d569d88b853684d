"""Hand-ins made to stop a class from being graded. Each costs its own row, and no other.

None of them is known to the grader. What keeps them away is said beside each: the process of the
student, which is ended, or a limit that holds for whatever a student can hand in.
"""

from __future__ import annotations

import faulthandler
import io
import os
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader import frameworks
from grader.base import course
from grader.classroom import exports, grading, roster, similarity
from grader.classroom.collect import Answer, Collected, collect, only
from grader.classroom.layout import Student
from grader.grading.judge import each_finding
from grader.isolation import fork_map
from grader.isolation.fork_map import Limits, Stopped
from grader.pipeline import Options
from grader.rubric import load
from grader.source import SourceProblem, parse, returns

SOLUTION = course.find("s05").solution.read_bytes()


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def long_dictionary() -> bytes:
    """LZMA that asks for a dictionary of 4 GiB before the first byte."""
    data = bytearray(zipped(("step_05.py", b"x = 1\n" * 50), method=zipfile.ZIP_LZMA))
    start = 30 + struct.unpack_from("<H", data, 26)[0] + 4
    data[start + 1 : start + 5] = b"\xff\xff\xff\xff"
    return bytes(data)


DIGITS = "step_05(" + "9" * 5000 + ").py"
BLANKS = "step_05" + " " * 60_000 + "x.py"

HARM: dict[str, tuple[str, Callable[[], bytes], str]] = {
    # Python refuses to write such a number: it is a problem of the file.
    "a number of 6,000 digits": ("eve/step_05.py", lambda: b"x = 0x" + b"f" * 6000 + b"\n", ""),
    # Longer than any name on a disk: such a member is left out.
    "a name with a number of 5,000 digits": ("eve.zip", lambda: zipped((DIGITS, b"")), ""),
    "a name with 60,000 blanks": ("eve.zip", lambda: zipped((BLANKS, b"")), ""),
    # More entries than anybody hands in.
    "an archive of 100,000 empty files": (
        "eve.zip",
        lambda: zipped(*((f"{n}.py", b"") for n in range(100_000)), method=zipfile.ZIP_STORED),
        "more than 20,000 entries",
    ),
    "an archive of 5,000 files": (
        "eve.zip",
        lambda: zipped(*((f"{n}.py", b"") for n in range(5_000))),
        "more than 2,000 files",
    ),
    # Members are stored or deflated, nothing else.
    "LZMA with a dictionary of 4 GiB": ("eve.zip", long_dictionary, "not stored or deflated"),
    "bzip2": (
        "eve.zip",
        lambda: zipped(("step_05.py", SOLUTION), method=zipfile.ZIP_BZIP2),
        "not stored or deflated",
    ),
    # Nobody unpacks further than the limit.
    "a member that unpacks to 64 MiB": (
        "eve.zip",
        lambda: zipped(("step_05.py", b"#" * (64 << 20))),
        "larger than 256 KiB",
    ),
    "an archive that says nothing true": (
        "eve.zip",
        lambda: zipped(("step_05.py", SOLUTION)).replace(b"PK\x01\x02", b"PK\x01\x03"),
        "not a readable zip file",
    ),
    "an archive with a directory elsewhere": (
        "eve.zip",
        lambda: zipped(("step_05.py", SOLUTION))[:-6] + b"\xff\xff\xff\xff\0\0",
        "not a readable zip file",
    ),
}


@pytest.mark.parametrize("name", HARM)
@pytest.mark.sampled(3)
def test_one_student_costs_nobody_else_a_row(tmp_path: Path, name: str) -> None:
    where, make, says = HARM[name]
    place = tmp_path / "in" / where
    place.parent.mkdir(parents=True)
    place.write_bytes(make())
    found = collected(tmp_path, {"ada/step_05.py": SOLUTION})
    got = answers(found)
    assert not got["ada"].problem
    assert "eve" in {student.key for student in found.students}
    assert says in (got["eve"].problem if "eve" in got else "")


def collected(tmp_path: Path, files: dict[str, bytes]) -> Collected:
    for name, data in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    (tmp_path / "spool").mkdir(exist_ok=True)
    return collect(tmp_path / "in", ["s05"], tmp_path / "spool")


def answers(found: Collected) -> dict[str, Answer]:
    return {student.key: answer for (student, _), answer in found.answers.items()}


def test_a_member_that_was_damaged_on_its_way_is_nobodys_fault(tmp_path: Path) -> None:
    data = bytearray(zipped(("step_05.py", SOLUTION)))
    data[200:204] = b"\0\0\0\0"
    found = answers(collected(tmp_path, {"eve.zip": bytes(data)}))
    assert found["eve"].damaged
    assert "damaged" in found["eve"].problem


def test_a_value_made_of_itself_is_compared_object_by_object() -> None:
    # 2^100 comparisons of parts would never end; there are 200 objects.
    lines = "".join("    x = x + x\n    y = y + y\n" for _ in range(100))
    text = "def f(a, b):\n    x = a\n    y = a\n" + lines + "    return x * y\n"
    source = parse(text.encode(), "step_05.py", frameworks.current().spellings())
    started = time.process_time()
    assert returns("f", "$n * $n")(source).ok
    assert time.process_time() - started < 20


def test_a_number_that_python_does_not_write_is_a_problem_of_the_file() -> None:
    with pytest.raises(SourceProblem, match="too long") as problem:
        parse(b"\nx = 0x" + b"f" * 6000, "step_05.py")
    assert problem.value.line == 2
    assert similarity.shape(b"x = 0x" + b"f" * 6000) is None


def test_a_student_may_be_called_like_a_column(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("Student,ID,Section\nAda,1,A\nSection,2,A\n")
    students = [Student("ada"), Student("section")]
    found = roster.people(students, roster.read(path))
    assert [(each.name, each.student) for each in found] == [
        ("Ada", students[0]),
        ("Section", students[1]),
    ]


def test_a_name_of_four_byte_letters_fits_any_disk(tmp_path: Path) -> None:
    taken: set[str] = set()
    for name in ("\U0001f600" * 63, "\U0001f600" * 62 + "x"):
        file = exports.file_name(f"{name}_s05", taken)
        (tmp_path / f"{file}.json").write_text("")
    assert len(taken) == len(list(tmp_path.iterdir())) == 2


def test_a_name_fits_a_system_that_is_not_in_utf_8(tmp_path: Path) -> None:
    code = r"""
import pathlib, sys
from grader.classroom.exports import file_name
taken = set()
for name in ("Jos\u00e9", "Jos\u00e8", "J\udcf6rg"):
    pathlib.Path(sys.argv[1], file_name(name, taken)).touch()
"""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    surroundings = {**os.environ, **plain, "PYTHONPATH": str(course.ROOT)}
    subprocess.run(command, cwd=tmp_path, env=surroundings, check=True)
    assert {path.name for path in tmp_path.iterdir()} == {"Jos_", "Jos_ (2)", "J_rg"}


def test_the_grading_process_is_ended_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever keeps the grader busy: here its own limit is too short for anything.
    monkeypatch.setattr(
        grading,
        "PROGRAM",
        grading.PROGRAM.replace("serve(", "g.CPU_S = 0.01\nserve(").replace(
            "from grader", "import grader.classroom.grading as g\nfrom grader"
        ),
    )
    grader = grading.Grader()
    try:
        with pytest.raises(grading.Overrun, match="processor time"):
            grader.grade("s05", SOLUTION, Options(seed=1))
        monkeypatch.undo()
        report = grading.unpacked(grader.grade("s05", SOLUTION, Options(seed=1)))
        assert report.verdict == "pass"
    finally:
        grader.close()


def _item(name: str) -> bytes:
    match name:
        case "loop":
            while True:
                pass
        case "sleep":
            time.sleep(60)
        case "memory":
            return bytes(1 << 40)
        case "crash":
            faulthandler.disable()
            os.abort()
        case "ends":
            os._exit(9)
        case "long":
            return b"x" * 10_000
        case "write":
            Path("/tmp/forbidden-by-the-limits").write_text("x")
        case "error":
            raise LookupError("\ud800")
    return name.encode()


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("loop", "processor"),
        ("sleep", "more than 3 s"),
        ("memory", "MiB of memory"),
        ("crash", "ended with status"),
        ("ends", "ended with status 9"),
        ("long", "the result has more"),
        ("write", "Error"),
        ("error", "LookupError"),
    ],
)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_item_that_does_not_end_well_is_alone_with_it(item: str, says: str) -> None:
    # Who waits for a processor is not late before it has used what it may use of one.
    limits = Limits(wall=3.0 if item == "sleep" else 60.0, cpu=0.5, result=1000)
    before, stopped, after = fork_map.each(_item, ["a", item, "b"], limits)
    assert (before, after) == (b"a", b"b")
    assert isinstance(stopped, Stopped)
    assert says in stopped.why


def test_a_folder_with_a_name_that_is_no_text_is_one_students(tmp_path: Path) -> None:
    name = os.fsdecode(b"J\xf6rg")
    found = collected(tmp_path, {f"{name}/step_05.py": SOLUTION, "ada/step_05.py": SOLUTION})
    assert {student.key for student in found.students} == {name, "ada"}
    alone = only(tmp_path / "in" / name, "s05", tmp_path / "spool")
    assert alone is not None
    assert alone.digest


def test_every_step_reads_a_chain_of_sums_in_time() -> None:
    for step in course.steps():
        text = step.solution.read_text(encoding="utf-8")
        lines = "".join("    a = a + a\n    b = b + b\n" for _ in range(45))
        source = parse(
            f"{text}\n\ndef chain(a, b):\n{lines}    return a * b\n".encode(),
            "step.py",
            frameworks.current().spellings(),
        )
        assert all(finding.ok for _, finding in each_finding(load.rubric(step), source))
