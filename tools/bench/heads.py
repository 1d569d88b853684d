"""GPT-2's output layer, which for one token does little but read 154 MB of weights.

``numpy``, ``max`` and ``torch``, the last two with bfloat16 weights too; ``read`` only adds the
weights up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.bench.models import threads

Array = npt.NDArray[np.float32]
Run = Callable[[Array], Array]

HEAD_SIDES = ("numpy", "max", "max-bf16", "read", "torch-bf16", "torch")
WIDTH, VOCABULARY = 768, 50257


def head(side: str) -> Run:
    """The scores of 50,257 tokens from one vector; ``read`` adds the weights up instead."""
    table = np.random.default_rng(0).standard_normal((VOCABULARY, WIDTH), np.float32)
    if side == "numpy":
        return lambda x: np.asarray(x @ table.T)
    if side.startswith("max"):
        return _head_of_max(table, half=side.endswith("bf16"))
    import torch

    torch.set_num_threads(threads())
    kind = torch.bfloat16 if side.endswith("bf16") else torch.float32
    held = torch.from_numpy(table).to(kind)

    def run(x: Array) -> Array:
        with torch.inference_mode():
            if side == "read":
                return np.full((1, 4), held.sum().item(), np.float32)
            given = torch.from_numpy(x).to(kind)
            output: Array = torch.nn.functional.linear(given, held).float().numpy()
            return output

    return run


def _head_of_max(table: Array, *, half: bool) -> Run:
    from max.driver import CPU, Buffer
    from max.dtype import DType
    from max.engine import InferenceSession
    from max.graph import DeviceRef, Graph, TensorType, ops

    kind = DType.bfloat16 if half else DType.float32

    def product(x: Any, weight: Any) -> Any:
        return ops.cast(ops.matmul(ops.cast(x, kind), ops.transpose(weight, 0, 1)), DType.float32)

    here = DeviceRef.CPU()
    types = [TensorType(DType.float32, ["tokens", WIDTH], here)]
    types.append(TensorType(kind, [VOCABULARY, WIDTH], here))
    session = InferenceSession(devices=[CPU()])
    model: Any = session.load(Graph("head", forward=product, input_types=types))
    held = buffer(table, half=half)
    return lambda x: np.asarray(np.from_dlpack(model.execute(Buffer.from_numpy(x), held)[0]))


def buffer(array: Array, *, half: bool) -> Any:
    """An array of MAX's, in float32 or in bfloat16."""
    from max.driver import Buffer
    from max.dtype import DType

    if not half:
        return Buffer.from_numpy(array)
    bits = (array.view(np.uint32) >> 16).astype(np.uint16)  # the upper half, as bfloat16 keeps it
    return Buffer.from_numpy(bits).view(DType.bfloat16, array.shape)
