"""MAX's staging of a graph, with the slow parts of its Python replaced.

Staging a forward pass of thirty operations takes MAX twenty milliseconds, most of it in a few
functions: they convert types and shapes to MLIR and back, fill constants number by number, walk
arguments as trees, rewrite the signature for each input of a graph, and start an event loop for
each result. Each function here handles the common case and leaves every other case, and every
error, to MAX's own. The staged graph is the same: see ``tests/frameworks/engine/test_staging``.

Longer than 300 lines, because all replacements are in one table, with their functions above it.
"""

# ruff: noqa: SLF001 - private names are what this module is for.

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from types import CellType
from typing import Any, NamedTuple

import numpy as np
from max.driver import Buffer
from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import DeviceRef, Graph, Shape, StaticDim, TensorType, TensorValue, Value

from grader.frameworks.max.engine import (
    builder,
    calls,
    executor,
    literals,
    printing,
    private,
    pytrees,
)
from grader.frameworks.max.engine.handlers import STAGING
from grader.frameworks.max.engine.lazy_graph import Waiting
from grader.frameworks.max.engine.private import OPERATIONS, Name

REMEMBERED = 1024
"""How many shapes and types are cached (LRU); one grading has about two hundred."""

SMALL = 1 << 16
"""The largest constant that is cached, in bytes."""

OURS = (__file__, *(m.__file__ for m in (builder, calls, executor, literals, printing, pytrees)))

FAILED = "_failed_before"
"""The attribute of a graph's context for the error that computing it raised."""

Original = Callable[..., Any]
Fault = Callable[[str], None]


class Sooner(NamedTuple):
    """A function of MAX, the factory of a faster one, and the other names that the latter needs."""

    target: Name
    make: Callable[[Original], Original]
    needs: tuple[Name, ...] = ()


def install(fault: Fault) -> list[Name]:
    """Install the faster functions in MAX, for this process. Installing twice changes nothing.

    If one of them fails through its own fault, ``fault`` is called with ``STAGING``, and MAX's is
    called instead. Returns the names that this MAX lacks; functions that need them stay MAX's.
    """
    missing: list[Name] = []
    modules = _modules()
    for target, make, needs in SOONER:
        lacks = private.lacking(target, *needs)
        if not lacks:
            _replace(target, make, fault, modules)
        missing += lacks
    if not private.lacking(*CALLED):  # reported above if so
        modules = _modules(ON_TENSORS)
        for place, present in list(calls.operations()):
            if not hasattr(present, "original"):
                faster: Any = calls.sooner(present, vars(present)["graph_op"])
                _put(place, present, _careful(faster, present, present, fault), modules)
    return missing


def remove() -> None:
    """Restore MAX's own functions."""
    modules = _modules()
    for target, _, _ in SOONER:
        if target.there and (original := getattr(target.get(), "original", None)) is not None:
            owner, name = target.owner
            if isinstance(owner, type):
                setattr(owner, name, original)
            else:
                _everywhere(name, getattr(owner, name), original, modules)
    modules = _modules(ON_TENSORS)
    for place, present in list(calls.operations()):
        if (original := getattr(present, "original", None)) is not None:
            _put(place, present, original, modules)


def _put(
    place: str | CellType, present: Any, other: Any, modules: Iterable[dict[str, Any]]
) -> None:
    """Replace an operation on tensors by another."""
    if isinstance(place, CellType):
        place.cell_contents = other
    else:
        _everywhere(place, present, other, modules)


def _replace(
    target: Name,
    make: Callable[[Original], Original],
    fault: Fault,
    modules: Iterable[dict[str, Any]],
) -> None:
    """Replace a method, or a function wherever MAX has imported it."""
    owner, name = target.owner
    present = getattr(owner, name)
    if hasattr(present, "original"):
        return
    if not isinstance(owner, type):
        careful = _careful(make(present), present, present, fault)
        _everywhere(name, present, careful, (*modules, vars(owner)))
        return
    original = vars(owner).get(name, present)
    if isinstance(original, classmethod):
        faster = _careful(make(present), original.__func__, original, fault)
        setattr(owner, name, classmethod(faster))
    else:
        setattr(owner, name, _careful(make(original), original, original, fault))


def _everywhere(name: str, present: Any, other: Any, modules: Iterable[dict[str, Any]]) -> None:
    for names in modules:
        if names.get(name) is present:
            names[name] = other


def _modules(within: str = "max.") -> list[dict[str, Any]]:
    """Return the names in each module of MAX."""
    return [vars(one) for path, one in list(sys.modules.items()) if path.startswith(within)]


def _careful(faster: Original, original: Original, kept: Any, fault: Fault) -> Original:
    """Return ``faster``, or ``original`` if that fails by its own fault; ``kept`` is restored."""

    @wraps(original)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return faster(*arguments, **keywords)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            if not _raised_here(error):
                raise
        fault(STAGING)
        return original(*arguments, **keywords)

    call.original = kept  # type: ignore[attr-defined]
    return call


def _raised_here(error: Exception) -> bool:
    """Whether the innermost call of its traceback is one of these functions."""
    traceback, file = error.__traceback__, ""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        traceback = traceback.tb_next
    return file in OURS


# ---- shapes, types and values -------------------------------------------------------------


def _shape(original: Original) -> Original:
    lists = {list, tuple, Shape}

    def init(self: Shape, dims: Any = ()) -> None:
        if type(dims) in lists and all(type(dim) is StaticDim for dim in dims):
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
        copy = TensorType.__new__(TensorType)  # MAX modifies the types that it receives
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
    mlir_value, tensor_type = private.MLIR_VALUE.get(), OPERATIONS.get().TensorType

    def init(self: TensorValue, value: Any) -> None:
        if type(value) is TensorValue:
            self._mlir_value = value._mlir_value
        elif isinstance(value, mlir_value) and isinstance(value.type, tensor_type):
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


def _constant(original: Original) -> Original:
    array_attribute, operation = private.ARRAY.get(), OPERATIONS.get().ConstantOp

    def made_of(array: np.ndarray[Any, Any], dtype: DType, device: DeviceRef) -> Any:
        kind = TensorType(dtype, array.shape, device).to_mlir()
        return kind, array_attribute(Buffer.from_numpy(array), kind)

    @lru_cache(REMEMBERED)
    def known(numbers: bytes, shape: tuple[int, ...], dtype: DType, device: DeviceRef) -> Any:
        array = np.frombuffer(numbers, dtype.to_numpy()).reshape(shape).copy()
        return made_of(array, dtype, device)

    def constant(value: Any, dtype: Any = None, device: Any = None) -> TensorValue:
        array = literals.array(value, dtype)
        if array is None or type(device) is not DeviceRef:
            return original(value, dtype, device)
        if array.nbytes > SMALL:
            kind, attribute = made_of(array, dtype, device)
        else:
            kind, attribute = known(array.tobytes(), array.shape, dtype, device)
        made = Graph.current._add_op_generated(
            operation, kind, attribute, attach_profile_scopes=False
        )
        return made[0].tensor

    return constant


def _tell_devices(original: Original) -> Original:
    name = private.DEVICES_TOLD.get()
    told: list[Any] = []

    def tell_devices(graph: Graph) -> None:
        attributes = graph._mlir_op.block.owner.attributes
        if told:
            attributes[name] = told[0]
        else:
            original(graph)
            told.append(attributes[name])

    return tell_devices


def _add_input(original: Original) -> Original:
    block_of, location = private.BLOCK.get(), private.LOCATION.get()

    def add_input(graph: Graph, kind: Any) -> Value[Any]:
        # MAX writes the signature when the graph gets its outputs, with or without this.
        if not _is_plain(kind) or graph._has_chain_input:
            return original(graph, kind)
        block = block_of(graph)
        with graph:
            block.add_argument(kind.to_mlir(), location())
        added = Value.from_mlir(list(block.arguments)[-1])
        graph.inputs = [*graph.inputs, added]
        return added

    return add_input


class _Asked:
    """How often a program requested numbers that were not computed yet."""

    times = 0


def asked() -> int | None:
    """Return how often numbers not yet computed were requested; None if MAX computes them."""
    present = private.REALIZE.find()
    return _Asked.times if hasattr(present, "original") else None


def _sync_realize(original: Original) -> Original:
    computed = {private.EAGER.get(), private.LAZY.get(), Waiting}
    in_running_loop = private.IN_LOOP.get()

    def sync_realize(self: Tensor) -> None:
        if self.real:
            return
        _Asked.times += 1
        if self._state is None or type(self._state.ctx) not in computed or in_running_loop():
            original(self)
            return
        context = self._state.ctx
        if (failed := vars(context).get(FAILED)) is not None:
            raise failed  # MAX would write into the finished graph, and the process would crash
        steps = context.realize_all()  # it never waits, so it needs no event loop
        try:
            contextvars.copy_context().run(steps.send, None)
        except StopIteration:
            return
        except Exception as error:
            setattr(context, FAILED, error)
            raise
        steps.close()
        raise RuntimeError("MAX waited for something while it computed a tensor")

    return sync_realize


ON_TENSORS = "max.experimental."
"""The prefix of modules in which operations on tensors have names."""

CALLED = (private.WRAP, private.CONVERTERS, private.ENSURE, private.RESULTS)
"""What the faster operations on tensors need."""

SOONER = (
    Sooner(private.SHAPE, _shape),
    Sooner(private.SHAPE_READ, _shape_from_mlir),
    Sooner(private.TYPE_READ, _type_from_mlir, (private.TYPE_LAYOUT,)),
    Sooner(private.TYPE_WRITE, _type_to_mlir, (private.TYPE_LAYOUT,)),
    Sooner(private.VALUE, _tensor_value, (private.VALUE_MLIR, private.MLIR_VALUE)),
    Sooner(
        private.REALIZE,
        _sync_realize,
        (private.STATE, private.IN_LOOP, private.EAGER, private.LAZY),
    ),
    Sooner(private.STRONG, _is_strong),
    Sooner(
        private.ADD,
        builder.operation,
        (
            private.BUILDER,
            private.BLOCK_OF,
            private.NOW,
            private.LOCATION,
            private.DECLARED,
            private.PARAMETERS,
            private.VERIFIED,
            private.MLIR_CONTEXT,
            private.VALUE_MLIR,
        ),
    ),
    Sooner(private.CONSTANT, _constant, (private.ARRAY, private.ADD)),
    Sooner(private.ENSURE, calls.ensure_context, (private.CURRENT,)),
    Sooner(private.DISTRIBUTED, calls.any_distributed),
    Sooner(private.RESULTS, calls.to_tensors),
    Sooner(private.TENSOR, calls.tensor, (private.STATE, private.STORAGES, private.MAPPING)),
    Sooner(private.LEAVES, pytrees.leaves, (private.PREDICATE, private.NODE)),
    Sooner(private.MAP, pytrees.mapped, (private.PREDICATE, private.NODE)),
    Sooner(private.ITEM, calls.item, CALLED),
    Sooner(private.RENDER, printing.rendered),
    Sooner(private.EXECUTE, executor.sooner, (private.WALK, private.LOOK_UP, private.MODULE)),
    Sooner(
        private.FINALIZE,
        executor.finalized,
        (private.INSIDE, private.PEEK, private.UNUSED, private.GRAPH_VALUE, private.EXECUTE),
    ),
    Sooner(private.TELL_DEVICES, _tell_devices, (private.DEVICES_TOLD, private.OPERATION)),
    Sooner(private.INPUT, _add_input, (private.BLOCK, private.LOCATION, private.CHAIN)),
)
"""Every replaced function of MAX, in order of replacement."""
