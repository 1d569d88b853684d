"""Turns the arguments of a probe into values to call the learner's code with."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.frameworks import Runtime
from grader.protocol import probe as language


class Arguments:
    """Builds arguments; ``configuration`` is the class of a ``ConfigArg``, ``module:class``."""

    def __init__(self, runtime: Runtime, configuration: str) -> None:
        self._runtime = runtime
        self._configuration = configuration

    def build(self, value: Any, made: Mapping[str, Any]) -> Any:
        """``value`` as the learner's code will see it; ``made`` has earlier results by name."""
        match value:
            case list():
                return [self.build(item, made) for item in value]
            case tuple():
                return tuple(self.build(item, made) for item in value)
            case dict():
                return {key: self.build(item, made) for key, item in value.items()}
            case language.Ref(name, path):
                return follow(made[name], path)
            case language.ArrayArg(array):  # a copy: arrays from a frame are read-only
                return np.array(array, order="C")
            case language.ConfigArg(fields):
                module, _, cls = self._configuration.partition(":")
                return getattr(importlib.import_module(module), cls)(**fields)
        return self._runtime.argument(value)


def follow(value: Any, path: tuple[int | str, ...]) -> Any:
    """A part of an earlier result."""
    for key in path:
        value = value[key]
    return value
