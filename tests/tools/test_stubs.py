"""Stubs from solutions: the regions, the files of the course, and what sync may overwrite."""

from __future__ import annotations

import ast
import hashlib
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.base import course
from grader.base.blanks import RegionProblem, make_answer, make_stub, regions
from grader.base.course import ROOT
from grader.base.model import Step

STEPS = course.steps()
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)


ONE = """\
def double(x):
    # >>> blank: body
    # TODO: Double it.
    # stub: return None
    return 2 * x
    # <<< blank
"""


def source(step: Step) -> str:
    """The solution of ``step``."""
    return step.solution.read_text(encoding="utf-8")


# ---- the files of the course ---------------------------------------------------------------


@each_step
def test_the_stub_is_what_the_solution_generates(step: Step) -> None:
    """In the working tree, or as committed: a learner's edited copy is not a reason to fail."""
    stub = make_stub(source(step))
    listed = (ROOT / "steps" / "stubs.sha256").read_text(encoding="utf-8")
    assert f"{hashlib.sha256(stub.encode()).hexdigest()}  {step.stub.name}\n" in listed
    if step.stub.read_text(encoding="utf-8") != stub:
        committed = subprocess.run(
            ["git", "show", f"HEAD:{step.stub.relative_to(ROOT).as_posix()}"],
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        if committed.returncode != 0:
            pytest.skip("The stub is edited, and there is no commit to compare with.")
        assert committed.stdout.decode() == stub


@each_step
def test_nothing_outside_the_regions_differs(step: Step) -> None:
    """What is left of the solution without its regions, and of the stub without theirs."""
    solution, stub = source(step).splitlines(), make_stub(source(step)).splitlines()
    outside: list[str] = []
    position = 0
    for region in regions(source(step)):
        between = solution[position : region.start - 1]
        assert stub[: len(between)] == between
        stub = stub[len(between) :]
        assert stub[: len(region.stub)] == list(region.stub)
        stub = stub[len(region.stub) :]
        position = region.end
        outside += between
    assert stub == solution[position:]
    assert outside


@each_step
def test_a_stub_gives_tasks_and_no_markers(step: Step) -> None:
    stub = make_stub(source(step))
    assert "# TODO: " in stub
    assert "# stub:" not in stub
    assert "> blank" not in stub
    assert ast.dump(ast.parse(stub)) != ast.dump(ast.parse(source(step)))


@each_step
def test_the_answer_for_reading_is_the_same_program(step: Step) -> None:
    answer = make_answer(source(step))
    assert ast.dump(ast.parse(answer)) == ast.dump(ast.parse(source(step)))
    assert "TODO" not in answer
    assert "> blank" not in answer


# ---- regions -------------------------------------------------------------------------------


def test_a_blank_becomes_its_stub() -> None:
    assert make_stub(ONE) == "def double(x):\n    # TODO: Double it.\n    return None\n"
    assert make_answer(ONE) == "def double(x):\n    return 2 * x\n"
    (region,) = regions(ONE)
    assert (region.name, region.start, region.end) == ("body", 2, 6)


def test_a_blank_may_leave_nothing_but_its_comments() -> None:
    text = "# >>> blank: imports\n# TODO: Go.\n# stub:\nimport math\n\n# <<< blank\nx = 1\n"
    assert make_stub(text) == "# TODO: Go.\n\nx = 1\n"


def test_blank_lines_at_the_end_of_a_blank_do_not_add_up() -> None:
    text = "# >>> blank: imports\n# stub:\nimport math\n\n# <<< blank\n\n\nx = 1\n"
    assert make_stub(text) == "\n\nx = 1\n"


NAMES = st.lists(st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True), min_size=1, unique=True)
LINES = st.lists(st.sampled_from(["x = 1", "y = [2,", "  3]", "# why", "", "   z"]), max_size=4)
TASKS = st.lists(st.sampled_from(["# TODO: do", "# Hint: so", "#"]), max_size=3)
STUBS = st.lists(st.sampled_from(["return None", "pass", "  x = None"]), min_size=1, max_size=3)


@settings(max_examples=50, deadline=None)
@given(names=NAMES, data=st.data(), indent=st.sampled_from(["", "    ", "        "]))
def test_regions_are_cut_out_whatever_is_in_them(
    names: list[str], data: st.DataObject, indent: str
) -> None:
    """A file put together from parts comes apart into the same parts."""
    lines: list[str] = []
    expected: list[tuple[str, list[str], list[str]]] = []
    for name in names:
        lines += data.draw(LINES)
        seen = [indent + task for task in data.draw(TASKS)]
        code = data.draw(STUBS)
        hidden = [f"{indent}a = 1", *data.draw(LINES), f"{indent}b = 2"]
        stubs = [f"{indent}# stub: {line}" for line in code]
        marked = [f"{indent}# >>> blank: {name}", *seen, *stubs, *hidden, f"{indent}# <<< blank"]
        lines += marked
        expected.append((name, [*seen, *(indent + line for line in code)], hidden))
    found = regions("\n".join(lines))
    assert [(r.name, list(r.stub), list(r.solution)) for r in found] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "no blank"),
        ("", "no blank"),
        (ONE.replace("    # <<< blank\n", ""), "line 2: .*never closed"),
        (ONE + "# <<< blank\n", "line 7: .*closes nothing"),
        (ONE + ONE, "line 8: .*already exists, in line 2"),
        (ONE.replace("    # TODO: Double it.", "    # >>> blank: two"), "line 3: .*inside"),
        (ONE.replace("    # <<< blank", "  # <<< blank"), "line 6: .*indented"),
        (ONE.replace(">>> blank: body", ">>> blnk: body"), "line 2: .*looks like a marker"),
        (ONE.replace(">>> blank: body", ">>> blank:"), "line 2: .*looks like a marker"),
        (ONE.replace("    # stub: return None\n", ""), "line 2: .*no '# stub:' line"),
        (ONE.replace("    return 2 * x\n", ""), "line 2: .*no solution"),
        (ONE.replace("# TODO: Double it.", "x += 1"), "line 3: Code .*above"),
        (ONE.replace("# stub: return None", "# stub:"), "not be valid Python"),
    ],
)
def test_a_broken_region_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(RegionProblem, match=said):
        make_stub(text)
