"""MAX's many spellings of one operation."""

from __future__ import annotations

from collections.abc import Mapping

from grader.frameworks import Spellings

OLD_NN, NN = "max.nn.module_v3", "max.experimental.nn"
F = "max.experimental.functional"

OPERATIONS: Mapping[str, str] = {
    f"{F}.{spelling}": name
    for name, spellings in {
        "matmul": ("matmul",),
        "transpose": ("transpose",),
        "permute": ("permute",),
        "reshape": ("reshape",),
        "softmax": ("softmax",),
        "logsoftmax": ("logsoftmax",),
        "split": ("split",),
        "chunk": ("chunk",),
        "add": ("add",),
        "sub": ("sub",),
        "mul": ("mul",),
        "div": ("div",),
        "pow": ("pow",),
        "sqrt": ("sqrt",),
        "rsqrt": ("rsqrt",),
        "where": ("where",),
        "broadcast": ("broadcast_to",),
        "band_part": ("band_part",),
        "functional": ("functional",),
    }.items()
    for spelling in spellings
} | {
    "math.sqrt": "sqrt",
    "numpy.sqrt": "sqrt",
    "math.pow": "pow",
    "operator.matmul": "matmul",
    "operator.add": "add",
    "operator.mul": "mul",
    "operator.truediv": "div",
    f"{NN}.Linear": "linear",
}
"""Functions by their full name."""

METHODS = frozenset(
    ("transpose", "permute", "reshape", "split", "softmax", "matmul", "sqrt", "rsqrt", "pow")
)

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "linear": ("in_dim", "out_dim", "bias"),
    "softmax": ("value", "axis"),
    "split": ("x", "split_size_or_sections", "axis"),
    "chunk": ("x", "chunks", "axis"),
    "reshape": ("x", "shape"),
    "band_part": ("x", "num_lower", "num_upper", "exclude"),
    "gelu": ("x", "approximate"),
}

IMPORTS = """
import math
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Linear
"""

MODULE = frozenset(
    ("children", "compile", "descendants", "device", "load_state_dict", "local_parameters")
    + ("name_transparent", "parameters", "to", "trace")
)
"""The methods of every ``Module``, except ``forward``, which only reports that it is missing."""

ELSEWHERE: Mapping[str, str] = {
    "view": "{x}.reshape({all})",
    "permute": "{x}.permute({all})",
    "expand": "F.broadcast_to({x}, {all})",
    "masked_fill": "F.where({0}, {1}, {x})",
    "mT": "{x}.transpose(-1, -2)",
    "matmul": "{x} @ {0}",
    "bmm": "{x} @ {0}",
    "size": "int({x}.shape[{0}])",
    "dim": "{x}.rank",
    "float": "{x}.cast(DType.float32)",
    "long": "{x}.cast(DType.int64)",
    "to": "{x}.cast({0})",
    "type": "{x}.cast({0})",
    "astype": "{x}.cast({0})",
    "numpy": "{x}.to_numpy()",
    "contiguous": "{x}",
    "clone": "{x}",
}
"""PyTorch's and NumPy's spellings."""

SPELLINGS = Spellings(
    operations=OPERATIONS,
    methods=METHODS,
    moved={OLD_NN: NN},
    wrappers=frozenset(("Dim", "max.graph.Dim")),
    conversions=frozenset(("cast", "to", "rebind")),
    parameters=PARAMETERS,
    imports=IMPORTS,
    bases={"object": frozenset(), f"{NN}.Module": MODULE, f"{NN}.module.Module": MODULE},
    elsewhere=ELSEWHERE,
)
