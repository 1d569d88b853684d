"""The same layer twice: Hugging Face's with random weights, and a solution with the same numbers.

Both compute in float64, so that what differs is the formula and not the rounding. The solutions
run on MAX with the course's engine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from grader.frameworks.max import engine

torch: Any = pytest.importorskip("torch", reason="the parity environment is not installed")
transformers: Any = pytest.importorskip("transformers", reason="transformers is not installed")

Weights = dict[str, Any]

TURNED = ("c_attn.weight", "c_fc.weight", "c_proj.weight")
"""Ends of the names that Hugging Face keeps as ``[in, out]``."""

CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-6}


def start_max() -> None:
    """Put the course's engine in place, once MAX is about to be imported."""
    os.environ.update(engine.environment())
    engine.install("numpy")


def config(**sizes: Any) -> Any:
    """Hugging Face's configuration for a model that computes as it is read, without dropout."""
    usual = {"vocab_size": 23, "n_positions": 17, "eos_token_id": None, "bos_token_id": None}
    return transformers.GPT2Config(
        **{**usual, **sizes}, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0
    )


def randomize(layer: Any, seed: int) -> Any:
    """Give every parameter random numbers that keep what is computed of order 1."""
    torch.manual_seed(seed)
    for name, parameter in layer.named_parameters():
        fan_in = parameter.shape[0 if name.endswith(TURNED) else -1]
        spread = fan_in**-0.5 if parameter.ndim > 1 and "wte" not in name else 0.5
        torch.nn.init.normal_(parameter, mean=float("ln_" in name), std=spread)
    return layer.eval()


def weights(layer: Any) -> Weights:
    """What the layer holds, under its names, with Linear weights as ``[out, in]``."""
    state = {name: array.detach().numpy() for name, array in layer.named_parameters()}
    return {
        name: np.ascontiguousarray(array.T if name.endswith(TURNED) else array)
        for name, array in state.items()
    }


def ours(kind: Any, *args: Any, given: Mapping[str, Any], **kwargs: Any) -> Any:
    """A solution's layer in float64 with these weights, loaded strictly."""
    from max.dtype import DType
    from max.experimental import functional as F
    from max.experimental.tensor import default_dtype

    with default_dtype(DType.float64), F.lazy():
        layer = kind(*args, **kwargs)
    layer.load_state_dict(dict(given))
    return layer


def run(layer: Any, *args: Any, **kwargs: Any) -> Any:
    """What ``layer`` makes of arrays, as arrays; computed as one graph."""
    from max.experimental import functional as F

    with F.lazy():
        result = layer(*_tensors(args), **dict(zip(kwargs, _tensors(kwargs.values()), strict=True)))
    return _arrays(result)


def _tensors(values: Any) -> list[Any]:
    from max.experimental.tensor import Tensor

    return [
        Tensor.from_dlpack(np.array(value)) if isinstance(value, np.ndarray) else value
        for value in values
    ]


def _arrays(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_arrays(one) for one in result)
    return result.to_numpy() if hasattr(result, "to_numpy") else result
