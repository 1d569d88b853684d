"""MAX's staging of a graph, with the slow parts of its Python done sooner.

Staging a forward pass of thirty operations takes MAX twenty milliseconds, most of it in a few
functions: types and shapes that go to MLIR and back, constants that are filled number by number,
arguments that are walked as trees, a signature that is written anew for each input of a graph, an
event loop for each result. Each function here takes the common case; every other, and every
error, is left to MAX's own. The graph that is staged is the same (``tests/test_engine_staging``).
"""

# ruff: noqa: SLF001 - private names are what this module is for.

from __future__ import annotations

import contextvars
import importlib
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import Any

import numpy as np
from max import tree
from max._core import Value as MlirValue
from max._core import graph as core_graph
from max._core.dialects import mo
from max.driver import Buffer
from max.dtype import DType
from max.experimental import _passes
from max.experimental import functional as F
from max.experimental.realization_context import EagerRealizationContext, LazyRealizationContext
from max.experimental.tensor import Tensor
from max.graph import DeviceRef, Graph, Shape, StaticDim, TensorType, TensorValue, Value
from max.graph import value as values

REMEMBERED = 1024
"""Shapes and types that are kept, the latest used; a grading has some two hundred."""

DEPTH = 8
"""Deeper trees, and so those that contain themselves, are left to MAX."""

LARGEST = 3e38
"""Floats beyond are left to MAX; a float32 ends at 3.4e38."""

WHOLE = {DType.float32: 1 << 24, DType.int64: (1 << 63) - 1, DType.uint64: (1 << 63) - 1}
"""The whole numbers that a dtype holds exactly go up to this."""

Original = Callable[..., Any]


def install() -> None:
    """Put the faster functions into MAX, for this process. Installing twice changes nothing."""
    if hasattr(Shape.__init__, "__wrapped__"):
        return
    _method(Shape, "__init__", _shape)
    _method(Shape, "from_mlir", _shape_from_mlir)
    _method(TensorType, "from_mlir", _type_from_mlir)
    _method(TensorType, "to_mlir", _type_to_mlir)
    _method(TensorValue, "__init__", _tensor_value)
    _method(Tensor, "_sync_realize", _sync_realize)
    _function(values, "_is_strong_tensor_value_like", _is_strong)
    _function(importlib.import_module("max.graph.ops.constant"), "constant", _constant)
    _function(tree, "leaves", _leaves)
    _function(tree, "map", _map)
    _function(_passes, "add_input", _add_input)


def _method(owner: type, name: str, make: Callable[[Original], Original]) -> None:
    """Replace a method by what ``make`` makes of the original."""
    original = vars(owner)[name]
    if isinstance(original, classmethod):
        faster = wraps(original.__func__)(make(getattr(owner, name)))
        setattr(owner, name, classmethod(faster))
    else:
        setattr(owner, name, wraps(original)(make(original)))


def _function(home: Any, name: str, make: Callable[[Original], Original]) -> None:
    """Replace a function in its module, and in every module of MAX that has imported it."""
    original = getattr(home, name)
    faster = wraps(original)(make(original))
    for path, module in list(sys.modules.items()):
        if path.startswith("max.") and vars(module).get(name) is original:
            setattr(module, name, faster)


# ---- shapes, types and values -------------------------------------------------------------


def _shape(original: Original) -> Original:
    def init(self: Shape, dims: Any = ()) -> None:
        dims = list(dims)
        if all(type(dim) is StaticDim for dim in dims):
            list.__init__(self, dims)
        else:
            original(self, dims)

    return init


def _shape_of(dims: Any) -> Shape:
    shape = Shape.__new__(Shape)
    list.__init__(shape, dims)
    return shape


def _shape_from_mlir(original: Original) -> Original:
    known = lru_cache(REMEMBERED)(lambda attribute: tuple(original(attribute)))

    def from_mlir(_cls: type[Shape], attribute: Any) -> Shape:
        return _shape_of(known(attribute))

    return from_mlir


def _type_from_mlir(original: Original) -> Original:
    known = lru_cache(REMEMBERED)(original)

    def from_mlir(_cls: type[TensorType], kind: Any) -> TensorType:
        found = known(kind)
        copy = TensorType.__new__(TensorType)  # MAX changes the types that it is given
        copy.dtype, copy.device, copy._layout = found.dtype, found.device, found._layout
        copy.shape = _shape_of(found.shape)
        return copy

    return from_mlir


def _is_plain(kind: Any) -> bool:
    """Whether this is the type of a tensor whose dimensions are numbers."""
    if type(kind) is not TensorType or kind._layout:
        return False
    return all(type(dim) is StaticDim for dim in kind.shape)


def _type_to_mlir(original: Original) -> Original:
    @lru_cache(REMEMBERED)
    def known(dtype: DType, dims: tuple[int, ...], device: DeviceRef) -> Any:
        return original(TensorType(dtype, dims, device))

    def to_mlir(self: TensorType) -> Any:
        if not _is_plain(self):
            return original(self)
        return known(self.dtype, tuple([dim.dim for dim in self.shape]), self.device)

    return to_mlir


def _tensor_value(original: Original) -> Original:
    def init(self: TensorValue, value: Any) -> None:
        if type(value) is TensorValue:
            self._mlir_value = value._mlir_value
        elif isinstance(value, MlirValue) and isinstance(value.type, mo.TensorType):
            self._mlir_value = value
        else:
            original(self, value)

    return init


def _is_strong(original: Original) -> Original:
    strong, weak = {TensorValue, Shape, StaticDim, Tensor}, {int, float, bool}

    def is_strong(value: Any) -> bool:
        kind = type(value)
        return kind in strong or (kind not in weak and original(value))

    return is_strong


# ---- constants and inputs -----------------------------------------------------------------


def _array(value: Any, dtype: DType | None) -> np.ndarray[Any, Any] | None:
    """A number, or a list of whole numbers, as an array; None where MAX has to look itself."""
    if dtype is None or dtype not in WHOLE:
        return None
    if type(value) is float and dtype == DType.float32 and abs(value) < LARGEST:
        return np.array(value, np.float32)
    numbers = value if type(value) is list else [value]
    low, high = 0 if dtype == DType.uint64 else -WHOLE[dtype], WHOLE[dtype]
    if numbers and all(type(number) is int and low <= number <= high for number in numbers):
        return np.array(value, dtype.to_numpy())
    return None


def _constant(original: Original) -> Original:
    def constant(value: Any, dtype: Any = None, device: Any = None) -> TensorValue:
        array = _array(value, dtype)
        if array is None or type(device) is not DeviceRef:
            return original(value, dtype, device)
        kind = TensorType(dtype, array.shape, device).to_mlir()
        attribute = core_graph.array_attr(Buffer.from_numpy(array), kind)
        made = Graph.current._add_op_generated(
            mo.ConstantOp, kind, attribute, attach_profile_scopes=False
        )
        return made[0].tensor

    return constant


def _add_input(original: Original) -> Original:
    def add_input(graph: Graph, kind: Any) -> Value[Any]:
        # MAX writes the signature when the graph gets its outputs, with or without this.
        if not _is_plain(kind) or graph._has_chain_input:
            return original(graph, kind)
        block = _passes._graph_block(graph)
        with graph:
            block.add_argument(kind.to_mlir(), _passes._location())
        added = Value.from_mlir(list(block.arguments)[-1])
        graph.inputs = [*graph.inputs, added]
        return added

    return add_input


def _sync_realize(original: Original) -> Original:
    computed = {EagerRealizationContext, LazyRealizationContext}

    def sync_realize(self: Tensor) -> None:
        if self.real:
            return
        if self._state is None or type(self._state.ctx) not in computed or F._in_running_loop():
            original(self)
            return
        steps = self._state.ctx.realize_all()  # waits for nothing, so it needs no event loop
        try:
            contextvars.copy_context().run(steps.send, None)
        except StopIteration:
            return
        steps.close()
        raise RuntimeError("MAX waited for something while it computed a tensor")

    return sync_realize


# ---- arguments as trees -------------------------------------------------------------------


class _Other(Exception):
    """A tree that only MAX knows to take apart."""


LEAF = object()


def _take(value: Any, is_leaf: Callable[[Any], bool], leaves: list[Any], depth: int = DEPTH) -> Any:
    """Add the leaves of a tree to ``leaves``; returns what :func:`_give` rebuilds it from.

    Raises:
        _Other: for a tree that is deep, or more than lists, tuples and dicts by strings.
    """
    if is_leaf(value):
        leaves.append(value)
        return LEAF
    kind = type(value)
    if kind is not tuple and kind is not list and kind is not dict:
        if tree._node_kind(value) is not None:
            raise _Other
        return value
    if not depth or (kind is dict and not all(type(key) is str for key in value)):
        raise _Other
    keys = sorted(value) if kind is dict else None
    items = value if keys is None else [value[key] for key in keys]
    return kind, keys, [_take(item, is_leaf, leaves, depth - 1) for item in items]


def _give(taken: Any, leaves: Iterator[Any]) -> Any:
    """The tree again, with these leaves."""
    if taken is LEAF:
        return next(leaves)
    if type(taken) is not tuple:
        return taken
    kind, keys, items = taken
    built = [_give(item, leaves) for item in items]
    return kind(built) if keys is None else dict(zip(keys, built, strict=True))


def _is_no_node(value: Any) -> bool:
    return not tree.is_node(value)


def _leaves(original: Original) -> Original:
    def leaves(value: Any, *, leaf: Any = None, shared: bool = False) -> Any:
        found: list[Any] = []
        try:
            if shared:
                raise _Other
            _take(value, tree.as_predicate(leaf, _is_no_node), found)
        except _Other:
            return original(value, leaf=leaf, shared=shared)
        return found

    return leaves


def _map(original: Original) -> Original:
    def mapped(f: Original, value: Any, *rest: Any, leaf: Any = None, shared: bool = False) -> Any:
        found: list[Any] = []
        try:
            if rest or shared:
                raise _Other
            taken = _take(value, tree.as_predicate(leaf, _is_no_node), found)
        except _Other:
            return original(f, value, *rest, leaf=leaf, shared=shared)
        return _give(taken, iter([f(one) for one in found]))

    return mapped
