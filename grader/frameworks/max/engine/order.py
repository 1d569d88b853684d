"""Operations about order: top-k, argsort, and the positions of nonzero values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from grader.frameworks.max.engine.operation import Array, Handler, Operation


def _descending(x: Array) -> Array:
    """Return positions along the last axis, largest first; ties keep their order."""
    backwards = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    forwards: Array = x.shape[-1] - 1 - backwards
    return forwards


def _top_k(largest: bool) -> Handler:
    def handle(operation: Operation, arrays: Sequence[Array]) -> Sequence[Array]:
        x, count, axis = arrays[0], int(arrays[1].item()), int(arrays[2].item())
        rows = np.moveaxis(x, axis, -1)
        order = _descending(rows) if largest else np.argsort(rows, axis=-1, kind="stable")
        chosen = np.moveaxis(order[..., :count], -1, axis)
        return [np.take_along_axis(x, chosen, axis), chosen.astype(np.int64, copy=False)]

    return handle


def _nonzero(operation: Operation, arrays: Sequence[Array]) -> Array:
    return np.argwhere(arrays[0]).astype(np.int64, copy=False)


def _argsort(operation: Operation, arrays: Sequence[Array]) -> Array:
    x = arrays[0]
    return np.argsort(x, kind="stable") if operation.flag("ascending") else _descending(x)


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "TopKOp": _top_k(largest=True),
        "BottomKOp": _top_k(largest=False),
        "ArgNonzeroOp": _nonzero,
    }
)

CUSTOM_HANDLERS: Mapping[str, Handler] = MappingProxyType({"mx.argsort": _argsort})
