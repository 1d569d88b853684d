"""Which of several files is the answer? Never the untouched stub, if there is another."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import EARLIER, make_stub
from tests.classroom.test_collect import answers, collected, made
from tests.classroom.test_zip_reader import inner, zipped

SOLUTION = course.find("s05").solution.read_bytes()
STUB = make_stub(SOLUTION.decode()).encode()
LEFT = b"# Ada\n" + STUB.replace(b"\n", b"\r\n")
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": SOLUTION.decode()}]}).encode()
TEMPLATE = {"steps/step_05.py": STUB, "README.md": b"#", "setup.py": b"pass\n"}
COPY = {
    "course.toml": b"",
    "steps/step_05.py": LEFT,
    "steps/step_07.py": STUB,
    "solutions/solution_05.py": SOLUTION,
    "tests/courses/steps/step_05.py": SOLUTION,
}


@pytest.mark.parametrize(
    ("theirs", "others"),
    [
        ({"step_05 (final) (2).py": SOLUTION}, {"steps/step_05.py": STUB}),
        ({"Step 5.py": SOLUTION}, {"steps/step_05.py": LEFT}),
        ({"Step 5.py": SOLUTION}, {"steps/step_05.py": STUB, "step_05 (9).py": LEFT}),
        ({"step_05.txt": SOLUTION}, {"steps/step_05.py": STUB}),
        ({"step_05.py": SOLUTION}, {"step_05 (2).txt": b"notes"}),
        ({"mha.py": SOLUTION}, {"steps/step_05.py": STUB}),
        ({"src/mha.py": SOLUTION}, {**TEMPLATE, "steps/step_07.py": b"x = 1\n"}),
        ({"mha.py": SOLUTION}, {"original.py": LEFT, "steps/step_05.py": STUB}),
        ({"a.py": SOLUTION}, {"step_07.py": b"x = 1\n", "z.py": b"x = 1\n"}),
        ({"mha.py": b"x = 1\n"}, {"steps/step_05.py": STUB, "README.md": b"#"}),
        ({"mha.ipynb": NOTEBOOK}, TEMPLATE),
        ({"step_05.ipynb": NOTEBOOK}, {"steps/step_05.py": STUB}),
        ({"work.zip/step_05.py": SOLUTION}, {"steps/step_05.py": STUB}),
        ({"work.zip/mha.py": SOLUTION}, {"steps/step_05.py": STUB}),
        ({"mha.py": SOLUTION}, COPY),
        ({"steps/step_05.py": LEFT}, {name: COPY[name] for name in COPY if "05" not in name}),
        ({"steps/step_05.py": STUB}, {"setup.py": b"pass\n", "utils.py": b"pass\n"}),
    ],
)
def test_an_untouched_stub_is_the_answer_only_where_there_is_no_other(
    tmp_path: Path, theirs: dict[str, bytes], others: dict[str, bytes]
) -> None:
    files = {f"ada/{name}": data for name, data in {**others, **theirs}.items()}
    inside = {name: data for name, data in files.items() if ".zip/" in name}
    for name, data in inside.items():
        archive, _, file = name.partition(".zip/")
        files[f"{archive}.zip"] = inner((file, data))
    zipped(tmp_path / "in.zip", [each for each in files.items() if each[0] not in inside])
    got = answers(collected(tmp_path / "in.zip", tmp_path / "spool"))["ada"]
    (name,) = theirs
    assert got.origin == f"ada/{name}"
    for each, data in others.items():
        if others is not COPY and re.search(r"step_05.*\.(py|txt)$", each):
            stub = " (the untouched stub)" if data in (STUB, LEFT) else ""
            assert f"ada/{each}{stub}" in got.note
    assert others is not COPY or got.note == "also there: ada/steps/step_05.py (the untouched stub)"


def test_the_stub_of_an_earlier_release_is_a_stub_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = b"from max import nn\n\nclass GPT2Attention(nn.Module):\n    first = None\n"
    (tmp_path / "steps").mkdir()
    for name in ("course.toml", "solutions", "checks"):
        (tmp_path / name).symlink_to(course.ROOT / name)
    line = f"{hashlib.sha256(old).hexdigest()}  step_05.py\n"
    (tmp_path / "steps" / EARLIER).write_text(line)
    monkeypatch.setenv(course.VARIABLE, str(tmp_path))  # read by the process that reads a class
    files = [("ada/steps/step_05.py", old), ("ada/mha.py", SOLUTION)]
    zipped(tmp_path / "in.zip", files)  # type: ignore[arg-type]
    got = answers(collected(tmp_path / "in.zip", tmp_path / "spool"))["ada"]
    assert got.origin == "ada/mha.py"
    assert got.note == "also there: ada/steps/step_05.py (the untouched stub)"
    assert line[:64] not in (course.ROOT / "steps" / EARLIER).read_text(encoding="utf-8")


def test_all_that_could_be_the_answer_is_named_and_the_note_is_short(tmp_path: Path) -> None:
    where = made(tmp_path / "in", *(f"ada/{n}/{'x' * 90}/step_05.py" for n in range(30)), "bob.py")
    found = answers(collected(where, tmp_path / "spool"))["ada"]
    assert found.note.endswith(" more")
    assert len(found.note) < 1000
    where = made(tmp_path / "few", *(f"ada/step_05 ({n}).py" for n in range(9)), "bob.py")
    assert answers(collected(where, tmp_path / "spool"))["ada"].note.count("step_05") == 8
