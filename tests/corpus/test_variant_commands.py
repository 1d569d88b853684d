"""The commands that add a variant and write one out."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.corpus.own_variants import ENTRY, HEADER, NO_SCALE, PLAIN, lay_out, put
from tests.graded import add, variants, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path)


def test_a_program_that_is_added_becomes_an_edit(folder: Path) -> None:
    said = add.add("s05/wrong/no_scale", (HEADER + NO_SCALE).encode(), folder)
    path = folder / "s05" / "wrong.edits"
    assert said == f"{path}: no_scale, as an edit of plain"
    assert path.read_text().endswith(f"\n\n{ENTRY}")
    assert variants.find("s05/wrong/no_scale", folder).source.decode() == HEADER + NO_SCALE


def test_a_header_keeps_its_order(folder: Path) -> None:
    source = f"# check: scale\n# concept: missing-scale\n{NO_SCALE}".encode()
    add.add("s05/wrong/no_scale", source, folder)
    one = variants.find("s05/wrong/no_scale", folder)
    assert one.edit is not None
    assert one.source == source


def test_a_program_that_is_far_from_every_other_becomes_a_file(folder: Path) -> None:
    other = b"from solutions import solution_05\n\nGPT2Attention = solution_05.GPT2Attention\n"
    assert "stored whole" in add.add("s05/wrong/other", other, folder)
    assert (folder / "s05" / "wrong" / "other.py").read_bytes() == other
    assert not (folder / "s05" / "wrong.edits").exists()


@pytest.mark.parametrize(
    "source",
    [
        NO_SCALE.encode().replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + NO_SCALE.encode(),
        NO_SCALE.replace("    ", "\t").encode(),
        NO_SCALE.replace("size)\n", "size) \n").encode(),
        NO_SCALE.removesuffix("\n").encode(),
        NO_SCALE.encode() + b"# caf\xe9\n",
        b"# check: scale\n# check: output\n" + NO_SCALE.encode(),
        b"# check:scale\n" + NO_SCALE.encode(),
    ],
)
def test_bytes_that_an_editor_might_change_become_a_file(folder: Path, source: bytes) -> None:
    add.add("s05/wrong/odd", source, folder)
    assert (folder / "s05" / "wrong" / "odd.py").read_bytes() == source


def test_a_variant_is_replaced_whichever_way_it_was_stored(folder: Path) -> None:
    whole = folder / "s05" / "wrong" / "no_scale.py"
    path = folder / "s05" / "wrong.edits"
    add.add("s05/wrong/no_scale", b"x = 1\n", folder)
    assert whole.exists()
    add.add("s05/wrong/no_scale", NO_SCALE.encode(), folder)
    assert path.exists()
    assert not whole.exists()
    add.add("s05/wrong/no_scale", b"x = 1\n", folder)
    assert whole.exists()
    assert not path.exists()


def test_the_base_of_others_is_not_replaced(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, ENTRY)
    (tmp_path / "new.py").write_text("x = 1\n")
    assert add.main(["s05/right/plain", str(tmp_path / "new.py")], folder) == 2
    assert capsys.readouterr().err == "s05/right/plain is the base of s05/wrong/no_scale\n"
    assert add.main(["s05/wrong", str(tmp_path / "new.py")], folder) == 2
    assert "expected a name like s05/wrong/no_scale" in capsys.readouterr().err


def test_one_program_is_printed_and_many_are_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, ENTRY)
    printed = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", printed)
    assert write.main(["s05/wrong/no_scale"], folder) == 0
    assert printed.buffer.getvalue().decode() == HEADER + NO_SCALE
    assert write.main(["--to", str(tmp_path / "out")], folder) == 0
    assert (tmp_path / "out" / "s05" / "wrong" / "no_scale.py").read_text() == HEADER + NO_SCALE
    assert (tmp_path / "out" / "s05" / "right" / "plain.py").read_text() == PLAIN


@pytest.mark.parametrize("names", [["s05/wrong/no"], ["s05"], ["s99"]])
def test_only_one_program_can_be_printed(
    folder: Path, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, ENTRY)
    assert write.main(names, folder) == 2
    assert capsys.readouterr().err
