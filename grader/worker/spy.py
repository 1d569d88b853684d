"""An object that passes calls on to another, and records the sizes of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Spy:
    """Stands in for ``target``: ``fed`` lists its calls, each with the size of its first array.

    It has only those of the target's attributes that are in ``names``.
    """

    def __init__(self, target: Any, names: Sequence[str]) -> None:
        self._target, self._names = target, names
        self.fed: list[tuple[str, int]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the target."""
        self._note("__call__", args, kwargs)
        return self._target(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the target, wrapping a method so that its calls are recorded.

        Raises:
            AttributeError: it is not in ``names``, or the target lacks it too.
        """
        if name not in self._names:
            has = " and ".join(self._names) or "nothing else"
            raise AttributeError(f"it can be called and has {has}, but no {name}")
        value = getattr(self._target, name)
        return self._counted(name, value) if hasattr(value, "__func__") else value

    def _counted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._note(name, args, kwargs)
            return method(*args, **kwargs)

        return counted

    def _note(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        shapes = [one.shape for one in (*args, *kwargs.values()) if hasattr(one, "shape")]
        size = math.prod(int(length) for length in shapes[0]) if shapes else 0
        self.fed.append((name, size))
