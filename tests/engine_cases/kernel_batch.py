"""Compiles many of MAX's own kernels at once, to compare the handlers with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from max import graph

from grader.frameworks.max.engine import private


class Postponed(BaseException):
    """A kernel is missing and will be compiled later, with others."""


class KernelBatch:
    """Compile many of MAX's kernels at once: twenty take barely longer than one.

    Run something inside :meth:`collecting`; it stops with :class:`Postponed` at the first
    kernel that is not compiled yet. Then :meth:`compile`, and run it again.
    """

    def __init__(self) -> None:
        self._wanted: dict[tuple[str, str], Any] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Postpone compiling inside the block."""
        original = private.COMPILE.get()

        def postpone(family: Any, key: str, device: Any, build: Any) -> NoReturn:
            self._wanted[(family.name, key)] = (family, key, device, build)
            raise Postponed(key)

        private.COMPILE.put(postpone)
        try:
            yield
        finally:
            private.COMPILE.put(original)

    def compile(self) -> None:
        """Compile what was collected; the CPU only."""
        private.CONTEXT.get()(self._compile)()

    def _compile(self) -> None:
        module = graph.Module()
        for _, _, _, build in self._wanted.values():
            build(module)
        models: Any = None
        for family, key, device, _ in self._wanted.values():
            if models is None:
                models = private.SESSION.get()(device).load_all(module, weights_registry={})
            family.cache[key] = models[key]
