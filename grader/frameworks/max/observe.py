"""What a value of the learner's code is, as data. The value may lie about everything.

Only the real type of a value decides; its own methods are not asked.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from max.dtype import DType
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import StaticDim

from grader.protocol.probe import Seen, SeenArray, SeenModule, SeenObject, SeenParameter, SeenTensor
from grader.worker.errors import type_name

DEPTH = 8
TEXT = 4_000
NAME = 300
VALUES = 10_000
CHARACTERS = 500_000
ARRAY_BYTES = 32 << 20
"""At most this is looked at of one probe's results; no step's answer comes near."""

DTYPES = "biuf"
WIDEST = 8


class TooLarge(Exception):
    """The results are larger than any that a step asks for."""


def holds_numbers(kind: type) -> bool:
    """Whether an object of this type is a tensor or an array."""
    return issubclass(kind, Tensor | np.ndarray)


def numbers(value: Any) -> SeenTensor | SeenArray | None:
    """The numbers of a tensor or array; None where they cannot be had."""
    try:
        seen = Eye().see(value)
    except Exception:  # noqa: BLE001 - it explains only, and this value has nothing to tell
        return None
    return seen if isinstance(seen, SeenTensor | SeenArray) else None


class Eye:
    """Looks at the results of one probe, and at no more of them than can be told.

    Every method raises :class:`TooLarge` where that is exceeded, and whatever MAX raises when
    a tensor's numbers are computed.
    """

    def __init__(self) -> None:
        self._values = VALUES
        self._characters = CHARACTERS
        self._bytes = ARRAY_BYTES

    def see(self, value: Any, depth: int = 0) -> Seen:
        """``value`` as data; every tensor in it is realised and copied."""
        self._count()
        kind = type(value)
        if value is None:
            return None
        if kind is bool:
            return bool(value)
        if issubclass(kind, Tensor):
            return self._tensor(value)
        if issubclass(kind, np.ndarray | np.generic):
            return self._array(value)
        if issubclass(kind, str):
            return self._text(value, TEXT)
        if issubclass(kind, int | StaticDim):
            return _integer(value)
        if issubclass(kind, float):
            return float.__float__(value)
        if depth < DEPTH and issubclass(kind, list | tuple | dict):
            return self._container(value, depth)
        return SeenObject(type_name(value))

    def see_module(self, value: Any) -> SeenModule:
        """Class, parameters and attributes of an object that was just built."""
        is_module = issubclass(type(value), Module)
        try:
            attributes = object.__getattribute__(value, "__dict__")
        except AttributeError:
            attributes = {}
        kinds = {}
        if issubclass(type(attributes), dict):
            for name, item in list(dict.items(attributes)):
                kinds[self._key(name)] = type_name(item)
        parameters = self._parameters(value) if is_module else {}
        return SeenModule(type_name(value), is_module, parameters, kinds)

    def _count(self) -> None:
        self._values -= 1
        if self._values < 0:
            raise TooLarge(f"the result holds more than {VALUES} values")

    def _text(self, value: str, limit: int) -> str:
        text = str.__str__(value)[:limit]
        self._characters -= len(text)
        if self._characters < 0:
            raise TooLarge(f"the result holds more than {CHARACTERS} characters")
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

    def _spend(self, numbers: int, width: int) -> None:
        self._bytes -= numbers * width
        if self._bytes < 0:
            raise TooLarge(f"the result holds {numbers} numbers, too many to look at")

    def _tensor(self, value: Tensor) -> SeenTensor:
        dtype = Tensor.dtype.fget(value)
        self._spend(math.prod(int(dim) for dim in Tensor.shape.fget(value)), WIDEST)
        # NumPy has no bfloat16, whose every number is a float32.
        readable = Tensor.cast(value, DType.float32) if dtype == DType.bfloat16 else value
        return SeenTensor(np.array(Tensor.to_numpy(readable), order="C"), dtype.name)

    def _array(self, value: Any) -> SeenArray | SeenObject:
        array = np.asarray(value).view(np.ndarray)
        if array.dtype.kind not in DTYPES or array.dtype.itemsize > WIDEST:
            return SeenObject(f"ndarray of {array.dtype}")
        self._spend(array.size, array.dtype.itemsize)
        return SeenArray(np.array(array, order="C"))

    def _parameters(self, module: Module[..., Any]) -> dict[str, SeenParameter]:
        seen = {}
        for name, tensor in Module.parameters.fget(module):
            shape = tuple(int(dim) for dim in tensor.shape)
            seen[self._key(name)] = SeenParameter(shape, tensor.dtype.name)
        return seen


def _integer(value: Any) -> Seen:
    number = value.dim if issubclass(type(value), StaticDim) else int.__int__(value)
    return int(number) if abs(number) < 1 << 63 else SeenObject("int")
