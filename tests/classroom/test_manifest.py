"""What a run writes: as a whole, and only where it may."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from grader.base.files import Unusable
from grader.classroom import exports
from grader.classroom.manifest import Manifest
from tests.classroom.test_platforms import book, person


def test_a_file_for_each_person_stays_in_its_folder(tmp_path: Path) -> None:
    names = ("../../evil", "a/b", "a_b", "\x1b[2J")
    found = exports.files(book(*map(person, names)), ("text", "json"), lambda form, _: form)
    (tmp_path / "results").mkdir()
    assert Manifest(tmp_path, tmp_path / "results").replace(found) == []
    assert {path.name for path in tmp_path.iterdir()} == {
        *("class.html", "wall.html", "gradebook.csv", "json", "text", "results")
    }
    assert len(list((tmp_path / "text").iterdir())) == 3
    first = (tmp_path / "text" / "a_b_s05.txt").read_text(encoding="utf-8").splitlines()[0]
    assert first == "a/b, s05: 2 of 4 points"
    assert not any("/" in path.name or "\x1b" in path.name for path in tmp_path.rglob("*"))


def test_what_runs_write_is_replaced_as_a_whole(tmp_path: Path) -> None:
    def run(files: dict[str, str]) -> list[str]:
        return Manifest(tmp_path, tmp_path).replace(files)

    def there() -> set[str]:
        found = (path for path in tmp_path.rglob("*") if path.is_file())
        return {path.relative_to(tmp_path).as_posix() for path in found} - {"written"}

    assert run({"gradebook.csv": "1", "canvas.csv": "1", "text/ada.txt": "1"}) == []
    said = run({"gradebook.csv": "2"})
    assert there() == {"gradebook.csv"}
    assert said == [f"Removed {name}: an earlier run wrote it." for name in ("canvas.csv", "text")]
    (tmp_path / "gradebook.csv").write_text("with my notes")
    assert run({"gradebook.csv": "3"}) == ["Kept your changes as gradebook.csv.edited."]
    assert (tmp_path / "gradebook.csv.edited").read_text() == "with my notes"
    assert (tmp_path / "gradebook.csv").read_text() == "3"


@pytest.mark.parametrize(
    "name", ["../theirs", "a/../../theirs", "{there}/theirs", "link/theirs", "", ".", "a\0b", "//x"]
)
def test_only_files_inside_the_results_folder_are_removed_or_written(
    name: str, tmp_path: Path
) -> None:
    out, there = tmp_path / "out", tmp_path / "there"
    out.mkdir()
    there.mkdir()
    for folder in (tmp_path, there):
        (folder / "theirs").write_text("mine")
    (out / "link").symlink_to(there)
    name = name.format(there=there)
    (out / "written").write_text(json.dumps({name: [hashlib.sha256(b"mine").hexdigest()]}))
    assert Manifest(out, out).replace({"gradebook.csv": "1"}) == []
    (out / "written").write_text(json.dumps({name: []}))
    assert Manifest(out, out).replace({"class.html": "1"}) == []
    with pytest.raises(Unusable, match="leads out of"):
        Manifest(out, out).replace({"link/theirs": "2"})
    assert {path.read_text() for path in (tmp_path / "theirs", there / "theirs")} == {"mine"}
    assert {path.name for path in there.iterdir()} == {"theirs"}


def test_a_file_of_somebody_else_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "gradebook.csv").write_text("mine")
    written = Manifest(tmp_path, tmp_path)
    with pytest.raises(Unusable, match="not written by this command"):
        written.check(exports.names((), ["s05"]))
    with pytest.raises(Unusable):
        written.replace({"class.html": "", "gradebook.csv": ""})
    assert {path.name for path in tmp_path.iterdir()} == {"gradebook.csv"}
    assert (tmp_path / "gradebook.csv").read_text() == "mine"
