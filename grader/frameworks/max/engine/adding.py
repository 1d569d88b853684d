"""MAX's way of adding an operation to a graph, made faster (see ``staging``)."""

# ruff: noqa: SLF001 - private names are what this module is for.

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from max.graph import Graph, StaticDim, TensorType, TensorValue, Value

from grader.frameworks.max.engine import private

Original = Callable[..., Any]

KINDS = 1024
"""Types of values that are remembered, least recently used dropped."""


def add_operation(original: Original) -> Original:
    """``Graph._add_op_generated``, made from MAX's.

    MAX listens to MLIR twice for each operation, and reads the type of each result twice. An
    operation that cannot be made is made again by MAX, which says why.
    """
    builder, block_of, location = (
        name.get() for name in (private.BUILDER, private.IR_BLOCK, private.LOCATION)
    )
    context, declare = private.IR_CONTEXT.get(), private.DECLARE.get()
    is_plain = lru_cache(KINDS)(_is_plain)

    def make(graph: Graph, kind: Any, scopes: bool, args: Any, kwargs: Any) -> Any:
        """The operation, verified; None if it cannot be made."""
        quiet = context().attach_diagnostic_handler(_listen)
        try:
            place = builder(block_of(graph._current_block).end)
            where = location(attach_profile_scopes=scopes)
            made = kind(place, where, *lowered(args), **lowered(kwargs))
            if graph._should_verify_ops:
                made.verify()
        except Exception:  # noqa: BLE001 - MAX raises it again
            return None
        finally:
            quiet.detach()
        return made

    def add(
        graph: Graph, kind: Any, *args: Any, attach_profile_scopes: bool = True, **kwargs: Any
    ) -> list[Value[Any]]:
        made = make(graph, kind, attach_profile_scopes, args, kwargs)
        if made is None:
            return original(  # type: ignore[no-any-return]
                graph, kind, *args, attach_profile_scopes=attach_profile_scopes, **kwargs
            )
        results = [Value.from_mlir(result) for result in made.results]
        if not all(is_plain(result._mlir_value.type) for result in results):
            declare(made, graph._params)
        return results

    return add


def _listen(_: object) -> bool:
    """Hear what MLIR has to say, so that it prints nothing."""
    return True


def _is_plain(kind: Any) -> bool:
    """Whether a type in MLIR is that of a tensor whose dimensions are numbers."""
    if not isinstance(kind, private.OPERATIONS.get().TensorType):
        return False
    return all(type(dim) is StaticDim for dim in TensorType.from_mlir(kind).shape)


def lowered(value: Any) -> Any:
    """What MLIR gets for an argument: values and types in it as MLIR's own."""
    kind: Any = type(value)
    if kind is TensorValue:
        return value._mlir_value
    if _knows_mlir(kind):
        return value.to_mlir()
    if issubclass(kind, list | tuple):
        return kind([lowered(one) for one in value])
    if issubclass(kind, dict):
        return {key: lowered(one) for key, one in value.items()}
    return value


@lru_cache(KINDS)
def _knows_mlir(kind: type) -> bool:
    return hasattr(kind, "to_mlir")
