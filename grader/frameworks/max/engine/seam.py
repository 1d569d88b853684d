"""MAX's private names, pinned to one exact version of MAX; `staging` knows a few more.

It puts the NumPy handlers into MAX's interpreter, carries arrays across, and says so when MAX
still compiles something. State that outlives a call lives in MAX's own tables, not here.
"""

# ruff: noqa: SLF001 - private names are what this module is for.

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np
from max import _eager_policy, _interpreter, graph
from max._core.dialects import mo
from max._interpreter_ops import gc_compile
from max._interpreter_ops import handlers as max_handlers
from max._mlir_context import in_default_mlir_context
from max.driver import CPU, Buffer, accelerator_count
from max.dtype import DType
from max.experimental import executor, tensor
from max.graph.ops.rms_norm import _float32_attr_value

from grader.frameworks.max.engine.operation import Array, Handler, Unsupported

Announce = Callable[[str], None]
MaxHandler = Callable[[Any, Sequence[Any]], Sequence[Any]]

# Compiling takes 12 to 40 s; loading what was compiled before takes 0.1 s and is not announced.
PATIENCE_S = 1.0
UNSIGNED = {1: DType.uint8, 2: DType.uint16, 4: DType.uint32, 8: DType.uint64}


class _Operation:
    """An MO operation as :class:`grader.frameworks.max.engine.operation.Operation`."""

    __slots__ = ("_mo",)

    def __init__(self, operation: Any) -> None:
        self._mo = operation

    @property
    def dtype(self) -> np.dtype[Any]:
        kind = self._mo.results[0].type.dtype
        half = kind in (DType.bfloat16, DType.float16)
        return np.dtype(np.float32) if half else np.dtype(kind.to_numpy())

    @property
    def shape(self) -> tuple[int, ...] | None:
        shape = graph.Shape.from_mlir(self._mo.results[0].type.shape)
        return tuple(shape.static_dims) if graph.Shape.is_static(shape) else None

    @property
    def axis(self) -> int:
        return int(self._mo.axis)

    def flag(self, name: str) -> bool:
        return bool(getattr(self._mo, name))

    def integer(self, name: str) -> int:
        return int(getattr(self._mo, name))

    def number(self, name: str) -> float:
        return float(_float32_attr_value(getattr(self._mo, name)))


class _CustomOperation(_Operation):
    """A ``mo.custom`` operation: its attributes are parameters given by name."""

    __slots__ = ()

    def flag(self, name: str) -> bool:
        found = {entry.name: entry.value for entry in self._mo.parameters.value}
        return bool(found[name].value)


def _read(buffer: Buffer) -> Array:
    """A buffer's numbers, sharing its memory; half precision comes as a float32 copy."""
    if not buffer.device.is_host:
        raise Unsupported("the tensor is not in host memory")
    kind = buffer.dtype
    if kind == DType.bfloat16:
        bits = np.from_dlpack(buffer.view(DType.uint16, tuple(buffer.shape)))
        return (bits.astype(np.uint32) << 16).view(np.float32)
    try:
        array: Array = np.from_dlpack(buffer)
    except (BufferError, RuntimeError):  # NumPy's versions differ in which.
        raise Unsupported(f"NumPy has no {kind}") from None
    return array.astype(np.float32) if array.dtype.char == "e" else array


def _write(array: Array, kind: DType) -> Buffer:
    """A buffer of this dtype over memory of its own."""
    if kind == DType.bfloat16:
        return Buffer.from_numpy(_bfloat16_bits(array)).view(kind, array.shape)
    result = np.asarray(array)
    target = kind.to_numpy()
    if result.dtype != target:
        result = result.astype(target)
    # An array that owns its memory was made by the handler: inputs belong to their buffers.
    if not (result.flags.owndata and result.flags.c_contiguous):
        result = np.array(result, order="C")
    if result.ndim == 0 and result.dtype == np.bool_:  # Buffer refuses a bool without axes.
        return Buffer.from_numpy(result.view(np.uint8)).view(DType.bool, ())
    return Buffer.from_numpy(result)


def _bfloat16_bits(array: Array) -> Array:
    """The upper half of a float32, rounded to nearest, ties to even."""
    bits = np.array(array, np.float32, order="C").view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = np.where(np.isnan(array), (bits >> 16) | 0x40, rounded)
    return np.asarray(quiet.astype(np.uint16))


def _adapt(handler: Handler, fallback: MaxHandler, view: type[_Operation]) -> MaxHandler:
    """MAX calls handlers with buffers; call ours with arrays, or MAX's where ours declines."""

    def handle(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        try:
            arrays = [_read(buffer) for buffer in buffers]
            with np.errstate(all="ignore"):
                result = handler(view(operation), arrays)
        except Unsupported:
            return fallback(operation, buffers)
        results = [result] if isinstance(result, np.ndarray | np.generic) else result
        kinds = [value.type.dtype for value in operation.results]
        return [_write(array, kind) for array, kind in zip(results, kinds, strict=True)]

    return handle


def register(table: Mapping[str, Handler]) -> None:
    """Let the interpreter call these handlers instead of MAX's kernels, by operation name."""
    for name, handler in table.items():
        kind = getattr(mo, name)
        original = max_handlers._MO_OP_HANDLERS[kind]
        max_handlers.register_op_handler(kind)(_adapt(handler, original, _Operation))
    max_handlers.register_op_handler(mo.MutableStoreSliceOp)(_store_slice)


def register_custom(table: Mapping[str, Handler]) -> None:
    """The same for operations that MAX stages as ``mo.custom``, by the kernel's name."""
    original = max_handlers._MO_OP_HANDLERS[mo.CustomOp]
    known = {name: _adapt(code, original, _CustomOperation) for name, code in table.items()}
    interpretable = _interpreter._is_interpretable_custom
    verify = graph.KernelLibrary.verify_custom_op

    def handle(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
        chosen: MaxHandler = known.get(operation.symbol, original)
        return chosen(operation, buffers)

    def is_interpretable(operation: Any) -> bool:
        return operation.symbol in known or interpretable(operation)

    def verify_custom_op(library: Any, operation: Any) -> None:
        # MAX reads its whole kernel library for each such operation: 0.8 s.
        if operation.attributes["symbol"].value not in known:
            verify(library, operation)

    max_handlers.register_op_handler(mo.CustomOp)(handle)
    graph.KernelLibrary.verify_custom_op = verify_custom_op
    _interpreter._is_interpretable_custom = is_interpretable


def _store_slice(operation: Any, buffers: Sequence[Any]) -> Sequence[Any]:
    """Write into a slice of a tensor in place; the bits are copied, whatever the dtype."""
    target, source, *bounds = buffers[:5]
    kind = UNSIGNED[target.dtype.size_in_bits // 8]
    into, values = (item.view(kind, tuple(item.shape)).to_numpy() for item in (target, source))
    starts, stops, steps = ([int(n) for n in bound.to_numpy().ravel()] for bound in bounds)
    into[tuple(map(slice, starts, stops, steps))] = values
    return [None]


# ---- what MAX still compiles --------------------------------------------------------------


@contextmanager
def _announced(announce: Announce, what: str) -> Iterator[None]:
    """Say what MAX compiles, unless it is done within a second."""
    line = f"MAX compiles {what} (once on this machine; up to a minute) ..."
    timer = threading.Timer(PATIENCE_S, announce, [line])
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:  # A sandbox may allow no further threads.
        announce(line)
    try:
        yield
    finally:
        timer.cancel()


class _Fallback:
    """MAX's interpreter; a graph that it refuses is compiled whole by MAX."""

    def __init__(self, announce: Announce, before: Callable[[], None]) -> None:
        self._announce = announce
        self._before = before
        self._interpret = executor.InterpreterExecutor()
        self._compile = executor.CompilingExecutor()

    def execute(self, staged: graph.Graph, inputs: Sequence[Buffer]) -> Sequence[Any]:
        try:
            return list(self._interpret.execute(staged, inputs))
        except executor.UnsupportedGraphError as refusal:
            if not _eager_policy.allow_lazy_compile():
                raise
            culprit = str(refusal).rpartition(": ")[2].partition(" has no ")[0]
            culprit = culprit.partition(" mutates ")[0].rstrip(".")
            self._before()
            with _announced(self._announce, f"a graph with {culprit}"):
                return list(self._compile.execute(staged, inputs))


def announce_compiling(announce: Announce, before: Callable[[], None]) -> None:
    """Report each kernel and each graph that MAX compiles from now on in this process.

    ``before`` is called before each that is compiled or loaded from MAX's cache.
    """
    current = gc_compile.compile_single_target
    original = getattr(current, "original", current)  # a second install replaces the first

    def compile_single_target(family: Any, key: str, device: Any, build: Any) -> Any:
        before()
        with _announced(announce, f"its kernel {key.replace('_cpu_0', '')}"):
            return original(family, key, device, build)

    compile_single_target.original = original  # type: ignore[attr-defined]
    gc_compile.compile_single_target = compile_single_target
    executor.set_default_executor(_Fallback(announce, before))
    # MAX advises `max warm-interpreter-cache`: 24 minutes, and each run is slower after.
    logging.getLogger(_eager_policy.__name__).setLevel(logging.ERROR)


def print_no_graphs() -> None:
    """Keep MAX from printing a graph that it refuses: a page of text that no learner wrote.

    Its error says what is wrong. Staging a call that reads numbers half-way leads there.
    """
    graph.graph.print = lambda *_: None


def use_cpu() -> None:
    """Create tensors on the CPU in float32, also where MAX finds an accelerator."""
    if accelerator_count():
        tensor._DEFAULT_DEVICE.set(tensor._as_mesh(CPU()))


class Postponed(BaseException):
    """A kernel is missing and will be compiled later, with others."""


class KernelBatch:
    """Compile many of MAX's kernels at once: twenty take hardly longer than one.

    Run something inside :meth:`collecting`; it stops with :class:`Postponed` at the first
    kernel that is not compiled yet. Then :meth:`compile`, and run it again.
    """

    def __init__(self) -> None:
        self._wanted: dict[tuple[str, str], Any] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Postpone compiling for the length of the block."""
        original = gc_compile.compile_single_target

        def postpone(family: Any, key: str, device: Any, build: Any) -> NoReturn:
            self._wanted[(family.name, key)] = (family, key, device, build)
            raise Postponed(key)

        gc_compile.compile_single_target = postpone
        try:
            yield
        finally:
            gc_compile.compile_single_target = original

    def compile(self) -> None:
        """Compile what was collected; the CPU only."""
        in_default_mlir_context(self._compile)()

    def _compile(self) -> None:
        module = graph.Module()
        for _, _, _, build in self._wanted.values():
            build(module)
        models: Any = None
        for family, key, device, _ in self._wanted.values():
            if models is None:
                models = gc_compile.session_for(device).load_all(module, weights_registry={})
            family.cache[key] = models[key]
