"""Cases for the operations along one axis: reductions, softmax, cumulative sums, norms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.engine_cases.case import FLOATS, NUMBERS, Case, call, draw

REDUCTIONS = {
    "ReduceAddOp": "sum",
    "ReduceMulOp": "prod",
    "ReduceMeanOp": "mean",
    "ReduceMaxOp": "max",
    "ReduceMinOp": "min",
    "ReduceArgMaxOp": "argmax",
    "ReduceArgMinOp": "argmin",
}
INFINITE = np.array(
    [
        [0.0, -np.inf, 1.0, -np.inf],
        [-np.inf, -np.inf, -np.inf, -np.inf],
        [1e4, -1e4, 0.0, 1e4],
        [-200.0, -201.0, -1e30, -200.5],
        [np.inf, 0.0, 1.0, -np.inf],
        [np.inf, np.inf, np.inf, np.inf],
    ]
)
NOT_A_NUMBER = np.array(
    [[1.0, np.nan, 3.0, 2.0], [np.nan, 5.0, -1.0, 0.0], [np.inf, 1.0, 2.0, np.nan]]
)
TIES = np.array([[1, 3, 3, 2], [5, 5, 5, 5], [-1, -2, -2, -1]])


def reductions() -> Iterator[Case]:
    """Reductions over each axis, with ties, infinities and NaN."""
    for operation, function in REDUCTIONS.items():
        for dtype in (*NUMBERS, "int8"):
            x = draw(f"reduce{function}", (2, 3, 7), dtype)
            for axis in (0, 1, -1):
                name = f"{function}.{dtype}.axis{axis}"
                yield Case(name, "reduce", (operation,), call(function, axis=axis), (x,))
            name = f"{function}.{dtype}.ties"
            yield Case(name, "reduce", (operation,), call(function), (TIES.astype(dtype),))
        for dtype in FLOATS:
            for label, x in (("infinite", INFINITE), ("nan", NOT_A_NUMBER)):
                name = f"{function}.{dtype}.{label}"
                yield Case(name, "reduce", (operation,), call(function), (x.astype(dtype),))
        x = draw("long", (1, 517), "float32")
        yield Case(f"{function}.float32.long", "reduce", (operation,), call(function), (x / 2,))
    for operation, function in (("ReduceMaxOp", "max"), ("ReduceMinOp", "min")):
        x = draw("reducebool", (4, 3), "bool")
        yield Case(f"{function}.bool", "reduce", (operation,), call(function), (x,))


def softmax() -> Iterator[Case]:
    """Softmax and its logarithm, with rows of minus infinity and large numbers."""
    for operation, function in (
        ("ReduceSoftmaxOp", "softmax"),
        ("ReduceLogsoftmaxOp", "logsoftmax"),
    ):
        for dtype in FLOATS:
            arrays = {
                "random": draw("softmax", (2, 3, 4, 9), dtype),
                "infinite": INFINITE.astype(dtype),
                "nan": NOT_A_NUMBER.astype(dtype),
                "one": draw("softmax", (3, 1), dtype),
            }
            for label, x in arrays.items():
                name = f"{function}.{dtype}.{label}"
                yield Case(name, "softmax", (operation,), call(function), (x,))
            x = arrays["random"]
            compute = call(function, axis=1)
            yield Case(f"{function}.{dtype}.axis1", "softmax", (operation,), compute, (x,))


def cumulative() -> Iterator[Case]:
    """Cumulative sums in both directions, with and without the own element."""
    for dtype in (*NUMBERS, "int8"):
        x = draw("cumsum", (2, 5, 3), dtype)
        for exclusive in (False, True):
            for reverse in (False, True):
                compute = call("cumsum", axis=1, exclusive=exclusive, reverse=reverse)
                name = f"cumsum.{dtype}.{exclusive}.{reverse}"
                yield Case(name, "cumsum", ("CumsumOp",), compute, (x,))


def norms() -> Iterator[Case]:
    """Layer, RMS and group norm, also of rows that are nearly constant."""
    for dtype in FLOATS:
        x = draw("norm", (2, 3, 8), dtype)
        gamma, beta = draw("gamma", (8,), dtype), draw("beta", (8,), dtype)
        flat = np.full((2, 8), 1000.0, dtype)
        flat[1, 3] += dtype_step(dtype)
        for label, array in (("random", x), ("flat", flat), ("one", x[0, 0])):
            layer = call("layer_norm", epsilon=1e-5)
            name = f"layer_norm.{dtype}.{label}"
            yield Case(name, "norm", ("ReduceLayerNormOp",), layer, (array, gamma, beta))
            for offset, before in ((0.0, False), (1.0, True)):
                rms = call(
                    "rms_norm", epsilon=1e-6, weight_offset=offset, multiply_before_cast=before
                )
                name = f"rms_norm.{dtype}.{label}.{offset}"
                yield Case(name, "norm", ("ReduceRmsNormOp",), rms, (array, gamma))
        channels = draw("groups", (2, 4, 3), dtype)
        scale, shift = draw("scale", (4,), dtype), draw("shift", (4,), dtype)
        group = call("group_norm", num_groups=2, epsilon=1e-5)
        name = f"group_norm.{dtype}"
        yield Case(name, "norm", ("ReduceGroupNormOp",), group, (channels, scale, shift))


def dtype_step(dtype: str) -> float:
    """A step that is small compared with 1000 and still representable."""
    return 0.5 if dtype == "float32" else 1e-6


def cases() -> Iterator[Case]:
    """Every case of this module."""
    yield from reductions()
    yield from softmax()
    yield from cumulative()
    yield from norms()
