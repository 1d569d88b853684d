"""Steps 03, 04, 06 and 08: solutions and oracles against formulas written apart from them."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from checks.shared.layer_norm import layer_norm
from checks.step_03 import oracle as dot_product
from checks.step_04 import oracle as masks
from checks.step_06 import oracle as rotary
from grader.base.course import ROOT
from grader.rubric import Rubric, Trial
from grader.rubric.compare import close
from tests.graded import other_formulas as formulas

Floats = npt.NDArray[np.float64]
STEPS = ("03", "04", "06", "08")
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-9}

SCRIPT = """
from pathlib import Path
from tests.graded import direct
direct.start()
for step in ("03", "04", "06", "08"):
    print(step, direct.truth(f"s{step}", Path(f"solutions/solution_{step}.py").read_bytes()).right)
    print(step, direct.truth(f"s{step}", Path(f"steps/step_{step}.py").read_bytes()).right)
"""


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def rubric(step: str) -> Rubric:
    found: Rubric = importlib.import_module(f"checks.step_{step}.rubric").RUBRIC
    return found


@pytest.mark.whole
def test_solutions_are_right_on_max_and_stubs_are_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if line]
    assert found == [f"{step} {right}" for step in STEPS for right in (True, False)], done.stderr


@pytest.mark.parametrize("mask", [None, (4, 6), (2, 1, 1, 6), (2, 1, 4, 6)])
def test_dot_product_oracle(mask: tuple[int, ...] | None) -> None:
    draw = random(3)
    query, key, value = (draw.normal(size=(2, 3, *size)) for size in ((4, 5), (6, 5), (6, 7)))
    hidden = None
    if mask is not None:
        hidden = np.where(draw.random(mask) < 0.5, -np.inf, 0.0)
        hidden[..., 0] = 0
    ours = dot_product.scaled_dot_product_attention(query, key, value, hidden)
    for seen, want in zip(ours, formulas.attend(query, key, value, hidden), strict=True):
        np.testing.assert_allclose(seen, want, **CLOSE)


def test_rotary_oracles() -> None:
    draw = random(6)
    x, places = draw.normal(size=(5, 8)), draw.permutation(30)[:5]
    np.testing.assert_allclose(
        rotary.rotate(x, places, 70.0), formulas.rotated(x, places, 70.0), **CLOSE
    )
    weights = {name: draw.normal(size=(12, 12)) for name in "qkvo"}
    x, places = draw.normal(size=(2, 4, 12)), draw.integers(0, 40, (2, 4))
    np.testing.assert_allclose(
        rotary.attention_rope(weights, x, places, 3, 90.0),
        formulas.rope_layer(weights, x, places, 3, 90.0),
        **CLOSE,
    )


def test_norm_oracle() -> None:
    draw = random(8)
    x, weight, bias = draw.normal(size=(2, 3, 6)), draw.normal(size=6), draw.normal(size=6)
    np.testing.assert_allclose(
        layer_norm(x, weight, bias, 0.3), formulas.normalized(x, weight, bias, 0.3), **CLOSE
    )


def test_mask_oracles() -> None:
    ids = np.array([[5, 9, 7], [9, 9, 9], [0, 1, 9]])
    may = formulas.visible(ids.tolist(), 9)
    padding = masks.padding_mask(ids, 9)
    assert padding.shape == (3, 1, 1, 3)
    np.testing.assert_array_equal(np.broadcast_to(padding == 0, (3, 1, 3, 3))[:, 0], may)
    causal = np.triu(np.full((3, 3), -np.inf), 1)
    combined = masks.combine_masks(causal, padding)
    np.testing.assert_array_equal((combined == 0)[:, 0], may & (causal == 0))


def answers(trial: Trial, knobs: dict[str, Any]) -> dict[str, Floats | None]:
    """What the oracle says to these knobs; None for an error."""
    assert trial.expect is not None
    try:
        with np.errstate(all="ignore"):
            return dict(trial.expect(**knobs))
    except (ValueError, IndexError):
        return dict.fromkeys(trial.expect())


def same(one: dict[str, Floats | None], other: dict[str, Floats | None]) -> bool:
    for path, left in one.items():
        right = other[path]
        if left is None or right is None:
            if left is not right:
                return False
        elif not close(left, right):
            return False
    return True


@pytest.mark.parametrize("step", STEPS)
def test_every_misconception_is_wrong_and_unlike_the_others(step: str) -> None:
    found = rubric(step)
    trials = [trial for trial in found.draw(random(11)) if trial.expect is not None]
    right = [answers(trial, {}) for trial in trials]
    seen: dict[str, list[dict[str, Floats | None]]] = {}
    for one in found.misconceptions:
        said = [answers(trial, dict(one.knobs)) for trial in trials]
        assert not all(map(same, said, right)), f"{one.id} changes nothing"
        for other, before in seen.items():
            if other != one.id:
                assert not all(map(same, said, before)), f"{one.id} is {other}"
        seen[one.id] = said


@pytest.mark.parametrize("step", STEPS)
def test_rubrics_name_checks_that_exist(step: str) -> None:
    found = rubric(step)
    trials = {trial.probe.name for trial in found.draw(random(1))}
    checks = [check.id for check in found.checks]
    assert len(set(checks)) == len(checks)
    for check in found.checks:
        assert set(check.needs) <= set(checks)
        assert set(check.proven_by) <= set(checks) | trials
        assert set(check.left_open_by) <= set(checks)
    for one in found.misconceptions:
        assert found.blamed(one), one.id
