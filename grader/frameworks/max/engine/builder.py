"""Adds an operation to a graph, with less Python than in MAX (see ``staging``)."""

# ruff: noqa: SLF001 - private names are what this module is for.

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from max import mlir
from max.graph import Graph, Shape, TensorValue, Value

from grader.frameworks.max.engine import private


def _mlir(argument: Any) -> Any:
    """Convert an argument of an operation for MLIR."""
    kind = type(argument)
    if kind is TensorValue:
        return argument._mlir_value
    if kind is list or kind is tuple:
        return kind([_mlir(one) for one in argument])
    return argument.to_mlir() if hasattr(argument, "to_mlir") else argument


def _value(result: Any) -> TensorValue:
    value = TensorValue.__new__(TensorValue)
    value._mlir_value = result
    return value


def operation(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a faster function that adds an operation to a graph, made from MAX's."""
    builder, block, location = private.BUILDER.get(), private.BLOCK_OF.get(), private.LOCATION.get()
    declare, context = private.DECLARED.get(), private.MLIR_CONTEXT.get()()
    tensor_type = private.OPERATIONS.get().TensorType

    @lru_cache(1024)
    def is_plain(kind: Any) -> bool:
        return isinstance(kind, tensor_type) and Shape.is_static(Shape.from_mlir(kind.shape))

    def add(
        self: Graph, kind: Any, *arguments: Any, attach_profile_scopes: bool = True, **named: Any
    ) -> list[Value[Any]]:
        place = location(attach_profile_scopes=attach_profile_scopes)
        silent = context.attach_diagnostic_handler(_is_told)
        try:
            given = map(_mlir, arguments)
            keywords = {key: _mlir(one) for key, one in named.items()}
            made = kind(builder(block(self._current_block).end), place, *given, **keywords)
            if self._should_verify_ops:
                made.verify()
        except (mlir.MLIRError, ValueError, TypeError):
            made = None
        finally:
            silent.detach()
        if made is None:  # MAX reports why
            again: list[Value[Any]] = original(
                self, kind, *arguments, attach_profile_scopes=attach_profile_scopes, **named
            )
            return again
        results = list(made.results)
        if all(map(is_plain, [result.type for result in results])):
            return [_value(result) for result in results]
        declare(made, self._params)
        return [Value.from_mlir(result) for result in results]

    return add


def _is_told(_diagnostic: Any) -> bool:
    """Keep MLIR from printing an operation's diagnostic."""
    return True
