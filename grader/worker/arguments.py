"""Turns the arguments of a probe into values to call the learner's code with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.frameworks import Runtime
from grader.protocol import probe as language
from grader.protocol.probe import Seen
from grader.worker.observe import Eye


class Arguments:
    """Builds arguments; ``configuration`` is the class of a ``ConfigArg``, ``module:class``."""

    def __init__(self, runtime: Runtime, configuration: str) -> None:
        self._runtime = runtime
        self._configuration = configuration

    def build(self, value: Any, made: Mapping[str, Any]) -> Any:
        """Return ``value`` as the learner's code will see it; ``made``: earlier results by name."""
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
            case language.IteratorArg(values):
                return iter(values)
            case language.ConfigArg(fields):
                module, _, cls = self._configuration.partition(":")
                return getattr(importlib.import_module(module), cls)(**fields)
        return self._runtime.argument(value)

    def unchanged(self, given: Any, built: Any, seen: Mapping[str, Seen], eye: Eye) -> bool:
        """Whether ``built`` is still what :meth:`build` made of ``given``.

        ``seen`` has the original earlier results. Only numbers are compared, at any depth:
        modules, sizes and iterators have none.
        """
        match given:
            case list():
                return _each(given, built, list, lambda a, b: self.unchanged(a, b, seen, eye))
            case tuple():
                return _each(given, built, tuple, lambda a, b: self.unchanged(a, b, seen, eye))
            case dict():
                same = type(built) is dict and list(built) == list(given)
                return same and all(
                    self.unchanged(one, built[key], seen, eye) for key, one in given.items()
                )
            case language.Ref(name, path):
                return name not in seen or alike(follow(seen[name], path), eye.see(built))
            case language.TensorArg(array) | language.ArrayArg(array):
                return alike(language.SeenArray(array), eye.see(built))
            case language.ConfigArg():
                return bool(vars(built) == vars(self.build(given, {})))
            case bool() | int() | float() | str():
                return type(built) is type(given) and bool(built == given)
        return True


def _each(given: Any, built: Any, kind: type, same: Callable[[Any, Any], bool]) -> bool:
    fits: bool = type(built) is kind
    return fits and len(list(built)) == len(given) and all(map(same, given, built))


def alike(before: Seen, now: Seen) -> bool:
    """Whether two values hold the same numbers in the same places."""
    match before, now:
        case (
            language.SeenTensor() | language.SeenArray(),
            language.SeenTensor() | language.SeenArray(),
        ):
            return np.array_equal(before.array, now.array, equal_nan=before.array.dtype.kind == "f")
        case list() | tuple(), list() | tuple():
            same = type(before) is type(now) and len(before) == len(now)
            return same and all(map(alike, before, now))
        case dict(), dict():
            return list(before) == list(now) and all(alike(before[key], now[key]) for key in before)
        case language.SeenModule(), _:
            return True
    return before == now


def follow(value: Any, path: tuple[int | str, ...]) -> Any:
    """Return the part of an earlier result at ``path``."""
    for key in path:
        value = value[key]
    return value
