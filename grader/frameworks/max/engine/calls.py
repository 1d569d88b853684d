"""MAX's operations on tensors, with fewer steps before each (see ``staging``).

MAX binds the arguments of every call to a signature and walks them as trees four times, to support
tensors on several devices and records of tensors. Nearly all calls have tensors, numbers and lists.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from types import CellType, EllipsisType, FunctionType, NoneType
from typing import Any

from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import DeviceRef, Shape, StaticDim, TensorValue

from grader.frameworks.max.engine import private

Call = Callable[..., Any]

PLAIN = frozenset(
    (int, float, bool, str, NoneType, EllipsisType, DType, DeviceRef, Shape, StaticDim)
)
"""The types of arguments that MAX passes on unchanged."""

DEPTH = 2
"""Deeper lists are left to MAX."""


def operations() -> Iterator[tuple[str | CellType, Call]]:
    """Yield each operation on tensors: its name, or the cell of a function that calls it."""
    for name, function in list(private.WRAP.get().__globals__.items()):
        if type(function) is not FunctionType:
            continue
        if hasattr(function, "graph_op"):
            yield name, function
            continue
        for cell in function.__closure__ or ():
            if hasattr(cell.cell_contents, "graph_op"):
                yield cell, cell.cell_contents


def sooner(original: Call, graph_op: Call) -> Call:
    """Return ``original``, which calls ``graph_op``, with fewer steps before that."""
    context, to_tensors = private.ENSURE.get(), private.RESULTS.get()

    def call(*arguments: Any, **named: Any) -> Any:
        known = _takes(graph_op)
        if known is None or not known.fits(arguments, named):
            return original(*arguments, **named)
        converters = known.converters
        with context():
            positional = map(_converted, arguments, known.in_order)
            keywords = {name: _converted(one, converters[name]) for name, one in named.items()}
            return to_tensors(graph_op(*positional, **keywords))

    return call


class _Takes:
    """The parameters of a graph's operation, and the conversion of each tensor."""

    def __init__(self, parameters: list[inspect.Parameter], known: dict[str, Call]) -> None:
        self._names = [one.name for one in parameters]
        self._needed = {one.name for one in parameters if one.default is one.empty}
        self.converters = {name: known.get(name) for name in self._names}
        self.in_order = list(self.converters.values())

    def fits(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
        """Whether these arguments fit, each of a usual kind."""
        taken = self._names[: len(arguments)]
        return (
            len(arguments) <= len(self._names)
            and self._needed.issubset((*taken, *named))
            and self.converters.keys() >= named.keys()
            and named.keys().isdisjoint(taken)
            and all(map(_is_usual, arguments))
            and all(map(_is_usual, named.values()))
        )


@cache
def _takes(graph_op: Call) -> _Takes | None:
    """Return an operation's parameters; None if they are not just names."""
    parameters = list(inspect.signature(graph_op).parameters.values())
    if any(one.kind is not one.POSITIONAL_OR_KEYWORD for one in parameters):
        return None
    return _Takes(parameters, private.CONVERTERS.get()(graph_op))


def _is_usual(value: Any, depth: int = DEPTH) -> bool:
    """Whether an argument is a tensor on one device, not a tensor, or a list of such values."""
    kind = type(value)
    if kind is Tensor:
        return not value.is_distributed
    if kind in PLAIN:
        return True
    if kind is list or kind is tuple:
        return depth > 0 and all(_is_usual(one, depth - 1) for one in value)
    return kind is slice and PLAIN.issuperset(map(type, (value.start, value.stop, value.step)))


def _converted(value: Any, convert: Call | None) -> Any:
    """Convert such an argument for a graph's operation."""
    kind = type(value)
    if kind is Tensor:
        return value if convert is None else convert(value)
    if kind is list or kind is tuple:
        return kind([_converted(one, convert) for one in value])
    return value


def ensure_context(original: Call) -> Call:
    """Return a faster ``ensure_context``, made from MAX's."""
    current, nothing = private.CURRENT.get(), nullcontext()

    def ensure_context() -> AbstractContextManager[None]:
        found: AbstractContextManager[None] = original() if current(None) is None else nothing
        return found

    return ensure_context


def any_distributed(original: Call) -> Call:
    """Return a faster ``any_distributed``, made from MAX's."""
    numbers = {int, float}

    def any_distributed(operands: tuple[Any, ...]) -> bool:
        for one in operands:
            if type(one) is Tensor:
                if one.is_distributed:
                    return True
            elif type(one) not in numbers:
                return bool(original(operands))
        return False

    return any_distributed


def tensor(original: Call) -> Call:
    """Return a faster constructor of tensors, made from MAX's: it asks once per device."""
    mappings: dict[Any, Any] = {}

    def init(self: Tensor, data: Any = None, *, state: Any = None, **other: Any) -> None:
        if data is not None or other or state is None or len(state.values) != 1:
            original(self, data, state=state, **other)
            return
        device = state.values[0].device
        if device in mappings:
            self._storages, self._state, self._mapping = None, state, mappings[device]
        else:
            original(self, state=state)
            mappings[device] = self._mapping

    return init


def item(original: Call) -> Call:
    """Return a faster indexing function, made from MAX's, which wraps the operation each time."""

    @cache
    def wrapped() -> Call:
        return sooner(private.WRAP.get()(TensorValue.__getitem__), TensorValue.__getitem__)

    def item(self: Tensor, index: Any) -> Any:
        return original(self, index) if self.is_distributed else wrapped()(self, index)

    return item


def to_tensors(original: Call) -> Call:
    """Return a faster ``to_tensors``, made from MAX's."""

    def to_tensors(values: Any) -> Any:
        return Tensor.from_graph_value(values) if type(values) is TensorValue else original(values)

    return to_tensors
