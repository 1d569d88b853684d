"""Downloads of platforms that say less than a name, or more, each with a roster of its own.

A class of sixty-one, as each platform packs it, is in ``test_downloads``.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.classroom import roster
from grader.classroom.collect import Answer, collect
from grader.classroom.gradescope import submitters
from grader.classroom.layout import Student
from grader.source import SourceProblem, notebook

ADA, BOB, EVE = b"ada = 1\n", b"bob = 2\n", b"eve = 3\n"

GRADESCOPE = """---
submission_901:
  :submitters:
  - :name: Ada Lovelace
    :sid: S70000
    :email: ada@x.org
  :created_at: 2026-01-02 03:04:05.000000000 Z
  :score: 1.0
  :results:
    tests:
    - name: ":submitters:"
      output: "submission_902:"
  :history:
  - :name: Mallory
submission_902:
  :submitters:
  - :name: "Bob O'Hara"
    :sid:
    :email: bob@x.org
  - :name: 'Eve'
    :sid: "S70042"
    :email: eve@x.org
"""


@dataclass(frozen=True)
class Download:
    """A download: its files, its roster, and whose file each row of the roster gets."""

    files: Mapping[str, bytes]
    roster: str
    rows: Mapping[str, bytes | None]


MOODLE = "Identifier,Full name,Email address,Status\nParticipant 77,{},ada@x.org,\n"
DOWNLOADS = {
    "files": Download(
        {"Lovelace_Ada_S70000.py": ADA, "Adams, Ben (S70041).py": BOB, "hopper, grace.py": EVE},
        "Last Name,First Name,SID,Email\nLovelace,Ada,S70000,a@x.org\nAdams,Ben,S70041,b@x.org\n"
        "Hopper,Grace,S70042,g@x.org\n",
        {"Ada Lovelace": ADA, "Ben Adams": BOB, "Grace Hopper": EVE},
    ),
    "moodle, flat": Download(
        {"Ada Lovelace_77_assignsubmission_file_step_05.py": ADA},
        MOODLE.format("Somebody Else"),
        {"Somebody Else": ADA},
    ),
    "github": Download(
        {
            "attention-submissions/attention-ada/steps/step_05.py": ADA,
            "attention-submissions/attention-a-bob/steps/step_05.py": BOB,
        },
        "identifier,github_username,github_id,name\na@x.org,ada,1,\nb@x.org,bob,2,\nc@x.org,a-bob,3,\n",
        {"a@x.org": ADA, "b@x.org": None, "c@x.org": BOB},
    ),
    "gradescope": Download(
        {
            "assignment_12_export/submission_metadata.yml": GRADESCOPE.encode(),
            "assignment_12_export/submission_901/step_05.py": ADA,
            "assignment_12_export/submission_902/step_05.py": BOB,
        },
        "First Name,Last Name,SID,Email\nAda,Lovelace,S70000,ada@x.org\nB,O'Hara,S1,bob@x.org\n"
        "Eve,E,S70042,eve@x.org\n",
        {"Ada Lovelace": ADA, "B O'Hara": BOB, "Eve E": BOB},
    ),
    "blackboard": Download(
        {
            "Step 05_ada_attempt_2026-01-02-03-04-05_step_05.py": b"old = 1\n",
            "Step 05_ada_attempt_2026-01-03-03-04-05_step_05.py": ADA,
            "Step 05_ada_attempt_2026-01-03-03-04-05.txt": b"Name: Ada Lovelace (ada)\n",
            "Step 05_bob_attempt_2026-01-02-03-04-05_work.zip": b"",
            "Step 05_eve_attempt_2026-01-02-03-04-05.txt": b"no file\n",
        },
        "Last Name\tFirst Name\tUsername\tStudent ID\nLovelace\tAda\tada\t1\nO'Hara\tBob\tbob\t2\n"
        "E\tEve\teve\t3\n",
        {"Ada Lovelace": ADA, "Bob O'Hara": BOB, "Eve E": None},
    ),
}


def packed(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("unpacked", [True, False])
@pytest.mark.parametrize("name", DOWNLOADS)
def test_everyone_is_found_by_name(tmp_path: Path, name: str, unpacked: bool) -> None:
    given = DOWNLOADS[name]
    where = tmp_path / "download.zip"
    files = dict(given.files)
    for each in files:
        if each.endswith(".zip"):
            files[each] = packed(tmp_path / "inner.zip", {"work/step_05.py": BOB}).read_bytes()
    packed(where, files)
    if unpacked:
        with zipfile.ZipFile(where) as archive:
            archive.extractall(tmp_path / "download")
        where = tmp_path / "download"
    (tmp_path / "spool").mkdir()
    (tmp_path / "roster.csv").write_text(given.roster)
    found = collect(where, ["s05"], tmp_path / "spool")
    everyone = roster.matched(found.students, roster.read(tmp_path / "roster.csv"))
    assert not [person.name for person in everyone.people if not person.listed]
    assert everyone.fits
    assert not everyone.notes
    assert not found.skipped
    got: dict[str, bytes | None] = {}
    for person in everyone.people:
        answer: Answer | None = None
        if person.student is not None:
            answer = found.answers.get((person.student, "s05"))
        known = answer is not None and answer.digest
        got[person.name] = (tmp_path / "spool" / answer.digest).read_bytes() if known else None  # type: ignore[union-attr]
    assert got == given.rows


def test_only_the_platforms_lines_say_whose_a_submission_is() -> None:
    assert submitters(GRADESCOPE) == {
        "submission_901": [Student("Ada Lovelace", "S70000")],
        "submission_902": [Student("Bob O'Hara", "bob@x.org"), Student("Eve", "S70042")],
    }
    for text in ("", "submission_1:\n", "  :submitters:\n  - :name: x\n", "submission_1:\n  :x: {"):
        assert not any(submitters(text).values())


def cells(*sources: object) -> bytes:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": each} for each in sources]}
    ).encode()


def test_the_code_cells_of_a_notebook_are_the_program(tmp_path: Path) -> None:
    data = cells(["import math\n", "x = 1\n"], "%%bash\nrm -rf /", "!pip install max\ny = 2")
    assert (
        notebook.program(data, "n", "s05") == b"import math\nx = 1\n\n# !pip install max\ny = 2\n"
    )
    made = {"ada/step_05.ipynb": data, "bob/step_05.py": BOB, "bob/step_05.ipynb": data}
    where = packed(tmp_path / "in.zip", made)
    found = collect(where, ["s05"], tmp_path)
    got = {student.key: answer for (student, _), answer in found.answers.items()}
    assert (tmp_path / got["ada"].digest).read_bytes().startswith(b"import math\n")
    assert (tmp_path / got["bob"].digest).read_bytes() == BOB


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b'{"cells": 1}',
        b'{"cells": [1]}',
        cells(1),
        cells(),
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_what_is_no_notebook_is_a_problem_of_the_file(data: bytes) -> None:
    with pytest.raises(SourceProblem):
        notebook.program(data, "step_05.ipynb", "s05")
