"""Collects operations outside of any graph in one graph until a number is needed.

MAX computes each of them at once, in a graph of its own. A graph takes longer than most operations,
so a program that generates text without ``F.lazy()`` would take four times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from max.experimental.realization_context import (
    LazyRealizationContext,
    set_default_realization_context,
)
from max.experimental.tensor import current_realization_context


class Waiting(LazyRealizationContext):  # type: ignore[misc]
    """A graph to which operations are added until it is computed."""

    asked: ClassVar = False
    """Whether an operation needed numbers of the graph to which it was added."""

    computed = False

    def realize_all(self) -> Any:
        """Compute the graph, as MAX does.

        Raises:
            TypeError: an operation is being added.
        """
        if current_realization_context(None) is self:
            Waiting.asked = True
        else:
            self.computed = True
        return super().realize_all()


@contextmanager
def until_asked() -> Iterator[None]:
    """Make operations outside of any graph wait in the block."""
    last: Waiting | None = None

    def context() -> Waiting:
        nonlocal last
        if last is None or last.computed:
            last = Waiting()
        return last

    with set_default_realization_context(context):
        yield
