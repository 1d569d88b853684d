"""Which programs are equal up to names and layout."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_stub
from grader.classroom.collect import Answer
from grader.classroom.similarity import groups, pairs, runs, shape, stub_runs
from tests.graded import variants

ONE = b'''"""Mine."""
import numpy as np

class Layer:
    def run(self, x, *, scale=1):
        # the sum
        total = np.sum(x) * scale
        self.kept = total
        return self.kept
'''


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"total", b"result").replace(b"kept", b"saved"),
        ONE.replace(b"np", b"numpy_module"),
        ONE.replace(b"        # the sum\n", b"\n\n").replace(b"    ", b"\t"),
        ONE.replace(b'"""Mine."""', b""),
        ONE.replace(b"Layer", b"Other").replace(b"run", b"go").replace(b"scale", b"s"),
        ONE.replace(b"np.sum(x) * scale", b"(np.sum(\n x) * (scale))"),
    ],
)
def test_the_same_shape(other: bytes) -> None:
    assert shape(other) == shape(ONE) is not None


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"np.sum", b"np.mean"),
        ONE.replace(b"* scale", b"/ scale"),
        ONE.replace(b"scale=1", b"scale=2"),
        ONE.replace(b"return self.kept", b"return total"),
        ONE.replace(b"np.sum(x)", b"np.sum(scale)"),
        ONE.replace(b"import numpy", b"import torch"),
    ],
)
def test_another_shape(other: bytes) -> None:
    assert shape(other) is not None
    assert shape(other) != shape(ONE)


def test_what_is_no_program_has_no_shape() -> None:
    assert shape(b"def (") is None
    assert shape(b"\0") is None


def test_groups_say_whose_shape_it_is_and_accuse_nobody() -> None:
    step = course.find("s05")
    solution = step.solution.read_bytes()
    files = {
        "a": ONE,
        "b": ONE.replace(b"total", b"t"),
        "c": solution,
        "d": solution,
        "e": solution.replace(b"attn_weights", b"w"),
        "f": b"x = 1\n",
        "g": b"def (",
        "h": b"def (",
    }
    answers = {
        name: Answer(name, hashlib.sha256(data).hexdigest(), shape=shape(data) or "")
        for name, data in files.items()
    }
    found = groups(step, answers)
    assert [(group.people, group.what, group.same_bytes) for group in found] == [
        (("c", "d", "e"), "the reference solution", False),
        (("a", "b"), "", False),
    ]


def test_nearly_equal_answers_have_a_measure() -> None:
    step = course.find("s05")
    ours = [
        (f"p{n}", variants.find(name).source)
        for n, name in enumerate(sorted(one.name for one in variants.of("s05", right=True))[:12])
    ]
    one = ours[0][1]
    other = one.replace(b"attn_weights", b"w").replace(b"scores", b"s")
    lines = other.splitlines(keepends=True)
    changed = b"".join([*lines[:-1], b"        unused = len(str(3.25)) + 7\n", lines[-1]])
    files = {**dict(ours), "copy": changed, "stub": make_stub(step.solution.read_text()).encode()}
    stub = stub_runs(step)
    answers = {
        name: Answer(name, str(n), shape=shape(data) or "", runs=runs(data) - stub)
        for n, (name, data) in enumerate(files.items())
    }
    found = pairs(step, answers)
    assert ("p0", "copy") in [pair.people for pair in found]
    assert all(0.7 <= pair.share <= 1 for pair in found)
    assert not answers["stub"].runs
    assert not any("stub" in pair.people for pair in found)


def test_the_command_counts_what_it_compared(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from grader.cli import cli

    for name, text in (("ada", "x = 1\n"), ("bob", "y  =  1\n"), ("cy", "def (\n")):
        (tmp_path / f"{name}.py").write_text(text)
    done = CliRunner().invoke(cli, ["similar", str(tmp_path), "--step", "s05"])
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "3 submissions (1 not a Python program), 1 group equal except for names and layout."
    )
    assert lines[2:] == ["2 submissions:", "  ada (ada.py)", "  bob (bob.py)"]
