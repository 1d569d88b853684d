"""Every public function of MAX that a learner may reach runs without compiling anything.

The tables name each function once; a function that MAX adds shows up as missing here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.marks import sampled

Use = Callable[[Any], Any]

# Functions that have no NumPy handler, and what happens instead.
WITHOUT_HANDLER = {
    "cond": "MAX compiles the graph",
    "while_loop": "MAX compiles the graph",
    "custom": "a kernel of the caller's own",
    "inplace_custom": "a kernel of the caller's own",
    "conv2d": "MAX compiles its kernel",
    "conv2d_transpose": "MAX's interpreter does not have it",
    "conv3d": "MAX compiles the graph",
    "fold": "MAX compiles the graph",
    "avg_pool2d": "MAX compiles its kernel",
    "max_pool2d": "MAX compiles its kernel",
    "resize": "MAX compiles its kernel",
    "resize_bicubic": "MAX compiles its kernel",
    "resize_linear": "MAX compiles its kernel",
    "resize_nearest": "MAX compiles its kernel",
    "roi_align": "MAX compiles its kernel",
    "non_maximum_suppression": "MAX compiles its kernel",
    "irfft": "MAX has it for GPUs only",
    "dequantize": "quantised weights",
    "qmatmul": "quantised weights",
    "constant_external": "weights of a compiled module",
    "side_stream": "GPU streams",
    "allgather": "several devices",
    "allreduce_sum": "several devices",
    "distributed_broadcast": "several devices",
    "reduce_scatter": "several devices",
    "call_on_mesh": "several devices",
}

# Names that are not operations on tensors.
OTHER_NAMES = {"ensure_context", "functional", "in_graph_context", "lazy"}


class Inputs:
    """What the uses below work on."""

    def __init__(self) -> None:
        from max.driver import CPU
        from max.dtype import DType
        from max.experimental import functional, nn
        from max.experimental.tensor import Tensor

        self.F, self.nn, self.Tensor, self.DType, self.cpu = functional, nn, Tensor, DType, CPU()
        self.x = self.floats(3, 4)
        self.y = self.floats(3, 4)
        self.square = self.floats(4, 4)
        self.row = self.floats(4)
        self.mask = self.x > 0
        self.places = Tensor.from_dlpack(np.array([0, 2, 1]))
        self.column = Tensor.from_dlpack(np.array([[0], [2], [1]]))

    def floats(self, *shape: int) -> Any:
        numbers = np.random.default_rng(len(shape)).uniform(0.1, 0.9, shape)
        return self.Tensor.from_dlpack(numbers.astype(np.float32))


UNARY = """abs acos atanh ceil cos cumsum erf exp flatten floor gelu is_inf is_nan log log1p
logsoftmax max mean min negate prod relu round rsqrt sigmoid silu sin softmax sqrt sum tanh trunc
argmax argmin full_like ones_like zeros_like gaussian_like normal_like uniform_like
as_interleaved_complex"""
BINARY = """add sub mul div mod pow floor_div matmul equal not_equal greater greater_equal
elementwise_max elementwise_min"""


def _unary(name: str) -> Use:
    return lambda i: getattr(i.F, name)(i.x, *([2.0] if name == "full_like" else []))


def _binary(name: str) -> Use:
    return lambda i: getattr(i.F, name)(i.x, i.square if name == "matmul" else i.y)


FUNCTIONS: Mapping[str, Use] = {
    **{name: _unary(name) for name in UNARY.split()},
    **{name: _binary(name) for name in BINARY.split()},
    "arange": lambda i: i.F.arange(0, 4, device=i.cpu),
    "range": lambda i: i.F.range(0, 1, 0.25, dtype=i.DType.float32, device=i.cpu),
    "argsort": lambda i: i.F.argsort(i.row),
    "band_part": lambda i: i.F.band_part(i.x, None, 0, exclude=True),
    "bottom_k": lambda i: i.F.bottom_k(i.x, 2),
    "top_k": lambda i: i.F.top_k(i.x, 2),
    "broadcast_to": lambda i: i.F.broadcast_to(i.x, [2, 3, 4]),
    "buffer_store": lambda i: i.F.buffer_store(i.x, i.y),
    "buffer_store_slice": lambda i: i.F.buffer_store_slice(i.x, i.y[:1], [slice(0, 1)]),
    "cast": lambda i: i.F.cast(i.x, i.DType.int32),
    "chunk": lambda i: i.F.chunk(i.x, 2, axis=1),
    "clamp": lambda i: i.F.clamp(i.x, 0.2, 0.5),
    "clip": lambda i: i.F.clip(i.x, 0.2, 0.5),
    "complex_mul": lambda i: i.F.complex_mul(i.floats(3, 2), i.floats(3, 2)),
    "concat": lambda i: i.F.concat([i.x, i.y]),
    "constant": lambda i: i.F.constant([1.0, 2.0], i.DType.float32, i.cpu),
    "full": lambda i: i.F.full([2, 3], 7),
    "gather": lambda i: i.F.gather(i.x, i.places, axis=0),
    "gather_nd": lambda i: i.F.gather_nd(i.x, i.column),
    "gaussian": lambda i: i.F.gaussian([2, 3]),
    "normal": lambda i: i.F.normal([2, 3]),
    "uniform": lambda i: i.F.uniform([2, 3]),
    "group_norm": lambda i: i.F.group_norm(i.floats(2, 4, 3), i.row, i.row, 2, 1e-5),
    "hann_window": lambda i: i.F.hann_window(4, device=i.cpu),
    "layer_norm": lambda i: i.F.layer_norm(i.x, i.row, i.row, 1e-5),
    "rms_norm": lambda i: i.F.rms_norm(i.x, i.row, 1e-5),
    "logical_and": lambda i: i.F.logical_and(i.mask, i.mask),
    "logical_not": lambda i: i.F.logical_not(i.mask),
    "logical_or": lambda i: i.F.logical_or(i.mask, i.mask),
    "logical_xor": lambda i: i.F.logical_xor(i.mask, i.mask),
    "masked_scatter": lambda i: i.F.masked_scatter(i.x, i.mask, i.floats(12), "places"),
    "nonzero": lambda i: i.F.nonzero(i.mask, "places"),
    "ones": lambda i: i.F.ones([2, 3]),
    "zeros": lambda i: i.F.zeros([2, 3]),
    "outer": lambda i: i.F.outer(i.row, i.row),
    "pad": lambda i: [i.F.pad(i.x, [1, 1, 0, 2], mode=m) for m in ("constant", "reflect", "edge")],
    "permute": lambda i: i.F.permute(i.x, [1, 0]),
    "print": lambda i: i.F.print(i.x, "x"),
    "rebind": lambda i: i.F.rebind(i.x, [3, 4]),
    "repeat_interleave": lambda i: i.F.repeat_interleave(i.x, 2, axis=1),
    "reshape": lambda i: i.F.reshape(i.x, [4, -1]),
    "scatter": lambda i: i.F.scatter(i.x, i.floats(3, 1), i.column, axis=1),
    "scatter_add": lambda i: i.F.scatter_add(i.x, i.floats(3, 1), i.column, axis=1),
    "scatter_max": lambda i: i.F.scatter_max(i.x, i.floats(3, 1), i.column, axis=1),
    "scatter_min": lambda i: i.F.scatter_min(i.x, i.floats(3, 1), i.column, axis=1),
    "scatter_mul": lambda i: i.F.scatter_mul(i.x, i.floats(3, 1), i.column, axis=1),
    "scatter_nd": lambda i: i.F.scatter_nd(i.x, i.y, i.column),
    "scatter_nd_add": lambda i: i.F.scatter_nd_add(i.x, i.y, i.column),
    "scatter_nd_max": lambda i: i.F.scatter_nd_max(i.x, i.y, i.column),
    "scatter_nd_min": lambda i: i.F.scatter_nd_min(i.x, i.y, i.column),
    "scatter_nd_mul": lambda i: i.F.scatter_nd_mul(i.x, i.y, i.column),
    "shape_to_tensor": lambda i: i.F.shape_to_tensor([2, 3]),
    "slice_tensor": lambda i: i.F.slice_tensor(i.x, [slice(0, 2), -1]),
    "split": lambda i: i.F.split(i.x, [1, 2]),
    "squeeze": lambda i: i.F.squeeze(i.floats(3, 1), 1),
    "unsqueeze": lambda i: i.F.unsqueeze(i.x, 1),
    "stack": lambda i: i.F.stack([i.x, i.y]),
    "tile": lambda i: i.F.tile(i.x, [2, 1]),
    "transfer_to": lambda i: i.F.transfer_to(i.x, i.cpu),
    "transpose": lambda i: i.F.transpose(i.x, 0, 1),
    "where": lambda i: i.F.where(i.mask, i.x, i.y),
}

TENSOR: Mapping[str, Use] = {
    "index": lambda i: [i.x[1], i.x[-1, 2:], i.x[..., 0], i.x[None, ::2], i.x[:, 1:-1]],
    "set item": lambda i: i.x.__setitem__((slice(0, 1), slice(None)), i.y[:1]),
    "arithmetic": lambda i: [i.x + 1, 1 - i.x, 2 * i.x, 1 / i.x, i.x**2, 2**i.x, -i.x, abs(i.x)],
    "division": lambda i: [i.x // 2, i.x % 2, divmod(i.x, 2)[1], i.places // 2, i.places % 2],
    "matmul": lambda i: [i.x @ i.square, i.x @ i.row, i.row @ i.square, i.row @ i.row],
    "logic": lambda i: [i.mask & i.mask, i.mask | i.mask, i.mask ^ i.mask, ~i.mask],
    "compare": lambda i: [i.x > 0, i.x >= i.y, i.x < 0.5, i.x <= i.y, i.places == 1, i.x != 2],
    "make": lambda i: [i.Tensor.ones([2]), i.Tensor.zeros([2]), i.Tensor.full([2], 3.0)],
    "make like": lambda i: [i.Tensor.ones_like(i.x), i.Tensor.range_like(i.x), i.Tensor.arange(5)],
    "reduce": lambda i: [i.x.sum(), i.x.mean(0), i.x.max(axis=1), i.x.min(), i.x.prod()],
    "argmax": lambda i: [i.x.argmax(), i.x.argmax(axis=0)],
    "shape": lambda i: [i.x.reshape([2, 6]), i.x.transpose(0, 1), i.x.permute([1, 0]), i.x.T],
    "axes": lambda i: [i.x.unsqueeze(0), i.x.unsqueeze(0).squeeze(0), i.x.broadcast_to([2, 3, 4])],
    "split": lambda i: i.x.split([1, 3], axis=1),
    "clip": lambda i: [i.x.clip(min=0.2), i.x.clip(max=0.5), i.x.clip(min=0.2, max=0.5)],
    "cast": lambda i: [i.x.cast(kind) for kind in (i.DType.float64, i.DType.int64, i.DType.bool)],
    "half": lambda i: (i.x.cast(i.DType.bfloat16) @ i.square.cast(i.DType.bfloat16)).cast(
        i.DType.float32
    ),
    "python": lambda i: [i.x[0, 0].item(), bool(i.mask[0, 0]), repr(i.x), copy.deepcopy(i.x)],
    "to": lambda i: i.x.to(i.cpu),
}

LAYERS: Mapping[str, Use] = {
    "Linear": lambda i: [i.nn.Linear(4, 2)(i.x), i.nn.Linear(4, 2, bias=False)(i.x)],
    "Embedding": lambda i: i.nn.Embedding(10, dim=4)(i.places),
    "LayerNorm": lambda i: i.nn.LayerNorm(4)(i.x),
    "RMSNorm": lambda i: i.nn.RMSNorm(4)(i.x),
    "GemmaRMSNorm": lambda i: i.nn.GemmaRMSNorm(4)(i.x),
    "GroupNorm": lambda i: i.nn.GroupNorm(2, 4)(i.floats(2, 4, 3)),
    "Sequential": lambda i: i.nn.Sequential(i.nn.Linear(4, 4), i.nn.Linear(4, 2))(i.x),
    "RotaryEmbedding": lambda i: i.nn.RotaryEmbedding(i.floats(8, 2, 2))(i.floats(2, 3, 2, 4)),
}


@pytest.fixture
def inputs(numpy_engine: None, nothing_is_compiled: None) -> Inputs:
    return Inputs()


def realise(result: Any) -> None:
    """Compute what a use returned; MAX is lazy until then."""
    for value in result if isinstance(result, list | tuple) else [result]:
        if hasattr(value, "to_numpy"):
            value.to_numpy()


@pytest.mark.parametrize("name", sampled(2, FUNCTIONS))
def test_functions(name: str, inputs: Inputs) -> None:
    realise(FUNCTIONS[name](inputs))


@pytest.mark.parametrize("name", sampled(2, FUNCTIONS))
def test_functions_in_one_graph(name: str, inputs: Inputs) -> None:
    if name in ("print", "buffer_store", "buffer_store_slice", "nonzero", "masked_scatter"):
        pytest.skip("acts at once, or its shape is known at run time only")
    with inputs.F.lazy():
        result = FUNCTIONS[name](inputs)
    realise(result)


@pytest.mark.parametrize("name", TENSOR)
def test_methods_and_operators(name: str, inputs: Inputs) -> None:
    realise(TENSOR[name](inputs))


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str, inputs: Inputs) -> None:
    realise(LAYERS[name](inputs))


def test_no_function_of_max_is_forgotten(inputs: Inputs) -> None:
    public = {
        name
        for name, value in vars(inputs.F).items()
        if callable(value)
        and not name.startswith("_")
        and not isinstance(value, type | ModuleType)
        and getattr(value, "__module__", "").startswith("max.experimental")
    }
    assert public - set(FUNCTIONS) - set(WITHOUT_HANDLER) - OTHER_NAMES == set()
    assert not set(FUNCTIONS) & set(WITHOUT_HANDLER)
    assert {*FUNCTIONS, *WITHOUT_HANDLER} <= set(vars(inputs.F))
