"""Run the solutions on MAX with the NumPy engine and write down what they give.

Reads inputs and weights from one ``.npz`` file and writes outputs to another, so that the test
that compares them needs no MAX in its own process.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from grader.frameworks.max import engine

os.environ.update(engine.environment())  # MAX reads it when it is imported, below

from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask
from solutions.solution_05 import GPT2Attention
from solutions.solution_07 import GPT2MultiHeadAttention
from solutions.solution_07 import causal_mask as causal_mask_07


def masks(lengths: list[tuple[int, int]]) -> dict[str, Any]:
    """Both steps' masks for ints and for MAX dimensions, in two element types."""
    found = {}
    for seq, before in lengths:
        for name, make in (("02", causal_mask), ("07", causal_mask_07)):
            ints = make(seq, before, dtype=DType.float32, device=CPU())
            dims = make(Dim(seq), Dim(before), dtype=DType.float64, device=CPU())
            found[f"mask/{name}/int/{seq}/{before}"] = ints.to_numpy()
            found[f"mask/{name}/dim/{seq}/{before}"] = dims.to_numpy()
    return found


def layers(given: dict[str, Any]) -> dict[str, Any]:
    """Each layer's output, and what each of its methods gives."""
    found = {}
    for case in sorted({name.split("/")[0] for name in given}):
        x = given[f"{case}/x"]
        n_head = int(given[f"{case}/n_head"])
        weights = {
            name.removeprefix(f"{case}/w/"): array
            for name, array in given.items()
            if name.startswith(f"{case}/w/")
        }
        for step, kind in (("05", GPT2Attention), ("07", GPT2MultiHeadAttention)):
            with F.lazy():
                layer = kind(GPT2Config(n_embd=x.shape[-1], n_head=n_head))
            layer.load_state_dict(weights)
            head_dim = x.shape[-1] // n_head
            heads = layer._split_heads(tensor(x), n_head, head_dim)
            found[f"{case}/{step}/split"] = heads.to_numpy()
            found[f"{case}/{step}/merge"] = layer._merge_heads(heads, n_head, head_dim).to_numpy()
            found[f"{case}/{step}/out"] = layer(tensor(x)).to_numpy()
    return found


def tensor(array: Any) -> Tensor:
    """A tensor of its own: MAX would share the array's memory."""
    return Tensor.from_dlpack(array.copy())


if __name__ == "__main__":
    engine.install("numpy")
    inputs = dict(np.load(sys.argv[1]))
    lengths = [(int(a), int(b)) for a, b in inputs.pop("lengths")]
    np.savez(sys.argv[2], **masks(lengths), **layers(inputs))
