"""Turns the arguments of a probe into what the learner's code is called with."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from max.driver import CPU
from max.dtype import DType
from max.experimental.tensor import Tensor
from max.graph import Dim

from grader.protocol import probe as language

CONFIG_MODULE, CONFIG_CLASS = "solutions.solution_01", "GPT2Config"


def build(value: Any, made: Mapping[str, Any]) -> Any:
    """``value`` as the learner's code will see it; ``made`` holds earlier results by name."""
    match value:
        case list():
            return [build(item, made) for item in value]
        case tuple():
            return tuple(build(item, made) for item in value)
        case dict():
            return {key: build(item, made) for key, item in value.items()}
        case language.Ref(name, path):
            return _follow(made[name], path)
    return _leaf(value)


def _leaf(value: Any) -> Any:
    # Arrays are copied: MAX shares their memory, and they come out of a frame read-only.
    match value:
        case language.TensorArg(array):
            return Tensor.from_dlpack(np.array(array, order="C"))
        case language.ArrayArg(array):
            return np.array(array, order="C")
        case language.DTypeArg(name):
            return DType[name]
        case language.DimArg(size):
            return Dim(size)
        case language.DeviceArg():
            return CPU()
        case language.ConfigArg(fields):
            return getattr(importlib.import_module(CONFIG_MODULE), CONFIG_CLASS)(**fields)
    return value


def _follow(value: Any, path: tuple[int | str, ...]) -> Any:
    for key in path:
        value = value[key]
    return value
