"""What the trials expect, on their own inputs: up to scores of ±1000 and means of 2000 deviations.

PyTorch computes each in float64, where the oracle must agree, and in float32, where a right
program must stay within the tolerance of the trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from checks.step_03 import trials as dot_product
from grader.base import course
from grader.grading.inputs import draw
from grader.rubric import Call, ConfigArg, Load, Make, TensorArg, Trial, close, load, multiples

pytestmark = pytest.mark.parity

torch: Any = pytest.importorskip("torch", reason="the parity environment is not installed")

Weights = Mapping[str, Any]


def attention(dtype: Any, made: Make, weights: Weights, args: list[Any]) -> Any:
    """GPT-2's layer: ``[batch, seq, n_embd]`` → the same shape."""
    [config] = [one.fields for one in made.args if isinstance(one, ConfigArg)]
    [x] = args
    fused = torch.nn.functional.linear(x, weights["c_attn.weight"], weights["c_attn.bias"])
    heads = fused.unflatten(-1, (3, config["n_head"], -1)).permute(2, 0, 3, 1, 4)
    mixed = dot(dtype, *heads, is_causal=True)  # [batch, n_head, seq, head_dim]
    merged = mixed.transpose(1, 2).flatten(-2)  # [batch, seq, n_embd]
    return torch.nn.functional.linear(merged, weights["c_proj.weight"], weights["c_proj.bias"])


def dot(dtype: Any, query: Any, key: Any, value: Any, mask: Any = None, **more: Any) -> Any:
    """PyTorch's own kernel, and not the one for long texts, which is for other machines."""
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        added = None if mask is None else mask.to(dtype)
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, added, **more)


def norm(dtype: Any, made: Make, weights: Weights, args: list[Any]) -> Any:
    """A layer normalization over the last axis."""
    width = weights["weight"].shape
    eps = made.kwargs.get("eps", 1e-5)
    return torch.nn.functional.layer_norm(args[0], width, weights["weight"], weights["bias"], eps)


def answers(trial: Trial, dtype: Any, layer: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """PyTorch's answer to each call of ``trial`` that is one of the layer or the function."""
    made: dict[str, Make] = {}
    weights: dict[str, Weights] = {}
    for action in trial.probe.actions:
        match action:
            case Make():
                made[action.name] = action
            case Load():
                full = {
                    name: multiples(array, action.steps[name]) if name in action.steps else array
                    for name, array in action.weights.items()
                }
                weights[action.on] = {
                    name: torch.from_numpy(np.array(array)).to(dtype)
                    for name, array in full.items()
                }
            case Call(on=on, method=method):
                given = (*action.args, *action.kwargs.values())
                arrays = [one.array for one in given if isinstance(one, TensorArg)]
                tensors = [torch.from_numpy(np.array(one)).to(dtype) for one in arrays]
                if method == dot_product.NAME:
                    yield f"{action.name}.0", dot(dtype, *tensors)
                elif method is None and on in weights:
                    yield action.name, layer(dtype, made[on], weights[on], tensors)


LAYERS: dict[str, Callable[..., Any]] = {
    "s03": dot,
    "s05": attention,
    "s07": attention,
    "s08": norm,
}


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("step", LAYERS)
def test_pytorch_agrees_with_the_oracle_and_is_within_the_tolerance(step: str, seed: int) -> None:
    drawn = draw(load.rubric(course.find(step)), seed).calculate()
    compared = 0
    for name, trial in drawn.trials.items():
        for path, exact in answers(trial, torch.float64, LAYERS[step]):
            want = drawn.expected[name][path]
            scale = np.abs(want).max()
            np.testing.assert_allclose(exact.numpy() / scale, want / scale, rtol=0, atol=1e-9)
            compared += 1
        for path, rounded in answers(trial, torch.float32, LAYERS[step]):
            assert close(rounded.numpy(), drawn.expected[name][path], trial.slack), (name, path)
    assert compared > 15
