"""Turns values of the learner's code into data. A value may lie about everything.

So only its real type counts, and its own methods are not called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.frameworks import Runtime
from grader.protocol.probe import Seen, SeenArray, SeenModule, SeenObject, SeenParameter, SeenTensor
from grader.worker.errors import Deserved, type_name

DEPTH = 8
TEXT = 4_000
NAME = 300
VALUES = 10_000
CHARACTERS = 500_000
ARRAY_BYTES = 32 << 20
"""Limits on what is read of one probe's results; no step's answer comes near them."""

DTYPES = "biuf"
WIDEST = 8


NUMPY = frozenset((np.int32, np.int64, np.float16, np.float32))
"""Types of NumPy numbers that are not Python floats."""


class TooLarge(Deserved):
    """The results are larger than any step asks for."""


def numbers(value: Any, runtime: Runtime) -> SeenTensor | SeenArray | None:
    """Return the numbers of a tensor or array; None if they cannot be read."""
    try:
        seen = Eye(runtime).see(value)
    except Exception:  # noqa: BLE001 - only for explanations, and this value has none
        return None
    return seen if isinstance(seen, SeenTensor | SeenArray) else None


def scalar(value: Any, runtime: Runtime) -> int | float | None:
    """Return a plain number or a size, if a float64 can hold it; None for anything else."""
    kind = type(value)
    if kind is bool:
        return None
    size = runtime.size(value)
    if size is not None or issubclass(kind, int):
        number = int.__int__(value) if size is None else size
        return number if abs(number) < 1 << 53 else None
    if issubclass(kind, float):
        return float.__float__(value)
    return np.generic.item(value) if kind in NUMPY else None


class Eye:
    """Reads the results of one probe, up to the limits.

    Every method raises :class:`TooLarge` beyond them, and passes on what the framework raises
    when it computes a tensor's numbers.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._values = VALUES
        self._characters = CHARACTERS
        self._bytes = ARRAY_BYTES

    def see(self, value: Any, depth: int = 0) -> Seen:
        """Return ``value`` as data; every tensor in it is realized and copied."""
        self._count()
        kind = type(value)
        if value is None:
            return None
        if kind is bool:
            return bool(value)
        seen = self._runtime.see(value, self)
        if seen is not None:
            return seen
        if issubclass(kind, np.ndarray | np.generic):
            return self.array(value)
        if issubclass(kind, str):
            return self._text(value, TEXT)
        if issubclass(kind, int):
            number = int.__int__(value)
            return number if abs(number) < 1 << 63 else SeenObject("int")
        if issubclass(kind, float):
            return float.__float__(value)
        if depth < DEPTH and issubclass(kind, list | tuple | dict):
            return self._container(value, depth)
        return SeenObject(type_name(value))

    def see_module(self, value: Any) -> SeenModule:
        """Return class, parameters and attributes of a newly built object."""
        is_module = self._runtime.is_module(value)
        try:
            attributes = object.__getattribute__(value, "__dict__")
        except AttributeError:
            attributes = {}
        kinds = {}
        if issubclass(type(attributes), dict):
            for name, item in list(dict.items(attributes)):
                kinds[self._key(name)] = type_name(item)
        parameters = self.parameters(value) if is_module else {}
        return SeenModule(type_name(value), is_module, parameters, kinds)

    def parameters(self, module: Any) -> dict[str, SeenParameter]:
        """Return the parameters of a module, by name."""
        return {self._key(name): one for name, one in self._runtime.parameters(module)}

    def spend(self, numbers: int, width: int = WIDEST) -> None:
        """Count numbers of ``width`` bytes that are about to be copied."""
        self._bytes -= numbers * width
        if self._bytes < 0:
            raise TooLarge(f"the result has {numbers} numbers, too many to read")

    def array(self, value: Any) -> SeenArray | SeenObject:
        """Copy a NumPy array or scalar."""
        array = np.asarray(value).view(np.ndarray)
        if array.dtype.kind not in DTYPES or array.dtype.itemsize > WIDEST:
            return SeenObject(f"ndarray of {array.dtype}")
        self.spend(array.size, array.dtype.itemsize)
        return SeenArray(np.array(array, order="C"))

    def _count(self) -> None:
        self._values -= 1
        if self._values < 0:
            raise TooLarge(f"the result has more than {VALUES} values")

    def _text(self, value: str, limit: int) -> str:
        text = str.__str__(value)[:limit]
        self._characters -= len(text)
        if self._characters < 0:
            raise TooLarge(f"the result has more than {CHARACTERS} characters")
        return text

    def _key(self, key: object) -> str:
        self._count()
        if issubclass(type(key), str):
            return self._text(key, NAME)  # type: ignore[arg-type]
        return str(key)[:NAME] if type(key) in (int, float, bool, type(None)) else type_name(key)

    def _container(self, value: Any, depth: int) -> Seen:
        if issubclass(type(value), dict):
            return {
                self._key(key): self.see(item, depth + 1) for key, item in list(dict.items(value))
            }
        if issubclass(type(value), list):
            return [self.see(item, depth + 1) for item in list.__iter__(value)]
        return tuple(self.see(item, depth + 1) for item in tuple.__iter__(value))
