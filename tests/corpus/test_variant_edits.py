"""Variants stored as edits: what is read, what is refused, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.corpus.own_variants import ENTRY, HEADER, NO_SCALE, PLAIN, lay_out, put
from tests.graded import add, differences, edits, variants
from tests.graded.edits import Edit, EditError

LINES = st.lists(
    st.sampled_from(["", "a", "    b", "@@", "=== c", "-", "+ d"]), min_size=1, max_size=9
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path)


def refusal(folder: Path) -> str:
    """What the step's variants are refused with, whether read or made."""
    with pytest.raises(EditError) as error:
        assert [one.source for one in variants.of("s05", folder=folder)]
    return str(error.value)


def test_an_entry_says_what_a_file_with_that_header_says(folder: Path) -> None:
    header = "# concept: a + b | c\n# check: d\n# process: fresh\n"
    entry = "concept: a + b | c\ncheck: d\nprocess: fresh\n"
    put(folder, ENTRY.replace("concept: missing-scale\ncheck: scale, output\n", entry))
    (folder / "s05" / "wrong" / "whole.py").write_text(header + NO_SCALE)
    edited, whole = variants.of("s05", right=False, folder=folder)
    assert edited.source == whole.source
    assert (edited.concepts, edited.checks, edited.fresh) == (
        (frozenset({"a", "b"}), frozenset({"c"})),
        ("d",),
        True,
    )
    assert (edited.concepts, edited.checks, edited.fresh) == (
        whole.concepts,
        whole.checks,
        whole.fresh,
    )


def test_a_wrong_program_may_edit_a_right_one_that_is_an_edit(folder: Path) -> None:
    put(folder, "=== root\nbase: plain\n@@\n-import math\n+from math import sqrt\n", "right")
    put(folder, ENTRY.replace("base: plain", "base: root"))
    made = variants.find("s05/wrong/no_scale", folder).source.decode()
    assert made == HEADER + NO_SCALE.replace("import math", "from math import sqrt")


def test_all_are_in_the_order_of_their_names(folder: Path) -> None:
    put(folder, ENTRY)
    (folder / "s05" / "wrong" / "a_file.py").write_text(PLAIN)
    (folder / "s05" / "wrong" / "z_file.py").write_text(PLAIN)
    names = [one.stem for one in variants.of("s05", folder=folder)]
    assert names == ["plain", "a_file", "no_scale", "z_file"]


@pytest.mark.parametrize(
    ("entry", "line", "told"),
    [
        (ENTRY.replace("query.shape", "key.shape"), 5, "no_scale: this is not in 'plain':"),
        (
            ENTRY.replace("-    scores = scale(scores, query.shape[-1])", "+x = 1\n     return "),
            5,
            "no_scale: this is not in 'plain':",
        ),
        (
            ENTRY.replace("-    scores = scale(", "-    value = attend("),
            5,
            "no_scale: this is not in 'plain':",
        ),
        (ENTRY + "@@\n+    value = 0\n \n", 7, "no_scale: nothing below this '@@' says where"),
        (ENTRY + "@@\n-\n-\n+\n", 7, "no_scale: this is in 'plain' 3 times. Add lines around it"),
        (
            ENTRY + "@@\n     scores = query @ key\n-    scores = scale(scores, query.shape[-1])\n",
            5,
            "no_scale: this place overlaps another of the same entry",
        ),
        (ENTRY + "@@\n import math\n", 7, "no_scale: nothing below this '@@' is changed"),
        (ENTRY + "import math\n", 7, "no_scale: expected ' ', '-' or '+' in front of: import math"),
        (ENTRY + "@@ attend\n-import math\n", 7, "no_scale: expected ' ', '-' or '+' in front of"),
        (ENTRY.partition("@@")[0], 1, "no_scale: it has no '@@' with a change below"),
        (ENTRY.replace("base: plain\n", ""), 1, "no_scale: it names no base"),
        (ENTRY.replace("plain", "plian"), 1, "no_scale: there is no right program 'plian'"),
        (ENTRY.replace("check: ", "chekc: "), 4, "no_scale: expected one of base, concept, check"),
        (ENTRY.replace("concept: ", "base: "), 3, "no_scale: expected one of base, concept, check"),
        (ENTRY.replace("no_scale", "no scale"), 1, "expected '=== NAME', found: === no scale"),
        (f"remark\n{ENTRY}", 1, "expected '=== NAME' before this: remark"),
        (f"{ENTRY}\n{ENTRY}", 8, "no_scale: the name is taken by line 1"),
    ],
)
def test_what_cannot_be_read_or_applied_is_told_with_its_line(
    folder: Path, entry: str, line: int, told: str
) -> None:
    path = put(folder, entry)
    assert refusal(folder).startswith(f"{path}:{line}: {told}")


def test_an_entry_and_a_file_cannot_have_the_same_name(folder: Path) -> None:
    path = put(folder, ENTRY)
    (folder / "s05" / "wrong" / "no_scale.py").write_text(PLAIN)
    told = f"{path}:1: no_scale: there is a program of that name too"
    assert refusal(folder).startswith(told)


def test_a_right_program_can_only_edit_a_file(folder: Path) -> None:
    change = "@@\n-import math\n+import numpy as math\n"
    path = put(folder, f"=== a\nbase: plain\n{change}=== b\nbase: a\n{change}", "right")
    assert refusal(folder) == f"{path}:6: b: there is no file 'a' to change"


@settings(max_examples=300)
@given(LINES, LINES)
def test_any_difference_survives_the_file(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]
) -> None:
    base, text = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    assume(base != text and base.strip())
    places = differences.places(base, text)[::-1]  # they may be in any order
    made = Edit("changed", "plain", {"check": "scale"}, places)
    path = tmp_path_factory.mktemp("edits") / "wrong.edits"
    add.save(path, [made])
    (again,) = edits.read(path)
    assert again.program(base) == f"# check: scale\n{text}"
