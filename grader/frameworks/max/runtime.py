"""MAX inside the worker. Importing this imports what starts no thread of MAX.

Everything that a job needs is imported at the top: once the learner's code runs, the grader's
modules can no longer be imported by name.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import numpy as np
from max import graph, mlir
from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import Dim, StaticDim

from grader import frameworks
from grader.frameworks import Eye
from grader.frameworks.max import cache, warm
from grader.frameworks.max.engine import installing, lazy_graph, staging
from grader.frameworks.max.import_alias import OldPath
from grader.protocol import probe as language
from grader.protocol.probe import Array, Seen, SeenObject, SeenParameter, SeenTensor

GRAPH = f"{Path(graph.__file__).parent}{os.sep}"
"""The folder of the code with which MAX stages operations."""


class MaxRuntime(frameworks.Runtime):
    """Converts values to and from MAX."""

    _asks = False
    """Whether the program is known to have requested a number while it was staged."""

    def install(self, engine: str, announce: Callable[[str], None], compiled: str) -> None:
        """Choose the engine for MAX's operations."""
        context = mlir.Context.current

        def before_compiling() -> None:
            context.enable_multithreading(True)
            cache.seed(compiled)

        installed = installing.install(engine, announce, before_compiling)
        if engine == "numpy":
            # Graphs are small: handing parts to threads takes longer than lowering them here.
            context.enable_multithreading(False)
        self.left, self.faults = installed.left, installed.faults
        self._leave = installed.leave

    def prepare(self) -> None:
        """Import the interpreter."""
        installing.prepare()

    def leave(self, parts: Iterable[str]) -> None:
        """Leave these parts of the engine to MAX."""
        self._leave(parts)

    def warm_up(self) -> None:
        """Build, load and run a small module."""
        warm.run_forward()

    def finders(self, notes: list[str]) -> list[MetaPathFinder]:
        """Return the finder that serves MAX's modules under their old names."""
        return [OldPath(notes)]

    @contextmanager
    def staged(self) -> Iterator[None]:
        """Return a context in which MAX stages all operations in one graph."""
        before = staging.asked()
        try:
            with F.lazy():
                yield
        finally:
            self._asks = self._asks or before is None or staging.asked() != before

    def waiting(self) -> AbstractContextManager[None] | None:
        """Return a context in which operations wait until a number is needed, with NumPy's engine.

        An engine that compiles would compile each graph, whereas single operations recur.
        """
        return None if staging.asked() is None else lazy_graph.until_asked()

    def unstaged(self, calls: Sequence[tuple[str, int, str]]) -> bool:
        """Whether an operation was refused, and no staged call has requested a number so far.

        A program may be refused a number and go on without it. Writing into a tensor is possible
        only where it has numbers.
        """
        writes = any("buffer" in function or "setitem" in function for _, _, function in calls)
        asks = self._asks or lazy_graph.Waiting.asked
        return not (asks or writes or not calls) and calls[-1][0].startswith(GRAPH)

    def argument(self, value: Any) -> Any:
        """Return the MAX value that ``value`` stands for."""
        # Arrays are copied: MAX shares their memory, and arrays from a frame are read-only.
        match value:
            case language.TensorArg(array):
                return Tensor.from_dlpack(np.array(array, order="C"))
            case language.DTypeArg(name):
                return DType[name]
            case language.DimArg(size):
                return Dim(size)
            case language.DeviceArg():
                return CPU()
        return value

    def see(self, value: Any, eye: Eye) -> Seen:
        """Return a tensor, realized and copied, or a size; None for anything else.

        Raises:
            Exception: whatever MAX raises when a tensor's numbers are computed.
        """
        if issubclass(type(value), Tensor):
            dtype = Tensor.dtype.fget(value)
            eye.spend(math.prod(int(dim) for dim in Tensor.shape.fget(value)))
            # NumPy has no bfloat16; every bfloat16 is also a float32.
            readable = Tensor.cast(value, DType.float32) if dtype == DType.bfloat16 else value
            return SeenTensor(np.array(Tensor.to_numpy(readable), order="C"), dtype.name)
        if issubclass(type(value), StaticDim):
            number = value.dim
            return int(number) if abs(number) < 1 << 63 else SeenObject("int")
        return None

    def holds_numbers(self, kind: type) -> bool:
        """Whether an object of this type is a tensor or an array."""
        return issubclass(kind, Tensor | np.ndarray)

    def size(self, value: Any) -> int | None:
        """Return the number in a ``Dim``; None for anything else."""
        return int(value.dim) if issubclass(type(value), StaticDim) else None

    def is_module(self, value: Any) -> bool:
        """Whether ``value`` is a ``Module`` of MAX."""
        return issubclass(type(value), Module)

    def parameters(self, module: Any) -> Iterator[tuple[str, SeenParameter]]:
        """Yield name, shape and dtype of each parameter."""
        for name, tensor in Module.parameters.fget(module):
            shape = tuple(int(dim) for dim in tensor.shape)
            yield name, SeenParameter(shape, tensor.dtype.name)

    def load_weights(
        self, module: Any, weights: dict[str, Array], kept: Container[str] = ()
    ) -> None:
        """Load ``weights``, strictly. MAX requires values for what is ``kept`` too: its own."""
        own = {name: each for name, each in Module.parameters.fget(module) if name in kept}
        Module.load_state_dict(module, {**weights, **own})
