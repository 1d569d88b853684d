"""Describes a value of the learner's program in a few words.

Any of them may lie, and whoever describes one catches whatever is raised.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from grader.protocol.probe import MOST_NAMES, SeenValue

TEXT_LIMIT = 80
MOST_FIELDS = 20
CALLABLES = (FunctionType, MethodType, BuiltinFunctionType)


def describe(value: Any, *, names: bool = False, near: str = "") -> SeenValue:
    """Describe ``value`` briefly; ``names`` adds attributes, if many only those like ``near``."""
    kind = "type" if isinstance(value, type) else type.__dict__["__name__"].__get__(type(value))
    plain = isinstance(value, (*CALLABLES, ModuleType, type))
    own = {} if plain else getattr(value, "__dict__", {})
    return SeenValue(
        kind,
        _text(value),
        *_sizes(value),
        signature=_signature(value),
        fields=public_names(list(own))[: MOST_NAMES if names else MOST_FIELDS],
        names=public_names(dir(value), near) if names else (),
        uncalled=public_names(_uncalled(own)) if names else (),
    )


def _uncalled(own: Mapping[str, Any]) -> list[str]:
    """Return the attributes whose values are not functions; None may yet become one."""
    return [name for name, one in own.items() if one is not None and not callable(one)]


def public_names(names: list[Any], near: str = "") -> tuple[str, ...]:
    """Return the names without underscores before them; of very many, those like ``near``."""
    public = [n for n in names if isinstance(n, str) and not n.startswith("__") and len(n) < 60]
    if len(public) > MOST_NAMES:
        public = difflib.get_close_matches(near, public, 20, 0.5)
    return tuple(dict.fromkeys(public))[:MOST_NAMES]


def _text(value: Any) -> str:
    if value is None or type(value) in (bool, int, float, str):
        text = repr(value)
        return text if len(text) <= TEXT_LIMIT else ""
    if isinstance(value, type | ModuleType):
        return value.__name__[:TEXT_LIMIT]
    if type(value) in CALLABLES:
        return getattr(value, "__qualname__", "")[:TEXT_LIMIT]
    if type(value) in (list, tuple, dict):
        return f"{len(value)}"
    if type(value).__name__ == "StaticDim":
        return str(int(value))
    if type(value).__name__ == "Shape":
        return str([int(size) for size in value])[:TEXT_LIMIT]
    return ""


def _sizes(value: Any) -> tuple[tuple[int, ...] | None, str]:
    """Return shape and element type of a tensor or an array."""
    if isinstance(value, type) or not hasattr(type(value), "shape"):
        return None, ""
    shape = tuple(int(size) for size in value.shape)
    dtype = getattr(value, "dtype", "")
    return shape[:32], str(getattr(dtype, "name", dtype))[:TEXT_LIMIT]


def _signature(value: Any) -> tuple[str, ...] | None:
    """Return the parameters of a callable, as written; None if unknown."""
    if not callable(value):
        return None
    for one in (value, getattr(value, "forward", None)):
        try:
            parameters = list(inspect.signature(one).parameters.values())  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        if all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) and parameters:
            continue
        return tuple(_written(parameters))[:MOST_NAMES]
    return None


def _written(parameters: list[inspect.Parameter]) -> Iterator[str]:
    star = False
    for at, one in enumerate(parameters):
        if one.kind is one.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        star = star or one.kind is one.VAR_POSITIONAL
        prefix = "*" * (one.kind is one.VAR_POSITIONAL) + "**" * (one.kind is one.VAR_KEYWORD)
        plain = type(one.default) in (bool, int, float, str, type(None))
        default = "" if one.default is one.empty else f"={one.default!r}" if plain else "=..."
        yield f"{prefix}{one.name}{default}"[:TEXT_LIMIT]
        last = at + 1 == len(parameters) or parameters[at + 1].kind is not one.POSITIONAL_ONLY
        if one.kind is one.POSITIONAL_ONLY and last:
            yield "/"
