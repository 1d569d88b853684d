"""Operations outside of any graph wait in one until a number is asked for.

MAX computes each of them at once, in a graph of its own. A graph takes longer than most operations:
a program that writes text without ``F.lazy()`` would run four times as long.
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
    """A graph that operations are added to until it is computed."""

    asked: ClassVar = False
    """Whether an operation needed numbers of the graph that it was added to."""

    computed = False

    def realize_all(self) -> Any:
        """Compute it, as MAX does.

        Raises:
            TypeError: an operation is just being added.
        """
        if current_realization_context(None) is self:
            Waiting.asked = True
        else:
            self.computed = True
        return super().realize_all()


@contextmanager
def until_asked() -> Iterator[None]:
    """Until it ends, operations outside of any graph wait."""
    last: Waiting | None = None

    def context() -> Waiting:
        nonlocal last
        if last is None or last.computed:
            last = Waiting()
        return last

    with set_default_realization_context(context):
        yield
