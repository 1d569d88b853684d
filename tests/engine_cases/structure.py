"""Cases for moving, indexing and creating: slices, joins, gathers, scatters, ranges, matmul."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.engine_cases.case import Case, call, draw, functional

WIDTHS = ("float32", "int64", "bool", "float64")


def _index(*positions: Any) -> Any:
    return lambda x: x[positions]


def rearrange() -> Iterator[Case]:
    """Operations that only move elements; one dtype per width suffices for MAX's kernels."""
    for dtype in WIDTHS:
        x = draw("rearrange", (2, 3, 4, 5), dtype)
        small = draw("rearrange", (3, 4), dtype)
        slices = (slice(0, 2), slice(-2, None), slice(None, None, 2), slice(1, -1))
        table: list[tuple[str, str, Any, Any]] = [
            ("broadcast", "StaticBroadcastToOp", call("broadcast_to", [2, 3, 4]), small),
            ("transpose", "TransposeOp", call("transpose", -1, -3), x),
            ("permute", "TransposeOp", call("permute", [2, 0, 3, 1]), x),
            ("slice", "SliceOp", _index(*slices), x),
            ("slice.int", "SliceOp", _index(1, slice(None), -1), x),
            ("slice.empty", "SliceOp", _index(slice(0, 0)), x),
            ("split", "SplitOp", call("split", [1, 3, 1], axis=3), x),
            ("chunk", "SliceOp", call("chunk", 2, axis=-2), x),
            ("concat", "ConcatOp", lambda a: functional().concat([a, a, a], axis=-2), x),
            ("stack", "ConcatOp", lambda a: functional().stack([a, a], axis=1), small),
            ("tile", "TileOp", call("tile", [2, 1, 3]), x[0]),
            ("pad.constant", "PadConstantOp", call("pad", [1, 2, 0, 3]), small),
            ("pad.edge", "PadRepeatOp", call("pad", [1, 2, 0, 3], mode="edge"), small),
            ("pad.reflect", "PadReflectOp", call("pad", [1, 2, 0, 3], mode="reflect"), small),
        ]
        for label, operation, compute, array in table:
            yield Case(f"{label}.{dtype}", "rearrange", (operation,), compute, (array,))
        for label, keywords in BANDS.items():
            compute = call("band_part", **keywords)
            yield Case(f"band.{label}.{dtype}", "rearrange", ("LinalgBandPartOp",), compute, (x,))


BANDS: dict[str, dict[str, Any]] = {
    "lower": {"num_lower": None, "num_upper": 0},
    "causal": {"num_lower": None, "num_upper": 0, "exclude": True},
    "diagonal": {"num_lower": 0, "num_upper": 0},
    "wide": {"num_lower": 1, "num_upper": 2},
}


def minus_infinity() -> Iterator[Case]:
    """A causal mask as GPT-2 builds it: minus infinity above the diagonal, zero elsewhere."""
    x = np.full((4, 6), -np.inf, np.float32)
    compute = call("band_part", num_lower=None, num_upper=0, exclude=True)
    yield Case("band.minus_infinity", "rearrange", ("LinalgBandPartOp",), compute, (x,))


def index() -> Iterator[Case]:
    """Gathers and scatters, with negative and repeated indices.

    By index vectors only indices that are not negative: MAX's interpreter flattens the vectors
    and reads a negative one as a place before the row.
    """
    for dtype in ("float32", "int64", "bool"):
        x = draw("index", (4, 3, 5), dtype)
        for label, where in (("int64", np.int64), ("int32", np.int32)):
            chosen = np.array([[2, 0], [1, 2]], where)
            compute = call("gather", axis=1)
            yield Case(f"gather.{dtype}.{label}", "index", ("GatherOp",), compute, (x, chosen))
        chosen = np.array([-1, 0, -3], np.int64)
        compute = call("gather", axis=0)
        yield Case(f"gather.{dtype}.negative", "index", ("GatherOp",), compute, (x, chosen))
        pairs = np.array([[0, 2], [3, 1], [3, 0]], np.int64)
        yield Case(f"gather_nd.{dtype}", "index", ("GatherNdOp",), call("gather_nd"), (x, pairs))
        batched = np.array([[[0]], [[2]], [[1]], [[1]]], np.int64)
        compute = call("gather_nd", batch_dims=1)
        yield Case(f"gather_nd.batch.{dtype}", "index", ("GatherNdOp",), compute, (x, batched))
    yield from scatter()


def scatter() -> Iterator[Case]:
    """Scatters along an axis and by index vectors; the overwriting ones without repeats."""
    for dtype in ("float32", "int64"):
        x, updates = draw("scatter", (4, 5), dtype), draw("updates", (2, 5), dtype)
        where = np.array([[0, 1, 2, 3, 0], [-1, 0, 1, 1, 0]], np.int64)
        apart = np.array([[0, 1, 2, 3, 0], [-1, 0, 1, 1, 2]], np.int64)
        rows, row_updates = np.array([[2], [0], [2]], np.int64), draw("rows", (3, 5), dtype)
        cells = np.array([[2, 1], [0, 4], [3, 3]], np.int64)
        cell_updates = draw("cells", (3,), dtype)
        for kind in ("", "_add", "_max", "_min", "_mul"):
            operation = f"Scatter{kind[1:].title()}Op"
            chosen = where if kind else apart
            compute = call(f"scatter{kind}", axis=0)
            name = f"scatter{kind}.{dtype}"
            yield Case(name, "index", (operation,), compute, (x, updates, chosen))
            operation = f"ScatterNd{kind[1:].title()}Op"
            compute = call(f"scatter_nd{kind}")
            name = f"scatter_nd{kind}.{dtype}"
            yield Case(f"{name}.rows", "index", (operation,), compute, (x, row_updates, rows))
            yield Case(f"{name}.cells", "index", (operation,), compute, (x, cell_updates, cells))


def order() -> Iterator[Case]:
    """Top-k, bottom-k (with ties) and the positions of what is not zero."""
    ties = np.array([[1, 3, 3, 2, 3], [5, 5, 5, 5, 5], [-1, -2, -3, -4, -5]])
    for dtype in ("float32", "float64", "int64"):
        x = draw("order", (3, 4, 6), dtype)
        for kind, operation in (("top_k", "TopKOp"), ("bottom_k", "BottomKOp")):
            for axis in (-1, 1):
                compute = call(kind, 3, axis=axis)
                yield Case(f"{kind}.{dtype}.{axis}", "order", (operation,), compute, (x,))
            compute = call(kind, 4)
            yield Case(
                f"{kind}.{dtype}.ties", "order", (operation,), compute, (ties.astype(dtype),)
            )
    for dtype in ("float32", "int64", "bool"):
        x = draw("nonzero", (3, 4), dtype) * draw("coin", (3, 4), "bool")
        compute = call("nonzero", out_dim="count")
        yield Case(f"nonzero.{dtype}", "order", ("ArgNonzeroOp",), compute, (x,))


def custom() -> Iterator[Case]:
    """Operations that MAX stages as ``mo.custom``; its interpreter compiles a graph for each."""
    x = np.array([3, 1, 2, 1, 3, -5], np.float32)
    for ascending in (True, False):
        compute = call("argsort", ascending=ascending)
        yield Case(f"argsort.{ascending}", "custom", ("mx.argsort",), compute, (x,))
    rows = draw("repeat", (2, 3), "float32")
    compute = call("repeat_interleave", 2, axis=1)
    yield Case("repeat_interleave", "custom", ("repeat_interleave",), compute, (rows,))
    x = np.linspace(-1, 1, 21).astype(np.float32)
    yield Case("acos", "custom", ("mo.acos",), call("acos"), (x,))


def matmul() -> Iterator[Case]:
    """Products of every rank."""
    shapes = {
        "2x2": ((3, 5), (5, 4)),
        "1x2": ((5,), (5, 4)),
        "2x1": ((3, 5), (5,)),
        "1x1": ((5,), (5,)),
        "4x4": ((2, 3, 4, 5), (2, 3, 5, 6)),
        "4x2": ((2, 3, 4, 5), (5, 6)),
        "broadcast": ((2, 1, 4, 5), (3, 5, 6)),
        "one": ((1, 1), (1, 1)),
    }
    for dtype in ("float32", "float64", "int32", "int64", "int8"):
        for label, (left, right) in shapes.items():
            a, b = draw(f"a{label}", left, dtype), draw(f"b{label}", right, dtype)
            kind = "MatmulOp" if len(left) <= 2 and len(right) <= 2 else "BatchMatmulOp"
            yield Case(f"matmul.{label}.{dtype}", "matmul", (kind,), call("matmul"), (a, b))


def _range(start: float, stop: float, step: float, dtype: str) -> Any:
    def compute() -> Any:
        from max.driver import CPU
        from max.dtype import DType

        return functional().range(start, stop, step, dtype=getattr(DType, dtype), device=CPU())

    return compute


def create() -> Iterator[Case]:
    """Ranges."""
    for dtype in ("float32", "float64", "int32", "int64"):
        for bounds in ((0, 5, 1), (-3, 9, 3), (7, -1, -2)):
            name = f"range.{dtype}.{bounds[2]}"
            # MAX itself makes a constant of a range of whole numbers.
            operations = ("RangeOp",) if dtype.startswith("float") else ()
            yield Case(name, "create", operations, _range(*bounds, dtype), ())


def _store_slice(x: Any, source: Any) -> Any:
    functional().buffer_store_slice(x, source, [slice(1, 3), slice(0, 5, 2)])
    return x


def _set_item(x: Any, source: Any) -> Any:
    x[1:3, ::2] = source
    return x


def store() -> Iterator[Case]:
    """Writing into a slice of a tensor."""
    for dtype in WIDTHS:
        x, source = draw("store", (4, 5), dtype), draw("source", (2, 3), dtype)
        for label, compute in (("store", _store_slice), ("setitem", _set_item)):
            name = f"{label}_slice.{dtype}"
            yield Case(name, "index", ("MutableStoreSliceOp",), compute, (x, source))


def cases() -> Iterator[Case]:
    """Every case of this module."""
    yield from rearrange()
    yield from minus_infinity()
    yield from index()
    yield from store()
    yield from order()
    yield from custom()
    yield from matmul()
    yield from create()
