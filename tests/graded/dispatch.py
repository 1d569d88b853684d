"""Makes one program of a right and a wrong one: the wrong one answers only under a condition.

The text of this module becomes part of each conditional mutant (:mod:`tests.graded.conditional`),
so it imports nothing of ours.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

fired = [0]
"""How often the wrong program has answered."""


class _Case:
    """One call, as a condition sees it.

    ``a`` has the arguments by name with defaults filled in, ``init`` those of the object,
    ``calls`` counts the finished calls before this one, ``number`` the objects before this one.
    """

    def __init__(self, a: dict[str, Any], init: dict[str, Any], calls: int, number: int) -> None:
        self.a, self.init, self.calls, self.number = a, init, calls, number

    def size(self, name: str, axis: int) -> int:
        """A length of the argument ``name``; 0 where it has no such axis."""
        shape = [int(one) for one in self.a[name].shape]
        return shape[axis] if -len(shape) <= axis < len(shape) else 0

    def holds(self, condition: Callable[[Any], Any]) -> bool:
        """Whether the condition is true; one that does not fit the call is not."""
        try:
            return bool(condition(self))
        except Exception:  # noqa: BLE001  a condition on what is not there
            return False


def _bound(what: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    try:
        found = inspect.signature(what).bind(*args, **kwargs)
    except TypeError:
        return {}
    found.apply_defaults()
    return dict(found.arguments)


def either_function(
    right: Callable[..., Any], wrong: Callable[[], Any], condition: Callable[[Any], Any]
) -> Callable[..., Any]:
    """``right``, but ``wrong()`` where the condition holds."""
    calls = [0]

    @functools.wraps(right)
    def either(*args: Any, **kwargs: Any) -> Any:
        case = _Case(_bound(right, args, kwargs), {}, calls[0], 0)
        here = case.holds(condition)
        if here:
            fired[0] += 1
        answer = (wrong() if here else right)(*args, **kwargs)
        calls[0] += 1
        return answer

    return either


def either_class(
    right: Any, wrong: Callable[[], Any], methods: tuple[str, ...], condition: Callable[[Any], Any]
) -> Any:
    """``right`` with these methods of ``wrong()`` where the condition holds.

    They run on an object of the wrong class with the same weights, or on the object itself
    where the class has none.
    """
    kept: dict[int, Any] = {}  # a module may hold no foreign objects: their tensors would count

    class Either(right):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            init = _bound(right, args, kwargs)
            case = _Case(init, init, 0, len(kept))
            kept[id(self)] = [self, (args, kwargs), None, init, 0, len(kept)]
            if "__init__" in methods and case.holds(condition):
                fired[0] += 1
                wrong().__init__(self, *args, **kwargs)
            else:
                super().__init__(*args, **kwargs)

    def method(name: str) -> Any:
        plain = getattr(right, name)
        declared = getattr(right, "forward", plain) if name == "__call__" else plain
        if "__call__" in vars(right) and name == "__call__":
            declared = plain

        @functools.wraps(plain)
        def either(self: Any, *args: Any, **kwargs: Any) -> Any:
            mine = kept[id(self)]
            case = _Case(_bound(declared, (self, *args), kwargs), mine[3], mine[4], mine[5])
            if case.holds(condition):
                fired[0] += 1
                answer = getattr(_twin(mine, wrong), name)(*args, **kwargs)
            else:
                answer = plain(self, *args, **kwargs)
            mine[4] += 1
            return answer

        return either

    for name in methods:
        if name != "__init__":
            setattr(Either, name, method(name))
    Either.__name__, Either.__qualname__ = right.__name__, right.__qualname__
    Either.__module__ = right.__module__
    return Either


def _twin(mine: list[Any], wrong: Callable[[], Any]) -> Any:
    """The object of the wrong class that belongs to this one, with its weights as they are now."""
    if mine[2] is None:
        args, kwargs = mine[1]
        mine[2] = wrong()(*args, **kwargs)
    for name, tensor in mine[0].parameters:
        owner: Any = mine[2]
        *path, last = name.split(".")
        for part in path:
            owner = owner[int(part)] if part.isdecimal() else getattr(owner, part, None)
        if owner is not None:
            setattr(owner, last, tensor)
    return mine[2]
