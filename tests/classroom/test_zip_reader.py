"""Archives: those that were made to do harm, and entries that cannot be read."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from grader.base.files import Unusable
from tests.classroom.test_collect import CODE, answers, collected


def zipped(path: Path, entries: list[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def inner(*entries: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def hostile_zip(path: Path) -> Path:
    link = zipfile.ZipInfo("link/step_05.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped(
            path,
            [
                ("ada/step_05.py", CODE),
                ("../../out/step_05.py", CODE),
                ("/etc/step_05.py", CODE),
                ("..\\..\\out\\step_05.py", CODE),
                ("C:\\out\\step_05.py", CODE),
                (link, b"/etc/passwd"),
                ("bomb/step_05.py", b"#" * (64 << 20)),
                ("twice/step_05.py", b"first = 1\n"),
                ("twice/step_05.py", b"second = 2\n"),
                ("new\nline/step_05.py", CODE),
                ("\x1b[2Jescape/step_05.py", CODE),
                ("broken.zip", b"PK\x03\x04 no archive"),
                ("nested.zip", inner(("work/step_05.py", b"nested = 1\n"))),
                ("__MACOSX/ada/._step_05.py", b"\0"),
            ],
        )
    return path


def test_an_archive_made_to_do_harm(tmp_path: Path) -> None:
    found = collected(hostile_zip(tmp_path / "in.zip"), tmp_path / "spool")
    got = answers(found)
    assert sorted(got) == sorted(
        ["ada", "link", "bomb", "twice", "new\nline", "\x1b[2Jescape", "broken", "nested"]
    )
    assert "symbolic link" in got["link"].problem
    assert "larger" in got["bomb"].problem
    assert "not a readable zip file" in got["broken"].problem
    assert (tmp_path / "spool" / got["twice"].digest).read_bytes() == b"second = 2\n"
    assert (tmp_path / "spool" / got["nested"].digest).read_bytes() == b"nested = 1\n"
    assert len(found.skipped) == 4
    for text in [*found.skipped, *(each.origin for each in got.values())]:
        assert text.isprintable(), text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in.zip", "spool"]
    assert {len(each.name) for each in (tmp_path / "spool").iterdir()} == {64}


@pytest.mark.parametrize("harm", ["encrypted", "damaged", "unknown compression"])
def test_an_entry_that_cannot_be_read(tmp_path: Path, harm: str) -> None:
    path = zipped(tmp_path / "in.zip", [("bad/step_05.py", b"bad = 1\n" * 99), ("ok.py", CODE)])
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    if harm == "encrypted":
        data[6] |= 1
        data[directory + 8] |= 1
    elif harm == "damaged":
        data[45:49] = b"\xff\xff\xff\xff"
    else:
        data[8] = data[directory + 10] = 77
    path.write_bytes(data)
    got = answers(collected(path, tmp_path / "spool"))
    assert got["bad"].problem.startswith("step_05.py is ")
    assert not got["ok"].problem


@pytest.mark.parametrize("name", ["none", "empty", "file.txt", "empty.zip"])
def test_where_there_is_nothing_to_grade(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("hello")
    zipped(tmp_path / "empty.zip", [])
    with pytest.raises(Unusable):
        collected(tmp_path / name, tmp_path / "spool")
