"""The corpus of mistakes, and how well a sample of it, and of others made by machine, is explained.

All of it is graded by ``python -m tests.grade_the_grader --mistakes``, which also runs every
program apart from the grader to prove that it is what its entry says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.graded import edits, explained, generated, mistakes, told, variants
from tests.graded.edits import EditError
from tests.graded.explained import Explained
from tests.graded.mistakes import Mistake
from tests.marks import sampled

SEED = 20240501

WRITTEN, MADE = 1, 1
"""How many mistakes of a step are explained here: of ``tests/mistakes``, and made by machine."""

PLACED, NAMED = 0.87, 0.75
"""Shares of them: what the grader reaches today, less what a busy machine has no time for.

The goal is ``explained.GOAL``; raise these as the explanations get better.
"""

FALSE, FAILING = 1, 1
"""How many reports may contradict themselves or propose an edit that fails. The goal is none."""

Explain = Callable[[str, bool], list[Explained]]


@pytest.fixture(scope="module")
def explain(judging: ProcessPoolExecutor) -> Explain:
    """Explains a step's mistakes, of the corpus or made by machine, when they are asked for."""

    @functools.cache
    def some(step: str, corpus: bool) -> list[Explained]:
        count = WRITTEN if corpus else MADE
        return judging.submit(explained.of_step, step, SEED, count, corpus=corpus).result()

    return some


# ---- the corpus ---------------------------------------------------------------------------


@pytest.mark.parametrize("step", variants.steps())
def test_a_step_has_thirty_mistakes_in_different_styles(step: str) -> None:
    found = mistakes.of(step)
    assert len(found) >= 30
    assert 2 * sum(one.raises for one in found) >= len(found)
    assert 3 * sum(one.edit.base != "solution" for one in found) >= len(found)


def test_a_wrong_label_is_noticed(judging: ProcessPoolExecutor) -> None:
    one = next(one for one in mistakes.of("s03") if not one.raises)
    header = {**one.edit.header, "raises": "yes"}
    edit = type(one.edit)(one.edit.name, one.edit.base, header, one.edit.places)
    lie = judging.submit(told.mislabelled, Mistake(one.step, edit, one.base)).result()
    assert lie.startswith("raises is yes, but: ")


# ---- how they are explained ----------------------------------------------------------------


@pytest.mark.parametrize("step", sampled(len(variants.steps()), variants.steps()))
def test_a_mistake_is_what_it_says_and_is_told(step: str, explain: Explain) -> None:
    for one in explain(step, True):
        assert one.lie == ""
        assert one.first
        assert not any("passes" in text or "crashed" in text for text in one.contradictions), one


@pytest.mark.whole
@pytest.mark.any_python  # some mistakes of each step are explained for it
def test_mistakes_are_placed_and_named_and_what_is_proposed_passes(explain: Explain) -> None:
    steps, some = variants.steps(), variants.steps()[::2]  # those made by machine take longest
    every = [one for step in steps for one in explain(step, True)]
    every += [one for step in some for one in explain(step, False)]
    details = "\n".join([explained.title(), explained.row("all", every), *explained.details(every)])
    assert len(every) == WRITTEN * len(steps) + MADE * len(some)
    assert sum(one.placed for one in every) >= PLACED * len(every), details
    assert sum(one.named for one in every) >= NAMED * len(every), details
    assert sum(bool(one.contradictions) for one in every) <= FALSE, details
    assert sum(one.change is False for one in every) <= FAILING, details


RIGHT, WRONG = (
    "def f(q, k):\n    s = q @ k\n    return s",
    "def f(q, k):\n    s = q @ q\n    return s",
)


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("Line 2\nIt has q, where the reference has k.", True),
        ("Line 2\ns has shape [4, 4]. Its value is wrong.", False),  # what only gets the value
        ("Line 9\nIt has q, where the reference has k.", False),
        ("It has q, where the reference has k.", False),
    ],
)
def test_a_mistake_made_by_machine_is_named_at_its_line(told: str, names: bool) -> None:
    edit = edits.Edit("name", "plain", {}, (generated.place(RIGHT, WRONG),))
    one = generated.Made("s03", edit, RIGHT)
    assert one.lines == (2,)
    assert one.source == f"{WRONG}\n"
    assert one.names(told) is names


def test_the_table_counts_what_is_told() -> None:
    one = Mistake("s03", edits.Edit("a", "solution", {}, ()), "")
    good = Explained(one, "❌ x", 3, placed=True, named=True, change=True)
    bad = Explained(one, "❌ x", None, placed=False, named=False, change=False)
    counts = "s03 2 1 (50%) 1 (50%) 1 2 (100%) 1 0 0 0 0.00 0.00 0.00"
    assert explained.row("s03", [good, bad]).split() == counts.split()
    assert explained.details([good]) == []
    assert len(explained.details([good, bad])) == 1
    assert explained.reached([good])
    assert not explained.reached([good, bad])


# ---- lines --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def entry(folder: Path, change: str, header: str = "") -> Mistake:
    """The one mistake of a folder, which changes the solution of step 03."""
    text = f"=== one\nbase: solution\nraises: no\nnamed: x\n{header}{change}"
    (folder / "s03.edits").write_text(text, encoding="utf-8")
    (one,) = mistakes.of("s03", folder)
    return one


def test_the_line_of_a_change_is_that_of_the_new_line(folder: Path) -> None:
    one = entry(folder, "@@\n-    return output, weights\n+    a = 1\n+    return output\n")
    lines = one.source.split("\n")
    assert [lines[number - 1] for number in one.lines] == ["    a = 1", "    return output"]


def test_the_line_of_a_gap_is_the_one_after_it(folder: Path) -> None:
    one = entry(folder, "@@\n-import math\n \n from max.experimental import functional as F\n")
    lines = one.source.split("\n")
    after = lines[one.lines[0] - 1 :]
    assert after[:2] == ["", "from max.experimental import functional as F"]


def test_the_line_can_be_given(folder: Path) -> None:
    one = entry(folder, "@@\n-import math\n", "line: 57, 61\n")
    assert one.lines == (57, 61)
    assert [number for number in range(55, 65) if one.beside(number)] == [56, 57, 58, 60, 61, 62]
    assert not one.beside(None)


def test_any_line_of_the_statement_is_its_place(folder: Path) -> None:
    change = "@@\n-    return output, weights\n+    return (\n+        output,\n+    )\n"
    one = entry(folder, change)
    first = one.lines[0]
    given = entry(folder, change, f"line: {first + 2}\n")
    assert given.beside(first)


@pytest.mark.parametrize("header", ["line: none\n", "check: scale\n", "raises: no\n"])
def test_a_wrong_header_is_refused(folder: Path, header: str) -> None:
    with pytest.raises(EditError):
        entry(folder, "@@\n-import math\n", header)
