"""Staging done sooner stages what MAX stages: the same graphs, numbers and errors."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from max import tree
from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import DeviceRef, Dim, Graph, Shape, TensorType, ops

from grader.base.course import ROOT
from grader.frameworks.max import engine
from grader.frameworks.max.engine import private

# Whatever is graded with another Python is staged so too.
pytestmark = [pytest.mark.any_python, pytest.mark.usefixtures("numpy_engine")]
CPU = DeviceRef.CPU()


@pytest.mark.whole
@pytest.mark.parametrize("counts", [(), pytest.param(("3", "3"), marks=pytest.mark.slow)], ids=len)
def test_the_same_graphs_numbers_and_errors(counts: tuple[str, ...]) -> None:
    """Programs of every step, right or wrong, once staged by MAX and once as in the grader."""
    surroundings = {**os.environ, **engine.environment(), "PYTHONHASHSEED": "0"}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.frameworks.staged_graphs", how, *counts],
            cwd=ROOT,
            env=surroundings,
            stdout=subprocess.PIPE,
        )
        for how in ("plain", "sooner")
    ]
    plain, sooner = (json.loads(process.communicate()[0]) for process in started)
    assert sum(len(one["graphs"]) for one in plain.values()) > 50
    assert sooner.keys() == plain.keys()
    for name in plain:
        assert sooner[name] == plain[name], name


def outcome(call: Callable[[], Any]) -> str:
    """What the call stages, or how it fails."""
    with Graph("constants", input_types=[]) as graph:
        try:
            value = call()
        except Exception as error:  # noqa: BLE001 - the error is what is compared
            return f"{type(error).__name__}: {error}"
        graph.output(value)
    return str(graph)


NUMBERS = st.one_of(
    st.integers(-(2**65), 2**65),
    st.floats(),
    st.booleans(),
    st.sampled_from([2**24, 2**24 + 1, -(2**63), 2**63, -1, 3.5e38, -0.0, np.int64(3)]),
)
KINDS = [DType.float16, DType.float32, DType.float64, DType.bool]
KINDS += [DType.int8, DType.int32, DType.int64, DType.uint64]
DTYPES = st.sampled_from(KINDS)
ROW = st.sampled_from([0.1, -math.inf, math.nan, 0, 7, True, -0.0])
ROWS = st.lists(st.one_of(st.lists(ROW, max_size=3), st.tuples(ROW, ROW)), max_size=3)
EVEN = st.lists(st.tuples(ROW, ROW), max_size=3)
NESTED = st.one_of(ROWS, EVEN, st.lists(st.one_of(ROWS, EVEN), max_size=2))


@given(
    st.one_of(
        NUMBERS,
        st.lists(NUMBERS, max_size=4),
        st.lists(st.integers(-9, 9), max_size=5),
        st.lists(st.booleans(), min_size=1, max_size=3),
        NESTED,
    ),
    DTYPES,
)
@example([[0.0, -math.inf], [0.0, 0.0]], DType.float32)
@example([[[1], [2]], [[3], [4.5]]], DType.float64)
@example([[0.0], [0.0, 1.0]], DType.float32)
@example([0.0, [1.0]], DType.float32)
@example([[]], DType.float32)
@example(True, DType.bool)
@example([[True], [False]], DType.bool)
@example(-math.inf, DType.float64)
def test_constants(value: Any, dtype: DType) -> None:
    ours = outcome(lambda: ops.constant(value, dtype, CPU))
    assert ours == outcome(lambda: ops.constant.__wrapped__(value, dtype, CPU))


SHOWN = [(), (0,), (3,), (1, 1), (9, 4), (2, 0, 3), (2, 3, 4), (1, 2, 2, 3), (2, 1, 2, 2, 2)]
LARGE = [(1_100,), (40, 30), (2, 30, 20), (8, 1, 14, 10), (1_001, 1)]


@pytest.mark.parametrize("shape", [*SHOWN, *LARGE], ids=str)
@pytest.mark.parametrize("dtype", [DType.float32, DType.float16, DType.int64, DType.bool], ids=str)
@pytest.mark.sampled(2)
def test_a_tensor_shows_the_same_text(shape: tuple[int, ...], dtype: DType) -> None:
    numbers = np.random.default_rng(5).normal(0, 40, shape)
    flat = numbers.reshape(-1)
    if dtype.is_float() and flat.size > 2:
        flat[:3] = np.nan, np.inf, -np.inf
    array = numbers.astype(dtype.to_numpy())
    tensor = Tensor(array)
    plain: Any = private.RENDER.get().__wrapped__
    assert repr(tensor) == plain(tensor)


class Pair(NamedTuple):
    first: Any
    second: Any


def trees() -> st.SearchStrategy[Any]:
    plain = st.one_of(st.integers(), st.text(max_size=3), st.none(), st.just(object()))
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.tuples(inner, inner),
            st.builds(Pair, inner, inner),
            st.dictionaries(st.text(max_size=2), inner, max_size=3),
            st.dictionaries(st.integers(), inner, max_size=2),
        ),
        max_leaves=12,
    )


@given(trees(), st.sampled_from([None, int, tuple, lambda value: isinstance(value, dict)]))
def test_trees(value: Any, leaf: Any) -> None:
    plain_leaves: Any = tree.leaves.__wrapped__
    plain_map: Any = tree.map.__wrapped__
    assert tree.leaves(value, leaf=leaf) == plain_leaves(value, leaf=leaf)
    ours = tree.map(lambda found: [found], value, leaf=leaf)
    assert repr(ours) == repr(plain_map(lambda found: [found], value, leaf=leaf))


def test_a_tree_that_contains_itself() -> None:
    knot: list[Any] = []
    knot.append(knot)
    with pytest.raises(ValueError, match="cycle"):
        tree.map(str, knot)


SHAPES: list[Any] = [[], [2, 3], ["batch", 4], (Dim(1), Dim("n")), range(5, 7)]


@pytest.mark.parametrize("dims", SHAPES, ids=str)
def test_shapes_and_types_there_and_back(dims: Any) -> None:
    kind = TensorType(DType.float32, Shape(dims), CPU)
    there = kind.to_mlir()
    assert TensorType.from_mlir(there) == kind
    assert str(there) == str(type(kind).to_mlir.__wrapped__(kind))


def test_a_type_that_is_changed_changes_no_other() -> None:
    there = TensorType(DType.float32, [2, 3], CPU).to_mlir()
    changed = TensorType.from_mlir(there)
    changed.shape[0] = Dim(9)
    assert TensorType.from_mlir(there).shape == [2, 3]


@pytest.mark.parametrize("dims", [3, [2**64], [2.5], [None]], ids=str)
def test_what_is_no_shape_is_refused_as_before(dims: Any) -> None:
    told = []
    for init in (Shape.__init__, Shape.__init__.__wrapped__):
        with pytest.raises((TypeError, ValueError)) as caught:
            init(Shape.__new__(Shape), dims)
        told.append((caught.type, str(caught.value)))
    assert told[0] == told[1]
