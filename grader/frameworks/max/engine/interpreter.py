"""Installs the NumPy handlers in MAX's interpreter, and converts arrays.

The names of MAX that it uses are in ``private``. Each function that installs something returns
those that this MAX lacks. State that outlives a call is kept in MAX's own tables, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np
from max import graph
from max.driver import CPU, Buffer
from max.dtype import DType

from grader.frameworks.max.engine import private
from grader.frameworks.max.engine.handlers import STORE_SLICE
from grader.frameworks.max.engine.operation import Array, Handler, Refused, Unsupported
from grader.frameworks.max.engine.private import Name

Fault = Callable[[str], None]
MaxHandler = Callable[[Any, Sequence[Any]], Sequence[Any]]

HALF = (DType.bfloat16, DType.float16)
"""The types that NumPy computes as float32."""

UNSIGNED = {1: DType.uint8, 2: DType.uint16, 4: DType.uint32, 8: DType.uint64}


def _nobody(name: str) -> None:
    """Ignore a fault."""


@lru_cache(1024)
def _static(attribute: Any) -> tuple[int, ...] | None:
    """Return the shape in an MLIR attribute, if it is a list of numbers."""
    shape = graph.Shape.from_mlir(attribute)
    return tuple(shape.static_dims) if graph.Shape.is_static(shape) else None


class StagedOperation:
    """An MO operation as :class:`grader.frameworks.max.engine.operation.Operation`."""

    __slots__ = ("_mo",)

    def __init__(self, operation: Any) -> None:
        self._mo = operation

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the first result."""
        kind = self._mo.results[0].type.dtype
        return np.dtype(np.float32) if kind in HALF else np.dtype(kind.to_numpy())

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the first result, if it is a list of numbers."""
        return _static(self._mo.results[0].type.shape)

    @property
    def axis(self) -> int:
        """The operation's ``axis`` attribute."""
        return int(self._mo.axis)

    def flag(self, name: str) -> bool:
        """Return a boolean attribute."""
        return bool(getattr(self._mo, name))

    def integer(self, name: str) -> int:
        """Return an integer attribute."""
        return int(getattr(self._mo, name))

    def number(self, name: str) -> float:
        """Return a float32 attribute."""
        if (value := private.FLOAT.find()) is None:
            raise Unsupported("this MAX has no way to read the number")
        return float(value(getattr(self._mo, name)))


class _CustomOperation(StagedOperation):
    """A ``mo.custom`` operation, whose attributes are named parameters."""

    __slots__ = ()

    def flag(self, name: str) -> bool:
        found = {entry.name: entry.value for entry in self._mo.parameters.value}
        return bool(found[name].value)


def read(buffer: Buffer) -> Array:
    """Return a buffer's numbers, sharing its memory; half precision as a float32 copy."""
    if not buffer.device.is_host:
        raise Unsupported("the tensor is not in host memory")
    kind = buffer.dtype
    if kind == DType.bfloat16:
        bits = np.from_dlpack(buffer.view(DType.uint16, tuple(buffer.shape)))
        return (bits.astype(np.uint32) << 16).view(np.float32)
    try:
        array: Array = np.from_dlpack(buffer)
    except (BufferError, RuntimeError):  # the type depends on NumPy's version.
        raise Unsupported(f"NumPy has no {kind}") from None
    return array.astype(np.float32) if array.dtype.char == "e" else array


def buffer(value: Array | Buffer) -> Buffer:
    """Return a buffer over an array's memory; a buffer is returned unchanged."""
    if isinstance(value, Buffer):
        return value
    if value.ndim == 0 and value.dtype == np.bool_:  # Buffer refuses a bool without axes.
        return Buffer.from_numpy(value.view(np.uint8)).view(DType.bool, ())
    return Buffer.from_numpy(value)


def copied(value: Buffer, shape: tuple[int, ...] | None = None) -> Buffer:
    """Copy a buffer bit by bit, in another ``shape`` if one is given.

    MAX's own copy may still be running when the memory that it reads is freed or overwritten.
    """
    kind, own = UNSIGNED[value.dtype.size_in_bits // 8], tuple(value.shape)
    bits = np.from_dlpack(value.view(kind, own)).copy()
    return Buffer.from_numpy(bits).view(value.dtype, own if shape is None else shape)


def array(value: Array | Buffer) -> Array:
    """Return the numbers of either, sharing its memory if possible: see :func:`read`."""
    return read(value) if isinstance(value, Buffer) else value


def _kept(array: Array, kind: DType) -> Array | Buffer:
    """Return a result in its own memory; half precision as a buffer, so that it is rounded."""
    if kind == DType.bfloat16:
        return Buffer.from_numpy(_bfloat16_bits(array)).view(kind, array.shape)
    result = np.asarray(array)
    target = kind.to_numpy()
    if result.dtype != target:
        result = result.astype(target)
    # An array that owns its memory was created by the handler, now or before.
    if not (result.flags.owndata and result.flags.c_contiguous):
        result = np.array(result, order="C")
    return buffer(result) if kind == DType.float16 else result


def _bfloat16_bits(array: Array) -> Array:
    """Return the upper half of a float32, rounded to nearest, ties to even."""
    bits = np.array(array, np.float32, order="C").view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = np.where(np.isnan(array), (bits >> 16) | 0x40, rounded)
    return np.asarray(quiet.astype(np.uint16))


def _adapt(name: str, handler: Handler, view: type[StagedOperation], fault: Fault) -> MaxHandler:
    """Adapt our handler, which takes arrays, to MAX, which passes buffers."""

    def on_arrays(operation: Any, arrays: Sequence[Any]) -> Sequence[Any]:
        result = handler(view(operation), arrays)
        results = [result] if isinstance(result, np.ndarray | np.generic) else result
        kinds = [value.type.dtype for value in operation.results]
        return [_kept(array, kind) for array, kind in zip(results, kinds, strict=True)]

    def compute(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        arrays = [read(buffer) for buffer in buffers]
        with np.errstate(all="ignore"):
            return [buffer(value) for value in on_arrays(operation, arrays)]

    handle = _blaming(name, compute, fault)
    handle.on_arrays = _blaming(name, on_arrays, fault)  # type: ignore[attr-defined]
    return handle


def on_arrays(handler: MaxHandler) -> MaxHandler | None:
    """Return the function that does a handler's work on arrays, without buffers, if it is ours.

    It may return one of its argument arrays. Values in half precision are buffers.
    """
    return getattr(handler, "on_arrays", None)


def _blaming(name: str, compute: MaxHandler, fault: Fault) -> MaxHandler:
    """Wrap ``compute``: if it fails through its own fault, call ``fault`` with ``name``."""

    def handle(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        try:
            return compute(operation, buffers)
        except Refused as refused:
            raise refused.error from None
        except (Unsupported, MemoryError, RecursionError):
            raise
        except Exception:
            fault(name)
            raise

    return handle


def _or_else(ours: MaxHandler, original: MaxHandler) -> MaxHandler:
    """Return our handler, falling back to MAX's if ours declines."""

    def handle(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        try:
            return ours(operation, buffers)
        except Unsupported:
            return original(operation, buffers)

    handle.original = original  # type: ignore[attr-defined]
    handle.on_arrays = on_arrays(ours)  # type: ignore[attr-defined]
    return handle


def register(table: Mapping[str, Handler], fault: Fault = _nobody) -> list[Name]:
    """Have the interpreter call these handlers instead of MAX's kernels, by operation name."""
    ours = {name: _adapt(name, code, StagedOperation, fault) for name, code in table.items()}
    ours[STORE_SLICE] = _blaming(STORE_SLICE, _store_slice, fault)
    known = private.HANDLERS.get()
    missing = private.lacking(private.FLOAT)
    for name, handler in ours.items():
        operation = private.operation(name)
        if (kind := operation.find()) is None:
            missing.append(operation)
            continue
        present = known.get(kind, _refuse)
        original = getattr(present, "original", present)  # a second install replaces the first
        _register(kind, _or_else(handler, original))
    return missing


def _refuse(operation: Any, buffers: Sequence[Any]) -> NoReturn:
    """Stand in for a handler that MAX lacks: MAX then compiles the whole graph."""
    raise private.REFUSED.get()(f"{type(operation).__name__} has no handler")


def _register(kind: Any, handler: MaxHandler) -> None:
    private.REGISTER.get()(kind)(handler)


def register_custom(table: Mapping[str, Handler], fault: Fault = _nobody) -> list[Name]:
    """Do the same for operations that MAX stages as ``mo.custom``, by the kernel's name."""
    missing = private.lacking(private.CUSTOM, private.CUSTOM_OPERATION)
    if missing:
        return missing
    original = private.HANDLERS.get()[private.CUSTOM_OPERATION.get()]
    known = {name: _adapt(name, code, _CustomOperation, fault) for name, code in table.items()}
    interpretable = private.CUSTOM.get()

    def choose(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        chosen: MaxHandler = known.get(operation.symbol, original)
        return chosen(operation, buffers)

    def is_interpretable(operation: Any) -> bool:
        return operation.symbol in known or interpretable(operation)

    handler = _or_else(choose, original)
    handler.known = known  # type: ignore[attr-defined]
    _register(private.CUSTOM_OPERATION.get(), handler)
    private.CUSTOM.put(is_interpretable)
    return _verify_less(known)


def _verify_less(known: Mapping[str, MaxHandler]) -> list[Name]:
    """Keep MAX from reading its kernel library for operations that no kernel computes."""
    if missing := private.lacking(private.VERIFY):
        return missing
    verify = private.VERIFY.get()

    def verify_custom_op(library: Any, operation: Any) -> None:
        if operation.attributes["symbol"].value not in known:
            verify(library, operation)

    private.VERIFY.put(verify_custom_op)
    return []


def leave(names: Iterable[str]) -> None:
    """Let MAX compute these operations from now on, by the names passed to ``fault``."""
    known = private.HANDLERS.get()
    custom = known.get(private.CUSTOM_OPERATION.find())
    for name in names:
        kind = private.operation(name).find()
        if (original := getattr(known.get(kind), "original", None)) is not None:
            _register(kind, original)
        getattr(custom, "known", {}).pop(name, None)


def _store_slice(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
    """Write into a slice of a tensor in place, copying the bits, whatever the dtype."""
    target, source, *bounds = buffers[:5]
    kind = UNSIGNED[target.dtype.size_in_bits // 8]
    into, values = (item.view(kind, tuple(item.shape)).to_numpy() for item in (target, source))
    starts, stops, steps = ([int(n) for n in bound.to_numpy().ravel()] for bound in bounds)
    into[tuple(map(slice, starts, stops, steps))] = values
    return [None]


def use_cpu() -> list[Name]:
    """Create tensors on the CPU in float32, without looking for an accelerator each time."""
    if missing := private.lacking(private.DEVICE, private.MESH):
        return missing
    private.DEVICE.get().set(private.MESH.get()(CPU()))
    return []
