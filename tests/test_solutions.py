"""The solutions, run on MAX, agree with the formulas of the papers in plain NumPy.

The formulas stand here a second time on purpose: the grader's oracles judge the learners, and
this judges the solutions without them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grader.base.course import ROOT

Floats = npt.NDArray[np.float64]

LENGTHS = ((1, 0), (2, 0), (5, 0), (1, 4), (3, 2))
CASES = {
    "gpt2": (768, 12, 1, 4),
    "odd": (15, 3, 2, 5),
    "one-head": (6, 1, 3, 4),
    "head-of-one": (4, 4, 2, 3),
    "one-token": (20, 5, 3, 1),
    "one-text": (12, 2, 1, 7),
}
"""Name: n_embd, n_head, batch, seq."""


def draw() -> dict[str, Any]:
    """Random inputs and weights for every case, float32."""
    rng = np.random.default_rng(20170612)
    given: dict[str, Any] = {"lengths": np.array(LENGTHS)}
    for case, (n_embd, n_head, batch, seq) in CASES.items():
        shapes = {
            "x": (batch, seq, n_embd),
            "w/c_attn.weight": (3 * n_embd, n_embd),
            "w/c_attn.bias": (3 * n_embd,),
            "w/c_proj.weight": (n_embd, n_embd),
            "w/c_proj.bias": (n_embd,),
        }
        for name, shape in shapes.items():
            spread = n_embd**-0.5 if name.endswith("weight") else 1.0
            given[f"{case}/{name}"] = (rng.standard_normal(shape) * spread).astype(np.float32)
        given[f"{case}/n_head"] = np.array(n_head)
    return given


GIVEN = draw()


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the solutions give, from one process with MAX in it."""
    folder = tmp_path_factory.mktemp("solutions")
    np.savez(folder / "in.npz", **GIVEN)
    script = Path(__file__).with_name("solution_outputs.py")
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "in.npz"), str(folder / "out.npz")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(np.load(folder / "out.npz"))


def attention(x: Floats, weights: Mapping[str, Floats], n_head: int) -> Floats:
    """Vaswani et al. 2017, section 3.2, one text, one head and one token at a time."""
    out = np.zeros_like(x)
    n_embd = x.shape[-1]
    head_dim = n_embd // n_head
    for text, result in zip(x, out, strict=True):
        query, key, value = np.split(
            text @ weights["c_attn.weight"].T + weights["c_attn.bias"], 3, axis=1
        )
        for head in range(n_head):
            mine = slice(head * head_dim, (head + 1) * head_dim)
            for token in range(len(text)):
                scores = key[: token + 1, mine] @ query[token, mine] / np.sqrt(head_dim)
                share = np.exp(scores - scores.max())
                result[token, mine] = share / share.sum() @ value[: token + 1, mine]
    return np.asarray(out @ weights["c_proj.weight"].T + weights["c_proj.bias"])


@pytest.mark.parametrize("step", ["05", "07"])
@pytest.mark.parametrize("case", CASES)
def test_attention_is_the_formula(outputs: dict[str, Any], case: str, step: str) -> None:
    prefix = f"{case}/w/"
    weights = {
        name.removeprefix(prefix): array.astype(np.float64)
        for name, array in GIVEN.items()
        if name.startswith(prefix)
    }
    x = GIVEN[f"{case}/x"].astype(np.float64)
    expected = attention(x, weights, int(GIVEN[f"{case}/n_head"]))
    out = outputs[f"{case}/{step}/out"]
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("step", ["05", "07"])
@pytest.mark.parametrize("case", CASES)
def test_heads_are_slices_of_each_vector(outputs: dict[str, Any], case: str, step: str) -> None:
    x = GIVEN[f"{case}/x"]
    heads = outputs[f"{case}/{step}/split"]
    n_embd, n_head, batch, seq = CASES[case]
    assert heads.shape == (batch, n_head, seq, n_embd // n_head)
    np.testing.assert_array_equal(np.concatenate(list(heads.swapaxes(0, 1)), axis=-1), x)
    np.testing.assert_array_equal(outputs[f"{case}/{step}/merge"], x)


@pytest.mark.parametrize("step", ["02", "07"])
@pytest.mark.parametrize(("seq", "before"), LENGTHS)
def test_the_mask_hides_exactly_the_future(
    outputs: dict[str, Any], seq: int, before: int, step: str
) -> None:
    positions = range(seq + before)
    expected = [[0 if j <= before + i else -np.inf for j in positions] for i in range(seq)]
    for kind, dtype in (("int", np.float32), ("dim", np.float64)):
        mask = outputs[f"mask/{step}/{kind}/{seq}/{before}"]
        assert mask.dtype == dtype
        np.testing.assert_array_equal(mask, expected)


@pytest.mark.parity
def test_the_configuration_is_hugging_faces() -> None:
    transformers = pytest.importorskip("transformers")
    from dataclasses import fields

    from solutions.solution_01 import GPT2Config

    theirs = transformers.GPT2Config()
    for ours in fields(GPT2Config):
        assert getattr(theirs, ours.name) == ours.default, ours.name
