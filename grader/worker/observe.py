"""What a value of the learner's code is, as data. The value may lie about everything.

Only the real type of a value decides; its own methods are not asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from max.dtype import DType
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import StaticDim

from grader.probe import Seen, SeenArray, SeenModule, SeenObject, SeenParameter, SeenTensor
from grader.worker.errors import type_name

DEPTH = 8
ITEMS = 1_000
TEXT = 4_000
ARRAY_BYTES = 16 << 20

DTYPES = "biuf"
WIDEST = 8


class TooLarge(Exception):
    """A result is larger than any that a step asks for."""


def see(value: Any, depth: int = 0) -> Seen:
    """``value`` as data; every tensor in it is realised and copied.

    Raises:
        TooLarge: for a tensor or array of more than ``ARRAY_BYTES``.
        BaseException: whatever MAX raises when a tensor's numbers are computed.
    """
    kind = type(value)
    if value is None:
        return None
    if kind is bool:
        return bool(value)
    if issubclass(kind, Tensor):
        return _tensor(value)
    if issubclass(kind, np.ndarray | np.generic):
        return _array(value)
    if issubclass(kind, str):
        return str.__str__(value)[:TEXT]
    if issubclass(kind, int | StaticDim):
        return _integer(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if depth < DEPTH and issubclass(kind, list | tuple | dict):
        return _container(value, depth)
    return SeenObject(type_name(value))


def _integer(value: Any) -> Seen:
    number = value.dim if issubclass(type(value), StaticDim) else int.__int__(value)
    return int(number) if abs(number) < 1 << 63 else SeenObject("int")


def _container(value: Any, depth: int) -> Seen:
    kind = next(kind for kind in (list, tuple, dict) if issubclass(type(value), kind))
    if kind.__len__(value) > ITEMS:
        return SeenObject(type_name(value))
    if kind is dict:
        pairs = dict.items(value)
        return {_key(key): see(item, depth + 1) for key, item in pairs}
    items = [see(item, depth + 1) for item in kind.__iter__(value)]
    return items if kind is list else tuple(items)


def _key(key: object) -> str:
    if issubclass(type(key), str):
        return str.__str__(key)[:TEXT]
    return str(key) if type(key) in (int, float, bool, type(None)) else type_name(key)


def _tensor(value: Tensor) -> SeenTensor:
    size = 1
    for dim in Tensor.shape.fget(value):
        size *= int(dim)
    if size * WIDEST > ARRAY_BYTES:
        raise TooLarge(f"the result is a tensor of {size} numbers")
    dtype = Tensor.dtype.fget(value)
    # NumPy has no bfloat16, whose every number is a float32.
    readable = Tensor.cast(value, DType.float32) if dtype == DType.bfloat16 else value
    return SeenTensor(np.array(Tensor.to_numpy(readable), order="C"), dtype.name)


def _array(value: Any) -> SeenArray | SeenObject:
    array = np.asarray(value).view(np.ndarray)
    if array.nbytes > ARRAY_BYTES:
        raise TooLarge(f"the result is an array of {array.size} numbers")
    if array.dtype.kind not in DTYPES or array.dtype.itemsize > WIDEST:
        return SeenObject(f"ndarray of {array.dtype}")
    return SeenArray(np.array(array, order="C"))


def see_module(value: Any) -> SeenModule:
    """Class, parameters and attributes of an object that was just built."""
    is_module = issubclass(type(value), Module)
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        attributes = {}
    if not issubclass(type(attributes), dict):
        attributes = {}
    kinds = {_key(name): type_name(item) for name, item in list(dict.items(attributes))[:ITEMS]}
    return SeenModule(type_name(value), is_module, _parameters(value) if is_module else {}, kinds)


def _parameters(module: Module[..., Any]) -> dict[str, SeenParameter]:
    seen = {}
    for name, tensor in Module.parameters.fget(module):
        shape = tuple(int(dim) for dim in tensor.shape)
        seen[str(name)] = SeenParameter(shape, tensor.dtype.name)
        if len(seen) > ITEMS:
            raise TooLarge(f"the module has more than {ITEMS} parameters")
    return seen
