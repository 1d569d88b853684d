"""The experiments of ``lab``: how they time, what they print, and where the lessons speak of them.

What they measure is compiled by MAX, which takes minutes; those tests are marked ``native``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from grader.base.course import ROOT
from tests import ran
from tools.lab.__main__ import listing, table
from tools.lab.experiments import EXPERIMENTS, NotTheSame, require_close
from tools.lab.timing import TURN, Compared, Pair, compare


def lab(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ran.python("-m", "tools.lab", *arguments, timeout_s=1800)


class Watch:
    """A clock that only work moves on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.order = ""

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, *seconds: float) -> Callable[[], None]:
        """Work that takes so long in the first turn, in the second, and so on."""
        left = iter(seconds)

        def done() -> None:
            self.order += name
            self.now += next(left)

        return done


def test_both_sides_are_timed_in_turn_and_the_first_turn_does_not_count() -> None:
    watch = Watch()
    base, other = watch.work("b", 1, 6, 8, 90), watch.work("o", 1, 3, 2, 5)
    found = compare(Pair("64 tokens", base, other), 3, watch)
    assert watch.order == "bo" * 4
    assert (found.base, found.other, found.base_median, found.other_median) == (6, 2, 8, 3)
    assert found.ratio == 3
    with pytest.raises(ValueError, match="at least one turn"):
        compare(Pair("", base, other), 0, watch)


def test_the_table_names_sizes_times_and_ratios() -> None:
    measured = [
        Compared("1 token", 0.5, 0.0025, 0.6, 0.003),
        Compared("2 tokens", 2e-5, 4e-5, 2e-5, 4e-5),
    ]
    lines = table(EXPERIMENTS["cache"], measured, 9, "max").splitlines()
    assert "clock time, the shortest of 9 turns" in lines[1]
    assert "CPU time" in table(EXPERIMENTS["cache"], measured, 9, "max", processor=True)
    assert lines[3].split() == ["whole", "text", "cache", "times", "faster"]
    assert lines[4].split() == ["1", "token", "500", "ms", "2.5", "ms", "200"]
    assert lines[5].split() == ["2", "tokens", "20", "µs", "40", "µs", "0.50"]
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("medians", "said"),
    [
        ((6.0, 4.0), "1.50 to 2.00"),
        ((8.0, 4.0), "2.00"),
        ((3.0, 4.0), "not clear: 0.75 to 2.00"),
        ((99.0, 2.0), "2.00 to 50"),
    ],
)
def test_two_opposite_answers_are_none(medians: tuple[float, float], said: str) -> None:
    assert Compared("1 token", 8.0, 4.0, *medians).answer == said


@pytest.mark.parametrize(
    ("base", "median", "said"),
    [
        (1.05, 0.95, "about the same: 0.95 to 1.05"),
        (1.05, 0.85, "not clear: 0.85 to 1.05"),
        (0.98, 0.95, "0.95 to 0.98"),
    ],
)
def test_two_sides_may_be_about_the_same(base: float, median: float, said: str) -> None:
    assert Compared("1 token", base, 1.0, median, 1.0).answer == said


def test_a_short_call_is_repeated_until_its_turn_is_long_enough() -> None:
    watch = Watch()
    slow = watch.work("s", *[TURN * 2] * 3)
    quick = watch.work("q", TURN / 3.9, *[1.0, 2.0, 3.0, 2.0] * 2)
    found = compare(Pair("64 tokens", slow, quick), 2, watch)
    assert watch.order == "sq" + "sqqqq" * 2
    assert found.other == pytest.approx(2)


def test_what_is_not_the_same_is_not_compared() -> None:
    numbers = np.linspace(1, 2, 5)
    require_close("a pair", numbers, numbers + 1e-6, 1e-5)
    for wrong in (numbers + 1e-3, numbers * np.nan):
        with pytest.raises(NotTheSame, match="a pair"):
            require_close("a pair", numbers, wrong, 1e-5)


def test_without_a_name_it_lists_and_an_unknown_name_is_wrong_usage() -> None:
    listed, unknown = lab(), lab("fast")
    assert (listed.returncode, listed.stdout) == (0, listing())
    assert [name for name in EXPERIMENTS if f"  {name}" in listed.stdout] == list(EXPERIMENTS)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert all(f"'{name}'" in unknown.stderr for name in EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_lesson_that_an_experiment_names_speaks_of_it(name: str) -> None:
    one = EXPERIMENTS[name]
    path, _, heading = one.lesson.partition(", ")
    text = (ROOT / path).read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert f"./pixiw run lab {name}" in section
    if f"\n{name}: " in section:  # a table that was measured
        assert f"\n{name}: {one.about}\n" in section


@pytest.mark.parametrize("name", ["fused", pytest.param("cache", marks=pytest.mark.slow)])
@pytest.mark.whole
def test_an_experiment_runs_without_compiling(name: str) -> None:
    done = lab(name, "--turns", "1", "--engine", "numpy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: ")
    _, *lines = done.stdout.splitlines()
    assert sum(" token" in line for line in lines) == len(lines) - 3


def test_what_only_the_compiler_can_do_says_so() -> None:
    done = lab("precision", "--engine", "numpy")
    assert (done.returncode, done.stdout) == (2, "")
    assert "precision needs --engine max" in done.stderr


@pytest.mark.native
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs(name: str) -> None:
    done = lab(name, "--turns", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: ")
    assert "times faster" in done.stdout
