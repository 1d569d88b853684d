"""Stubs from solutions: the regions, the files of the course, and what sync may overwrite.

Longer than 300 lines, because the regions and what is made of them are tested together.
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.base import course
from grader.base.blanks import EARLIER, RegionProblem, make_answer, make_stub, regions
from grader.base.course import ROOT
from grader.base.model import Step
from tools.sync.blocks import TASKS_END, TASKS_START, BlockProblem, replace_block, report_markers
from tools.sync.generate import sync

STEPS = course.steps()
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)

NAMED = 'slug = "doubling"\nframework = "numpy"\n'

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


# ---- blocks --------------------------------------------------------------------------------


def test_a_block_is_replaced_between_its_markers() -> None:
    start, end = markers = report_markers("failed")
    text = f"above\n{start}\nold\n{end}\nbelow\n"
    once = replace_block(text, markers, "new\nlines")
    assert once == f"above\n{start}\nnew\nlines\n{end}\nbelow\n"
    assert replace_block(once, markers, "new\nlines") == once


@pytest.mark.parametrize("text", ["", "{0}\n", "{1}\n", "{1}\n{0}\n", "{0}\n{0}\n{1}\n"])
def test_a_block_without_its_two_markers_is_an_error(text: str) -> None:
    markers = report_markers("passed")
    with pytest.raises(BlockProblem):
        replace_block(text.format(*markers), markers, "new")


# ---- sync ----------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A course of one step that has never been synced."""
    for folder in ("solutions", "steps", "checks/step_01"):
        (tmp_path / folder).mkdir(parents=True)
    listed = 'steps = [{ id = "s01", title = "Double \\"it\\"" }]\n'
    (tmp_path / "course.toml").write_text(NAMED + listed)
    (tmp_path / "solutions" / "solution_01.py").write_text(ONE)
    (tmp_path / "steps" / "step_01.md").write_text("# Step 01\n")
    (tmp_path / "checks" / "step_01" / "rubric.py").write_text("")
    (tmp_path / "pixi.toml").write_text(f"[tasks]\n{TASKS_START}\n{TASKS_END}\n# rest\n")
    return tmp_path


def run(root: Path, *, check: bool = False, force: bool = False) -> int:
    """Sync without reports, which would need a whole course."""
    return sync(root, check=check, force=force, reports=False)


def stub_of(root: Path) -> Path:
    """The learner's file of the small course."""
    return root / "steps" / "step_01.py"


def change_solution(root: Path) -> None:
    """A maintainer rewords the task."""
    path = root / "solutions" / "solution_01.py"
    path.write_text(path.read_text().replace("Double it.", "Double x."))


def test_sync_writes_everything_once(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(small, check=True) == 1
    assert not stub_of(small).exists()
    assert run(small) == 0
    assert stub_of(small).read_text() == make_stub(ONE)
    task = tomllib.loads((small / "pixi.toml").read_text())["tasks"]["s01"]
    assert task["cmd"] == "python -m grader grade s01"
    assert task["description"] == 'Step 01: Double "it"'
    assert (small / "pixi.toml").read_text().endswith("# rest\n")
    capsys.readouterr()
    assert run(small, check=True) == 0
    assert run(small) == 0
    assert capsys.readouterr().out == "Everything is up to date.\n" * 2


def test_sync_brings_an_untouched_stub_up_to_date(small: Path) -> None:
    run(small)
    replaced = hashlib.sha256(stub_of(small).read_bytes()).hexdigest()
    for _ in range(2):
        change_solution(small)
        assert run(small) == 0
        assert "Double x." in stub_of(small).read_text()
    assert (small / "steps" / EARLIER).read_text() == f"{replaced}  step_01.py\n"


@pytest.mark.parametrize("work", ["def double(x):\n    return x + x\n", "", "half a l\xffne"])
def test_sync_keeps_a_learners_work(
    small: Path, work: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(small)
    stub_of(small).write_bytes(work.encode("latin-1"))
    capsys.readouterr()
    assert run(small) == 0
    assert "Kept steps/step_01.py" in capsys.readouterr().out
    change_solution(small)
    assert run(small) == 1, "the new stub could not be written, which is worth knowing"
    assert stub_of(small).read_bytes() == work.encode("latin-1")
    assert run(small, check=True) == 1


def test_a_learners_work_is_kept_after_the_digests_moved_on(small: Path) -> None:
    """Another sync later the kept file is still nobody's stub."""
    run(small)
    stub_of(small).write_text("my work\n")
    change_solution(small)
    run(small)
    run(small)
    assert stub_of(small).read_text() == "my work\n"


@pytest.mark.parametrize("damaged", [None, "", "not a digest  step_01.py\n", "\xff\xfe"])
def test_without_digests_every_difference_counts_as_work(small: Path, damaged: str | None) -> None:
    run(small)
    manifest = small / "steps" / "stubs.sha256"
    manifest.unlink()
    if damaged is not None:
        manifest.write_bytes(damaged.encode("latin-1"))
    stub_of(small).write_text("my work\n")
    run(small)
    assert stub_of(small).read_text() == "my work\n"


def test_force_replaces_work_and_keeps_a_copy(small: Path) -> None:
    run(small)
    for work in ("first try\n", "second try\n"):
        stub_of(small).write_text(work)
        assert run(small, force=True) == 0
        assert stub_of(small).read_text() == make_stub(ONE)
    copies = sorted(path.read_text() for path in (small / ".grader" / "backups").iterdir())
    assert copies == ["first try\n", "second try\n"]


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (
            lambda root: (root / "solutions/solution_01.py").unlink(),
            "solution_01.py is missing",
        ),
        (lambda root: (root / "steps" / "step_01.md").unlink(), "step_01.md is missing"),
        (lambda root: (root / "checks" / "step_01" / "rubric.py").unlink(), "rubric.py is missing"),
        (lambda root: (root / "pixi.toml").unlink(), "pixi.toml is missing"),
        (lambda root: (root / "pixi.toml").write_text("[tasks]\n"), "pixi.toml: .*is missing"),
        (lambda root: (root / "course.toml").write_text(f"{NAMED}steps = []\n"), "lists no step"),
        (
            lambda root: (root / "solutions" / "solution_02.py").write_text(ONE),
            "solution_02.py exists, but course.toml does not list s02",
        ),
        (
            lambda root: (root / "solutions" / "solution_01.py").write_text("x = 1\n"),
            "solution_01.py: There is no blank",
        ),
    ],
)
def test_what_does_not_pair_is_an_error_and_nothing_is_written(
    small: Path, break_it: Callable[[Path], object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    break_it(small)
    assert run(small) == 1
    assert re.search(said, capsys.readouterr().out)
    assert not stub_of(small).exists()
