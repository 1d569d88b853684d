"""All NumPy handlers in one table, by the name of MAX's operation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from grader.frameworks.max.engine import create, elementwise, index, order, rearrange, reduce
from grader.frameworks.max.engine.operation import Handler

STAGING, STORE_SLICE = "staging", "MutableStoreSliceOp"
"""The parts of the engine that are not array handlers, by the name reported when one fails."""

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        **elementwise.HANDLERS,
        **rearrange.HANDLERS,
        **reduce.HANDLERS,
        **create.HANDLERS,
        **index.HANDLERS,
        **order.HANDLERS,
    }
)

# Operations that MAX stages as `mo.custom`, by the name of their kernel.
CUSTOM_HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {**elementwise.CUSTOM_HANDLERS, **rearrange.CUSTOM_HANDLERS, **order.CUSTOM_HANDLERS}
)

PARTS = frozenset((STAGING, STORE_SLICE, *HANDLERS, *CUSTOM_HANDLERS))
"""Every part of the engine that can fail separately and be left to MAX."""
