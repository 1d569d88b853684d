"""Single layers beside PyTorch's, as sides of ``bench compare``.

Step 07's attention: ``numpy`` and ``max``, the course's layer on both engines; ``max-flash``, the
same with MAX's own fused attention for the formula; ``sdpa``, the same layer in PyTorch with its
fused attention; ``gpt2attention``, Hugging Face's; ``-bf16`` is one of them in bfloat16.
``max-start`` is a graph that only adds 1; ``linear`` one small layer, compiled by MAX; ``head-…``
the sides of :mod:`tools.bench.heads`.
"""

from __future__ import annotations

import importlib
import math
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import click
import numpy as np

from tools.bench.heads import HEAD_SIDES, Array, Run, buffer, head
from tools.bench.models import threads
from tools.bench.processes import Answer

SHAPES = ((1, 4, 768), (1, 128, 768), (8, 128, 768), (1, 1024, 768), (8, 1024, 768))
WIDTH, HEADS = 768, 12


FLASH = "mo.composite.masked_flash_attention_cpu"
"""MAX's fused attention: its compiler knows the name, Python has no function for it."""


def weights() -> dict[str, Array]:
    """The same random weights for each side; Linear weights are ``[out, in]``."""
    rng = np.random.default_rng(0)
    shapes = {"c_attn": (3 * WIDTH, WIDTH), "c_proj": (WIDTH, WIDTH)}
    drawn = {f"{name}.weight": rng.standard_normal(shape) for name, shape in shapes.items()}
    drawn |= {f"{name}.bias": rng.standard_normal(shape[0]) for name, shape in shapes.items()}
    return {name: (array / math.sqrt(WIDTH)).astype(np.float32) for name, array in drawn.items()}


def values(shape: tuple[int, ...]) -> Array:
    """The same random input for each side."""
    return np.random.default_rng(1).standard_normal(shape, np.float32)


def course(engine_name: str, *, flash: bool = False, half: bool = False) -> Run:
    """Step 07's layer, staged once for any batch and any length; ``half`` is bfloat16 inside."""
    from grader.frameworks.max import engine

    os.environ.update(engine.environment())
    engine.install("numpy")
    from max.driver import CPU
    from max.dtype import DType
    from max.graph import TensorType

    from gpt2.staging import Staged
    from solutions.solution_01 import GPT2Config
    from tools.lab.model import runner

    layer = (_flash() if flash else _plain())(GPT2Config())
    layer.load_state_dict(weights())
    whole = _inside(layer, DType.bfloat16 if half else DType.float32)
    kind = TensorType(DType.float32, ["batch", "seq", WIDTH], CPU())
    staged = Staged(whole.trace(kind), dict(whole.parameters), piece=0)
    run = runner(staged, engine_name)
    return lambda x: np.asarray(run(x)[0])


def _inside(layer: Any, kind: Any) -> Any:
    """The layer in a dtype, between float32 and float32."""
    from max.dtype import DType
    from max.experimental import functional as F
    from max.experimental.nn import Module

    for part in (layer.c_attn, layer.c_proj):
        part.weight, part.bias = F.cast(part.weight, kind), F.cast(part.bias, kind)

    class Whole(Module):  # type: ignore[misc]
        """What is staged."""

        def __init__(self) -> None:
            super().__init__()
            self.layer = layer

        def forward(self, x: Any) -> Any:
            return F.cast(self.layer(F.cast(x, kind)), DType.float32)

    return Whole()


def _plain() -> Any:
    from solutions.solution_07 import GPT2MultiHeadAttention

    return GPT2MultiHeadAttention


def _flash() -> Any:
    """Step 07's class with MAX's own operation for the formula: no scores are kept."""
    from max.driver import CPU
    from max.dtype import DType
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor
    from max.graph import TensorType

    from solutions.solution_07 import GPT2MultiHeadAttention, causal_mask

    class Flash(GPT2MultiHeadAttention):
        """Attention without a matrix of scores in memory."""

        def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            batch, heads, seq, width = query.shape
            kind = query.dtype
            mask = causal_mask(seq, 0, dtype=kind, device=query.device)  # [seq, seq]
            mask = F.broadcast_to(mask, [batch, heads, seq, seq])
            scale = Tensor(1 / math.sqrt(self.head_dim), dtype=DType.float32, device=CPU())
            given = [each.transpose(-3, -2) for each in (query, key, value)]  # heads behind seq
            result = TensorType(kind, [batch, seq, heads, width], CPU())
            [attended] = F.custom(FLASH, CPU(), [*given, mask, scale], [result])
            return attended.transpose(-3, -2)

    return Flash


def start() -> Run:
    """A graph that adds 1: what a call of MAX takes beside the arithmetic."""
    from max.driver import CPU
    from max.dtype import DType
    from max.experimental import compilation
    from max.graph import TensorType

    from gpt2.compiled import compile_graph
    from gpt2.staging import Staged

    kind = TensorType(DType.float32, ["batch", "seq", WIDTH], CPU())
    run = compile_graph(Staged(compilation.stage(lambda x: x + 1.0)(kind), {}, piece=0))
    return lambda x: np.asarray(run(x)[0])


def linear() -> Run:
    """One ``Linear`` compiled by MAX: less than this no model takes to compile."""
    from max.driver import CPU, Buffer
    from max.dtype import DType
    from max.experimental.nn import Linear
    from max.graph import TensorType

    layer = Linear(WIDTH, WIDTH)
    kind = TensorType(DType.float32, ["batch", "seq", WIDTH], CPU())
    compiled: Any = layer.compile(kind)
    return lambda x: np.asarray(np.from_dlpack(compiled.execute_raw(Buffer.from_numpy(x))[0]))


def sdpa(*, half: bool = False) -> Run:
    """The same layer in PyTorch, with its fused attention; ``half`` is bfloat16 inside."""
    import torch

    torch.set_num_threads(threads())
    kind = torch.bfloat16 if half else torch.float32
    held = {name: torch.from_numpy(array).to(kind) for name, array in weights().items()}

    def run(x: Array) -> Array:
        with torch.inference_mode():
            linear = torch.nn.functional.linear
            given = torch.from_numpy(x).to(kind)
            mixed = linear(given, held["c_attn.weight"], held["c_attn.bias"])
            batch, seq, _ = x.shape
            heads = mixed.view(batch, seq, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            attended = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
            merged = attended.transpose(1, 2).reshape(batch, seq, WIDTH)
            output = linear(merged, held["c_proj.weight"], held["c_proj.bias"])
            result: Array = output.float().numpy()
            return result

    return run


def hugging_face() -> Run:
    """``GPT2Attention``; its weights are ``[in, out]``."""
    import torch
    import transformers
    from transformers.models.gpt2 import modeling_gpt2

    torch.set_num_threads(threads())
    layer: Any = modeling_gpt2.GPT2Attention(
        transformers.GPT2Config(attn_implementation="sdpa"), layer_idx=0
    ).eval()
    held = {name: torch.from_numpy(array.T.copy()) for name, array in weights().items()}
    layer.load_state_dict(held, strict=False)

    def run(x: Array) -> Array:
        with torch.inference_mode():
            output: Array = layer(torch.from_numpy(x))[0].numpy()
            return output

    return run


@click.command()
def parts(tokens: int = 1024, turns: int = 9) -> None:
    """What MAX needs for each part of step 07's layer, in float32 and in bfloat16."""
    from max.driver import CPU
    from max.dtype import DType
    from max.engine import InferenceSession
    from max.graph import DeviceRef, Graph, TensorType, ops

    width = WIDTH // HEADS
    asked: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
        "projection": (ops.matmul, ((tokens, WIDTH), (WIDTH, 3 * WIDTH))),
        "scores": (ops.matmul, ((1, HEADS, tokens, width), (1, HEADS, width, tokens))),
        "softmax": (ops.softmax, ((1, HEADS, tokens, tokens),)),
    }
    session = InferenceSession(devices=[CPU()])
    print(f"{tokens} tokens, ms    float32  bfloat16")
    for name, (operation, shapes) in asked.items():
        medians = []
        for half in (False, True):
            kind = DType.bfloat16 if half else DType.float32
            types = [TensorType(kind, shape, DeviceRef.CPU()) for shape in shapes]
            model: Any = session.load(Graph(name, forward=operation, input_types=types))
            given = [buffer(values(shape), half=half) for shape in shapes]
            medians.append(statistics.median(_seconds(model, given) for _ in range(turns)))
        print(f"{name:<16} {medians[0] * 1e3:>10.2f} {medians[1] * 1e3:>9.2f}")


def _seconds(model: Any, given: list[Any]) -> float:
    started = time.perf_counter()
    model.execute(*given)
    return time.perf_counter() - started


SIDES: dict[str, Callable[[], Run]] = {
    "numpy": partial(course, "numpy"),
    "max": partial(course, "max"),
    "max-flash": partial(course, "max", flash=True),
    "max-bf16": partial(course, "max", half=True),
    "max-flash-bf16": partial(course, "max", flash=True, half=True),
    "sdpa": sdpa,
    "sdpa-bf16": partial(sdpa, half=True),
    "gpt2attention": hugging_face,
    "linear": linear,
    "max-start": start,
    **{f"head-{name}": partial(head, name) for name in HEAD_SIDES},
}


def prepare(name: str) -> Callable[[], Callable[[Answer], Answer]]:
    """What makes a side ready to compute its layer for a shape."""
    if name == "linear":
        importlib.import_module("max.experimental.nn")  # not a part of compiling

    def make() -> Callable[[Answer], Answer]:
        run = SIDES[name]()

        def answer(asked: Answer) -> Answer:
            x = values(tuple(asked["shape"]))
            started = time.perf_counter()
            output = run(x)
            seconds = time.perf_counter() - started
            shown = output.reshape(-1, output.shape[-1])[-1, :4]
            return {"seconds": seconds, "result": shown.tolist()}

        return answer

    return make
